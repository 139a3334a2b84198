//! Commands against processes: those that may end, stop or slow down snaphook. Not here: its program's file (`program`).

use snaphook_script::regex::compile;
use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Word};

use super::spelling::{name_of, plain};
use crate::finding::Finding;

/// The command lines that start snaphook, for patterns that are meant for it. A pattern that any of them matches is
/// taken to mean it.
const STARTED: &[&str] = &[
    "snaphook",
    "snaphook hook claude-code PreToolUse PostToolUse SessionStart Stop UserPromptSubmit --sealed",
    "snaphook hook codex pre_tool_use cursor beforeShellExecution copilot preToolUse gemini BeforeTool AfterTool --sealed",
    "snaphook serve opencode --sealed",
    "snaphook mcp --name files",
    "snaphook git run pre-commit",
    "snaphook run --replay",
];

/// Looks at one command of a line whose text is `text`.
pub(crate) fn look(command: &Command, all: &[Command], text: &str, programs: &[String]) -> Option<Finding> {
    let name = name_of(command);
    let named = || command.args.iter().any(|arg| plain(arg.text()).contains("snaphook"));
    let ours = || named() || owns(command);
    let hit = match name.as_str() {
        "killall5" | "xkill" => true,
        "kill" => kill(command) || ours() || (is_unknown(command) && found(all, text, programs)),
        "pkill" | "killall" | "skill" | "snice" => by_name(&name, command, programs),
        "fuser" => {
            command.args.iter().any(|arg| arg.prefix().starts_with('-') && arg.prefix().contains('k'))
                && fuser(command)
        }
        name if KILLERS.contains(&name) || starts_killer(name, command) => {
            command.args.iter().filter_map(Word::known).any(|arg| arg.len() > 2 && means_us(arg, false))
        }
        "uclampset" | "gcore" | "reptyr" | "injcode" => {
            ours() || (is_unknown(command) && found(all, text, programs))
        }
        name if is(name, Role::ManagesServices) => {
            let all =
                ["user.slice", "terminate-user", "kill-user", "kill-session", "terminate-session", "bootout"];
            named()
                || command
                    .args
                    .iter()
                    .any(|arg| arg.known().is_some_and(|arg| all.iter().any(|one| arg.contains(one))))
        }
        name if is(name, Role::ChangesProcess) => {
            ours() || (is_unknown(command) && found(all, text, programs))
        }
        _ => false,
    };
    hit.then(|| {
        let text = "this would end or change snaphook, which guards this session; ask the person to do it";
        Finding::Deny(text.to_owned())
    })
}

fn is_unknown(command: &Command) -> bool {
    command.dynamic
        || command.via.iter().any(|via| via == "xargs")
        || command.args.iter().any(|arg| arg.known().is_none())
}

/// Returns whether a number among the words is this process, or the one that started it.
fn owns(command: &Command) -> bool {
    let own = std::process::id();
    #[cfg(unix)]
    let parent = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let parent = own;
    let number = |text: &str| text.trim_start_matches(['-', '=']).parse::<u32>().ok();
    let numbers = command.args.iter().filter_map(Word::known).flat_map(|arg| {
        [number(arg), arg.split_once('=').and_then(|(_, id)| number(id)), arg.get(2..).and_then(number)]
    });
    numbers.flatten().any(|id| id == own || (id == parent && id > 1))
}

/// Returns whether it is meant for every process.
fn kill(command: &Command) -> bool {
    let mut after_signal = false;
    command.args.iter().any(|arg| {
        let hit = after_signal && arg.known() == Some("-1");
        after_signal |= arg.known() != Some("-l");
        hit
    })
}

/// Returns whether what the text looked for may be snaphook's processes.
fn found(all: &[Command], text: &str, programs: &[String]) -> bool {
    let kept = |other: &Command| {
        let patterns: Vec<&Word> = other.args.iter().filter(|arg| !arg.prefix().starts_with('-')).collect();
        let pattern = patterns.first().map(|word| awk(word));
        pattern.is_none_or(|pattern| pattern.is_none_or(|pattern| means_us(&pattern, true)))
    };
    let filters: Vec<&Command> = all.iter().filter(|one| is(&name_of(one), Role::Filters)).collect();
    let finds = |other: &Command| match name_of(other).as_str() {
        "pgrep" => by_name("pgrep", other, programs),
        "pidof" => other.args.iter().any(|arg| arg.known().is_none_or(|name| means_us(name, false))),
        // A port, or a file that is not ours.
        "lsof" | "fuser" | "ss" | "netstat" => {
            other.args.iter().any(|arg| plain(arg.text()).contains("snaphook"))
        }
        "ps" | "top" | "pstree" => {
            let named = other.args.iter().any(|arg| plain(arg.text()).contains("snaphook"));
            named || filters.iter().all(|filter| kept(filter))
        }
        "cat" | "head" | "tail" | "ls" => other.args.iter().any(|arg| plain(arg.text()).contains("snaphook")),
        _ => false,
    };
    all.iter().any(finds) || text.contains("/proc/[") || text.contains("/proc/*")
}

