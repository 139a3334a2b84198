//! The grammar of commands: lists, pipelines, compound and simple commands, redirects. Words are `lexer.rs`'s.
//!
//! It accepts what bash accepts, or less. Where two readings are possible and bash's choice depends on state that a
//! text does not show, it reports an error.

use super::ast::{AndOr, Joint, Kind, List, Node, Part, Pipeline, Place, RawWord, Redir, RedirOp, Script};
use super::lexer::{Mark, Parser, Res, WordMode};
use super::limits::Budget;

const RESERVED: [&str; 21] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "{", "}", "!", "[[", "time", "coproc", "in",
];

/// Reads a whole text that starts on `base_line` (from 0).
pub(super) fn parse(text: &str, extglob: bool, base_line: usize, budget: &mut Budget) -> Res<Script> {
    budget.spend(text.len())?;
    let mut parser = Parser {
        src: text,
        pos: 0,
        budget,
        docs: Vec::new(),
        pending: Vec::new(),
        extglob,
        base_line,
        mark: Mark { pos: 0, line: base_line, start: 0 },
    };
    if text.contains('\0') {
        return parser.error("a NUL byte");
    }
    let list = parser.list()?;
    parser.end()?;
    Ok(Script { list, docs: parser.docs })
}

impl Parser<'_> {
    /// The text must be used up.
    pub(super) fn end(&mut self) -> Res<()> {
        if self.cur().is_some() {
            return self.error("unexpected text");
        }
        if !self.pending.is_empty() {
            return self.error("a here-document has no end");
        }
        Ok(())
    }

    /// Blanks and a comment.
    pub(super) fn blanks(&mut self) {
        while matches!(self.cur(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
        if self.cur() == Some(b'#') {
            while !matches!(self.raw(self.pos), None | Some(b'\n')) {
                self.pos += 1;
            }
        }
    }

    /// Blanks, comments and newlines, with the bodies that stand behind the newlines.
    pub(super) fn newlines(&mut self) -> Res<()> {
        loop {
            self.budget.spend(0)?;
            self.blanks();
            if self.cur() != Some(b'\n') {
                return Ok(());
            }
            self.pos += 1;
            if !self.pending.is_empty() {
                self.read_bodies()?;
            }
        }
    }

    /// The reserved word that comes next, if one does.
    fn reserved(&mut self) -> Option<&'static str> {
        self.cur();
        let from = self.pos;
        let mut text = [0u8; 8];
        let mut length = 0;
        let found = loop {
            match self.cur() {
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'(' | b')' | b'|') => break true,
                Some(b'<' | b'>') => break self.peek() != Some(b'('),
                Some(byte) => match text.get_mut(length) {
                    Some(slot) => *slot = byte,
                    None => break false,
                },
            }
            length += 1;
            self.pos += 1;
        };
        self.pos = from;
        let text = text.get(..length).filter(|_| found)?;
        RESERVED.into_iter().find(|word| word.as_bytes() == text)
    }

    fn at_word(&mut self, word: &str) -> bool {
        self.reserved() == Some(word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.at_word(word) && self.eat(word)
    }

    fn expect_word(&mut self, word: &'static str) -> Res<()> {
        self.newlines()?;
        if self.eat_word(word) { Ok(()) } else { self.error(&format!("expected `{word}`")) }
    }

    /// Commands up to a token that closes something; the caller checks which.
    pub(super) fn list(&mut self) -> Res<List> {
        self.budget.enter()?;
        let mut list = List::default();
        loop {
            self.newlines()?;
            if self.at_close() {
                break;
            }
            let mut item = self.and_or()?;
            self.blanks();
            let more = match self.cur() {
                Some(b';') if !matches!(self.peek(), Some(b';' | b'&')) => {
                    self.bump();
                    true
                }
                Some(b'&') if self.peek() != Some(b'&') => {
                    self.bump();
                    item.background = true;
                    true
                }
                Some(b'\n') => true,
                _ => false,
            };
            list.items.push(item);
            if !more {
                break;
            }
        }
        self.budget.leave();
        Ok(list)
    }

    fn at_close(&mut self) -> bool {
        match self.cur() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.peek(), Some(b';' | b'&')),
            _ => matches!(
                self.reserved(),
                Some("then" | "else" | "elif" | "fi" | "do" | "done" | "esac" | "}")
            ),
        }
    }

    /// A list with at least one command.
    fn body(&mut self) -> Res<List> {
        let list = self.list()?;
        if list.items.is_empty() { self.error("expected a command") } else { Ok(list) }
    }

    fn and_or(&mut self) -> Res<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let joint = if self.eat("&&") {
                Joint::And
            } else if self.eat("||") {
                Joint::Or
            } else {
                return Ok(AndOr { first, rest, background: false });
            };
            self.newlines()?;
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Res<Pipeline> {
        let mut prefixed = false;
        loop {
            self.budget.spend(0)?;
            self.blanks();
            if self.extglob && self.cur() == Some(b'!') && self.peek() == Some(b'(') {
                return self.error("`!(` is a group or a pattern, depending on extglob");
            }
            if self.eat_word("!") {
                prefixed = true;
            } else if self.eat_word("time") {
                prefixed = true;
                self.blanks();
                for option in ["-p", "--"] {
                    let from = self.pos;
                    if self.eat(option) && !self.at_word_end() {
                        self.pos = from;
                    }
                    self.blanks();
                }
            } else {
                break;
            }
        }
        let mut stages = Vec::new();
        if prefixed && matches!(self.cur(), None | Some(b';' | b'\n' | b'&' | b')')) {
            return Ok(Pipeline { stages });
        }
        loop {
            let mut node = self.command()?;
            self.blanks();
            let both = self.cur() == Some(b'|') && self.peek() == Some(b'&');
            if both || (self.cur() == Some(b'|') && self.peek() != Some(b'|')) {
                self.bump();
                if both {
                    self.bump();
                    let target = RawWord { parts: vec![Part::Lit("1".into())], text: "1".into() };
                    let op = RedirOp::Dup { target, output: true };
                    node.redirects.push(Redir { fd: Some(2), var: None, op });
                }
                stages.push(node);
                self.newlines()?;
            } else {
                stages.push(node);
                return Ok(Pipeline { stages });
            }
        }
    }

    pub(super) fn at_word_end(&mut self) -> bool {
        matches!(
            self.cur(),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'(' | b')' | b'|' | b'<' | b'>')
        )
    }

    pub(super) fn command(&mut self) -> Res<Node> {
        self.blanks();
        let from = self.pos;
        let (line, column) = self.locate();
        let (kind, mut redirects) = match self.compound()? {
            Some(kind) => (kind, Vec::new()),
            None => self.simple()?,
        };
        let short = matches!(kind, Kind::Simple(_));
        if !short {
            self.trailing_redirects(&mut redirects)?;
        }
        // the text of a compound command is that of its parts
        let text = if short { self.slice(from, self.pos).trim_end().to_owned() } else { String::new() };
        self.budget.spend(text.len())?;
        Ok(Node { kind, redirects, place: Place { text, line: line + 1, column: column + 1 } })
    }

    fn trailing_redirects(&mut self, redirects: &mut Vec<Redir>) -> Res<()> {
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(()),
            }
        }
    }

    /// A compound command, if one starts here.
    fn compound(&mut self) -> Res<Option<Kind>> {
        if self.cur() == Some(b'(') {
            return self.parenthesis().map(Some);
        }
        let Some(word) = self.reserved() else { return Ok(None) };
        let kind = match word {
            "{" => {
                self.eat(word);
                let list = self.body()?;
                self.expect_word("}")?;
                Kind::Group(list)
            }
            "if" => self.if_command()?,
            "while" | "until" => {
                self.eat(word);
                let cond = self.body()?;
                let body = self.do_group()?;
                Kind::Loop { cond, body }
            }
            "for" | "select" => {
                self.eat(word);
                self.for_command()?
            }
            "case" => self.case_command()?,
            "[[" => {
                self.eat(word);
                self.test_command()?
            }
            "function" => {
                self.eat(word);
                self.blanks();
                let name = self.some_word(WordMode::Normal)?.text;
                self.blanks();
                if self.eat("(") {
                    self.blanks();
                    if !self.eat(")") {
                        return self.error("expected `)`");
                    }
                }
                self.function_body(name)?
            }
            "coproc" => {
                self.eat(word);
                self.coproc()?
            }
            // "in" is an ordinary word here
            "in" => return Ok(None),
            _ => return self.error(&format!("unexpected `{word}`")),
        };
        Ok(Some(kind))
    }

    fn parenthesis(&mut self) -> Res<Kind> {
        self.bump();
        if self.cur() == Some(b'(') {
            let attempt = self.attempt();
            self.bump();
            // a text that is no arithmetic need not even have matching quotes as such: then it is a group
            if let Ok((parts, true)) = self.arith() {
                self.keep(attempt);
                return Ok(Kind::Arith(parts));
            }
            self.undo(attempt);
        }
        let list = self.body()?;
        if !self.eat(")") {
            return self.error("expected `)`");
        }
        Ok(Kind::Subshell(list))
    }

    fn if_command(&mut self) -> Res<Kind> {
        self.eat("if");
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let cond = self.body()?;
            self.expect_word("then")?;
            branches.push((cond, self.body()?));
            self.newlines()?;
            if self.eat_word("elif") {
                continue;
            }
            if self.eat_word("else") {
                otherwise = Some(self.body()?);
            }
            self.expect_word("fi")?;
            return Ok(Kind::If { branches, otherwise });
        }
    }

    fn do_group(&mut self) -> Res<List> {
        self.newlines()?;
        if self.at_word("{") {
            self.eat("{");
            let body = self.body()?;
            self.expect_word("}")?;
            return Ok(body);
        }
        self.expect_word("do")?;
        let body = self.body()?;
        self.expect_word("done")?;
        Ok(body)
    }

    fn for_command(&mut self) -> Res<Kind> {
        self.blanks();
        if self.cur() == Some(b'(') && self.peek() == Some(b'(') {
            self.bump();
            self.bump();
            let (head, arithmetic) = self.arith()?;
            if !arithmetic {
                return self.error("expected `))`");
            }
            self.blanks();
            self.eat(";");
            return Ok(Kind::ArithFor { head, body: self.do_group()? });
        }
        let var = self.ident();
        if var.is_empty() || !self.at_word_end() {
            return self.error("expected a variable name");
        }
        self.newlines()?;
        let mut words = Vec::new();
        if self.eat_word("in") {
            loop {
                self.blanks();
                match self.cur() {
                    Some(b';' | b'\n') => break,
                    _ => words.push(self.some_word(WordMode::Normal)?),
                }
            }
        } else {
            words.push(RawWord { parts: vec![positional()], text: "\"$@\"".to_owned() });
        }
        self.blanks();
        if self.cur() == Some(b';') && self.peek() != Some(b';') {
            self.bump();
        }
        Ok(Kind::For { var, words, body: self.do_group()? })
    }

    fn case_command(&mut self) -> Res<Kind> {
        self.eat("case");
        self.blanks();
        let subject = self.some_word(WordMode::Normal)?;
        self.expect_word("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.eat_word("esac") {
                return Ok(Kind::Case { subject, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.some_word(WordMode::Normal)?);
                self.blanks();
                if self.eat("|") {
                    continue;
                }
                if self.eat(")") {
                    break;
                }
                return self.error("expected `)`");
            }
            let body = self.list()?;
            arms.push((patterns, body));
            self.blanks();
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                self.expect_word("esac")?;
                return Ok(Kind::Case { subject, arms });
            }
        }
    }

    fn test_command(&mut self) -> Res<Kind> {
        let mut words: Vec<RawWord> = Vec::new();
        let mut logic = false;
        loop {
            self.newlines()?;
            if self.cur() == Some(b']') && self.slice(self.pos, self.pos + 2) == "]]" {
                let from = self.pos;
                self.pos += 2;
                if self.at_word_end() {
                    return Ok(Kind::Test { words, logic });
                }
                self.pos = from;
            }
            if self.eat("&&") || self.eat("||") || self.eat("(") || self.eat(")") {
                logic = true;
                continue;
            }
            let process = matches!(self.cur(), Some(b'<' | b'>')) && self.peek() == Some(b'(');
            if !process && (self.eat("<") || self.eat(">")) {
                logic = true;
                continue;
            }
            let regex = words.last().is_some_and(|word| word.text == "=~");
            words.push(self.some_word(if regex { WordMode::Regex } else { WordMode::Test })?);
        }
    }

    pub(super) fn function_body(&mut self, name: String) -> Res<Kind> {
        self.budget.enter()?;
        self.newlines()?;
        let line = self.line();
        let Some(kind) = self.compound()? else { return self.error("expected the body of a function") };
        let mut redirects = Vec::new();
        self.trailing_redirects(&mut redirects)?;
        self.budget.leave();
        let place = Place { line: line + 1, column: 1, ..Place::default() };
        Ok(Kind::Function { name, body: Box::new(Node { kind, redirects, place }) })
    }

    fn coproc(&mut self) -> Res<Kind> {
        self.budget.enter()?;
        self.blanks();
        let mut name = "COPROC".to_owned();
        if self.reserved().is_none_or(|word| word == "in") && self.cur() != Some(b'(') {
            let from = self.pos;
            let ident = self.ident();
            self.blanks();
            let compound = self.cur() == Some(b'(')
                || self.reserved().is_some_and(|word| {
                    matches!(word, "{" | "if" | "while" | "until" | "for" | "case" | "select" | "[[")
                });
            if !ident.is_empty() && compound { name = ident } else { self.pos = from }
        }
        let body = Box::new(self.command()?);
        self.budget.leave();
        Ok(Kind::Coproc { name, body })
    }

    pub(super) fn some_word(&mut self, mode: WordMode) -> Res<RawWord> {
        let word = self.word(mode)?;
        if word.parts.is_empty() { self.error("expected a word") } else { Ok(word) }
    }
}

fn positional() -> Part {
    use super::ast::{Op, Param};
    let param = Param { name: "@".to_owned(), indirect: false, subscript: None, op: Op::None };
    Part::Double(vec![Part::Param(Box::new(param))])
}
