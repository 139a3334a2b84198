//! Following the shell's grammar: what is quoted, what is nested, where a command's name stands. One pass; what it finds out are
//! edits, or a refusal. Not here: what commands do with their words (`judge`).

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

/// How deep substitutions may be nested.
const DEEPEST: usize = 32;

type Value = Option<(Variable, usize)>;
type Found<T> = Result<T, Refused>;

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

const PUT_INTO_SCRIPT: &str = "put the command into a script, which finds the value in \"${}\"";

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Paren,
}

/// A here-document whose body has not come yet.
struct Here {
    at: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
    /// The delimiter as it is written.
    written: (usize, usize),
}

/// How a piece of text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Double,
}

struct Scanner<'t> {
    text: &'t str,
    limit: usize,
    at: usize,
    depth: usize,
    edits: Vec<Edit>,
    waiting: Vec<Here>,
    facts: Facts,
    cases: usize,
}

fn incomplete(at: usize) -> Refused {
    refused(at, "a quote, bracket or here-document is not closed, so no value is safe in it", "close it")
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.limit).unwrap_or_default()
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn step(&mut self) -> Option<char> {
        let next = self.next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn placeholder(&self) -> Option<(Variable, usize)> {
        Variable::at(self.rest())
    }

    /// Puts a reference in the place of the placeholder that begins here.
    fn put(&mut self, (variable, length): (Variable, usize), reference: impl Fn(&str) -> String) -> Value {
        let from = self.at;
        self.at += length;
        let text = reference(variable.env());
        self.edits.push(Edit { from, to: self.at, text, variable: Some(variable) });
        let value = (!variable.is_number()).then_some((variable, from));
        self.facts.value = self.facts.value.or(value);
        value
    }

    fn inside<T>(&mut self, scan: impl FnOnce(&mut Self) -> Found<T>) -> Found<T> {
        if self.depth >= DEEPEST {
            return Err(refused(self.at, "the command is nested too deeply", "put it into a script"));
        }
        self.depth += 1;
        let done = scan(self);
        self.depth -= 1;
        done
    }

    /// Commands up to their end. Gives the first value in them.
    fn list(&mut self, end: End) -> Found<Value> {
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

    fn unclear(&mut self, what: &'static str) {
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

    fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
    }

    /// The delimiter of a here-document; its body comes after the line.
    fn here(&mut self, tabs: bool) -> Found<()> {
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
    fn bodies(&mut self) -> Found<Value> {
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
        let value = match here.quoted {
            false => self.double(None)?,
            true => self.quoted_body(here)?,
        };
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

    /// One word.
    fn word(&mut self) -> Found<Word> {
        let began = self.at;
        let mut word = Word::default();
        // What was seen of patterns: a value in them would be a part of them.
        let (mut braces, mut bracket, mut tilde) = (0_usize, false, false);
        let mut first = None;
        while let Some(next) = self.next() {
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
                word.take(value);
                first = first.or(Some(found.0));
                continue;
            }
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' if self.second() == Some('(') && word.literal.is_empty() => {
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

    fn no_value_behind(&self, what: &str) -> Found<()> {
        match self.placeholder() {
            Some((variable, _)) => {
                Err(cannot((variable, self.at), &format!("right behind {what}"), "write \"${}\""))
            }
            None => Ok(()),
        }
    }

    /// Behind the opening quote.
    fn single(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        word.quoted = true;
        loop {
            if let Some(found) = self.placeholder() {
                let value = self.put(found, |name| format!("'\"${{{name}}}\"'"));
                word.take(value);
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
    fn double(&mut self, mut word: Option<&mut Word>) -> Found<Value> {
        let began = self.at;
        let body = word.is_none();
        let mut own = Word::default();
        let word = word.as_deref_mut().unwrap_or(&mut own);
        loop {
            if let Some(found) = self.placeholder() {
                let value = self.put(found, |name| format!("${{{name}}}"));
                word.take(value);
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

    fn dollar(&mut self, word: &mut Word, quote: Quote) -> Found<()> {
        self.at += 1;
        self.no_value_behind("`$`")?;
        match self.next() {
            Some('\'') if quote == Quote::None => {
                self.at += 1;
                let closed = self.rest().find('\'').unwrap_or_default();
                // Shells without this form read the quotes otherwise.
                if self.rest()[..closed].contains('\\') {
                    self.unclear("a backslash in `$'…'`");
                    return self.escaped(word);
                }
                self.single(word)
            }
            Some('"') if quote == Quote::None => {
                self.at += 1;
                word.quoted = true;
                self.double(Some(word)).map(|_| ())
            }
            Some('(') => {
                self.at += 1;
                word.dynamic = true;
                if self.eat("(") {
                    return self.arithmetic();
                }
                let value = self.inside(|scanner| scanner.list(End::Paren))?;
                word.take(value);
                Ok(())
            }
            Some('[') => {
                self.unclear("`$[`");
                word.dynamic = true;
                Ok(())
            }
            Some('{') => {
                self.at += 1;
                word.dynamic = true;
                let value = self.inside(|scanner| scanner.parameter(quote))?;
                word.take(value);
                Ok(())
            }
            Some(next) if next.is_ascii_alphanumeric() || "_@*#?$!-".contains(next) => {
                word.dynamic = true;
                self.at += 1;
                if next.is_ascii_alphabetic() || next == '_' {
                    while self.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                        self.at += 1;
                    }
                }
                if let Some((variable, _)) =
                    self.placeholder().filter(|_| next.is_ascii_alphanumeric() || next == '_')
                {
                    return Err(cannot(
                        (variable, self.at),
                        "right behind a variable",
                        "put braces around the variable's name",
                    ));
                }
                Ok(())
            }
            _ => {
                word.literal.push('$');
                Ok(())
            }
        }
    }

    /// `$'…'` with backslashes, behind the quote.
    fn escaped(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        word.quoted = true;
        word.dynamic = true;
        loop {
            if let Some((variable, _)) = self.placeholder() {
                return Err(cannot(
                    (variable, self.at),
                    "in `$'…'` with a backslash",
                    "write it in double quotes",
                ));
            }
            match self.step() {
                Some('\'') => return Ok(()),
                Some('\\') => {
                    let _ = self.step();
                }
                Some(_) => {}
                None => return Err(incomplete(began)),
            }
        }
    }

    /// Behind the two opening parentheses of arithmetic.
    fn arithmetic(&mut self) -> Found<()> {
        let began = self.at;
        self.facts.evaluates.get_or_insert(began);
        let mut open = 0_usize;
        let mut inner = Word::default();
        loop {
            if let Some(found) = self.placeholder() {
                if !found.0.is_number() {
                    return Err(cannot(
                        (found.0, self.at),
                        "in arithmetic, which evaluates it",
                        PUT_INTO_SCRIPT,
                    ));
                }
                self.put(found, |name| format!("${{{name}}}"));
                continue;
            }
            match self.next() {
                Some(')') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Some(')') => {
                    if !self.eat("))") {
                        return Err(incomplete(began));
                    }
                    return match inner.value {
                        Some(value) => {
                            Err(cannot(value, "in arithmetic, which evaluates it", PUT_INTO_SCRIPT))
                        }
                        None => Ok(()),
                    };
                }
                Some('(') => {
                    open += 1;
                    self.at += 1;
                }
                Some('$') => self.dollar(&mut inner, Quote::Double)?,
                Some('`') => self.backtick(&mut inner)?,
                Some('\\' | '\'' | '"') => {
                    self.unclear("quotes in arithmetic");
                    self.at += 1;
                }
                Some(other) => self.at += other.len_utf8(),
                None => return Err(incomplete(began)),
            }
        }
    }

    /// Behind `${`.
    fn parameter(&mut self, quote: Quote) -> Found<Value> {
        let began = self.at;
        if self.rest().starts_with(['!', '#']) && self.second() != Some('}') {
            if self.next() == Some('!') {
                self.facts.evaluates.get_or_insert(began);
            }
            self.at += 1;
        }
        match self.next() {
            Some(next) if next.is_ascii_alphabetic() || next == '_' => {
                while self.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
            }
            Some(next) if next.is_ascii_digit() || "@*#?$!-".contains(next) => self.at += 1,
            _ => {}
        }
        const FINE: [&str; 12] = [":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%"];
        let operator = FINE.into_iter().find(|operator| self.eat(operator));
        self.facts.keeps |= operator.is_some_and(|operator| operator.ends_with('='));
        if operator.is_none() && self.next() != Some('}') {
            // Subscripts, offsets, `@P` and the like.
            self.facts.evaluates.get_or_insert(began);
        }
        let mut word = Word::default();
        let mut odd = false;
        loop {
            if let Some(found) = self.placeholder() {
                let value = (found.0, self.at);
                if operator.is_none() || odd {
                    return Err(cannot(value, "here in `${…}`", "write \"${}\" outside of it"));
                }
                let value = match quote {
                    Quote::None => self.put(found, |name| format!("${{{name}:+\"${name}\"}}")),
                    Quote::Double => self.put(found, |name| format!("${{{name}}}")),
                };
                word.take(value);
                continue;
            }
            match self.next() {
                Some('}') => {
                    self.at += 1;
                    return Ok(word.value);
                }
                Some('\\') => {
                    self.at += 1;
                    self.no_value_behind("a backslash")?;
                    let _ = self.step();
                }
                // What quotes mean within quotes is another thing in each shell.
                Some('\'' | '"') if quote == Quote::Double => {
                    self.unclear("quotes in a quoted `${…}`");
                    odd = true;
                    self.at += 1;
                }
                Some('\'') => {
                    self.at += 1;
                    self.single(&mut word)?;
                }
                Some('"') => {
                    self.at += 1;
                    self.double(Some(&mut word))?;
                }
                Some('$') => self.dollar(&mut word, quote)?,
                Some('`') => self.backtick(&mut word)?,
                Some(other) => self.at += other.len_utf8(),
                None => return Err(incomplete(began)),
            }
        }
    }

    /// A substitution in backticks, which end at the next one, whatever is quoted.
    fn backtick(&mut self, word: &mut Word) -> Found<()> {
        let began = self.at;
        self.at += 1;
        word.dynamic = true;
        let Some(length) = self.rest().find('`') else { return Err(incomplete(began)) };
        if self.rest()[..length].contains('\\') {
            self.unclear("a backslash in backticks");
            let mut escaped = false;
            while let Some(next) = self.step() {
                match next {
                    '`' if !escaped => return Ok(()),
                    '\\' => escaped = !escaped,
                    _ => escaped = false,
                }
                if let Some((variable, _)) = self.placeholder() {
                    return Err(cannot((variable, self.at), "in backticks with a backslash", "write $(…)"));
                }
            }
            return Err(incomplete(began));
        }
        let end = self.at + length;
        let outside = std::mem::replace(&mut self.limit, end);
        let waiting = std::mem::take(&mut self.waiting);
        let value = self.inside(|scanner| scanner.list(End::Text))?;
        if let Some(here) = self.waiting.first() {
            return Err(incomplete(here.at));
        }
        self.waiting = waiting;
        self.limit = outside;
        self.at = end + 1;
        word.take(value);
        Ok(())
    }
}
