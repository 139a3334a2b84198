//! Asking git.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{Names, Place, porcelain};
use crate::process::{Chunk, Limits, Request, Stream, run};

/// The most that git may print, in bytes.
const MOST: usize = 64 << 20;

/// How deep repositories inside repositories are looked into.
const DEEPEST: usize = 4;

/// What git says, in names relative to the project's root.
pub(super) struct Said {
    pub(super) names: Names,
    pub(super) took: Duration,
}

/// Settings of the user, or of a repository, that change what is printed, start programs, or wait for somebody.
const SETTINGS: [&str; 10] = [
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
];

/// Variables of git that say where its own files are. All others that it knows are about one repository or one call.
const KEPT: [&str; 5] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EXEC_PATH",
    "GIT_CEILING_DIRECTORIES",
];

/// Whether a repository may be found from here.
pub fn may_be_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

/// The environment for git out of one that may belong to another git.
pub fn clean(env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let ours = |name: &OsStr| {
        let name = name.to_string_lossy();
        !name.starts_with("GIT_") || KEPT.contains(&name.as_ref())
    };
    let mut env: Vec<_> = env.iter().filter(|(name, _)| ours(name)).cloned().collect();
    for (name, value) in [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")] {
        env.push((name.into(), value.into()));
    }
    env
}

/// The dirty files below the root. `None` where the repository around ignores the whole folder.
///
/// # Errors
/// git is not there, fails, says too much or takes too long.
pub(super) async fn dirty(place: Place<'_>) -> Result<Option<Said>, String> {
    let began = Instant::now();
    let env = clean(place.env);
    let mut names = Names::new();
    // Folders still to be looked into, as seen from the root, and how deep they are.
    let mut open: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 0)];
    while let Some((inside, depth)) = open.pop() {
        let folder = super::path_of(place.root, &inside);
        let git = Git { folder: &folder, env: &env, limit: place.git_limit };
        let entries = match status(&git, depth == 0).await {
            Ok(Some(entries)) => entries,
            Ok(None) if depth == 0 => return Ok(None),
            Err(error) if depth == 0 => return Err(error),
            // A folder that only looks like a repository stands for itself.
            Ok(None) | Err(_) => continue,
        };
        for entry in entries {
            let full = |name: &[u8]| match inside.is_empty() {
                true => name.to_owned(),
                false => [&inside, b"/".as_slice(), name].concat(),
            };
            let own = full(&entry.name);
            if entry.repository && depth < DEEPEST && super::path_of(place.root, &own).join(".git").exists() {
                open.push((own, depth + 1));
            }
            names.extend(entry.from.as_deref().map(full));
            names.insert(full(&entry.name));
        }
    }
    Ok(Some(Said { names, took: began.elapsed() }))
}

/// The entries below a folder, named relative to it. `None` where it is ignored, and where it is a part of a repository though
/// it may not be one.
async fn status(git: &Git<'_>, may_be_part: bool) -> Result<Option<Vec<porcelain::Entry>>, String> {
    let asked = [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=none",
        "--",
        ".",
    ];
    let (prefix, said) = tokio::join!(git.ask(&["rev-parse", "--show-prefix"]), git.ask(&asked));
    let (prefix, said) = (prefix?, said?);
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
        }
    }
    Ok(Some(entries))
}

struct Git<'a> {
    folder: &'a Path,
    env: &'a [(OsString, OsString)],
    limit: Duration,
}

impl Git<'_> {
    /// What git prints; bytes, because names may be anything.
    async fn ask(&self, args: &[&str]) -> Result<Vec<u8>, String> {
        let (output, code, stderr) = self.run(args).await?;
        match code {
            Some(0) => Ok(output),
            _ => Err(stderr),
        }
    }

    async fn ignores_all(&self) -> bool {
        matches!(self.run(&["check-ignore", "-q", "--", "."]).await, Ok((_, Some(0), _)))
    }

    async fn run(&self, args: &[&str]) -> Result<(Vec<u8>, Option<i32>, String), String> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", *setting]);
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
            let (mut bytes, mut lost) = (Vec::new(), false);
            while let Some(chunk) = chunks.recv().await {
                if chunk.stream != Stream::Stdout {
                    continue;
                }
                lost |= chunk.skipped > 0 || bytes.len() + chunk.bytes.len() > MOST;
                if !lost {
                    bytes.extend(chunk.bytes);
                }
            }
            (bytes, lost)
        };
        let (ran, (bytes, lost)) = tokio::join!(run(request), gather);
        let output = ran.map_err(|error| format!("git did not run: {error}"))?;
        let complete = !lost && bytes.len() as u64 == output.stdout_bytes && !output.left_open;
        if output.success() && !complete {
            return Err(format!("git said more than {} MiB, or was cut off", MOST >> 20));
        }
        let first = output.stderr.lines().next().unwrap_or_default();
        let why = if first.is_empty() { format!("git {}", output.outcome) } else { first.to_owned() };
        Ok((bytes, output.code(), why))
    }
}
