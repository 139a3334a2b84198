//! Commands against snaphook itself: those that only a person may run, and installing over it. Not here: its processes
//! (`process`), writing its program's file, which is a path as any other (`shell`).

use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Word};

use super::process;
use super::readers::reads_only;
use super::spelling::{name_of, plain, runs_texts, squeezed};
use crate::finding::{Finding, REPLACED};
use crate::parts::braces;
use crate::path_pattern::Scope;
use crate::places::{Guard, Touch};

/// Commands of snaphook that only a person may run.
const PERSONS: &[&str] = &["trust", "untrust", "ignore", "uninstall"];

/// The same of commands that have commands of their own: the group, the word in it, and how it is told.
const PERSONS_OF: &[(&str, &str, &str)] = &[
    ("mcp", "accept", "mcp accept"),
    ("mcp", "unwrap", "mcp unwrap"),
    ("git", "uninstall", "git uninstall"),
];

/// Commands of snaphook that decide nothing.
const HARMLESS: &[&str] =
    &["list", "check", "test", "audit", "doctor", "help", "new", "status", "log", "types", "hold"];

/// Words with which programs that install others do so, or remove them.
#[rustfmt::skip]
const INSTALL_VERBS: &[&str] = &[
    "install", "add", "remove", "uninstall", "rm", "un", "i", "purge", "upgrade", "update", "reinstall", "erase", "del",
    "delete", "-r", "-e", "-i", "-u", "-s", "--remove", "--purge", "tool",
    "unlink", "-D", "--set",
];

/// Programs that install others and do more besides.
const INSTALLERS: &[&str] = &["asdf", "mise", "rtx", "proto", "pipx", "go", "stow", "update-alternatives"];

