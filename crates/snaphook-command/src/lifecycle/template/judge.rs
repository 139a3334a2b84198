//! What commands do with their words: which of them are names of programs, and which are code that somebody parses again. Lists,
//! and so with an end; what a program does with its arguments is not known here.

use snaphook_shell::operands_before_command;

use super::Refused;
use super::word::{Facts, Word, cannot, refused};

/// The number of commands that are looked at: one word may be the name of several.
const MAX_COMMANDS: usize = 4096;

/// Words of the shell's grammar behind which a command begins.
pub(super) fn is_reserved(word: &str) -> bool {
    const RESERVED: [&str; 12] =
        ["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "{", "}", "!"];
    RESERVED.contains(&word)
}

/// Commands that run the command in their arguments, beside those that the reader of shell commands knows.
const PREFIXES: [&str; 46] = [
    "exec",
    "command",
    "builtin",
    "env",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "sudo",
    "doas",
    "setsid",
    "stdbuf",
    "chroot",
    "unshare",
    "xargs",
    "busybox",
    "toybox",
    "flock",
    "strace",
    "chrt",
    "taskset",
    "npx",
    "bunx",
    "uvx",
    "entr",
    "watchexec",
    "nodemon",
    "concurrently",
    "hyperfine",
    "xvfb-run",
    "valgrind",
    "rlwrap",
    "proxychains",
    "chronic",
    "ifne",
    "eatmydata",
    "numactl",
    "prlimit",
    "linux32",
    "linux64",
    "systemd-inhibit",
    "ssh-agent",
    "dbus-launch",
    "rtk",
    "winpty",
];

/// Options of some programs behind which a command stands, up to `;` or `+`.
const OPENERS: [(&[&str], &[&str]); 2] = [
    (&["find", "gfind", "bfs"], &["-exec", "-execdir", "-ok", "-okdir"]),
    (&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"]),
];

/// Programs that run the command behind one of these words, and how many words stand before it there: a container, an image.
const RUNNERS: [(&[&str], &[&str], usize); 4] = [
    (&["npm", "pnpm", "yarn", "bun", "nix", "mise"], &["exec", "dlx", "x"], 0),
    (
        &[
            "poetry",
            "uv",
            "pdm",
            "hatch",
            "rye",
            "pipx",
            "pipenv",
            "conda",
            "mamba",
            "micromamba",
            "op",
            "dotenv",
        ],
        &["run"],
        0,
    ),
    (&["bundle", "asdf", "rbenv", "pyenv", "nodenv", "aws-vault", "envchain"], &["exec"], 0),
    (
        &[
            "docker",
            "podman",
            "nerdctl",
            "kubectl",
            "oc",
            "lxc",
            "apptainer",
            "singularity",
            "docker-compose",
        ],
        &["exec", "run"],
        1,
    ),
];

/// Programs that take code behind an option, as a file's name, or on standard input; also behind the name of another command.
const INTERPRETERS: [&str; 29] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "lua",
    "luajit",
    "pwsh",
    "powershell",
    "osascript",
    "rscript",
    "tclsh",
    "expect",
    "groovy",
    "julia",
];

/// Commands any of whose arguments may be code, or the name of a variable.
const CODE: [&str; 58] = [
    "eval",
    "trap",
    "alias",
    "source",
    ".",
    "let",
    "declare",
    "typeset",
    "local",
    "read",
    "unset",
    "mapfile",
    "readarray",
    "getopts",
    "wait",
    "shift",
    "return",
    "exit",
    "break",
    "continue",
    "ulimit",
    "bind",
    "complete",
    "compgen",
    "enable",
    "fc",
    "ssh",
    "su",
    "sed",
    "gsed",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "parallel",
    "watch",
    "script",
    "at",
    "batch",
    "crontab",
    "psql",
    "mysql",
    "sqlite3",
    "m4",
    "bc",
    "dc",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "gdb",
    "tmux",
    "screen",
    "make",
    "gmake",
    "runuser",
];

/// Of [`CODE`], those that run what they read.
const READERS: [&str; 15] = [
    "ssh", "su", "parallel", "at", "batch", "crontab", "psql", "mysql", "sqlite3", "m4", "bc", "dc", "ed",
    "gdb", "runuser",
];

/// Programs some of whose options run commands.
const RISKY_OPTIONS: [&str; 11] =
    ["git", "hg", "tar", "rsync", "scp", "sftp", "zip", "find", "sort", "man", "svn"];

/// Variables that decide what programs do.
fn decides(name: &str) -> bool {
    const NAMES: [&str; 22] = [
        "PATH",
        "IFS",
        "ENV",
        "SHELL",
        "SHELLOPTS",
        "BASHOPTS",
        "PROMPT_COMMAND",
        "PS1",
        "PS2",
        "PS4",
        "CDPATH",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "BROWSER",
        "LESSOPEN",
        "LESSCLOSE",
        "MAKEFLAGS",
        "NODE_OPTIONS",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "TERMINFO",
    ];
    const STARTS: [&str; 10] =
        ["LD_", "DYLD_", "BASH_", "GIT_", "PYTHON", "PERL", "RUBY", "LUA_", "NPM_", "SNAPHOOK_"];
    NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start))
}

