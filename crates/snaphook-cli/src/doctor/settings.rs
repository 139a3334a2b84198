//! What stands in an agent's settings: whether it can be read, starts this program, and asks about all that hooks are for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snaphook_adapters::Row;
use snaphook_adapters::install::{Edit, Launcher, Reach, is_ours};
use snaphook_command::process::{self, Request};
use tokio::runtime::Runtime;

use crate::doctor::Check;
use crate::doctor::canary;
use crate::doctor::ground::Ground;
use crate::doctor::switches;
use crate::files::shown;
use crate::install::change::{self, Change};
use crate::install::place::{Call, Place, calls, program};

/// One agent's settings in one place.
pub(super) struct Found<'a> {
    place: Place<'a>,
    files: Vec<File>,
    /// True if any of the files has something of ours.
    pub(super) mentions: bool,
}

pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) edit: Edit,
    /// Its text, or why it cannot be read.
    pub(super) text: Result<String, String>,
}

impl Found<'_> {
    /// Returns where it is: the first file with something of ours, else the first; and how many there are beside it.
    pub(super) fn file(&self) -> String {
        let id = self.place.agent.id();
        let ours = |file: &&File| file.text.as_ref().is_ok_and(|text| is_ours(text, id));
        let count = self.files.iter().filter(ours).count().max(1);
        let Some(first) = self.files.iter().find(ours).or(self.files.first()) else { return String::new() };
        let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        format!("{}{more}", shown(self.place.directories, &first.path))
    }
}

/// Returns what there is of an agent's settings, and what a person has to do by hand where they are no file of ours.
pub(super) fn found<'a>(places: &[Place<'a>]) -> (Vec<Found<'a>>, Vec<Check>) {
    let mut all: Vec<Found<'a>> = Vec::new();
    let mut by_hand = Vec::new();
    for place in places {
        let edits = match place.all_edits() {
            Ok(edits) => edits,
            Err(_) => {
                let text = format!(
                    "snaphook cannot see how {} is set up; `snaphook install {}` says what to put where",
                    place.agent.title(),
                    place.agent.id()
                );
                by_hand = vec![Check::note(place.agent.id(), text)];
                continue;
            }
        };
        let mut files = Vec::new();
        for edit in edits {
            let Ok(path) = place.path(&edit.file) else { continue };
            // In the home folder the person's settings are the project's.
            if all.iter().flat_map(|found| &found.files).any(|file| file.path == path) {
                continue;
            }
            let text = change::read(&path).map(Option::unwrap_or_default).map_err(|error| error.to_string());
            files.push(File { path, edit, text });
        }
        let ours = |file: &File| file.text.as_ref().is_ok_and(|text| is_ours(text, place.agent.id()));
        let mentions = files.iter().any(ours);
        all.push(Found { place: *place, files, mentions });
    }
    // Where there is a file for one of them, that is the way.
    if !all.is_empty() {
        by_hand.clear();
    }
    (all, by_hand)
}

/// Everything about settings that mention us.
pub(super) fn checks(found: &Found<'_>, ground: &Ground<'_>, runtime: &Runtime) -> Vec<Check> {
    let place = &found.place;
    let id = place.agent.id();
    let about = format!("{id} {}", found.file());
    let install = match place.reach {
        Reach::User => format!("snaphook install {id}"),
        Reach::Project => format!("snaphook install {id} --project"),
    };
    let mut checks = Vec::new();
    let mut known: Vec<Call> = Vec::new();
    for file in &found.files {
        let read = file.text.as_ref().map_err(Clone::clone);
        match read.and_then(|text| {
            if text.is_empty() { Ok(Vec::new()) } else { calls(&file.edit, &file.path, text, id) }
        }) {
            Ok(mut more) => known.append(&mut more),
            Err(error) => {
                let text = format!("{}: {error}", shown(place.directories, &file.path));
                checks.push(Check::wrong(&about, text, format!("mend the file, then {install}")));
            }
        }
    }
    if !checks.is_empty() {
        return checks;
    }
    checks.push(Check::fine(&about, format!("can be read ({})", place.agent.tier().text())));
    checks.append(&mut switches::checks(place, &found.files, &about));
    let programs: BTreeSet<&Path> = known.iter().map(|call| call.program.as_path()).collect();
    let mut started = None;
    for program in programs {
        let check = starts(&about, program, ground, runtime, &install);
        started = started.or((!check.is_wrong()).then(|| program.to_owned()));
        checks.push(check);
    }
    checks.push(events(found, &known, started.as_deref(), ground, &about, &install));
    checks.append(&mut answers(place, &known, ground, runtime, &about, &install));
    checks
}

