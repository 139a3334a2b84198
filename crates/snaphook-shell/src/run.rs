//! What an expanded command line runs: through wrappers, shells and the builtins that run text.

use super::ast::{Kind, Node, Place, RedirOp, Script};
use super::walk::{Stdin, Walker};
use super::wrappers::{self, Options, Then};
use super::{Command, ParseError, Redirect, Word, expand};

/// A command line with everything that belongs to it.
pub(super) struct Invocation {
    pub(super) fields: Vec<Word>,
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) via: Vec<String>,
    pub(super) place: Place,
}

type Res<T> = Result<T, ParseError>;

/// Shells whose language is read as bash's.
const SHELLS: [&str; 12] =
    ["bash", "sh", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "rbash", "rksh", "rzsh", "bash5"];
/// Shells with a language of their own: what they run is not looked into.
const OTHER_SHELLS: [&str; 7] = ["fish", "csh", "tcsh", "nu", "pwsh", "elvish", "xonsh"];

/// Folders whose programs are what they are called.
const SYSTEM: [&str; 7] = [
    "/bin",
    "/usr/bin",
    "/sbin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
];

/// Whether a command by this name is replaced by what it runs.
fn wraps(name: &str, call: &Invocation) -> bool {
    SHELLS.contains(&name) || wrappers::find(name, &call.fields).is_some()
}

