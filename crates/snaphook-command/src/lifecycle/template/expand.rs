//! What stands behind `$`, and backticks: substitutions, parameters, arithmetic. Not here: words and commands (`scan`).

use super::scan::{End, Found, PUT_INTO_SCRIPT, Quote, Scanner, Value, incomplete};
use super::word::{Word, cannot};

impl Scanner<'_> {
    pub(super) fn dollar(&mut self, word: &mut Word, quote: Quote) -> Found<()> {
        self.at += 1;
        self.no_value_behind("`$`")?;
        match self.next() {
            Some('\'') if quote == Quote::None => {
                self.at += 1;
                let closed = self.rest().find('\'').unwrap_or_default();
                // Shells without this form read the quotes otherwise.
                if self.rest()[..closed].contains('\\') {
                    self.unclear("a backslash in `$'…'`");
                    return self.escaped(word);
                }
                self.single(word)
            }
            Some('"') if quote == Quote::None => {
                self.at += 1;
                word.quoted = true;
                self.double(Some(word)).map(|_| ())
            }
            Some('(') => {
                self.at += 1;
                word.dynamic = true;
                if self.eat("(") {
                    return self.arithmetic();
                }
                let value = self.inside(|scanner| scanner.list(End::Paren))?;
                word.take(value);
                Ok(())
            }
            Some('[') => {
                self.unclear("`$[`");
                word.dynamic = true;
                Ok(())
            }
            Some('{') => {
                self.at += 1;
                word.dynamic = true;
                let value = self.inside(|scanner| scanner.parameter(quote))?;
                word.take(value);
                Ok(())
            }
            Some(next) if next.is_ascii_alphanumeric() || "_@*#?$!-".contains(next) => {
                word.dynamic = true;
                self.at += 1;
                if next.is_ascii_alphabetic() || next == '_' {
                    while self.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                        self.at += 1;
                    }
                }
                if let Some((variable, _)) =
                    self.placeholder().filter(|_| next.is_ascii_alphanumeric() || next == '_')
                {
                    return Err(cannot(
                        (variable, self.at),
                        "right behind a variable",
                        "put braces around the variable's name",
                    ));
                }
                Ok(())
            }
            _ => {
                word.literal.push('$');
                Ok(())
            }
        }
    }

    /// `$'…'` with backslashes, behind the quote.
    fn escaped(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        word.quoted = true;
        word.dynamic = true;
        loop {
            if let Some((variable, _)) = self.placeholder() {
                return Err(cannot(
                    (variable, self.at),
                    "in `$'…'` with a backslash",
                    "write it in double quotes",
                ));
            }
            match self.step() {
                Some('\'') => return Ok(()),
                Some('\\') => {
                    let _ = self.step();
                }
                Some(_) => {}
                None => return Err(incomplete(began)),
            }
        }
    }

    /// Behind the two opening parentheses of arithmetic.
    pub(super) fn arithmetic(&mut self) -> Found<()> {
        let began = self.at;
        self.facts.evaluates.get_or_insert(began);
        let mut open = 0_usize;
        let mut inner = Word::default();
        loop {
            if let Some(found) = self.placeholder() {
                if !found.0.is_number() {
                    return Err(cannot(
                        (found.0, self.at),
                        "in arithmetic, which evaluates it",
                        PUT_INTO_SCRIPT,
                    ));
                }
                self.put(found, |name| format!("${{{name}}}"));
                continue;
            }
            match self.next() {
                Some(')') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Some(')') => {
                    if !self.eat("))") {
                        return Err(incomplete(began));
                    }
                    return match inner.value {
                        Some(value) => {
                            Err(cannot(value, "in arithmetic, which evaluates it", PUT_INTO_SCRIPT))
                        }
                        None => Ok(()),
                    };
                }
                Some('(') => {
                    open += 1;
                    self.at += 1;
                }
                Some('$') => self.dollar(&mut inner, Quote::Double)?,
                Some('`') => self.backtick(&mut inner)?,
                Some('\\' | '\'' | '"') => {
                    self.unclear("quotes in arithmetic");
                    self.at += 1;
                }
                Some(other) => self.at += other.len_utf8(),
                None => return Err(incomplete(began)),
            }
        }
    }

    /// Behind `${`.
    fn parameter(&mut self, quote: Quote) -> Found<Value> {
        let began = self.at;
        if self.rest().starts_with(['!', '#']) && self.second() != Some('}') {
            if self.next() == Some('!') {
                self.facts.evaluates.get_or_insert(began);
            }
            self.at += 1;
        }
        match self.next() {
            Some(next) if next.is_ascii_alphabetic() || next == '_' => {
                while self.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
            }
            Some(next) if next.is_ascii_digit() || "@*#?$!-".contains(next) => self.at += 1,
            _ => {}
        }
        const FINE: [&str; 12] = [":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%"];
        let operator = FINE.into_iter().find(|operator| self.eat(operator));
        self.facts.keeps |= operator.is_some_and(|operator| operator.ends_with('='));
        if operator.is_none() && self.next() != Some('}') {
            // Subscripts, offsets, `@P` and the like.
            self.facts.evaluates.get_or_insert(began);
        }
        let mut word = Word::default();
        let mut odd = false;
        loop {
            if let Some(found) = self.placeholder() {
                let value = (found.0, self.at);
                if operator.is_none() || odd {
                    return Err(cannot(value, "here in `${…}`", "write \"${}\" outside of it"));
                }
                let value = match quote {
                    Quote::None => self.put(found, |name| format!("${{{name}:+\"${name}\"}}")),
                    Quote::Double => self.put(found, |name| format!("${{{name}}}")),
                };
                word.take(value);
                continue;
            }
            match self.next() {
                Some('}') => {
                    self.at += 1;
                    return Ok(word.value);
                }
                Some('\\') => {
                    self.at += 1;
                    self.no_value_behind("a backslash")?;
                    let _ = self.step();
                }
                // What quotes mean within quotes is another thing in each shell.
                Some('\'' | '"') if quote == Quote::Double => {
                    self.unclear("quotes in a quoted `${…}`");
                    odd = true;
                    self.at += 1;
                }
                Some('\'') => {
                    self.at += 1;
                    self.single(&mut word)?;
                }
                Some('"') => {
                    self.at += 1;
                    self.double(Some(&mut word))?;
                }
                Some('$') => self.dollar(&mut word, quote)?,
                Some('`') => self.backtick(&mut word)?,
                Some(other) => self.at += other.len_utf8(),
                None => return Err(incomplete(began)),
            }
        }
    }

    /// A substitution in backticks, which end at the next one, whatever is quoted.
    pub(super) fn backtick(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        self.at += 1;
        word.dynamic = true;
        let Some(length) = self.rest().find('`') else { return Err(incomplete(began)) };
        if self.rest()[..length].contains('\\') {
            self.unclear("a backslash in backticks");
            let mut escaped = false;
            while let Some(next) = self.step() {
                match next {
                    '`' if !escaped => return Ok(()),
                    '\\' => escaped = !escaped,
                    _ => escaped = false,
                }
                if let Some((variable, _)) = self.placeholder() {
                    return Err(cannot((variable, self.at), "in backticks with a backslash", "write $(…)"));
                }
            }
            return Err(incomplete(began));
        }
        let end = self.at + length;
        let outside = std::mem::replace(&mut self.limit, end);
        let waiting = std::mem::take(&mut self.waiting);
        let value = self.inside(|scanner| scanner.list(End::Text))?;
        if let Some(here) = self.waiting.first() {
            return Err(incomplete(here.at));
        }
        self.waiting = waiting;
        self.limit = outside;
        self.at = end + 1;
        word.take(value);
        Ok(())
    }
}