/// Returns what can be said where a person put the settings in.
pub(super) fn by_hand(place: &Place<'_>, ground: &Ground<'_>, runtime: &Runtime) -> Vec<Check> {
    answers(place, &[], ground, runtime, place.agent.id(), "put the command in again")
}

/// Returns whether the program is there, and is this version.
fn starts(about: &str, program: &Path, ground: &Ground<'_>, runtime: &Runtime, install: &str) -> Check {
    let shown = program.display();
    if !program.is_file() {
        return Check::wrong(
            about,
            format!("the program {shown} is gone, so every gated call is denied"),
            install,
        );
    }
    let request = Request {
        args: vec!["--version".into()],
        env: ground.env.vars.to_vec(),
        timeout: Some(Duration::from_secs(10)),
        ..Request::new(program, &ground.directories.cwd)
    };
    let this = concat!("snaphook ", env!("CARGO_PKG_VERSION"));
    match runtime.block_on(process::run(request)) {
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
    found: &Found<'_>,
    known: &[Call],
    started: Option<&Path>,
    ground: &Ground<'_>,
    about: &str,
    install: &str,
) -> Check {
    let place = &found.place;
    let rows = place.rows_for(&ground.hooks.events);
    let own_ways =
        found.files.iter().all(|file| !file.edit.file.ends_with("json") && !file.edit.file.ends_with("toml"))
            && known.is_empty();
    if !own_ways {
        let there: BTreeSet<&str> = known.iter().map(|call| call.native.as_str()).collect();
        let names = |rows: &[&Row]| rows.iter().map(|row| row.native).collect::<BTreeSet<&str>>();
        let (needed, wanted) = (names(&place.needed(&ground.hooks.events)), names(&rows));
        let list = |names: Vec<&&str>| names.into_iter().copied().collect::<Vec<_>>().join(", ");
        let missing: Vec<_> = needed.difference(&there).collect();
        if !missing.is_empty() {
            let text = format!("hooks are for events that are not registered: {}", list(missing));
            return Check::wrong(about, text, install);
        }
        let idle: Vec<_> = there.difference(&wanted).collect();
        if !idle.is_empty() {
            let text = format!("events are registered that no hook is for: {}", list(idle));
            return Check::wrong(about, text, install);
        }
    }
    let edits = match started.and_then(Path::to_str) {
        Some(program) => {
            let launcher = Launcher { program: program.to_owned(), agent: place.agent.id() };
            place.agent.install(place.reach, &launcher, &rows).unwrap_or_default()
        }
        None => place.edits(&rows).unwrap_or_default(),
    };
    for edit in &edits {
        let changed = place.path(&edit.file).and_then(|path| Change::install(path, edit, place.agent));
        match changed {
            Ok(change) if !change.is_needed() => {}
            Ok(change) => {
                let file = shown(place.directories, &change.path);
                return Check::wrong(about, format!("{file} is not as this version writes it"), install);
            }
            Err(error) => return Check::wrong(about, error.to_string(), install),
        }
    }
    for file in place.agent.formerly(place.reach) {
        let old = found.files.iter().find(|known| known.edit.file == file);
        if old.is_some_and(|old| old.text.as_ref().is_ok_and(|text| is_ours(text, place.agent.id()))) {
            return Check::wrong(
                about,
                format!("{file} is of an earlier version, and asks a second time"),
                install,
            );
        }
    }
    let names: Vec<&str> = rows.iter().map(|row| row.native).collect();
    Check::fine(about, format!("asks about {}", names.join(", ")))
}

/// Runs the very command.
fn answers(
    place: &Place<'_>,
    known: &[Call],
    ground: &Ground<'_>,
    runtime: &Runtime,
    about: &str,
    install: &str,
) -> Vec<Check> {
    let cwd = ground.directories.cwd.to_string_lossy();
    let Some((native, payload)) = place.agent.canary(&cwd) else { return Vec::new() };
    let Some(row) = place.agent.row(native) else { return Vec::new() };
    let command = match known.iter().find(|call| call.native == native) {
        Some(call) => call.command.clone(),
        // Asked in a way of its own; what answers is the same.
        None if known.is_empty() => match own_command(place, row) {
            Some(command) => command,
            None => return Vec::new(),
        },
        // What is missing was told.
        None => return Vec::new(),
    };
    canary::checks(
        &canary::Canary { agent: place.agent, row, payload, command, about, install },
        ground,
        runtime,
    )
}

fn own_command(place: &Place<'_>, row: &Row) -> Option<String> {
    let launcher = Launcher { program: program(place.env).ok()?, agent: place.agent.id() };
    Some(launcher.command(row))
}
