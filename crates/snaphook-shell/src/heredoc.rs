//! The bodies of here-documents, and the delimiters that announce them.

use super::ast::{Doc, Part, RedirOp};
use super::lexer::{Parser, Parts, Pending, Res};

impl Parser<'_> {
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

    pub(super) fn here_document(&mut self, strip_tabs: bool) -> Res<RedirOp> {
        let word = self.target()?;
        let mut delimiter = String::new();
        let mut quoted = false;
        for part in &word.parts {
            match part {
                Part::Lit(text) => delimiter.push_str(text),
                Part::Quoted(text) => {
                    quoted = true;
                    delimiter.push_str(text);
                }
                Part::Double(inner) => {
                    quoted = true;
                    for part in inner {
                        let Part::Quoted(text) = part else {
                            return self.error("an expansion in the delimiter of a here-document");
                        };
                        delimiter.push_str(text);
                    }
                }
                _ => return self.error("an expansion in the delimiter of a here-document"),
            }
        }
        if word.text.contains("$'")
            || word.text.contains("$\"")
            || delimiter.contains('\n')
            || word.text.contains("\\\n")
        {
            return self.error("an unusual delimiter of a here-document");
        }
        // `$` alone is quoted text to the lexer, but no quoting to bash
        if word.text.contains('$') {
            return self.error("an expansion in the delimiter of a here-document");
        }
        let index = self.docs.len();
        self.docs.push(Doc::default());
        self.pending.push(Pending { index, delimiter, quoted, strip_tabs });
        Ok(RedirOp::Here(index))
    }
}
