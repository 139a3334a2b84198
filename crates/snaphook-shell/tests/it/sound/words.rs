//! Words of generated texts: quotes, expansions, substitutions, patterns.

use super::compose::Composer;

const BARE: &[&str] = &[
    "a",
    "b1",
    "-rf",
    "-",
    "--",
    "x.y",
    "foo",
    "a=b",
    "--opt=v",
    "1",
    "0",
    "+x",
    "@",
    "%1",
    "a,b",
    "a:b",
    "é",
    "日本",
    "{}",
    "x/y",
    "rm",
    "in",
    "do",
    "done",
    "if",
    "fi",
    "one.txt",
    "]",
    "-n",
    "-e",
    "-eq",
    "=",
    "==",
    "!=",
    "a-b_c",
    "^a",
    "EOF",
    "E",
    "s/a/b/",
    "./x",
    "../x",
    "a@b",
    "HEAD~1",
    "HEAD^",
    "@{u}",
    "http://h/p?q=1",
    "x%y",
];
const ODD_BARE: &[&str] = &[
    "{",
    "}",
    "!",
    "[[",
    "]]",
    "#c",
    "a#c",
    "((",
    "))",
    "then",
    "~",
    "~/x",
    "~+",
    "~1",
    "=rm",
    "=",
    "[",
    "a[1]",
    "a[$X]",
    "[a",
    "{a",
    "a}",
    "^",
    "$",
    "a$",
    "$\"a\"",
    "\\",
    "+",
    "*",
    "?(a)",
    "@(a|b)",
    "!(a)",
    "a(b)",
    "(a)",
    "<1-2>",
    "{1..3}",
    "{a,b}c{d,e}",
    "{a,{b,c}}",
    "{a..c..2}",
    "{,}",
    "{a, b}",
    "%%",
    "%",
    "-",
    "--",
    "&",
    "|",
    ";",
    "<",
    ">",
    "\u{a0}",
    "\u{2028}",
    "\u{200b}",
    "x\u{feff}",
    "*(.)",
    "*(e:'rm q':)",
    "a~b",
    "^a",
    "**/x",
    "a(#q.)",
    "=(rm q)",
    "$[1+1]",
    "${ rm q; }",
    "${|rm q; }",
    "$(<one.txt)",
    "${(e)X}",
    "${X:=rm}",
    "${!X}",
    "${X@P}",
    "${X@Q}",
    "${a[$(rm q)]}",
    "${X:$(rm q)}",
    "${X/a/$(rm q)}",
    "${X:-`rm q`}",
    "${X:-'}'}",
    "${X:-\"}\"}",
    "${X#'}'}",
    "\"${X:-'}\"",
    "\"${X#'}'}\"",
    "${X:-a b}",
    "${X:-{}",
    "${X:-\\}}",
    "$((X))",
    "$((X++))",
    "$((a[$(rm q)]))",
    "$((1#2))",
    "$(($(rm q)))",
    "$(( `rm q` ))",
    "$((rm q);(rm r))",
    "$((rm q) )",
    "$((1)",
    "$X[1]",
    "$X[$(rm q)]",
    "$#X",
    "$12",
    "$?x",
    "$-x",
    "$!",
    "\"$!\"",
    "$'\\''",
    "$'a\\'b'",
    "$'\\x72m'",
    "$'\\u0041'",
    "$'\\cA'",
    "$'\\'",
    "\"!a\"",
    "!!",
    "!$",
    "a\\\nb",
    "'a\\\nb'",
    "\"a\\\nb\"",
    "a\\\r\nb",
    "\\\n#c",
    "a\t",
];
const IN_SINGLE: &[&str] = &[
    "",
    "a b",
    "#",
    ";rm q;",
    "$(rm q)",
    "`rm q`",
    "\\",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "E\n",
    "!",
    "é",
    "\"",
    "&&",
    "|",
    "[[",
    "]]",
    "*",
    "$X",
    " ",
    "\\\\",
    "\\n",
    "<<E",
    "a",
    "it",
    "s/x/y/g",
    "{print $1}",
    "$",
    "|| rm q",
    "case x in",
    "esac",
    "done",
];
const IN_DOUBLE: &[&str] = &[
    "", "a b", "#", ";rm q;", "\\$", "\\`", "\\\"", "\\\\", "\\n", "\n", "(", ")", "{", "}", "'", "''", "!",
    "é", "&&", "|", "[[", "*", " ", "$", "<<E", "a", "it's", "%", "$)", "$.", "\\a", "\\\n", "=", "~", "?",
    "{a,b}", "$%", "$'", "\\(", "\\)", "\\{",
];
const ESCAPED: &[&str] = &[
    "\\ ", "\\;", "\\&", "\\|", "\\$", "\\'", "\\\"", "\\\\", "\\(", "\\)", "\\#", "\\a", "\\n", "\\{",
    "\\}", "\\~", "\\*", "\\!", "\\<", "\\>", "\\`", "\\=", "\\[", "\\]",
];
const NAMES: &[&str] = &["X", "Y", "V", "E", "a", "n", "i", "HOME", "UNSET", "_"];
const SPECIAL: &[&str] =
    &["$1", "$2", "$@", "$*", "$#", "$?", "$$", "$-", "$0", "${1}", "${@}", "${#}", "${*}"];
const OPERATORS: &[&str] = &[
    ":-", "-", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//", ",,", "^^", ":1", ":0:1", ":-", ":-",
    "%", "#",
];
const OPERANDS: &[&str] = &[
    "a", "", "x.y", "a/b", "*", "*/", "?", "[ab]", "a-b", "~", "~/x", "=b", "@", "%",
    "a,b", "^", ".*", "+x", ":", "[^a]", "1",
];
const ARITHMETIC: &[&str] = &[
    "1+2",
    "1 + 2 * 3",
    "(1+2)*3",
    "n+1",
    "n",
    "$n",
    "${n}+1",
    "${#X}",
    "1<2",
    "1<<2",
    "1&&0",
    "1||0",
    "1?2:3",
    "-1",
    "~1",
    "n%2",
    "1==1",
    "!0",
    "a,b",
    " ( 1 ) ",
    "08",
    "0x1f",
    "$#",
    "$?",
];
const ODD_ARITHMETIC: &[&str] = &[
    "n=1",
    "n++",
    "--n",
    "n+=1",
    "a[1]",
    "a[$(rm q)]",
    "2#101",
    "$(rm q)",
    "`rm q`",
    "1)+(2",
    "rm q) ; (rm r",
    "X",
    "$X",
    "$1",
    "'1'",
    "\"1\"",
    "1 # 2",
    "\\\n1",
    "(1",
    "1))",
    "n<<=1",
    "1;2",
    "{1}",
    "${X:-1}",
    "${X:-$(rm q)}",
    "#",
    "case x in x) rm q;; esac",
];

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
        self.list();
        if !self.documents.is_empty() {
            if self.wild > 1 && self.rng.percent(20) {
                // left open: shells differ in where the body ends
                self.documents.clear();
            } else {
                self.line_end();
            }
        } else if self.rng.percent(20) {
            let text = self.rng.pick(&[" ", "
", ";", "
"]);
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
        let plain = !inner.contains(['`', '\\']) && !(self.quoted > 0 && inner.contains('"'));
        if plain || self.wild > 1 {
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
