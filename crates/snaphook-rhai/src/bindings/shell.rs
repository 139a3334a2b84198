//! `snaphook::shell`: the commands that a shell text would run.
//!
//! A text that cannot be understood is `nil` and the reason in Lua; in Rhai it is an error with that reason: a script that
//! does not catch it denies, one that catches it has the text to answer with.

use std::sync::Arc;

use rhai::{Array, Dynamic, EvalAltResult, Map, Module};
use snaphook_core::quoted_word;
use snaphook_script::shell as fields;
use snaphook_shell::{self as shell, Command, Dialect, Opaque, Redirect, Word};

use crate::bindings::record::{self, Record};
use crate::bindings::{Args, Member, args, define, method};
use crate::natives::limits;
use crate::raise::raise;

pub(crate) const MEMBERS: &[Member] = &[("commands", commands), ("quote", quote)];

fn commands(module: &mut Module, name: &'static str) {
    define(module, name, |text: Dynamic| read(&text, Dialect::default()));
    define(module, name, |text: Dynamic, options: Dynamic| read(&text, dialect(&options)?));
}

const COMMANDS: &str = "snaphook::shell::commands";

fn read(text: &Dynamic, dialect: Dialect) -> Result<Dynamic, Box<EvalAltResult>> {
    let text = args::text(COMMANDS, text)?;
    let list =
        shell::commands_in(&text, dialect).map_err(|error| raise(format!("not understood: {error}")))?;
    let list = list.into_iter().map(|command| Dynamic::from(ShellCommand(Arc::new(command))));
    Ok(Dynamic::from_array(list.collect()))
}

/// Reads `#{ shell: "sh" }`; `()` is no options.
fn dialect(options: &Dynamic) -> Result<Dialect, Box<EvalAltResult>> {
    if options.is_unit() {
        return Ok(Dialect::default());
    }
    let map = options.as_map_ref().map_err(|_| args::wrong(COMMANDS, "a map of options", options))?;
    // `#{ shell: event.shell }` of a call without a command line
    let given = map.iter().filter(|(_, value)| !value.is_unit());
    let pairs = given.map(|(name, value)| {
        (name.as_str(), value.as_immutable_string_ref().ok().map(|text| text.to_string()))
    });
    fields::dialect(COMMANDS, pairs).map_err(raise)
}

/// The word as a shell text that stands for exactly it.
fn quote(module: &mut Module, name: &'static str) {
    define(module, name, |word: Dynamic| {
        let word = args::text("snaphook::shell::quote", &word)?;
        let quoted = quoted_word(&word);
        limits::text("snaphook::shell::quote", quoted.len())?;
        Ok(quoted.into_owned())
    });
}

/// A command as scripts see it.
#[derive(Clone)]
pub(crate) struct ShellCommand(Arc<Command>);

impl Record for ShellCommand {
    const NAME: &'static str = "a shell command";
    const TYPE: &'static str = "shell command";
    const FIELDS: &'static [&'static str] = fields::COMMAND;
    const METHODS: &'static [&'static str] = &[fields::HAS_FLAGS];

    fn field(&self, name: &str) -> Dynamic {
        let command = &*self.0;
        match name {
            "name" => word(&command.name),
            "path" => word(&command.path),
            "args" => command.args.iter().map(word).collect::<Array>().into(),
            "assignments" => {
                let pairs = command.assignments.iter();
                pairs.map(|(name, value)| (name.as_str().into(), word(value))).collect::<Map>().into()
            }
            "redirects" => {
                let redirects = command.redirects.iter().cloned();
                redirects.map(|redirect| Dynamic::from(ShellRedirect(redirect))).collect::<Array>().into()
            }
            "via" => command.via.iter().map(|name| name.as_str().into()).collect::<Array>().into(),
            "dynamic" => command.dynamic.into(),
            "opaque" => {
                command.opaque.clone().map_or(Dynamic::UNIT, |opaque| Dynamic::from(ShellOpaque(opaque)))
            }
            "text" => (&*command.text).into(),
            "line" => position(command.line),
            _ => position(command.column),
        }
    }
}

fn position(number: usize) -> Dynamic {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

/// A redirect as scripts see it.
#[derive(Clone)]
pub(crate) struct ShellRedirect(Redirect);

impl Record for ShellRedirect {
    const NAME: &'static str = "a redirect";
    const TYPE: &'static str = "redirect";
    const FIELDS: &'static [&'static str] = fields::REDIRECT;

    fn field(&self, name: &str) -> Dynamic {
        match name {
            "target" => word(&self.0.target),
            "read" => self.0.read.into(),
            "write" => self.0.write.into(),
            "append" => self.0.append.into(),
            _ => self.0.fd.map_or(Dynamic::UNIT, |fd| i64::from(fd).into()),
        }
    }
}

/// `cmd.opaque` as scripts see it.
#[derive(Clone)]
pub(crate) struct ShellOpaque(Opaque);

