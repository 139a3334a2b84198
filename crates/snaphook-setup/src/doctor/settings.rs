//! An agent's settings: whether they can be read, start this program, and ask about all that hooks are for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snaphook_adapters::Row;
use snaphook_adapters::install::{Edit, Launcher, Reach, Setup, is_ours};
use snaphook_command::process::{self, Request};

use crate::doctor::prerequisites::Prerequisites;
use crate::doctor::{Check, canary, switches};
use crate::install::target::{RegisteredCommand, registered_commands};
use crate::install::{Change, SettingsTarget};
use crate::{SetupError, files};

/// An agent's settings, the person's or the project's.
pub(super) struct AgentSettings<'a> {
    target: SettingsTarget<'a>,
    files: Vec<SettingsText>,
    /// True if any of the files has an entry of snaphook's.
    pub(super) mentions: bool,
}

/// One file of them.
pub(super) struct SettingsText {
    pub(super) path: PathBuf,
    pub(super) edit: Edit,
    /// Its text; empty where there is no file.
    pub(super) text: Result<String, SetupError>,
}

impl AgentSettings<'_> {
    /// Returns where it is: the first file with an entry of snaphook's, else the first; and how many there are beside it.
    pub(super) fn file(&self) -> String {
        let id = self.target.agent.id();
        let ours = |file: &&SettingsText| file.text.as_ref().is_ok_and(|text| is_ours(text, id));
        let count = self.files.iter().filter(ours).count().max(1);
        let Some(first) = self.files.iter().find(ours).or(self.files.first()) else { return String::new() };
        let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        format!("{}{more}", self.target.directories.relative(&first.path))
    }
}

/// Returns what there is of an agent's settings, and what a person has to do by hand where snaphook cannot change them.
pub(super) fn find<'a>(targets: &[SettingsTarget<'a>]) -> (Vec<AgentSettings<'a>>, Vec<Check>) {
    let mut all: Vec<AgentSettings<'a>> = Vec::new();
    let mut by_hand = Vec::new();
    for target in targets {
        let edits = match target.all_edits() {
            Ok(edits) => edits,
            Err(_) => {
                let text = format!(
                    "snaphook cannot read the settings of {}; `snaphook install {}` prints what to add to them",
                    target.agent.title(),
                    target.agent.id()
                );
                by_hand = vec![Check::note(target.agent.id(), text)];
                continue;
            }
        };
        let mut files = Vec::new();
        for edit in edits {
            let Ok(path) = target.path(&edit.file) else { continue };
            // In the home folder the person's settings are the project's.
            if all.iter().flat_map(|found| &found.files).any(|file| file.path == path) {
                continue;
            }
            let text = files::read(&path).map(Option::unwrap_or_default);
            files.push(SettingsText { path, edit, text });
        }
        let ours =
            |file: &SettingsText| file.text.as_ref().is_ok_and(|text| is_ours(text, target.agent.id()));
        let mentions = files.iter().any(ours);
        all.push(AgentSettings { target: *target, files, mentions });
    }
    // Where there is a file for one of them, that is the way.
    if !all.is_empty() {
        by_hand.clear();
    }
    (all, by_hand)
}