const AS_VARIABLE: &str = "write a script that finds the value in \"${}\", and call that";
const CODE_HELP: &str = "leave the value out of the code: what runs it finds the value in the variable {}; in single quotes, \"${}\" for a shell";

/// Looks at the words of one command.
pub(super) fn judge(words: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let assignments = words.iter().take_while(|word| word.assigns().is_some()).count();
    for word in &words[..assignments] {
        assignment(word, facts)?;
    }
    let words = &words[assignments..];
    let Some(first) = words.first() else { return Ok(()) };
    match first.literal.as_str() {
        "for" | "select" if first.is_plain() => {
            facts.keeps = true;
            return no_values(&words[..words.len().min(3)], "in a variable's name", "write it out");
        }
        "case" if first.is_plain() => {
            return no_values(words.get(3..).unwrap_or_default(), "in a pattern", CODE_HELP);
        }
        _ => {}
    }
    command(words, facts)?;
    // What is behind the first is for it to read: `sh -c '…' sh VALUE`.
    let named = |word: &Word| word.is_plain() && INTERPRETERS.contains(&program(&word.literal).as_str());
    match words.iter().position(named) {
        Some(at) => interpreter(words.get(at + 1..).unwrap_or_default(), facts),
        None => Ok(()),
    }
}

fn no_values(words: &[Word], place: &str, help: &str) -> Result<(), Refused> {
    match words.iter().find_map(|word| word.value) {
        Some(value) => Err(cannot(value, place, help)),
        None => Ok(()),
    }
}

fn assignment(word: &Word, facts: &mut Facts) -> Result<(), Refused> {
    let Some(value) = word.value else { return Ok(()) };
    facts.keeps = true;
    match word.assigns().filter(|name| decides(name)) {
        Some(_) => Err(cannot(value, "in a variable that decides what programs do", AS_VARIABLE)),
        None => Ok(()),
    }
}

/// The name of a program without its folder, its version and its extension.
fn program(literal: &str) -> String {
    let name = literal.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if bare.is_empty() || name == "sqlite3" || name == "m4" { name.to_owned() } else { bare.to_owned() }
}

