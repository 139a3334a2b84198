//! Words of generated texts: quotes, expansions, substitutions, patterns.

use super::compose::Composer;
use super::word_lists::{
    ARITHMETIC, BARE, ESCAPED, IN_DOUBLE, IN_SINGLE, NAMES, ODD_ARITHMETIC, ODD_BARE, OPERANDS, OPERATORS,
    SPECIAL,
};

impl Composer<'_> {
    /// One word.
    pub fn word(&mut self) {
        if self.wild > 0 && self.rng.percent(4) && self.open() {
            // a word of its own
            let open =
                if self.wild > 1 && self.rng.percent(10) { "=(" } else { self.rng.pick(&["<(", ">("]) };
            self.inside(open, ")");
            return;
        }
        let count = [1, 1, 1, 1, 2, 2, 3][self.rng.below(7)];
        for _ in 0..count {
            self.part();
        }
    }

    fn part(&mut self) {
        if self.wild > 1 && self.rng.percent(7) {
            let text = self.rng.pick(ODD_BARE);
            return self.put(text);
        }
        match self.rng.below(26) {
            0..=8 => {
                let text = self.rng.pick(BARE);
                self.put(text);
            }
            9..=11 => {
                let text = self.rng.pick(IN_SINGLE);
                self.put("'");
                self.put(text);
                self.put("'");
            }
            12..=15 => self.double_quoted(),
            16 => {
                let text = self.rng.pick(ESCAPED);
                self.put(text);
            }
            17 | 18 => self.variable(),
            19 => self.parameter(),
            20 | 21 => self.command_substitution(),
            22 => self.backquoted(),
            23 => self.arithmetic(),
            24 => {
                let text = self.rng.pick(&[
                    "*", "*.txt", "?ne.txt", "[ot]*", "[!a]*", "~", "~/x", "{a,b}", "{1..3}", "x{a,b}y",
                    "*.none", "{a,*}",
                ]);
                self.put(text);
            }
            _ if self.wild > 0 => {
                let text = self.rng.pick(&[
                    "$'a b'",
                    "$'\\n'",
                    "$'\\x41'",
                    "$'a\\tb'",
                    "$'#'",
                    "$';rm q;'",
                    "$'\\\\'",
                    "$'\"'",
                ]);
                self.put(text);
            }
            _ => {
                let text = self.rng.pick(BARE);
                self.put(text);
            }
        }
    }

    pub fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.rng.below(3) + 1 {
            match self.rng.below(12) {
                0..=4 => {
                    let text = self.rng.pick(IN_DOUBLE);
                    self.put(text);
                }
                5 | 6 => self.variable(),
                7 => {
                    self.quoted += 1;
                    self.parameter();
                    self.quoted -= 1;
                }
                8 | 9 => self.command_substitution(),
                10 => {
                    self.quoted += 1;
                    self.backquoted();
                    self.quoted -= 1;
                }
                _ => self.arithmetic(),
            }
        }
        self.put("\"");
    }

    pub fn variable(&mut self) {
        if self.rng.percent(25) {
            let text = self.rng.pick(SPECIAL);
            return self.put(text);
        }
        let name = self.rng.pick(NAMES);
        let text = match self.rng.below(6) {
            0..=2 => format!("${{{name}}}"),
            3 if self.wild > 0 => {
                self.rng.pick(&["${a[@]}", "${a[*]}", "${a[1]}", "${#a[@]}", "${a[0]}"]).to_owned()
            }
            _ => format!("${name}"),
        };
        self.put(&text);
    }

    fn parameter(&mut self) {
        let name = self.rng.pick(NAMES);
        let operator = self.rng.pick(OPERATORS);
        self.put("${");
        if self.rng.percent(10) {
            self.put("#");
            self.put(name);
        } else {
            self.put(name);
            self.put(operator);
            if !operator.starts_with(":0") && !operator.starts_with(":1") && !matches!(operator, ",," | "^^")
            {
                match self.rng.below(10) {
                    0 => self.variable(),
                    1 if self.open() => self.command_substitution(),
                    2 if self.quoted > 0 => self.put("a b"),
                    3 if self.wild > 1 => {
                        let text = self.rng.pick(&[
                            "'", "\"", "a b", "{", "(", ")", "#", "'a'", "\"a b\"", "`rm q`", ";", "&", "\n",
                            "\\\n", "}", "$",
                        ]);
                        self.put(text);
                    }
                    _ => {
                        let text = self.rng.pick(OPERANDS);
                        self.put(text);
                    }
                }
                if operator == "/" || operator == "//" {
                    self.put("/");
                    let text = self.rng.pick(OPERANDS);
                    self.put(text);
                }
            }
        }
        self.put("}");
    }

    pub fn command_substitution(&mut self) {
        if !self.open() {
            return self.variable();
        }
        self.inside("$(", ")");
    }

    /// A list between `open` and `close`, whose here-documents are its own.
    pub fn inside(&mut self, open: &str, close: &str) {
        self.put(open);
        let outer = std::mem::take(&mut self.documents);
        let quoted = std::mem::replace(&mut self.quoted, 0);
        self.depth += 1;
        self.substitution += 1;
        if self.rng.percent(15) {
            self.line_end();
        } else if self.rng.percent(20) {
            self.put(" ");
        }
        if self.rng.percent(12) {
            // shells differ most in here-documents inside substitutions
            self.put("cat ");
            self.document();
            if self.rng.percent(40) {
                self.line_end();
                self.list();
            }
        } else {
            self.list();
        }
        if !self.documents.is_empty() {
            if self.wild > 1 && self.rng.percent(20) {
                // left open: shells differ in where the body ends
                self.documents.clear();
            } else {
                self.line_end();
            }
        } else if self.rng.percent(20) {
            let text = self.rng.pick(&[
                " ", "
", ";", "
",
            ]);
            self.put(text);
        }
        self.substitution -= 1;
        self.depth -= 1;
        self.quoted = quoted;
        self.documents = outer;
        self.put(close);
    }

    fn backquoted(&mut self) {
        if !self.open() {
            return self.variable();
        }
        let inner = self.nested(1);
        let odd = inner.contains(['`', '\\']) || self.quoted > 0 && inner.contains('"');
        if !odd || self.wild > 1 {
            let inner = if self.wild > 1 && self.rng.percent(50) {
                inner.replace('\\', "\\\\").replace('`', "\\`")
            } else {
                inner
            };
            self.put("`");
            self.put(&inner);
            self.put("`");
        } else {
            self.put("`ls bq`");
        }
    }

    fn arithmetic(&mut self) {
        let text = if self.wild > 1 && self.rng.percent(20) {
            self.rng.pick(ODD_ARITHMETIC)
        } else {
            self.rng.pick(ARITHMETIC)
        };
        self.put("$((");
        self.put(text);
        self.put("))");
    }
}
