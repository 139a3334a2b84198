//! Simple commands of generated texts: names, wrappers, builtins, assignments, redirects.

use super::compose::{Composer, Document};

const NAMES: &[&str] = &[
    "rm",
    "rm",
    "rm",
    "foo",
    "bar",
    "ls",
    "mv",
    "git",
    "cat",
    "no",
    "one",
    "two",
    "sort",
    "p",
    "q",
    "echo",
    "echo",
    "printf '%s\\n'",
    ":",
    "true",
    "false",
    "grep",
    "sub",
    "inner",
];
const QUOTED_NAMES: &[&str] = &["r\\m", "'rm'", "\"rm\"", "r'm'", "\\rm", "\"r\"m", "r''m"];
const ODD_NAMES: &[&str] = &[
    "$X",
    "\"$X\"",
    "${E}rm",
    "r?",
    "{rm,q}",
    "=rm",
    "$'rm'",
    "$(echo rm)",
    "`echo rm`",
    "~/x",
    "r\\\nm",
    "é",
    "!rm",
    "-rm",
    "- rm",
    "./rm",
    "/bin/rm",
    "builtin",
    "noglob rm",
    "command -v",
    "exec -a x rm",
    "$E rm",
    "\"\" rm",
    "'' rm",
    "a=b rm",
    "1=2 rm",
    "a[1]=2 rm",
    "a[$(rm q)]=2",
    "rm\\",
    "[rm]",
    "@rm",
    "+rm",
    "%1",
    "^rm",
    "rm\u{a0}q",
    "r\u{200b}m",
    "{",
    "}",
    "]]",
    "alias",
    "select",
    "then rm",
    "do rm",
    "$((1))",
    "$E$E rm",
    "in",
    "esac",
];
const WRAPPERS: &[&str] = &[
    "env",
    "env A=1",
    "env -i",
    "env -u X",
    "env --",
    "nohup",
    "nice",
    "nice -n 1",
    "nice -5",
    "timeout 3",
    "timeout -s KILL 3",
    "timeout -k 1 3s",
    "setsid",
    "stdbuf -o0",
    "command",
    "command --",
    "exec",
    "builtin",
    "sudo",
    "sudo -u root",
    "sudo -E A=1",
    "sudo --",
    "doas",
    "xargs",
    "xargs -n 1",
    "xargs -I {}",
    "ionice -c 3",
    "taskset 1",
    "time",
    "command env",
    "sudo env A=b nice",
    "find . -exec",
    "find . -name '*.txt' -exec",
    "env -S",
    "env -C .",
    "xargs -0",
];
const BUILTINS: &[&str] = &[
    "cd .",
    "cd /",
    "pwd",
    "set -e",
    "set -eu",
    "set +e",
    "set -x",
    "set -o pipefail",
    "set --",
    "set -- a b",
    "set -f",
    "shift",
    "unset X",
    "export X=rm",
    "export Y",
    "readonly Z=1",
    "read X",
    "read -r a b",
    "umask 022",
    "wait",
    "hash -r",
    "type rm",
    "command -v rm",
    "local X=1",
    "return",
    "return 0",
    "exit 3",
    "trap - EXIT",
    "getopts ab: o",
    "unset -f rm",
    "jobs",
    "times",
    "ulimit -c 0",
    "test -f x",
    "alias",
    "export",
    "set",
    "break",
    "continue",
    "true",
    ": a",
];
const ODD_BUILTINS: &[&str] = &[
    "set -k",
    "set -H",
    "set -n",
    "set -v",
    "shopt -s extglob",
    "shopt -s expand_aliases",
    "shopt -u sourcepath",
    "setopt ksh_arrays",
    "emulate sh",
    "setopt shwordsplit",
    "typeset -i n",
    "declare -i n='a[$(rm q)]'",
    "declare X=rm",
    "declare -a 'a=($(rm q))'",
    "alias ls='rm q'",
    "alias ls=rm\nls",
    "hash -p /bin/rm ls",
    "enable -n echo",
    "printf -v X rm",
    "read -a a",
    "mapfile -C rm a <one.txt",
    "compgen -W '$(rm q)'",
    "unset 'a[$(rm q)]'",
    "declare -n X=Y",
    "IFS=m",
    "PS4='$(rm q)'; set -x",
    "BASH_ENV=x bash -c :",
    "ENV=x",
    "NULLCMD=rm; >x",
    "trap 'rm q' DEBUG",
    "PROMPT_COMMAND='rm q'",
    "zmodload zsh/system",
    "autoload rm",
    "functions[ls]='rm q'",
    "path=(x)",
    "fpath=(.)",
    "let n=1",
    "fc -s",
    "history -s rm",
    "wait -n",
    "command_not_found_handle() { rm q; }; zqx",
    "source one.txt",
    ". ./one.txt",
    "eval \"$X\"",
    "exec 3<one.txt",
    "exec >x",
    "bash -c \"$X\"",
    "sh one.txt",
    "echo rm | sh",
    "bash <<< 'rm q'",
    "kill %1",
    "let 'a[$(rm q)]=1'",
    "RANDOM='a[$(rm q)]'",
    "OPTIND='a[$(rm q)]'",
    "SECONDS='a[$(rm q)]'",
    "HISTCMD='a[$(rm q)]'",
    "integer n='a[$(rm q)]'",
    "float n='a[$(rm q)]'",
    "export 'a[$(rm q)]=1'",
    "read 'a[$(rm q)]' <one.txt",
    "printf %d 'a[$(rm q)]'",
    "printf '%*s' 'a[$(rm q)]' x",
    "printf '\\u0025d' 'a[$(rm q)]'",
    "printf \"$F\" 'a[$(rm q)]'",
    "exit 'a[$(rm q)]'",
    "return 'a[$(rm q)]'",
    "shift 'a[$(rm q)]'",
    "logout 'a[$(rm q)]'",
    "[ 'a[$(rm q)]' -eq 1 ]",
    "n='a[$(rm q)]'; printf %d n",
    "n='a[$(rm q)]'; printf %i \"$n\"",
    "n='a[$(rm q)]'; exit $n",
    "PATH=rm:$PATH bar",
    "read -r PATH <<< foo",
    "vim -es foo <<E\n:!rm q\nE",
    "print -v X rm",
    "whence rm",
    "vared X",
    "zf_rm q",
    "sched +1 rm",
    "disable echo",
    "set -o allexport",
    "trap 'rm q' ERR",
    "trap 'rm q' ZERR",
    "TRAPEXIT() { rm q; }",
    "TRAPZERR() { rm q; }; no",
    "precmd() { rm q; }",
    "chpwd() { rm q; }; cd .",
    "cd() { rm q; }; cd",
    "set -A a x",
    "typeset -T X x",
    "nameref X=Y",
    "enum E=(a)",
    "typeset -E x",
    "X.get() { rm q; }; : $X",
    "function X.get { rm q; }; : $X",
];

