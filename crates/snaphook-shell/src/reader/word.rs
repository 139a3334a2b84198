//! One word: quotes, escapes, and what makes its value unknown. Values are never guessed.

use super::{Reader, Res, in_name, starts_name};
use crate::expansion::{Variable, is_number};
use crate::{Dialect, Site, Why, Word};

/// A word, and how it was written.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) word: Word,
    /// True if nothing in it is quoted or expanded.
    pub(crate) bare: bool,
    /// The expansion, where the word is nothing else.
    pub(crate) variable: Option<Variable>,
    /// True if it is a process substitution.
    pub(crate) process: bool,
}

impl Item {
    /// Makes a word whose value is not known.
    pub(crate) fn unknown(text: &str) -> Self {
        Self { word: Word::unknown(text, true), bare: false, variable: None, process: false }
    }

    /// Makes a word whose value is known.
    pub(crate) fn known(text: &str) -> Self {
        Self { word: Word::Known(text.to_owned()), bare: false, variable: None, process: false }
    }

    /// Forgets what a program replaces in the word: each place of a mark, and each at which one may come together with what the
    /// shell puts in. A word that is nothing but the mark becomes several if `many`. Returns whether anything is replaced for sure.
    pub(crate) fn replace(&mut self, mark: &str, many: bool) -> bool {
        match &mut self.word {
            Word::Known(text) => {
                let Some(at) = text.find(mark) else { return false };
                let prefix = text.get(..at).unwrap_or_default().to_owned();
                let many = many && text == mark;
                self.word = Word::Unknown { text: std::mem::take(text), prefix, why: Why::Expansion, many };
                true
            }
            Word::Unknown { prefix, .. } => {
                let begins = |(at, _): &(usize, char)| {
                    let rest = prefix.get(*at..).unwrap_or_default();
                    rest.starts_with(mark) || mark.starts_with(rest)
                };
                let sure = prefix.char_indices().find(begins).map_or(prefix.len(), |(at, _)| at);
                prefix.truncate(sure);
                self.variable = None;
                false
            }
        }
    }

    /// Returns whether the word is certainly a number.
    pub(crate) fn is_number(&self) -> bool {
        match &self.word {
            Word::Known(text) => is_number(text),
            Word::Unknown { .. } => self.variable == Some(Variable::Number),
        }
    }
}

/// The place where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A name or an argument.
    Argument,
    /// Behind `NAME=`; may be empty.
    Value,
    /// In front of a clause of a case.
    Pattern,
    /// In `[[ … ]]`.
    Condition,
}

/// The expansions that a place allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    Double,
    Heredoc,
}

/// The value of a word as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub(super) text: String,
    /// The length of `text` at the first thing that is not known.
    known: Option<usize>,
    many: bool,
    why: Option<Why>,
    pub(super) quoted: bool,
    /// The only expansion so far.
    pub(super) variable: Option<Variable>,
    expansions: u32,
}

impl Value {
    /// Notes that the value is not known from here on.
    pub(super) fn unknown(&mut self, why: Why, many: bool) {
        self.known.get_or_insert(self.text.len());
        self.many |= many;
        self.why = match self.why {
            Some(Why::Expansion) => self.why,
            Some(earlier) if why != Why::Expansion => Some(earlier),
            _ => Some(why),
        };
    }

    /// Notes an expansion.
    pub(super) fn expansion(&mut self, variable: Variable, many: bool) {
        self.expansions += 1;
        self.unknown(Why::Expansion, many && variable != Variable::Number);
        self.variable = Some(variable);
    }
}

