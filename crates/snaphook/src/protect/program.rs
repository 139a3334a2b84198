//! Commands against snaphook itself: those that only a person may run, killing it, installing over it. Not here: writing
//! its program's file, which is a path as any other (`shell`).

use snaphook_script::regex::compile;
use snaphook_shell::{Command, Word};

use super::Finding;
use super::places::{Guard, Touch};
use super::shell::{base_name, name_of, plain};
use super::tables::{INSTALLERS, INTERPRETERS, PERSONS, PERSONS_OF, READERS};
use super::word::Scope;

/// Why snaphook's program is left alone.
pub(super) const REPLACED: &str =
    "snaphook's own program must not be replaced, moved or copied by a tool call; ask the person to do it";

/// Looks at one command of a line; `text` is the whole of it as [`plain`] makes it.
pub(super) fn look(scope: &Scope<'_>, command: &Command, all: &[Command], text: &str) -> Option<Finding> {
    let name = name_of(command);
    let itself = name == "snaphook"
        || scope.patterns(&command.path).iter().any(|path| {
            path.text().contains('/') && scope.guard(path, Touch::Write, false) == Some(Guard::Program)
        });
    if itself || (command.name.known().is_none() && plain(command.name.text()).contains("snaphook")) {
        return subcommand(command).map(persons);
    }
    if kills(&name) {
        return kill(&name, command, all).then(|| {
            Finding::Deny(
                "this would end snaphook, which guards this session; ask the person to do it".to_owned(),
            )
        });
    }
    let known = |word: &Word| word.known().map(str::to_lowercase);
    let ours = |text: &str| {
        let bare = text.split(['@', '=', '<', '>', '~']).next().unwrap_or_default();
        let bare = bare.rsplit('/').next().unwrap_or_default();
        matches!(bare, "snaphook" | "snaphook-cli" | "snaphook.exe")
    };
    if INSTALLERS.contains(&name.as_str()) {
        let verb = |text: &str| {
            [
                "install",
                "add",
                "remove",
                "uninstall",
                "rm",
                "un",
                "i",
                "purge",
                "upgrade",
                "update",
                "reinstall",
                "erase",
                "del",
                "delete",
                "-r",
                "-e",
                "-i",
                "-u",
                "-s",
                "--remove",
                "--purge",
                "tool",
            ]
            .contains(&text)
        };
        let words: Vec<String> = command.args.iter().filter_map(known).collect();
        if words.iter().any(|word| verb(word)) && words.iter().any(|word| ours(word)) {
            return Some(Finding::Deny(REPLACED.to_owned()));
        }
    }
    let stops = matches!(
        name.as_str(),
        "systemctl"
            | "service"
            | "launchctl"
            | "taskkill"
            | "fuser"
            | "stop-process"
            | "wmic"
            | "gdb"
            | "renice"
    );
    if stops && command.args.iter().any(|arg| plain(arg.text()).contains("snaphook")) {
        let text = "this would end or change snaphook, which guards this session; ask the person to do it";
        return Some(Finding::Deny(text.to_owned()));
    }
    // A text that another program may run.
    let quiet = READERS.contains(&name.as_str()) || name == "git" || name == "gh";
    let said: Vec<&str> = command.args.iter().map(Word::text).collect();
    // What it runs may stand in what it is fed with.
    let fed = INTERPRETERS.contains(&base_name(&name))
        && (matches!(name.as_str(), "at" | "batch" | "crontab")
            || said.iter().all(|arg| arg.starts_with('-')));
    if !quiet && (runs_persons(&plain(&said.join(" "))) || (fed && runs_persons(text))) {
        return Some(persons("trust"));
    }
    let dynamic = command.name.known().is_none()
        && command.args.iter().any(|arg| arg.known().is_some_and(|arg| PERSONS.contains(&arg)));
    let hinted = || all.iter().any(|other| plain(&other.text).contains("snaphook"));
    (dynamic && hinted()).then(|| persons("trust"))
}

