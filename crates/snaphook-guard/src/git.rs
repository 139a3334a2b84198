//! Where git's hooks of a project are, read from the repository's own files: this runs in each process, and starts none. And which of
//! git's commands pass over them. Not here: what the script is (the command writes it), guarding it (`places`).

use std::io::Read as _;
use std::path::{Path, PathBuf};

use snaphook_shell::{Command, Why, Word};

/// The line by which the script of `snaphook git install` says whose it is.
pub(crate) const MARKER: &str = "# snaphook:managed";

/// The amount of a file that is read.
const MAX_BYTES: u64 = 64 << 10;

/// The script that has the project's hooks run before each commit.
pub(crate) struct Checked {
    /// The script, and the hook that it keeps.
    pub(crate) scripts: [PathBuf; 2],
    /// The repository's settings, which say where git looks for hooks.
    pub(crate) settings: [PathBuf; 2],
}

/// Returns what guards the commits of this project; none where no script of ours does.
pub(crate) fn checked(project: &Path) -> Option<Checked> {
    let (hooks, settings) = folders(project)?;
    let script = hooks.join("pre-commit");
    let is_ours =
        read(&script).is_some_and(|text| text.lines().take(20).any(|line| line.trim_end() == MARKER));
    is_ours.then(|| Checked { scripts: [hooks.join("pre-commit.original"), script], settings })
}

/// The folder in which git looks for hooks, unless the person's own settings name one for all repositories, and the repository's
/// settings.
fn folders(project: &Path) -> Option<(PathBuf, [PathBuf; 2])> {
    let top = project.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let dot = top.join(".git");
    let own = if dot.is_dir() { dot } else { top.join(read(&dot)?.strip_prefix("gitdir:")?.trim()) };
    let common = read(&own.join("commondir")).map_or_else(|| own.clone(), |path| own.join(path.trim()));
    let settings = [common.join("config"), own.join("config.worktree")];
    let set = read(&settings[0]).and_then(|config| hooks_path(&config));
    Some((set.map_or_else(|| common.join("hooks"), |path| top.join(path)), settings))
}

/// Returns whether a command, of this name, commits without the hooks, or has git look for them elsewhere.
pub(crate) fn passes_over_hooks(name: &str, command: &Command) -> bool {
    let names = |text: &str| text.to_ascii_lowercase().contains("hookspath");
    // `GIT_CONFIG_KEY_0=core.hooksPath` and the like, for this command or for those behind it.
    if command.assignments.iter().any(|(name, value)| name.starts_with("GIT_CONFIG") && names(value.text())) {
        return true;
    }
    if matches!(name, "export" | "declare" | "typeset" | "readonly" | "set") {
        return command.args.iter().any(|word| word.text().starts_with("GIT_CONFIG") && names(word.text()));
    }
    if name != "git" {
        return false;
    }
    let (at, asked) = match subcommand(&command.args) {
        Some(at) => (at, command.args.get(at).and_then(Word::known).unwrap_or_default()),
        None => (command.args.len(), ""),
    };
    let (before, behind) = command.args.split_at(at);
    let behind = behind.get(1..).unwrap_or_default();
    if before.iter().any(|word| names(word.text())) {
        return true;
    }
    let has = |options: &[&str]| {
        behind
            .iter()
            .filter_map(Word::known)
            .any(|word| options.iter().any(|option| word.starts_with(option)))
    };
    match asked {
        "config" => {
            let key = |word: &Word| {
                let text = word.text().to_ascii_lowercase();
                text.starts_with("include.") || text.starts_with("includeif.")
            };
            if behind.iter().any(key) && !reads_config(command) {
                return true;
            }
            let first = behind.iter().find_map(Word::known).unwrap_or_default();
            let all = has(&["--edit", "-e"]) || first == "edit";
            let section = has(&["--remove-section", "--rename-section"])
                || matches!(first, "remove-section" | "rename-section");
            let core = |word: &Word| word.text().eq_ignore_ascii_case("core");
            if all || section && behind.iter().any(core) {
                return true;
            }
            let operands = behind.iter().filter(|word| !word.prefix().starts_with('-')).count();
            let reads = has(&["--get", "--list", "-l"])
                || matches!(behind.first().and_then(Word::known), Some("get" | "list"))
                || (operands == 1 && !has(&["--unset"]));
            !reads && behind.iter().any(|word| names(word.text()))
        }
        // Makes a commit by itself, for whoever moves a branch to it.
        "commit-tree" => true,
        // They have hooks of their own, which are not ours.
        "push" | "rebase" | "am" => false,
        "commit" => has(&["--no-veri"]) || short_n(behind),
        _ => has(&["--no-veri"]),
    }
}

