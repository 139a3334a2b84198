//! Reading below the level of a command: words, quotes, expansions, arithmetic, here-document bodies.
//!
//! `parser.rs` reads commands and calls this; the two recurse into each other through substitutions. A backslash
//! before a newline joins lines wherever bash joins them, between the two characters of an operator too.

use super::ParseError;
use super::ast::{Doc, Part, RawWord};
use super::limits::Budget;

/// A cursor over one text.
pub(super) struct Parser<'a> {
    pub(super) src: &'a str,
    pub(super) pos: usize,
    pub(super) budget: &'a mut Budget,
    /// Bodies read so far, shared with the texts inside this one.
    pub(super) docs: Vec<Doc>,
    /// Here-documents whose bodies start after the next newline.
    pub(super) pending: Vec<Pending>,
    /// Whether extended patterns may be on.
    pub(super) extglob: bool,
    /// The line on which this text starts in the whole text, from 0.
    pub(super) base_line: usize,
    /// The position that was looked up last, so that the next costs no second scan.
    pub(super) mark: Mark,
}

/// A position with its line (from 0, in the whole text) and where that line starts.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) pos: usize,
    pub(super) line: usize,
    pub(super) start: usize,
}

/// Where a reading that may fail began.
pub(super) struct Attempt {
    pos: usize,
    docs: usize,
    depth: u32,
    mark: Mark,
    pending: Vec<Pending>,
}

pub(super) struct Pending {
    pub(super) index: usize,
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
}

/// What a word may hold beyond the ordinary.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordMode {
    Normal,
    /// In `[[ … ]]`, where extended patterns are always on.
    Test,
    /// After `=~`: parentheses and bars belong to the word.
    Regex,
}

pub(super) type Res<T> = Result<T, ParseError>;

