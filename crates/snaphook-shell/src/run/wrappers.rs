//! Programs that run the command in their arguments, as data: which options they take, and where the command starts.
//! An option that is not in the table, or a word that is not known in front of the command, makes the call dynamic.

use super::{Call, Dialect, Item, Reader, Res, builtins, emit, join, reader, shells, text, variables};
use crate::Word;

/// The words behind a wrapper's own arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// A command.
    Command,
    /// A command, or a shell where there is none.
    Shell,
    /// Words that are joined and given to a shell.
    Text,
    /// A command that gets more arguments from input.
    Xargs,
    /// A builtin of the shell.
    Builtin,
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
    /// True if `NAME=value` may stand before the command.
    assigns: bool,
    /// Options with which no command is run.
    inert: &'static str,
    /// True if those take operands, which are no command to run.
    looks_up: bool,
    then: Then,
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    plain: "",
    valued: "",
    long: &[],
    skip: 0,
    assigns: false,
    inert: "",
    looks_up: false,
    then: Then::Command,
};

#[rustfmt::skip]
const TABLE: &[Wrapper] = &[
    Wrapper { names: &["sudo"], plain: "AbBEHknNPS", valued: "CDghpRrTtUu", inert: "lvVK", assigns: true,
        long: &["user=", "group=", "chdir=", "prompt=", "host=", "close-from=", "chroot=", "command-timeout=",
            "askpass", "background", "bell", "preserve-env?", "set-home", "reset-timestamp", "non-interactive",
            "preserve-groups", "stdin", "no-update"], ..PLAIN },
    Wrapper { names: &["doas"], plain: "n", valued: "u", inert: "L", ..PLAIN },
    Wrapper { names: &["env", "genv"], plain: "i0v", valued: "uC", assigns: true,
        long: &["unset=", "chdir=", "ignore-environment", "null", "debug"], ..PLAIN },
    Wrapper { names: &["command"], plain: "p", inert: "vV", looks_up: true, ..PLAIN },
    Wrapper { names: &["builtin"], then: Then::Builtin, ..PLAIN },
    Wrapper { names: &["exec"], plain: "cl", valued: "a", ..PLAIN },
    Wrapper { names: &["nohup"], ..PLAIN },
    Wrapper { names: &["setsid"], plain: "cfw", long: &["ctty", "fork", "wait"], ..PLAIN },
    Wrapper { names: &["nice"], plain: "0123456789", valued: "n", long: &["adjustment="], ..PLAIN },
    Wrapper { names: &["ionice"], plain: "t", valued: "cn", inert: "pPu", looks_up: true,
        long: &["class=", "classdata=", "ignore"], ..PLAIN },
    Wrapper { names: &["taskset"], plain: "ac", inert: "p", looks_up: true, skip: 1, long: &["all-tasks", "cpu-list"], ..PLAIN },
    Wrapper { names: &["timeout", "gtimeout"], plain: "fv", valued: "ks", skip: 1,
        long: &["kill-after=", "signal=", "foreground", "preserve-status", "verbose"], ..PLAIN },
    Wrapper { names: &["stdbuf"], valued: "ioe", long: &["input=", "output=", "error="], ..PLAIN },
    Wrapper { names: &["time", "gtime"], plain: "apqv", valued: "f", long: &["append", "portability", "quiet",
        "verbose", "format="], ..PLAIN },
    Wrapper { names: &["chroot"], skip: 1, long: &["groups=", "userspec=", "skip-chdir"], then: Then::Shell, ..PLAIN },
    Wrapper { names: &["caffeinate"], plain: "disum", valued: "tw", ..PLAIN },
    Wrapper { names: &["watch"], plain: "bcdegptw", valued: "n", then: Then::Text, long: &["beep", "color", "no-color",
        "errexit", "chgexit", "interval=", "precise", "no-title", "differences"], ..PLAIN },
    Wrapper { names: &["ssh"], plain: "46AaCfGgKkMNnqsTtVvXxYy", valued: "BbcDEeIiJLlmOopQRSWw", skip: 1,
        then: Then::Text, ..PLAIN },
    Wrapper { names: &["xargs", "gxargs"], plain: "0rtpxo", valued: "adEILnPs", then: Then::Xargs,
        long: &["null", "arg-file=", "delimiter=", "replace?", "max-lines?", "eof?", "max-args=", "max-procs=",
            "interactive", "no-run-if-empty", "max-chars=", "verbose", "exit", "open-tty"], ..PLAIN },
    Wrapper { names: &["valgrind"], plain: "qv", long: &["quiet", "verbose", "leak-check=", "show-leak-kinds=", "track-origins=",
        "error-exitcode=", "suppressions=", "log-file=", "num-callers=", "gen-suppressions=", "trace-children=", "xml=", "xml-file=",
        "show-reachable=", "show-possibly-lost=", "undef-value-errors=", "read-var-info=", "errors-for-leak-kinds=", "max-stackframe=",
        "child-silent-after-fork=", "fair-sched=", "leak-resolution=", "track-fds="], ..PLAIN },
    Wrapper { names: &["busybox", "toybox"], ..PLAIN },
    Wrapper { names: &["snaphook"], skip: 1, ..PLAIN },
];

