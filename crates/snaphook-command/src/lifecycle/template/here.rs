//! Here-documents: their delimiters, and their bodies, which come when the line is over. Not here: the line itself (`scan`).

use super::Variable;
use super::scan::{Edit, Found, Scanner, Value, incomplete};
use super::word::{cannot, refused};

/// A here-document whose body has not come yet.
pub(super) struct Here {
    pub(super) at: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
    /// The delimiter as it is written.
    written: (usize, usize),
}

impl Scanner<'_> {
    /// The delimiter of a here-document; its body comes after the line.
    pub(super) fn here(&mut self, tabs: bool) -> Found<()> {
        self.blanks();
        let from = self.at;
        let mut delimiter = String::new();
        let mut quoted = false;
        while let Some(next) = self.next() {
            if let Some((variable, _)) = self.placeholder() {
                return Err(cannot(
                    (variable, self.at),
                    "in the delimiter of a here-document",
                    "write it out",
                ));
            }
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\\' => {
                    self.at += 1;
                    quoted = true;
                    delimiter.extend(self.step());
                }
                quote @ ('\'' | '"') => {
                    self.at += 1;
                    quoted = true;
                    let Some(length) = self.rest().find(quote) else { return Err(incomplete(from)) };
                    if Variable::ALL
                        .iter()
                        .any(|one| self.rest()[..length].contains(&format!("{{{{{}}}}}", one.name())))
                    {
                        return Err(refused(
                            from,
                            "a value cannot stand in the delimiter of a here-document",
                            "write it out",
                        ));
                    }
                    delimiter.push_str(&self.rest()[..length]);
                    self.at += length + 1;
                }
                other => {
                    self.at += other.len_utf8();
                    delimiter.push(other);
                }
            }
        }
        if delimiter.is_empty() {
            return Err(incomplete(from));
        }
        let written = (from, self.at);
        self.waiting.push(Here { at: from, delimiter, quoted, tabs, written });
        Ok(())
    }

    /// The bodies of the here-documents that began on the line before.
    pub(super) fn bodies(&mut self) -> Found<Value> {
        let mut value = None;
        for here in std::mem::take(&mut self.waiting) {
            value = self.body(&here)?.or(value);
        }
        Ok(value)
    }

    fn body(&mut self, here: &Here) -> Found<Value> {
        let from = self.at;
        let mut end = None;
        let mut at = from;
        for line in self.rest().split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = if here.tabs { bare.trim_start_matches('\t') } else { bare };
            if bare == here.delimiter {
                end = Some((at, at + line.len()));
                break;
            }
            at += line.len();
        }
        let Some((end, after)) = end else { return Err(incomplete(here.at)) };
        let outside = std::mem::replace(&mut self.limit, end);
        let value = if here.quoted { self.quoted_body(here)? } else { self.double(None)? };
        self.limit = outside;
        self.at = after;
        Ok(value)
    }

    /// A body in which nothing is expanded: with a value it becomes one in which only the reference is.
    fn quoted_body(&mut self, here: &Here) -> Found<Value> {
        let mut value = None;
        let mut edits = Vec::new();
        let mut any = false;
        while let Some(next) = self.next() {
            if let Some(found) = self.placeholder() {
                any = true;
                value = value.or(self.put(found, |name| format!("${{{name}}}")));
                continue;
            }
            if matches!(next, '\\' | '$' | '`') {
                edits.push(Edit { from: self.at, to: self.at, text: "\\".to_owned(), variable: None });
            }
            self.at += next.len_utf8();
        }
        if any {
            let plain = here.delimiter.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !plain {
                return Err(refused(
                    here.at,
                    "a value cannot stand in a here-document with this delimiter",
                    "use letters only",
                ));
            }
            let (from, to) = here.written;
            edits.push(Edit { from, to, text: here.delimiter.clone(), variable: None });
            self.edits.append(&mut edits);
        }
        Ok(value)
    }
}
