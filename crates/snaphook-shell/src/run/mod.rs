//! What a simple command runs: itself, what it wraps, texts that it hands to a shell, and whether its words tell. This
//! file decides by the table of programs, and the other modules read the words of the programs that they are called after;
//! `variables` knows variables, `written` which files the text makes and runs. Not here: the table (`programs`).

mod builtins;
mod configured;
mod containers;
pub(crate) mod environment;
mod find;
mod git;
mod hidden;
mod interpreters;
mod make;
mod modules;
mod risk;
mod sed;
mod shells;
mod test;
mod variables;
mod wrappers;
pub(crate) mod written;

use super::limits::MAX_DEPTH;
use super::output::{Source, unknowable};
use super::programs::{self, Program, Role, Runs, words};
use super::reader::{self, Inner, Item, Reader, Res, is_name};
use super::{Command, Dialect, Opaque, OpaqueKind, Redirect, Word};

pub use risk::{Risk, decides_what_runs};

/// A simple command with everything that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) words: Vec<Item>,
    pub(crate) assignments: Vec<(String, Item)>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) via: Vec<String>,
    pub(crate) source: Source,
}

/// Folders whose programs are what they are called.
const SYSTEM: &[&str] = words!(
    "/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin /run/current-system/sw/bin"
);

impl Call {
    fn args(&self) -> &[Item] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the call of the words from `at` on, through `wrapper`.
    fn through(mut self, wrapper: &str, at: usize) -> Self {
        self.via.push(wrapper.to_owned());
        self.words.drain(..at.min(self.words.len()));
        self
    }
}

/// Returns whether a name means something to this reader, so that a function or an applet of that name would mislead it.
pub(crate) fn is_read_by_name(name: &str) -> bool {
    programs::find(name).is_some_and(|program| match program.runs {
        Runs::Nothing => false,
        // names that have been left to functions and applets
        Runs::Find | Runs::Sed | Runs::Container | Runs::Test => {
            !matches!(name, "gfind" | "gsed" | "nerdctl" | "oc" | "[[")
        }
        _ => true,
    })
}

/// Reports a simple command.
pub(crate) fn run(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    for (name, value) in &call.assignments {
        variables::assigned(reader, name, Some(value), &call)?;
    }
    reader.out.written.by_redirects(&call.redirects);
    if call.words.is_empty() {
        let assignments = call.assignments.into_iter().map(|(name, value)| (name, value.word)).collect();
        return bare(reader, assignments, call.redirects, call.via, call.source);
    }
    reader.nested(|reader| start(reader, call))
}

/// Reports assignments and redirects without a command.
pub(crate) fn bare(
    reader: &mut Reader<'_, '_>,
    assignments: Vec<(String, Word)>,
    redirects: Vec<Redirect>,
    via: Vec<String>,
    source: Source,
) -> Res<()> {
    assign_with(reader, variables::opaque, assignments, redirects, via, source)
}

/// Reports assignments that a shell, or a command that is not listed itself, gets from those in front of it.
fn given(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let assignments = call.assignments.into_iter().map(|(name, value)| (name, value.word)).collect();
    assign_with(reader, variables::in_front, assignments, call.redirects, call.via, call.source)
}

fn assign_with(
    reader: &mut Reader<'_, '_>,
    judge: fn(&str, &Word) -> Option<Opaque>,
    assignments: Vec<(String, Word)>,
    redirects: Vec<Redirect>,
    via: Vec<String>,
    source: Source,
) -> Res<()> {
    reader.out.written.by_redirects(&redirects);
    let name = Word::Known(String::new());
    let opaque = assignments.iter().find_map(|(name, value)| judge(name, value));
    push(
        reader,
        Command {
            path: name.clone(),
            name,
            args: Vec::new(),
            assignments,
            redirects,
            via,
            dynamic: false,
            opaque,
            text: source.text,
            line: source.line,
            column: source.column,
        },
    )
}

/// Reports what a loop assigns.
pub(crate) fn loop_variable(
    reader: &mut Reader<'_, '_>,
    name: &str,
    values: &[Item],
    source: &Source,
) -> Res<()> {
    let via = reader.via.clone();
    let call = Call {
        words: Vec::new(),
        assignments: Vec::new(),
        redirects: Vec::new(),
        via: via.clone(),
        source: source.clone(),
    };
    let integers = !values.is_empty() && values.iter().all(Item::is_number);
    let value = Item::known("0");
    variables::assigned(reader, name, Some(&value).filter(|_| integers), &call)?;
    let value = match values {
        [one] if one.word.known().is_some() => one.word.clone(),
        _ => Word::unknown("a value of the loop", false),
    };
    bare(reader, vec![(name.to_owned(), value)], Vec::new(), via, source.clone())
}

