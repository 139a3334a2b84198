//! Commands that run another command, as data: which options they take, and where the command starts.
//!
//! An option that the table does not know leaves open where the command starts; the reader then says so
//! (`unclear`), and the walk reports a command that cannot be known beside its best guess.

use super::Word;

/// What stands behind a wrapper's own arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// A command.
    Command,
    /// A command, or a shell if there is none.
    Shell,
    /// Words that are joined and given to a shell.
    Text,
    /// A command that gets more arguments from input.
    Xargs,
}

/// One wrapper.
#[derive(Debug)]
pub(super) struct Wrapper {
    names: &'static [&'static str],
    /// Short options without a value, and with one.
    plain: &'static str,
    valued: &'static str,
    /// Long options; one with a value ends in `=`, one with an optional value in `?`.
    long: &'static [&'static str],
    /// Arguments of its own before the command.
    skip: usize,
    /// Whether `NAME=value` may stand before the command.
    assigns: bool,
    /// Whether options may stand behind its own arguments.
    permute: bool,
    /// Options (short or long) whose value is the text of a script.
    script: &'static [&'static str],
    /// Options with which no command is run.
    inert: &'static [&'static str],
    /// Options that run a shell where no command follows.
    shell: &'static [&'static str],
    pub(super) then: Then,
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    plain: "",
    valued: "",
    long: &[],
    skip: 0,
    assigns: false,
    permute: false,
    script: &[],
    inert: &[],
    shell: &[],
    then: Then::Command,
};

