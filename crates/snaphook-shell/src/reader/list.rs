//! The grammar above simple commands: lists, pipelines, groups, loops, branches, functions.

use super::word::Mode;
use super::{Reader, Res, in_name, starts_name};
use crate::Dialect;
use crate::output::Source;
use crate::run;

/// The place where a list ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// At the end of what is read.
    End,
    /// At `)`.
    Paren,
    /// At one of these words.
    Words(&'static [&'static str]),
    /// At `;;` or `esac`.
    Clause,
}

/// Words that shells reserve, and this reader does not take: what they mean differs.
const FOREIGN: &[&str] = &[
    "function",
    "select",
    "coproc",
    "repeat",
    "foreach",
    "end",
    "nocorrect",
    "noglob",
    "namespace",
    "always",
    "float",
    "integer",
    "-",
    "in",
    "nameref",
    "compound",
];
/// Words that end or continue a construct.
const CLOSERS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}", "]]"];

impl Reader<'_, '_> {
    /// Reads a list up to its end, which stays to be read. Returns the number of its commands.
    pub(super) fn list(&mut self, until: Until) -> Res<usize> {
        let mut count = 0;
        loop {
            self.lines()?;
            if self.documented && self.substitutions > 0 && self.peek() != Some(b')') {
                return self.stop(
                    "something behind a here-document in a substitution, which bash reads anew; put it last",
                );
            }
            if self.closes(until) {
                return Ok(count);
            }
            self.and_or()?;
            count += 1;
            self.blanks()?;
            // bash prints a substitution anew, and loses separators behind a here-document in it
            if self.pending.is_some() && self.substitutions > 0 && !matches!(self.peek(), None | Some(b'\n'))
            {
                return self.stop("a here-document in a substitution with another command on its line; end the line behind it");
            }
            match self.peek() {
                None => return Ok(count),
                Some(b'\n') => {}
                Some(b';') => {
                    match self.at(1) {
                        Some(b';') if matches!(until, Until::Clause) => return Ok(count),
                        Some(b';' | b'&' | b'|') => {
                            return self.stop("this operator differs between shells; use `;`, and `;;` at the end of a case");
                        }
                        _ => self.pos += 1,
                    }
                }
                Some(b'&') => match self.at(1) {
                    Some(b'|' | b'!' | b'&' | b'>' | b';') => {
                        return self.stop("this operator differs between shells; put a blank behind `&`");
                    }
                    _ => self.pos += 1,
                },
                Some(b')') if self.closes(until) => return Ok(count),
                _ => return self.unexpected(),
            }
        }
    }

    /// Reads a list with at least one command.
    fn body_of(&mut self, until: Until, what: &str) -> Res<()> {
        if self.list(until)? == 0 {
            return self.stop(format!("an empty {what}; write `:` for nothing"));
        }
        Ok(())
    }