/// The pattern of a filter: what stands between slashes for those with programs. `None` where it is not known.
fn awk(word: &Word) -> Option<String> {
    let text = word.known()?;
    let inside = text.split('/').nth(1).filter(|_| text.contains('{') || text.starts_with('/'));
    match (inside, text.contains('{') || text.starts_with("s/")) {
        (Some(inside), _) => Some(inside.to_owned()),
        // It keeps every line, and a part of each.
        (None, true) => None,
        (None, false) => Some(text.to_owned()),
    }
}

/// Returns whether a pattern is meant for snaphook: for its name, or for all of its command line.
fn means_us(pattern: &str, full: bool) -> bool {
    let plain = pattern.to_lowercase();
    let lines = if full { STARTED } else { STARTED.get(..1).unwrap_or_default() };
    let matches = |pattern: &str| {
        compile(pattern).map_or(true, |regex| {
            lines.iter().any(|line| regex.is_match(line) || regex.is_match(&line.to_lowercase()))
        })
    };
    matches(pattern) || matches(&plain)
}

/// Programs of packages that end processes by their names.
const KILLERS: &[&str] = &["fkill", "fkill-cli", "slay", "procs", "wmctrl", "taskkill"];

fn starts_killer(name: &str, command: &Command) -> bool {
    let bare = |arg: &str| KILLERS.contains(&arg.split('@').next().unwrap_or_default());
    is(name, Role::StartsPackages) && command.args.iter().take(6).filter_map(Word::known).any(bare)
}

/// Returns whether a pattern is found in the path of our program, by which it may have been started.
fn in_program(pattern: &str, programs: &[String]) -> bool {
    compile(pattern).map_or(true, |regex| programs.iter().any(|path| regex.is_match(path)))
}

/// Options with a value of what ends processes by their names.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "--signal", "-s", "--session", "-P", "--parent", "-g", "--pgroup", "-t", "--terminal", "-u", "--euid",
    "-U", "--uid", "-G", "--group", "-F", "--pidfile", "-O", "--older", "-o", "-y", "-r", "--runstates",
    "-d", "--user",
];
/// Those of them, and others, that choose processes by something else than their names.
#[rustfmt::skip]
const SELECTING: &[&str] = &[
    "-u", "--euid", "-U", "--uid", "-G", "-g", "-t", "-F", "--pidfile", "--user", "-P", "--parent", "-s",
    "--session", "-n", "-o",
];

/// `pkill`, `pgrep`, `killall`: by a name or a pattern, by a user, or by what stands in a file.
fn by_name(name: &str, command: &Command, programs: &[String]) -> bool {
    let mut args = command.args.iter();
    let full = command.args.iter().any(|arg| {
        arg.prefix().starts_with("--full")
            || (arg.prefix().starts_with('-')
                && !arg.prefix().starts_with("--")
                && arg.prefix().contains('f'))
    });
    let (mut hit, mut chosen, mut inverse, mut wide) = (false, false, false, false);
    while let Some(arg) = args.next() {
        match arg.known() {
            Some(option) if option.starts_with('-') => {
                inverse |= option == "--inverse" || option == "-v";
                wide |= SELECTING.iter().any(|wide| {
                    option.starts_with(wide)
                        && !option.starts_with("--signal")
                        && !(option.starts_with("-s") && name == "killall")
                });
                // Those of the same letter without a value take the pattern with them, which is then missed: only where it is sure.
                let regex = name == "killall" && matches!(option, "-r" | "--regexp" | "-o" | "-y");
                let flag = name != "killall" && matches!(option, "-o" | "-r");
                if VALUED.contains(&option) && !regex && !flag {
                    let value = args.next();
                    hit |= matches!(option, "-F" | "--pidfile")
                        && value.is_none_or(|value| {
                            value.known().is_none() || plain(value.text()).contains("snaphook")
                        });
                }
            }
            Some(pattern) => {
                chosen = true;
                hit |= means_us(pattern, full) || (full && in_program(pattern, programs));
            }
            None => {
                chosen = true;
                // An unknown name alone says nothing; a pattern from somewhere may be anything.
                hit |= arg.many();
            }
        }
    }
    if inverse { !hit } else { hit || (!chosen && (wide || name != "pgrep")) }
}

/// `fuser -k` of something that is no port.
fn fuser(command: &Command) -> bool {
    let port = |text: &str| {
        text.ends_with("/tcp")
            || text.ends_with("/udp")
            || matches!(text, "tcp" | "udp")
            || text.bytes().all(|byte| byte.is_ascii_digit())
    };
    command.args.iter().filter(|arg| !arg.prefix().starts_with('-')).any(|arg| !arg.known().is_some_and(port))
}
