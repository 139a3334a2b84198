//! Composes texts from every construct of shell grammar. `words` has the words, `commands` the simple commands.

use super::rng::Rng;

/// A here-document whose body is still to come.
#[derive(Debug)]
pub struct Document {
    pub delimiter: String,
    pub quoted: bool,
    pub tabs: bool,
}

/// Writes one text.
pub struct Composer<'a> {
    pub rng: &'a mut Rng,
    pub out: String,
    pub depth: u32,
    /// The number of substitutions and pairs of double quotes that are open here.
    pub substitution: u32,
    pub quoted: u32,
    /// 0: what all shells share; 1: also what bash, zsh and ksh share; 2: also what must be refused.
    pub wild: u8,
    pub documents: Vec<Document>,
}

/// A text by the generator alone.
pub fn compose(rng: &mut Rng) -> String {
    let wild = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2][rng.below(10)];
    let mut composer = Composer {
        rng,
        out: String::new(),
        depth: 0,
        substitution: 0,
        quoted: 0,
        wild,
        documents: Vec::new(),
    };
    composer.text();
    composer.out
}

impl Composer<'_> {
    pub fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Returns whether there is room for a construct inside this one.
    pub fn open(&mut self) -> bool {
        self.depth < 5 && self.out.len() < 400 && self.rng.percent(100 - 12 * self.depth as usize)
    }

    fn text(&mut self) {
        let lines = [1, 1, 1, 2, 2, 3, 4][self.rng.below(7)];
        for line in 0..lines {
            if line > 0 {
                self.line_end();
            }
            self.list();
        }
        if !self.documents.is_empty() || self.rng.percent(10) {
            self.line_end();
        }
    }

    /// A text of its own, to be quoted or put into backquotes.
    pub fn nested(&mut self, most_lines: usize) -> String {
        let (out, documents) = (std::mem::take(&mut self.out), std::mem::take(&mut self.documents));
        let (quoted, substitution) =
            (std::mem::replace(&mut self.quoted, 0), std::mem::replace(&mut self.substitution, 0));
        self.depth += 1;
        for line in 0..self.rng.below(most_lines) + 1 {
            if line > 0 {
                self.line_end();
            }
            self.list();
        }
        if !self.documents.is_empty() {
            self.line_end();
        }
        self.depth -= 1;
        (self.quoted, self.substitution) = (quoted, substitution);
        self.documents = documents;
        std::mem::replace(&mut self.out, out)
    }

    /// A newline, then the bodies of the here-documents that wait for one.
    pub fn line_end(&mut self) {
        if self.rng.percent(6) && self.documents.is_empty() && (self.substitution == 0 || self.wild > 1) {
            let comment = self.rng.pick(&[
                " # it's",
                " #c",
                " # a; rm q",
                "\n#c \\",
                "\n# $(",
                "\n#`",
                " # <<E",
                "\n#'\"",
                " #)",
            ]);
            self.put(comment);
        }
        self.put("\n");
        for document in std::mem::take(&mut self.documents) {
            self.body(&document);
        }
        if self.rng.percent(10) {
            let text = self.rng.pick(&["\n", "  ", "\t", "\n\n"]);
            self.put(text);
        }
    }

    fn body(&mut self, document: &Document) {
        for _ in 0..self.rng.below(3) {
            if document.tabs && self.rng.percent(50) {
                self.put("\t");
            }
            let delimiter = &document.delimiter;
            let odd = [
                format!("{delimiter})"),
                format!("{delimiter}; rm q"),
                format!(" {delimiter}"),
                format!("{delimiter} "),
                format!("{delimiter}x"),
                format!("\t{delimiter}"),
                format!("x{delimiter}"),
                format!("{delimiter}\\"),
                format!("{delimiter}`"),
                format!("{delimiter}\""),
                "a\\".to_owned(),
                "$X\\".to_owned(),
                "$(rm \\".to_owned(),
            ];
            if self.wild > 1 && self.rng.percent(25) {
                let text = odd[self.rng.below(odd.len())].clone();
                self.put(&text);
            } else {
                match self.rng.below(8) {
                    0 if !document.quoted && self.open() => self.command_substitution(),
                    1 if !document.quoted => self.variable(),
                    2 if document.quoted => self.put("$(rm q) `rm q` $X ${"),
                    3 => self.put("it's a \"body\" (with) {things}; rm q"),
                    _ => {
                        let text = self.rng.pick(&[
                            "a b",
                            "rm q",
                            "'",
                            "\"",
                            ")",
                            "(",
                            "# c",
                            "if",
                            "case x in",
                            "<<F",
                            "a & b",
                            "",
                            "\\\\",
                            "é",
                            "}",
                            "esac",
                        ]);
                        self.put(text);
                    }
                }
            }
            self.put("\n");
        }
        if document.tabs && self.rng.percent(50) {
            self.put("\t");
        }
        self.put(&document.delimiter);
        self.put("\n");
    }

    /// Writes what stands between two commands.
    fn separator(&mut self) {
        match self.rng.below(14) {
            0..=3 => self.put("; "),
            4 => self.put(";"),
            5 | 6 => self.put(" && "),
            7 => self.put(" || "),
            8 => self.put(" & "),
            9 if self.documents.is_empty() => {
                let text =
                    self.rng.pick(&[" &&\n", " ||\n", " |\n", "&&", "||", "|", "&", " | # c\n", " && #c\n"]);
                self.put(text);
            }
            10 if self.wild > 0 => {
                let text = self.rng.pick(&[" |& ", "|&"]);
                self.put(text);
            }
            11 if self.wild > 1 => {
                let text = self.rng.pick(&[
                    "&|", "&!", " ;; ", "; ;", "\\\n;", "&\\\n&", "|\\\n|", "&&\\\n", " ;\\\n ", "&;", "|;",
                    ";&", "\r\n", "\u{2028}",
                ]);
                self.put(text);
            }
            12 => self.put(" | "),
            _ => self.line_end(),
        }
    }

    pub fn list(&mut self) {
        for number in 0..[1, 1, 1, 2, 2, 3][self.rng.below(6)] {
            if number > 0 {
                self.separator();
            }
            if self.rng.percent(4) {
                self.put("! ");
            }
            if self.rng.percent(2) {
                let text = self.rng.pick(&["time ", "time -p "]);
                self.put(text);
                self.plain();
                continue;
            }
            self.command();
        }
    }

    fn command(&mut self) {
        if !self.open() || self.rng.percent(62) {
            return self.simple();
        }
        match self.rng.below(20) {
            0 | 1 => self.block("(", ")"),
            2 | 3 => self.block("{ ", "}"),
            4 | 5 => self.conditional(),
            6 | 7 => self.repetition(),
            8 | 9 => self.iteration(),
            10..=12 => self.case(),
            13 | 14 if self.substitution == 0 || self.wild > 1 => self.function(),
            15 if self.wild > 0 => self.double_bracket(),
            16 => self.single_bracket(),
            17 | 18 if self.wild > 1 => self.odd_compound(),
            _ => self.simple(),
        }
        if self.rng.percent(15) {
            self.put(" ");
            self.redirect();
        }
    }

    /// A list that a reserved word or a bracket follows.
    fn body_list(&mut self) {
        self.depth += 1;
        self.list();
        self.depth -= 1;
        if self.documents.is_empty() && self.rng.percent(60) && !self.out.ends_with(['&', '\n', ';']) {
            self.put("; ");
        } else if self.documents.is_empty() && self.out.ends_with(['&', '\n', ';']) {
            self.put(" ");
        } else {
            self.line_end();
        }
    }

    fn block(&mut self, open: &str, close: &str) {
        self.put(open);
        if self.rng.percent(10) {
            self.line_end();
        }
        self.body_list();
        self.put(close);
    }

    fn conditional(&mut self) {
        self.put("if ");
        self.body_list();
        self.put("then ");
        self.body_list();
        if self.rng.percent(20) {
            self.put("elif ");
            self.body_list();
            self.put("then ");
            self.body_list();
        }
        if self.rng.percent(40) {
            self.put("else ");
            self.body_list();
        }
        self.put("fi");
    }

    /// Loops end: a stub that fails or succeeds, a `break`, or the end of input.
    fn repetition(&mut self) {
        match self.rng.below(4) {
            0 => {
                self.put("while foo ");
                self.word();
                self.put("; do ");
                self.body_list();
                self.put("break; done");
            }
            1 => {
                self.put("until no; do ");
                self.body_list();
                self.put("break\ndone");
            }
            2 => {
                self.put("while no || ");
                self.simple();
                self.line_end();
                self.put("do ");
                self.body_list();
                self.put("break; done");
            }
            _ => {
                let read = self.rng.pick(&[
                    "while read -r l; do ",
                    "while IFS= read -r X; do ",
                    "while read a b\ndo ",
                ]);
                self.put(read);
                self.body_list();
                self.put("done");
                let from = self.rng.pick(&[" < one.txt", " <one.txt", " <<< a", " </dev/null"]);
                self.put(if self.wild == 0 && from.contains("<<<") { " <two.txt" } else { from });
            }
        }
    }

    fn iteration(&mut self) {
        self.put("for ");
        let name = self.rng.pick(&["i", "x", "X", "f"]);
        self.put(name);
        if self.rng.percent(85) {
            self.put(" in");
            for _ in 0..self.rng.below(4) {
                self.put(" ");
                self.word();
            }
            if self.rng.percent(50) || !self.documents.is_empty() {
                self.line_end();
            } else {
                self.put("; ");
            }
        } else {
            let text = self.rng.pick(&["; ", "\n", " "]);
            self.put(text);
        }
        self.put("do ");
        self.body_list();
        self.put("done");
    }

    fn case(&mut self) {
        self.put("case ");
        self.word();
        self.put(" in");
        let text = self.rng.pick(&[" ", "\n", " \n "]);
        self.put(text);
        let arms = self.rng.below(3);
        for arm in 0..arms {
            if self.substitution > 0 && self.wild < 2 || self.rng.percent(30) {
                self.put("(");
            }
            for alternative in 0..self.rng.below(2) + 1 {
                if alternative > 0 {
                    self.put(self.rng.clone().pick(&["|", " | "]));
                }
                let text = self.rng.pick(&[
                    "*", "a", "b*", "?", "[ab]", "[!a]*", "-*", "'a b'", "\"$X\"", "$X", "\\*", "x.y",
                    "esac2", "é",
                ]);
                self.put(text);
            }
            self.put(") ");
            if self.rng.percent(85) {
                self.depth += 1;
                self.list();
                self.depth -= 1;
            }
            if !self.documents.is_empty() || self.rng.percent(15) {
                self.line_end();
            }
            if arm + 1 < arms || self.rng.percent(70) {
                let end = if self.wild > 1 && self.rng.percent(15) {
                    self.rng.pick(&[";&", ";;&", ";|"])
                } else {
                    ";;"
                };
                self.put(end);
                let text = self.rng.pick(&[" ", "\n", "\n ", " #c\n"]);
                self.put(text);
            } else {
                self.line_end();
            }
        }
        self.put("esac");
    }

    fn function(&mut self) {
        let name = self.rng.pick(&["fn1", "fn2", "do_it", "_f"]);
        self.put(name);
        let text = self.rng.pick(&["() { ", "() {\n", " () { ", "()\n{ "]);
        self.put(text);
        self.body_list();
        self.put("}");
        if self.rng.percent(70) {
            self.line_end();
            self.put(name);
            for _ in 0..self.rng.below(3) {
                self.put(" ");
                self.word();
            }
        }
    }

    fn double_bracket(&mut self) {
        self.put("[[ ");
        for part in 0..self.rng.below(2) + 1 {
            if part > 0 {
                let text = self.rng.pick(&[" && ", " || "]);
                self.put(text);
            }
            self.condition();
        }
        self.put(" ]]");
    }

    fn single_bracket(&mut self) {
        let (open, close) = if self.rng.percent(50) { ("[ ", " ]") } else { ("test ", "") };
        self.put(open);
        self.condition();
        self.put(close);
    }

    fn condition(&mut self) {
        match self.rng.below(5) {
            0 => {
                let text = self.rng.pick(&["-n ", "-z ", "-f ", "-d ", "-e ", "! -n ", "-x "]);
                self.put(text);
                self.word();
            }
            1 => {
                self.word();
                let text = self.rng.pick(&[" -eq 0", " -gt 1", " -lt \"$X\"", " -ne $#"]);
                self.put(text);
            }
            2 if self.wild > 1 => {
                let text = self.rng.pick(&[
                    "-v a[$(rm q)]",
                    "a < b",
                    "( -n a )",
                    "a =~ b|c",
                    "a =~ (b)",
                    "-n a ]\\\n]",
                    "a == (b|c)",
                    "1 -eq a[$(rm q)]",
                    "a -nt b",
                    "-o x",
                    "a =~ [)]",
                ]);
                self.put(text);
            }
            _ => {
                self.word();
                let text = self.rng.pick(&[" = ", " != ", " == "]);
                self.put(if self.wild == 0 && text == " == " { " = " } else { text });
                self.word();
            }
        }
    }

    fn odd_compound(&mut self) {
        let kind = self.rng.below(22);
        let inner = self.nested(1);
        let name = self.rng.pick(&["fn3", "rm", "export", "ls", "f-g", "é"]);
        let text = match kind {
            0 => format!("function {name} {{ {inner}\n}}"),
            1 => format!("function {name}() ({inner}\n)"),
            2 => format!("{name}() ({inner}\n)\n{name}"),
            3 => format!("{name}() {inner}\n{name}"),
            4 => format!("(({inner}))"),
            5 => format!("((1)) && {inner}"),
            6 => format!("coproc {inner}"),
            7 => format!("coproc N {{ {inner}\n}}"),
            8 => format!("select i in a b; do {inner}\nbreak; done"),
            9 => format!("for ((i=0;i<2;i++)); do {inner}\ndone"),
            10 => format!("for i in a b; {{ {inner}\n}}"),
            11 => format!("for i (a b) {inner}"),
            12 => format!("repeat 2 {inner}"),
            13 => format!("foreach i (a b)\n{inner}\nend"),
            14 => format!("if [[ -n a ]] {{ {inner}\n}}"),
            15 => format!("{{ {inner}\n}} always {{ rm q; }}"),
            16 => format!("nocorrect {inner}"),
            17 => format!("({inner}\n) {inner}"),
            18 => format!("{{{inner};}}"),
            19 => format!("while no; {{ {inner}\n}}"),
            20 => format!("( ({inner}\n) )"),
            _ => format!("let 'n=1'; {inner}; ((n=2))"),
        };
        self.put(&text);
    }
}
