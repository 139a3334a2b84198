//! Reading below the level of a command: words, quotes, expansions, arithmetic, here-document bodies.
//!
//! `parser.rs` reads commands and calls this; the two recurse into each other through substitutions. A backslash
//! before a newline joins lines wherever bash joins them, between the two characters of an operator too.

use super::ParseError;
use super::ast::{Doc, List, Op, Param, Part, RawWord};
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
    fn unit(&mut self, out: &mut Parts, in_double: bool) -> Res<()> {
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

    fn char_here(&self) -> Option<char> {
        self.src.get(self.pos..).and_then(|rest| rest.chars().next())
    }

    fn plain(&mut self, out: &mut Parts) {
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
    fn single_quoted(&mut self) -> Res<String> {
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
    fn double_quoted(&mut self) -> Res<Vec<Part>> {
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
    fn double_unit(&mut self, out: &mut Parts, quote_escapes: bool) -> Res<()> {
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

    /// At `$`.
    fn dollar(&mut self, in_double: bool) -> Res<Part> {
        self.bump();
        match self.cur() {
            Some(b'(') => {
                self.bump();
                if self.cur() == Some(b'(') {
                    return self.arith_or_command();
                }
                Ok(Part::Command(self.substitution()?))
            }
            Some(b'{') => {
                self.bump();
                self.budget.enter()?;
                let param = self.braced(in_double)?;
                self.budget.leave();
                Ok(Part::Param(Box::new(param)))
            }
            Some(b'[') => {
                self.bump();
                Ok(Part::Arith(self.bracketed()?))
            }
            Some(b'\'') if !in_double => {
                self.pos += 1;
                Ok(Part::Quoted(self.ansi_quoted()?))
            }
            Some(b'"') if !in_double => {
                self.pos += 1;
                Ok(Part::Double(self.double_quoted()?))
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.ident();
                Ok(simple_param(name))
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.bump();
                Ok(simple_param(char::from(byte).to_string()))
            }
            _ => Ok(Part::Quoted("$".to_owned())),
        }
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

    /// After `$(`, `<(` or `>(`: a list and its closing parenthesis.
    fn substitution(&mut self) -> Res<List> {
        // bash reads the bodies of here-documents that began outside only after the substitution.
        let outer = std::mem::take(&mut self.pending);
        let list = self.list()?;
        if !self.eat(")") {
            return self.error("a substitution is not closed");
        }
        if !self.pending.is_empty() {
            return self.error("a here-document has no body inside its substitution");
        }
        self.pending = outer;
        Ok(list)
    }

    /// After `$(`, at the second `(`: arithmetic if the parentheses close together, else a command.
    fn arith_or_command(&mut self) -> Res<Part> {
        let attempt = self.attempt();
        self.bump();
        let (parts, arithmetic) = self.arith()?;
        if arithmetic {
            self.keep(attempt);
            return Ok(Part::Arith(parts));
        }
        let end = self.pos;
        self.undo(attempt);
        let list = self.substitution()?;
        if self.pos != end {
            return self.error("it is unclear where a substitution ends");
        }
        Ok(Part::Command(list))
    }

    /// After `((`: reads to the parenthesis that closes the first one. The flag says that the two closed together,
    /// which is what makes it arithmetic rather than a group in a group.
    pub(super) fn arith(&mut self) -> Res<(Vec<Part>, bool)> {
        self.budget.enter()?;
        let mut out = Parts::default();
        let mut depth = 2u32;
        let mut arithmetic = true;
        loop {
            self.budget.spend(0)?;
            match self.cur() {
                None => return self.error("a parenthesis is not closed"),
                Some(b'(') => {
                    self.bump();
                    depth += 1;
                    out.lit.push('(');
                }
                Some(b')') => {
                    self.bump();
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                    if depth == 1 && self.raw(self.pos) != Some(b')') {
                        arithmetic = false;
                    }
                    if depth > 1 {
                        out.lit.push(')');
                    }
                }
                Some(_) => self.arith_unit(&mut out)?,
            }
        }
        self.budget.leave();
        Ok((out.done(), arithmetic))
    }

    /// A single-quoted stretch of arithmetic and of `"${…}"` ends where the quote ends, but what it holds is expanded
    /// all the same: only a stretch without expansions is certain.
    fn arith_unit(&mut self, out: &mut Parts) -> Res<()> {
        if self.cur() == Some(b'\'') {
            self.pos += 1;
            let text = self.single_quoted()?;
            if text.contains(['$', '`', '"', '\\']) {
                return self.error("single quotes around an expansion in double quotes or arithmetic");
            }
            out.lit.push('\'');
            out.text(&text);
            out.lit.push('\'');
            return Ok(());
        }
        self.unit(out, true)
    }

    /// After `[` of `$[…]` or of a subscript, up to and with the closing bracket.
    pub(super) fn bracketed(&mut self) -> Res<Vec<Part>> {
        self.budget.enter()?;
        let mut out = Parts::default();
        let mut depth = 1u32;
        loop {
            self.budget.spend(0)?;
            match self.cur() {
                None => return self.error("a bracket is not closed"),
                Some(b'[') => {
                    self.bump();
                    depth += 1;
                    out.lit.push('[');
                }
                Some(b']') => {
                    self.bump();
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                    out.lit.push(']');
                }
                Some(_) => self.arith_unit(&mut out)?,
            }
        }
        self.budget.leave();
        Ok(out.done())
    }

    /// After `${`.
    fn braced(&mut self, in_double: bool) -> Res<Param> {
        if matches!(self.cur(), None | Some(b' ' | b'\t' | b'\n' | b'|')) {
            return self.error("a substitution that newer shells run: `${ …; }`");
        }
        let mut param = Param { name: String::new(), indirect: false, subscript: None, op: Op::None };
        let sign = self.cur();
        if matches!(sign, Some(b'!' | b'#'))
            && !matches!(self.peek(), Some(b'}' | b':' | b'=' | b'+' | b'%' | b'/'))
        {
            self.bump();
            match sign {
                Some(b'!') => param.indirect = true,
                _ => param.op = Op::Length,
            }
        }
        param.name = self.ident();
        if param.name.is_empty() {
            match self.cur() {
                Some(byte) if byte.is_ascii_digit() => {
                    while let Some(digit) = self.cur().filter(u8::is_ascii_digit) {
                        param.name.push(char::from(digit));
                        self.pos += 1;
                    }
                }
                Some(byte) if b"@*#?-$!".contains(&byte) => {
                    self.bump();
                    param.name.push(char::from(byte));
                }
                // `${!-…}`, `${#-…}`: the sign was the parameter itself, or bash rejects it
                _ => return self.error("a bad substitution"),
            }
        } else if self.cur() == Some(b'[') {
            self.bump();
            param.subscript = Some(self.bracketed()?);
        }
        if self.eat("}") {
            return Ok(param);
        }
        if self.cur() == Some(b':') && matches!(self.peek(), Some(b'-' | b'=' | b'?' | b'+')) {
            self.bump();
        }
        match self.cur() {
            Some(kind @ (b'-' | b'=' | b'?' | b'+')) => {
                self.bump();
                let word = self.brace_word(in_double)?;
                param.op = Op::Cond { kind, word };
            }
            Some(b'@') if self.peek() == Some(b'P') => {
                self.brace_word(in_double)?;
                param.op = Op::Prompt;
            }
            _ => param.op = Op::Other(self.brace_word(in_double)?),
        }
        Ok(param)
    }

    /// The word of `${x:-word}`, up to and with the closing brace.
    fn brace_word(&mut self, in_double: bool) -> Res<Vec<Part>> {
        let mut out = Parts::default();
        loop {
            self.budget.spend(0)?;
            match self.cur() {
                None => return self.error("a brace is not closed"),
                Some(b'}') => {
                    self.bump();
                    break;
                }
                Some(b'\'') if in_double => self.arith_unit(&mut out)?,
                Some(b'$') if in_double && self.peek() == Some(b'\'') => {
                    return self.error("quotes of unclear meaning inside a substitution");
                }
                Some(b'<' | b'>') if self.peek() == Some(b'(') => {
                    return self.error("a process substitution inside a parameter expansion");
                }
                Some(_) => self.unit(&mut out, in_double)?,
            }
        }
        Ok(out.done())
    }

    /// At a backquote. What stands between is a text of its own, with one level of backslashes removed.
    fn backquoted(&mut self, in_double: bool) -> Res<Part> {
        self.pos += 1;
        let line = self.line();
        let mut text = String::new();
        loop {
            self.budget.spend(0)?;
            let Some(next) = self.char_here() else { return self.error("a backquote is not closed") };
            self.pos += next.len_utf8();
            match next {
                '`' => break,
                '\\' => match self.char_here() {
                    Some('\n') => return self.error("a joined line inside backquotes"),
                    Some(escaped @ ('$' | '`' | '\\')) => {
                        self.pos += 1;
                        text.push(escaped);
                    }
                    Some('"') if in_double => {
                        self.pos += 1;
                        text.push('"');
                    }
                    Some(other) => {
                        self.pos += other.len_utf8();
                        text.push('\\');
                        text.push(other);
                    }
                    None => return self.error("a backquote is not closed"),
                },
                other => text.push(other),
            }
        }
        self.inner(&text, line, |inner| {
            let list = inner.list()?;
            inner.end()?;
            Ok(Part::Command(list))
        })
    }

    /// Reads another text with this parser's allowance and bodies.
    fn inner<T>(
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

    /// Reads the bodies that start at this position: called behind each newline that ends a line of commands.
    pub(super) fn read_bodies(&mut self) -> Res<()> {
        for doc in std::mem::take(&mut self.pending) {
            let line = self.line();
            let mut body = String::new();
            loop {
                if self.pos >= self.src.len() {
                    return self.error("a here-document has no end");
                }
                let mut text = self.body_line(!doc.quoted);
                self.budget.spend(text.len())?;
                if doc.strip_tabs {
                    text = text.trim_start_matches('\t').to_owned();
                }
                if text == doc.delimiter {
                    break;
                }
                body.push_str(&text);
                body.push('\n');
            }
            let parts = if doc.quoted {
                vec![Part::Quoted(body)]
            } else {
                self.inner(&body, line, |inner| {
                    let mut out = Parts::default();
                    while inner.cur().is_some() {
                        inner.budget.spend(0)?;
                        inner.double_unit(&mut out, false)?;
                    }
                    Ok(out.quoted())
                })?
            };
            if let Some(slot) = self.docs.get_mut(doc.index) {
                slot.parts = parts;
            }
        }
        Ok(())
    }

    /// One line of a body without its newline; joined with the next where a backslash ends it.
    fn body_line(&mut self, join: bool) -> String {
        let mut text = String::new();
        while let Some(next) = self.char_here() {
            self.pos += next.len_utf8();
            match next {
                '\n' => break,
                '\\' if join => match self.char_here() {
                    Some('\n') => self.pos += 1,
                    Some(other) => {
                        self.pos += other.len_utf8();
                        text.push('\\');
                        text.push(other);
                    }
                    None => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        text
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

fn simple_param(name: String) -> Part {
    Part::Param(Box::new(Param { name, indirect: false, subscript: None, op: Op::None }))
}

/// Collects the parts of a word.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    lit: String,
}

impl Parts {
    fn text(&mut self, text: &str) {
        self.lit.push_str(text);
    }

    fn part(&mut self, part: Part) {
        if !self.lit.is_empty() {
            self.parts.push(Part::Lit(std::mem::take(&mut self.lit)));
        }
        self.parts.push(part);
    }

    fn done(mut self) -> Vec<Part> {
        if !self.lit.is_empty() {
            self.parts.push(Part::Lit(self.lit));
        }
        self.parts
    }

    /// The same with plain text quoted.
    fn quoted(self) -> Vec<Part> {
        let quote = |part| match part {
            Part::Lit(text) => Part::Quoted(text),
            other => other,
        };
        self.done().into_iter().map(quote).collect()
    }
}
