//! The offers of the Tab key at the prompt: the session's commands at its beginning, else files of the project. Not here: what
//! commands do (`commands`).

use std::path::{Path, PathBuf};

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::commands::COMMANDS;

/// The most files that are offered.
const MAX_FILES: usize = 200;

/// Offers what may follow.
pub(super) struct Completion {
    pub(super) folder: PathBuf,
}

impl Helper for Completion {}
impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..at).unwrap_or_default();
        let from = before.rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let word = before.get(from..).unwrap_or_default();
        let found =
            if from == 0 && word.starts_with('/') { commands(word) } else { files(&self.folder, word) };
        let pairs = found.into_iter().map(|text| Pair { display: text.clone(), replacement: text });
        Ok((from, pairs.collect()))
    }
}

fn commands(word: &str) -> Vec<String> {
    let names = COMMANDS.iter().map(|command| format!("/{}", command.name));
    names.filter(|name| name.starts_with(word)).collect()
}

/// The files whose path begins with a word. `@` before it, as other agents have it, stays.
fn files(folder: &Path, word: &str) -> Vec<String> {
    let (mark, path) = word.strip_prefix('@').map_or(("", word), |path| ("@", path));
    let (above, name) = path.rsplit_once('/').map_or(("", path), |(above, name)| (above, name));
    let above_shown = path.strip_suffix(name).unwrap_or_default();
    let dir = match (above, above_shown) {
        ("", "/") => PathBuf::from("/"),
        _ => folder.join(above),
    };
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            // A name with such letters would change what is shown.
            let is_plain = !file.contains(char::is_whitespace) && snaphook::is_printable(&file);
            let wanted = file.starts_with(name) && (name.starts_with('.') || !file.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            (wanted && is_plain).then(|| format!("{mark}{above_shown}{file}{slash}"))
        })
        .take(MAX_FILES)
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_files_are_offered() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["src/main.rs", "src/made.rs", "Makefile", ".hidden", "with space"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let offered = |line: &str| {
            let history = rustyline::history::MemHistory::new();
            let completion = Completion { folder: folder.path().to_owned() };
            let (from, pairs) = completion.complete(line, line.len(), &Context::new(&history)).unwrap();
            let all = pairs.into_iter().map(|pair| pair.replacement).collect::<Vec<_>>().join(" ");
            format!("{}|{all}", &line[..from])
        };
        assert_eq!(offered("/he"), "|/help");
        assert_eq!(offered("look at s"), "look at |src/");
        assert_eq!(offered("look at src/ma"), "look at |src/made.rs src/main.rs");
        assert_eq!(offered("@M"), "|@Makefile");
        assert_eq!(offered("x .h"), "x |.hidden");
        assert_eq!(offered("nothing/"), "|");
        assert_eq!(offered("w"), "|");
    }
}
