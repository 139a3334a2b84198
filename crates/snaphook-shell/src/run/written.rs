//! Files that a text writes, downloads or makes executable, and the commands that run them. Compared by the last
//! component: a path through another folder or a variable is not followed.

use std::collections::HashSet;

use super::{Call, OpaqueKind, basename, programs, shells};
use crate::{Command, Opaque, Redirect, Word};

/// Files that shells run when they start.
const STARTUP: [&str; 12] = [
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".bashrc",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".kshrc",
    ".mkshrc",
    ".shrc",
    ".bash_logout",
];

/// The names of files that the text makes.
#[derive(Debug, Default)]
pub(crate) struct Written {
    names: HashSet<String>,
    /// The source texts of targets that are not known.
    unknown: HashSet<String>,
}

impl Written {
    fn add(&mut self, word: &Word) {
        match word {
            Word::Known(path) if path.starts_with("/dev/") => {}
            Word::Known(path) => {
                self.names.insert(basename(path.trim_end_matches('/')).to_owned());
            }
            Word::Unknown { text, .. } => {
                let plain: String = text.chars().filter(|c| *c != '"').collect();
                // `"$dir/run.sh"` ends in a name that is certain
                if let Some((_, name)) = plain.rsplit_once('/')
                    && !name.contains(['$', '`', '*', '?', '{'])
                {
                    self.names.insert(name.to_owned());
                }
                self.unknown.insert(plain);
            }
        }
    }

    fn has(&self, word: &Word) -> bool {
        match word {
            Word::Known(path) => self.names.contains(basename(path)),
            Word::Unknown { text, .. } => {
                let plain: String = text.chars().filter(|c| *c != '"').collect();
                self.unknown.contains(&plain)
                    || plain.rsplit_once('/').is_some_and(|(_, name)| self.names.contains(name))
            }
        }
    }

    pub(super) fn by_redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects.iter().filter(|redirect| redirect.write) {
            self.add(&redirect.target);
        }
    }

    /// Notes the files that a command makes by its arguments.
    pub(super) fn by_command(&mut self, call: &Call) {
        let Some(name) = call.words.first().and_then(|item| item.word.known()).map(basename) else { return };
        let args = call.args();
        let plain = || args.iter().map(|item| &item.word).filter(|word| !word.prefix().starts_with('-'));
        match name {
            "tee" | "touch" => plain().for_each(|word| self.add(word)),
            "cp" | "mv" | "ln" | "install" | "rsync" | "scp" => plain().for_each(|word| self.add(word)),
            "chmod" => plain().skip(1).for_each(|word| self.add(word)),
            "curl" | "wget" | "aria2c" | "fetch" => args.iter().for_each(|item| {
                let word = &item.word;
                match word
                    .known()
                    .and_then(|text| text.split_once('='))
                    .filter(|_| word.prefix().starts_with("--"))
                {
                    Some((_, value)) => self.add(&Word::Known(value.to_owned())),
                    None => match word
                        .known()
                        .and_then(|text| text.strip_prefix("-o").or(text.strip_prefix("-O")))
                    {
                        Some(value) if !value.is_empty() => self.add(&Word::Known(value.to_owned())),
                        _ => self.add(word),
                    },
                }
            }),
            "sed" | "gsed"
                if args.iter().any(|item| {
                    item.word.prefix().starts_with("-i") || item.word.prefix().starts_with("--in-place")
                }) =>
            {
                plain().skip(1).for_each(|word| self.add(word));
            }
            // what is compiled of a source that the text makes
            "cc" | "gcc" | "g++" | "c++" | "clang" | "clang++" | "rustc" | "go" | "ghc" | "javac"
            | "nvcc" | "tcc"
                if args.iter().any(|item| self.has(&item.word)) =>
            {
                self.add(&Word::Known("a.out".to_owned()));
                for (at, item) in args.iter().enumerate() {
                    let text = item.word.text();
                    if text == "-o" {
                        args.get(at + 1).into_iter().for_each(|item| self.add(&item.word));
                    } else if let Some((stem, _)) = basename(text).rsplit_once('.') {
                        self.add(&Word::Known(stem.to_owned()));
                    }
                }
            }
            "dd" => {
                for value in args.iter().filter_map(|item| item.word.known()?.strip_prefix("of=")) {
                    self.add(&Word::Known(value.to_owned()));
                }
            }
            _ => {}
        }
    }

    /// Returns the argument that names a file or a module of the text.
    fn argument<'a>(&self, command: &'a Command, python: bool) -> Option<&'a Word> {
        let module = |word: &Word| {
            let last = word.known().and_then(|text| text.rsplit('.').next());
            python && last.is_some_and(|last| self.names.contains(&format!("{last}.py")))
        };
        command.args.iter().find(|word| self.has(word) || module(word))
    }

    /// Marks the commands that run what the text makes.
    pub(crate) fn mark(&self, commands: &mut [Command]) {
        if self.names.is_empty() && self.unknown.is_empty() {
            return;
        }
        for command in commands {
            if let Some(opaque) = &mut command.opaque
                && let Some(file) = &opaque.file
            {
                opaque.written = self.has(file);
                continue;
            }
            if command.opaque.is_some() {
                continue;
            }
            let Some(name) = command.name.known() else { continue };
            let builds = programs::builds(name);
            let starts = || {
                command.via.iter().any(|via| shells::is_shell(via))
                    && STARTUP.iter().any(|file| self.names.contains(*file))
            };
            let file = if self.has(&command.path) && !matches!(name, "" | "[" | "." | "..") {
                Some(command.path.clone())
            } else if programs::is_interpreter(name) || shells::is_shell(name) || !builds.is_empty() {
                let made = || {
                    builds
                        .iter()
                        .find(|file| self.names.contains(**file))
                        .map(|file| Word::Known((*file).to_owned()))
                };
                self.argument(command, name.starts_with("py")).cloned().or_else(made)
            } else {
                None
            };
            let file = file.or_else(|| starts().then(|| Word::unknown("a start-up file", false)));
            if let Some(file) = file {
                let opaque = Opaque {
                    kind: OpaqueKind::File,
                    language: None,
                    code: None,
                    file: Some(file),
                    written: true,
                };
                command.opaque = Some(opaque);
            }
        }
    }
}
