//! What builtins do to the shell's state, as far as the analysis keeps it: only enough to never believe a value that
//! may have changed.

use super::ast::Place;
use super::run::Invocation;
use super::walk::Walker;
use super::{ParseError, Word};

impl Walker<'_> {
    /// After an ordinary command called `name`.
    pub(super) fn builtin_effects(&mut self, name: &str, call: &Invocation) -> Result<(), ParseError> {
        let args = call.fields.get(1..).unwrap_or_default();
        if self.functions.contains(name) {
            self.env.forget_all();
            return Ok(());
        }
        match name {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, args, &call.place)?
            }
            "set" | "shift" => {
                self.env.positional = None;
                let off = |text: &str| {
                    text.contains("braceexpand") || (text.starts_with('+') && text.contains('B'))
                };
                self.env.no_braces |= name == "set" && args.iter().any(|arg| arg.known().is_none_or(off));
            }
            "unset" | "read" | "mapfile" | "readarray" | "getopts" | "let" | "wait" | "printf" => {
                if name == "printf"
                    && !args.first().is_some_and(|arg| arg.prefix().starts_with("-v") || arg.many())
                {
                    return Ok(());
                }
                self.arithmetic = true;
                for arg in args {
                    match arg.known() {
                        Some(text) => {
                            for word in text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()) {
                                self.env.freeze(word);
                            }
                        }
                        None => self.env.forget_all(),
                    }
                }
            }
            "test" | "[" => self.arithmetic = true,
            "hash" | "enable"
                if args.iter().any(|arg| arg.prefix().starts_with('-') || arg.known().is_none()) =>
            {
                // `hash -p /bin/rm ls`, `enable -f x.so`: names stop meaning what they say
                self.dynamic(call, name)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn declare(&mut self, builtin: &str, args: &[Word], place: &Place) -> Result<(), ParseError> {
        // Outside of a function `local` fails and assigns nothing; inside of one nothing is believed anyway.
        let mut plain = !matches!(builtin, "readonly" | "local");
        self.arithmetic = true;
        for arg in args {
            let Some(text) = arg.known() else {
                match arg.prefix().split_once('=') {
                    Some((name, _)) if !arg.many() || !name.is_empty() => {
                        self.assign_declared(name, None, plain)
                    }
                    _ => self.env.forget_all(),
                }
                if let Some((name, _)) = arg.prefix().split_once('=') {
                    self.special_variable(name, arg, place)?;
                }
                continue;
            };
            if text.starts_with(['-', '+']) {
                plain &= text.chars().skip(1).all(|letter| matches!(letter, 'x' | 'g' | 'p'));
                // a reference makes one name stand for another from here on
                if text.contains('n') && builtin != "export" {
                    self.env.distrust();
                }
                continue;
            }
            match text.split_once('=') {
                Some((name, value)) => {
                    let whole = !name.ends_with(['+', ']']);
                    let bare = name.trim_end_matches('+').split('[').next().unwrap_or_default().to_owned();
                    self.assign_declared(&bare, Some(value.to_owned()).filter(|_| whole), plain && whole);
                    self.special_variable(&bare, &Word::Known(value.to_owned()), place)?;
                }
                None if plain && builtin == "export" => {}
                None => self.env.freeze(text),
            }
        }
        Ok(())
    }

    fn assign_declared(&mut self, name: &str, value: Option<String>, plain: bool) {
        if plain { self.env.set(name, value) } else { self.env.freeze(name) }
    }

    /// Variables whose value a shell runs.
    pub(super) fn special_variable(
        &mut self,
        name: &str,
        value: &Word,
        place: &Place,
    ) -> Result<(), ParseError> {
        let runs = match name {
            "PS4" | "PS0" | "PS1" | "PS2" | "BASH_ENV" | "ENV" => {
                value.known().is_none_or(|text| text.contains("$(") || text.contains('`'))
            }
            "PROMPT_COMMAND" | "BASH_ALIASES" | "BASH_CMDS" => true,
            _ => name.starts_with("BASH_FUNC_"),
        };
        if runs {
            let mut via = self.via.clone();
            via.push(name.to_owned());
            self.emit_dynamic(&via, name, place)?;
        }
        Ok(())
    }
}
