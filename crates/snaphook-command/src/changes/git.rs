//! Asking git which files are dirty. The repository may come from anywhere, and a program that its own configuration names is the
//! project's code, which is not trusted: none of them runs (`overruled`, `clean`, `SETTINGS`).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{GitError, LookOptions, Names, porcelain};
use crate::process::{Chunk, Limits, Request, Stream, run};

/// The most that git may print, in bytes.
const MAX_OUTPUT_BYTES: usize = 64 << 20;

/// The depth to which repositories inside repositories are looked into.
const MAX_DEPTH: usize = 4;

/// The output of git, in names relative to the project's root.
pub(super) struct DirtyNames {
    pub(super) names: Names,
    pub(super) took: Duration,
}

/// Settings of the user, or of a repository, that change what is printed, start programs, or wait for input.
const SETTINGS: [&str; 11] = [
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "color.ui=false",
    "color.status=false",
    "status.renames=false",
    "diff.renames=false",
    "status.showUntrackedFiles=all",
    "status.branch=false",
    // A folder of the project that looks like a repository without a working tree has a configuration, too, and comes with a clone.
    "safe.bareRepository=explicit",
];

/// Variables that git has beside those that it is left: it takes no locks, asks no questions, and fetches nothing. Objects that
/// are not there would be fetched by programs that the repository names.
const OURS: [(&str, &str); 5] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("LC_ALL", "C"),
];

/// Variables of git that say where its own files are. All others that it knows are about one repository or one call.
const PLACE_VARIABLES: [&str; 5] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",
    "GIT_CEILING_DIRECTORIES",
];

/// Returns whether a repository may be found from here.
pub fn may_be_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

/// The environment for git out of one that may belong to another git.
pub fn clean(env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let ours = |name: &OsStr| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || PLACE_VARIABLES.contains(&name.as_ref())
    };
    let mut env: Vec<_> = env.iter().filter(|(name, _)| ours(name)).cloned().collect();
    env.extend(OURS.map(|(name, value)| (name.into(), value.into())));
    env
}

/// A repository to be looked into: the project's own, and those inside of it.
struct Inside {
    /// Its folder as seen from the root, with those of the repositories that it is in before it.
    path: Vec<Vec<u8>>,
    /// True if one that it is in has it as a part of itself, so that what it has is not to be missed.
    submodule: bool,
}

/// The dirty files below the root. `None` where the repository around ignores the whole folder.
///
/// # Errors
/// git is not there, fails, says too much or takes too long.
pub(super) async fn dirty(options: LookOptions<'_>) -> Result<Option<DirtyNames>, GitError> {
    let began = Instant::now();
    let env = clean(options.env);
    let mut names = Names::new();
    let mut open = vec![Inside { path: Vec::new(), submodule: false }];
    while let Some(Inside { path, submodule }) = open.pop() {
        let (inside, depth) = (path.last().map(Vec::as_slice).unwrap_or_default(), path.len());
        let folder = super::path_of(options.root, inside);
        let git = Git { folder: &folder, env: &env, limit: options.git_limit };
        match super::check_repository(&folder) {
            Err(error) if depth == 0 || submodule => return Err(error),
            Err(_) => continue,
            Ok(()) => {}
        }
        let found = match status(&git, depth == 0).await {
            Ok(Some(found)) => found,
            Ok(None) if depth == 0 => return Ok(None),
            Ok(None) if submodule => {
                return Err(GitError::NoRepository(String::from_utf8_lossy(inside).into_owned()));
            }
            Err(error) if depth == 0 || submodule => return Err(error),
            // A folder that only looks like a repository stands for itself.
            Ok(None) | Err(_) => continue,
        };
        let full = |name: &[u8]| {
            if inside.is_empty() { name.to_owned() } else { [inside, b"/".as_slice(), name].concat() }
        };
        if !found.entries.is_empty() {
            names.extend(path.iter().cloned());
        }
        let mut repositories: BTreeMap<Vec<u8>, bool> =
            found.submodules.iter().map(|name| (full(name), true)).collect();
        for entry in found.entries {
            let own = full(&entry.name);
            if entry.repository {
                repositories.entry(own.clone()).or_insert(false);
            }
            names.extend(entry.from.as_deref().map(full));
            names.insert(own);
        }
        for (own, submodule) in repositories {
            if depth < MAX_DEPTH && super::path_of(options.root, &own).join(".git").exists() {
                open.push(Inside { path: path.iter().cloned().chain([own]).collect(), submodule });
            }
        }
    }
    Ok(Some(DirtyNames { names, took: began.elapsed() }))
}

