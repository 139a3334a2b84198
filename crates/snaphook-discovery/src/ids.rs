//! Hook ids: slugs that are unique in one discovery. Not here: names that people read (front matter).

use std::collections::HashSet;

use snaphook_core::Scope;

/// Lowercase letters and digits of the file name's stem; every run of anything else is one `-`.
pub(crate) fn slug(stem: &str) -> String {
    let mut id = String::with_capacity(stem.len());
    for c in stem.chars() {
        if c.is_alphanumeric() {
            id.extend(c.to_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    while id.ends_with('-') {
        id.pop();
    }
    if id.is_empty() { "hook".to_owned() } else { id }
}

/// The endings that Discobot takes off a file's name.
const ENDINGS: [&str; 9] = [".sh", ".bash", ".zsh", ".py", ".js", ".ts", ".rb", ".pl", ".php"];

/// The id that Discobot gives a hook, which names files in its own folder: one known ending off, dots are `-`, everything but
/// `a-z0-9_-` is left out. Where nothing is left it is ours.
pub(crate) fn of_discobot(name: &str) -> String {
    let lower = name.to_lowercase();
    let stem = ENDINGS.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
    let id: String = stem
        .chars()
        .map(|c| if c == '.' { '-' } else { c })
        .filter(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-'))
        .collect();
    match id.trim_matches('-') {
        "" => slug(stem),
        id => id.to_owned(),
    }
}

/// Gives out ids in hook order. The first of a name keeps it, so that a project hook can never take the id of a
/// user's hook; a later one adds its extension, then its scope, then a number.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    taken: HashSet<String>,
}

impl Ids {
    pub(crate) fn assign(&mut self, plain: String, extension: &str, scope: Scope) -> String {
        if self.taken.insert(plain.clone()) {
            return plain;
        }
        let long = format!("{plain}-{extension}");
        let scoped = format!("{long}-{scope}");
        let mut number = 1_u32;
        let mut id = long;
        let mut spare = vec![scoped.clone()];
        while !self.taken.insert(id.clone()) {
            id = spare.pop().unwrap_or_else(|| {
                number += 1;
                format!("{scoped}-{number}")
            });
        }
        id
    }
}
