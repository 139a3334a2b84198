//! Texts that a command line gives to a shell: `bash -c`, input, `eval`, `trap`, `alias`, `source`.

use super::run::{Invocation, clone, join};
use super::walk::{Stdin, Walker};
use super::wrappers;
use super::{ParseError, Word};

type Res<T> = Result<T, ParseError>;

impl Walker<'_> {
    /// A wrapper that starts a shell on its own input.
    pub(super) fn fed_shell(&mut self, call: Invocation) -> Res<()> {
        match self.stdin.clone() {
            Stdin::Text(text) => {
                let text = Word::Known(text);
                self.text(call, Some(&text), Vec::new(), true)
            }
            Stdin::Unknown => self.dynamic(&call, "a shell"),
        }
    }

    /// `bash` and its kin.
    pub(super) fn shell(&mut self, mut call: Invocation, name: &str) -> Res<()> {
        let args = call.fields.get(1..).unwrap_or_default().to_vec();
        let options = wrappers::shell_options(&args);
        let outer = call.via.clone();
        call.via.push(name.to_owned());
        if options.unclear {
            self.dynamic(&call, name)?;
        }
        let rest = options.rest;
        let bash = name == "bash" || name == "rbash";
        if options.command {
            let Some(script) = rest.first().cloned() else {
                call.via = outer;
                return self.ordinary(call, false);
            };
            let mut positional = rest.get(1..).unwrap_or_default().to_vec();
            if positional.is_empty() {
                positional.push(Word::Known(name.to_owned()));
            }
            return self.text(call, Some(&script), positional, !bash);
        }
        let file = rest.first().filter(|_| !options.stdin);
        let input = match file {
            None => true,
            Some(file) => {
                matches!(file.known(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
            }
        };
        if input {
            return match self.stdin.clone() {
                Stdin::Text(text) => {
                    let text = Word::Known(text);
                    self.text(call, Some(&text), Vec::new(), !bash)
                }
                Stdin::Unknown => self.dynamic(&call, name),
            };
        }
        if file.is_some_and(|file| file.known().is_none()) {
            self.dynamic(&call, name)?;
        }
        call.via = outer;
        self.ordinary(call, false)
    }

    /// A text that a new shell runs. Its variables are not this shell's.
    pub(super) fn text(
        &mut self,
        call: Invocation,
        script: Option<&Word>,
        positional: Vec<Word>,
        plain_sh: bool,
    ) -> Res<()> {
        let Some(Word::Known(script)) = script else {
            if !call.redirects.is_empty() || !call.assignments.is_empty() {
                self.bare(&call)?;
            }
            return self.dynamic(&call, "a script");
        };
        if !call.redirects.is_empty() || !call.assignments.is_empty() {
            self.bare(&call)?;
        }
        let mut fresh = super::env::Env::default();
        fresh.no_braces = plain_sh;
        fresh.positional =
            Some(positional).filter(|words| !words.is_empty() && !words.iter().any(Word::many));
        let env = std::mem::replace(&mut self.env, fresh);
        let sh = std::mem::replace(&mut self.plain_sh, plain_sh);
        // quotes that only some shells know: the others see text where bash sees a word
        let odd = if plain_sh && script.contains("$'") { self.dynamic(&call, "$'") } else { Ok(()) };
        let done = odd.and_then(|()| self.nested(&call, script));
        self.env = env;
        self.plain_sh = sh;
        done
    }

    /// Walks a text inside this one under the wrappers of `call`.
    fn nested(&mut self, call: &Invocation, script: &str) -> Res<()> {
        let via = std::mem::replace(&mut self.via, call.via.clone());
        let place = self.place.clone();
        self.place.get_or_insert_with(|| call.place.clone());
        let stdin = std::mem::replace(&mut self.stdin, Stdin::Unknown);
        let done = self.script(script);
        self.stdin = stdin;
        self.place = place;
        self.via = via;
        done
    }

    fn bare(&mut self, call: &Invocation) -> Res<()> {
        let via = std::mem::replace(&mut self.via, call.via.clone());
        let done = self.emit_bare(call.assignments.clone(), call.redirects.clone(), &call.place);
        self.via = via;
        done
    }

    pub(super) fn eval(&mut self, mut call: Invocation) -> Res<()> {
        call.via.push("eval".to_owned());
        for (name, _) in call.assignments.clone() {
            self.env.set(&name, None);
        }
        let args = call.fields.get(1..).unwrap_or_default();
        let args = if args.first().is_some_and(|arg| *arg == "--") {
            args.get(1..).unwrap_or_default()
        } else {
            args
        };
        if !call.redirects.is_empty() || !call.assignments.is_empty() {
            self.bare(&call)?;
        }
        match join(args) {
            Word::Known(script) => self.nested(&call, &script),
            Word::Unknown { .. } => {
                self.env.forget_all();
                self.env.positional = None;
                self.dynamic(&call, "eval")
            }
        }
    }

    pub(super) fn trap(&mut self, mut call: Invocation) -> Res<()> {
        let args = call.fields.get(1..).unwrap_or_default();
        let args = if args.first().is_some_and(|arg| *arg == "--") {
            args.get(1..).unwrap_or_default()
        } else {
            args
        };
        let action = args.first().cloned();
        let many = args.len() > 1;
        match action {
            Some(Word::Known(script)) if many && !script.starts_with('-') => {
                call.via.push("trap".to_owned());
                // it runs at any time from here on
                let freezing = std::mem::replace(&mut self.env.freezing, true);
                let mark = self.env.mark();
                let touched = self.env.ifs_touched;
                self.env.forget_all();
                let done = self.nested(&call, &script);
                self.env.ifs_touched = touched || self.env.ifs_assigned;
                self.env.undo(mark);
                self.env.freezing = freezing;
                done
            }
            Some(Word::Unknown { .. }) => {
                call.via.push("trap".to_owned());
                self.env.distrust();
                self.dynamic(&call, "trap")
            }
            _ => self.ordinary(call, false),
        }
    }

    /// Aliases are off in scripts, but `shopt -s expand_aliases` and POSIX mode turn them on.
    pub(super) fn alias(&mut self, call: Invocation) -> Res<()> {
        for arg in call.fields.get(1..).unwrap_or_default().to_vec() {
            let Some((name, value)) = arg.known().and_then(|arg| arg.split_once('=')) else {
                if arg.known().is_none() {
                    self.dynamic(&call, "alias")?;
                }
                continue;
            };
            self.aliases.insert(name.to_owned());
            let mut inner = Invocation { fields: Vec::new(), ..clone(&call) };
            inner.via.push("alias".to_owned());
            let count = self.out.len();
            let depth = self.budget.depth();
            if self.nested(&inner, value).is_err() {
                self.out.truncate(count);
                self.budget.set_depth(depth);
                self.dynamic(&inner, name)?;
            }
        }
        self.ordinary(call, false)
    }

    pub(super) fn source(&mut self, mut call: Invocation) -> Res<()> {
        let file = call.fields.get(1).cloned();
        self.env.forget_all();
        self.env.positional = None;
        match file {
            Some(Word::Known(file))
                if matches!(file.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") =>
            {
                call.via.push("source".to_owned());
                match self.stdin.clone() {
                    Stdin::Text(text) => self.nested(&call, &text),
                    Stdin::Unknown => self.dynamic(&call, "source"),
                }
            }
            Some(Word::Unknown { text, .. }) if text.contains("<(") => {
                call.via.push("source".to_owned());
                self.dynamic(&call, "source")
            }
            _ => self.ordinary(call, false),
        }
    }
}
