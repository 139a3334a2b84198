//! From a raw word to the words that bash makes of it, as far as they are known. Looks at variables, changes none.

use super::ast::{Op, Param, Part, RawWord};
use super::brace::{self, Atom};
use super::env::Env;
use super::{Why, Word};

/// Longest value that is followed: `x=$x$x` doubles.
const MAX_VALUE: usize = 64 * 1024;

/// The words of an argument position: braces, variables, splitting, patterns.
pub(super) fn fields(raw: &RawWord, env: &Env) -> Vec<Word> {
    if let [Part::Lit(text)] = raw.parts.as_slice()
        && !text.contains(['{', '*', '?', '[', '~', '='])
    {
        return vec![Word::Known(text.clone())];
    }
    let mut atoms = Vec::new();
    for (index, part) in raw.parts.iter().enumerate() {
        match part {
            Part::Lit(text) => atoms.extend(text.chars().map(Atom::Char)),
            _ => atoms.push(Atom::Opaque(index)),
        }
    }
    let Some(words) = brace::expand(&atoms) else { return vec![Word::unknown(&raw.text, true)] };
    if env.no_braces && words.as_slice() != [atoms.clone()] {
        return vec![Word::unknown(&raw.text, true)];
    }
    let mut out = Vec::new();
    for word in words {
        let mut builder = Builder::new(&raw.text, env);
        for atom in &word {
            match atom {
                Atom::Char(plain) => builder.plain(*plain),
                Atom::Opaque(index) => {
                    if let Some(part) = raw.parts.get(*index) {
                        builder.part(part);
                    }
                }
            }
        }
        out.extend(builder.finish());
    }
    out
}

/// One word where bash neither splits nor matches: assignments, `case`, here-strings.
pub(super) fn single(raw: &RawWord, env: &Env) -> Word {
    let tilde = match raw.parts.first() {
        Some(Part::Lit(text)) if text.starts_with('~') => true,
        _ => raw.parts.iter().any(|part| matches!(part, Part::Lit(text) if text.contains(":~"))),
    };
    if tilde {
        return Word::Unknown { text: raw.text.clone(), prefix: String::new(), why: Why::Tilde, many: false };
    }
    quoted(&raw.parts, &raw.text, env)
}

/// The value of parts that are joined without splitting.
pub(super) fn quoted(parts: &[Part], text: &str, env: &Env) -> Word {
    let mut value = String::new();
    for part in parts {
        let known = match part {
            Part::Lit(text) | Part::Quoted(text) => Some(text.clone()),
            Part::Double(inner) => quoted(inner, "", env).known().map(str::to_owned),
            Part::Param(param) => param_value(param, env),
            _ => None,
        };
        match known.filter(|known| known.len() + value.len() <= MAX_VALUE) {
            Some(known) => value.push_str(&known),
            None => {
                return Word::Unknown {
                    text: text.to_owned(),
                    prefix: value,
                    why: Why::Expansion,
                    many: false,
                };
            }
        }
    }
    Word::Known(value)
}

fn param_value(param: &Param, env: &Env) -> Option<String> {
    if param.indirect || param.subscript.is_some() {
        return None;
    }
    let value = match param.name.parse::<usize>() {
        Ok(index) => env.positional.as_ref()?.get(index)?.known()?,
        Err(_) => env.get(&param.name)?,
    };
    match &param.op {
        Op::None => Some(value.to_owned()),
        Op::Length => Some(value.chars().count().to_string()).filter(|_| value.is_ascii()),
        Op::Cond { kind: b'+', .. } if !value.is_empty() => None,
        Op::Cond { kind: b'-' | b'=' | b'?', .. } if !value.is_empty() => Some(value.to_owned()),
        _ => None,
    }
}

