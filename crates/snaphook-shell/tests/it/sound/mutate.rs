//! Changes texts: bytes, tokens, joined lines, pieces of other texts.

use super::rng::Rng;

const BYTES: &[&str] = &[
    "'", "\"", "`", "\\", "$", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";", "#", "!", "~", "*",
    "?", "=", "\n", "\t", " ", "-", "+", "@", "%", "^", ",", ":", ".", "/", "_", "a", "E", "x", "0", "1",
    "2", "9",
];
const TOKENS: &[&str] = &[
    "\\\n",
    "\\\n",
    "\\\n",
    "$(",
    "$((",
    "${",
    "<(",
    ">(",
    "=(",
    "((",
    "))",
    "[[",
    "]]",
    "[[ ",
    " ]]",
    "&&",
    "||",
    ";;",
    ";&",
    "|&",
    "&>",
    "<<",
    "<<-",
    "<<<",
    "<&",
    ">&",
    ">|",
    "<>",
    "<<E",
    "\nE\n",
    "\nE)",
    "; rm hit; ",
    "\nrm hit\n",
    "$(rm hit)",
    "`rm hit`",
    " rm hit ",
    "; rm hit #",
    ")#",
    " #",
    "#",
    "'\\''",
    "\"'\"",
    "$'",
    "$\"",
    "$[",
    "esac",
    ";; esac",
    "case x in ",
    "x) ",
    "(x) ",
    "if ",
    "then ",
    "else ",
    "fi ",
    "do ",
    "done ",
    "while ",
    "for i in ",
    "{ ",
    "}",
    "; }",
    "f() ",
    "function ",
    "select ",
    "coproc ",
    "time ",
    "! ",
    "repeat 1 ",
    "a=",
    "a=(",
    "X=",
    "a[",
    "${X",
    "${#",
    "${!",
    "@P}",
    ":-",
    "//",
    "&!",
    "&|",
    ">!",
    "{V}>",
    "eval ",
    "sh -c ",
    "exec ",
    "command ",
    "env ",
    "xargs ",
    "-c",
    "--",
    "!!",
    "!$",
    "^",
    "~+",
    "*(",
    "?(",
    "@(",
    "!(",
    "+(",
    "<<'E'",
    "<<\\E",
    "alias ",
    "é",
    "\\",
    "\\\\",
    "\\\\\n",
    "''",
    "\"\"",
    "$",
    "$$",
    "$#",
    "$@",
    "&;",
    "; ;",
    "()",
    "( )",
    "{}",
    "{ }",
    "in ",
    " in",
    "[",
    "]",
    "-v ",
    "=~ ",
];

const EXOTIC: &[&str] = &[
    "\r", "\r\n", "\u{a0}", "\u{2028}", "\u{3000}", "\u{feff}", "\u{85}", "\u{b}", "\u{c}", "\u{1}", "\u{7f}",
];

/// One to three changes to `text`; `other` is a text to take pieces from.
pub fn mutate(rng: &mut Rng, text: &str, other: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..[1, 1, 1, 1, 1, 2, 2, 3][rng.below(8)] {
        step(rng, &mut chars, other);
    }
    chars.into_iter().filter(|char| *char != '\0').collect()
}

fn step(rng: &mut Rng, chars: &mut Vec<char>, other: &str) {
    let at = rng.below(chars.len() + 1);
    let has = at < chars.len();
    match rng.below(14) {
        0 | 1 => insert(chars, at, rng.pick(BYTES)),
        2..=5 => insert(chars, at, rng.pick(TOKENS)),
        6 | 7 if has => {
            chars.remove(at);
        }
        8 if has => {
            chars.remove(at);
            insert(chars, at, rng.pick(BYTES));
        }
        // refused wherever they stand
        13 if rng.percent(10) => insert(chars, at, rng.pick(EXOTIC)),
        9 if at + 1 < chars.len() => chars.swap(at, at + 1),
        10 if has => {
            let end = at + rng.below((chars.len() - at).min(20)) + 1;
            let copy: String = chars[at..end].iter().collect();
            let to = rng.below(chars.len() + 1);
            insert(chars, to, &copy);
        }
        11 if has => {
            let end = at + rng.below((chars.len() - at).min(12)) + 1;
            chars.drain(at..end);
        }
        12 => {
            let from: Vec<char> = other.chars().collect();
            if !from.is_empty() {
                let start = rng.below(from.len());
                let end = start + rng.below((from.len() - start).min(60)) + 1;
                let piece: String = from[start..end].iter().collect();
                insert(chars, at, &piece);
            }
        }
        // a joined line in the midst of whatever it is
        _ => insert(chars, at, "\\\n"),
    }
}

fn insert(chars: &mut Vec<char>, at: usize, text: &str) {
    chars.splice(at..at, text.chars());
}