/// Reports something that runs what the text does not show.
pub(crate) fn dynamic(
    reader: &mut Reader<'_, '_>,
    what: &str,
    how: &str,
    via: &[String],
    source: &Source,
) -> Res<()> {
    push(reader, unknowable(what, how, via, source))
}

fn push(reader: &mut Reader<'_, '_>, command: Command) -> Res<()> {
    if reader.out.push(command) {
        return Ok(());
    }
    refuse(reader, format!("more than {} commands; split the text", super::MAX_COMMANDS))
}

fn refuse<T>(reader: &Reader<'_, '_>, message: impl Into<String>) -> Res<T> {
    reader.refuse(message.into())
}

fn start(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let Some(first) = call.words.first() else { return emit(reader, call, true, None) };
    let Word::Known(path) = &first.word else {
        // `$SUDO rm x`: the rest is the command if the expansion is empty
        if first.word.many() && call.words.get(1).is_some_and(|next| !next.word.prefix().starts_with('-')) {
            let mut rest = call.clone();
            rest.words.remove(0);
            rest.assignments.clear();
            run(reader, rest)?;
        }
        return emit(reader, call, true, None);
    };
    let path = path.clone();
    let mut name = basename(&path).to_owned();
    // some file systems do not tell `BASH` from `bash`
    if programs::find(&name).is_none() {
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        let matters = |program: &Program| program.runs_files() || program.operands_before_command().is_some();
        if programs::find(lower).is_some_and(matters) {
            lower.clone_into(&mut name);
        }
    }
    if let Some((folder, _)) = path.rsplit_once('/') {
        return by_path(reader, call, folder, &name);
    }
    named(reader, call, &name)
}

/// A command that is named by its path.
fn by_path(reader: &mut Reader<'_, '_>, call: Call, folder: &str, name: &str) -> Res<()> {
    let devices =
        ["/proc", "/dev"].iter().any(|device| folder == *device || folder.starts_with(&format!("{device}/")));
    if devices
        || name.is_empty()
        || name == ".."
        || name == "."
        || is_loader(name)
        || folder.contains("..") && folder.starts_with('/')
    {
        return emit(reader, call, true, None);
    }
    let program = programs::find(name);
    if SYSTEM.contains(&folder) {
        if program.is_some_and(Program::is_only_builtin) {
            return emit(reader, call, true, None);
        }
        return named(reader, call, name);
    }
    // a program of the user's own, whatever its name
    let same = name == "find"
        || program.is_some_and(|program| {
            matches!(program.runs, Runs::Shell(_)) || program.operands_before_command().is_some()
        });
    let file = call.words.first().map(|word| word.word.clone());
    let opaque = Opaque { kind: OpaqueKind::File, language: None, code: None, file, written: false };
    if same {
        return emit(reader, call, true, Some(opaque));
    }
    match program {
        Some(program) if program.is_configured() => {
            configured::run(reader, call, name, program, Some(opaque))
        }
        Some(_) => emit(reader, call, false, Some(opaque)),
        None => hidden::run(reader, call, name, Some(opaque)),
    }
}

/// Returns whether a name is that of a dynamic loader, which runs its first argument.
fn is_loader(name: &str) -> bool {
    name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || matches!(name, "ld.so" | "ld64.so.1" | "ld64.so.2" | "ld.so.1")
}

fn named(reader: &mut Reader<'_, '_>, call: Call, name: &str) -> Res<()> {
    if is_loader(name) {
        return emit(reader, call, true, None);
    }
    let Some(program) = programs::find(name) else { return hidden::run(reader, call, name, None) };
    match program.runs {
        Runs::Nothing => emit(reader, call, false, None),
        Runs::Builtin | Runs::Precommand => builtins::run(reader, call, name),
        Runs::Shell(dialect) => shells::run(reader, call, name, dialect),
        Runs::Command(wrapper) => wrappers::run(reader, call, name, wrapper),
        Runs::Unmodelled(_) | Runs::Code(_) | Runs::Configured => {
            configured::run(reader, call, name, program, None)
        }
        Runs::Test => test::run(reader, call, name),
        Runs::Find => find::find(reader, call),
        Runs::Fd => find::fd(reader, call),
        Runs::Git => git::run(reader, call),
        Runs::Sed => sed::run(reader, call),
        Runs::Container => containers::run(reader, call, name),
    }
}

