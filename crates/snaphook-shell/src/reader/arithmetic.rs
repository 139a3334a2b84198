//! `$((…))` of numbers, names and operators. Shells evaluate the values of names as expressions, so each name is noted.

use super::{Reader, Res, in_name, starts_name};
use crate::expansion::is_number;
use crate::run;

impl<'t> Reader<'t, '_> {
    /// Reads `$((…))`.
    pub(super) fn arithmetic(&mut self) -> Res<()> {
        let start = self.pos;
        self.pos += 3;
        let mut open = 0_usize;
        let mut names: Vec<&str> = Vec::new();
        let mut positional = false;
        loop {
            let Some(byte) = self.peek() else { return self.bad_arithmetic() };
            let from = self.pos;
            self.pos += 1;
            match byte {
                b' ' | b'\t' | b'*' | b'/' | b'%' | b'~' | b'?' | b':' | b',' | b'^' => {}
                b'&' | b'|' => {}
                b'+' | b'-' => {
                    if matches!(self.peek(), Some(next) if next == byte || next == b'=') {
                        return self.bad_arithmetic();
                    }
                }
                b'<' | b'>' => {
                    if self.peek() == Some(byte) {
                        self.pos += 1;
                        if self.peek() == Some(b'=') {
                            return self.bad_arithmetic();
                        }
                    } else if self.peek() == Some(b'=') {
                        self.pos += 1;
                    }
                }
                b'!' => {
                    if self.peek() == Some(b'=') {
                        self.pos += 1;
                    }
                }
                b'=' => {
                    if self.peek() != Some(b'=') {
                        return self.bad_arithmetic();
                    }
                    self.pos += 1;
                    if self.peek() == Some(b'=') {
                        return self.bad_arithmetic();
                    }
                }
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => {
                    if self.peek() != Some(b')') {
                        return self.bad_arithmetic();
                    }
                    self.pos += 1;
                    break;
                }
                b'$' => {
                    let braced = self.peek() == Some(b'{');
                    self.pos += usize::from(braced);
                    let length = braced && self.peek() == Some(b'#');
                    self.pos += usize::from(length);
                    let name = self.run_of_name();
                    let special = name.is_empty() && !length && matches!(self.peek(), Some(b'#' | b'?'));
                    self.pos += usize::from(special);
                    if name.is_empty() && !special || braced && self.peek() != Some(b'}') {
                        return self.bad_arithmetic();
                    }
                    self.pos += usize::from(braced);
                    if !braced && self.peek() == Some(b'[') {
                        return self.bad_arithmetic();
                    }
                    if is_number(name) {
                        if !braced && name.len() > 1 {
                            return self.bad_arithmetic();
                        }
                        positional |= !length;
                    } else if !name.is_empty() && !length {
                        if !name.bytes().next().is_some_and(starts_name) {
                            return self.bad_arithmetic();
                        }
                        names.push(name);
                    }
                }
                _ if in_name(byte) => {
                    self.pos = from;
                    let name = self.run_of_name();
                    self.note_name(from);
                    if starts_name(byte) {
                        names.push(name);
                    }
                }
                _ => return self.bad_arithmetic(),
            }
        }
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let source = self.source(start);
        let via = self.via.clone();
        for name in names {
            self.out.evaluate(&name, &source, &via);
        }
        if positional {
            run::dynamic(self, "$1", "arithmetic", &via, &source)?;
        }
        Ok(())
    }

    fn run_of_name(&mut self) -> &'t str {
        let from = self.pos;
        while self.peek().is_some_and(in_name) {
            self.pos += 1;
        }
        self.slice(from, self.pos)
    }

    fn bad_arithmetic<T>(&self) -> Res<T> {
        self.stop("this arithmetic is not read alike by all shells; use numbers, names and plain operators, and assign with `x=$((…))`")
    }
}
