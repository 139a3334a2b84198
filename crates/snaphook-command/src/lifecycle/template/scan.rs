//! Following the shell's grammar: what is quoted, what is nested, where a command's name stands. One pass; what it finds out are
//! edits, or a refusal. Not here: what commands do with their words (`judge`).

use super::here::Here;
use super::judge::{is_reserved, judge};
use super::word::{Facts, Word, cannot, refused};
use super::{Refused, Variable};

/// A piece of the command and what takes its place.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
    pub(super) variable: Option<Variable>,
}

/// The depth to which substitutions may be nested.
const MAX_DEPTH: usize = 32;

pub(super) type Value = Option<(Variable, usize)>;
pub(super) type Found<T> = Result<T, Refused>;

/// The edits of a command, in order.
pub(super) fn edits(command: &str) -> Found<Vec<Edit>> {
    let mut scanner = Scanner {
        text: command,
        limit: command.len(),
        at: 0,
        depth: 0,
        edits: Vec::new(),
        waiting: Vec::new(),
        facts: Facts::default(),
        cases: 0,
    };
    if breaks_operator(command) {
        scanner.unclear("a line break within an operator");
    }
    scanner.list(End::Text)?;
    if let Some(here) = scanner.waiting.first() {
        return Err(incomplete(here.at));
    }
    let Scanner { mut edits, facts, .. } = scanner;
    if let Some(value) = facts.value {
        if let Some((_, what)) = facts.unclear {
            return Err(cannot(value, &format!("in a command with {what}"), PUT_INTO_SCRIPT));
        }
        if facts.reads_code {
            return Err(cannot(value, "in a command with a shell that reads what to run", PUT_INTO_SCRIPT));
        }
        if facts.keeps && facts.evaluates.is_some() {
            return Err(cannot(value, "in a command that keeps it and evaluates text", PUT_INTO_SCRIPT));
        }
    }
    edits.sort_by_key(|edit| edit.from);
    Ok(edits)
}

/// Returns whether a backslash at a line's end stands where the shell, to which it is not there, would read an
/// operator over it.
fn breaks_operator(command: &str) -> bool {
    command.match_indices("\\\n").any(|(at, broken)| {
        let before = command.get(..at).and_then(|text| text.chars().next_back());
        let after = command.get(at + broken.len()..).and_then(|text| text.chars().next());
        before == Some('$')
            || before.is_some_and(|c| "<>&|(".contains(c)) && after.is_some_and(|c| "<>&|(".contains(c))
    })
}

pub(super) const PUT_INTO_SCRIPT: &str = "put the command into a script, which finds the value in \"${}\"";

/// The words and signs that end a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Text,
    Paren,
}

/// The way a piece of text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    None,
    Double,
}

pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) limit: usize,
    pub(super) at: usize,
    depth: usize,
    pub(super) edits: Vec<Edit>,
    pub(super) waiting: Vec<Here>,
    pub(super) facts: Facts,
    cases: usize,
}

pub(super) fn incomplete(at: usize) -> Refused {
    refused(at, "a quote, bracket or here-document is not closed, so no value is safe in it", "close it")
}

