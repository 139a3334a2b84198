//! Redirects: the files that are opened, copies of descriptors, here-strings, and where here-documents begin.

use super::heredoc::Pending;
use super::list::is_reserved;
use super::word::Mode;
use super::{Reader, Res, in_name};
use crate::{Dialect, Redirect};

/// A redirect, read.
pub(super) struct Read {
    /// The file that it opens.
    pub(super) file: Vec<Redirect>,
    /// True if it is `&>`, behind which no word may stand.
    pub(super) both: bool,
    /// True if it leads to or from a process substitution.
    pub(super) process: bool,
}

impl Reader<'_, '_> {
    /// Returns whether a redirect stands at the cursor.
    pub(super) fn is_redirect(&self) -> bool {
        match self.peek() {
            Some(b'<' | b'>') => self.at(1) != Some(b'(') || self.dialect == Dialect::Sh,
            Some(b'&') => self.at(1) == Some(b'>'),
            Some(byte) if byte.is_ascii_digit() => {
                matches!(self.at(1), Some(b'<' | b'>'))
                    || self.at(1) == Some(b'&') && self.at(2) == Some(b'>')
            }
            _ => false,
        }
    }

    /// Reads a redirect.
    pub(super) fn redirect(&mut self) -> Res<Read> {
        let fd = self.peek().filter(u8::is_ascii_digit).map(|digit| i32::from(digit - b'0'));
        self.pos += usize::from(fd.is_some());
        let nothing = Read { file: Vec::new(), both: false, process: false };
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.looking_at(operator)) else {
            return self.unexpected();
        };
        self.pos += operator.len();
        let next = self.peek();
        let clash = match operator {
            // to bash the digit is an argument, to zsh a descriptor
            _ if fd.is_some() && operator.starts_with('&') => true,
            "<" => next.is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'(')),
            _ => matches!(next, Some(b'!' | b'&' | b'|' | b'(' | b'<' | b'>')),
        };
        if clash {
            return self.stop(
                "this redirect differs between shells; put a blank behind the operator, or use another",
            );
        }
        match operator {
            "<<" | "<<-" => {
                self.heredoc(operator == "<<-")?;
                return Ok(nothing);
            }
            "<&" | ">&" => {
                let copies = matches!(next, Some(b'0'..=b'9' | b'-')) && self.is_end_of_token(1);
                if !copies {
                    return self.stop("only a descriptor can be copied here, such as `2>&1`; for a file write `> file 2>&1`");
                }
                self.pos += 1;
                if self.is_redirect() {
                    return self.stop("a redirect glued to a descriptor; put a blank before it");
                }
                return Ok(nothing);
            }
            "&>" | "&>>" | "<<<" if self.dialect == Dialect::Sh => {
                return self
                    .stop(format!("`{operator}` is not for every sh; write `> file 2>&1`, or a pipe"));
            }
            _ => {}
        }
        if operator == "&>>" {
            self.outside("`&>>`")?;
        }
        self.blanks()?;
        let start = self.pos;
        let target = self.word(Mode::Argument)?;
        let alike = match self.slice(start, start + 1) {
            "<" => operator == "<",
            ">" => matches!(operator, ">" | ">>" | ">|" | "&>"),
            _ => true,
        };
        if target.process && !alike {
            return self.stop("a process substitution behind this redirect differs between shells; use `< <(…)` or `> >(…)`");
        }
        if operator == "&>" && target.bare && target.word.known().is_some_and(is_reserved) {
            return self.stop("a reserved word behind `&>` differs between shells; quote it");
        }
        if self.slice(start, self.pos).bytes().all(|byte| byte == b'-') {
            return self.stop("`-` as a file closes a descriptor in some shells; write `./-`");
        }
        if operator == "<<<" {
            return Ok(nothing);
        }
        let both = operator.starts_with('&');
        let process = target.process;
        let file = Redirect {
            target: target.word,
            read: operator.starts_with('<'),
            write: operator != "<",
            append: operator.ends_with(">>"),
            fd: fd.or(Some(i32::from(!operator.starts_with('<')))),
        };
        Ok(Read { file: vec![file], both, process })
    }

    /// Reads the delimiter of a here-document.
    fn heredoc(&mut self, strip: bool) -> Res<()> {
        if self.pending.is_some() {
            return self.stop("two here-documents on one line; give each command a line of its own");
        }
        if self.one_line {
            return self.stop("a here-document waits already; write the command on one line");
        }
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        let quote = self.peek().filter(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
        self.pos += usize::from(quote.is_some());
        let from = self.pos;
        while self.peek().is_some_and(|byte| in_name(byte) || matches!(byte, b'.' | b'+' | b'-')) {
            self.pos += 1;
        }
        let delimiter = self.slice(from, self.pos).to_owned();
        if matches!(quote, Some(b'\'' | b'"')) {
            if self.peek() != quote {
                return self.bad_delimiter();
            }
            self.pos += 1;
        }
        if delimiter.is_empty() || !self.is_end_of_token(0) {
            return self.bad_delimiter();
        }
        self.pending = Some(Pending { delimiter, strip, expand: quote.is_none(), command: None });
        Ok(())
    }

    fn bad_delimiter<T>(&self) -> Res<T> {
        self.stop(
            "this delimiter of a here-document is not read alike by all shells; use letters, such as 'EOF'",
        )
    }
}