fn persons(what: &str) -> Finding {
    let is_known = PERSONS.contains(&what) || PERSONS_OF.iter().any(|(_, _, told)| *told == what);
    let what = if is_known { what } else { "trust" };
    Finding::Deny(format!(
        "what is trusted is for a person to say, not for an agent: ask the person to run `snaphook {what}` in a terminal"
    ))
}

/// The command of snaphook that only a person may run, if this may be one.
fn subcommand(command: &Command) -> Option<&'static str> {
    let find = |text: &str| PERSONS.iter().copied().find(|person| *person == text);
    let of = |group: &str, text: &str| {
        PERSONS_OF.iter().find(|(of, word, _)| *of == group && *word == text).map(|(_, _, told)| *told)
    };
    let mut args = command.args.iter();
    let mut unsure = false;
    let mut group: Option<&str> = None;
    while let Some(arg) = args.next() {
        match arg.known() {
            Some("--log-file") => {
                args.next();
            }
            Some(text) if group.is_none() && PERSONS_OF.iter().any(|(of, ..)| *of == text) => {
                group = Some(text)
            }
            // Behind it stands the server's own command.
            Some("--") if group == Some("mcp") => break,
            Some(option) if option.starts_with('-') => {}
            Some(text) if !unsure => return group.map_or_else(|| find(text), |group| of(group, text)),
            Some(text) => {
                let grouped = || PERSONS_OF.iter().find_map(|(group, ..)| of(group, text));
                if let Some(person) = find(text).or_else(grouped) {
                    return Some(person);
                }
            }
            // It may be any of them.
            None if !unsure && args.len() == 0 => return Some("trust"),
            None => unsure = true,
        }
    }
    unsure.then_some("trust")
}

/// Whether a text has a command in it that only a person may run.
fn runs_persons(text: &str) -> bool {
    let parts = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.'));
    let words: Vec<&str> = text.split(parts).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let after = words.iter().skip(at + 1).take(4);
        let grouped = |(group, person, _): &(&str, &str, &str)| {
            let mut after = after.clone();
            after.any(|next| next == group) && after.any(|next| next == person)
        };
        word.rsplit('/').next() == Some("snaphook")
            && (after.clone().any(|next| PERSONS.contains(next)) || PERSONS_OF.iter().any(grouped))
    })
}

fn kills(name: &str) -> bool {
    matches!(name, "kill" | "pkill" | "killall" | "skill" | "xkill" | "killall5")
}

fn kill(name: &str, command: &Command, all: &[Command]) -> bool {
    let args = || command.args.iter();
    let named = args().any(|arg| plain(arg.text()).contains("snaphook"));
    match name {
        "killall5" => true,
        "kill" => {
            let mut after_signal = false;
            let everybody = args().any(|arg| {
                let hit = after_signal && arg.known() == Some("-1");
                after_signal |= arg.known() != Some("-l");
                hit
            });
            let mut ids = args()
                .filter_map(Word::known)
                .filter_map(|id| id.trim_start_matches('-').parse::<u32>().ok());
            let ours = ids.any(|id| id == std::process::id());
            // The number comes from somewhere in the same text that looked for us.
            let looked = || {
                let finds = |other: &Command| {
                    matches!(
                        name_of(other).as_str(),
                        "pgrep" | "pidof" | "ps" | "grep" | "egrep" | "rg" | "awk" | "lsof" | "fuser" | "cat"
                    ) && other.args.iter().any(|arg| plain(arg.text()).contains("snaphook"))
                };
                args().any(|arg| arg.known().is_none()) && all.iter().any(finds)
            };
            named || everybody || ours || looked()
        }
        _ => {
            let mut inverse = false;
            let mut chosen = false;
            let mut hit = false;
            for arg in args() {
                match arg.known() {
                    Some(option) if option.starts_with('-') => {
                        inverse |= option == "--inverse" || option == "-v";
                    }
                    Some(pattern) => {
                        chosen = true;
                        hit |= compile(pattern).map_or(true, |regex| regex.is_match("snaphook"))
                            || pattern == "snaphook";
                    }
                    None => chosen = true,
                }
            }
            let broad = name != "pkill" && name != "killall" && name != "skill";
            named || (inverse && !hit) || (!inverse && hit && (name == "pkill" || chosen)) || broad
        }
    }
}
