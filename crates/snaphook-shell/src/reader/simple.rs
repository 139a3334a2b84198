//! Simple commands: assignments, words and redirects in a row.

use super::word::Mode;
use super::{Item, Reader, Res, in_name, starts_name};
use crate::run::{self, Call};
use crate::{Dialect, Word};

/// Builtins whose arguments are read like assignments, subscripts and all.
const DECLARES: [&str; 8] = ["declare", "typeset", "local", "export", "readonly", "eval", "let", "alias"];

impl Reader<'_, '_> {
    pub(super) fn simple(&mut self, timed: bool) -> Res<()> {
        let start = self.pos;
        let mut words: Vec<Item> = Vec::new();
        let mut assignments: Vec<(String, Item)> = Vec::new();
        let mut redirects = Vec::new();
        let (mut both, mut array, mut process, mut declares) = (false, false, false, false);
        let before = self.out.reads_code.take();
        let waiting = self.pending.is_some();
        loop {
            self.blanks()?;
            if self.is_redirect() {
                let redirect = self.redirect()?;
                both |= redirect.both;
                process |= redirect.process;
                redirects.extend(redirect.file);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    let name = match (&words[..], &assignments[..], &redirects[..]) {
                        ([one], [], []) if one.bare => one.word.known().map(str::to_owned),
                        _ => None,
                    };
                    return match name {
                        Some(name) if self.at(1) == Some(b')') && !timed => self.function(&name),
                        _ => self.stop("`(` is unexpected here; quote it"),
                    };
                }
                _ => {}
            }
            if both {
                return self.stop(
                    "a word behind `&>` belongs to another command in some shells; put the redirect last",
                );
            }
            if array {
                return self.stop("a word behind an array's `)`; write `;` or a line end between");
            }
            let name = self.assignment_name();
            if words.is_empty()
                && let Some((name, length)) = name
            {
                self.pos += length;
                let value = if self.peek() == Some(b'(') {
                    array = true;
                    self.array(&name)?
                } else {
                    self.word(Mode::Value)?
                };
                assignments.push((name, value));
                continue;
            }
            let subscript = self.starts_subscript();
            if subscript && (words.is_empty() || declares) {
                return self
                    .stop("a subscript is read differently by shells; assign the element in another way");
            }
            let begin = self.pos;
            let word = self.word(Mode::Argument)?;
            if process && assigns_somewhere(self.slice(begin, self.pos)) {
                return self.stop("`NAME=…` behind `<(…)` is an assignment to some shells; put it first");
            }
            if process && word.bare && word.word.known().is_some_and(super::list::is_reserved) {
                return self.stop("a reserved word behind `<(…)` differs between shells; quote it");
            }
            process |= word.process;
            if words.is_empty() {
                self.name(&word)?;
            }
            declares |= word.word.known().is_some_and(|name| DECLARES.contains(&name));
            words.push(word);
        }
        if words.is_empty() && assignments.is_empty() && redirects.is_empty() && self.pending.is_none() {
            return self.unexpected();
        }
        let fed = std::mem::replace(&mut self.out.feeds, start >= self.fed_from);
        let source = self.source(start);
        let via = self.via.clone();
        run::run(self, Call { words, assignments, redirects, via, source })?;
        self.out.feeds = fed;
        let reader = self.out.reads_code.take();
        if !waiting && let Some(pending) = &mut self.pending {
            pending.command = reader;
        }
        self.out.reads_code = before;
        Ok(())
    }

    /// Refuses names of commands that shells look up differently.
    fn name(&mut self, word: &Item) -> Res<()> {
        let Word::Known(name) = &word.word else { return Ok(()) };
        if word.bare && super::list::is_reserved(name) {
            return self.stop(format!(
                "`{name}` behind an assignment or a redirect is reserved in some shells only; put it first"
            ));
        }
        if name.is_empty() {
            return self.stop("an empty command name; leave it out");
        }
        if !name.is_ascii() {
            return self.stop("a command name with letters beyond ASCII; use another name");
        }
        if name.starts_with(['!', '{', '}', '%', '-', '+', '=', '#'])
            || name.contains('=')
            || name.len() > 1 && name.ends_with(':')
        {
            return self
                .stop("this command name means something else to some shells; use another, or a path");
        }
        Ok(())
    }

    /// Returns the name of the assignment at the cursor, and the length up to its value.
    fn assignment_name(&self) -> Option<(String, usize)> {
        let rest = self.bytes.get(self.pos..self.end)?;
        let length = rest.iter().take_while(|byte| in_name(**byte)).count();
        if !rest.first().copied().is_some_and(starts_name) {
            return None;
        }
        let name = || self.slice(self.pos, self.pos + length).to_owned();
        match (rest.get(length), rest.get(length + 1)) {
            (Some(b'='), _) => Some((name(), length + 1)),
            (Some(b'+'), Some(b'=')) if self.dialect == Dialect::Bash => Some((name(), length + 2)),
            _ => None,
        }
    }

    /// Returns whether a name with a subscript stands at the cursor.
    fn starts_subscript(&self) -> bool {
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        let length = rest.iter().take_while(|byte| in_name(**byte)).count();
        length > 0 && rest.first().copied().is_some_and(starts_name) && rest.get(length) == Some(&b'[')
    }

    /// Reads `(a b c)` behind `NAME=`.
    fn array(&mut self, name: &str) -> Res<Item> {
        if self.dialect == Dialect::Sh || self.substitutions > 0 {
            return self.stop("an array is not for every sh, nor for a substitution; use separate variables");
        }
        let start = self.pos;
        self.out.array(name);
        self.pos += 1;
        let mut first = true;
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) {
                if self.peek() == Some(b'\n') && (self.pending.is_some() || self.one_line) {
                    return self
                        .stop("a line ends in an array while a here-document waits; write it on one line");
                }
                self.pos += 1;
            }
            if self.peek() == Some(b'\\') && self.at(1) == Some(b'\n') {
                self.join()?;
                continue;
            }
            match self.peek() {
                Some(b')') => break,
                Some(b'[' | b'(' | b';' | b'&' | b'|' | b'<' | b'>') | None => return self.unexpected(),
                _ => {}
            }
            let begin = self.pos;
            let word = self.word(Mode::Argument)?;
            if assigns_somewhere(self.slice(begin, self.pos)) {
                return self.stop("`name=` in an array is read differently by shells; quote it");
            }
            let declares = |word: &Item| {
                word.word
                    .known()
                    .is_none_or(|text| DECLARES.contains(&text) || super::list::is_reserved(text))
            };
            if first && word.bare && declares(&word) && word.word.known().is_some() {
                return self.stop("this word starts another kind of variable in some shells; quote it");
            }
            first = false;
        }
        self.pos += 1;
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')') => {}
            _ => return self.stop("a word goes on behind an array; write a blank or `;` between"),
        }
        Ok(Item::unknown(self.slice(start, self.pos)))
    }
}

/// Returns whether a word is an assignment, or begins like a subscript, in some shell: ksh has letters beyond ASCII in names,
/// and joins lines before it looks.
fn assigns_somewhere(source: &str) -> bool {
    let source = source.replace("\\\n", "");
    let in_some_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let rest = source.trim_start_matches(in_some_name);
    rest.len() < source.len()
        && !source.starts_with(|c: char| c.is_ascii_digit())
        && (rest.starts_with(['=', '[']) || rest.starts_with("+="))
}
