//! Programs that a script may run. Each is resolved once, when the script loads; what was found then is what runs. Not here:
//! where programs are looked for (`lookup`), what else a process gets (`env`), and how it runs (`crate::services::exec`).

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use snaphook_core::{ExecGrant, ExecRequest, ServiceError, Severity};

use super::Remark;
use super::asker::{Asker, entry_text};
use super::lookup::{FoundProgram, LookupError, ProgramFolders, is_path};
use crate::services::exec::ExecProgram;

/// The granted programs.
pub(super) struct Programs {
    list: Vec<Program>,
    /// `None` where no program is granted: then nothing is looked up, and nothing runs.
    places: Option<Arc<ProgramFolders>>,
}

struct Program {
    grant: ExecGrant,
    /// The place where it is, or where it was looked for.
    found: Result<FoundProgram, LookupError>,
}

impl Programs {
    /// Looks for each of them. A program that is missing is reported, and calling it is an error.
    pub(super) fn new<'a>(
        granted: &[String],
        places: impl FnOnce() -> &'a Arc<ProgramFolders>,
        remarks: &mut Vec<Remark>,
    ) -> Self {
        if granted.is_empty() {
            return Programs { list: Vec::new(), places: None };
        }
        let places = places();
        let mut list = Vec::new();
        for entry in granted {
            let grant = match ExecGrant::parse(entry) {
                Ok(grant) => grant,
                Err(wrong) => {
                    let entry = entry_text(entry);
                    let text = format!("the grant `exec: [{entry}]` allows nothing: {wrong}");
                    remarks.push((Severity::Warning, text));
                    continue;
                }
            };
            let found = places.find(&grant.program);
            if let Err(why) = &found {
                // Hooks name programs of several systems, of which one is there.
                let text =
                    format!("the granted program {} was not found: {why}", escape_name(&grant.program));
                remarks.push((Severity::Note, text));
            }
            list.push(Program { grant, found });
        }
        Programs { list, places: Some(Arc::clone(places)) }
    }

    /// `PATH` for what runs.
    pub(super) fn path(&self) -> Option<OsString> {
        self.places.as_ref()?.path()
    }

    /// The program that the request may run.
    ///
    /// # Errors
    /// The grant that is missing.
    pub(super) fn allow(&self, asker: &Asker, request: &ExecRequest) -> Result<ExecProgram, ServiceError> {
        let name = request.program.as_str();
        let first = request.args.first().map(String::as_str);
        let mut same = self.named(name);
        let allows = |grant: &ExecGrant| {
            grant.first.is_empty() || first.is_some_and(|first| grant.first.iter().any(|one| one == first))
        };
        let Some(at) = same.iter().position(|program| allows(&program.grant)) else {
            return Err(if same.is_empty() {
                refuse_program(asker, name, first)
            } else {
                refuse_argument(asker, name, first, &same)
            });
        };
        let program = same.swap_remove(at);
        asker.used("exec", &program.grant.to_string());
        Ok(match &program.found {
            Ok(FoundProgram { path, file }) => {
                ExecProgram::Granted { path: path.clone(), file: file.clone() }
            }
            Err(why) => ExecProgram::Missing(why.to_string()),
        })
    }

    /// The grants that are about the program of this name: as the grant names it, or by a path to the same file that ends in
    /// the same name. (One file may be many programs, which look at the name.)
    fn named(&self, name: &str) -> Vec<&Program> {
        let same: Vec<_> = self.list.iter().filter(|program| program.grant.program == name).collect();
        if !same.is_empty() || !is_path(name) {
            return same;
        }
        let Some(file) = self.places.as_ref().and_then(|places| places.file(name)) else { return same };
        let leads_there = |found: &FoundProgram| {
            found.file == file && found.path.file_name() == Path::new(name).file_name()
        };
        self.list.iter().filter(|program| program.found.as_ref().is_ok_and(leads_there)).collect()
    }
}

/// The error for a program that no grant names, with the smallest one that would do.
fn refuse_program(asker: &Asker, name: &str, first: Option<&str>) -> ServiceError {
    let what = format!("the program {}", escape_name(name));
    let names_it = |entry: &str| ExecGrant::parse(entry).is_ok_and(|grant| grant.program == name);
    if escape_name(name) != name || !names_it(name) {
        asker.note("exec", &escape_name(name), true);
        return ServiceError(format!("{what} is not granted; write the plain name or path of a granted one"));
    }
    match first.filter(|first| is_word(first)) {
        Some(first) => {
            let ServiceError(text) = asker.missing(&what, "exec", &format!("{name}:{first}"));
            ServiceError(format!("{text}, or `exec: [{}]` for any arguments", entry_text(name)))
        }
        None => asker.missing(&what, "exec", name),
    }
}

/// The error for a first argument that is not in the list.
fn refuse_argument(asker: &Asker, name: &str, first: Option<&str>, same: &[&Program]) -> ServiceError {
    let called = escape_name(name);
    let program = same.first().map_or(name, |program| program.grant.program.as_str());
    if let Some(first) = first.filter(|first| is_word(first)) {
        return asker.missing(&format!("`{called} {first}`"), "exec", &format!("{program}:{first}"));
    }
    let list: Vec<_> = same.iter().flat_map(|program| &program.grant.first).map(String::as_str).collect();
    let whole = first.map_or_else(|| called.clone(), |first| format!("{called} {}", escape_name(first)));
    asker.note("exec", &format!("{program}:{}", escape_name(first.unwrap_or_default())), true);
    ServiceError(format!(
        "`{whole}` is not granted: the first argument of {called} has to be {}",
        list.join(" or ")
    ))
}

/// Returns whether a first argument looks like the name of a subcommand: something to grant, and not an option or data.
fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.len() <= 32 && text.chars().all(plain)
}

/// A name as messages show it: whatever could be taken for another letter, or for none, as an escape.
fn escape_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ';
    name.chars().map(|c| if plain(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}
