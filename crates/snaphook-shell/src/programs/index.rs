//! Finding a name in the table, by an index that is made when the crate is compiled; and lists of words that are written as one
//! text.

use super::{Program, builds, files, languages, shells};

const TABLES: [&[Program]; 4] = [shells::PROGRAMS, languages::PROGRAMS, builds::PROGRAMS, files::PROGRAMS];

/// The number of slots: a power of two, and more than twice the number of names.
const SLOTS: usize = 2048;

/// The place of a name: the table, the row in it, the name in that.
#[derive(Clone, Copy)]
struct Slot(u8, u8, u8);

/// Marks a free slot.
const FREE: Slot = Slot(u8::MAX, 0, 0);

static INDEX: [Slot; SLOTS] = index();

/// Returns the row that has a name. `perl5.36` and `bash-5.2` are `perl` and `bash`, `x86_64-linux-gnu-g++-13` is `g++`.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    if let Some(program) = exactly(name) {
        return Some(program);
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if plain != name
        && let Some(program) = exactly(plain).filter(|program| program.runs_files() || program.compiles())
    {
        return Some(program);
    }
    let (_, last) = plain.rsplit_once('-')?;
    exactly(last).filter(|program| program.compiles())
}

fn exactly(name: &str) -> Option<&'static Program> {
    let mut slot = slot_of(name);
    loop {
        let Slot(table, row, at) = *INDEX.get(slot)?;
        let program = TABLES.get(usize::from(table))?.get(usize::from(row))?;
        if program.names.get(usize::from(at)) == Some(&name) {
            return Some(program);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// Returns all rows.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static Program> {
    TABLES.into_iter().flatten()
}

#[expect(clippy::cast_possible_truncation, reason = "the tables are short, and a test finds every name")]
const fn index() -> [Slot; SLOTS] {
    let mut slots = [FREE; SLOTS];
    let (mut table, mut row, mut at) = (0, 0, 0);
    while table < TABLES.len() {
        if row == TABLES[table].len() {
            (table, row) = (table + 1, 0);
        } else if at == TABLES[table][row].names.len() {
            (row, at) = (row + 1, 0);
        } else {
            let mut slot = slot_of(TABLES[table][row].names[at]);
            while slots[slot].0 != FREE.0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = Slot(table as u8, row as u8, at as u8);
            at += 1;
        }
    }
    slots
}

/// The slot in which a name is looked for first (FNV-1a).
const fn slot_of(name: &str) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut rest = name.as_bytes();
    while let [byte, behind @ ..] = rest {
        hash = (hash ^ *byte as u32).wrapping_mul(0x0100_0193);
        rest = behind;
    }
    (hash ^ hash >> 16) as usize % SLOTS
}

/// Makes a list of the words of a text, which blanks and line ends part.
macro_rules! words {
    ($text:literal) => {{
        const WORDS: [&str; $crate::programs::word_count($text)] = $crate::programs::split_words($text);
        &WORDS
    }};
}
pub(crate) use words;

/// The number of words in a text.
pub(crate) const fn word_count(text: &str) -> usize {
    let mut count = 0;
    let mut rest = text.as_bytes().trim_ascii_start();
    while !rest.is_empty() {
        rest = rest.split_at(first_length(rest)).1.trim_ascii_start();
        count += 1;
    }
    count
}

/// The first words of a text.
pub(crate) const fn split_words<const COUNT: usize>(text: &str) -> [&str; COUNT] {
    let mut words = [""; COUNT];
    let mut rest = text.trim_ascii_start();
    let mut at = 0;
    while at < COUNT {
        let (word, behind) = rest.split_at(first_length(rest.as_bytes()));
        words[at] = word;
        rest = behind.trim_ascii_start();
        at += 1;
    }
    words
}

/// The length of the word at the start of a text.
const fn first_length(text: &[u8]) -> usize {
    let mut length = 0;
    while length < text.len() && !text[length].is_ascii_whitespace() {
        length += 1;
    }
    length
}