/// Programs that run a command by rules that are not modelled, and how many words stand before it, options apart: always
/// dynamic.
#[rustfmt::skip]
const UNMODELLED: &[(&str, usize)] = &[
    ("su", usize::MAX), ("runuser", usize::MAX), ("pkexec", 0), ("run0", 0), ("machinectl", usize::MAX), ("gosu", 1),
    ("su-exec", 1), ("chpst", 1), ("setuidgid", 1), ("envuidgid", 1), ("envdir", 1), ("softlimit", 0), ("sg", 1), ("newgrp", 0),
    ("flock", 1), ("strace", 0), ("ltrace", 0), ("script", 1), ("scriptlive", 1), ("parallel", 0), ("sem", 0), ("unshare", 0),
    ("nsenter", 0), ("chrt", 1), ("setarch", 1), ("linux32", 0), ("linux64", 0), ("i386", 0), ("x86_64", 0), ("uname26", 0),
    ("prlimit", 0), ("choom", 0), ("run-parts", usize::MAX), ("start-stop-daemon", usize::MAX), ("daemonize", 0), ("daemon", 0),
    ("systemd-run", 0), ("systemd-nspawn", 0), ("systemd-inhibit", 0), ("systemd-cat", 0), ("bwrap", 0), ("firejail", 0),
    ("proot", 0), ("fakeroot", 0), ("fakechroot", 0), ("setpriv", 0), ("capsh", 0), ("dbus-run-session", 0), ("dbus-launch", 0),
    ("xvfb-run", 0), ("unbuffer", 0), ("torsocks", 0), ("torify", 0), ("proxychains", 0), ("proxychains4", 0), ("tsocks", 0),
    ("catchsegv", 0), ("cpulimit", 0), ("numactl", 0), ("rlwrap", 0), ("sshpass", 0), ("entr", 0), ("watchexec", 0),
    ("hyperfine", 0), ("eatmydata", 0), ("cgexec", 0), ("ssh-agent", 0), ("nodemon", 0), ("rsh", 1), ("rlogin", 1),
    ("mosh", 1), ("pdsh", 1), ("pssh", 0), ("clush", 0), ("lxc-attach", 0), ("lxc-execute", 0), ("chronic", 0), 
    ("ifne", 0), ("pee", 0), ("vipe", 0), ("zrun", 0), ("setlock", 1), ("tini", 0), ("dumb-init", 0), ("catatonit", 0), ("s6-setuidgid", 1),
    ("aa-exec", 0), ("runcon", 1), ("vlock", 0), ("faketime", 1), ("libtool", 0), ("busctl", 0), ("gdbserver", 1),
    ("heaptrack", 0), ("gdb", 0), ("lldb", 0), ("bpftrace", 0), ("trickle", 0), ("nq", 0), ("task-spooler", 0), ("tsp", 0),
    ("expect", 0), ("batch", 0), ("at", 0), ("reptyr", 0), ("dtach", 1), ("abduco", 1), ("socat", 0), ("ncat", 0), ("cmd", 0), ("powershell", 0),
    ("wsl", 0), ("xterm", 0), ("gnome-terminal", 0), ("foot", 0), ("kitty", 0), ("alacritty", 0), ("osascript", 0),
    ("noglob", 0), ("nocorrect", 0), ("coproc", 0), ("repeat", 1), ("zargs", 0), ("zmv", 0), ("ld.so", 0), ("doexec", 0), 
];

