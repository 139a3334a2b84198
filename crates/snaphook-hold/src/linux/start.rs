//! The start of the command: which file it is, and what it gets. Not here: its streams (`streams`).

use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::command::{Command, Failure};
use crate::ffi;
use crate::policy::Policy;

/// The variables that the command gets.
pub(crate) fn variables(policy: &Policy, command: &Command) -> Vec<(OsString, OsString)> {
    let is_kept = |name: &OsString| {
        policy.env.as_ref().is_none_or(|names| names.iter().any(|kept| name == kept.as_str()))
    };
    command.env.iter().filter(|(name, _)| is_kept(name)).cloned().collect()
}

/// Becomes the command. Where a shell would not find it, or not run it, the failure says so.
pub(crate) fn execute(command: &Command, env: &[(OsString, OsString)]) -> Failure {
    let Some(program) = command.words.first().filter(|program| !program.is_empty()) else {
        return Failure::Nothing;
    };
    let not_executable = |error| Failure::NotExecutable { program: program.clone(), error };
    let env = env.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
    let (words, env) = match (texts(command.words.iter().cloned().map(OsString::into_vec)), texts(env)) {
        (Ok(words), Ok(env)) => (words, env),
        (Err(error), _) | (_, Err(error)) => return not_executable(error),
    };
    let files: Vec<PathBuf> = if program.as_bytes().contains(&b'/') {
        vec![program.into()]
    } else {
        command.program_folders.iter().map(|folder| folder.join(program)).collect()
    };
    let mut refused = None;
    for file in files {
        let is_there = || std::fs::symlink_metadata(&file).is_ok();
        let Ok(name) = CString::new(file.as_os_str().as_bytes()) else { continue };
        let error = match ffi::execve(&name, &words, &env) {
            // A script without its first line is the shell's, as for `execvp`.
            error if error.raw_os_error() == Some(libc::ENOEXEC) => by_shell(name, &words, &env),
            error => error,
        };
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => {}
            // A folder that cannot be searched has no program.
            Some(libc::EACCES) if !is_there() => {}
            Some(libc::EACCES) => refused = Some(error),
            _ => return not_executable(error),
        }
    }
    refused.map_or_else(|| Failure::NotFound(program.clone()), not_executable)
}

fn by_shell(file: CString, words: &[CString], env: &[CString]) -> io::Error {
    let rest = words.iter().skip(1).cloned();
    let words: Vec<CString> = [c"sh".to_owned(), file].into_iter().chain(rest).collect();
    ffi::execve(c"/bin/sh", &words, env)
}

fn texts(list: impl Iterator<Item = Vec<u8>>) -> io::Result<Vec<CString>> {
    list.map(|bytes| CString::new(bytes).map_err(io::Error::from)).collect()
}