impl Walker<'_> {
    pub(super) fn run(&mut self, call: Invocation) -> Res<()> {
        self.budget.enter()?;
        let done = self.run_inner(call);
        self.budget.leave();
        done
    }

    fn run_inner(&mut self, call: Invocation) -> Res<()> {
        let Some(first) = call.fields.first().cloned() else {
            return self.dynamic(&call, "");
        };
        let Word::Known(path) = &first else {
            // `$SUDO rm x`: an expansion that may be empty leaves the rest as the command
            if first.many() && call.fields.len() > 1 {
                let rest = call.fields.get(1..).unwrap_or_default().to_vec();
                self.run(Invocation {
                    fields: rest,
                    assignments: call.assignments.clone(),
                    redirects: call.redirects.clone(),
                    via: call.via.clone(),
                    place: call.place.clone(),
                })?;
            }
            self.ordinary(call, true)?;
            self.env.forget_all();
            return Ok(());
        };
        let name = basename(path).to_owned();
        if self.aliases.contains(&name) {
            self.dynamic(&call, &name)?;
        }
        // `./timeout` is a file of its own, whatever its name
        if path.rsplit_once('/').is_some_and(|(dir, _)| !SYSTEM.contains(&dir)) && wraps(&name, &call) {
            self.ordinary(clone(&call), false)?;
        }
        match name.as_str() {
            "eval" => return self.eval(call),
            "trap" => return self.trap(call),
            "alias" => return self.alias(call),
            "source" | "." => return self.source(call),
            "find" => return self.find(call, &["-exec", "-execdir", "-ok", "-okdir"]),
            "fd" | "fdfind" => return self.find(call, &["-x", "-X", "--exec", "--exec-batch"]),
            "parallel" => return self.parallel(call),
            _ if SHELLS.contains(&name.as_str()) => return self.shell(call, &name),
            _ if OTHER_SHELLS.contains(&name.as_str()) => {
                self.dynamic(&call, &name)?;
                return self.ordinary(call, false);
            }
            _ => {}
        }
        if let Some(wrapper) = wrappers::find(&name, &call.fields) {
            return self.wrapped(call, &name, wrapper);
        }
        self.builtin_effects(&name, &call)?;
        self.ordinary(call, false)
    }

    fn wrapped(&mut self, mut call: Invocation, name: &str, wrapper: &wrappers::Wrapper) -> Res<()> {
        let mut options = wrappers::read(wrapper, call.fields.get(1..).unwrap_or_default());
        let outer = call.via.clone();
        call.via.push(name.to_owned());
        if options.unclear {
            self.dynamic(&call, name)?;
        }
        for (variable, value) in &options.assignments {
            self.special_variable(variable, value, &call.place)?;
        }
        call.assignments.append(&mut options.assignments);
        let Options { rest, script, placeholder, inert, shell, .. } = options;
        if inert {
            call.via = outer;
            return self.ordinary(call, false);
        }
        if let Some(script) = script {
            return match wrapper.then {
                // `env -S`: more words, split by rules of its own
                Then::Command if name == "env" => match wrappers::env_split(&script) {
                    Some(words) => {
                        call.fields = words.into_iter().chain(rest).collect();
                        self.run(call)
                    }
                    None => self.dynamic(&call, name),
                },
                _ => self.text(call, Some(&script), Vec::new(), true),
            };
        }
        match wrapper.then {
            Then::Shell if rest.is_empty() => self.fed_shell(call),
            _ if rest.is_empty() && shell => self.fed_shell(call),
            _ if rest.is_empty() => {
                call.via = outer;
                self.ordinary(call, false)
            }
            Then::Text => {
                let joined = join(&rest);
                self.text(call, Some(&joined), Vec::new(), true)
            }
            Then::Xargs => {
                call.fields =
                    rest.into_iter().map(|word| wrappers::replaced(word, placeholder.as_deref())).collect();
                if placeholder.is_none() {
                    call.fields.push(Word::unknown("‹input›", true));
                }
                // its commands read nothing themselves
                let stdin = std::mem::replace(&mut self.stdin, Stdin::Unknown);
                let done = self.run(call);
                self.stdin = stdin;
                done
            }
            Then::Command | Then::Shell => {
                call.fields = rest;
                self.run(call)
            }
        }
    }

    /// `find … -exec cmd {} ;`: what it starts, and `find` itself, which can delete.
    fn find(&mut self, call: Invocation, openers: &[&str]) -> Res<()> {
        let args = call.fields.get(1..).unwrap_or_default();
        let mut at = 0;
        let mut opened = false;
        while let Some(arg) = args.get(at) {
            at += 1;
            if !openers.iter().any(|opener| arg == opener) {
                let ends = *arg == ";" || *arg == "+";
                if ends && !opened {
                    let mut inner = clone(&call);
                    inner.via.push("find".to_owned());
                    self.dynamic(&inner, "find")?;
                }
                continue;
            }
            opened = true;
            let tail = args.get(at..).unwrap_or_default();
            let end = tail.iter().position(|arg| *arg == ";" || *arg == "+").unwrap_or(tail.len());
            let fields: Vec<Word> = tail
                .get(..end)
                .unwrap_or_default()
                .iter()
                .map(|word| wrappers::replaced(word.clone(), Some("{}")))
                .collect();
            let mut inner = clone(&call);
            inner.via.push(basename(call.fields.first().map_or("find", |word| word.text())).to_owned());
            inner.redirects.clear();
            if fields.is_empty() {
                self.dynamic(&inner, "find")?;
            } else {
                inner.fields = fields;
                self.run(inner)?;
            }
            at += end;
        }
        self.ordinary(call, false)
    }

    /// GNU parallel builds its commands from input by rules of its own.
    fn parallel(&mut self, call: Invocation) -> Res<()> {
        let mut inner = clone(&call);
        inner.via.push("parallel".to_owned());
        self.dynamic(&inner, "parallel")?;
        let args = call.fields.get(1..).unwrap_or_default();
        let plain = args.iter().skip_while(|arg| arg.prefix().starts_with('-'));
        let words: Vec<Word> = plain.take_while(|arg| !arg.text().starts_with(":::")).cloned().collect();
        if !words.is_empty() {
            let words = words.into_iter().map(|word| wrappers::replaced(word, Some("{}"))).collect();
            inner.fields = words;
            inner.fields.push(Word::unknown("‹input›", true));
            self.run(inner)?;
        }
        self.ordinary(call, false)
    }

    pub(super) fn dynamic(&mut self, call: &Invocation, text: &str) -> Res<()> {
        let name = Word::unknown(text, true);
        self.emit(Command {
            path: name.clone(),
            name,
            args: Vec::new(),
            assignments: call.assignments.clone(),
            redirects: call.redirects.clone(),
            via: call.via.clone(),
            dynamic: true,
            opaque: None,
            text: call.place.text.clone(),
            line: call.place.line,
            column: call.place.column,
        })
    }

    pub(super) fn ordinary(&mut self, call: Invocation, dynamic: bool) -> Res<()> {
        let mut fields = call.fields.into_iter();
        let path = fields.next().unwrap_or_else(|| Word::unknown("", true));
        let name = match &path {
            Word::Known(path) => Word::Known(basename(path).to_owned()),
            other => other.clone(),
        };
        self.emit(Command {
            name,
            path,
            args: fields.collect(),
            assignments: call.assignments,
            redirects: call.redirects,
            via: call.via,
            dynamic,
            opaque: None,
            text: call.place.text,
            line: call.place.line,
            column: call.place.column,
        })
    }

    /// What a stage of a pipeline writes, if the text says it all.
    pub(super) fn output(&self, node: &Node, first: bool, script: &Script) -> Stdin {
        let Kind::Simple(simple) = &node.kind else { return Stdin::Unknown };
        if !simple.assigns.is_empty() {
            return Stdin::Unknown;
        }
        let fields: Vec<Word> =
            simple.words.iter().flat_map(|word| expand::fields(word, &self.env)).collect();
        let Some(words) = fields.iter().map(Word::known).collect::<Option<Vec<_>>>() else {
            return Stdin::Unknown;
        };
        if words.first().is_some_and(|name| self.functions.contains(*name) || self.aliases.contains(*name)) {
            return Stdin::Unknown;
        }
        let text = match (words.as_slice(), node.redirects.as_slice()) {
            (["echo", args @ ..], []) => wrappers::echo(args, self.plain_sh),
            (["printf", format, args @ ..], []) => wrappers::printf(format, args),
            (["cat"] | ["cat", "-"], [redirect])
                if first && redirect.fd.unwrap_or(0) == 0 && redirect.var.is_none() =>
            {
                let word = match &redirect.op {
                    RedirOp::Here(index) => {
                        script.docs.get(*index).map(|doc| expand::quoted(&doc.parts, "", &self.env))
                    }
                    RedirOp::HereString(word) => Some(expand::single(word, &self.env)),
                    _ => None,
                };
                word.and_then(|word| word.known().map(|text| format!("{text}\n")))
            }
            _ => None,
        };
        text.map_or(Stdin::Unknown, Stdin::Text)
    }
}

pub(super) fn clone(call: &Invocation) -> Invocation {
    Invocation {
        fields: call.fields.clone(),
        assignments: call.assignments.clone(),
        redirects: call.redirects.clone(),
        via: call.via.clone(),
        place: call.place.clone(),
    }
}

/// Words joined with blanks, as `eval` and `ssh` join them.
pub(super) fn join(words: &[Word]) -> Word {
    let known: Option<Vec<&str>> = words.iter().map(Word::known).collect();
    match known {
        Some(words) => Word::Known(words.join(" ")),
        None => Word::unknown(words.iter().map(Word::text).collect::<Vec<_>>().join(" "), true),
    }
}

/// The last component of a path; the path itself where that is empty.
pub(super) fn basename(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => path,
    }
}
