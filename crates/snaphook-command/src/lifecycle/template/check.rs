//! What the commands of a text do with the values in it. The reader reads the text with the references, and nothing may
//! run a value: not as a command, not as code of a program, not as a number that a shell evaluates. Not here: the tables
//! of programs (`snaphook-shell`).

use std::collections::BTreeSet;

use snaphook_shell::{
    Command, Dialect, Opaque, OpaqueKind, Risk, Site, Word, commands_in, decides_what_runs,
};

use super::{INTO_SCRIPT, Placeholder, Refused, Variable, replace};

/// Tells the reader that the values come from outside and may be anything, but for the number.
const VALUES: &str = "SNAPHOOK_SESSION=$1\nSNAPHOOK_TASK_ID=$1\nSNAPHOOK_TASK_CONTENT=$1\nSNAPHOOK_ERROR=$1\nSNAPHOOK_ITERATION=1\n";
/// The number of commands in [`VALUES`].
const VALUE_COMMANDS: usize = Variable::ALL.len();

const AS_ARGUMENT: &str = "give it to a script of yours as an argument, or read \"${}\" there";
const OUT_OF_CODE: &str = "leave the value out of the code: what runs it finds the value in the variable {}; in single quotes, \"${}\" for a shell";

/// Judges a command by what the reader lists for it: `marked` is the list with the mark in the placeholders' places.
///
/// # Errors
/// A value may become code, or the reference would change what runs.
pub(super) fn check(
    command: &str,
    found: &[Placeholder],
    mark: &str,
    marked: &[Command],
) -> Result<(), Refused> {
    let quoted = |one: &Placeholder| match one.site {
        Some(Site::Word { .. }) => format!("\"${{{}}}\"", one.variable.env()),
        _ => one.reference(),
    };
    let values: Vec<Placeholder> = found.iter().filter(|one| !one.variable.is_number()).copied().collect();
    let Some(first) = values.first().copied() else { return Ok(()) };
    let judge = Judge { values: &values, first, mark };
    let listed = judge.read(&replace(command, found, quoted).0)?;
    judge.judge(&listed)?;
    judge.is_visible(&listed)?;
    judge.is_as_marked(marked, &listed)?;
    judge.is_not_written(marked, &listed, found.len())?;
    // An empty value is no word, and the word behind it takes its place.
    let Some(whole) = found.iter().find(|one| is_whole(one)) else { return Ok(()) };
    let open = |one: &Placeholder| if is_whole(one) { format!("${mark}") } else { quoted(one) };
    let listed = judge.read(&replace(command, found, open).0);
    listed.and_then(|listed| judge.judge(&listed)).map_err(|_| {
        whole.cannot("here without quotes: it may be empty, and then no word", "put it in double quotes")
    })
}

fn is_whole(one: &Placeholder) -> bool {
    one.site == Some(Site::Word { whole: true })
}

/// A place where a value may become code, and the help.
type Fault = (String, &'static str);

fn fault(place: impl Into<String>, help: &'static str) -> Option<Fault> {
    Some((place.into(), help))
}

fn as_code(shown: &str) -> Option<Fault> {
    fault(format!("where {shown} may run it or take it for code"), OUT_OF_CODE)
}

fn beside(shown: &str) -> Option<Fault> {
    fault(format!("beside {shown}, which may run what it reads"), INTO_SCRIPT)
}

struct Judge<'t> {
    values: &'t [Placeholder],
    first: Placeholder,
    mark: &'t str,
}

