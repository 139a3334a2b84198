//! A home with what is to be guarded, a process outside, and the ways to run something held and unheld in it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;

/// A person that commands run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    Root,
    Nobody,
}

const NOBODY: u32 = 65534;

impl User {
    /// Those that this process can be.
    pub fn all() -> Vec<User> {
        if rustix::process::geteuid().is_root() { vec![User::Root, User::Nobody] } else { vec![User::Nobody] }
    }

    pub fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if self == User::Nobody && rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Gives this person what is in a folder.
    pub fn owns(self, folder: &Path) {
        if self == User::Nobody && rustix::process::geteuid().is_root() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    self.owns(&entry.path());
                } else {
                    std::os::unix::fs::lchown(entry.path(), Some(NOBODY), Some(NOBODY)).unwrap();
                }
            }
            chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// The programs of the tests, where everybody may run them.
pub struct Programs {
    folder: TempDir,
    pub has_attack: bool,
}

impl Programs {
    pub fn get() -> &'static Self {
        static PROGRAMS: OnceLock<Programs> = OnceLock::new();
        PROGRAMS.get_or_init(|| {
            let folder = open_folder();
            let here = std::env::current_exe().unwrap();
            let built = here.parent().unwrap().parent().unwrap().join("examples/held");
            assert!(
                built.exists(),
                "{} is missing: `cargo test -p snaphook-hold` builds it",
                built.display()
            );
            fs::copy(built, folder.path().join("held")).unwrap();
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/attack.c");
            let attack = folder.path().join("attack");
            let compiled =
                Command::new("cc").args(["-O1", "-static", "-w", "-o"]).arg(&attack).arg(source).status();
            let has_attack = compiled.is_ok_and(|status| status.success());
            assert!(has_attack || !is_ci(), "cc is missing");
            Programs { folder, has_attack }
        })
    }

    pub fn held(&self) -> PathBuf {
        self.folder.path().join("held")
    }

    pub fn attack(&self) -> PathBuf {
        self.folder.path().join("attack")
    }
}

#[expect(clippy::disallowed_methods, reason = "a test may look at the environment")]
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// A temporary folder that everybody may look into.
pub fn open_folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("hold").tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The bed.
pub struct Bed {
    folder: TempDir,
    pub user: User,
    pub names: BTreeMap<&'static str, String>,
    victim: Child,
}