impl Record for ShellOpaque {
    const NAME: &'static str = "cmd.opaque";
    const TYPE: &'static str = "opaque";
    const FIELDS: &'static [&'static str] = fields::OPAQUE;

    fn field(&self, name: &str) -> Dynamic {
        match name {
            "kind" => self.0.kind.as_str().into(),
            "language" => self.0.language.map_or(Dynamic::UNIT, Into::into),
            "code" => self.0.code.as_deref().map_or(Dynamic::UNIT, Into::into),
            "file" => self.0.file.as_ref().map_or(Dynamic::UNIT, word),
            _ => self.0.written.into(),
        }
    }
}

/// A word whose value is not known before the command runs. It equals no string.
#[derive(Clone)]
pub(crate) struct UnknownWord(Word);

impl Record for UnknownWord {
    const NAME: &'static str = "an unknown word";
    const TYPE: &'static str = "unknown word";
    const FIELDS: &'static [&'static str] = fields::UNKNOWN;

    fn field(&self, name: &str) -> Dynamic {
        match name {
            "unknown" => true.into(),
            "text" => self.0.text().into(),
            "prefix" => self.0.prefix().into(),
            _ => self.0.many().into(),
        }
    }

    fn missing(&self, name: &str) -> Box<EvalAltResult> {
        raise(unknown(&format!("the word {}", self.0.text()), name))
    }

    fn no_such(name: &str) -> String {
        unknown("the word", name)
    }
}

fn unknown(word: &str, name: &str) -> String {
    format!(
        "{word} is not known before the command runs, so it has no `{name}`; test `type_of(word) == \"string\"` first"
    )
}

/// A known word is a string; another is an object, so that it equals no string.
fn word(word: &Word) -> Dynamic {
    match word.known() {
        Some(text) => text.into(),
        None => Dynamic::from(UnknownWord(word.clone())),
    }
}

/// Registers what a command, a redirect and an unknown word can do.
pub(crate) fn types(library: &mut Module) {
    record::register::<ShellCommand>(library);
    record::register::<ShellRedirect>(library);
    record::register::<ShellOpaque>(library);
    record::register::<UnknownWord>(library);
    // In a message it is recognisable, and nothing that a script would compare with.
    for name in ["to_string", "to_debug"] {
        record::method(name).set_into_module(library, |word: &mut UnknownWord| word.0.to_string());
    }
    // Functions have a fixed number of arguments in Rhai: up to eight flags, or one array of them.
    method::<ShellCommand>(library, "has_flags", 0..=8, has_flags);
}

/// The number of flags that one call may ask for.
const MAX_FLAGS: usize = 64;

fn has_flags(args: &mut Args<'_>) -> Result<Dynamic, Box<EvalAltResult>> {
    let command = args.first().and_then(|this| this.read_lock::<ShellCommand>().map(|this| this.clone()));
    let command = command.ok_or_else(|| raise("this is not a shell command"))?;
    let mut flags: Vec<Dynamic> = args.iter().skip(1).map(|flag| (**flag).clone()).collect();
    if let [one] = flags.as_slice()
        && let Some(several) = args::items(one)
    {
        flags = several;
    }
    if flags.is_empty() {
        return Err(raise("cmd.has_flags needs at least one flag, like cmd.has_flags(\"r\", \"f\")"));
    }
    if flags.len() > MAX_FLAGS {
        return Err(raise(format!("cmd.has_flags takes at most {MAX_FLAGS} flags")));
    }
    let flags: Vec<_> =
        flags.iter().map(|flag| args::text("cmd.has_flags", flag)).collect::<Result<_, _>>()?;
    let flags: Vec<&str> = flags.iter().map(|flag| flag.as_str()).collect();
    Ok(command.0.has_flags(&flags).into())
}

/// A redirect, `cmd.opaque` or an unknown word as a map, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    if let Some(redirect) = value.read_lock::<ShellRedirect>() {
        return Some(record::as_map(&*redirect));
    }
    if let Some(opaque) = value.read_lock::<ShellOpaque>() {
        return Some(record::as_map(&*opaque));
    }
    value.read_lock::<UnknownWord>().map(|word| record::as_map(&*word))
}

/// The message about a method that a value of this type does not have.
pub(crate) fn no_method(this: &str, name: &str) -> Option<String> {
    match this {
        ShellCommand::TYPE if ShellCommand::METHODS.contains(&name) => {
            Some(format!("{name} takes up to 8 flags, or one array of them"))
        }
        ShellCommand::TYPE => Some(ShellCommand::no_such(name)),
        ShellRedirect::TYPE => Some(ShellRedirect::no_such(name)),
        ShellOpaque::TYPE => Some(ShellOpaque::no_such(name)),
        UnknownWord::TYPE => Some(UnknownWord::no_such(name)),
        _ => None,
    }
}
