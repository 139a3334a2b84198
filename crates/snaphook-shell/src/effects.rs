//! What words, assignments and redirects do by being expanded: run substitutions, assign, feed input.

use super::ast::{Assign, Op, Part, RawWord, Redir, RedirOp, Script, Value};
use super::walk::{Stdin, Walker};
use super::{ParseError, Redirect, Word, expand};

type Res<T> = Result<T, ParseError>;

impl Walker<'_> {
    pub(super) fn assign_effects(&mut self, assign: &Assign, script: &Script) -> Res<Word> {
        if let Some(subscript) = &assign.subscript {
            self.arithmetic(subscript, script)?;
        }
        let value = match &assign.value {
            Value::Scalar(word) => {
                self.word_effects(word, script)?;
                expand::single(word, &self.env)
            }
            Value::Array(elements) => {
                for element in elements {
                    self.word_effects(element, script)?;
                    self.arm(&expand::single(element, &self.env));
                }
                Word::unknown("(…)", false)
            }
        };
        self.arm(&value);
        if assign.subscript.is_some() || matches!(assign.value, Value::Array(_)) {
            self.env.freeze(&assign.name);
            return Ok(value);
        }
        Ok(match (value, assign.append) {
            (Word::Known(tail), true) => match self.env.get(&assign.name) {
                Some(head) if head.len() + tail.len() < 64 * 1024 => Word::Known(format!("{head}{tail}")),
                _ => Word::unknown(format!("${{{}}}{tail}", assign.name), false),
            },
            (value, _) => value,
        })
    }

    pub(super) fn redirects(&mut self, redirects: &[Redir], script: &Script) -> Res<Vec<Redirect>> {
        let mut out = Vec::new();
        for redirect in redirects {
            if let Some(name) = &redirect.var {
                self.env.freeze(name);
            }
            let mut push = |target: Word, read, write, append, fd| {
                out.push(Redirect { target, read, write, append, fd });
            };
            match &redirect.op {
                RedirOp::File { target, read, write, append } => {
                    self.word_effects(target, script)?;
                    let fd = redirect.fd.unwrap_or(i32::from(!*read));
                    if fd == 0 && redirect.var.is_none() {
                        self.stdin = Stdin::Unknown;
                    }
                    let fd = Some(fd).filter(|_| redirect.var.is_none());
                    push(self.target(target), *read, *write, *append, fd);
                }
                RedirOp::Both { target, append } => {
                    self.word_effects(target, script)?;
                    push(self.target(target), false, true, *append, Some(1));
                }
                RedirOp::Dup { target, output } => {
                    self.word_effects(target, script)?;
                    if redirect.fd.unwrap_or(i32::from(*output)) == 0 {
                        self.stdin = Stdin::Unknown;
                    }
                    let file = self.target(target);
                    let descriptor = file.known().is_some_and(|text| {
                        text == "-" || text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
                    });
                    if !descriptor {
                        push(file, !*output, *output, false, redirect.fd.or(Some(i32::from(*output))));
                    }
                }
                RedirOp::Here(index) => {
                    let parts = script.docs.get(*index).map_or(&[] as &[Part], |doc| doc.parts.as_slice());
                    self.parts(parts, script)?;
                    self.feed(redirect, expand::quoted(parts, "<<", &self.env));
                }
                RedirOp::HereString(word) => {
                    self.word_effects(word, script)?;
                    let text = match expand::single(word, &self.env) {
                        Word::Known(text) => Word::Known(format!("{text}\n")),
                        other => other,
                    };
                    self.feed(redirect, text);
                }
            }
        }
        Ok(out)
    }

    fn feed(&mut self, redirect: &Redir, text: Word) {
        self.arm(&text);
        if redirect.var.is_none() && redirect.fd.unwrap_or(0) == 0 {
            self.stdin = match text {
                Word::Known(text) => Stdin::Text(text),
                Word::Unknown { .. } => Stdin::Unknown,
            };
        }
    }

    pub(super) fn target(&self, raw: &RawWord) -> Word {
        let mut fields = expand::fields(raw, &self.env);
        match fields.pop() {
            Some(field) if fields.is_empty() => field,
            _ => Word::unknown(&raw.text, false),
        }
    }

    /// Runs what the expansions of a word run.
    pub(super) fn word_effects(&mut self, word: &RawWord, script: &Script) -> Res<()> {
        self.parts(&word.parts, script)
    }

    pub(super) fn parts(&mut self, parts: &[Part], script: &Script) -> Res<()> {
        for part in parts {
            match part {
                Part::Lit(_) | Part::Quoted(_) => {}
                Part::Double(inner) | Part::Pattern(inner) => self.parts(inner, script)?,
                Part::Command(list) | Part::Process(list) => self.subshell(list, script)?,
                Part::Arith(inner) => self.arithmetic(inner, script)?,
                Part::Array(elements) => {
                    for element in elements {
                        self.word_effects(element, script)?;
                        self.arm(&expand::single(element, &self.env));
                    }
                }
                Part::Param(param) => {
                    if let Some(subscript) = &param.subscript {
                        self.arithmetic(subscript, script)?;
                    }
                    // `${!x}` reads the variable that a value names, with a subscript if it names one
                    self.arithmetic |= param.indirect;
                    match &param.op {
                        Op::None | Op::Length => {}
                        Op::Cond { word, kind, .. } => {
                            self.parts(word, script)?;
                            self.arm(&expand::quoted(word, "", &self.env));
                            if *kind == b'=' {
                                self.env.set(&param.name, None);
                            }
                        }
                        Op::Other(word) => {
                            self.parts(word, script)?;
                            // the offsets of `${x:a:b}` are arithmetic
                            self.arithmetic = true;
                            self.forget_names(word);
                        }
                        Op::Prompt => {
                            let place = self.place.clone().unwrap_or_default();
                            self.emit_dynamic(&self.via.clone(), "${…@P}", &place)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Arithmetic: it may assign to whatever it names.
    pub(super) fn arithmetic(&mut self, parts: &[Part], script: &Script) -> Res<()> {
        self.arithmetic = true;
        self.parts(parts, script)?;
        self.arm(&expand::quoted(parts, "", &self.env));
        self.forget_names(parts);
        Ok(())
    }

    pub(super) fn forget_names(&mut self, parts: &[Part]) {
        let mut expands = false;
        let mut assigns = false;
        for part in parts {
            match part {
                Part::Lit(text) | Part::Quoted(text) => {
                    assigns |= text.contains('=') || text.contains("++") || text.contains("--");
                    for name in text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()) {
                        self.env.set(name, None);
                    }
                }
                Part::Double(inner) => self.forget_names(inner),
                _ => expands = true,
            }
        }
        if expands && assigns {
            self.env.forget_all();
        }
    }

    /// Remembers a value like `a[$(cmd)]`, which runs a command when arithmetic reads it.
    pub(super) fn arm(&mut self, word: &Word) {
        if let Some(text) = word.known().or(Some(word.prefix())).filter(|text| text.contains('[')) {
            self.armed |=
                text.split_once('[').is_some_and(|(_, tail)| tail.contains("$(") || tail.contains('`'));
        }
    }
}