/// Returns whether a git command sets, for the person or the machine, a key that has git run programs.
pub(crate) fn sets_up_home(command: &Command) -> bool {
    let known = |index: usize| command.args.get(index).and_then(Word::known);
    let config = subcommand(&command.args).and_then(known) == Some("config");
    let wide = command.args.iter().filter_map(Word::known).any(|arg| {
        arg.len() > 3
            && arg.starts_with("--")
            && ["--global", "--system"].iter().any(|option| option.starts_with(arg))
    });
    // `git maintenance start` registers the repository in the person's configuration, and has the system run git later.
    let asked = subcommand(&command.args);
    let maintains = asked.and_then(known) == Some("maintenance")
        && asked.and_then(|at| known(at + 1)).is_none_or(|what| what != "run" && !what.starts_with('-'));
    (config && wide && command.opaque.is_some()) || maintains
}

/// The folders into which git is told to put files of the index.
pub(crate) fn checks_out_into(command: &Command) -> Vec<Word> {
    let asked = subcommand(&command.args).and_then(|at| command.args.get(at)).and_then(Word::known);
    if asked != Some("checkout-index") {
        return Vec::new();
    }
    let prefix = |arg: &Word| -> Option<Word> {
        let (option, value) = arg.text().split_once('=')?;
        let value = value.trim_matches(['"', '\'']).to_owned();
        let is_known = arg.known().is_some();
        (option.len() > 3 && "--prefix".starts_with(option)).then_some(if is_known {
            Word::Known(value)
        } else {
            Word::Unknown { text: value, prefix: String::new(), why: Why::Expansion, many: false }
        })
    };
    command.args.iter().filter_map(prefix).collect()
}

/// Returns whether `git config` only shows what is set.
pub(crate) fn reads_config(command: &Command) -> bool {
    let known =
        |options: &[&str]| command.args.iter().filter_map(Word::known).any(|word| options.contains(&word));
    let operands = command.args.iter().filter(|word| !word.prefix().starts_with('-')).count();
    let writes = [
        "--unset",
        "--unset-all",
        "--add",
        "--replace-all",
        "--edit",
        "-e",
        "--remove-section",
        "--rename-section",
    ];
    let verbs = ["set", "unset", "edit", "rename-section", "remove-section"];
    !known(&writes)
        && !known(&verbs)
        && (known(&["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"]) || operands <= 2)
}

/// Returns where the name of git's command stands, behind what is for git itself.
fn subcommand(args: &[Word]) -> Option<usize> {
    const VALUED: [&str; 7] =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"];
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.prefix().starts_with('-') {
            return Some(at);
        }
        at += if arg.known().is_some_and(|text| VALUED.contains(&text)) { 2 } else { 1 };
    }
    None
}

/// Returns whether `git commit` is told `-n`, alone or among other letters.
fn short_n(args: &[Word]) -> bool {
    let mut is_value = false;
    for arg in args {
        let text = arg.known().unwrap_or_else(|| arg.prefix());
        if std::mem::take(&mut is_value) {
            continue;
        }
        if text == "--" {
            return false;
        }
        let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { continue };
        for (at, letter) in letters.char_indices() {
            match letter {
                'n' => return true,
                // With a value: the rest of the word, or the next one.
                'm' | 'F' | 'C' | 'c' | 't' => {
                    is_value = at + 1 == letters.len();
                    break;
                }
                // With a value that may only stand in the same word.
                'S' | 'u' | 'U' => break,
                _ => {}
            }
        }
    }
    false
}

/// `core.hooksPath` of a settings file; the last one counts.
fn hooks_path(config: &str) -> Option<String> {
    let mut core = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            core = section.split(']').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
        } else if let Some((name, value)) = line.split_once('=').filter(|_| core)
            && name.trim().eq_ignore_ascii_case("hookspath")
        {
            let value = value.trim();
            let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            found = Some(bare.unwrap_or(value).replace("\\\\", "\\").replace("\\\"", "\""));
        }
    }
    found
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    snaphook_state::plain_fs::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_paths_are_read() {
        for (config, path) in [
            ("[core]\n\tbare = false\n", None),
            ("[core]\n\thooksPath = .githooks\n", Some(".githooks")),
            ("[CORE]\nHooksPath=\"a b\\\\c\"\n[x]\nhooksPath = no\n", Some("a b\\c")),
            ("[core \"x\"]\nhooksPath = no\n", None),
            ("[core]\nhooksPath = a\n[core]\nhookspath = b\n", Some("b")),
        ] {
            assert_eq!(hooks_path(config).as_deref(), path, "{config}");
        }
    }
}
