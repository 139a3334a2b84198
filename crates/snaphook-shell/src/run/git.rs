//! `git`: configuration and options that make it run programs.

use super::{Call, Item, Reader, Res, code, config, emit, start, text};
use crate::programs::git::{PLAIN_KEYS, starting_options};
use crate::programs::words;
use crate::{Dialect, Word};

/// Options of git itself that neither run something nor have a value.
const PLAIN_OPTIONS: &[&str] = words!(
    "-p --paginate -P --no-pager --bare --no-replace-objects --no-optional-locks --literal-pathspecs --glob-pathspecs
    --noglob-pathspecs --icase-pathspecs --version --help -v -h --html-path --man-path --info-path --exec-path
    --no-lazy-fetch --no-advice"
);

fn is_plain_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    PLAIN_KEYS.iter().any(|plain| if plain.ends_with('.') { key.starts_with(plain) } else { key == *plain })
        || key.starts_with("branch.")
            && (key.ends_with(".remote")
                || key.ends_with(".merge")
                || key.ends_with(".rebase")
                || key.ends_with(".description"))
        || key.starts_with("remote.")
            && (key.ends_with(".fetch") || key.ends_with(".tagopt") || key.ends_with(".prune"))
        || key.starts_with("http.") && (key.ends_with(".extraheader") || key.ends_with(".sslverify"))
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call) -> Res<()> {
    let args = call.args().to_vec();
    let mut at = 0;
    let mut opaque = None;
    while let Some(item) = args.get(at) {
        let Some(option) = item.word.known() else { return emit(reader, call, true, None) };
        if !option.starts_with('-') {
            break;
        }
        at += 1;
        match option {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => {
                if args.get(at).is_some_and(|value| value.word.many()) {
                    return emit(reader, call, true, None);
                }
                at += 1;
            }
            "-c" => {
                let setting = args.get(at).map(|item| item.word.clone());
                let plain = setting.as_ref().is_some_and(|word| !word.many() && setting_is_plain(word));
                opaque = opaque.or_else(|| {
                    (!plain).then(|| config(Some("git"), setting.as_ref().and_then(Word::known)))
                });
                at += 1;
            }
            _ if PLAIN_OPTIONS.contains(&option) => {}
            _ if option.starts_with("--git-dir=")
                || option.starts_with("--work-tree=")
                || option.starts_with("--namespace=") => {}
            _ => opaque = opaque.or_else(|| Some(config(Some("git"), Some(option)))),
        }
    }
    let Some(command) = args.get(at).and_then(|item| item.word.known()).map(str::to_owned) else {
        return emit(reader, call, false, opaque);
    };
    let rest = args.get(at + 1..).unwrap_or_default();
    let word = |index: usize| rest.get(index).and_then(|item| item.word.known());
    match (command.as_str(), word(0)) {
        ("bisect", Some("run")) if rest.len() > 1 => {
            let inner = call.clone().through("git", at + 3);
            reader.nested(|reader| start(reader, inner))?;
        }
        ("submodule", Some("foreach")) => {
            let words = rest
                .iter()
                .skip(1)
                .skip_while(|item| matches!(item.word.known(), Some("--recursive" | "-q" | "--quiet")));
            let words: Vec<Item> = words.cloned().collect();
            match super::join(&words).filter(|script| !script.is_empty() && !script.starts_with('-')) {
                Some(script) => text(reader, &call, "git", &script, Dialect::Sh)?,
                None if words.is_empty() => {}
                None => return emit(reader, call, true, opaque),
            }
        }
        _ => {}
    }
    let opaque = opaque.or_else(|| judge(&command, rest));
    emit(reader, call, false, opaque)
}

/// Returns whether `key=value` names a key that runs nothing.
fn setting_is_plain(word: &Word) -> bool {
    let key = word.prefix().split('=').next().unwrap_or_default();
    (word.known().is_some() || word.prefix().contains('='))
        && (is_plain_key(key)
            || matches!(
                word.known(),
                Some(
                    "core.pager=cat"
                        | "core.pager="
                        | "core.editor=true"
                        | "core.editor=:"
                        | "credential.helper="
                )
            ))
}

fn judge(command: &str, rest: &[Item]) -> Option<crate::Opaque> {
    let word = |index: usize| rest.get(index).and_then(|item| item.word.known());
    if rest.iter().any(|item| item.word.prefix().contains("ext::")) {
        return Some(config(Some("git"), None));
    }
    match command {
        "filter-branch" => return Some(code("shell", None)),
        "config" => return configuration(rest),
        "stash" | "add" | "checkout" => return None,
        "submodule"
            if word(0) == Some("add") && rest.iter().any(|item| item.word.text().contains("--template")) =>
        {
            return Some(config(Some("git"), None));
        }
        _ => {}
    }
    let options = starting_options(command);
    for (at, item) in rest.iter().enumerate() {
        let text = item.word.prefix();
        let name = text.split('=').next().unwrap_or_default();
        let hit = options.iter().any(|option| match option.strip_prefix("--") {
            Some(_) => name.len() > 2 && option.starts_with(name) && name.starts_with("--"),
            // alone, with its value, or behind other letters: `-nO`
            None if option.starts_with('-') => super::configured::has_letter(text, option),
            None => at == 0 && text == *option,
        });
        // `git clone -c key=value`, as before the command
        let setting = matches!(text, "-c" | "--config").then(|| rest.get(at + 1)).flatten();
        let plain = setting.is_some_and(|item| !item.word.many() && setting_is_plain(&item.word));
        if hit && !plain {
            return Some(config(Some("git"), rest.get(at + 1).and_then(|next| next.word.known())));
        }
    }
    None
}

/// `git config`: reading and unsetting is plain, and so is setting a key that runs nothing.
fn configuration(rest: &[Item]) -> Option<crate::Opaque> {
    let mut operands = Vec::new();
    let mut at = 0;
    while let Some(item) = rest.get(at) {
        at += 1;
        match item.word.known() {
            Some(
                "--get" | "--get-all" | "--get-regexp" | "--list" | "-l" | "--unset" | "--unset-all"
                | "--name-only" | "--show-origin" | "--get-urlmatch",
            ) => return None,
            Some("-f" | "--file" | "--blob" | "--type" | "--default") => at += 1,
            Some("--edit" | "-e") => return Some(config(Some("git"), None)),
            Some(option) if option.starts_with('-') => {}
            _ => operands.push(item),
        }
    }
    let known = |index: usize| operands.get(index).and_then(|item: &&Item| item.word.known());
    let modern = matches!(
        known(0),
        Some("set" | "get" | "list" | "unset" | "remove-section" | "rename-section" | "edit")
    );
    if modern && matches!(known(0), Some("get" | "list" | "unset" | "remove-section")) || operands.len() < 2 {
        return None;
    }
    let key = known(usize::from(modern));
    (!key.is_some_and(is_plain_key)).then(|| config(Some("git"), known(usize::from(modern) + 1)))
}
