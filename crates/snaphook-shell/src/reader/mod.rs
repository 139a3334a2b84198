//! Reads a text of the subset that every shell reads alike, and hands each simple command to `run`. This file holds the
//! cursor, blanks, comments and line ends; `list` the grammar, `simple` commands, `word` and `dollar` words, `arithmetic`,
//! `condition`, `redirect` and `heredoc` the rest. Not here: what commands do with their words (`run`).
//!
//! There is one pass and no tree: a command is reported as soon as it is complete. Recursion is bounded by [`MAX_DEPTH`].

mod arithmetic;
mod condition;
mod dollar;
mod heredoc;
mod list;
mod redirect;
mod simple;
mod site;
mod word;

use std::ops::Range;
use std::sync::Arc;

use super::limits::{MAX_DEPTH, MAX_INPUT, MAX_TEXTS};
use super::output::{Output, Source};
use super::{Dialect, ParseError};

use heredoc::Pending;
pub use site::{Located, Site};
pub(crate) use word::{Item, is_name};

/// The reason why reading stopped, and where in the text.
#[derive(Debug)]
pub(crate) struct Stop {
    at: usize,
    pub(crate) message: String,
}

pub(crate) type Res<T> = Result<T, Stop>;

/// A text within a text, and the command that runs it.
pub(crate) struct Inner<'a> {
    pub(crate) via: &'a [String],
    pub(crate) source: &'a Source,
    pub(crate) dialect: Dialect,
    pub(crate) depth: u32,
}

/// Reads a whole text.
pub(crate) fn top(
    text: &str,
    dialect: Dialect,
    spans: &[Range<usize>],
    out: &mut Output,
) -> Result<(), ParseError> {
    let mut reader = Reader::new(text, dialect, out);
    reader.spans = spans;
    let done = if text.len() > MAX_INPUT {
        Err(Stop { at: 0, message: format!("the text is longer than {} KiB; split it", MAX_INPUT / 1024) })
    } else {
        reader.whole()
    };
    done.map_err(|stop| {
        let before = text.get(..stop.at.min(text.len())).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        ParseError { line, column, message: stop.message }
    })
}

/// Reads a text within a text. An error is reported at the outer command.
pub(crate) fn inner(text: &str, from: &Inner<'_>, out: &mut Output) -> Res<()> {
    out.texts = out.texts.saturating_add(text.len());
    if out.texts > MAX_TEXTS {
        return Err(Stop { at: 0, message: "the texts within this text are too long; split it".to_owned() });
    }
    let mut reader = Reader::new(text, from.dialect, out);
    reader.via = from.via.to_vec();
    reader.source = Some(from.source.clone());
    reader.depth = from.depth;
    reader.whole()
}

/// Returns the position from which on the commands of a text may get an input from it: by a pipe before them, by a file or a
/// here-document anywhere around them.
fn fed_from(text: &str) -> usize {
    // what a function does stands before the pipe that it is called behind, which may be in a text of its own
    if ["<", ">(", "()", "function"].iter().any(|sign| text.contains(sign)) {
        return 0;
    }
    let bytes = text.as_bytes();
    let is_pipe =
        |at: &usize| bytes.get(at + 1) != Some(&b'|') && (*at == 0 || bytes.get(at - 1) != Some(&b'|'));
    text.match_indices('|').map(|(at, _)| at).find(is_pipe).unwrap_or(usize::MAX)
}

/// The cursor over one text.
pub(crate) struct Reader<'t, 'o> {
    src: &'t str,
    /// The pieces of it that the caller asks about; none within a text within a text.
    spans: &'t [Range<usize>],
    bytes: &'t [u8],
    pos: usize,
    /// The place where reading ends: before the end of the text inside of backquotes and here-documents.
    end: usize,
    pub(crate) dialect: Dialect,
    /// Constructs around the cursor.
    pub(crate) depth: u32,
    /// Substitutions around the cursor.
    substitutions: u32,
    /// A here-document whose body starts at the next line end.
    pending: Option<Pending>,
    /// Set while a line end would be read differently: a here-document waits outside.
    one_line: bool,
    /// True if the substitution around the cursor has had a here-document.
    documented: bool,
    /// The position right behind the last joined line.
    joined: usize,
    /// The wrappers around this text.
    pub(crate) via: Vec<String>,
    /// The source of a text within a text.
    source: Option<Source>,
    /// The place where lines end.
    line_ends: Vec<usize>,
    /// The position from which on commands may get an input from the text.
    fed_from: usize,
    pub(crate) out: &'o mut Output,
}

impl<'t, 'o> Reader<'t, 'o> {
    fn new(src: &'t str, dialect: Dialect, out: &'o mut Output) -> Self {
        Self {
            src,
            spans: &[],
            bytes: src.as_bytes(),
            pos: 0,
            end: src.len(),
            dialect,
            depth: 0,
            substitutions: 0,
            pending: None,
            one_line: false,
            documented: false,
            joined: usize::MAX,
            via: Vec::new(),
            source: None,
            line_ends: src.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
            fed_from: if out.feeds { 0 } else { fed_from(src) },
            out,
        }
    }

    /// Refuses what ksh has no grammar for in a substitution within a substitution: at its error there it goes on with what it makes of
    /// the rest, whereas elsewhere it runs nothing.
    fn outside(&self, what: &str) -> Res<()> {
        if self.substitutions < 2 {
            return Ok(());
        }
        self.stop(format!("{what} in a substitution within another differs between shells; put the inner one into a variable before"))
    }