impl Composer<'_> {
    pub fn simple(&mut self) {
        match self.rng.below(30) {
            0..=2 => self.assignments(),
            3 => {
                let text = if self.wild > 1 && self.rng.percent(35) {
                    self.rng.pick(ODD_BUILTINS)
                } else {
                    self.rng.pick(BUILTINS)
                };
                self.put(text);
            }
            4 => {
                let text = self.rng.pick(BUILTINS);
                self.put(text);
            }
            5 | 6 => self.runs_a_text(),
            7 => self.redirect(),
            8 if self.wild > 0 => {
                // `case` and `for` words, here-strings
                let text = self.rng.pick(&["cat <<< ", "cat <<<", "foo <<< "]);
                self.put(text);
                self.word();
            }
            _ => self.plain(),
        }
    }

    pub fn plain(&mut self) {
        if self.rng.percent(8) {
            self.assignment();
            self.put(" ");
        }
        if self.rng.percent(5) {
            self.redirect();
            self.put(" ");
        }
        let mut find = false;
        if self.rng.percent(10) {
            let wrapper = self.rng.pick(WRAPPERS);
            self.put(wrapper);
            self.put(" ");
            find = wrapper.starts_with("find");
        }
        let name = match self.rng.below(20) {
            0 | 1 => self.rng.pick(QUOTED_NAMES),
            2 | 3 if self.wild > 1 => self.rng.pick(ODD_NAMES),
            _ => self.rng.pick(NAMES),
        };
        self.put(name);
        for _ in 0..self.rng.below(4) {
            if self.rng.percent(7) {
                self.put(" ");
                self.redirect();
            }
            let text = if self.wild > 1 && self.rng.percent(8) {
                self.rng.pick(&["\\\n", " \\\n", "  ", "\t", "\\\n ", "\r", "\u{a0}"])
            } else {
                " "
            };
            let text = if self.rng.percent(3) { " \\\n  " } else { text };
            self.put(text);
            self.word();
        }
        if find {
            let text =
                self.rng.pick(&[" {} \\;", " {} +", " \\;", " + {} \\;", " {} ';'", " x {} \\; -print"]);
            self.put(text);
        }
        if self.rng.percent(14) {
            self.put(" ");
            self.redirect();
        }
    }

    fn assignments(&mut self) {
        for number in 0..self.rng.below(2) + 1 {
            if number > 0 {
                self.put(" ");
            }
            self.assignment();
        }
    }

    fn assignment(&mut self) {
        let name = self.rng.pick(&["X", "Y", "n", "Z", "a", "A1"]);
        self.put(name);
        if (self.wild > 0 && self.substitution == 0 || self.wild > 1) && self.rng.percent(20) {
            let operator = self.rng.pick(&["=(", "+=("]);
            self.put(operator);
            for number in 0..self.rng.below(3) {
                if number > 0 {
                    let text = self.rng.pick(&[" ", "\n", "  ", " #c\n"]);
                    self.put(text);
                }
                self.word();
            }
            let close = if self.wild > 1 && self.rng.percent(15) {
                self.rng.pick(&[")#", ")x", ")\\\n", ")$X", ")=", ")'a'"])
            } else {
                ")"
            };
            return self.put(close);
        }
        let operator = if self.wild > 0 && self.rng.percent(15) { "+=" } else { "=" };
        self.put(operator);
        if self.rng.percent(85) {
            self.word();
        }
    }

    fn runs_a_text(&mut self) {
        if !self.open() {
            return self.plain();
        }
        let inner = self.nested(2);
        let quoted = format!("'{}'", inner.replace('\'', "'\\''"));
        let how = self.rng.pick(&[
            "eval ",
            "sh -c ",
            "bash -c ",
            "trap ",
            "sh -ec ",
            "sudo sh -c ",
            "env sh -c ",
            "dash -c ",
            "bash -lc ",
            "eval -- ",
            "xargs sh -c ",
            "find . -exec sh -c ",
            "timeout 3 bash -c ",
            "zsh -c ",
            "ksh -c ",
            "command eval ",
            "nohup sh -c ",
            "busybox sh -c ",
        ]);
        let end = match how {
            "trap " => self.rng.pick(&[" EXIT", " 0", " INT TERM", " EXIT\nrm later"]),
            "find . -exec sh -c " => self.rng.pick(&[" \\;", " _ {} \\;", " sh {} +"]),
            "eval " | "eval -- " => self.rng.pick(&["", "", " rm tail", " '; rm tail'", " \"$X\""]),
            _ => self.rng.pick(&["", "", " n a b", " _ \"$X\"", " rm"]),
        };
        self.put(how);
        self.put(&quoted);
        self.put(end);
    }

    pub fn redirect(&mut self) {
        match self.rng.below(20) {
            0..=5 => {
                let text = self.rng.pick(&[
                    "2>&1",
                    ">&2",
                    "2>/dev/null",
                    ">/dev/null",
                    "<one.txt",
                    "< two.txt",
                    "2> /dev/null",
                    "1>&2",
                    ">>out",
                    "0<&-",
                    "3>&1",
                    "<&0",
                    ">| out",
                    "<>out",
                    "2>&-",
                    ">&1",
                ]);
                self.put(text);
            }
            6..=8 => {
                let text = self.rng.pick(&[">", "<", ">>", "2>", "> ", "1>"]);
                self.put(text);
                self.word();
            }
            9..=14 => self.document(),
            15 if self.wild > 0 => {
                let text = self.rng.pick(&["&>out", "&>>out", "&> /dev/null"]);
                self.put(text);
            }
            16 if self.wild > 1 => {
                let text = self.rng.pick(&[
                    "{V}>out",
                    "10>out",
                    ">&out",
                    "<&$X",
                    ">&$X",
                    "3<&1-",
                    "<1-2>",
                    ">!out",
                    ">>!out",
                    ">#f",
                    "x1>f",
                    ">$(rm q)",
                    ">`rm q`",
                    "<<<$(rm q)",
                    "{V} <one.txt",
                    "&>out x",
                    ">\\\n&1",
                    "<\\\n<E",
                    "2\\\n>x",
                    ">(rm q)",
                    "> >(rm q)",
                    "< <(rm q)",
                    "<<<",
                    ">",
                    "<",
                    "<&p",
                    ">&p",
                    "|&",
                    ">;",
                    ">&|out",
                    "<#((1))",
                    "<##x",
                    ">@x",
                    "<<#E\nE\n",
                ]);
                self.put(text);
            }
            _ => self.put("2>/dev/null"),
        }
    }

    pub fn document(&mut self) {
        if !self.documents.is_empty() && self.rng.percent(90) {
            return self.put("2>&1");
        }
        let (written, delimiter, quoted) = match self.rng.below(8) {
            0..=2 => ("'E'", "E", true),
            3 => ("\"EOF\"", "EOF", true),
            4 => ("\\E", "E", true),
            5 if self.wild > 1 => {
                let odd: [(&str, &str, bool); 16] = [
                    ("E\"F\"", "EF", true),
                    ("''", "", true),
                    ("$X", "$X", false),
                    ("'a b'", "a b", true),
                    ("E\\\nF", "EF", false),
                    ("'E\nF'", "E\nF", true),
                    ("`x`", "`x`", false),
                    ("$(x)", "$(x)", false),
                    ("E)", "E", false),
                    ("é", "é", false),
                    ("'E", "E", true),
                    ("$'E'", "E", true),
                    ("$\"E\"", "E", true),
                    ("\"$X\"", "$X", true),
                    ("E#", "E#", false),
                    ("-E", "-E", false),
                ];
                odd[self.rng.below(odd.len())]
            }
            _ => ("EOF", "EOF", false),
        };
        let tabs = self.rng.percent(15);
        self.put(if tabs { "<<-" } else { "<<" });
        if self.rng.percent(10) {
            self.put(" ");
        }
        self.put(written);
        self.documents.push(Document { delimiter: delimiter.to_owned(), quoted, tabs });
    }
}
