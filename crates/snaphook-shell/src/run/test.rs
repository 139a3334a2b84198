//! `[`, `test` and `[[`: which of their operands a shell evaluates. `-v` takes a subscript and `[[ -eq` an expression, in
//! which bash and others run substitutions.

use super::{Call, Item, Reader, Res, emit};
use crate::expansion::{Variable, is_number};
use crate::reader;
use crate::{Dialect, Word};

const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
const BINARY: [&str; 11] = ["=", "==", "!=", "=~", "<", ">", "-nt", "-ot", "-ef", "-a", "-o"];
const UNARY: &str = "abcdefghknoprstuwxzGLNOS";

/// Returns whether a word is a binary operator.
fn is_binary(item: &Item) -> bool {
    let text = match &item.word {
        Word::Known(text) => text.as_str(),
        // zsh may put something else in the place of `==`, and then nothing runs
        Word::Unknown { text, .. } if text == "==" || text == "=~" => text.as_str(),
        Word::Unknown { .. } => return false,
    };
    NUMERIC.contains(&text) || BINARY.contains(&text)
}

fn is_unary(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|letter| letter.len() == 1 && UNARY.contains(letter))
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str) -> Res<()> {
    // mksh, which is `/bin/sh` on some systems, evaluates numbers in `[` as well
    let double = name == "[[";
    let numbers = double || reader.dialect == Dialect::Sh;
    let end = call.words.len() - usize::from(name != "test" && call.words.len() > 1);
    let words = call.words.get(1..end).unwrap_or_default().to_vec();
    let mut certain =
        name == "test" || call.words.last().is_some_and(|word| word.word == "]" || word.word == "]]");
    let mut evaluated: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() && certain {
        let Some(item) = words.get(at) else { break };
        let known = item.word.known();
        let left = words.len() - at;
        if matches!(known, Some("!" | "(" | ")" | "&&" | "||" | "-a" | "-o"))
            && !words.get(at + 1).is_some_and(is_binary)
        {
            at += 1;
            continue;
        }
        if left >= 3 && words.get(at + 1).is_some_and(is_binary) {
            let operator = words.get(at + 1).and_then(|item| item.word.known()).unwrap_or_default();
            let right = words.get(at + 2);
            let sides = [Some(item), right];
            let literal = |item: &Item| item.word.known().is_none_or(is_number);
            certain &= !NUMERIC.contains(&operator) || sides.into_iter().flatten().all(literal);
            for side in sides.into_iter().flatten() {
                certain &= operand(side, double, numbers && NUMERIC.contains(&operator), &mut evaluated);
            }
            at += 3;
            continue;
        }
        match known {
            Some("-v" | "-R") => {
                certain &= words.get(at + 1).and_then(|item| item.word.known()).is_some_and(reader::is_name);
                at += 2;
            }
            Some(text) if is_unary(text) && left >= 2 => {
                // `-t` takes a number, in some shells an expression
                let side = words.get(at + 1);
                certain &=
                    side.is_some_and(|side| operand(side, double, numbers && text == "-t", &mut evaluated));
                at += 2;
            }
            _ => {
                // a word alone: where it is not known and another follows, it may be an operator
                let alone = left == 1
                    || words.get(at + 1).is_some_and(|next| {
                        matches!(next.word.known(), Some("&&" | "||" | "-a" | "-o" | ")"))
                    });
                certain &= alone && operand(item, double, false, &mut evaluated);
                at += 1;
            }
        }
    }
    for name in evaluated {
        reader.out.evaluate(&name, &call.source, &call.via);
    }
    emit(reader, call, !certain, None)
}

/// Returns whether an operand runs nothing. Where that depends on what the text assigns, its name is noted.
fn operand(item: &Item, double: bool, number: bool, evaluated: &mut Vec<String>) -> bool {
    match &item.word {
        Word::Known(text) if number && !is_number(text) => false,
        Word::Known(_) => true,
        Word::Unknown { .. } if item.variable == Some(Variable::Number) => true,
        Word::Unknown { many, .. } => {
            let split = *many && !double;
            if !split && !number {
                return true;
            }
            match &item.variable {
                // a value from outside of the text: one word, or a number
                Some(Variable::Name(name)) => {
                    evaluated.push(name.clone());
                    true
                }
                _ => false,
            }
        }
    }
}
