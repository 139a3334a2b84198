//! `[[ … ]]` on one line, of words, `!`, `&&` and `||`.

use super::word::Mode;
use super::{Item, Reader, Res};
use crate::Dialect;
use crate::run::{self, Call};

impl Reader<'_, '_> {
    pub(super) fn condition(&mut self) -> Res<()> {
        if self.dialect == Dialect::Sh {
            return self.stop("`[[` is not for every sh; write `[ … ]`");
        }
        self.outside("`[[`")?;
        let start = self.pos;
        self.pos += 2;
        if !matches!(self.peek(), Some(b' ' | b'\t')) {
            return self.stop("put a blank behind `[[`");
        }
        let mut words: Vec<Item> = vec![Item::known("[[")];
        let mut operand = false;
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t')) {
                self.pos += 1;
            }
            if self.looking_at("]]") && self.is_end_of_token(2) && operand {
                self.pos += 2;
                break;
            }
            if (self.looking_at("&&") || self.looking_at("||")) && operand {
                words.push(Item::known(self.slice(self.pos, self.pos + 2)));
                self.pos += 2;
                operand = false;
                continue;
            }
            if self.is_end_of_token(0) || self.peek() == Some(b'#') || self.looking_at("]]") {
                return self.stop("this condition is not read alike by all shells; use words on one line, without `(`, `<`, `>`");
            }
            words.push(self.word(Mode::Condition)?);
            operand = true;
        }
        words.push(Item::known("]]"));
        let source = self.source(start);
        let via = self.via.clone();
        run::run(self, Call { words, assignments: Vec::new(), redirects: Vec::new(), via, source })?;
        self.behind_compound()
    }
}