impl Bed {
    pub fn new(user: User) -> Self {
        let folder = open_folder();
        let root = folder.path().to_owned();
        for (path, text) in [
            ("h/.tool/settings.json", "old\n"),
            ("h/.tool/other", "other\n"),
            ("h/.tool/hooks/a.lua", "old\n"),
            ("h/secret", "SECRET-MARK\n"),
            ("h/keys/id", "SECRET-MARK\n"),
            ("h/program", "#!/bin/sh\necho PROGRAM-RAN\n"),
            ("h/outside/new", "new\n"),
            ("h/outside/wall", "old\n"),
            ("h/project/new", "new\n"),
            ("h/project/.git/config", "[core]\n\tbare = false\n\trepositoryformatversion = 0\n"),
            ("h/project/.git/HEAD", "ref: refs/heads/main\n"),
            ("h/project/.git/hooks/pre-commit", "old\n"),
            ("h/project/.git/objects/x", ""),
            ("h/project/.git/refs/x", ""),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::set_permissions(root.join("h/program"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("h/.tool/settings.json", root.join("link")).unwrap();
        fs::create_dir(root.join("run")).unwrap();
        user.owns(&root);
        let mark = root.file_name().unwrap().to_str().unwrap().to_owned();
        let mut victim = user.command(Path::new("/bin/bash"));
        victim.args(["-c", &format!("exec -a victim-{mark} sleep 1000")]);
        victim.current_dir(root.join("h")).process_group(0).stdin(Stdio::null()).stdout(Stdio::null());
        let victim = victim.spawn().unwrap();
        let id = victim.id();
        // It has become `sleep` once its name says so.
        let is_ready = || {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            line.starts_with(b"victim-")
        };
        while !is_ready() {
            std::thread::yield_now();
        }
        let maps = fs::read_to_string(format!("/proc/{id}/maps")).unwrap();
        let address = format!("0x{}", maps.split('-').next().unwrap());
        let at = |path: &str| root.join(path).display().to_string();
        let names = BTreeMap::from([
            ("R", root.display().to_string()),
            ("H", at("h")),
            ("G", at("h/.tool/settings.json")),
            ("D", at("h/.tool/hooks")),
            ("S", at("h/secret")),
            ("X", at("h/program")),
            ("O", at("h/outside")),
            ("W", at("h/outside/wall")),
            ("N", at("h/outside/new")),
            ("P", at("h/project")),
            ("U", at("run/socket")),
            ("M", mark),
            ("V", id.to_string()),
            ("VA", address),
        ]);
        Bed { folder, user, names, victim }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    /// A policy of the tests by its name.
    pub fn policy(&self, name: &str) -> Value {
        let at = |path: &str| self.path(path).display().to_string();
        let guarded = json!([
            at("h/.tool/settings.json"),
            at("h/.tool/hooks"),
            at("h/project/.git/config"),
            at("h/project/.git/hooks")
        ]);
        let home = at("h");
        match name {
            "guarded" => json!({"home": home, "places": guarded}),
            "hidden" => json!({"home": home, "hold": {
                "deny_read": [at("h/secret"), at("h/keys")], "deny_exec": [at("h/program")],
            }}),
            "offline" => json!({"home": home, "places": guarded, "hold": {
                "net": "none", "deny_read": [at("run/socket")],
            }}),
            "walls" => json!({"home": home, "walls": [at("h/project")]}),
            other => panic!("no policy {other}"),
        }
    }

    /// The same command, held if there is a policy.
    pub fn run(&self, policy: Option<&Value>, words: &[String]) -> Output {
        let mut command = self.command(policy, words);
        command.stdin(Stdio::null()).output().unwrap()
    }

    pub fn command(&self, policy: Option<&Value>, words: &[String]) -> Command {
        let (program, before) = match policy {
            Some(policy) => (Programs::get().held(), vec![policy.to_string()]),
            None => (find(&words[0]), Vec::new()),
        };
        let rest = if policy.is_some() { words } else { &words[1..] };
        let mut command = self.user.command(&program);
        command.args(before).args(rest).current_dir(self.path("h/project")).env_clear();
        command.env("PATH", PATH).env("HOME", &self.names["H"]).env("LC_ALL", "C.UTF-8");
        command.env("TMPDIR", self.path("h/project")).envs(&self.names);
        command
    }

    /// All that must stay as it is: names, modes, owners, times and contents of guarded places, or of all behind walls.
    pub fn guarded(&self, policy: &str) -> String {
        let mut text = String::new();
        let places: &[&str] = match policy {
            "walls" => &["h"],
            _ => &["h/.tool/settings.json", "h/.tool/hooks", "h/project/.git/config", "h/project/.git/hooks"],
        };
        for place in places {
            describe(&self.path(place), &self.path("h/project"), policy == "walls", &mut text);
        }
        text
    }

    /// The process outside: alive, not stopped, and with the rights that it had.
    pub fn victim(&mut self) -> String {
        if let Some(status) = self.victim.try_wait().unwrap() {
            return format!("ended: {status}");
        }
        let id = self.victim.id();
        let read = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).unwrap_or_default();
        let stat = read("stat");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        // Stopped or traced; else it is asleep, or about to be.
        let is_stopped = matches!(fields[0], "T" | "t" | "Z" | "X");
        let (nice, policy) = (fields[16], fields[38]);
        let status = read("status");
        let cpus = status.lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap_or_default();
        // Sent, and not there yet.
        let pending: String = status.lines().filter(|line| line.contains("Pnd:")).collect();
        format!("{is_stopped} {nice} {policy} {cpus} {pending} {}", read("limits"))
    }
}

pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

fn find(program: &str) -> PathBuf {
    if program.contains('/') {
        return program.into();
    }
    let files = PATH.split(':').map(|folder| Path::new(folder).join(program));
    files.into_iter().find(|file| file.exists()).unwrap_or_else(|| program.into())
}

fn describe(path: &Path, but: &Path, is_walled: bool, text: &mut String) {
    if path == but && is_walled {
        return;
    }
    let Ok(metadata) = fs::symlink_metadata(path) else {
        let _ = writeln!(text, "{} is gone", path.display());
        return;
    };
    let (mode, uid, gid, time) = (metadata.mode(), metadata.uid(), metadata.gid(), metadata.mtime_nsec());
    let inode = metadata.ino();
    let _ = write!(text, "{} {mode:o} {uid} {gid} {} {time} {inode}", path.display(), metadata.mtime());
    if metadata.is_dir() {
        let _ = writeln!(text);
        let mut entries: Vec<_> = fs::read_dir(path).unwrap().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| describe(entry, but, is_walled, text));
    } else if metadata.is_file() {
        let mut space = [0; 256];
        let attributes = rustix::fs::listxattr(path, &mut space).unwrap_or(0);
        let _ = writeln!(text, " {attributes} {:?}", fs::read(path).unwrap());
    } else {
        let _ = writeln!(text, " {:?}", fs::read_link(path));
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        clear(self.folder.path());
    }
}

/// Takes back what attempts leave that worked unheld: mounts, through which removing the folder would go on elsewhere, and files
/// that cannot be removed.
fn clear(folder: &Path) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(Path::new);
    for place in places.filter(|place| place.starts_with(folder)).collect::<Vec<_>>().into_iter().rev() {
        let _ = rustix::mount::unmount(place, rustix::mount::UnmountFlags::DETACH);
    }
    if fs::remove_dir_all(folder).is_err() {
        let _ = Command::new("chattr").args(["-R", "-f", "-i", "-a"]).arg(folder).status();
    }
}