/// Looks at one command of a line; `text` is the whole of it as [`plain`] makes it.
pub(crate) fn look(scope: &Scope<'_>, command: &Command, all: &[Command], text: &str) -> Option<Finding> {
    let name = name_of(command);
    let itself = name == "snaphook"
        || scope.patterns(&command.path).iter().any(|path| {
            path.text().contains('/') && scope.guard(path, Touch::Write, false) == Some(Guard::Program)
        });
    let unknown = command.name.known().is_none() || command.dynamic || command.path.text().contains("/proc/");
    if itself || (command.name.known().is_none() && spells(scope, command)) {
        let fills =
            command.via.iter().any(|via| matches!(via.as_str(), "xargs" | "parallel")) || command.dynamic;
        let names = command.args.iter().any(|arg| arg.known().is_some_and(|arg| !arg.starts_with('-')));
        // Another program fills in what is missing, or braces hold it.
        let missing = (fills && !names) || braces(command.name.text()).len() > 1;
        if let Some(person) = subcommand(command).or(missing.then_some("trust")) {
            return Some(persons(person));
        }
        return writes_hooks(command).then(|| {
            let text = "this writes over hooks, or among those of the user, which an agent does not do on its own. Let it?";
            Finding::Ask(text.to_owned())
        });
    }
    // A wrapper that is not wholly known, with ours in it: what is filled in may be any of its commands.
    let wraps = || {
        plain(&command.text)
            .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
            .any(|word| word == "snaphook")
    };
    if command.dynamic && !itself && command.args.is_empty() && wraps() {
        let said = text.split(|c: char| !c.is_alphanumeric()).any(|word| PERSONS.contains(&word));
        let unsure = "this may run any command of snaphook; name it where it stands";
        return Some(if said { persons("trust") } else { Finding::Ask(unsure.to_owned()) });
    }
    // `xargs snaphook`: what is filled in may be any of its commands.
    let is_ours = |arg: &Word| arg.known().is_some_and(|text| text.rsplit('/').next() == Some("snaphook"));
    if command.dynamic
        && let Some(at) = command.args.iter().position(is_ours)
    {
        let behind = command.args.get(at + 1..).unwrap_or_default();
        let first = behind.iter().find(|arg| !arg.prefix().starts_with('-')).and_then(Word::known);
        if !first.is_some_and(|first| HARMLESS.contains(&first)) {
            return Some(persons(first.unwrap_or("trust")));
        }
    }
    // It may be any program, and what follows is what only a person may say to ours.
    let first = command.args.iter().filter_map(Word::known).find(|arg| {
        PERSONS.contains(arg)
            || arg.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "trust" | "untrust"))
    });
    if unknown && first.is_some() {
        let hinted = all.iter().any(|other| plain(&other.text).contains("snaphook"));
        return Some(if hinted {
            persons(first.unwrap_or("trust"))
        } else {
            Finding::Ask(
                "a program that is not known before it runs is told to `trust` or the like; if it is snaphook, that is for a person to say"
                    .to_owned(),
            )
        });
    }
    let programs = || {
        scope.places.programs.iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    if let Some(found) = process::look(command, all, text, &programs()) {
        return Some(found);
    }
    let known = |word: &Word| word.known().map(str::to_lowercase);
    let ours = |text: &str| {
        let bare = text.split(['@', '=', '<', '>', '~']).next().unwrap_or_default();
        let bare = bare.rsplit('/').next().unwrap_or_default();
        matches!(bare, "snaphook" | "snaphook-cli" | "snaphook.exe")
    };
    if is(&name, Role::Installs) || INSTALLERS.contains(&&*name) {
        let words: Vec<String> = command.args.iter().filter_map(known).collect();
        if words.iter().any(|word| INSTALL_VERBS.contains(&word.as_str()))
            && words.iter().any(|word| ours(word))
        {
            return Some(Finding::Deny(REPLACED.to_owned()));
        }
    }
    // A text that another program may run.
    let quiet = !command.dynamic && reads_only(command, &name);
    let said: Vec<&str> = command.args.iter().map(Word::text).collect();
    // What it runs may stand in what it is fed with.
    let fed = runs_texts(&name)
        && (matches!(name.as_str(), "at" | "batch" | "crontab")
            || said.iter().all(|arg| arg.starts_with('-')));
    let code = command.opaque.as_ref().and_then(|opaque| opaque.code.as_deref()).unwrap_or_default();
    let joined = plain(&format!("{} {code}", said.join(" ")));
    let runs = runs_texts(&name) && squeezed(&joined).contains("snaphooktrust");
    if !quiet && (runs || runs_persons(&joined) || (fed && runs_persons(text))) {
        return Some(persons("trust"));
    }
    // A shell reads it from somewhere, and the text says what it may read.
    if command.dynamic && runs_persons(text) {
        return Some(Finding::Ask(
            "this runs something that is not known before it runs, and names `snaphook` with what only a person may say".to_owned(),
        ));
    }
    let dynamic = command.name.known().is_none()
        && command.args.iter().any(|arg| arg.known().is_some_and(|arg| PERSONS.contains(&arg)));
    let hinted = || all.iter().any(|other| plain(&other.text).contains("snaphook"));
    (dynamic && hinted()).then(|| persons("trust"))
}

/// Returns whether the name is a pattern or a text that may come to `snaphook`, by what is known of it.
fn spells(scope: &Scope<'_>, command: &Command) -> bool {
    let text = command.name.text();
    let last = |text: &str| text.trim_start_matches('=').rsplit('/').next().unwrap_or_default().to_owned();
    if plain(text).contains("snaphook") && !text.starts_with("$(") {
        return true;
    }
    let words: Vec<String> = braces(text);
    words.iter().any(|word| {
        let pattern = scope.read(word);
        let name = last(pattern.text()).to_lowercase();
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        (letters > 1 || (letters > 0 && !pattern.is_any())) && pattern.may_be_name(&name, "snaphook")
    }) || (text.contains("snaphook") && text.starts_with("$("))
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

/// Returns whether it writes hooks where they stand already, or for all projects.
fn writes_hooks(command: &Command) -> bool {
    let mut words = command.args.iter().filter_map(Word::known).filter(|arg| !arg.starts_with('-'));
    let known = words.next();
    let may = command.args.iter().any(|arg| arg.known().is_none());
    let wide = |arg: &Word| arg.known().is_none_or(|arg| matches!(arg, "--user" | "--force"));
    (may || matches!(known, Some("add" | "new" | "import"))) && command.args.iter().any(wide)
}

/// Returns whether a text has a command in it that only a person may run.
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