/// Builds the words of one brace alternative.
struct Builder<'a> {
    source: &'a str,
    env: &'a Env,
    out: Vec<Word>,
    text: String,
    /// Whether the current word exists even if it is empty.
    started: bool,
    /// Whether unquoted characters came so far, for a tilde at the start.
    fresh: bool,
    bracket: bool,
    equals: bool,
    unknown: Option<(Why, String)>,
    many: bool,
    /// Whether a variable's value put unquoted text into the word.
    from_value: bool,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, env: &'a Env) -> Self {
        Self {
            source,
            env,
            out: Vec::new(),
            text: String::new(),
            started: false,
            fresh: true,
            bracket: false,
            equals: false,
            unknown: None,
            many: false,
            from_value: false,
        }
    }

    fn cloud(&mut self, why: Why) {
        // an expansion is stronger than a pattern: what follows the pattern is open as well
        if self.unknown.is_none() {
            self.unknown = Some((why, self.text.clone()));
        } else if why == Why::Expansion
            && let Some((old, _)) = &mut self.unknown
        {
            *old = why;
        }
    }

    fn plain(&mut self, plain: char) {
        if plain == '~' && (self.fresh || (self.equals && self.text.ends_with(['=', ':']))) {
            self.cloud(Why::Tilde);
        }
        self.equals |= plain == '=';
        self.live(plain);
        self.fresh = false;
    }

    /// An unquoted character, from the text or from a value.
    fn live(&mut self, plain: char) {
        match plain {
            '*' | '?' => self.cloud(Why::Glob),
            ']' if self.bracket => self.cloud(Why::Glob),
            '[' => self.bracket = true,
            _ => {}
        }
        self.text.push(plain);
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Lit(text) => text.chars().for_each(|plain| self.plain(plain)),
            Part::Quoted(text) => {
                self.started = true;
                self.text.push_str(text);
            }
            Part::Double(inner) => self.double(inner),
            Part::Param(param) => self.param(param),
            Part::Process(_) => self.cloud(Why::Expansion),
            Part::Command(_) | Part::Arith(_) => {
                self.cloud(Why::Expansion);
                self.many = true;
            }
            Part::Pattern(_) => self.cloud(Why::Glob),
            Part::Array(_) => self.cloud(Why::Expansion),
        }
        self.fresh = false;
    }

    fn double(&mut self, inner: &[Part]) {
        if let [Part::Param(param)] = inner
            && param.name == "@"
        {
            self.all_positional(param);
            return;
        }
        self.started = true;
        // `"a$@b"` may be several words, `"${x[@]}"` none
        let list = |part: &Part| matches!(part, Part::Param(param) if param.name == "@" || param.subscript.is_some() || param.indirect);
        match quoted(inner, "", self.env) {
            Word::Known(value) => self.text.push_str(&value),
            Word::Unknown { prefix, .. } => {
                if self.unknown.is_none() {
                    self.text.push_str(&prefix);
                }
                self.cloud(Why::Expansion);
                self.many |= inner.iter().any(list);
            }
        }
    }

    fn all_positional(&mut self, param: &Param) {
        let words = match (&self.env.positional, &param.op) {
            (Some(words), Op::None) if !param.indirect => words.get(1..).unwrap_or_default(),
            _ => {
                self.cloud(Why::Expansion);
                self.many = true;
                return;
            }
        };
        let whole = self.text.is_empty() && !self.started && self.source == "\"$@\"";
        if whole {
            self.out.extend(words.iter().cloned());
        } else {
            self.cloud(Why::Expansion);
            self.many = true;
        }
    }

    fn param(&mut self, param: &Param) {
        let value = param_value(param, self.env).filter(|value| {
            !self.env.ifs_touched && !value.contains('\\') && self.text.len() + value.len() <= MAX_VALUE
        });
        let Some(value) = value else {
            self.cloud(Why::Expansion);
            self.many = true;
            return;
        };
        self.from_value = true;
        for plain in value.chars() {
            match plain {
                ' ' | '\t' | '\n' => self.split(),
                other => self.live(other),
            }
        }
    }

    fn split(&mut self) {
        if self.started || !self.text.is_empty() || self.unknown.is_some() {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let word = match self.unknown.take() {
            Some((why, prefix)) => {
                // a pattern in a value is shown as the value, one in the text as it stands there
                let shown = if why == Why::Glob && self.from_value { &text } else { self.source };
                Word::Unknown { text: shown.to_owned(), prefix, why, many: self.many || why == Why::Glob }
            }
            None => Word::Known(text),
        };
        self.out.push(word);
        self.started = false;
        self.bracket = false;
        self.many = false;
    }

    fn finish(mut self) -> Vec<Word> {
        self.split();
        self.out
    }
}
