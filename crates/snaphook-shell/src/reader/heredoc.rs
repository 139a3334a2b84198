//! The body of a here-document: where it ends, and the substitutions in it.

use super::word::{Quoting, Value};
use super::{Reader, Res, in_name};
use crate::Site;

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) delimiter: String,
    /// True if tabs at the start of lines are dropped.
    pub(super) strip: bool,
    /// True if the body is expanded.
    pub(super) expand: bool,
    /// The command that reads the body as code.
    pub(super) command: Option<usize>,
}

impl Reader<'_, '_> {
    /// Reads the body, from the start of its first line to behind the line that ends it.
    pub(super) fn body(&mut self, pending: &Pending) -> Res<()> {
        let start = self.pos;
        let mut at = start;
        let close = loop {
            if at >= self.end {
                return self.stop(format!(
                    "the here-document has no line `{}` that ends it; add it",
                    pending.delimiter
                ));
            }
            let rest = self.slice(at, self.end);
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let line = if pending.strip { line.trim_start_matches('\t') } else { line };
            if let Some(behind) = line.strip_prefix(pending.delimiter.as_str()) {
                if behind.is_empty() {
                    break (at, at + length);
                }
                if self.substitutions > 0 || !behind.bytes().next().is_some_and(in_name) {
                    self.pos = at;
                    return self
                        .stop("a line of the here-document begins like its end; use another delimiter");
                }
            }
            at += length + 1;
        };
        if pending.expand {
            self.expanding(start, close.0)?;
        }
        let body = self.slice(start, close.0);
        if let Some(command) = pending.command
            && !(pending.expand && body.contains(['$', '`', '\\']))
        {
            self.out.code(command, body);
        }
        self.pos = close.1;
        self.documented |= self.substitutions > 0;
        Ok(())
    }

    /// Reads the substitutions of an expanding body.
    fn expanding(&mut self, start: usize, close: usize) -> Res<()> {
        let end = self.end;
        self.pos = start;
        let mut value = Value::default();
        let done = loop {
            if self.pos >= close {
                break Ok(());
            }
            // a substitution that went over a line end would be cut where some shells look for the delimiter first
            let line = self.slice(self.pos, close).find('\n').map_or(close, |length| self.pos + length);
            self.end = line;
            let step = match self.peek() {
                None => {
                    self.pos += 1;
                    Ok(())
                }
                Some(b'\\') => match self.at(1) {
                    None if line < close => {
                        self.stop("a line of the here-document ends in a backslash; quote the delimiter")
                    }
                    None => self.stop("a backslash ends the here-document; quote the delimiter"),
                    Some(b'$' | b'`' | b'\\') => {
                        self.pos += 2;
                        Ok(())
                    }
                    Some(_) => {
                        self.pos += 1;
                        Ok(())
                    }
                },
                Some(b'$') => self.dollar(&mut value, Quoting::Heredoc),
                Some(b'`') => self.backquote(&mut value, Quoting::Heredoc),
                Some(_) => {
                    self.note(Site::Document);
                    self.pos += 1;
                    Ok(())
                }
            };
            if step.is_err() {
                break step;
            }
        };
        self.end = end;
        done
    }
}
