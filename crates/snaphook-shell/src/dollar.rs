//! Expansions inside words: `$x`, `${…}`, `$(…)`, backquotes, arithmetic. Plain text and quotes are `lexer.rs`'s.

use super::ast::{List, Op, Param, Part};
use super::lexer::{Parser, Parts, Res};

impl Parser<'_> {
    /// At `$`.
    pub(super) fn dollar(&mut self, in_double: bool) -> Res<Part> {
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

    /// After `$(`, `<(` or `>(`: a list and its closing parenthesis.
    pub(super) fn substitution(&mut self) -> Res<List> {
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
    pub(super) fn arith_unit(&mut self, out: &mut Parts) -> Res<()> {
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
    pub(super) fn backquoted(&mut self, in_double: bool) -> Res<Part> {
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
}

fn simple_param(name: String) -> Part {
    Part::Param(Box::new(Param { name, indirect: false, subscript: None, op: Op::None }))
}
