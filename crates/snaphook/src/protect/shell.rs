//! What a command line would do to what is guarded: redirects, programs that write, programs that run texts. Not here: words
//! as paths (`word`), what programs do (`tables`), killing and replacing snaphook (`program`).

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use snaphook_shell::{Command, Word, commands};

use super::git;
use super::paths::{Ways, fold, lexical};
use super::places::{Guard, Places, Touch};
use super::program;
use super::tables::{
    AGENT_FOLDERS, COPIERS, GIT_READERS, INTERPRETERS, MAKERS, READERS, REGISTERS, REMOVERS,
};
use super::word::{Pattern, Scope};
use super::{Finding, finding};

/// Looks at a command line that is run in one of these folders.
///
/// `strict` says that it certainly is one, so that a text which cannot be read is worth a question.
pub(super) fn look(
    (places, ways): (&Places, &Ways),
    text: &str,
    cwds: &[PathBuf],
    project: &Path,
    strict: bool,
) -> Option<Finding> {
    let plain = plain(text);
    let commands = match commands(text) {
        Ok(commands) => commands,
        Err(_) if !strict && !mentions(places, &plain) && !plain.contains("snaphook") => return None,
        Err(error) => {
            return Some(Finding::Ask(format!(
                "this command line cannot be read ({error}), so nobody can tell whether it changes hooks or settings"
            )));
        }
    };
    let homes = ["HOME", "PWD", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"];
    let reassigns = commands
        .iter()
        .flat_map(|command| &command.assignments)
        .any(|(name, _)| homes.contains(&name.as_str()));
    let scope = Scope { places, ways, project, cwds: cwds.iter().cloned().map(Some).collect(), reassigns };
    let mut line = Line { plain: &plain, mentions: OnceCell::new(), scope, unknown: false, found: None };
    for command in &commands {
        line.found =
            Finding::strictest(line.found.take(), program::look(&line.scope, command, &commands, &plain));
        line.command(command);
    }
    if line.found.is_none() && line.unknown && line.mentions() {
        line.found = Some(Finding::Ask(
            "this command line names an agent's hooks or settings, and changes something that cannot be known before it runs"
                .to_owned(),
        ));
    }
    line.found
}

/// The longest argument that is searched for paths inside, in bytes.
const MAX_SPLIT: usize = 16 * 1024;

/// Where the programs are that are called what they are called.
const PROGRAMS: &[&str] =
    &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];

struct Line<'a> {
    scope: Scope<'a>,
    /// Whether the text names what is guarded.
    mentions: OnceCell<bool>,
    /// The text as [`plain`] makes it.
    plain: &'a str,
    /// Whether something changes a file that is not known.
    unknown: bool,
    found: Option<Finding>,
}