impl Reader<'_, '_> {
    pub(super) fn word(&mut self, mode: Mode) -> Res<Item> {
        let start = self.pos;
        if self.peek() == Some(b'#') && mode != Mode::Value {
            return self.stop("a word that begins with `#` is a comment to some shells; quote it");
        }
        if self.looking_at("<(") || self.looking_at(">(") {
            return self.process(mode);
        }
        let mut value = Value::default();
        // where each opens, and the expansions before it
        let mut braces: Vec<(usize, u32)> = Vec::new();
        // a place behind one of these is a part of a pattern, or of a user's name
        let (mut bracket, mut tilde) = (false, false);
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                // the caller takes it for a function
                b'(' if mode == Mode::Argument && self.at(1) == Some(b')') && self.pos > start => break,
                b'(' => {
                    return self.stop("`(` in a word differs between shells; quote it");
                }
                b'<' | b'>' => {
                    if self.pos == start && mode != Mode::Value || self.at(1) == Some(b'(') {
                        return self.unexpected();
                    }
                    if self.before().is_some_and(|byte| byte.is_ascii_digit() || byte == b'}') {
                        return self.stop("a redirect glued to a word; put a blank before it");
                    }
                    break;
                }
                b'\'' => self.single(&mut value)?,
                b'"' => self.double(&mut value)?,
                b'\\' => self.escape(&mut value)?,
                b'$' => self.dollar(&mut value, Quoting::None)?,
                b'`' => self.backquote(&mut value, Quoting::None)?,
                b'*' | b'?' => self.glob(&mut value, mode),
                b'[' if mode == Mode::Value && self.pos == start => {
                    bracket = true;
                    self.glob(&mut value, mode);
                }
                b'[' if self.pos == start && self.is_end_of_token(1) => self.literal(&mut value),
                b'[' => {
                    if self.before().is_some_and(in_name) && self.pos > start {
                        self.outside("a bare `[` in a word")?;
                    }
                    bracket = true;
                    self.glob(&mut value, mode);
                }
                // to ksh a bracket that is quoted opens a pattern all the same: `'.['x]` is `.x`
                b']' if value.quoted && value.text.contains('[') => {
                    self.glob(&mut value, mode);
                    value.known = Some(0);
                }
                b'~' => {
                    // zsh expands it behind empty quotes, too
                    if value.text.is_empty() || matches!(self.before(), Some(b'=' | b':')) {
                        value.unknown(Why::Tilde, false);
                        tilde = true;
                    }
                    self.literal(&mut value);
                }
                b'=' if value.text.is_empty()
                    && mode != Mode::Value
                    && mode != Mode::Condition
                    && !self.is_end_of_token(1) =>
                {
                    // zsh puts the path of a command in its place
                    value.unknown(Why::Expansion, false);
                    self.literal(&mut value);
                }
                b'{' => {
                    braces.push((self.pos, value.expansions));
                    self.literal(&mut value);
                }
                b'}' => {
                    let Some((open, expansions)) = braces.pop() else {
                        return self.stop("`}` without `{` in a word; quote it");
                    };
                    let inside = self.slice(open + 1, self.pos);
                    // to zsh `{a.\.b}` is a range, too
                    let bare = inside.replace(['\\', '\'', '"'], "");
                    // to zsh, one that an expansion makes is one, too: `{.$(x).3}`
                    let expands = value.expansions > expansions;
                    if inside.contains(',') || bare.contains("..") || expands {
                        let known = value.known;
                        value.unknown(Why::Expansion, mode != Mode::Value);
                        // what stands before the brace is certain, nothing behind it is
                        let before = open.saturating_sub(start).min(value.text.len());
                        value.known = Some(known.unwrap_or(usize::MAX).min(before));
                        if value.quoted {
                            value.known = Some(0);
                        }
                    }
                    self.literal(&mut value);
                }
                _ => {
                    bracket &= byte != b']';
                    tilde &= byte != b'/';
                    if braces.is_empty() && !bracket && !tilde {
                        self.note(Site::Word { whole: false });
                    }
                    self.literal(&mut value);
                }
            }
        }
        if mode == Mode::Argument {
            self.note_whole(start);
        }
        if !braces.is_empty() {
            return self.stop("`{` without `}` in a word; quote it");
        }
        let source = self.slice(start, self.pos);
        if matches!(mode, Mode::Argument) && matches!(source, "[[" | "]]" | "{" | "}") {
            return self.stop(format!("`{source}` as an argument is read differently by shells; quote it"));
        }
        if self.named_brace(source) {
            return self.stop("a word like `{name}` in front of a redirect differs between shells; quote it");
        }
        if source.is_empty() && mode != Mode::Value {
            return self.unexpected();
        }
        Ok(finish(value, source, mode))
    }

    /// Returns whether a word is `{name}` with a redirect behind it.
    fn named_brace(&self, source: &str) -> bool {
        let Some(name) = source.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return false;
        };
        let rest = self.slice(self.pos, self.end).trim_start_matches([' ', '\t']);
        !name.is_empty() && rest.starts_with(['<', '>', '&'])
    }

    fn literal(&mut self, value: &mut Value) {
        let rest = self.slice(self.pos, self.end);
        if let Some(c) = rest.chars().next() {
            value.text.push(c);
            self.pos += c.len_utf8();
        }
    }

    fn glob(&mut self, value: &mut Value, mode: Mode) {
        value.unknown(Why::Glob, mode == Mode::Argument);
        self.literal(value);
    }

    /// Refuses a line end in a word while a here-document waits for it.
    fn line_in_word(&self) -> Res<()> {
        if self.pending.is_some() || self.one_line {
            return self
                .stop("a word goes over a line end while a here-document waits; write it on one line");
        }
        Ok(())
    }

    fn single(&mut self, value: &mut Value) -> Res<()> {
        let open = self.pos;
        self.pos += 1;
        let rest = self.slice(self.pos, self.end);
        let Some(length) = rest.find('\'') else {
            self.pos = open;
            return self.stop("`'` has no end; close the quotes");
        };
        let inside = rest.get(..length).unwrap_or_default();
        if inside.contains('\n') {
            self.line_in_word()?;
        }
        value.text.push_str(inside);
        value.quoted = true;
        let start = self.pos;
        self.pos += length + 1;
        self.note_within(start, Site::Single);
        Ok(())
    }

    pub(super) fn double(&mut self, value: &mut Value) -> Res<()> {
        let open = self.pos;
        self.pos += 1;
        value.quoted = true;
        loop {
            match self.peek() {
                None => {
                    self.pos = open;
                    return self.stop("`\"` has no end; close the quotes");
                }
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(());
                }
                Some(b'\\') => match self.at(1) {
                    None => return self.stop("a backslash ends the text; leave it out"),
                    Some(b'\n') => {
                        self.line_in_word()?;
                        self.pos += 2;
                    }
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.pos += 1;
                        self.literal(value);
                    }
                    Some(_) => self.literal(value),
                },
                Some(b'$') => self.dollar(value, Quoting::Double)?,
                Some(b'`') => self.backquote(value, Quoting::Double)?,
                Some(b'\n') => {
                    self.line_in_word()?;
                    self.literal(value);
                }
                Some(_) => {
                    self.note(Site::Double);
                    self.literal(value);
                }
            }
        }
    }

    fn escape(&mut self, value: &mut Value) -> Res<()> {
        match self.at(1) {
            None => self.stop("a backslash ends the text; leave it out"),
            Some(b'\n') => self.join(),
            Some(b' '..=b'~') => {
                self.pos += 1;
                value.quoted = true;
                self.literal(value);
                Ok(())
            }
            Some(_) => self.stop("a backslash in front of a letter beyond ASCII; leave it out"),
        }
    }

    /// Reads `<(…)` or `>(…)`, which has to be a whole word.
    fn process(&mut self, mode: Mode) -> Res<Item> {
        if self.dialect == Dialect::Sh || mode != Mode::Argument {
            return self.stop("`<(…)` is not for every sh; write a pipe or a file");
        }
        let start = self.pos;
        self.pos += 1;
        self.substitution()?;
        if !self.is_end_of_token(0) || matches!(self.peek(), Some(b'(' | b'<' | b'>')) {
            return self.stop("a word goes on behind `<(…)`; put a blank there");
        }
        let mut item = Item::unknown(self.slice(start, self.pos));
        if let Word::Unknown { many, .. } = &mut item.word {
            *many = false;
        }
        item.process = true;
        Ok(item)
    }
}

/// Returns whether a word is `{1..5}`, which is numbers, or itself where braces are not expanded.
fn is_number_range(source: &str) -> bool {
    let inside = source.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside
        .and_then(|inside| inside.split_once(".."))
        .is_some_and(|(from, to)| is_number(from) && is_number(to))
}

/// Makes the word of its value.
fn finish(value: Value, source: &str, mode: Mode) -> Item {
    let bare = !value.quoted && value.known.is_none();
    let whole = value.expansions == 1 && value.text.is_empty() && value.why == Some(Why::Expansion);
    let variable =
        if is_number_range(source) { Some(Variable::Number) } else { value.variable.filter(|_| whole) };
    let word = match value.known {
        None => Word::Known(value.text),
        Some(length) => Word::Unknown {
            text: source.to_owned(),
            prefix: value.text.get(..length).unwrap_or_default().to_owned(),
            why: value.why.unwrap_or(Why::Expansion),
            many: value.many && mode == Mode::Argument,
        },
    };
    Item { word, bare, variable, process: false }
}

/// Returns whether a word can be a plain name.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(starts_name) && text.bytes().all(in_name)
}