    fn closes(&self, until: Until) -> bool {
        match until {
            Until::End => self.pos >= self.end,
            Until::Paren => self.peek() == Some(b')'),
            Until::Words(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            Until::Clause => self.looking_at(";;") || self.reserved() == Some("esac"),
        }
    }

    /// Returns the plain word at the cursor, if it can be a reserved one.
    fn reserved(&self) -> Option<&str> {
        let rest = self.bytes.get(self.pos..self.end)?;
        let length = rest
            .iter()
            .take(12)
            .take_while(|byte| {
                byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[' | b']' | b'-')
            })
            .count();
        (length > 0 && self.is_end_of_token(length)).then(|| self.slice(self.pos, self.pos + length))
    }

    /// Reads a reserved word behind which a list begins.
    fn opener(&mut self, word: &str) -> Res<()> {
        if self.reserved() != Some(word) {
            return self.stop(format!("`{word}` is expected here"));
        }
        self.pos += word.len();
        match self.peek() {
            Some(b' ' | b'\t' | b'\n') => Ok(()),
            _ => self.stop(format!("put a blank behind `{word}`")),
        }
    }

    /// Reads a reserved word that ends a construct, and the redirects behind it.
    fn closer(&mut self, word: &str) -> Res<()> {
        if self.reserved() != Some(word) {
            return self.stop(format!("`{word}` is expected here"));
        }
        self.pos += word.len();
        self.behind_compound()
    }

    fn and_or(&mut self) -> Res<()> {
        loop {
            self.pipeline()?;
            self.blanks()?;
            if !self.looking_at("&&") && !self.looking_at("||") {
                return Ok(());
            }
            if self.pending.is_some() && self.substitutions > 0 {
                return self.stop("a here-document in a substitution with another command on its line; end the line behind it");
            }
            self.pos += 2;
            if matches!(self.peek(), Some(b'&' | b'|')) {
                return self.unexpected();
            }
            self.lines()?;
        }
    }

    fn pipeline(&mut self) -> Res<()> {
        if self.peek() == Some(b'!') && matches!(self.at(1), Some(b' ' | b'\t')) {
            self.pos += 1;
            self.blanks()?;
            if matches!(self.reserved(), Some("!" | "time")) {
                return self.stop("`!` in front of this word differs between shells; leave one out");
            }
        }
        let timed = self.reserved() == Some("time");
        if timed {
            self.time()?;
        }
        loop {
            self.command(timed)?;
            self.blanks()?;
            if self.peek() != Some(b'|') || self.at(1) == Some(b'|') {
                break;
            }
            self.pos += 1;
            if self.peek() == Some(b'&') {
                if self.dialect == Dialect::Sh {
                    return self.stop("`|&` is not for every sh; write `2>&1 |`");
                }
                self.pos += 1;
            }
            if matches!(self.peek(), Some(b'&' | b'|' | b';')) {
                return self.unexpected();
            }
            self.lines()?;
            if self.reserved() == Some("time") || self.reserved() == Some("!") {
                return self
                    .stop("this word is reserved in some shells only; put it at the start of the pipeline");
            }
        }
        if timed {
            self.via.pop();
        }
        Ok(())
    }

    /// Reads `time [-p]`, which times a pipeline or is a program in front of a command.
    fn time(&mut self) -> Res<()> {
        self.pos += "time".len();
        self.blanks()?;
        if self.looking_at("-p") && matches!(self.at(2), Some(b' ' | b'\t')) {
            self.pos += 2;
            self.blanks()?;
        }
        let plain = self
            .peek()
            .is_some_and(|byte| in_name(byte) || matches!(byte, b'.' | b'/' | b'"' | b'\'' | b'$'));
        if !plain || self.reserved().is_some_and(is_reserved) {
            return self.stop(
                "`time` in front of this differs between shells; write `time` in front of a plain command",
            );
        }
        self.via.push("time".to_owned());
        Ok(())
    }

    fn command(&mut self, timed: bool) -> Res<()> {
        if self.peek() == Some(b'(') {
            return self.nested(Self::subshell);
        }
        match self.reserved() {
            Some("{") => self.nested(|reader| {
                reader.opener("{")?;
                reader.body_of(Until::Words(&["}"]), "group")?;
                reader.closer("}")
            }),
            Some("if") => self.nested(Self::branch),
            Some(word @ ("while" | "until")) => {
                let word = word.to_owned();
                self.nested(|reader| {
                    reader.opener(&word)?;
                    reader.body_of(Until::Words(&["do"]), "condition")?;
                    reader.loop_body()
                })
            }
            Some("for") => self.nested(Self::for_loop),
            Some("case") => self.nested(Self::case),
            Some("[[") => self.condition(),
            Some(word) if CLOSERS.contains(&word) || word == "!" => {
                self.stop(format!("`{word}` is unexpected here; quote it if it is a word"))
            }
            Some(word) if FOREIGN.contains(&word) => self.stop(format!(
                "`{word}` is reserved in some shells only; write it otherwise (a function as `name() {{ …; }}`)"
            )),
            _ => self.simple(timed),
        }
    }

    fn subshell(&mut self) -> Res<()> {
        self.pos += 1;
        if self.peek() == Some(b'(') {
            return self.stop("`((` is arithmetic in some shells and two groups in others; write `[ … ]`, `$((…))`, or a blank between");
        }
        self.body_of(Until::Paren, "group")?;
        if self.peek() != Some(b')') {
            return self.unexpected();
        }
        self.pos += 1;
        self.behind_compound()
    }

    /// Reads the redirects behind a compound command, and refuses words there.
    pub(super) fn behind_compound(&mut self) -> Res<()> {
        let start = self.pos;
        let mut redirects = Vec::new();
        loop {
            self.blanks()?;
            if !self.is_redirect() {
                break;
            }
            let redirect = self.redirect()?;
            redirects.extend(redirect.file);
        }
        if !redirects.is_empty() {
            let source = self.source(start);
            let via = self.via.clone();
            run::bare(self, Vec::new(), redirects, via, source)?;
        }
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') => Ok(()),
            _ => self.stop("a word behind the end of a group; write `;` or a line end between"),
        }
    }

