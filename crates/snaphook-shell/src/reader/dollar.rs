//! `$` in a word, in double quotes and in here-documents: parameters, command substitutions, arithmetic. Each is an
//! unknown value; commands in it are reported.

use super::list::Until;
use super::word::{Quoting, Value};
use super::{Reader, Res, in_name, starts_name};
use crate::expansion::Variable;
use crate::{Dialect, Site, Why};

/// Bytes that may stand plainly in the operand of `${name-operand}`.
const OPERAND: &[u8] = b"_./:@%+,*?=^[]-";

impl Reader<'_, '_> {
    pub(super) fn dollar(&mut self, value: &mut Value, quoting: Quoting) -> Res<()> {
        let quoted = quoting != Quoting::None;
        let Some(next) = self.at(1) else {
            return self.lone(value);
        };
        if next == b'\\' && self.at(2) == Some(b'\n') {
            return self.stop("a line is joined behind `$`; write it on one line");
        }
        match next {
            _ if starts_name(next) => {
                let from = self.pos + 1;
                self.pos = from;
                while self.peek().is_some_and(in_name) {
                    self.pos += 1;
                }
                let name = self.slice(from, self.pos).to_owned();
                self.no_subscript()?;
                value.expansion(Variable::Name(name), !quoted);
            }
            b'0'..=b'9' => {
                if self.at(2).is_some_and(|byte| byte.is_ascii_digit()) {
                    return self.stop("`$12` is `$1` and a 2 to some shells; write `${12}`");
                }
                self.pos += 2;
                self.no_subscript()?;
                value.expansion(Variable::Other, !quoted);
            }
            b'@' | b'*' | b'?' | b'$' | b'!' | b'-' | b'#' => self.special(next, value, quoted)?,
            b'{' => self.braced(value, quoting)?,
            b'(' if self.at(2) == Some(b'(') => {
                self.arithmetic()?;
                value.expansion(Variable::Number, false);
            }
            b'(' => {
                if quoting == Quoting::Heredoc && self.substitutions > 0 {
                    return self.stop(
                        "a substitution in a here-document within a substitution; quote the delimiter",
                    );
                }
                self.pos += 1;
                self.substitution()?;
                value.expansion(Variable::Other, !quoted);
            }
            b'\'' if quoting == Quoting::None => self.ansi(value)?,
            b' ' | b'\t' | b'\n' => return self.lone(value),
            b'"' if quoting == Quoting::Double => return self.lone(value),
            b'.' | b',' | b';' | b':' | b'/' | b')' | b']' | b'|' | b'<' | b'>' | b'%' | b'\'' | b'\\'
                if quoted =>
            {
                return self.lone(value);
            }
            _ => {
                return self.stop("`$` in front of this differs between shells; write `\\$`, or `${name}`");
            }
        }
        Ok(())
    }

    /// Takes a `$` that stands for itself.
    fn lone(&mut self, value: &mut Value) -> Res<()> {
        value.text.push('$');
        self.pos += 1;
        Ok(())
    }

    /// Refuses what some shells take for the rest of a plain expansion.
    fn no_subscript(&self) -> Res<()> {
        if self.looking_at("\\\n") {
            return self.stop("a line is joined behind a variable; write `${name}`, or write it on one line");
        }
        if self.peek() == Some(b'[') {
            return self.stop(
                "`[` behind a variable is a subscript to some shells; write `${name}` and quote the bracket",
            );
        }
        Ok(())
    }

    fn special(&mut self, which: u8, value: &mut Value, quoted: bool) -> Res<()> {
        let behind = self.at(2);
        let unclear = match which {
            b'#' => behind.is_some_and(|byte| in_name(byte) || b"{(*@#?$!-[".contains(&byte)),
            _ => behind.is_some_and(|byte| b"[({".contains(&byte)),
        };
        if unclear {
            return self.stop("this expansion differs between shells; put `${…}` around the name");
        }
        self.pos += 2;
        self.no_subscript()?;
        match which {
            b'@' | b'*' => value.expansion(Variable::Other, !quoted || which == b'@'),
            // `$!` is empty where there was no job
            b'!' if !quoted => {
                value.expansion(Variable::Number, false);
                value.unknown(Why::Expansion, true);
            }
            b'#' | b'?' | b'$' | b'!' => value.expansion(Variable::Number, false),
            _ => value.expansion(Variable::Other, !quoted),
        }
        Ok(())
    }