/// The files that a repository lists in a folder, in names relative to it.
struct FolderStatus {
    entries: Vec<porcelain::Entry>,
    submodules: BTreeSet<Vec<u8>>,
}

/// Returns what git says of a folder. `None` where it is ignored, and where it is a part of a repository though it
/// may not be one.
async fn status(git: &Git<'_>, may_be_part: bool) -> Result<Option<FolderStatus>, GitError> {
    // Submodules are looked into as repositories of their own: git would start another one there, with that one's configuration.
    let asked = [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=dirty",
        "--",
        ".",
    ];
    let overruled = git.overruled().await?;
    let (prefix, said, listed) = tokio::join!(
        git.ask(&["rev-parse", "--show-prefix"]),
        git.ask_with(&overruled, &asked, None),
        git.ask_with(&[], &["ls-files", "--stage", "-z"], Some(LINK)),
    );
    let (prefix, said, listed) = (prefix?, said?, listed?);
    let prefix = prefix.strip_suffix(b"\n").unwrap_or(&prefix);
    if !prefix.is_empty() && (!may_be_part || git.ignores_all().await) {
        return Ok(None);
    }
    let mut entries = porcelain::parse(&said)?;
    for entry in &mut entries {
        for name in std::iter::once(&mut entry.name).chain(&mut entry.from) {
            if let Some(inside) = name.strip_prefix(prefix) {
                *name = inside.to_owned();
            }
            below(name)?;
        }
    }
    let name =
        |record: &[u8]| record.iter().position(|byte| *byte == b'\t').map(|tab| record[tab + 1..].to_owned());
    let submodules: BTreeSet<_> = listed.split(|byte| *byte == 0).filter_map(name).collect();
    submodules.iter().try_for_each(|name| below(name))?;
    Ok(Some(FolderStatus { entries, submodules }))
}

/// That a name of git's leads nowhere else. git never adds one that does, and does not look whether one is in an index that
/// another user wrote. Hooks are handed these names, and may write what they name.
///
/// # Errors
/// It leads out of the folder.
pub fn below(name: &[u8]) -> Result<(), GitError> {
    let mut parts = name.split(|byte| *byte == b'/' || (cfg!(windows) && *byte == b'\\'));
    if name.starts_with(b"/") || parts.any(|part| part == b"..") {
        Err(GitError::Outside(String::from_utf8_lossy(name).into_owned()))
    } else {
        Ok(())
    }
}

/// The beginning of an entry of the index that is a submodule.
const LINK: &[u8] = b"160000 ";

/// Settings that name programs which look at content, and what they are without those of the repository's own configuration: what the
/// person's says, else nothing. git runs filters wherever it has to read a file to know whether it changed; git-lfs, a filter of many
/// people's, runs those that its extensions name.
fn overruled(listed: &[u8]) -> Result<Vec<String>, GitError> {
    let text = String::from_utf8_lossy(listed);
    let mut records = text.split('\0');
    let mut theirs: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut owned: BTreeMap<&str, &str> = BTreeMap::new();
    while let (Some(scope), Some(setting)) = (records.next(), records.next()) {
        // Without a value it is a switch that is on.
        let (name, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        match scope {
            "system" | "global" => _ = owned.insert(name, value),
            _ => _ = theirs.insert(name, None),
        }
    }
    let one = |name: &str| {
        // It would be another setting on the command line, where the first `=` ends the name.
        if name.contains('=') || name.contains('\u{FFFD}') {
            return Err(GitError::OddFilter(name.to_owned()));
        }
        let none = if name.ends_with(".required") { "false" } else { "" };
        Ok(format!("{name}={}", owned.get(name).copied().unwrap_or(none)))
    };
    theirs.keys().copied().map(one).collect()
}

struct Git<'a> {
    folder: &'a Path,
    env: &'a [(OsString, OsString)],
    limit: Duration,
}

