//! What a command line would do to what is guarded: redirects, programs that write, programs that run texts. Not here: words
//! as paths (`path_pattern`), what only reads (`readers`), what is reached from above (`above`), what programs
//! do (`snaphook_shell::programs`), replacing and
//! ending snaphook (`program`, `process`), agents' own command lines (`agents`).

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use snaphook_script::path::fold;
use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Dialect, Word, commands_in};

use crate::guarded_files::{AGENT_FOLDERS, PROMPTS, REGISTERING, STARTS};
use crate::mentions::{may_mean, mentions, names_in_parts, plain};
use crate::options::has_target;
use crate::path_pattern::{Pattern, Scope};
use crate::paths::{Ways, lexical};
use crate::places::{Guard, Places, Touch};
use crate::program::{self, squeezed};
use crate::readers::{is_harmless, reads_only, sets};
use crate::{
    Finding, REGISTERED, above, agents, finding, folders, git, handed, options, parts, patches, told,
};

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
    let homes = [
        "HOME",
        "PWD",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "KIMI_CODE_HOME",
        "VIBE_HOME",
        "PI_CODING_AGENT_DIR",
    ];
    let scope = Scope {
        places,
        ways,
        project,
        cwds: cwds.iter().cloned().map(Some).collect(),
        reassigns: all_sets.iter().any(|(name, _)| homes.contains(&name.as_str())),
        elsewhere: text.contains("CDPATH"),
        overflows: false,
        dots: parts::shows_hidden(text),
        marks: parts::marks(text),
        values: told::values(&all_sets),
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
        line.add(Finding::Ask("this goes to more folders than can be looked at".to_owned()));
    }
    if line.found.is_none()
        && line.unknown
        && (line.mentions() || line.formats(text, &plain) || may_mean(&line.scope, &plain, text, &commands))
    {
        line.found = Some(Finding::Ask(
            "this command line names an agent's hooks or settings, and changes something that cannot be known before it runs"
                .to_owned(),
        ));
    }
    line.found
}

/// The longest argument that is searched for paths inside, in bytes.
const MAX_SPLIT: usize = 16 * 1024;

/// The depth to which texts in texts are looked at.
const MAX_DEPTH: usize = 3;

pub(crate) struct Line<'a> {
    pub(crate) scope: Scope<'a>,
    /// True if the text names what is guarded.
    mentions: OnceCell<bool>,
    /// The text as [`plain`] makes it.
    plain: &'a str,
    /// Variables that the text sets.
    pub(crate) sets: &'a [(String, Word)],
    /// The commands that find something for others.
    finders: Vec<&'a Command>,
    /// True if something changes a file that is not known.
    pub(crate) unknown: bool,
    /// True if something guarded is opened for reading, which a descriptor may then open for writing.
    reads_guarded: bool,
    found: Option<Finding>,
}