/// Checks settings that mention snaphook.
pub(super) async fn checks(found: &AgentSettings<'_>, prerequisites: &Prerequisites<'_>) -> Vec<Check> {
    let target = &found.target;
    let id = target.agent.id();
    let about = format!("{id} {}", found.file());
    let install = match target.reach {
        Reach::User => format!("snaphook install {id}"),
        Reach::Project => format!("snaphook install {id} --project"),
    };
    let mut checks = Vec::new();
    let mut known: Vec<RegisteredCommand> = Vec::new();
    for file in &found.files {
        let read = match &file.text {
            Ok(text) if text.is_empty() => Ok(Vec::new()),
            Ok(text) => {
                registered_commands(&file.edit, &file.path, text, id).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        match read {
            Ok(mut more) => known.append(&mut more),
            Err(error) => {
                let text = format!("{}: {error}", target.directories.relative(&file.path));
                checks.push(Check::wrong(&about, text, format!("fix the file, then {install}")));
            }
        }
    }
    if !checks.is_empty() {
        return checks;
    }
    checks.push(Check::fine(&about, format!("can be read ({})", target.agent.profile().tier.text())));
    checks.append(&mut switches::checks(target, &found.files, &about));
    let programs: BTreeSet<&Path> = known.iter().map(|command| command.program.as_path()).collect();
    let mut started = None;
    for program in programs {
        let check = starts(&about, program, prerequisites, &install).await;
        started = started.or((!check.is_wrong()).then(|| program.to_owned()));
        checks.push(check);
    }
    checks.push(events(found, &known, started.as_deref(), prerequisites, &about, &install));
    checks.append(&mut answers(target, &known, prerequisites, &about, &install).await);
    checks
}

/// Checks an agent whose settings a person changed by hand.
pub(super) async fn by_hand(target: &SettingsTarget<'_>, prerequisites: &Prerequisites<'_>) -> Vec<Check> {
    answers(target, &[], prerequisites, target.agent.id(), "add the command again").await
}

/// Returns whether the program is there, and is this version.
async fn starts(about: &str, program: &Path, prerequisites: &Prerequisites<'_>, install: &str) -> Check {
    let shown = program.display();
    if !program.is_file() {
        return Check::wrong(
            about,
            format!("the program {shown} does not exist, so every gated call is denied"),
            install,
        );
    }
    let request = Request {
        args: vec!["--version".into()],
        env: prerequisites.vars.to_vec(),
        timeout: Some(Duration::from_secs(10)),
        ..Request::new(program, &prerequisites.directories.cwd)
    };
    let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
    match process::run(request).await {
        Ok(output) if output.code() == Some(0) && output.stdout.trim() == this => {
            Check::fine(about, format!("starts {shown}, {this}"))
        }
        Ok(output) if output.code() == Some(0) && output.stdout.starts_with("snaphook ") => {
            let text = format!("starts {shown}, which is {}, and this is {this}", output.stdout.trim());
            Check::wrong(about, text, install)
        }
        Ok(output) => Check::wrong(about, format!("the program {shown} {}", output.outcome), install),
        Err(error) => Check::wrong(about, format!("the program {shown} does not start: {error}"), install),
    }
}

/// Returns whether all that hooks are for is registered, as this version would register it.
fn events(
    found: &AgentSettings<'_>,
    known: &[RegisteredCommand],
    started: Option<&Path>,
    prerequisites: &Prerequisites<'_>,
    about: &str,
    install: &str,
) -> Check {
    let target = &found.target;
    let rows = target.rows_for(&prerequisites.hooks.events);
    let own_ways =
        found.files.iter().all(|file| !file.edit.file.ends_with("json") && !file.edit.file.ends_with("toml"))
            && known.is_empty();
    if !own_ways {
        let there: BTreeSet<&str> = known.iter().map(|call| call.native.as_str()).collect();
        let names = |rows: &[&Row]| rows.iter().map(|row| row.native).collect::<BTreeSet<&str>>();
        let (needed, wanted) = (names(&target.needed(&prerequisites.hooks.events)), names(&rows));
        let list = |names: Vec<&&str>| names.into_iter().copied().collect::<Vec<_>>().join(", ");
        let missing: Vec<_> = needed.difference(&there).collect();
        if !missing.is_empty() {
            let text = format!("hooks need events that are not registered: {}", list(missing));
            return Check::wrong(about, text, install);
        }
        let idle: Vec<_> = there.difference(&wanted).collect();
        if !idle.is_empty() {
            let text = format!("events are registered that no hook needs: {}", list(idle));
            return Check::wrong(about, text, install);
        }
    }
    let edits = match started.and_then(Path::to_str) {
        Some(program) => {
            let launcher = Launcher { program: program.to_owned(), ..target.launcher() };
            let setup = Setup { reach: target.reach, launcher: &launcher, rows: &rows };
            target.agent.install(&setup).unwrap_or_default()
        }
        None => target.edits(&rows).unwrap_or_default(),
    };
    for edit in &edits {
        let changed = target.path(&edit.file).and_then(|path| Change::install(path, edit, target.agent));
        match changed {
            Ok(change) if !change.is_needed() => {}
            Ok(change) => {
                let file = target.directories.relative(&change.path);
                return Check::wrong(about, format!("{file} differs from what this version writes"), install);
            }
            Err(error) => return Check::wrong(about, error.to_string(), install),
        }
    }
    for file in target.agent.formerly(target.reach) {
        let old = found.files.iter().find(|known| known.edit.file == file);
        if old.is_some_and(|old| old.text.as_ref().is_ok_and(|text| is_ours(text, target.agent.id()))) {
            return Check::wrong(
                about,
                format!("{file} is from an earlier version, and asks a second time"),
                install,
            );
        }
    }
    let names: Vec<&str> = rows.iter().map(|row| row.native).collect();
    Check::fine(about, format!("asks about {}", names.join(", ")))
}

/// Runs the registered command.
async fn answers(
    target: &SettingsTarget<'_>,
    known: &[RegisteredCommand],
    prerequisites: &Prerequisites<'_>,
    about: &str,
    install: &str,
) -> Vec<Check> {
    let cwd = prerequisites.directories.cwd.to_string_lossy();
    let Some((native, payload)) = target.agent.canary(&cwd) else { return Vec::new() };
    let Some(row) = target.agent.row(native) else { return Vec::new() };
    let command = match known.iter().find(|call| call.native == native) {
        Some(call) => call.command.clone(),
        // Asked in a way of its own; what answers is the same.
        None if known.is_empty() => target.launcher().command(row),
        // `events` reports what is missing.
        None => return Vec::new(),
    };
    let canary = canary::Canary { agent: target.agent, row, payload, command, about, install };
    canary::checks(&canary, prerequisites).await
}