impl Judge<'_> {
    /// Returns what the reader lists for a text with references.
    fn read(&self, text: &str) -> Result<Vec<Command>, Refused> {
        match commands_in(&format!("{VALUES}{text}"), Dialect::Sh) {
            Ok(mut listed) => Ok(listed.split_off(VALUE_COMMANDS.min(listed.len()))),
            Err(error) => Err(self.blamed(&[]).unread(&error)),
        }
    }

    fn judge(&self, listed: &[Command]) -> Result<(), Refused> {
        for command in listed {
            if let Some((place, help)) = self.fault(command) {
                return Err(self.blamed(std::slice::from_ref(command)).cannot(&place, help));
            }
        }
        let set: BTreeSet<&str> = listed.iter().flat_map(sets).collect();
        let files = listed.iter().filter_map(|command| command.opaque.as_ref()?.file.as_ref());
        match files.filter(|file| file.known().is_none()).find(|file| may_be_set(file.text(), &set)) {
            Some(file) => {
                let place = format!("beside `{}`, a file whose name this command may set", file.text());
                Err(self.blamed(listed).cannot(&place, INTO_SCRIPT))
            }
            None => Ok(()),
        }
    }

    /// Requires each value in the text of a command that a wrapper runs to be in what is listed of it: one in the
    /// wrapper's own words, as in `env -C VALUE ./run`, decides what the command is.
    fn is_visible(&self, listed: &[Command]) -> Result<(), Refused> {
        let variables = || Variable::ALL.into_iter().filter(|variable| !variable.is_number());
        let count = |text: &str| variables().map(|one| text.matches(one.env()).count()).sum::<usize>();
        for command in listed.iter().filter(|command| !command.is_in_shells()) {
            let same = |other: &&Command| (other.line, other.column) == (command.line, command.column);
            let shown = listed.iter().filter(same).flat_map(words).filter(|word| word.known().is_none());
            if shown.map(|word| count(word.text())).sum::<usize>() < count(&command.text) {
                let place =
                    format!("in the words of `{}`, which decide what it runs", command.via.join("` or `"));
                return Err(self.blamed(std::slice::from_ref(command)).cannot(&place, AS_ARGUMENT));
            }
        }
        Ok(())
    }

    /// Requires the text to run no file that it may write a value into: none that it writes, but for one command which
    /// has all values to itself.
    fn is_not_written(&self, marked: &[Command], listed: &[Command], count: usize) -> Result<(), Refused> {
        let is_written = |command: &Command| command.opaque.as_ref().is_some_and(|opaque| opaque.written);
        let Some(at) = listed.iter().position(is_written) else { return Ok(()) };
        let others = listed.iter().enumerate().filter(|(other, _)| *other != at);
        let apart = others.into_iter().all(|(_, command)| !is_written(command) && !self.is_held(command));
        let marks = words(&marked[at]).map(|word| word.text().matches(self.mark).count());
        if apart && marks.sum::<usize>() == count {
            return Ok(());
        }
        let place = format!("beside {}, which runs a file that this command writes", name(&listed[at]));
        Err(self.blamed(listed).cannot(&place, INTO_SCRIPT))
    }

    /// Returns where in a command a value may become code.
    fn fault(&self, command: &Command) -> Option<Fault> {
        let shown = name(command);
        let via = |how: &str| command.via.iter().any(|via| via == how);
        if command.dynamic && via("arithmetic") {
            return fault(format!("where a shell evaluates {shown} as a number"), INTO_SCRIPT);
        }
        if command.dynamic && via("assignment") {
            return fault(format!("beside {shown}, a variable that decides what programs do"), AS_ARGUMENT);
        }
        if self.holds(&command.name) {
            return fault("in the name of a command", AS_ARGUMENT);
        }
        if self.assigned(command).any(decides_what_runs) {
            return fault("in a variable that decides what programs do", AS_ARGUMENT);
        }
        // To some shells `time` is a program, and the assignment is what it runs.
        if via("time") && self.assigned(command).next().is_some() {
            return fault("in an assignment behind `time`", AS_ARGUMENT);
        }
        if command.dynamic && !command.is_in_home() {
            return match (command.name.known(), self.is_held(command)) {
                (None, true) => fault("behind a command whose name is not written out", "write the name out"),
                (_, true) => as_code(&shown),
                _ => fault(format!("beside {shown}, which runs what its text does not show"), INTO_SCRIPT),
            };
        }
        if let Some(found) = command.opaque.as_ref().and_then(|opaque| self.opaque_fault(command, opaque)) {
            return Some(found);
        }
        if command.runs_input() {
            return beside(&shown);
        }
        // What xargs puts into a command comes from what it reads, and so may be a value.
        let may_hold = |word: &Word| self.holds(word) || via("xargs") && word.known().is_none();
        let args = command.args.iter().enumerate().filter(|(_, word)| may_hold(word));
        match args.filter_map(|(at, _)| command.risk(at)).next()? {
            Risk::Code => as_code(&shown),
            Risk::Program => {
                fault(format!("where {shown} takes the program to run"), "write the program out")
            }
            Risk::Option => fault(format!("where {shown} may take it for an option"), "write `--` before it"),
        }
    }

    /// Returns where a value may become code of a command that does what its words do not show.
    fn opaque_fault(&self, command: &Command, opaque: &Opaque) -> Option<Fault> {
        let shown = name(command);
        let held = self.is_held(command);
        if opaque.file.as_ref().is_some_and(|file| self.holds(file)) {
            return fault("in the name of a file that is run", AS_ARGUMENT);
        }
        if held && command.assignments.iter().any(|(name, _)| decides_what_runs(name)) {
            let help = "set the variable in a command of its own before, with `export`";
            return fault(format!("behind a variable that decides what {shown} runs"), help);
        }
        match opaque.kind {
            OpaqueKind::File => None,
            _ if held => as_code(&shown),
            OpaqueKind::Code if opaque.code.is_none() => beside(&shown),
            _ => None,
        }
    }

    /// Requires the list of the rewritten text to be that of the marked one, with words that nobody knows for those
    /// with the mark.
    fn is_as_marked(&self, marked: &[Command], listed: &[Command]) -> Result<(), Refused> {
        let word = |(marked, listed): (&Word, &Word)| {
            marked == listed || marked.text().contains(self.mark) && listed.known().is_none()
        };
        let same = |(marked, listed): (&Command, &Command)| {
            marked.name == listed.name
                && marked.via == listed.via
                && marked.args.len() == listed.args.len()
                && marked.args.iter().zip(&listed.args).all(word)
        };
        if marked.len() == listed.len() && marked.iter().zip(listed).all(same) {
            return Ok(());
        }
        Err(self.blamed(&[]).cannot("where a reference would change what runs", INTO_SCRIPT))
    }

    /// Returns whether a value may be in a word.
    fn holds(&self, word: &Word) -> bool {
        let named = |one: &Placeholder| word.text().contains(one.variable.env());
        word.known().is_none() && (self.values.iter().any(named) || word.text().contains(self.mark))
    }

    /// Returns whether a value may be in a word of a command.
    fn is_held(&self, command: &Command) -> bool {
        words(command).any(|word| self.holds(word))
    }

    /// The variables that a command gives a value.
    fn assigned<'c>(&'c self, command: &'c Command) -> impl Iterator<Item = &'c str> {
        let exports = ["export", "readonly", "env", "genv", "sudo"].iter().any(|name| command.name == *name);
        let args = command.args.iter().filter(move |word| exports && self.holds(word));
        let args = args.filter_map(|word| Some(word.prefix().split_once('=')?.0));
        let before = command.assignments.iter().filter(|(_, value)| self.holds(value));
        before.map(|(name, _)| name.as_str()).chain(args)
    }

    /// The first value that stands in these commands; the first of all where none does.
    fn blamed(&self, commands: &[Command]) -> Placeholder {
        let named = |one: &&Placeholder| {
            let env = one.variable.env();
            commands.iter().any(|command| command.text.contains(env) || command.name.text().contains(env))
        };
        self.values.iter().find(named).copied().unwrap_or(self.first)
    }
}