impl Line<'_> {
    /// Returns whether the text names what is guarded: for few commands it matters.
    fn mentions(&self) -> bool {
        *self.mentions.get_or_init(|| mentions(self.scope.places, self.plain))
    }

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
            let text = "this runs a text that another program makes, so nobody can tell whether it changes hooks or settings";
            self.add(Finding::Ask(text.to_owned()));
        }
        let changes =
            || commands.iter().any(|command| runs(command) || command.redirects.iter().any(|one| one.write));
        if self.scope.elsewhere && changes() && commands.iter().any(|command| name_of(command) == "cd") {
            self.add(Finding::Ask("`CDPATH` may lead this to a folder that does not stand here".to_owned()));
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
                self.add(Finding::Ask(format!(
                    "this sets `{name}`, which says where snaphook looks for hooks and decisions"
                )));
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

    fn is_guarded(&self, word: &Word) -> bool {
        let patterns = self.scope.patterns(word);
        patterns.iter().any(|pattern| self.scope.guard(pattern, Touch::Write, false).is_some())
    }

    fn redirects(&mut self, command: &Command, name: &str) {
        for redirect in &command.redirects {
            if redirect.write {
                self.word(&redirect.target, Touch::Write, false);
                // In a folder that is not known a file of any name may be guarded.
                self.unknown |= self.scope.cwds.contains(&None) && !redirect.target.prefix().starts_with('/');
                self.earlier(&redirect.target);
            }
            let reads = redirect.read && !redirect.write && self.is_guarded(&redirect.target);
            let known = redirect.fd.is_none_or(|fd| fd == 0);
            if reads && (!known || !reads_only(command, name)) {
                self.add(Finding::Ask(
                    "this opens an agent's hooks or settings on a descriptor, through which they may be written".to_owned(),
                ));
            }
        }
    }

    /// Folders that the shell was in before this text.
    fn earlier(&mut self, word: &Word) {
        let text = word.text();
        let variables = ["$OLDPWD", "${OLDPWD", "$DIRSTACK", "${DIRSTACK"];
        let tilde = text.strip_prefix('~').is_some_and(|rest| {
            let name = rest.split('/').next().unwrap_or_default();
            let digits = name.trim_start_matches(['-', '+']);
            name == "-" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        });
        if word.known().is_none()
            && (tilde || variables.iter().any(|variable| text.trim_start_matches('"').starts_with(variable)))
        {
            self.add(Finding::Ask(
                "this changes something in a folder that the shell was in before".to_owned(),
            ));
        }
    }

    fn command(&mut self, command: &Command, all: &[Command]) {
        let name = name_of(command);
        self.redirects(command, &name);
        if self.scope.places.checks_commits && git::passes_over_hooks(&name, command) {
            let text = "this has git pass over the hooks that run before a commit, which an agent does not do on its own. Let it?";
            self.add(Finding::Ask(text.to_owned()));
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
            let text = "this may have git pass over the hooks that run before a commit, which an agent does not do on its own. Let it?";
            self.add(Finding::Ask(text.to_owned()));
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
            self.add(Finding::Deny(program::REPLACED.to_owned()));
        }
        let reads = reads_only(command, &name);
        if !command.dynamic && reads {
            // What is read here runs here.
            if matches!(name.as_str(), "source" | ".") {
                for word in &command.args {
                    let patterns = self.scope.patterns(word);
                    if patterns
                        .iter()
                        .any(|one| self.scope.guard(one, Touch::Write, false) == Some(Guard::Program))
                    {
                        self.add(Finding::Deny(program::REPLACED.to_owned()));
                    }
                }
            }
            return;
        }
        if !command.args.is_empty() && is(&name, Role::Mounts) {
            self.add(Finding::Ask(format!(
                "`{name}` may lay other files over an agent's hooks or settings, or give them another name"
            )));
        }
        if self.runs_later(command, &name) {
            self.add(Finding::Ask(format!("`{name}` has something run later, where nothing guards")));
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
            self.add(Finding::Ask("this runs something inside a folder of hooks or settings".to_owned()));
        }
        if command.name.known().is_none() || command.dynamic {
            self.unknown = true;
        }
        let runs_text = runs_texts(&name) || told::TEXTS.contains(&&*name);
        // `env -C`, `sudo -D`, `find … -exec`: what the wrapper was told is in the text only.
        if !command.via.is_empty() && mentions(self.scope.places, &plain(&command.text)) {
            let via = command.via.join(" ");
            self.add(Finding::Ask(format!(
                "`{via}` runs `{name}` on what names an agent's hooks or settings"
            )));
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
            self.add(Finding::Ask(format!(
                "`{name}` runs or applies a text that names an agent's hooks or settings"
            )));
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
                    self.add(Finding::Ask(format!(
                        "`{name}` gets a long text that names an agent's hooks or settings"
                    )));
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

    pub(crate) fn word(&mut self, word: &Word, touch: Touch, removes: bool) {
        for pattern in self.scope.patterns(word) {
            self.pattern(&pattern, touch, removes);
        }
    }

    pub(crate) fn pattern(&mut self, pattern: &Pattern, touch: Touch, removes: bool) {
        if pattern.is_any() {
            self.unknown = true;
        }
        if self.is_descriptor(pattern.text()) {
            self.add(Finding::Ask(
                "this writes through a descriptor or another process, which may lead to an agent's hooks or settings".to_owned(),
            ));
        }
        if let Some(guard) = self.scope.guard(pattern, touch, removes) {
            self.add(finding(guard, pattern.text()));
        }
    }

    /// Returns whether a path leads where another path or a redirect of this text does.
    fn is_descriptor(&self, text: &str) -> bool {
        let text = lexical(Path::new(text));
        let text = text.to_string_lossy();
        let number = text.rsplit('/').next().unwrap_or_default();
        let output = matches!(number, "1" | "2" | "stdout" | "stderr");
        if text.starts_with("/dev/fd/")
            || text == "/dev/stdin"
            || text == "/dev/stdout"
            || text == "/dev/stderr"
        {
            return self.reads_guarded || (!output && self.mentions());
        }
        let process = text.strip_prefix("/proc/").and_then(|rest| rest.split_once('/'));
        let Some((_, rest)) = process else { return false };
        let first = rest.split('/').next().unwrap_or_default();
        match first {
            "fd" => !output || self.reads_guarded,
            "root" | "cwd" | "task" | "map_files" | "mem" => true,
            _ => false,
        }
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        self.found = Finding::strictest(self.found.take(), Some(finding));
    }
}

/// The name in lower case; a name that is not known is its source text.
pub(crate) fn name_of(command: &Command) -> String {
    let name = command.name.text().to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// Returns whether a program runs texts of its own. `python3.12` is `python`.
pub(crate) fn runs_texts(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    is(base, Role::RunsTexts)
}