/// Adds a command with these words.
fn emit(reader: &mut Reader<'_, '_>, call: Call, dynamic: bool, opaque: Option<Opaque>) -> Res<()> {
    reader.out.written.by_command(&call);
    add(reader, call, dynamic, opaque)
}

/// Adds a command whose files have been noted.
fn add(reader: &mut Reader<'_, '_>, call: Call, dynamic: bool, opaque: Option<Opaque>) -> Res<()> {
    // a variable that has the program run more is what matters, whatever code is shown
    let judge = if takes_no_environment(&call) { variables::exported } else { variables::in_front };
    let held = call.assignments.iter().find_map(|(name, value)| judge(name, &value.word));
    let hides = opaque.is_some() && held.as_ref().is_some_and(|held| held.kind == OpaqueKind::Path);
    if hides {
        // where programs are looked up is a mark of its own
        let assignments = call.assignments.iter().map(|(name, value)| (name.clone(), value.word.clone()));
        bare(reader, assignments.collect(), Vec::new(), call.via.clone(), call.source.clone())?;
    }
    let opaque = held.filter(|_| !hides).or(opaque);
    let mut words = call.words.into_iter().map(|item| item.word);
    let path = words.next().unwrap_or_else(|| Word::unknown("", true));
    let name = match &path {
        Word::Known(path) => Word::Known(basename(path).to_owned()),
        unknown => unknown.clone(),
    };
    push(
        reader,
        Command {
            name,
            path,
            args: words.collect(),
            assignments: call.assignments.into_iter().map(|(name, value)| (name, value.word)).collect(),
            redirects: call.redirects,
            via: call.via,
            dynamic,
            opaque,
            text: call.source.text,
            line: call.source.line,
            column: call.source.column,
        },
    )
}

/// Returns whether a command is a builtin that starts nothing: what stands in front of it is for the shell alone.
fn takes_no_environment(call: &Call) -> bool {
    let name = call.words.first().and_then(|item| item.word.known()).unwrap_or_default();
    let starts = matches!(name, "eval" | "source" | "." | "trap" | "command" | "builtin" | "exec");
    !starts
        && programs::find(name).is_some_and(|program| {
            program.is_builtin()
                && (!program.is(Role::AlsoProgram) || program.is(Role::InertBuiltin) || name == "printf")
        })
}

/// Reads a text that a command hands to a shell.
fn text(reader: &mut Reader<'_, '_>, call: &Call, how: &str, text: &str, dialect: Dialect) -> Res<()> {
    if reader.depth >= MAX_DEPTH {
        return refuse(reader, "texts are nested too deeply; split the text");
    }
    if !call.assignments.is_empty() {
        let call = Call { words: Vec::new(), redirects: Vec::new(), ..call.clone() };
        given(reader, call)?;
    }
    let mut via = call.via.clone();
    via.push(how.to_owned());
    let from = Inner { via: &via, source: &call.source, dialect, depth: reader.depth + 1 };
    let read = reader::inner(text, &from, reader.out);
    read.or_else(|stop| refuse(reader, format!("in the text for `{how}`: {}", stop.message)))
}

/// Joins words with blanks, as `eval` does; `None` where one is not known.
fn join(words: &[Item]) -> Option<String> {
    let known: Option<Vec<&str>> = words.iter().map(|item| item.word.known()).collect();
    known.map(|words| words.join(" "))
}

/// The last component of a path; the path itself where that is empty.
pub(crate) fn basename(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => path,
    }
}

/// Makes the mark of code in a language.
fn code(language: &'static str, code: Option<&str>) -> Opaque {
    Opaque {
        kind: OpaqueKind::Code,
        language: Some(language),
        code: code.map(str::to_owned),
        file: None,
        written: false,
    }
}

/// Makes the mark of a file that is run.
fn file(language: Option<&'static str>, file: &Word) -> Opaque {
    Opaque { kind: OpaqueKind::File, language, code: None, file: Some(file.clone()), written: false }
}

/// Makes the mark of a program that an option or a setting names.
fn config(language: Option<&'static str>, code: Option<&str>) -> Opaque {
    Opaque { kind: OpaqueKind::Config, language, code: code.map(str::to_owned), file: None, written: false }
}