#[rustfmt::skip]
const TABLE: &[Wrapper] = &[
    Wrapper { names: &["sudo"], plain: "AbBEHKklnPSsiNvVe", valued: "aCcDgpRrTtUu", assigns: true,
        long: &["user=", "group=", "chdir=", "prompt=", "host=", "role=", "type=", "other-user=", "close-from=", "chroot=",
            "command-timeout=", "auth-type=", "login-class=", "askpass", "background", "bell", "preserve-env?", "edit",
            "set-home", "login", "remove-timestamp", "reset-timestamp", "list", "non-interactive", "preserve-groups",
            "stdin", "shell", "version", "validate", "help", "no-update"],
        inert: &["l", "list", "v", "validate", "V", "version", "help", "K", "remove-timestamp", "e", "edit"],
        shell: &["s", "shell", "i", "login"], ..PLAIN },
    Wrapper { names: &["doas"], plain: "Lns", valued: "aCu", inert: &["L"], shell: &["s"], ..PLAIN },
    Wrapper { names: &["env", "genv"], plain: "i0v", valued: "uCaS", assigns: true, script: &["S", "split-string"],
        long: &["unset=", "chdir=", "argv0=", "split-string=", "block-signal?", "default-signal?", "ignore-signal?",
            "ignore-environment", "null", "debug", "list-signal-handling", "help", "version"], ..PLAIN },
    Wrapper { names: &["command"], plain: "pvV", inert: &["v", "V"], ..PLAIN },
    Wrapper { names: &["builtin", "nohup", "busybox", "toybox", "unbuffer", "fakeroot", "torsocks", "catchsegv", "noglob",
        "nocorrect"], ..PLAIN },
    Wrapper { names: &["exec"], plain: "cl", valued: "a", ..PLAIN },
    Wrapper { names: &["setsid"], plain: "cfw", long: &["ctty", "fork", "wait"], ..PLAIN },
    Wrapper { names: &["nice"], plain: "0123456789", valued: "n", long: &["adjustment="], ..PLAIN },
    Wrapper { names: &["ionice"], plain: "t", valued: "cnpPu", inert: &["p", "P", "u"],
        long: &["class=", "classdata=", "pid=", "pgid=", "uid=", "ignore"], ..PLAIN },
    Wrapper { names: &["chrt"], plain: "abfiormvdRe", valued: "TPD", skip: 1, ..PLAIN },
    Wrapper { names: &["taskset"], plain: "ac", skip: 1, long: &["all-tasks", "cpu-list"], ..PLAIN },
    Wrapper { names: &["timeout", "gtimeout"], plain: "fpv", valued: "ks", skip: 1,
        long: &["kill-after=", "signal=", "foreground", "preserve-status", "verbose"], ..PLAIN },
    Wrapper { names: &["stdbuf"], valued: "ioe", long: &["input=", "output=", "error="], ..PLAIN },
    Wrapper { names: &["time", "gtime"], plain: "apqvlh", valued: "fo", long: &["append", "portability", "quiet", "verbose",
        "format=", "output="], ..PLAIN },
    Wrapper { names: &["chroot"], skip: 1, long: &["groups=", "userspec=", "skip-chdir"], then: Then::Shell, ..PLAIN },
    Wrapper { names: &["gosu", "su-exec", "chpst"], skip: 1, ..PLAIN },
    Wrapper { names: &["unshare", "nsenter", "firejail", "proot", "systemd-run", "setpriv", "bwrap", "dbus-run-session"],
        then: Then::Shell, ..PLAIN },
    Wrapper { names: &["snaphook"], skip: 1, permute: true, long: &["name=", "cwd=", "listen=", "header=", "hook=", "default=",
        "trust=", "trust-file=", "log-file=", "was=", "allow-remote"], ..PLAIN },
    Wrapper { names: &["caffeinate"], plain: "disum", valued: "tw", ..PLAIN },
    Wrapper { names: &["strace", "ltrace"], plain: "cCdfFhiknqrtTvVwxyYzZDA", valued: "abeEIoOpPsSuUX", ..PLAIN },
    Wrapper { names: &["flock"], plain: "sxenuoFv", valued: "wE", skip: 1, permute: true, script: &["c", "command"],
        long: &["shared", "exclusive", "unlock", "nonblock", "nb", "timeout=", "wait=", "conflict-exit-code=", "close",
            "no-fork", "verbose", "command="], ..PLAIN },
    Wrapper { names: &["script"], plain: "aefqVkr", valued: "IOBoTmEtc", skip: 1, permute: true, script: &["c", "command"],
        long: &["append", "return", "flush", "force", "quiet", "command=", "log-in=", "log-out=", "log-io=",
            "log-timing=", "logging-format=", "output-limit=", "echo="], then: Then::Shell, ..PLAIN },
    Wrapper { names: &["su"], plain: "flmpP", valued: "cgGsw", skip: usize::MAX, permute: true, script: &["c", "command"],
        long: &["command=", "session-command=", "group=", "supp-group=", "shell=", "whitelist-environment=", "fast",
            "login", "preserve-environment", "pty"], then: Then::Shell, ..PLAIN },
    Wrapper { names: &["runuser"], plain: "flmpP", valued: "ucgGsw", script: &["c", "command"],
        long: &["user=", "command=", "group=", "supp-group=", "shell=", "fast", "login", "preserve-environment", "pty"],
        then: Then::Shell, ..PLAIN },
    Wrapper { names: &["watch"], plain: "bcdegtxpwrCf", valued: "nqs", long: &["beep", "color", "no-color", "differences?",
        "errexit", "chgexit", "interval=", "precise", "no-title", "exec", "equexit="], then: Then::Text, ..PLAIN },
    Wrapper { names: &["ssh"], plain: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDEeFIiJLlmOopQRSWw", skip: 1, permute: true,
        then: Then::Text, ..PLAIN },
    Wrapper { names: &["xargs", "gxargs"], plain: "0rtpxo", valued: "adEILnPsJRS", then: Then::Xargs,
        long: &["null", "arg-file=", "delimiter=", "eof?", "replace?", "max-lines?", "max-args=", "max-procs=",
            "interactive", "no-run-if-empty", "max-chars=", "show-limits", "verbose", "exit", "open-tty",
            "process-slot-var="], ..PLAIN },
];

/// A wrapper's arguments, read.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) rest: Vec<Word>,
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) script: Option<Word>,
    /// What xargs replaces in its command.
    pub(super) placeholder: Option<String>,
    pub(super) unclear: bool,
    pub(super) inert: bool,
    pub(super) shell: bool,
}

/// The wrapper called `name`, if `fields` (the name and its arguments) use it as one.
pub(super) fn find(name: &str, fields: &[Word]) -> Option<&'static Wrapper> {
    // without a user of its own, runuser takes su's arguments
    let user = |field: &Word| field.prefix().starts_with("-u") || field.prefix().starts_with("--u");
    let name = if name == "runuser" && !fields.iter().any(user) { "su" } else { name };
    // Of our own commands only the gate for servers starts another, and only behind `--`.
    let has = |word: &str| fields.iter().any(|field| field.known() == Some(word));
    if name == "snaphook" && !(has("mcp") && has("--")) {
        return None;
    }
    TABLE.iter().find(|wrapper| wrapper.names.contains(&name))
}

