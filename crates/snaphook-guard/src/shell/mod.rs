//! What a command line would do to what is guarded: redirects, programs that write, programs that run texts.
//! Not here: words as paths (`path_pattern`), and which programs do what (`snaphook_shell::programs`).
//!
//! | module | content |
//! |---|---|
//! | `line`, `spelling` | a line while it is looked at; names and texts of commands as they are compared |
//! | `readers`, `mentions`, `options` | commands that only read, what a whole text names, paths in options |
//! | `folders`, `above`, `handed` | commands that change the folder, reach down from above, find for others |
//! | `copy`, `reach`, `told` | programs that copy, fill or empty a folder, or are told in ways of their own |
//! | `agents`, `program`, `process` | agents' own command lines, snaphook's program and its processes |

mod above;
mod agents;
mod copy;
mod folders;
mod handed;
mod line;
mod mentions;
mod options;
mod process;
mod program;
mod reach;
mod readers;
mod spelling;
mod told;

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use snaphook_script::path::fold;
use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Dialect, Word, commands_in};

use crate::finding::{Finding, REGISTERED, REPLACED, finding};
use crate::guarded_files::{AGENT_FOLDERS, PROMPTS, REGISTERING, STARTS};
use crate::path_pattern::{Pattern, Scope};
use crate::paths::{Ways, lexical};
use crate::places::{Guard, Places, Touch};
use crate::{git, parts, patches};

use line::Line;
use mentions::{may_mean, mentions, names_in_parts};
use options::has_target;
use readers::{is_harmless, reads_only, sets};
use spelling::{name_of, plain, runs_texts, squeezed};

/// Variables that say where a person's and agents' own files are.
#[rustfmt::skip]
const HOMES: &[&str] = &[
    "HOME", "PWD", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "KIMI_CODE_HOME",
    "VIBE_HOME", "PI_CODING_AGENT_DIR",
];

/// Looks at a command line that is run in one of these folders.
///
/// `strict` says that it certainly is one, so that a text which cannot be read is worth a question.
pub(crate) fn look(
    around: (&Places, &Ways),
    text: &str,
    cwds: &[PathBuf],
    project: &Path,
    strict: bool,
) -> Option<Finding> {
    look_in(around, text, cwds, project, strict, 0)
}

/// The same for a text inside of another.
fn look_in(
    (places, ways): (&Places, &Ways),
    text: &str,
    cwds: &[PathBuf],
    project: &Path,
    strict: bool,
    depth: usize,
) -> Option<Finding> {
    let plain = plain(text);
    // Whoever runs a text of another kind may have any shell do it.
    let read = if strict {
        commands_in(text, Dialect::Bash)
    } else {
        commands_in(text, Dialect::Sh).or_else(|_| commands_in(text, Dialect::Bash))
    };
    let commands = match read {
        Ok(commands) => commands,
        Err(_)
            if !strict
                && !mentions(places, &plain)
                && !plain.contains("snaphook")
                && !names_in_parts(&squeezed(&plain)) =>
        {
            return None;
        }
        Err(error) => {
            return Some(Finding::Ask(format!(
                "this command line cannot be read ({error}), so nobody can tell whether it changes hooks or settings"
            )));
        }
    };
    let all_sets: Vec<(String, Word)> =
        commands.iter().flat_map(|command| sets(command, &name_of(command))).collect();
    let scope = Scope {
        places,
        ways,
        project,
        cwds: cwds.iter().cloned().map(Some).collect(),
        tails: Vec::new(),
        reassigns: all_sets.iter().any(|(name, _)| HOMES.contains(&name.as_str())),
        elsewhere: text.contains("CDPATH"),
        overflows: false,
        dots: parts::shows_hidden(text),
        marks: parts::marks(text),
        values: parts::values(&all_sets),
        depth,
        known: RefCell::default(),
    };
    let mut line = Line {
        plain: &plain,
        finders: handed::finders(&commands),
        sets: &all_sets,
        mentions: OnceCell::new(),
        scope,
        unknown: false,
        reads_guarded: false,
        found: None,
    };
    if folders::reorders(text) {
        folders::all(&mut line.scope, &commands);
    }
    line.whole(&commands, text, &all_sets);
    for command in &commands {
        line.found =
            Finding::strictest(line.found.take(), program::look(&line.scope, command, &commands, &plain));
        line.command(command, &commands);
    }
    if line.scope.overflows {
        line.ask("this goes to more folders than can be looked at");
    }
    if line.found.is_none()
        && line.unknown
        && (line.mentions() || line.formats(text, &plain) || may_mean(&line.scope, &plain, text, &commands))
    {
        line.ask(
            "this command line names an agent's hooks or settings, and changes something that cannot be \
             known before it runs",
        );
    }
    line.found
}

/// The longest argument that is searched for paths inside, in bytes.
const MAX_SPLIT: usize = 16 * 1024;

/// The depth to which texts in texts are looked at.
const MAX_DEPTH: usize = 3;