impl Git<'_> {
    /// Returns what git prints; bytes, because names may be anything.
    async fn ask(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.ask_with(&[], args, None).await
    }

    /// The same with more settings, and only those of its NUL-separated records that begin so.
    async fn ask_with(
        &self,
        settings: &[String],
        args: &[&str],
        only: Option<&[u8]>,
    ) -> Result<Vec<u8>, GitError> {
        let (output, code, stderr) = self.run(settings, args, only).await?;
        match code {
            Some(0) => Ok(output),
            _ => Err(GitError::Failed(stderr)),
        }
    }

    async fn ignores_all(&self) -> bool {
        matches!(self.run(&[], &["check-ignore", "-q", "--", "."], None).await, Ok((_, Some(0), _)))
    }

    /// Settings against the programs that the repository's own configuration names.
    async fn overruled(&self) -> Result<Vec<String>, GitError> {
        let asked = ["config", "--show-scope", "-z", "--get-regexp", "^(filter|lfs\\.extension)\\."];
        match self.run(&[], &asked, None).await? {
            (listed, Some(0), _) => overruled(&listed),
            (_, Some(1), _) => Ok(Vec::new()),
            (_, _, why) => Err(GitError::Failed(why)),
        }
    }

    async fn run(
        &self,
        settings: &[String],
        args: &[&str],
        only: Option<&[u8]>,
    ) -> Result<(Vec<u8>, Option<i32>, String), GitError> {
        let settings = SETTINGS.into_iter().chain(settings.iter().map(String::as_str));
        let settings = settings.flat_map(|setting| ["-c", setting]);
        let (sender, mut chunks) = mpsc::channel::<Chunk>(4096);
        let request = Request {
            args: settings.chain(args.iter().copied()).map(OsString::from).collect(),
            env: self.env.to_vec(),
            timeout: Some(self.limit),
            // The captured text is not used: it is no longer what git printed where a name is not UTF-8.
            limits: Limits { stdout: 0, stderr: 4096, ..Limits::default() },
            on_output: Some(sender),
            ..Request::new("git", self.folder)
        };
        let gather = async {
            let (mut bytes, mut lost, mut seen) = (Vec::new(), false, 0);
            let mut kept = 0;
            while let Some(chunk) = chunks.recv().await {
                if chunk.stream != Stream::Stdout {
                    continue;
                }
                seen += chunk.bytes.len() as u64;
                lost |= chunk.skipped > 0 || bytes.len() + chunk.bytes.len() > MAX_OUTPUT_BYTES;
                if !lost {
                    bytes.extend(chunk.bytes);
                    kept = only.map_or(0, |only| keep(&mut bytes, kept, only));
                }
            }
            (bytes, lost, seen)
        };
        let (ran, (bytes, lost, seen)) = tokio::join!(run(request), gather);
        let output = ran?;
        let complete = !lost && seen == output.stdout_bytes && !output.left_open;
        if output.success() && !complete {
            return Err(GitError::TooLong(MAX_OUTPUT_BYTES >> 20));
        }
        let first = output.stderr.lines().next().unwrap_or_default();
        let why = if first.is_empty() { format!("git {}", output.outcome) } else { first.to_owned() };
        Ok((bytes, output.code(), why))
    }
}

/// Takes out the complete records behind `from` that do not begin as wanted; where the last, incomplete one begins.
fn keep(bytes: &mut Vec<u8>, from: usize, wanted: &[u8]) -> usize {
    let tail = bytes.split_off(from);
    let mut rest = tail.as_slice();
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let (record, behind) = rest.split_at(end + 1);
        if record.starts_with(wanted) {
            bytes.extend_from_slice(record);
        }
        rest = behind;
    }
    let begins = bytes.len();
    bytes.extend_from_slice(rest);
    begins
}