/// Programs that run the command behind one of their own commands.
#[rustfmt::skip]
const RUNNERS: &[(&str, &[&str])] = &[
    ("poetry", &["run"]), ("pipenv", &["run"]), ("uv", &["run"]), ("bundle", &["exec"]), ("pdm", &["run"]), ("rye", &["run"]),
    ("hatch", &["run"]), ("pnpm", &["exec"]), ("yarn", &["exec"]), ("npm", &["exec", "x"]), ("rbenv", &["exec"]), ("pyenv", &["exec"]), ("asdf", &["exec"]),
    ("mise", &["exec", "x"]), ("direnv", &["exec"]), ("op", &["run"]), ("doppler", &["run"]), ("aws-vault", &["exec"]), ("conda", &["run"]),
    ("mamba", &["run"]), ("micromamba", &["run"]), ("pixi", &["run"]), ("nix", &["develop", "shell", "run"]), ("heroku", &["run"]), ("lxc", &["exec"]),
    ("vagrant", &["ssh"]), ("chezmoi", &["execute-template"]), ("dotenv", &["run"]), ("dotnet", &["exec"]), ("lerna", &["exec"]), ("rush", &["exec"]),
    ("perf", &["record", "stat", "trace"]), ("gcloud", &["ssh"]), ("flatpak", &["run", "enter"]), ("snap", &["run"]), ("nix-shell", &["--run", "--command"]),
    ("cargo", &["watch"]), ("rustup", &["run"]), ("opam", &["exec"]), ("stack", &["exec"]), ("cabal", &["exec"]), ("mix", &["cmd"]),
];

/// The wrapper of this name.
pub(super) fn find(name: &str) -> Option<&'static Wrapper> {
    TABLE.iter().find(|wrapper| wrapper.names.contains(&name))
}

/// Returns whether a program runs the command in its arguments by rules that are not modelled.
pub(super) fn is_unmodelled(name: &str) -> bool {
    UNMODELLED.iter().any(|(other, _)| *other == name)
}

/// The commands of a program behind which another command stands.
pub(super) fn runner(name: &str) -> Option<&'static [&'static str]> {
    RUNNERS.iter().find(|(other, _)| *other == name).map(|(_, commands)| *commands)
}

/// Returns how many words stand before the command that a program of this name runs, options apart (`usize::MAX`: any
/// number); `None` for a program that runs none. By its name alone: with some arguments it runs none.
pub fn operands_before_command(name: &str) -> Option<usize> {
    let wrapper = find(name).map(|wrapper| wrapper.skip);
    wrapper.or_else(|| UNMODELLED.iter().find(|(other, _)| *other == name).map(|(_, skip)| *skip))
}

/// A wrapper's own arguments.
struct Options {
    /// The index of the command among the words.
    at: usize,
    assignments: Vec<(String, Item)>,
    /// The text that xargs replaces in its command.
    placeholder: Option<String>,
    inert: bool,
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str, wrapper: &Wrapper) -> Res<()> {
    if name == "snaphook" {
        return server(reader, call);
    }
    // `exec` of a plain sh has no options, and takes them for the command
    let foreign = name == "exec"
        && reader.dialect == Dialect::Sh
        && call.words.get(1).is_some_and(|word| word.word.prefix().starts_with('-'));
    let options = read(wrapper, name, &call).filter(|_| !foreign);
    let Some(options) = options else { return emit(reader, call, true, None) };
    if wrapper.then == Then::Xargs && !options.inert && options.at >= call.words.len() {
        let mut echo = call.through(name, usize::MAX);
        echo.words = vec![Item::known("echo"), Item::unknown("‹input›")];
        return emit(reader, echo, false, None);
    }
    if options.inert || options.at >= call.words.len() {
        // only its redirects, its own output, or a shell
        let shell = wrapper.then == Then::Shell && !options.inert;
        return emit(reader, call, shell, None);
    }
    let mut inner = call.clone().through(name, options.at);
    for (variable, value) in &options.assignments {
        variables::assigned(reader, variable, Some(value), &call)?;
    }
    inner.assignments.extend(options.assignments);
    let first = inner.words.first().and_then(|word| word.word.known()).map(str::to_owned);
    // a program cannot run a builtin, and `[` of another shell has other rules
    let program = !matches!(name, "command" | "builtin" | "exec" | "time");
    let odd = first.as_deref().is_none_or(|first| {
        program && builtins::is_builtin(first) && !builtins::has_program(first)
            || name == "command" && matches!(first, "[[" | "builtin" | "command")
            || name == "exec" && builtins::is_builtin(first)
    });
    match wrapper.then {
        Then::Text => match join(&inner.words) {
            Some(joined) => text(reader, &call, name, &joined, Dialect::Sh),
            None => emit(reader, call, true, None),
        },
        _ if odd => emit(reader, call, true, None),
        Then::Builtin => match first {
            Some(first) if builtins::is_builtin(&first) => start_again(reader, inner),
            _ => emit(reader, call, true, None),
        },
        Then::Xargs => {
            xargs(reader, call, inner, options.placeholder.as_deref(), first.as_deref().unwrap_or_default())
        }
        Then::Command | Then::Shell => {
            let applet = matches!(name, "busybox" | "toybox")
                && first.as_deref().is_some_and(|first| {
                    super::is_tabled(first) && !builtins::has_program(first) || first.contains('/')
                });
            if applet { emit(reader, call, true, None) } else { start_again(reader, inner) }
        }
    }
}