/// Whether a program of this name runs the command in its arguments, and how many words stand before that, options apart
/// (`usize::MAX`: any number). By its name alone: with some arguments it does not.
pub fn operands_before_command(name: &str) -> Option<usize> {
    TABLE.iter().find(|wrapper| wrapper.names.contains(&name)).map(|wrapper| wrapper.skip)
}

pub(super) fn read(wrapper: &Wrapper, args: &[Word]) -> Options {
    let mut options = Options::default();
    let mut skip = wrapper.skip;
    let mut at = 0;
    let mut over = false;
    while let Some(arg) = args.get(at) {
        let text = arg.known();
        if text.is_none() {
            let prefix = arg.prefix();
            if over && skip == 0 {
                break;
            }
            options.unclear |= arg.many() || prefix.is_empty() || prefix.starts_with('-');
            if prefix.starts_with('-') && !over {
                at += 1;
                continue;
            }
        }
        let text = text.unwrap_or_default();
        if !over && text == "--" {
            over = true;
            at += 1;
        } else if !over && text == "-" && wrapper.names.iter().any(|name| matches!(*name, "env" | "su")) {
            at += 1;
        } else if let Some(long) = text.strip_prefix("--").filter(|_| !over) {
            at = read_long(wrapper, long, args, at, &mut options);
        } else if let Some(short) = text.strip_prefix('-').filter(|short| !over && !short.is_empty()) {
            at = read_short(wrapper, short, args, at, &mut options);
        } else if let Some((name, value)) = text.split_once('=').filter(|_| wrapper.assigns && skip == 0) {
            options.assignments.push((name.to_owned(), Word::Known(value.to_owned())));
            at += 1;
        } else if wrapper.assigns && arg.known().is_none() && arg.prefix().contains('=') {
            let name = arg.prefix().split('=').next().unwrap_or_default();
            options.assignments.push((name.to_owned(), arg.clone()));
            at += 1;
        } else if skip > 0 {
            skip -= 1;
            at += 1;
            over |= !wrapper.permute;
        } else {
            break;
        }
    }
    options.rest = args.get(at..).unwrap_or_default().to_vec();
    options
}

fn note(wrapper: &Wrapper, option: &str, value: Option<&Word>, options: &mut Options) {
    options.inert |= wrapper.inert.contains(&option);
    options.shell |= wrapper.shell.contains(&option);
    if wrapper.script.contains(&option) {
        options.script = value.cloned().or_else(|| Some(Word::unknown(option, true)));
    }
    if wrapper.then == Then::Xargs && matches!(option, "I" | "i" | "J" | "replace") {
        options.placeholder = Some(value.map_or("{}", |value| value.text()).to_owned());
    }
    let risky = |value: &Word| {
        value
            .known()
            .is_none_or(|text| text.to_ascii_lowercase().contains("command") || text.starts_with("Match"))
    };
    if wrapper.then == Then::Text && matches!(option, "o" | "F" | "J") && value.is_none_or(risky) {
        options.unclear = true;
    }
    options.unclear |= value.is_some_and(Word::many);
}

fn read_long(wrapper: &Wrapper, long: &str, args: &[Word], at: usize, options: &mut Options) -> usize {
    let (name, inline) = match long.split_once('=') {
        Some((name, value)) => (name, Some(Word::Known(value.to_owned()))),
        None => (long, None),
    };
    let stem = |entry: &&str| entry.trim_end_matches(['=', '?']).to_owned();
    let exact = wrapper.long.iter().find(|entry| stem(entry) == name);
    let mut close = wrapper.long.iter().filter(|entry| entry.starts_with(name));
    let entry = exact.or_else(|| close.next().filter(|_| close.next().is_none()));
    let Some(entry) = entry else {
        options.unclear = true;
        return at + 1;
    };
    if entry.ends_with('=') && inline.is_none() {
        note(wrapper, &stem(entry), args.get(at + 1), options);
        return at + 2;
    }
    note(wrapper, &stem(entry), inline.as_ref(), options);
    at + 1
}