impl Line<'_> {
    /// Whether the text names what is guarded: for few commands it matters.
    fn mentions(&self) -> bool {
        *self.mentions.get_or_init(|| mentions(self.scope.places, self.plain))
    }

    fn command(&mut self, command: &Command) {
        for redirect in command.redirects.iter().filter(|redirect| redirect.write) {
            self.word(&redirect.target, Touch::Write, false);
        }
        let name = name_of(command);
        if self.scope.places.checks_commits && git::passes_over_hooks(&name, command) {
            let text = "this has git pass over the hooks that run before a commit, which an agent does not do on its own. Let it?";
            self.add(Finding::Ask(text.to_owned()));
        }
        if matches!(name.as_str(), "cd" | "pushd" | "popd") {
            return self.change_folder(command);
        }
        if name.is_empty() && command.name.known().is_some() {
            return;
        }
        if reads_only(command, &name) {
            return;
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
            self.add(Finding::Ask("this runs something inside a folder of hooks or settings".to_owned()));
        }
        if command.name.known().is_none() || command.dynamic {
            self.unknown = true;
        }
        let runs_text = INTERPRETERS.contains(&base_name(&name)) || name == "git" || name == "sed";
        // `env -C`, `sudo -D`, `find … -exec`: what the wrapper was told is in the text only.
        if !command.via.is_empty() && mentions(self.scope.places, &plain(&command.text)) {
            let via = command.via.join(" ");
            self.add(Finding::Ask(format!(
                "`{via}` runs `{name}` on what names an agent's hooks or settings"
            )));
        }
        if runs_text && self.mentions() {
            self.add(Finding::Ask(format!(
                "`{name}` runs or applies a text that names an agent's hooks or settings"
            )));
        }
        let first = usize::from(name == "git" || name == "gio");
        let operands: Vec<&Word> =
            command.args.iter().filter(|arg| !arg.prefix().starts_with('-')).skip(first).collect();
        let git_removes = name == "git"
            && command.args.iter().any(|arg| matches!(arg.known(), Some("rm" | "mv" | "clean")));
        if REMOVERS.contains(&name.as_str()) || git_removes || (name == "find" && deletes(command)) {
            let last = operands.len().saturating_sub(usize::from(name == "mv" && !has_target(command)));
            for word in operands.iter().take(last) {
                self.word(word, Touch::Tree, true);
            }
            if name != "mv" {
                return;
            }
        }
        if COPIERS.contains(&name.as_str()) {
            return self.copy(command, &operands);
        }
        let touch = if MAKERS.contains(&name.as_str()) { Touch::Write } else { Touch::Into };
        let whole = matches!(
            name.as_str(),
            "rsync"
                | "tar"
                | "bsdtar"
                | "unzip"
                | "cpio"
                | "chmod"
                | "chown"
                | "chgrp"
                | "chattr"
                | "setfacl"
                | "mount"
                | "umount"
        );
        for word in &command.args {
            self.word(word, if whole { Touch::Tree } else { touch }, false);
            // `-o/path`, `--file=/path`, `of=/path`, and paths inside of texts.
            if let Some(text) = word.known() {
                let split = |c: char| c.is_whitespace() || "\"'`(),;=<>|&:{}[]".contains(c);
                // As many as this are data; that they name something guarded is then enough.
                if text.len() > MAX_SPLIT && self.mentions() {
                    self.add(Finding::Ask(format!(
                        "`{name}` gets a long text that names an agent's hooks or settings"
                    )));
                }
                let text = if text.len() > MAX_SPLIT { "" } else { text };
                for part in text.split(split).filter(|part| *part != text && part.contains(['/', '.', '~'])) {
                    let patterns = [self.scope.read(part), self.scope.read(after_option(part))];
                    for pattern in &patterns {
                        self.pattern(pattern, touch, false);
                    }
                }
                if let Some(glued) = text.strip_prefix('-').filter(|rest| rest.contains('/')) {
                    self.pattern(&Pattern::known(glued.chars().skip(1).collect::<String>()), touch, false);
                    let pattern = Pattern::known(after_option(glued));
                    self.pattern(&pattern, if whole { Touch::Tree } else { touch }, false);
                }
            } else if let Some((_, value)) = word.text().split_once('=') {
                let pattern = self.scope.read(value);
                self.pattern(&pattern, touch, false);
            }
        }
    }

    /// `cp`, `mv`, `ln`, `install`: the last argument is a file, or a folder that gets the others.
    fn copy(&mut self, command: &Command, operands: &[&Word]) {
        let name = name_of(command);
        // Links are two names of one thing: what is written through one of them is the other.
        let links = name.ends_with("ln")
            || name == "link"
            || command
                .args
                .iter()
                .any(|arg| matches!(arg.known(), Some("-l" | "-s" | "--link" | "--symbolic-link")));
        let named: Option<Pattern> = target_option(command).map(|word| match word {
            Target::Word(word) => self.scope.patterns(word).remove(0),
            Target::Text(text) => Pattern::known(text),
        });
        let (sources, target) = match (&named, operands.split_last()) {
            (Some(target), _) => (operands, Some(target.clone())),
            (None, Some((last, []))) => (
                &[][..],
                links.then(|| Pattern::known(".")).or_else(|| self.scope.patterns(last).into_iter().next()),
            ),
            (None, Some((last, sources))) => (sources, self.scope.patterns(last).into_iter().next()),
            (None, None) => return,
        };
        let Some(target) = target else { return };
        if target.is_any() {
            self.unknown = true;
        }
        let folder = self.scope.cwds.iter().flatten().any(|cwd| cwd.join(target.text()).is_dir());
        let recursive = name != "cp"
            || command.has_flags(&["r"])
            || command.has_flags(&["a"])
            || command.has_flags(&["T"]);
        let itself = command.has_flags(&["T"]) || (links && command.has_flags(&["n"]));
        self.pattern(
            &target,
            if !itself && (folder || !recursive) { Touch::Write } else { Touch::Tree },
            false,
        );
        for source in sources.iter().copied().chain(operands.iter().copied().filter(|_| sources.is_empty())) {
            for pattern in self.scope.patterns(source) {
                if links {
                    self.pattern(&pattern, Touch::Tree, false);
                }
                // A copy of the program is the program.
                if self.scope.guard(&pattern, Touch::Write, false) == Some(Guard::Program) {
                    self.add(Finding::Deny(program::REPLACED.to_owned()));
                }
                if matches!(pattern.text().rsplit('/').next(), Some("" | "." | ".." | "*"))
                    || pattern.is_any()
                {
                    if recursive || pattern.is_any() {
                        self.pattern(&target, Touch::Into, false);
                    }
                    if recursive && !folder {
                        self.pattern(&target, Touch::Tree, false);
                    }
                }
                self.pattern(
                    &pattern.in_folder(&target),
                    if recursive { Touch::Tree } else { Touch::Write },
                    false,
                );
            }
        }
    }

    fn change_folder(&mut self, command: &Command) {
        let operand =
            command.args.iter().find(|arg| !arg.prefix().starts_with('-') || arg.known() == Some("-"));
        let home = Word::Unknown {
            text: "~".to_owned(),
            prefix: String::new(),
            why: snaphook_shell::Why::Tilde,
            many: false,
        };
        let pattern = self.scope.patterns(operand.unwrap_or(&home)).into_iter().next();
        let mut more = Vec::new();
        match pattern.filter(|pattern| !pattern.is_open() && pattern.text() != "-") {
            Some(pattern) => {
                for cwd in &self.scope.cwds {
                    match cwd {
                        Some(cwd) => more.push(Some(cwd.join(pattern.text()))),
                        None if Path::new(pattern.text()).is_absolute() => {
                            more.push(Some(PathBuf::from(pattern.text())))
                        }
                        None => {}
                    }
                }
            }
            None => more.push(None),
        }
        for cwd in more {
            if !self.scope.cwds.contains(&cwd) && self.scope.cwds.len() < 16 {
                self.scope.cwds.push(cwd);
            }
        }
    }

    fn word(&mut self, word: &Word, touch: Touch, removes: bool) {
        for pattern in self.scope.patterns(word) {
            self.pattern(&pattern, touch, removes);
        }
    }

    fn pattern(&mut self, pattern: &Pattern, touch: Touch, removes: bool) {
        if pattern.is_any() {
            self.unknown = true;
        }
        if let Some(guard) = self.scope.guard(pattern, touch, removes) {
            self.add(finding(guard, pattern.text()));
        }
    }

    fn add(&mut self, finding: Finding) {
        self.found = Finding::strictest(self.found.take(), Some(finding));
    }
}