    fn branch(&mut self) -> Res<()> {
        self.opener("if")?;
        loop {
            self.body_of(Until::Words(&["then"]), "condition")?;
            self.opener("then")?;
            self.body_of(Until::Words(&["elif", "else", "fi"]), "branch")?;
            if self.reserved() != Some("elif") {
                break;
            }
            self.opener("elif")?;
        }
        if self.reserved() == Some("else") {
            self.opener("else")?;
            self.body_of(Until::Words(&["fi"]), "branch")?;
        }
        self.closer("fi")
    }

    fn loop_body(&mut self) -> Res<()> {
        self.opener("do")?;
        self.body_of(Until::Words(&["done"]), "loop")?;
        self.closer("done")
    }

    fn for_loop(&mut self) -> Res<()> {
        let start = self.pos;
        self.opener("for")?;
        self.blanks()?;
        let from = self.pos;
        while self.peek().is_some_and(in_name) {
            self.pos += 1;
        }
        let name = self.slice(from, self.pos).to_owned();
        if !name.bytes().next().is_some_and(starts_name) || !self.is_end_of_token(0) {
            return self.stop("`for` takes a plain name and `in`; write the loop that way");
        }
        self.blanks()?;
        let mut values = Vec::new();
        if self.reserved() == Some("in") {
            self.pos += "in".len();
            loop {
                self.blanks()?;
                match self.peek() {
                    Some(b';' | b'\n') => break,
                    None | Some(b'&' | b'|' | b'(' | b')') => return self.unexpected(),
                    _ => values.push(self.word(Mode::Argument)?),
                }
                if values.last().is_some_and(|value| value.process) {
                    return self
                        .stop("`<(…)` in the list of a loop differs between shells; name its file before");
                }
            }
        }
        let source: Source = self.source(start);
        run::loop_variable(self, &name, &values, &source)?;
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
        self.lines()?;
        self.loop_body()
    }

    fn case(&mut self) -> Res<()> {
        self.opener("case")?;
        self.blanks()?;
        if self.is_end_of_token(0) {
            return self.unexpected();
        }
        self.word(Mode::Argument)?;
        self.lines()?;
        self.opener("in")?;
        loop {
            self.lines()?;
            if self.reserved() == Some("esac") {
                return self.closer("esac");
            }
            self.patterns()?;
            self.list(Until::Clause)?;
            if self.looking_at(";;") {
                self.pos += 2;
                if matches!(self.peek(), Some(b'&' | b';' | b'|')) {
                    return self.stop("a case ends its clauses differently in some shells; use `;;`");
                }
            } else if self.reserved() != Some("esac") {
                return self.stop("`;;` or `esac` is expected here");
            }
        }
    }

    /// Reads `(a | b)` in front of a clause.
    fn patterns(&mut self) -> Res<()> {
        if self.peek() == Some(b'(') {
            self.pos += 1;
        } else if self.substitutions > 0 {
            return self.stop(
                "in a substitution some shells need `(` before each pattern of a case; write `(pattern)`",
            );
        }
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t')) {
                self.pos += 1;
            }
            if self.reserved() == Some("esac") || self.is_end_of_token(0) {
                return self.unexpected();
            }
            let start = self.pos;
            self.word(Mode::Pattern)?;
            self.forget(start);
            while matches!(self.peek(), Some(b' ' | b'\t')) {
                self.pos += 1;
            }
            match self.peek() {
                Some(b'|') if self.at(1) != Some(b'|') => self.pos += 1,
                Some(b')') => {
                    self.pos += 1;
                    return Ok(());
                }
                _ => return self.unexpected(),
            }
        }
    }

    /// Reads `() { …; }` behind the name of a function.
    pub(super) fn function(&mut self, name: &str) -> Res<()> {
        if self.substitutions > 0 {
            return self.stop("a function in a substitution; define it before");
        }
        let plain = name.bytes().next().is_some_and(starts_name)
            && name.bytes().all(|byte| in_name(byte) || byte == b'-');
        if !plain || is_reserved(name) || run::is_read_by_name(name) {
            return self.stop(format!("`{name}` cannot be redefined here; give the function another name"));
        }
        self.pos += 2;
        self.lines()?;
        self.nested(|reader| {
            reader.opener("{")?;
            reader.body_of(Until::Words(&["}"]), "function")?;
            reader.closer("}")
        })
    }
}

/// Returns whether some shell reserves this word.
pub(super) fn is_reserved(word: &str) -> bool {
    CLOSERS.contains(&word)
        || FOREIGN.contains(&word)
        || matches!(word, "if" | "for" | "while" | "until" | "case" | "time" | "!" | "{" | "[[")
}