/// Reports the command behind a wrapper. Its redirects and assignments have been looked at.
fn start_again(reader: &mut Reader<'_, '_>, inner: Call) -> Res<()> {
    reader.nested(|reader| super::start(reader, inner))
}

/// `xargs`: adds arguments that are not known, or puts them in the place of a mark.
fn xargs(
    reader: &mut Reader<'_, '_>,
    call: Call,
    mut inner: Call,
    placeholder: Option<&str>,
    first: &str,
) -> Res<()> {
    let name = super::basename(first);
    let runs = find(name).is_some()
        || is_unmodelled(name)
        || runner(name).is_some()
        || matches!(name, "find" | "fd" | "fdfind" | "git");
    if runs && !(name == "git" && inner.words.len() > 1) {
        return emit(reader, call, true, None);
    }
    if let Some(mark) = placeholder {
        if mark.is_empty() {
            return emit(reader, call, true, None);
        }
        for item in &mut inner.words {
            item.replace(mark, false);
        }
    } else {
        inner.words.push(Item::unknown("‹input›"));
    }
    if shells::is_shell(name) && !shells::takes_text(&inner.words) {
        return emit(reader, call, true, None);
    }
    start_again(reader, inner)
}

/// `snaphook mcp … -- server`: of our own commands only the gate for servers starts another.
fn server(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let known = |index: usize| call.words.get(index).and_then(|word| word.word.known());
    let dashes = call.words.iter().position(|word| word.word == "--");
    match dashes {
        Some(at) if known(1) == Some("mcp") && at + 1 < call.words.len() => {
            let inner = call.through("snaphook", at + 1);
            start_again(reader, inner)
        }
        _ => emit(reader, call, false, None),
    }
}

/// Reads a wrapper's own arguments; `None` where the table does not say what they mean.
fn read(wrapper: &Wrapper, name: &str, call: &Call) -> Option<Options> {
    let words = &call.words;
    let mut options = Options { at: 1, assignments: Vec::new(), placeholder: None, inert: false };
    let mut over = false;
    let mut skip = wrapper.skip;
    while let Some(item) = words.get(options.at) {
        let Word::Known(text) = &item.word else {
            // `env NAME=$value cmd`, where the value is one word
            if let Some((variable, _)) = item.word.prefix().split_once('=')
                && wrapper.assigns
                && !item.word.many()
                && reader::is_name(variable)
            {
                options.assignments.push((variable.to_owned(), Item::unknown(item.word.text())));
                over = true;
                options.at += 1;
                continue;
            }
            // `timeout "$seconds" cmd` could be an option, which takes the place of a word
            if skip > 0 && !item.word.many() && (over || item.is_number()) {
                (skip, over) = (skip - 1, true);
                options.at += 1;
                continue;
            }
            return if over && skip == 0 && options.assignments.is_empty() { Some(options) } else { None };
        };
        if !over && text == "--" {
            over = true;
            options.at += 1;
        } else if !over && text == "-" && matches!(name, "env" | "genv") {
            options.at += 1;
        } else if !over && text.starts_with("--") {
            long_option(wrapper, text, words, &mut options)?;
        } else if !over && text.len() > 1 && text.starts_with('-') {
            short_options(wrapper, name, text, words, &mut options)?;
        } else if let Some((variable, value)) = text.split_once('=').filter(|_| wrapper.assigns) {
            if !reader::is_name(variable) {
                return None;
            }
            options.assignments.push((variable.to_owned(), Item::known(value)));
            options.at += 1;
        } else if skip > 0 {
            (skip, over) = (skip - 1, true);
            options.at += 1;
        } else {
            break;
        }
    }
    Some(options)
}