/// The variables that a command sets.
fn sets(command: &Command) -> impl Iterator<Item = &str> {
    const SETTING: [&str; 6] = ["export", "readonly", "read", "mapfile", "readarray", "getopts"];
    let builtin = SETTING.iter().any(|name| command.name == *name);
    let args = command.args.iter().filter(move |_| builtin).map(|word| word.prefix());
    let args = args.map(|text| text.split_once('=').map_or(text, |(name, _)| name));
    command.assignments.iter().map(|(name, _)| name.as_str()).chain(args)
}

/// Returns whether the text of a word has one of these variables in it, an argument of the shell or of a function, or
/// what a command prints.
fn may_be_set(text: &str, set: &BTreeSet<&str>) -> bool {
    text.contains(['(', '`'])
        || text.split('$').skip(1).any(|behind| {
            let behind = behind.trim_start_matches('{');
            let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
            let name = behind.get(..end).unwrap_or_default();
            set.contains(name) || !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        })
}

/// The words of a command but for its name.
fn words(command: &Command) -> impl Iterator<Item = &Word> {
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    let assigned = command.assignments.iter().map(|(_, value)| value);
    command.args.iter().chain(targets).chain(assigned)
}

/// The name of a command in a message.
fn name(command: &Command) -> String {
    format!("`{}`", command.name.text().chars().take(40).collect::<String>())
}
