//! Markdown of a model as text for a terminal, piece by piece as it comes. What was given out is never taken back, so a block is given
//! out when the next one shows that it has ended: a paragraph as a whole, a list item by item, code line by line. Not here: writing it.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use snaphook::printable_lines;

use crate::print::Paint;

/// A text that comes in pieces.
#[derive(Debug)]
pub(super) struct Formatted {
    paint: Paint,
    /// The text from the last block on that was begun.
    source: String,
    /// The number of parts of it that were given out.
    given: usize,
    /// True if a block was given out before `source`.
    has_before: bool,
}

/// A part that is given out at once.
struct Part {
    text: String,
    /// True if it begins a block.
    begins: bool,
    /// True if nothing that follows could change it.
    is_whole: bool,
}

/// Parts of a text, and where its last block begins.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    last_block: usize,
    before_last_block: usize,
}

impl Formatted {
    /// A text that begins.
    pub(super) fn new(paint: Paint) -> Self {
        Formatted { paint, source: String::new(), given: 0, has_before: false }
    }

    /// Takes a piece; gives the lines that are whole now, with line ends.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.source.push_str(piece);
        // A line that goes on may become anything.
        match (piece.contains('\n'), self.source.rfind('\n')) {
            (true, Some(end)) => self.give(end + 1, false),
            _ => String::new(),
        }
    }

    /// Ends the text; gives the rest of its lines.
    pub(super) fn end(&mut self) -> String {
        let rest = self.give(self.source.len(), true);
        *self = Formatted::new(self.paint);
        rest
    }

    fn give(&mut self, until: usize, is_over: bool) -> String {
        let Parts { parts, last_block, before_last_block } =
            parts(self.source.get(..until).unwrap_or_default(), self.paint);
        let count = parts.len();
        let mut text = String::new();
        for (at, part) in parts.into_iter().enumerate().skip(self.given) {
            if !(is_over || part.is_whole || at + 1 < count) {
                break;
            }
            if part.begins && (self.has_before || at > 0) {
                text.push('\n');
            }
            text.push_str(&part.text);
            text.push('\n');
            self.given = at + 1;
        }
        if before_last_block > 0 && self.given >= before_last_block {
            self.source.drain(..last_block);
            self.given -= before_last_block;
            self.has_before = true;
        }
        text
    }
}

fn parts(source: &str, paint: Paint) -> Parts {
    let mut all = Parts::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut events = Parser::new_ext(source, options).into_offset_iter().peekable();
    while let Some((event, range)) = events.next() {
        // The block's place is behind its indentation, which belongs to it.
        let before = source.get(..range.start).unwrap_or_default();
        all.last_block = before.rfind('\n').map_or(0, |end| end + 1);
        all.before_last_block = all.parts.len();
        match event {
            Event::Start(Tag::List(first)) => {
                let mut number = first;
                let mut begins = true;
                while let Some((Event::Start(Tag::Item), _)) = events.peek() {
                    let mut lines = Lines::new(paint);
                    lines.lists.push(number);
                    number = number.map(|number| number + 1);
                    let mut depth = 0_usize;
                    for (event, range) in events.by_ref() {
                        depth += usize::from(matches!(event, Event::Start(_)));
                        depth -= usize::from(matches!(event, Event::End(_)));
                        lines.take(event, source.get(range).unwrap_or_default());
                        if depth == 0 {
                            break;
                        }
                    }
                    all.parts.push(Part { text: lines.out, begins, is_whole: false });
                    begins = false;
                }
                // The end of the list.
                events.next();
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let mut code = String::new();
                for (event, _) in events.by_ref() {
                    match event {
                        Event::Text(text) => code.push_str(&text),
                        Event::End(TagEnd::CodeBlock) => break,
                        _ => {}
                    }
                }
                // An indented block may turn out to be over, but no line of it changes by that.
                let is_whole = matches!(kind, CodeBlockKind::Fenced(_));
                let lines = code.lines().enumerate();
                all.parts.extend(lines.map(|(at, line)| Part {
                    text: code_line(paint, line),
                    begins: at == 0,
                    is_whole,
                }));
            }
            // As it was written: its columns stand below each other already, or nowhere.
            Event::Start(Tag::Table(_)) => {
                for (event, _) in events.by_ref() {
                    if matches!(event, Event::End(TagEnd::Table)) {
                        break;
                    }
                }
                let text = source.get(range).unwrap_or_default().trim_end();
                all.parts.push(Part { text: printable_lines(text), begins: true, is_whole: false });
            }
            event => {
                let mut lines = Lines::new(paint);
                let mut depth = usize::from(matches!(event, Event::Start(_)));
                lines.take(event, source.get(range).unwrap_or_default());
                while depth > 0
                    && let Some((event, range)) = events.next()
                {
                    depth += usize::from(matches!(event, Event::Start(_)));
                    depth -= usize::from(matches!(event, Event::End(_)));
                    lines.take(event, source.get(range).unwrap_or_default());
                }
                let text = lines.out.trim_end_matches('\n').to_owned();
                all.parts.push(Part { text, begins: true, is_whole: false });
            }
        }
    }
    all
}

fn code_line(paint: Paint, line: &str) -> String {
    paint.cyan(&format!("    {}", printable_lines(line)))
}

/// The lines of a block.
struct Lines {
    paint: Paint,
    out: String,
    /// The text before each further line.
    margin: Vec<&'static str>,
    /// The next number of each list around; `None` where it has none.
    lists: Vec<Option<u64>>,
    /// True if the line has nothing but its margin yet.
    is_fresh: bool,
    bold: usize,
    italic: usize,
    in_code: bool,
    links: Vec<(String, usize)>,
}