    /// Reads `${…}`.
    fn braced(&mut self, value: &mut Value, quoting: Quoting) -> Res<()> {
        let quoted = quoting != Quoting::None;
        self.pos += 2;
        if self.peek() == Some(b'#') {
            self.pos += 1;
            let (_, every) = self.parameter()?;
            if self.peek() != Some(b'}') || every && self.dialect == Dialect::Sh {
                return self.bad();
            }
            self.pos += 1;
            value.expansion(Variable::Number, false);
            return self.behind_brace();
        }
        let (variable, every) = self.parameter()?;
        if self.peek() == Some(b'}') {
            self.pos += 1;
            value.expansion(variable, !quoted || every);
            return self.behind_brace();
        }
        self.operator(quoting)?;
        value.expansion(Variable::Other, !quoted || every);
        self.behind_brace()
    }

    fn behind_brace(&self) -> Res<()> {
        self.no_subscript()
    }

    fn bad<T>(&self) -> Res<T> {
        self.stop("this `${…}` is not read alike by all shells; use a plain `${name}`, or `${name:-word}` without quotes in it")
    }

    /// Reads the name in `${…}`, and says whether it stands for several words.
    fn parameter(&mut self) -> Res<(Variable, bool)> {
        let from = self.pos;
        let Some(first) = self.peek() else { return self.bad() };
        if starts_name(first) {
            while self.peek().is_some_and(in_name) {
                self.pos += 1;
            }
            let name = self.slice(from, self.pos).to_owned();
            if self.peek() != Some(b'[') {
                return Ok((Variable::Name(name), false));
            }
            let inside = self.slice(self.pos + 1, self.end);
            let length = inside.find(']').unwrap_or(0);
            let subscript = inside.get(..length).unwrap_or_default();
            let every = matches!(subscript, "@" | "*");
            let digits = !subscript.is_empty() && subscript.bytes().all(|byte| byte.is_ascii_digit());
            if self.dialect == Dialect::Sh || !every && !digits {
                return self.stop("a subscript is read differently by shells; use `[@]`, `[*]` or a number");
            }
            self.pos += length + 2;
            return Ok((Variable::Other, subscript == "@"));
        }
        if first.is_ascii_digit() {
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.pos += 1;
            }
            return Ok((Variable::Other, false));
        }
        if matches!(first, b'@' | b'*' | b'?' | b'$' | b'-') {
            self.pos += 1;
            return Ok((Variable::Other, first == b'@'));
        }
        self.bad()
    }

    /// Reads the operator and operand of `${name…}`, and the brace.
    fn operator(&mut self, quoting: Quoting) -> Res<()> {
        let both: &[&str] = &[":-", ":+", ":?", "##", "%%", "-", "+", "?", "#", "%"];
        let bash: &[&str] = &["//", "/", ",,", "^^"];
        let found = both.iter().find(|operator| self.looking_at(operator)).copied();
        let found = found.or_else(|| {
            let mut these = bash.iter().filter(|_| self.dialect == Dialect::Bash);
            these.find(|operator| self.looking_at(operator)).copied()
        });
        let Some(operator) = found else {
            return self.range();
        };
        if matches!(operator, ",," | "^^") {
            self.outside("`${name,,}`")?;
        }
        self.pos += operator.len();
        let blanks = quoting != Quoting::None && matches!(operator, ":-" | ":+" | ":?");
        if self.peek() == Some(b'~') {
            self.pos += 1;
        }
        let mut inside = Value::default();
        loop {
            match self.peek() {
                Some(b'}') => {
                    self.pos += 1;
                    return Ok(());
                }
                Some(b'$') => {
                    let behind = self.at(1);
                    let plain = behind.is_some_and(|byte| {
                        in_name(byte) || matches!(byte, b'{' | b'(' | b'?' | b'@' | b'*')
                    });
                    if !plain {
                        return self.bad();
                    }
                    let inner = if quoting == Quoting::None { Quoting::None } else { quoting };
                    self.nested(|reader| reader.dollar(&mut inside, inner))?;
                }
                Some(b' ' | b'\t') if blanks => self.pos += 1,
                Some(b'\\') if self.at(1).is_some_and(|byte| OPERAND.contains(&byte)) => self.pos += 2,
                Some(byte) if byte.is_ascii_alphanumeric() || OPERAND.contains(&byte) => {
                    if quoting != Quoting::None && !operator.starts_with(['#', '%', '/']) {
                        self.note(Site::Double);
                    }
                    self.pos += 1;
                }
                _ => return self.bad(),
            }
        }
    }

    /// Reads `:offset` or `:offset:length` and the brace.
    fn range(&mut self) -> Res<()> {
        if self.dialect == Dialect::Sh {
            return self.bad();
        }
        for part in 0..2 {
            if self.peek() != Some(b':') {
                break;
            }
            self.pos += 1;
            let from = self.pos;
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.pos += 1;
            }
            if self.pos == from {
                return self.bad();
            }
            if part == 0 && self.peek() == Some(b'}') {
                break;
            }
        }
        if self.before() == Some(b'}') || self.peek() != Some(b'}') {
            return self.bad();
        }
        self.pos += 1;
        Ok(())
    }

    /// Reads `$'…'`, whose value is not looked into.
    fn ansi(&mut self, value: &mut Value) -> Res<()> {
        if self.dialect == Dialect::Sh {
            return self.stop("`$'…'` is not for every sh; write plain quotes");
        }
        // bash forgets its quotes there where a `case` stands beside it: `a\tb` becomes two words
        self.outside("`$'…'`")?;
        let inside = self.slice(self.pos + 2, self.end);
        let Some(length) = inside.find('\'') else {
            return self.stop("`$'` has no end; close the quotes");
        };
        let text = inside.get(..length).unwrap_or_default();
        if text.ends_with('\\') {
            return self.stop("`\\'` in `$'…'` ends the quotes in some shells; write `\\x27`");
        }
        if text.contains('\n') {
            return self.stop("`$'…'` goes over a line end; write `\\n`");
        }
        self.pos += 2 + length + 1;
        value.expansion(Variable::Other, false);
        value.quoted = true;
        Ok(())
    }

    /// Reads `(list)` of a substitution.
    pub(super) fn substitution(&mut self) -> Res<()> {
        self.pos += 1;
        self.inside(|reader| {
            if reader.list(Until::Paren)? == 0 {
                return reader.stop("an empty substitution; leave it out");
            }
            if reader.peek() != Some(b')') {
                return reader.unexpected();
            }
            Ok(())
        })?;
        self.pos += 1;
        Ok(())
    }

    /// Runs `read` on the commands of a substitution.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let documented = std::mem::take(&mut self.documented);
        let pending = self.pending.take();
        let one_line = self.one_line;
        self.one_line |= pending.is_some();
        self.substitutions += 1;
        let timed = std::mem::take(&mut self.out.reads_code);
        self.nested(read)?;
        self.out.reads_code = timed;
        self.substitutions -= 1;
        self.documented = documented || self.documented && self.substitutions > 0;
        if self.pending.is_some() {
            return self.stop("a here-document is not complete before the substitution ends; put `)` on a line of its own behind it");
        }
        self.pending = pending;
        self.one_line = one_line;
        Ok(())
    }

    pub(super) fn backquote(&mut self, value: &mut Value, quoting: Quoting) -> Res<()> {
        let quoted = quoting != Quoting::None;
        if quoting == Quoting::Heredoc && self.substitutions > 0 {
            return self.stop("a substitution in a here-document within a substitution; quote the delimiter");
        }
        let start = self.pos + 1;
        let Some(length) = self.slice(start, self.end).find('`') else {
            return self.stop("a backquote has no end; write `$(…)`");
        };
        let inside = self.slice(start, start + length);
        if inside.contains(['\\', '#']) || inside.contains("<<") || quoted && inside.contains('"') {
            return self.stop("this text in backquotes is read differently by shells; write `$(…)`");
        }
        let end = std::mem::replace(&mut self.end, start + length);
        self.pos = start;
        let read = self.inside(|reader| {
            if reader.list(Until::End)? == 0 {
                return reader.stop("an empty substitution; leave it out");
            }
            if reader.pos < reader.end { reader.unexpected() } else { Ok(()) }
        });
        self.end = end;
        read?;
        self.pos = start + length + 1;
        value.expansion(Variable::Other, !quoted);
        Ok(())
    }
}
