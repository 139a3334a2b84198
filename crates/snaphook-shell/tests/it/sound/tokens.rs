//! Short rows of tokens, with and without blanks between them: what stands beside what is where shells differ, and long texts seldom
//! bring two rare tokens together.

use super::rng::Rng;

#[rustfmt::skip]
const TOKENS: &[&str] = &[
    // names that are programs here, and words
    "rm", "rm", "ls", "foo", "m", "o", "k", "echo", ":", "true", "false", "a", "a1", "0", "1", "3", "33", "-", "--", "-a", "-e", "+", "%", "%1", "@", "^", ",", ".", "..", "/", "x/y", "~", "~+",
    "~a", "é", "a:b", "a=", "a=1", "a+=1", "a[0]=1", "a=(", "=", "==", "=a", "!=", "=~",
    // operators
    ";", ";", "&", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", ";;", "((", "))", "\n", "\n", "#",
    "<", ">", ">>", ">|", "<>", "<<<", "&>", "&>>", "2>&1", "1>&2", "<&3", ">&-", "3>", "3<", "<(", ">(", "<<E\nrm\nE\n", "<<-'E'\n\trm\n\tE\n",
    // quotes, expansions, patterns
    "'a'", "''", "\"a\"", "\"\"", "\"", "'", "\\", "\\\n", "\\a", "\\;", "\\$", "$'a'", "$x", "$1", "$@", "$#", "$?", "$-", "$$", "$!", "${x}", "${x:-a}", "${#x}", "${x%a}", "${x/a/b}", "${x[0]}", "\"$x\"", "\"$@\"",
    "$(m)", "$(", "\"$(m)\"", "`m`", "`", "$((1+x))", "$", "*", "?", "[a]", "[", "]", "[[", "]]", "{a,b}", "{1..3}", "a{", "}a",
    // words of the grammar
    "if", "then", "elif", "else", "fi", "while", "until", "for", "in", "do", "done", "case", "esac", "a)", "(a)", "time", "function", "select", "coproc", "repeat", "foreach", "end", "nocorrect", "f()", "break",
    // builtins that read their words again
    "test", "eval", "exec", "command", "builtin", "export", "local", "declare", "typeset", "readonly", "set", "unset", "shift", "trap", "cd", "read", "return", "exit", "alias", "let", "printf", "source",
    "env", "sudo", "nice", "xargs", "timeout", "find", "-n", "-o", "-z", "-eq", "-f", "-exec", "-c", "sh", "bash",
];

/// One row. Most are no text of any shell, so some are tried until the caller takes one.
pub fn row(rng: &mut Rng) -> String {
    let mut row = String::new();
    let blanks = [15, 50, 85][rng.below(3)];
    // at times behind a command, where words are arguments
    if rng.percent(40) {
        row.push_str(rng.pick(&["rm ", "ls a ", "foo; ", "rm &&", "rm | ", "! "]));
    }
    for _ in 0..2 + rng.below(5) {
        row.push_str(rng.pick(TOKENS));
        if rng.percent(blanks) {
            row.push(' ');
        }
    }
    if rng.percent(30) {
        row.push_str(rng.pick(&[
            "; rm", "\nrm", " && rm", "rm", " )", " }", "; }", " ]]", " ]", "; fi", "; done", "\nesac",
        ]));
    }
    row
}
