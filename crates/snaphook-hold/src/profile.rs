//! The parts of a profile that are the same on every machine. Not here: its name ([`HoldProfile`]), and the places that
//! self-protection guards (`snaphook-guard`), which the caller gives.

use std::path::{Path, PathBuf};

use snaphook_core::{Hold, HoldProfile, Net};

/// Caches below the home folder that tools write while they build and test, each with its tool; no folder of it is one of
/// programs. A tool without a name is any.
const CACHES: &[(&str, &str)] = &[
    ("", ".cache"),
    ("", "Library/Caches"),
    ("rustup", ".rustup/tmp"),
    ("npm", ".npm"),
    ("pnpm", ".pnpm-store"),
    ("pnpm", ".local/share/pnpm/store"),
    ("yarn", ".yarn/berry"),
    ("bun", ".bun/install/cache"),
    ("gradle", ".gradle/caches"),
    ("gradle", ".gradle/daemon"),
    ("gradle", ".gradle/native"),
    ("gradle", ".gradle/workers"),
    ("gradle", ".gradle/wrapper"),
    ("gradle", ".gradle/.tmp"),
    ("mvn", ".m2/repository"),
    ("sbt", ".ivy2/cache"),
    ("sbt", ".ivy2/local"),
    ("sbt", ".sbt/boot"),
    ("go", "go/pkg"),
    ("dotnet", ".nuget/packages"),
    ("bundle", ".bundle/cache"),
    ("composer", ".composer/cache"),
    ("mix", ".hex/packages"),
    ("ccache", ".ccache"),
];

/// Caches in cargo's own folder, `~/.cargo` or `$CARGO_HOME`, and its locks, which are files.
const OF_CARGO: [&str; 3] = ["registry", "git", ".global-cache"];
const LOCKS_OF_CARGO: [&str; 2] = [".package-cache", ".package-cache-mutate"];

/// The folders of the person in which tools keep caches.
#[derive(Debug, Clone, Copy, Default)]
pub struct CacheFolders<'a> {
    /// The home folder.
    pub home: Option<&'a Path>,
    /// `$CARGO_HOME`, if it is set.
    pub cargo: Option<&'a Path>,
}

impl CacheFolders<'_> {
    fn all(&self) -> Vec<PathBuf> {
        let below = |(_, path): &(&str, &str)| self.home.map(|home| home.join(path));
        let mut caches: Vec<PathBuf> = CACHES.iter().filter_map(below).collect();
        if let Some(cargo) = self.cargo_home() {
            caches.extend(OF_CARGO.iter().chain(&LOCKS_OF_CARGO).map(|name| cargo.join(name)));
        }
        caches
    }

    fn cargo_home(&self) -> Option<PathBuf> {
        let usual = || self.home.map(|home| home.join(".cargo"));
        self.cargo.map(Path::to_owned).or_else(usual)
    }

    /// Makes the caches of the tools that are on this machine: behind walls a tool cannot make its own. `has` says whether there
    /// is a program. What cannot be made stays away, as it would for the tool.
    pub fn make(&self, has: impl Fn(&str) -> bool) {
        // Names of macOS, which mean nothing elsewhere.
        let is_here = |path: &str| cfg!(target_os = "macos") || !path.starts_with("Library/");
        let wanted = CACHES.iter().filter(|(tool, path)| is_here(path) && (tool.is_empty() || has(tool)));
        for (_, path) in wanted {
            let _ = self.home.map(|home| std::fs::create_dir_all(home.join(path)));
        }
        if let Some(cargo) = self.cargo_home().filter(|_| has("cargo")) {
            for name in ["registry", "git"] {
                let _ = std::fs::create_dir_all(cargo.join(name));
            }
            for name in LOCKS_OF_CARGO {
                let _ = std::fs::OpenOptions::new().append(true).create(true).open(cargo.join(name));
            }
        }
    }
}

/// The part of a profile that is a directive. Places and walls are the surroundings'.
pub fn profile_hold(profile: HoldProfile) -> Hold {
    let net = (profile == HoldProfile::Offline).then_some(Net::None);
    Hold { net, ..Hold::default() }
}

/// The only places that may be written under a profile, if it has walls: the project, temporary folders, caches of common
/// tools, and those of the settings.
pub fn profile_walls(
    profile: HoldProfile,
    project: &Path,
    tools: CacheFolders<'_>,
    temporary: &[PathBuf],
    caches: &[PathBuf],
) -> Option<Vec<PathBuf>> {
    if profile != HoldProfile::Project {
        return None;
    }
    let mut walls = vec![project.to_owned()];
    walls.extend_from_slice(temporary);
    walls.extend(tools.all());
    walls.extend_from_slice(caches);
    Some(walls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_tools_that_are_there_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let (home, cargo) = (folder.path().join("home"), folder.path().join("cargo"));
        let folders = CacheFolders { home: Some(&home), cargo: Some(&cargo) };
        folders.make(|tool| ["npm", "cargo"].contains(&tool));
        for (path, is_made) in [
            (home.join(".cache"), true),
            (home.join(".npm"), true),
            (home.join(".gradle"), false),
            (home.join(".cargo"), false),
            (cargo.join("registry"), true),
            (cargo.join(".package-cache"), true),
        ] {
            assert_eq!(path.exists(), is_made, "{}", path.display());
        }
        let project = Path::new("/p");
        let walls = profile_walls(HoldProfile::Project, project, folders, &[], &[]).unwrap();
        assert!(walls.contains(&cargo.join("git")) && walls.contains(&home.join(".m2/repository")));
        assert_eq!(profile_walls(HoldProfile::Guarded, project, folders, &[], &[]), None);
    }
}
