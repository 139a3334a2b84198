//! Redirects: their descriptors, operators and targets. Bodies of here-documents are `heredoc.rs`'s.

use super::ast::{RawWord, Redir, RedirOp};
use super::lexer::{Parser, Res, WordMode};

impl Parser<'_> {
    /// A redirect, if one starts here.
    pub(super) fn redirect(&mut self) -> Res<Option<Redir>> {
        let from = self.pos;
        let (mut fd, mut var) = (None, None);
        match self.cur() {
            Some(b'0'..=b'9') => {
                let mut digits = String::new();
                while let Some(digit) = self.cur().filter(u8::is_ascii_digit) {
                    digits.push(char::from(digit));
                    self.pos += 1;
                }
                if !self.at_angle() {
                    self.pos = from;
                    return Ok(None);
                }
                match digits.parse::<i32>() {
                    Ok(number) => fd = Some(number),
                    Err(_) => return self.error("a file descriptor out of range"),
                }
            }
            Some(b'{') => {
                self.bump();
                let name = self.ident();
                if name.is_empty() || !self.eat("}") || !self.at_angle() {
                    self.pos = from;
                    return Ok(None);
                }
                var = Some(name);
            }
            _ => {}
        }
        let op = if fd.is_none() && var.is_none() && self.cur() == Some(b'&') && self.peek() == Some(b'>') {
            self.bump();
            self.bump();
            let append = self.eat(">");
            RedirOp::Both { target: self.target()?, append }
        } else if self.at_angle() {
            self.redirect_op()?
        } else {
            self.pos = from;
            return Ok(None);
        };
        Ok(Some(Redir { fd, var, op }))
    }

    fn at_angle(&mut self) -> bool {
        matches!(self.cur(), Some(b'<' | b'>')) && self.peek() != Some(b'(')
    }

    fn redirect_op(&mut self) -> Res<RedirOp> {
        let file = |parser: &mut Self, read, write, append| {
            Ok(RedirOp::File { target: parser.target()?, read, write, append })
        };
        if self.eat("<<<") {
            return Ok(RedirOp::HereString(self.target()?));
        }
        if self.eat("<<") {
            let strip_tabs = self.eat("-");
            return self.here_document(strip_tabs);
        }
        for (sign, output) in [("<&", false), (">&", true)] {
            if self.eat(sign) {
                return Ok(RedirOp::Dup { target: self.target()?, output });
            }
        }
        for (sign, read, write, append) in [
            ("<>", true, true, true),
            (">>", false, true, true),
            (">|", false, true, false),
            ("<", true, false, false),
        ] {
            if self.eat(sign) {
                return file(self, read, write, append);
            }
        }
        self.eat(">");
        file(self, false, true, false)
    }

    pub(super) fn target(&mut self) -> Res<RawWord> {
        while matches!(self.cur(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        self.some_word(WordMode::Normal)
    }
}