    fn whole(&mut self) -> Res<()> {
        self.characters()?;
        self.list(list::Until::End)?;
        if self.pos < self.end {
            return self.unexpected();
        }
        if self.pending.is_some() {
            return self.stop("a here-document has no body; end the text with it");
        }
        Ok(())
    }

    /// Refuses characters that some shells take for blanks, that terminals act on, or that cannot be seen.
    fn characters(&self) -> Res<()> {
        for (at, byte) in self.bytes.iter().enumerate() {
            if *byte >= 0x80 {
                break;
            }
            if *byte < b' ' && !matches!(byte, b'\n' | b'\t') || *byte == 0x7f {
                return Err(Stop { at, message: "a control character; leave it out".to_owned() });
            }
        }
        if self.src.is_ascii() {
            return Ok(());
        }
        for (at, c) in self.src.char_indices() {
            if is_treacherous(c) {
                let message = if c.is_ascii() {
                    "a control character; leave it out".to_owned()
                } else {
                    format!("U+{:04X} is invisible or a blank to some shells; leave it out", u32::from(c))
                };
                return Err(Stop { at, message });
            }
        }
        Ok(())
    }

    fn stop<T>(&self, message: impl Into<String>) -> Res<T> {
        Err(Stop { at: self.pos, message: message.into() })
    }

    /// Refuses the text because of the command before the cursor.
    pub(crate) fn refuse<T>(&self, message: String) -> Res<T> {
        self.stop(message)
    }

    fn unexpected<T>(&self) -> Res<T> {
        match self.src.get(self.pos..self.end).and_then(|rest| rest.chars().next()) {
            None => self.stop("the text ends too early; complete it"),
            Some(c) => self.stop(format!("`{c}` is unexpected here; quote it if it is part of a word")),
        }
    }

    fn at(&self, ahead: usize) -> Option<u8> {
        let at = self.pos + ahead;
        if at < self.end { self.bytes.get(at).copied() } else { None }
    }

    fn peek(&self) -> Option<u8> {
        self.at(0)
    }

    /// Returns the byte before the cursor.
    fn before(&self) -> Option<u8> {
        self.pos.checked_sub(1).and_then(|at| self.bytes.get(at).copied())
    }

    fn looking_at(&self, text: &str) -> bool {
        self.bytes.get(self.pos..self.end).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn slice(&self, from: usize, to: usize) -> &'t str {
        self.src.get(from..to).unwrap_or_default()
    }

    /// Runs `read` one level deeper.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return self.stop(format!("more than {MAX_DEPTH} constructs are nested; split the text"));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Skips blanks, joined lines behind a blank, and a comment.
    fn blanks(&mut self) -> Res<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.at(1) == Some(b'\n') => self.join()?,
                Some(b'#') => return self.comment(),
                _ => return Ok(()),
            }
        }
    }

    /// Skips a backslash at the end of a line.
    fn join(&mut self) -> Res<()> {
        if !matches!(self.before(), Some(b' ' | b'\t' | b'\n')) {
            return self
                .stop("a line is joined inside a word or an operator; put a blank before the backslash");
        }
        if self.pending.is_some() || self.one_line {
            return self.stop("a line is joined while a here-document waits; write the command on one line");
        }
        self.pos += 2;
        self.joined = self.pos;
        if self.pos >= self.end {
            return self.stop("a backslash ends the text; leave it out");
        }
        Ok(())
    }

    fn comment(&mut self) -> Res<()> {
        let starts =
            self.pos == 0 || matches!(self.before(), Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|'));
        if !starts || self.joined == self.pos {
            return self
                .stop("`#` is a comment to some shells only; quote it, or put a blank before the comment");
        }
        if self.substitutions > 0 {
            return self.stop("a comment in a substitution; leave it out, or put it before the command");
        }
        let start = self.pos;
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.pos += 1;
        }
        self.note_within(start, Site::Comment);
        Ok(())
    }

    /// Skips a line end, and the here-document behind it.
    fn newline(&mut self) -> Res<()> {
        if self.one_line {
            return self
                .stop("a line ends in a substitution while a here-document waits; write it on one line");
        }
        self.pos += 1;
        match self.pending.take() {
            Some(pending) => self.body(&pending),
            None => Ok(()),
        }
    }

    /// Skips blanks, comments and empty lines.
    fn lines(&mut self) -> Res<()> {
        loop {
            self.blanks()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Returns whether a token ends at the cursor.
    fn is_end_of_token(&self, ahead: usize) -> bool {
        match self.at(ahead) {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            // A process substitution is a part of the word that it is glued to.
            Some(b'<' | b'>') => self.at(ahead + 1) != Some(b'('),
            Some(_) => false,
        }
    }

    /// Returns where the text from `start` stands.
    fn source(&self, start: usize) -> Source {
        if let Some(source) = &self.source {
            return source.clone();
        }
        let before = self.line_ends.partition_point(|end| *end < start);
        let line_start = before.checked_sub(1).and_then(|at| self.line_ends.get(at)).map_or(0, |end| end + 1);
        Source {
            text: Arc::from(self.slice(start, self.pos).trim_end()),
            line: before + 1,
            column: start - line_start + 1,
        }
    }
}

/// Returns whether a character is a control, a blank to some locale, invisible, or changes the direction of text.
fn is_treacherous(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{a0}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{1680}'
            | '\u{180e}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{3000}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether a byte can start a name.
fn starts_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

/// Returns whether a byte can be in a name.
fn in_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}