fn read_short(wrapper: &Wrapper, short: &str, args: &[Word], at: usize, options: &mut Options) -> usize {
    for (index, letter) in short.char_indices() {
        let name = letter.to_string();
        let tail = short.get(index + letter.len_utf8()..).unwrap_or_default();
        if wrapper.plain.contains(letter) {
            note(wrapper, &name, None, options);
        } else if wrapper.valued.contains(letter) || wrapper.script.contains(&name.as_str()) {
            if tail.is_empty() {
                note(wrapper, &name, args.get(at + 1), options);
                return at + 2;
            }
            note(wrapper, &name, Some(&Word::Known(tail.to_owned())), options);
            return at + 1;
        } else if wrapper.then == Then::Xargs && "eil".contains(letter) {
            let value = Word::Known(tail.to_owned());
            note(wrapper, &name, Some(&value).filter(|_| !tail.is_empty()), options);
            return at + 1;
        } else {
            options.unclear = true;
            return at + 1;
        }
    }
    at + 1
}

/// The options of a shell.
#[derive(Debug, Default)]
pub(super) struct ShellOptions {
    pub(super) rest: Vec<Word>,
    /// `-c`: the first of the rest is a script.
    pub(super) command: bool,
    /// `-s`: commands come from input.
    pub(super) stdin: bool,
    pub(super) unclear: bool,
}

pub(super) fn shell_options(args: &[Word]) -> ShellOptions {
    let mut options = ShellOptions::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let Some(text) = arg.known() else {
            // behind `-c` it stands where the script does, and is flagged as one
            let path = options.command
                || !arg.many() && !arg.prefix().is_empty() && !arg.prefix().starts_with(['-', '+']);
            options.unclear |= !path;
            break;
        };
        at += 1;
        match text {
            "--" | "-" => {
                // `-` ends the options, and is no file
                options.stdin |= text == "-" && at == args.len() && !options.command;
                options.rest = args.get(at..).unwrap_or_default().to_vec();
                return options;
            }
            "--rcfile" | "--init-file" => at += 1,
            _ if text.starts_with("--") => {
                options.unclear |= !matches!(
                    text,
                    "--login"
                        | "--norc"
                        | "--noprofile"
                        | "--posix"
                        | "--verbose"
                        | "--restricted"
                        | "--noediting"
                );
            }
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                for letter in text.chars().skip(1) {
                    match letter {
                        'c' => options.command = true,
                        's' => options.stdin = true,
                        'o' | 'O' => at += 1,
                        _ if "abefhiklmnprtuvxBCEHPTDl".contains(letter) => {}
                        _ => options.unclear = true,
                    }
                }
            }
            _ => {
                at -= 1;
                break;
            }
        }
    }
    options.rest = args.get(at..).unwrap_or_default().to_vec();
    options
}

/// `word` once its placeholder is replaced by input.
pub(super) fn replaced(word: Word, placeholder: Option<&str>) -> Word {
    match (placeholder, word.known()) {
        (Some(mark), Some(text)) if !mark.is_empty() && text.contains(mark) => {
            let prefix = text.split(mark).next().unwrap_or_default().to_owned();
            Word::Unknown { text: text.to_owned(), prefix, why: super::Why::Expansion, many: text == mark }
        }
        _ => word,
    }
}

/// The words of `env -S`, where they are plain; `None` where its own escapes come in.
pub(super) fn env_split(script: &Word) -> Option<Vec<Word>> {
    let text = script.known().filter(|text| !text.contains(['\\', '$', '#']))?;
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then(|| words.into_iter().map(Word::Known).collect())
}

/// What `echo` writes; `None` where that depends on the shell.
pub(super) fn echo(args: &[&str], plain_sh: bool) -> Option<String> {
    let (newline, args) = match args {
        ["-n", args @ ..] if !plain_sh => ("", args),
        args => ("\n", args),
    };
    let odd =
        args.first().is_some_and(|arg| arg.starts_with('-')) || args.iter().any(|arg| arg.contains('\\'));
    (!odd).then(|| format!("{}{newline}", args.join(" ")))
}

/// What `printf` writes for formats of plain text, `%s` and simple escapes.
pub(super) fn printf(format: &str, args: &[&str]) -> Option<String> {
    if format.starts_with('-') {
        return None;
    }
    let mut out = String::new();
    let mut args = args.iter();
    loop {
        let before = args.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' => match letters.next()? {
                    '%' => out.push('%'),
                    's' => out.push_str(args.next().copied().unwrap_or_default()),
                    _ => return None,
                },
                '\\' => match letters.next()? {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    '\\' => out.push('\\'),
                    _ => return None,
                },
                plain => out.push(plain),
            }
        }
        if args.len() == 0 || args.len() == before {
            return Some(out);
        }
    }
}