impl Parser<'_> {
    pub(super) fn error<T>(&self, message: &str) -> Res<T> {
        let upto = self.src.as_bytes().get(..self.pos).unwrap_or_default();
        let line = upto.iter().filter(|byte| **byte == b'\n').count();
        let column = upto.iter().rev().take_while(|byte| **byte != b'\n').count();
        Err(ParseError { line: self.base_line + line + 1, column: column + 1, message: message.to_owned() })
    }

    pub(super) fn raw(&self, at: usize) -> Option<u8> {
        self.src.as_bytes().get(at).copied()
    }

    /// Where the next character stands, behind joined lines.
    fn skip_joins(&self, mut at: usize) -> usize {
        while self.raw(at) == Some(b'\\') && self.raw(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// The next character, lines joined.
    pub(super) fn cur(&mut self) -> Option<u8> {
        self.pos = self.skip_joins(self.pos);
        self.raw(self.pos)
    }

    /// The character after the next.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let at = self.skip_joins(self.pos);
        self.raw(self.skip_joins(at + 1))
    }

    /// Consumes the next character.
    pub(super) fn bump(&mut self) {
        self.pos = self.skip_joins(self.pos) + 1;
    }

    /// Consumes `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let mut at = self.pos;
        for byte in text.bytes() {
            at = self.skip_joins(at);
            if self.raw(at) != Some(byte) {
                return false;
            }
            at += 1;
        }
        self.pos = at;
        true
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        self.src.get(from..to).unwrap_or_default()
    }

    pub(super) fn word(&mut self, mode: WordMode) -> Res<RawWord> {
        self.cur();
        let from = self.pos;
        let parts = self.word_parts(mode)?;
        self.budget.spend(self.pos - from)?;
        Ok(RawWord { parts, text: self.slice(from, self.pos).to_owned() })
    }

    pub(super) fn word_parts(&mut self, mode: WordMode) -> Res<Vec<Part>> {
        let mut out = Parts::default();
        loop {
            self.budget.spend(0)?;
            let Some(byte) = self.cur() else { break };
            match byte {
                b'(' | b'|' if mode == WordMode::Regex => {
                    self.bump();
                    if byte == b'(' {
                        let inner = self.pattern_group()?;
                        out.part(Part::Pattern(inner));
                    } else {
                        out.text("|");
                    }
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => break,
                b'<' | b'>' => {
                    if self.peek() != Some(b'(') {
                        break;
                    }
                    self.bump();
                    self.bump();
                    let list = self.substitution()?;
                    out.part(Part::Process(list));
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if mode != WordMode::Regex && self.peek() == Some(b'(') => {
                    if mode != WordMode::Test && !self.extglob {
                        return self.error("an extended pattern without extglob");
                    }
                    self.bump();
                    self.bump();
                    let inner = self.pattern_group()?;
                    out.part(Part::Pattern(inner));
                }
                _ => self.unit(&mut out, false)?,
            }
        }
        Ok(out.done())
    }

    /// One quoted, escaped, expanded or plain piece that means the same in words and patterns.
    pub(super) fn unit(&mut self, out: &mut Parts, in_double: bool) -> Res<()> {
        let Some(byte) = self.cur() else { return Ok(()) };
        match byte {
            b'\'' if !in_double => {
                self.pos += 1;
                let text = self.single_quoted()?;
                out.part(Part::Quoted(text));
            }
            b'"' => {
                self.pos += 1;
                let inner = self.double_quoted()?;
                out.part(Part::Double(inner));
            }
            b'\\' => {
                self.pos += 1;
                match self.char_here() {
                    Some(escaped) => {
                        self.pos += escaped.len_utf8();
                        out.part(Part::Quoted(escaped.to_string()));
                    }
                    None => out.part(Part::Quoted("\\".to_owned())),
                }
            }
            b'$' => {
                let part = self.dollar(in_double)?;
                out.part(part);
            }
            b'`' => {
                let part = self.backquoted(in_double)?;
                out.part(part);
            }
            _ => self.plain(out),
        }
        Ok(())
    }

    pub(super) fn char_here(&self) -> Option<char> {
        self.src.get(self.pos..).and_then(|rest| rest.chars().next())
    }

    pub(super) fn plain(&mut self, out: &mut Parts) {
        if let Some(plain) = self.char_here() {
            self.pos += plain.len_utf8();
            out.lit.push(plain);
        }
    }

    /// The inside of `@(…)`, or of a group in a regular expression, up to and with the closing parenthesis.
    fn pattern_group(&mut self) -> Res<Vec<Part>> {
        self.budget.enter()?;
        let mut out = Parts::default();
        loop {
            self.budget.spend(0)?;
            match self.cur() {
                None => return self.error("a pattern is not closed"),
                Some(b')') => {
                    self.bump();
                    break;
                }
                Some(b'(') => {
                    self.bump();
                    let inner = self.pattern_group()?;
                    out.part(Part::Pattern(inner));
                }
                Some(b'<' | b'>') if self.peek() == Some(b'(') => {
                    return self.error("a process substitution inside a pattern");
                }
                Some(_) => self.unit(&mut out, false)?,
            }
        }
        self.budget.leave();
        Ok(out.done())
    }

    /// After `'`. Nothing joins lines here.
    pub(super) fn single_quoted(&mut self) -> Res<String> {
        let from = self.pos;
        match self.slice(from, self.src.len()).find('\'') {
            Some(length) => {
                self.pos = from + length + 1;
                self.budget.spend(length)?;
                Ok(self.slice(from, from + length).to_owned())
            }
            None => self.error("a single quote is not closed"),
        }
    }

    /// After `"`.
    pub(super) fn double_quoted(&mut self) -> Res<Vec<Part>> {
        self.budget.enter()?;
        let mut out = Parts::default();
        loop {
            self.budget.spend(0)?;
            match self.cur() {
                None => return self.error("a double quote is not closed"),
                Some(b'"') => {
                    self.pos += 1;
                    break;
                }
                Some(_) => self.double_unit(&mut out, true)?,
            }
        }
        self.budget.leave();
        Ok(out.quoted())
    }

    /// One piece of text in which only `$`, backquotes and some backslashes are special.
    pub(super) fn double_unit(&mut self, out: &mut Parts, quote_escapes: bool) -> Res<()> {
        match self.cur() {
            Some(b'\\') => {
                self.pos += 1;
                match self.raw(self.pos) {
                    Some(byte @ (b'$' | b'`' | b'\\')) => {
                        self.pos += 1;
                        out.lit.push(char::from(byte));
                    }
                    Some(b'"') if quote_escapes => {
                        self.pos += 1;
                        out.lit.push('"');
                    }
                    _ => out.lit.push('\\'),
                }
            }
            Some(b'$') => {
                let part = self.dollar(true)?;
                out.part(part);
            }
            Some(b'`') => {
                let part = self.backquoted(quote_escapes)?;
                out.part(part);
            }
            _ => self.plain(out),
        }
        Ok(())
    }

    /// An identifier, perhaps over joined lines; empty if none comes next.
    pub(super) fn ident(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.cur() {
            let fits =
                byte == b'_' || byte.is_ascii_alphabetic() || (byte.is_ascii_digit() && !name.is_empty());
            if !fits {
                break;
            }
            name.push(char::from(byte));
            self.pos += 1;
        }
        name
    }

    /// Reads another text with this parser's allowance and bodies.
    pub(super) fn inner<T>(
        &mut self,
        text: &str,
        base_line: usize,
        read: impl FnOnce(&mut Parser<'_>) -> Res<T>,
    ) -> Res<T> {
        self.budget.enter()?;
        self.budget.spend(text.len())?;
        let mut inner = Parser {
            src: text,
            pos: 0,
            budget: &mut *self.budget,
            docs: std::mem::take(&mut self.docs),
            pending: Vec::new(),
            extglob: self.extglob,
            base_line,
            mark: Mark { pos: 0, line: base_line, start: 0 },
        };
        let read = read(&mut inner);
        self.docs = std::mem::take(&mut inner.docs);
        self.budget.leave();
        read
    }

    /// The line of the current position in the whole text, from 0.
    pub(super) fn line(&mut self) -> usize {
        self.locate().0
    }

    /// Line and column of the current position, from 0.
    pub(super) fn locate(&mut self) -> (usize, usize) {
        if self.mark.pos > self.pos {
            self.mark = Mark { pos: 0, line: self.base_line, start: 0 };
        }
        let from = self.mark.pos;
        for (offset, byte) in self.src.as_bytes().get(from..self.pos).unwrap_or_default().iter().enumerate() {
            if *byte == b'\n' {
                self.mark.line += 1;
                self.mark.start = from + offset + 1;
            }
        }
        self.mark.pos = self.pos;
        (self.mark.line, self.pos - self.mark.start)
    }

    /// Begins a reading that may turn out to be the wrong one. The pending here-documents are set aside, because a
    /// failure midway would lose them.
    pub(super) fn attempt(&mut self) -> Attempt {
        self.locate();
        Attempt {
            pos: self.pos,
            docs: self.docs.len(),
            depth: self.budget.depth(),
            mark: self.mark,
            pending: std::mem::take(&mut self.pending),
        }
    }

    pub(super) fn keep(&mut self, attempt: Attempt) {
        self.pending = attempt.pending;
    }

    pub(super) fn undo(&mut self, attempt: Attempt) {
        self.pos = attempt.pos;
        self.docs.truncate(attempt.docs);
        self.budget.set_depth(attempt.depth);
        self.mark = attempt.mark;
        self.pending = attempt.pending;
    }
}

/// Collects the parts of a word.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    pub(super) lit: String,
}

impl Parts {
    pub(super) fn text(&mut self, text: &str) {
        self.lit.push_str(text);
    }

    pub(super) fn part(&mut self, part: Part) {
        if !self.lit.is_empty() {
            self.parts.push(Part::Lit(std::mem::take(&mut self.lit)));
        }
        self.parts.push(part);
    }

    pub(super) fn done(mut self) -> Vec<Part> {
        if !self.lit.is_empty() {
            self.parts.push(Part::Lit(self.lit));
        }
        self.parts
    }

    /// The same with plain text quoted.
    pub(super) fn quoted(self) -> Vec<Part> {
        let quote = |part| match part {
            Part::Lit(text) => Part::Quoted(text),
            other => other,
        };
        self.done().into_iter().map(quote).collect()
    }
}
