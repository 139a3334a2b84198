//! `snaphook::fs`: files, as far as they are granted. Also while a script loads.

use rhai::{Dynamic, ImmutableString, Module};
use snaphook_core::{FileOperation, FileReply, FileRequest, FileStat};

use crate::bindings::record::{self, Record};
use crate::bindings::{Member, args, define};
use crate::meter::Foreign;
use crate::raise::{Raised, host};
use crate::vm_context::active;

pub(crate) const MEMBERS: &[Member] = &[
    ("read", read),
    ("exists", exists),
    ("stat", stat),
    ("list", list),
    ("write", write),
    ("append", append),
    ("remove", remove),
    ("make_dir", make_dir),
];

fn read(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        let reply = ask("read", &path, || FileOperation::Read)?;
        Ok(match reply.get() {
            Some(FileReply::Text(text)) => ImmutableString::from(text.as_str()).into(),
            _ => Dynamic::UNIT,
        })
    });
}

fn exists(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        let reply = ask("exists", &path, || FileOperation::Stat)?;
        Ok(matches!(reply.get(), Some(FileReply::Stat(Some(_)))))
    });
}

fn stat(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        let reply = ask("stat", &path, || FileOperation::Stat)?;
        Ok(match reply.get() {
            Some(FileReply::Stat(Some(stat))) => Dynamic::from(Stat(*stat)),
            _ => Dynamic::UNIT,
        })
    });
}

fn list(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        let reply = ask("list", &path, || FileOperation::List)?;
        Ok(match reply.get() {
            Some(FileReply::Names(names)) => {
                Dynamic::from_array(names.iter().map(|name| name.as_str().into()).collect())
            }
            _ => Dynamic::UNIT,
        })
    });
}

fn write(module: &mut Module, name: &'static str) {
    with_text(module, name, FileOperation::Write);
}

fn append(module: &mut Module, name: &'static str) {
    with_text(module, name, FileOperation::Append);
}

fn with_text(module: &mut Module, name: &'static str, operation: fn(String) -> FileOperation) {
    define(module, name, move |path: Dynamic, text: Dynamic| {
        let text = args::text(&format!("snaphook::fs::{name}"), &text)?;
        ask(name, &path, || operation(text.to_string())).map(|_| Dynamic::UNIT)
    });
}

fn remove(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        ask("remove", &path, || FileOperation::Remove).map(|_| Dynamic::UNIT)
    });
}

fn make_dir(module: &mut Module, name: &'static str) {
    define(module, name, |path: Dynamic| {
        ask("make_dir", &path, || FileOperation::MakeDir).map(|_| Dynamic::UNIT)
    });
}

/// Asks the host; the request and the reply are its own, not the script's.
fn ask(
    name: &str,
    path: &Dynamic,
    operation: impl FnOnce() -> FileOperation,
) -> Result<Foreign<FileReply>, Raised> {
    let path = args::path(&format!("snaphook::fs::{name}"), path)?;
    let active = active()?;
    let (vm, call) = (&active.vm, active.run.as_ref().map(|run| &run.call));
    host(|| {
        let request = FileRequest { path: path.to_string(), operation: operation() };
        vm.services.file(&vm.hook, call, request)
    })
    .map(Foreign::new)
}

/// The entry at a path, as scripts see it.
#[derive(Clone)]
pub(crate) struct Stat(FileStat);

impl Record for Stat {
    const NAME: &'static str = "what snaphook::fs::stat gives";
    const TYPE: &'static str = "file_stat";
    const FIELDS: &'static [&'static str] = &["kind", "size", "modified"];

    fn field(&self, name: &str) -> Dynamic {
        match name {
            "kind" => self.0.kind.into(),
            "size" => i64::try_from(self.0.size).unwrap_or(i64::MAX).into(),
            _ => self.0.modified.into(),
        }
    }
}

/// Registers the type.
pub(crate) fn types(library: &mut Module) {
    record::register::<Stat>(library);
}

/// The value as a map, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    value.read_lock::<Stat>().map(|stat| record::as_map(&*stat))
}