/// A command from its name on.
fn command(words: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let Some((name, rest)) = words.split_first() else { return Ok(()) };
    if let Some(value) = name.value {
        return Err(cannot(value, "in the name of a command", AS_VARIABLE));
    }
    // A pattern may become the name of anything, with the first words behind it.
    let is_pattern =
        !matches!(name.literal.as_str(), "[" | "[[") && name.literal.contains(['*', '?', '[', '{']);
    if name.dynamic || is_pattern {
        return no_values(rest, "behind a command whose name is not written out", "write the name out");
    }
    facts.judged += 1;
    if facts.judged > MAX_COMMANDS {
        return Err(refused(0, "the command has too many parts", "put it into a script"));
    }
    let name = program(&name.literal);
    let name = name.as_str();
    let has = |word: &Word, options: &[&str]| options.contains(&word.literal.as_str());
    match name {
        "xargs" => {
            let runs =
                |word: &Word| word.literal == "{}" || INTERPRETERS.contains(&program(&word.literal).as_str());
            facts.reads_code |= rest.iter().any(runs);
        }
        "sudo" | "doas" => {
            facts.reads_code |= rest.iter().any(|word| has(word, &["-s", "-i", "--shell", "--login"]))
        }
        "set" => {
            facts.keeps = true;
            let safe = rest.iter().take_while(|word| word.value.is_none()).any(|word| word.literal == "--");
            return if safe {
                Ok(())
            } else {
                no_values(rest, "in options of the shell", "write `--` before it")
            };
        }
        "export" | "readonly" => {
            for word in rest {
                match word.assigns() {
                    Some(_) => assignment(word, facts)?,
                    None => {
                        no_values(std::slice::from_ref(word), "in a variable's name", "write the name out")?
                    }
                }
            }
            return Ok(());
        }
        "test" | "[" => {
            const NUMBERS: [&str; 8] = ["-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
            if rest.iter().any(|word| has(word, &NUMBERS)) {
                return no_values(
                    rest,
                    "in a test of numbers or variables, which some shells evaluate",
                    CODE_HELP,
                );
            }
        }
        "printf" if rest.iter().any(|word| word.literal.starts_with("-v")) => {
            return no_values(rest, "behind `printf -v`", CODE_HELP);
        }
        _ => {}
    }
    if CODE.contains(&name) {
        if matches!(name, "eval" | "let" | "source" | "." | "trap" | "declare" | "typeset" | "alias") {
            facts.evaluates.get_or_insert(0);
        }
        facts.keeps |= matches!(name, "read" | "mapfile" | "readarray" | "getopts" | "alias");
        facts.reads_code |= READERS.contains(&name);
        return no_values(rest, &format!("in arguments of `{name}`, which may take them as code"), CODE_HELP);
    }
    if RISKY_OPTIONS.contains(&name) {
        for (at, word) in rest.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(Word::is_option);
            let ended = rest[..at].iter().any(|word| word.literal == "--");
            if let Some(value) = word.value.filter(|_| word.prefix().is_empty() && !before && !ended) {
                return Err(cannot(
                    value,
                    &format!("where `{name}` may take it as an option"),
                    "write `--` before it",
                ));
            }
        }
    }
    // A code option of a program that nobody here knows.
    const COUNTS: [&str; 12] =
        ["grep", "egrep", "fgrep", "rg", "wc", "cut", "head", "tail", "uniq", "gzip", "echo", "cksum"];
    if !COUNTS.contains(&name) {
        for pair in rest.windows(2) {
            if let Some(value) = pair[1]
                .value
                .filter(|_| has(&pair[0], &["-c", "--command", "--eval", "--exec", "--execute", "--run"]))
            {
                let place = format!("behind `{}` of `{name}`, which may take it as code", pair[0].literal);
                return Err(cannot(value, &place, CODE_HELP));
            }
        }
    }
    openers(name, rest, facts)?;
    runners(name, rest, facts)?;
    let operands = operands_before_command(name);
    if !PREFIXES.contains(&name) && operands.is_none() {
        return Ok(());
    }
    prefixed(name, operands.unwrap_or_default(), rest, facts)
}

/// Commands behind an option, such as `find`'s `-exec`.
fn openers(name: &str, rest: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let Some((_, openers)) = OPENERS.iter().find(|(names, _)| names.contains(&name)) else { return Ok(()) };
    for (at, word) in rest.iter().enumerate() {
        if let Some(value) =
            word.value.filter(|_| openers.iter().any(|opener| word.prefix().starts_with(opener)))
        {
            return Err(cannot(value, &format!("in options of `{name}`"), AS_VARIABLE));
        }
        if word.is_plain() && openers.contains(&word.literal.as_str()) {
            let behind = rest.get(at + 1..).unwrap_or_default();
            let ends = |word: &Word| word.is_plain() && matches!(word.literal.as_str(), ";" | "+");
            command(&behind[..behind.iter().position(ends).unwrap_or(behind.len())], facts)?;
        }
    }
    Ok(())
}