impl Line<'_> {
    /// Adds what shows in the text as a whole.
    fn whole(&mut self, commands: &[Command], text: &str, sets: &[(String, Word)]) {
        for redirect in commands.iter().flat_map(|command| &command.redirects) {
            self.reads_guarded |= redirect.read && self.is_guarded(&redirect.target);
        }
        let runs = |command: &Command| !reads_only(command, &name_of(command));
        if commands.iter().any(runs) {
            for (path, removes) in patches::named(text) {
                let touch = if removes { Touch::Tree } else { Touch::Write };
                self.pattern(&Pattern::known(path), touch, removes);
            }
        }
        let dynamic = || commands.iter().any(|command| command.dynamic);
        if commands.iter().any(|command| is(&name_of(command), Role::Transforms)) && dynamic() {
            self.ask(
                "this runs a text that another program makes, so nobody can tell whether it changes hooks or \
                 settings",
            );
        }
        let changes =
            || commands.iter().any(|command| runs(command) || command.redirects.iter().any(|one| one.write));
        if self.scope.elsewhere && changes() && commands.iter().any(|command| name_of(command) == "cd") {
            self.ask("`CDPATH` may lead this to a folder that does not stand here");
        }
        let has = |word: &str| self.plain.contains(word);
        let prompt = PROMPTS.iter().any(|parts| has(&parts.join("/")));
        if prompt && REGISTERING.iter().any(|word| has(word)) && changes() {
            self.add(Finding::Ask(REGISTERED.to_owned()));
        }
        let moved = sets
            .iter()
            .any(|(name, value)| agents::moves(name) && name != "PATH" && !is_harmless(name, value));
        for command in commands {
            if let Some(found) = agents::look(command, moved) {
                self.add(found);
            }
        }
        let itself = |command: &Command| name_of(command) == "snaphook";
        for (name, value) in sets {
            let exported = !commands
                .iter()
                .any(|command| itself(command) && command.assignments.iter().any(|(set, _)| set == name));
            if name.starts_with("SNAPHOOK_") && exported {
                self.ask(format!(
                    "this sets `{name}`, which says where snaphook looks for hooks and decisions"
                ));
            }
            // A shell writes its history there.
            if name == "HISTFILE" {
                self.word(value, Touch::Write, false);
            }
            self.text(value);
            if exported && commands.iter().any(runs) && !is_harmless(name, value) {
                self.inside(value);
            }
        }
    }

    /// A value that some program may run.
    fn text(&mut self, value: &Word) {
        let text = value.text().trim_start_matches(['!', '|', '-']).trim_matches(['"', '\'']);
        if !text.contains([' ', ';', '/']) || text.len() > MAX_SPLIT || self.scope.depth >= MAX_DEPTH {
            return;
        }
        let cwds: Vec<PathBuf> = self.scope.cwds.iter().flatten().cloned().collect();
        let around = (self.scope.places, self.scope.ways);
        if let Some(found) = look_in(around, text, &cwds, self.scope.project, false, self.scope.depth + 1) {
            self.add(found);
        }
    }

    fn command(&mut self, command: &Command, all: &[Command]) {
        let name = name_of(command);
        self.redirects(command, &name);
        if self.scope.places.checks_commits && git::passes_over_hooks(&name, command) {
            self.ask(
                "this has git pass over the hooks that run before a commit, which an agent does not do on \
                 its own. Let it?",
            );
        }
        for folder in git::checks_out_into(command) {
            self.word(&folder, Touch::Tree, false);
        }
        if name == "git" && git::sets_up_home(command) {
            self.add(finding(Guard::Ask(STARTS), "git's own configuration"));
        }
        let filled = |arg: &Word| arg.many() || arg.prefix().starts_with("--");
        if self.scope.places.checks_commits
            && name == "git"
            && self.plain.contains("no-veri")
            && command.args.iter().any(|arg| arg.known().is_none() && filled(arg))
        {
            self.ask(
                "this may have git pass over the hooks that run before a commit, which an agent does not do \
                 on its own. Let it?",
            );
        }
        folders::change(&mut self.scope, command);
        if matches!(name.as_str(), "cd" | "pushd" | "popd") {
            return;
        }
        if let Some(found) = handed::look(&self.scope, command, &self.finders, all, self.plain) {
            self.add(found);
        }
        if name.is_empty() && command.name.known().is_some() {
            return;
        }
        if let Some((guard, path)) = above::look(&self.scope, command, all) {
            self.add(finding(guard, &path));
        }
        if handed::copies_program(&self.scope, command, &self.finders, all) {
            self.add(Finding::Deny(REPLACED.to_owned()));
        }
        let reads = reads_only(command, &name);
        if !command.dynamic && reads {
            // What is read here runs here.
            let is_program = |word: &Word| self.scope.names_program(word);
            if matches!(name.as_str(), "source" | ".") && command.args.iter().any(is_program) {
                self.add(Finding::Deny(REPLACED.to_owned()));
            }
            return;
        }
        if !command.args.is_empty() && is(&name, Role::Mounts) {
            self.ask(format!(
                "`{name}` may lay other files over an agent's hooks or settings, or give them another name"
            ));
        }
        if self.runs_later(command, &name) {
            self.ask(format!("`{name}` has something run later, where nothing guards"));
        }
        self.reach(command, &name);
        self.told(command, &name);
        for (set, value) in &command.assignments {
            if !is_harmless(set, value) {
                self.word(value, Touch::Write, false);
                self.inside(value);
            }
        }
        if self.scope.cwds.contains(&None) && !reads {
            self.unknown = true;
        }
        let inside = || {
            self.scope.cwds.iter().flatten().any(|cwd| {
                let guard = self.scope.places.look(self.scope.ways, cwd, cwd, Touch::Into, false);
                guard.is_some()
                    || lexical(cwd)
                        .file_name()
                        .is_some_and(|name| AGENT_FOLDERS.contains(&fold(&name.to_string_lossy()).as_str()))
            })
        };
        if self.scope.cwds.len() > 1 && command.name.known().is_some() && inside() {
            self.ask("this runs something inside a folder of hooks or settings");
        }
        if command.name.known().is_none() || command.dynamic {
            self.unknown = true;
        }
        let runs_text = runs_texts(&name) || told::TEXTS.contains(&&*name);
        // `env -C`, `sudo -D`, `find … -exec`: what the wrapper was told is in the text only.
        if !command.via.is_empty() && mentions(self.scope.places, &plain(&command.text)) {
            let via = command.via.join(" ");
            self.ask(format!("`{via}` runs `{name}` on what names an agent's hooks or settings"));
        }
        let code = || {
            squeezed(&format!(
                "{} {}",
                plain(&command.text),
                command.opaque.as_ref().and_then(|one| one.code.clone()).unwrap_or_default()
            ))
        };
        let formats = || {
            let text = command.opaque.as_ref().and_then(|one| one.code.clone());
            let text = text.unwrap_or_else(|| command.text.to_string());
            self.formats(&text, &plain(&text))
        };
        if runs_text && (self.mentions() || names_in_parts(&code()) || formats()) {
            self.ask(format!("`{name}` runs or applies a text that names an agent's hooks or settings"));
        }
        let first = usize::from(name == "git" || name == "gio");
        let operands: Vec<&Word> =
            command.args.iter().filter(|arg| !arg.prefix().starts_with('-')).skip(first).collect();
        for word in &command.args {
            self.earlier(word);
        }
        if is(&name, Role::Removes) {
            let last = operands.len().saturating_sub(usize::from(name == "mv" && !has_target(command)));
            for word in operands.iter().take(last) {
                self.word(word, Touch::Tree, true);
            }
            if name != "mv" {
                return;
            }
        }
        if is(&name, Role::Copies) {
            return self.copy(command, &operands);
        }
        if name == "rsync" {
            return self.rsync(command, &operands);
        }
        let touch = match () {
            () if is(&name, Role::Creates) => Touch::Write,
            () if is(&name, Role::ChangesAccess) => Touch::Mode,
            () => Touch::Into,
        };
        let unpacks = is(&name, Role::UnpacksInto);
        // A container gets what it is told to, with all that is below.
        let contains = is(&name, Role::StartsContainers);
        let packs = unpacks && command.args.iter().any(|arg| arg.prefix().starts_with("--remove"));
        let whole = unpacks && !packs && options::is_told_where(command);
        for word in &command.args {
            let touch = if whole || packs { Touch::Tree } else { touch };
            self.word(word, touch, packs);
            if contains && let Some((folder, _)) = word.text().split_once(':') {
                self.container(folder.split_once('=').map_or(folder, |(_, folder)| folder));
            }
            for value in options::glued(word.text()).filter(|_| contains) {
                self.container(value.split(':').next().unwrap_or(value));
            }
            if contains && word.text().contains("source=") | word.text().contains("src=") {
                let sources = word.text().split(',').filter_map(|part| part.split_once('='));
                for (_, folder) in sources.filter(|(name, _)| name.starts_with('s')) {
                    self.container(folder);
                }
            }
            // `-o/path`, `--file=/path`, `of=/path`, and paths inside of texts.
            if let Some(text) = word.known() {
                // As many as this are data; that they name something guarded is then enough.
                if text.len() > MAX_SPLIT && self.mentions() {
                    self.ask(format!("`{name}` gets a long text that names an agent's hooks or settings"));
                }
                let text = if text.len() > MAX_SPLIT { "" } else { text };
                for part in parts::paths(text).filter(|part| *part != text) {
                    let patterns = [self.scope.read(part), self.scope.read(options::after(part))];
                    for pattern in &patterns {
                        self.pattern(pattern, touch, false);
                    }
                }
            }
            for value in options::glued(word.text()) {
                let pattern = match word {
                    Word::Known(_) => Pattern::known(value),
                    Word::Unknown { .. } => self.scope.read(value),
                };
                self.pattern(&pattern, touch, false);
            }
            if let (None, Some((_, value))) = (word.known(), word.text().split_once('=')) {
                let pattern = self.scope.read(value);
                self.pattern(&pattern, touch, false);
            }
            if name == "git" || name == "tmux" {
                let value = word.known().and_then(|text| text.split_once("=!")).map(|(_, value)| value);
                if let Some(value) = value {
                    self.text(&Word::Known(value.to_owned()));
                }
            }
        }
    }
}
