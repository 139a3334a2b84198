//! The places of spans that a caller asks about: how the text is quoted there. Not here: what the commands of the text do
//! (`run`).

use std::ops::Range;

use super::Reader;
use crate::Command;

/// The commands of a text, and the places of spans of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The commands, in the order of the text.
    pub commands: Vec<Command>,
    /// The place of each span; `None` where a span is no plain part of what a shell takes for data there: in a name, in
    /// the pattern of a case, in brackets or braces, behind `$` or `~`, in the delimiter or the body of a quoted
    /// here-document.
    pub sites: Vec<Option<Site>>,
}

/// The place of a span, which tells how an expansion has to be written there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// Unquoted in a word, in a redirect's target or in an assignment's value.
    Word {
        /// True if the word is nothing but spans: without them there is no word.
        whole: bool,
    },
    /// In double quotes.
    Double,
    /// In single quotes.
    Single,
    /// In the body of a here-document that is expanded.
    Document,
    /// A whole name in arithmetic.
    Arithmetic,
    /// In a comment.
    Comment,
}

impl<'t> Reader<'t, '_> {
    /// Notes the place of the span that begins at the cursor.
    pub(super) fn note(&mut self, site: Site) {
        let at = self.pos;
        self.set(at..at + 1, Some(site));
    }

    /// Notes the place of all spans from `start` to the cursor.
    pub(super) fn note_within(&mut self, start: usize, site: Site) {
        self.set(start..self.pos, Some(site));
    }

    /// Notes the place of a span that is the name in arithmetic from `start` to the cursor.
    pub(super) fn note_name(&mut self, start: usize) {
        let name = start..self.pos;
        if self.within(&name).any(|(_, span)| *span == name) {
            self.set(name, Some(Site::Arithmetic));
        }
    }

    /// Notes where the word from `start` to the cursor is nothing but spans.
    pub(super) fn note_whole(&mut self, start: usize) {
        let word = start..self.pos;
        if self.within(&word).map(|(_, span)| span.len()).sum::<usize>() == word.len() {
            self.set(word, Some(Site::Word { whole: true }));
        }
    }

    /// Forgets the places from `start` to the cursor, which is the pattern of a case.
    pub(super) fn forget(&mut self, start: usize) {
        self.set(start..self.pos, None);
    }

    fn set(&mut self, range: Range<usize>, site: Option<Site>) {
        for (index, _) in self.within(&range) {
            if let Some(place) = self.out.sites.get_mut(index) {
                *place = site;
            }
        }
    }

    /// The spans that begin in a range, with their indices.
    fn within(&self, range: &Range<usize>) -> impl Iterator<Item = (usize, &'t Range<usize>)> + use<'t> {
        let (spans, end) = (self.spans, range.end);
        let first = spans.partition_point(|span| span.start < range.start);
        spans.iter().enumerate().skip(first).take_while(move |(_, span)| span.start < end)
    }
}
