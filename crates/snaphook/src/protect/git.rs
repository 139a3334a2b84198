//! Where git's hooks of a project are, read from the repository's own files: this runs in each process, and starts none. Not here:
//! what the script is (the command writes it), guarding it (`places`).

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The line by which the script of `snaphook git install` says whose it is.
pub(super) const MARKER: &str = "# snaphook:managed";

/// How much of a file is read.
const MOST: u64 = 64 << 10;

/// The script that runs the project's hooks before each commit, and the hook that it keeps; none where there is no such script.
pub(super) fn scripts(project: &Path) -> Vec<PathBuf> {
    let Some(hooks) = folder(project) else { return Vec::new() };
    let script = hooks.join("pre-commit");
    let is_ours =
        read(&script).is_some_and(|text| text.lines().take(20).any(|line| line.trim_end() == MARKER));
    if is_ours { vec![hooks.join("pre-commit.original"), script] } else { Vec::new() }
}

/// The folder in which git looks for hooks, unless the person's own settings name one for all repositories.
fn folder(project: &Path) -> Option<PathBuf> {
    let top = project.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let dot = top.join(".git");
    let own = match dot.is_dir() {
        true => dot,
        false => top.join(read(&dot)?.strip_prefix("gitdir:")?.trim()),
    };
    let common = read(&own.join("commondir")).map_or_else(|| own.clone(), |path| own.join(path.trim()));
    let set = read(&common.join("config")).and_then(|config| hooks_path(&config));
    Some(set.map_or_else(|| common.join("hooks"), |path| top.join(path)))
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
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
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