/// The name in lower case; a name that is not known is its source text.
pub(super) fn name_of(command: &Command) -> String {
    let name = command.name.text().to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// `python3.12` is `python`.
pub(super) fn base_name(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

/// Whether the command changes no file, whatever its arguments name. Its redirects are another matter.
fn reads_only(command: &Command, name: &str) -> bool {
    let has = |flag: &str| command.args.iter().any(|arg| arg.known() == Some(flag));
    let starts = |flag: &str| command.args.iter().any(|arg| arg.prefix().starts_with(flag));
    let operands: Vec<&str> =
        command.args.iter().filter_map(Word::known).filter(|arg| !arg.starts_with('-')).collect();
    // A program of that name somewhere else is another one.
    let path = command.path.text();
    if path.contains('/')
        && !PROGRAMS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
    {
        return false;
    }
    match name {
        "git" => {
            let first = operands.first().copied().unwrap_or_default();
            let odd = starts("-c")
                || starts("--exec")
                || starts("--output")
                || starts("-C")
                || starts("--git-dir")
                || starts("--work-tree");
            GIT_READERS.contains(&first) && !odd
        }
        "find" => !["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"].into_iter().any(has),
        "sed" => {
            let script = operands.first().copied().unwrap_or_default();
            let harmless = script.chars().all(|c| !matches!(c, 'w' | 'W' | 'e'));
            !starts("-i")
                && !starts("--in-place")
                && !starts("-n'")
                && !bundled(command, 'i')
                && harmless
                && !starts("-e")
                && !starts("-f")
        }
        "sort" => !starts("-o") && !starts("--o") && !bundled(command, 'o'),
        "uniq" | "xxd" => operands.len() < 2,
        "tree" => !starts("-o"),
        "gh" => !["download", "clone", "checkout", "extension", "alias"].into_iter().any(has),
        "tee" => command.args.is_empty(),
        _ => READERS.contains(&name),
    }
}

fn bundled(command: &Command, letter: char) -> bool {
    let short = |arg: &Word| {
        arg.prefix().starts_with('-') && !arg.prefix().starts_with("--") && arg.prefix().contains(letter)
    };
    command.args.iter().any(short)
}

fn deletes(command: &Command) -> bool {
    command.args.iter().any(|arg| arg.known() == Some("-delete"))
}

enum Target<'a> {
    Word(&'a Word),
    Text(&'a str),
}

/// `-t DIR`, `-tDIR`, `--target-directory=DIR`.
fn target_option(command: &Command) -> Option<Target<'_>> {
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let Some(text) = arg.known() else { continue };
        if text == "-t" || text == "--target-directory" {
            return args.next().map(Target::Word);
        }
        if let Some(folder) = text.strip_prefix("--target-directory=").or_else(|| text.strip_prefix("-t")) {
            return Some(Target::Text(folder));
        }
    }
    None
}

fn has_target(command: &Command) -> bool {
    target_option(command).is_some()
}

/// What follows the letter of an option, or the text itself: `C/etc` is `/etc`.
fn after_option(text: &str) -> &str {
    match text.find(['/', '~']) {
        Some(at) if at <= 2 && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            text.get(at..).unwrap_or(text)
        }
        _ => text,
    }
}

/// The text without quotes and backslashes, in lower case: for what a text inside of a text names.
pub(super) fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    fold(&text)
}

/// Whether a text names what is guarded.
fn mentions(places: &Places, plain: &str) -> bool {
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let folder = |name: &&str| {
        plain.match_indices(*name).any(|(at, _)| plain.get(at + name.len()..).is_some_and(ends))
    };
    REGISTERS.iter().any(|(parts, _)| plain.contains(&parts.join("/")))
        || AGENT_FOLDERS.iter().any(folder)
        || [
            "snaphook/hooks",
            "snaphook/config.toml",
            "snaphook/trust",
            "snaphook/audit",
            ".config/snaphook",
            "state/snaphook",
        ]
        .iter()
        .any(|part| plain.contains(part) && !plain.contains(&format!(".{part}")))
        || places
            .guarded
            .iter()
            .filter(|guarded| guarded.names.len() > 1)
            .any(|guarded| plain.contains(&format!("/{}", guarded.names.join("/"))))
}
