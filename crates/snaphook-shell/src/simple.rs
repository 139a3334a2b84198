//! Simple commands: assignments, words, redirects, and the function definitions that begin like one.

use super::ast::{Assign, Kind, Part, RawWord, Redir, Simple, Value};
use super::lexer::{Parser, Res, WordMode};

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Res<(Kind, Vec<Redir>)> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.budget.spend(0)?;
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            match self.cur() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    let [name] = simple.words.as_slice() else { return self.error("unexpected `(`") };
                    let plain = name.parts.iter().all(|part| matches!(part, Part::Lit(_) | Part::Quoted(_)));
                    if !plain || !redirects.is_empty() || !simple.assigns.is_empty() {
                        return self.error("unexpected `(`");
                    }
                    let name = name.text.clone();
                    self.bump();
                    self.blanks();
                    if !self.eat(")") {
                        return self.error("expected `)`");
                    }
                    return Ok((self.function_body(name)?, Vec::new()));
                }
                _ => {}
            }
            if simple.words.is_empty()
                && let Some(assign) = self.assignment(redirects.is_empty())?
            {
                simple.assigns.push(assign);
                continue;
            }
            let word = self.argument()?;
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && redirects.is_empty() {
            return self.error("expected a command");
        }
        Ok((Kind::Simple(simple), redirects))
    }

    /// A word, or `name=(…)` as `declare` and its kin take it.
    fn argument(&mut self) -> Res<RawWord> {
        let from = self.pos;
        let mut word = self.some_word(WordMode::Normal)?;
        if self.cur() == Some(b'(') && word.text.ends_with('=') && word.text.len() > 1 {
            self.bump();
            let elements = self.array()?;
            word.parts.push(Part::Array(elements));
            word.text = self.slice(from, self.pos).to_owned();
        }
        Ok(word)
    }

    /// An assignment, if one starts here. `sure` says that nothing but assignments came before, so that bash reads a
    /// subscript as one token whatever it holds.
    fn assignment(&mut self, sure: bool) -> Res<Option<Assign>> {
        let from = self.pos;
        let docs = self.docs.len();
        let name = self.ident();
        if name.is_empty() {
            self.pos = from;
            return Ok(None);
        }
        let mut subscript = None;
        if self.cur() == Some(b'[') {
            self.bump();
            let start = self.pos;
            let attempt = self.attempt();
            let parts = self.bracketed();
            let odd =
                self.slice(start, self.pos).contains([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);
            match parts {
                Ok(parts) => {
                    self.keep(attempt);
                    let assigns =
                        self.cur() == Some(b'=') || (self.cur() == Some(b'+') && self.peek() == Some(b'='));
                    if odd && !(assigns && sure) {
                        return self.error("a subscript of unclear extent");
                    }
                    subscript = Some(parts);
                }
                Err(error) if odd => return Err(error),
                // `name[` with no closing bracket before the next blank is an ordinary word
                Err(_) => {
                    self.undo(attempt);
                    self.pos = from;
                    self.docs.truncate(docs);
                    return Ok(None);
                }
            }
        }
        let append = self.cur() == Some(b'+') && self.peek() == Some(b'=');
        if append {
            self.bump();
        }
        if !self.eat("=") {
            self.pos = from;
            self.docs.truncate(docs);
            return Ok(None);
        }
        let value = if self.cur() == Some(b'(') {
            self.bump();
            Value::Array(self.array()?)
        } else {
            Value::Scalar(self.word(WordMode::Normal)?)
        };
        Ok(Some(Assign { name, subscript, append, value }))
    }

    /// After `=(`, up to and with the closing parenthesis.
    fn array(&mut self) -> Res<Vec<RawWord>> {
        self.budget.enter()?;
        let mut elements = Vec::new();
        loop {
            self.blanks();
            match self.cur() {
                Some(b')') => {
                    self.bump();
                    break;
                }
                Some(b'\n') => {
                    if !self.pending.is_empty() {
                        return self.error("a here-document starts before a list over several lines");
                    }
                    self.pos += 1;
                }
                Some(b'[') => {
                    let from = self.pos;
                    self.bump();
                    let subscript = self.bracketed()?;
                    let mut word = self.word(WordMode::Normal)?;
                    word.parts.insert(0, Part::Arith(subscript));
                    word.text = self.slice(from, self.pos).to_owned();
                    elements.push(word);
                }
                None => return self.error("a list is not closed"),
                Some(_) => elements.push(self.some_word(WordMode::Normal)?),
            }
            self.budget.spend(0)?;
        }
        self.budget.leave();
        Ok(elements)
    }
}