fn long_option(wrapper: &Wrapper, text: &str, words: &[Item], options: &mut Options) -> Option<()> {
    let body = text.trim_start_matches('-');
    let (option, inline) = match body.split_once('=') {
        Some((option, value)) => (option, Some(value)),
        None => (body, None),
    };
    if matches!(option, "help" | "version") {
        if options.at + 1 < words.len() {
            return None;
        }
        options.inert = true;
        options.at = words.len();
        return Some(());
    }
    let entry = wrapper.long.iter().find(|entry| entry.trim_end_matches(['=', '?']) == option)?;
    options.at += 1;
    match (entry.ends_with('='), entry.ends_with('?'), inline) {
        (true, _, Some(value)) => note(wrapper, option, Some(value), options),
        (true, _, None) => {
            let value = words.get(options.at)?;
            if value.word.many() {
                return None;
            }
            options.at += 1;
            note(wrapper, option, value.word.known(), options)
        }
        (_, true, _) => note(wrapper, option, inline.or((option == "replace").then_some("{}")), options),
        (_, _, Some(_)) => None,
        _ => Some(()),
    }
}

fn short_options(
    wrapper: &Wrapper,
    name: &str,
    text: &str,
    words: &[Item],
    options: &mut Options,
) -> Option<()> {
    options.at += 1;
    let body = text.get(1..)?;
    for (index, letter) in body.char_indices() {
        let tail = body.get(index + letter.len_utf8()..).unwrap_or_default();
        if wrapper.inert.contains(letter) {
            // what stands behind `sudo -l` is not run by it, but may be by another program of that name
            if !wrapper.looks_up && options.at < words.len() {
                return None;
            }
            options.inert = true;
            options.at = words.len();
            return Some(());
        }
        if wrapper.plain.contains(letter) {
            continue;
        }
        if !wrapper.valued.contains(letter) {
            return None;
        }
        if !tail.is_empty() {
            return note(wrapper, &letter.to_string(), Some(tail), options);
        }
        let value = words.get(options.at)?;
        if value.word.many() {
            return None;
        }
        options.at += 1;
        return note(wrapper, &letter.to_string(), value.word.known(), options);
    }
    // `nice -5`, and nothing else that is all digits
    (name != "nice" || body.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

/// Looks at an option's value; `None` where it decides what runs.
fn note(wrapper: &Wrapper, option: &str, value: Option<&str>, options: &mut Options) -> Option<()> {
    match wrapper.then {
        Then::Xargs if matches!(option, "I" | "replace") => options.placeholder = Some(value?.to_owned()),
        // of ssh's settings only those that run nothing
        Then::Text if option == "o" => {
            let setting = value?.split(['=', ' ']).next().unwrap_or_default().to_ascii_lowercase();
            let harmless = [
                "stricthostkeychecking",
                "userknownhostsfile",
                "connecttimeout",
                "batchmode",
                "serveraliveinterval",
                "serveralivecountmax",
                "loglevel",
                "identitiesonly",
                "port",
                "user",
                "connectionattempts",
                "passwordauthentication",
                "pubkeyauthentication",
                "identityfile",
                "controlmaster",
                "controlpath",
                "controlpersist",
                "requesttty",
                "tcpkeepalive",
                "compression",
                "hostname",
                "forwardagent",
                "exitonforwardfailure",
                "preferredauthentications",
                "globalknownhostsfile",
                "addressfamily",
            ];
            if !harmless.contains(&setting.as_str()) {
                return None;
            }
        }
        _ => {}
    }
    Some(())
}