impl<'t> Scanner<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..self.limit).unwrap_or_default()
    }

    pub(super) fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn step(&mut self) -> Option<char> {
        let next = self.next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn placeholder(&self) -> Option<(Variable, usize)> {
        Variable::at(self.rest())
    }

    /// Puts a reference in the place of the placeholder that begins here.
    pub(super) fn put(
        &mut self,
        (variable, length): (Variable, usize),
        reference: impl Fn(&str) -> String,
    ) -> Value {
        let from = self.at;
        self.at += length;
        let text = reference(variable.env());
        self.edits.push(Edit { from, to: self.at, text, variable: Some(variable) });
        let value = (!variable.is_number()).then_some((variable, from));
        self.facts.value = self.facts.value.or(value);
        value
    }

    pub(super) fn inside<T>(&mut self, scan: impl FnOnce(&mut Self) -> Found<T>) -> Found<T> {
        if self.depth >= MAX_DEPTH {
            return Err(refused(self.at, "the command is nested too deeply", "put it into a script"));
        }
        self.depth += 1;
        let done = scan(self);
        self.depth -= 1;
        done
    }

    /// Commands up to their end. Gives the first value in them.
    pub(super) fn list(&mut self, end: End) -> Found<Value> {
        let began = self.at;
        let cases = std::mem::take(&mut self.cases);
        let waiting = self.waiting.len();
        let mut value = None;
        let mut words: Vec<Word> = Vec::new();
        loop {
            let Some(next) = self.next() else {
                if end == End::Paren {
                    return Err(incomplete(began));
                }
                self.finish(&mut words, &mut value)?;
                self.cases = cases;
                return Ok(value);
            };
            match next {
                ' ' | '\t' => self.at += 1,
                '\\' if self.second() == Some('\n') => self.at += 2,
                '\n' => {
                    self.finish(&mut words, &mut value)?;
                    self.at += 1;
                    value = self.bodies()?.or(value);
                }
                '#' => self.comment(),
                ';' => {
                    self.at += 1;
                    self.finish(&mut words, &mut value)?;
                }
                '&' | '|' => {
                    if self.rest().starts_with("&>") {
                        // To one shell a redirection, to the other the end of a command.
                        self.unclear("`&>`");
                    }
                    self.at += 1;
                    self.finish(&mut words, &mut value)?;
                }
                '(' => {
                    self.at += 1;
                    let within = self.paren(&mut words)?;
                    value = value.or(within);
                }
                ')' => {
                    self.finish(&mut words, &mut value)?;
                    let pattern = self.cases > 0;
                    self.at += 1;
                    match end {
                        _ if pattern => {}
                        End::Paren if self.waiting.len() > waiting => return Err(incomplete(began)),
                        End::Paren => {
                            self.cases = cases;
                            return Ok(value);
                        }
                        End::Text => return Err(incomplete(self.at - 1)),
                    }
                }
                '<' | '>' if self.second() != Some('(') => value = self.redirection()?.or(value),
                _ => {
                    let word = self.word()?;
                    // A number right before a redirection is a descriptor.
                    let digits =
                        word.is_plain() && !word.quoted && word.literal.chars().all(|c| c.is_ascii_digit());
                    if !(digits && self.next().is_some_and(|c| "<>".contains(c))) {
                        self.add(&mut words, word, end);
                    }
                }
            }
        }
    }

    /// Adds a word to its command, unless it is one of the grammar's.
    fn add(&mut self, words: &mut Vec<Word>, word: Word, end: End) {
        if words.is_empty() && !word.quoted && word.is_plain() {
            match word.literal.as_str() {
                "case" => {
                    self.cases += 1;
                    // A pattern ends with a parenthesis that others would take for the end.
                    if end == End::Paren {
                        self.unclear("`case` in parentheses");
                    }
                }
                "esac" => {
                    self.cases = self.cases.saturating_sub(1);
                    return;
                }
                "[[" => self.unclear("`[[`"),
                "coproc" => self.unclear("`coproc`"),
                "function" => {
                    self.facts.keeps = true;
                    self.unclear("`function`");
                }
                text if is_reserved(text) => return,
                _ => {}
            }
        }
        words.push(word);
    }

    pub(super) fn unclear(&mut self, what: &'static str) {
        let at = self.at;
        self.facts.unclear.get_or_insert((at, what));
    }

    /// The end of a simple command.
    fn finish(&mut self, words: &mut Vec<Word>, value: &mut Value) -> Found<()> {
        let words = std::mem::take(words);
        let first = words.iter().find_map(|word| word.value);
        *value = value.or(first);
        judge(&words, &mut self.facts)?;
        Ok(())
    }

    fn comment(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Behind an opening parenthesis: a subshell, arithmetic, a function, or an array.
    fn paren(&mut self, words: &mut Vec<Word>) -> Found<Value> {
        if words.is_empty() && self.next() == Some('(') {
            self.at += 1;
            return self.arithmetic().map(|()| None);
        }
        if !words.is_empty() {
            let function = self.rest().trim_start_matches([' ', '\t']).starts_with(')');
            let name = words.iter().find_map(|word| word.value);
            if let Some(value) = name.filter(|_| function) {
                return Err(cannot(value, "in a function's name", "write the name out"));
            }
            self.facts.keeps = true;
            if !function {
                self.unclear("an array");
            }
        }
        let within = self.inside(|scanner| scanner.list(End::Paren))?;
        words.clear();
        Ok(within)
    }

    fn redirection(&mut self) -> Found<Value> {
        if !self.eat("<<<") && self.eat("<<") {
            let tabs = self.eat("-");
            return self.here(tabs).map(|()| None);
        }
        let _ = [">>", ">|", "<>", ">&", "<&", "<", ">"].into_iter().any(|operator| self.eat(operator));
        self.blanks();
        let none = self.next().is_none_or(|next| "\n;&|<>()".contains(next));
        if none && !self.rest().starts_with("<(") && !self.rest().starts_with(">(") {
            return Ok(None);
        }
        // It is no part of the command.
        Ok(self.word()?.value)
    }

    pub(super) fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
    }

    /// One word.
    pub(super) fn word(&mut self) -> Found<Word> {
        let began = self.at;
        let mut word = Word::default();
        // What was seen of patterns: a value in them would be a part of them.
        let (mut braces, mut bracket, mut tilde) = (0_usize, false, false);
        let mut first = None;
        while let Some(next) = self.next() {
            // To the shell it is not there: `a\⏎b=c` is an assignment.
            if self.eat("\\\n") {
                continue;
            }
            if self.placeholder().is_some() || "\\'\"$`<>".contains(next) {
                word.bare.get_or_insert(word.literal.len());
            }
            if let Some(found) = self.placeholder() {
                let value = (found.0, self.at);
                if braces > 0 || bracket {
                    return Err(cannot(
                        value,
                        "in a pattern of brackets or braces",
                        "write \"${}\" in quotes, outside of the pattern",
                    ));
                }
                if tilde {
                    return Err(cannot(value, "behind `~`", "write the folder out"));
                }
                let value = self.put(found, |name| format!("${{{name}:+\"${name}\"}}"));
                word.fill(value);
                first = first.or(Some(found.0));
                continue;
            }
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                // Bash's substitution by a file's name, which other shells do not know: also behind letters it is a part of the word.
                '<' | '>' if self.second() == Some('(') => {
                    self.at += 2;
                    let value = self.inside(|scanner| scanner.list(End::Paren))?;
                    word.take(value);
                    word.dynamic = true;
                    continue;
                }
                '<' | '>' => break,
                '\\' => {
                    self.at += 1;
                    self.no_value_behind("a backslash")?;
                    word.quoted = true;
                    match self.step() {
                        Some('\n') | None => {}
                        Some(other) => word.literal.push(other),
                    }
                    continue;
                }
                '\'' => {
                    self.at += 1;
                    self.single(&mut word)?;
                    continue;
                }
                '"' => {
                    self.at += 1;
                    word.quoted = true;
                    self.double(Some(&mut word))?;
                    continue;
                }
                '$' => {
                    self.dollar(&mut word, Quote::None)?;
                    continue;
                }
                '`' => {
                    self.backtick(&mut word)?;
                    continue;
                }
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                '[' => {
                    bracket = !word.literal.is_empty() || self.second().is_some_and(|c| !c.is_whitespace())
                }
                ']' => bracket = false,
                '~' => tilde = word.literal.is_empty() || word.literal.ends_with(['=', ':']),
                '/' => tilde = false,
                _ => {}
            }
            word.literal.push(next);
            self.at += next.len_utf8();
        }
        let digits = word.literal.chars().all(|c| c.is_ascii_digit());
        if let Some(variable) = first.filter(|_| digits && self.next().is_some_and(|c| "<>".contains(c))) {
            return Err(cannot((variable, began), "right before a redirection", "put a blank between them"));
        }
        Ok(word)
    }

    pub(super) fn no_value_behind(&self, what: &str) -> Found<()> {
        match self.placeholder() {
            Some((variable, _)) => {
                Err(cannot((variable, self.at), &format!("right behind {what}"), "write \"${}\""))
            }
            None => Ok(()),
        }
    }

    /// Behind the opening quote.
    pub(super) fn single(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        word.quoted = true;
        loop {
            if let Some(found) = self.placeholder() {
                let value = self.put(found, |name| format!("'\"${{{name}}}\"'"));
                word.fill(value);
                continue;
            }
            match self.step() {
                Some('\'') => return Ok(()),
                Some(other) => word.literal.push(other),
                None => return Err(incomplete(began)),
            }
        }
    }

    /// Behind the opening quote up to the closing one; or, without a word, the body of a here-document up to its end.
    pub(super) fn double(&mut self, word: Option<&mut Word>) -> Found<Value> {
        let began = self.at;
        let body = word.is_none();
        let mut own = Word::default();
        let word = word.unwrap_or(&mut own);
        loop {
            if let Some(found) = self.placeholder() {
                let value = self.put(found, |name| format!("${{{name}}}"));
                word.fill(value);
                continue;
            }
            match self.next() {
                Some('"') if !body => {
                    self.at += 1;
                    return Ok(word.value);
                }
                Some('\\') => {
                    self.at += 1;
                    self.no_value_behind("a backslash")?;
                    match self.next() {
                        Some('\n') => {}
                        Some(known @ ('$' | '`' | '"' | '\\')) => word.literal.push(known),
                        Some(other) => word.literal.extend(['\\', other]),
                        None => {}
                    }
                    let _ = self.step();
                }
                Some('$') => self.dollar(word, Quote::Double)?,
                Some('`') => self.backtick(word)?,
                Some(other) => {
                    self.at += other.len_utf8();
                    word.literal.push(other);
                }
                None if body => return Ok(word.value),
                None => return Err(incomplete(began)),
            }
        }
    }
}