/// Commands behind a word, such as `poetry run`.
fn runners(name: &str, rest: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let Some((_, words, operands)) = RUNNERS.iter().find(|(names, _, _)| names.contains(&name)) else {
        return Ok(());
    };
    let runs = |word: &Word| word.is_plain() && words.contains(&word.literal.as_str());
    let Some(at) = rest.iter().position(runs) else { return Ok(()) };
    let (of, behind) = (format!("{name} {}", rest[at].literal), rest.get(at + 1..).unwrap_or_default());
    prefixed(&of, *operands, behind, facts)
}

/// Judges what follows a command that runs another one. Which options have a value is not known, so the word behind
/// one may be that value or the command; no value may stand before the command is certain. `operands` words stand
/// before it, such as the file of `flock`.
fn prefixed(name: &str, operands: usize, rest: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let mut after_option = false;
    let mut left = operands;
    for (at, word) in rest.iter().enumerate() {
        let assigns = word.assigns().is_some();
        if assigns && matches!(name, "env" | "genv" | "sudo") {
            assignment(word, facts)?;
            after_option = false;
        } else if let Some(value) = word.value {
            return Err(if word.is_option() {
                cannot(value, &format!("in options of `{name}`"), AS_VARIABLE)
            } else {
                cannot(value, "in the name of a command", AS_VARIABLE)
            });
        } else if word.is_option() {
            // `env -S` splits its argument into a command.
            if name == "env" && (word.literal.starts_with("-S") || word.literal.starts_with("--split")) {
                no_values(rest, "behind `env -S`", CODE_HELP)?;
            }
            after_option = !word.literal.contains('=') && word.literal != "--";
        } else if word.is_plain() && (is_reserved(&word.literal) || word.literal == "-")
            || assigns && name == "time"
        {
            // `time ! …`, `time A=b …`: to some shells `time` is no command. `env - …`: an option of one letter less.
            after_option = false;
        } else if word.is_plain() && word.literal.starts_with(|c: char| c.is_ascii_digit()) {
            left -= usize::from(!after_option && left > 0);
            after_option = false;
        } else {
            command(rest.get(at..).unwrap_or_default(), facts)?;
            if !after_option && left == 0 {
                return Ok(());
            }
            left -= usize::from(!after_option);
            after_option = false;
        }
    }
    Ok(())
}

/// Judges what follows the name of an interpreter.
fn interpreter(rest: &[Word], facts: &mut Facts) -> Result<(), Refused> {
    let place = "in code, or as what decides about code";
    let mut code_next = false;
    let mut decided = false;
    for word in rest {
        let value = word.value.map(|value| cannot(value, place, CODE_HELP));
        if code_next && !(word.is_option() && value.is_none()) {
            code_next = false;
            decided = true;
            if let Some(refused) = value {
                return Err(refused);
            }
            // What it does with the arguments behind it is written here.
            let evaluates = word.dynamic
                || ["eval", "((", "[[", "let ", "-c", "source"].iter().any(|bad| word.literal.contains(bad));
            if evaluates {
                facts.evaluates.get_or_insert(0);
                no_values(rest, "behind code that evaluates text", CODE_HELP)?;
            }
        } else if word.is_option() || word.literal == "-" {
            let named = word.prefix().starts_with("--") && word.prefix().contains('=') && decided;
            if let Some(refused) = value.filter(|_| !named) {
                return Err(refused);
            }
            code_next |= takes_code(&word.literal);
        } else if let Some(refused) = value.filter(|_| !decided) {
            return Err(refused);
        } else {
            decided = true;
        }
    }
    facts.reads_code |= !decided || rest.iter().any(|word| word.literal == "-s" || word.literal == "-");
    Ok(())
}

/// Returns whether the word behind an option is code.
fn takes_code(option: &str) -> bool {
    const LONG_OPTIONS: [&str; 7] =
        ["--eval", "--command", "--exec", "--print", "--run", "--execute", "--init-command"];
    match option.strip_prefix("--") {
        Some(_) => LONG_OPTIONS.contains(&option),
        None => {
            option.ends_with(['c', 'e', 'E', 'p', 'r', 'n', 'C', 'i', 'l'])
                && option != "-n"
                && option.len() > 1
        }
    }
}