impl Lines {
    fn new(paint: Paint) -> Self {
        Lines {
            paint,
            out: String::new(),
            margin: Vec::new(),
            lists: Vec::new(),
            is_fresh: true,
            bold: 0,
            italic: 0,
            in_code: false,
            links: Vec::new(),
        }
    }

    fn begin_line(&mut self) {
        if !self.is_fresh {
            self.break_line();
        }
        self.is_fresh = true;
    }

    fn break_line(&mut self) {
        self.out.push('\n');
        self.out.extend(self.margin.iter().copied());
    }

    fn put(&mut self, text: &str) {
        self.is_fresh = false;
        self.out.push_str(text);
    }

    fn text(&mut self, text: &str) {
        let mut shown = printable_lines(text);
        if self.in_code {
            for (at, line) in shown.trim_end_matches('\n').lines().enumerate() {
                if at > 0 {
                    self.break_line();
                }
                let line = code_line(self.paint, line);
                self.put(&line);
            }
            return;
        }
        if self.bold > 0 {
            shown = self.paint.bold(&shown);
        }
        if self.italic > 0 {
            shown = self.paint.italic(&shown);
        }
        self.put(&shown);
    }

    fn take(&mut self, event: Event<'_>, source: &str) {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(code) => {
                let shown = self.paint.cyan(&printable_lines(&code));
                self.put(&shown);
            }
            Event::SoftBreak | Event::HardBreak => self.break_line(),
            Event::Rule => self.put("────────"),
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) => self.begin_line(),
            Event::Start(Tag::Heading { level, .. }) => {
                self.begin_line();
                self.bold += 1;
                self.text(&format!("{} ", "#".repeat(level as usize)));
            }
            Event::End(TagEnd::Heading(_) | TagEnd::Strong) => self.bold = self.bold.saturating_sub(1),
            Event::Start(Tag::BlockQuote(_)) => {
                self.begin_line();
                self.put("│ ");
                self.is_fresh = true;
                self.margin.push("│ ");
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => {
                self.margin.pop();
                self.is_fresh = false;
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.begin_line();
                self.in_code = true;
            }
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Start(Tag::List(first)) => self.lists.push(first),
            Event::End(TagEnd::List(_)) => drop(self.lists.pop()),
            Event::Start(Tag::Item) => {
                self.begin_line();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.put(&mark);
                self.is_fresh = true;
                self.margin.push("  ");
            }
            Event::Start(Tag::Strong) => self.bold += 1,
            Event::Start(Tag::Emphasis) => self.italic += 1,
            Event::End(TagEnd::Emphasis) => self.italic = self.italic.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.links.push((printable_lines(&dest_url), self.out.len()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let Some((address, from)) = self.links.pop() else { return };
                // Where it leads is shown: what a link is called may say anything.
                if !self.out.get(from..).unwrap_or_default().contains(&address) {
                    let shown = self.paint.dim(&format!(" ({address})"));
                    self.put(&shown);
                }
            }
            Event::Start(Tag::Table(_)) => {
                self.begin_line();
                self.put(&printable_lines(source.trim_end()));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { on: false };

    fn whole(text: &str) -> String {
        let mut formatted = Formatted::new(PLAIN);
        let shown = formatted.push(text);
        shown + formatted.end().as_str()
    }

    const TEXT: &str = "# Title\n\nOne *two* **three** `four`\nfive [six](https://example.com/6) <https://example.com>\n\n- a\n- b\n  1. c\n  \
        2. d\n\n     more\n- e\n\n```rust\nfn main() {\n\n}\n```\n> said\n> twice\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n    indented\n\nthe \
        end\u{1b}[2J";

    #[test]
    fn each_kind_of_block_has_its_lines() {
        assert_eq!(
            whole(TEXT),
            "# Title\n\nOne two three four\nfive six (https://example.com/6) https://example.com\n\n- a\n- b\n  1. c\n  2. d\n    more\n- e\n\n    \
             fn main() {\n    \n    }\n\n│ said\n│ twice\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n────────\n\n    indented\n\nthe end\\u{1b}[2J\n"
        );
    }

    #[test]
    fn pieces_of_any_size_give_the_same_text() {
        let expected = whole(TEXT);
        for size in 1..40 {
            let mut formatted = Formatted::new(PLAIN);
            let mut shown = String::new();
            let letters: Vec<char> = TEXT.chars().collect();
            for piece in letters.chunks(size) {
                shown += &formatted.push(&piece.iter().collect::<String>());
            }
            shown += &formatted.end();
            assert_eq!(shown, expected, "pieces of {size}");
        }
    }

    #[test]
    fn what_is_whole_comes_at_once() {
        let mut formatted = Formatted::new(PLAIN);
        for (piece, shown) in [
            ("Hello", ""),
            (" there\n", ""),
            ("\n", ""),
            ("- one\n", "Hello there\n"),
            ("- two\n", "\n- one\n"),
            ("\n```\ncode\n", "- two\n\n    code\n"),
            ("more\n", "    more\n"),
            ("```\n", ""),
        ] {
            assert_eq!(formatted.push(piece), shown, "{piece:?}");
        }
        assert_eq!(formatted.end(), "");
    }

    #[test]
    fn colours_are_put_on_parts_only() {
        let mut formatted = Formatted::new(Paint { on: true });
        let shown = formatted.push("**a** `b` c\n\n") + formatted.end().as_str();
        assert_eq!(shown, "\u{1b}[1ma\u{1b}[0m \u{1b}[36mb\u{1b}[0m c\n");
    }
}
