//! `snaphook.fs` for a script, and its grants. Attempts to get around them: `file_escapes`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use snaphook::*;

use crate::support::*;

/// An engine whose scripts only keep their services, so that a test can ask as they would.
#[derive(Default)]
struct Keeps(Mutex<Option<Arc<dyn Services>>>);

impl Engine for Keeps {
    fn load(&self, LoadRequest { services, .. }: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        *self.0.lock().unwrap() = Some(Arc::clone(services));
        Ok(LoadedHook { handlers: Vec::new(), problems: Vec::new(), memory: 0, coverage: None })
    }
}

/// A world of files: `project`, `home` and `outside` beside each other, and a hook with grants.
pub struct Bed {
    pub root: PathBuf,
    services: Arc<dyn Services>,
    _host: Host,
    _dir: tempfile::TempDir,
}

impl Bed {
    /// A hook with these grants, separated by spaces. `ROOT` in them stands for the folder of all.
    pub fn new(read: &str, write: &str) -> Self {
        Bed::with(read, write, |_| {})
    }

    /// The same, where something is done to the folder of all before the hook is loaded.
    pub fn with(read: &str, write: &str, prepare: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in
            ["project/.snaphook/hooks", "project/docs", "home", "outside", "config/hooks", "state/trust"]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (path, text) in [
            ("project/readme.md", "readme"),
            ("project/docs/a.md", "a"),
            ("project/docs/b.txt", "b"),
            ("project/.snaphook/hooks/gate.lua", "gate"),
            ("home/note.md", "note"),
            ("outside/secret.md", "secret"),
            ("config/config.toml", "settings"),
            ("config/hooks/user.lua", "user"),
            ("state/trust/decisions.json", "trust"),
        ] {
            fs::write(root.join(path), text).unwrap();
        }
        prepare(&root);
        let project = root.join("project");
        Bed::of(dir, root, &project, read, write)
    }

    /// A hook in this project, which is no part of the world of files.
    pub fn at(project: &Path, read: &str, write: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        Bed::of(dir, root, project, read, write)
    }

    fn of(dir: tempfile::TempDir, root: PathBuf, project: &Path, read: &str, write: &str) -> Self {
        let environment = Environment {
            home: Some(root.join("home")),
            snaphook_config_dir: Some(root.join("config")),
            snaphook_state_dir: Some(root.join("state")),
            ..Environment::new(project)
        };
        let list = |text: &str| {
            let entries = text.split_whitespace();
            entries.map(|entry| entry.replace("ROOT", root.to_str().unwrap())).collect()
        };
        let grants = Grants { read: list(read), write: list(write), ..Grants::default() };
        let engine = Arc::new(Keeps::default());
        let script = Script {
            hook: hook("a"),
            source: "".into(),
            modules: Arc::default(),
            grants: Arc::new(grants),
            path: None,
            executable: None,
        };
        let kept: Arc<dyn Engine> = Arc::<Keeps>::clone(&engine);
        let session = Session { cwd: project.into(), project_root: project.into(), ..Session::default() };
        let host = Host::builder()
            .engine(Language::Lua, kept)
            .script(script, Language::Lua)
            .home(root.join("home"))
            .own_places(&Directories::locate(&environment))
            .session(session)
            .build();
        let services = engine.0.lock().unwrap().take().unwrap();
        Bed { root, services, _host: host, _dir: dir }
    }

    pub fn ask(&self, path: &str, operation: FileOperation) -> Result<FileReply, ServiceError> {
        let path = path.replace("ROOT", self.root.to_str().unwrap());
        self.services.file(&hook("a"), None, FileRequest { path, operation })
    }

    /// Returns what came of it as one line; the folder of all is `ROOT`.
    pub fn say(&self, path: &str, operation: FileOperation) -> String {
        let text = match self.ask(path, operation) {
            Err(ServiceError(text)) => text,
            Ok(FileReply::Done) => "done".to_owned(),
            Ok(FileReply::Text(text)) => format!("text {text}"),
            Ok(FileReply::Names(names)) => format!("names {}", names.join(" ")),
            Ok(FileReply::Stat(None)) => "nothing".to_owned(),
            Ok(FileReply::Stat(Some(stat))) => format!("{} {}", stat.kind, stat.size),
        };
        text.replace(self.root.to_str().unwrap(), "ROOT")
    }

    /// The same for `read x`, `list x`, `stat x`, `write x text`, `append x text`, `remove x`, `make_dir x`.
    pub fn run(&self, line: &str) -> String {
        let mut words = line.splitn(3, ' ');
        let (word, path, text) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
        self.say(path, operation(word, text))
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_default()
    }
}

/// An operation by its name.
pub fn operation(name: &str, text: &str) -> FileOperation {
    match name {
        "read" => FileOperation::Read,
        "list" => FileOperation::List,
        "stat" => FileOperation::Stat,
        "write" => FileOperation::Write(text.into()),
        "append" => FileOperation::Append(text.into()),
        "remove" => FileOperation::Remove,
        "make_dir" => FileOperation::MakeDir,
        other => panic!("there is no operation {other}"),
    }
}

/// Runs lines one after the other; each says what has to come of it, or how that begins if it ends in `…`.
pub fn check(bed: &Bed, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let told = bed.run(line);
        match expected.strip_suffix('…') {
            Some(begin) => assert!(told.starts_with(begin), "{line}: {told}, not {expected}"),
            None => assert_eq!(told, *expected, "{line}"),
        }
    }
}

#[test]
fn files_are_read_and_changed() {
    let bed = Bed::new("**", "docs/** ./new.txt");
    check(
        &bed,
        &[
            ("read docs/a.md", "text a"),
            ("read ./docs/../docs//a.md", "text a"),
            ("read ROOT/project/docs/a.md", "text a"),
            ("stat docs/a.md", "file 1"),
            ("stat docs/none.md", "nothing"),
            ("stat none/none.md", "nothing"),
            ("stat docs/a.md/b", "nothing"),
            ("stat docs/a.md/", "nothing"),
            ("list docs", "names a.md b.txt"),
            ("list docs/", "names a.md b.txt"),
            ("list .", "names .snaphook docs readme.md"),
            ("write docs/a.md longer than it was", "done"),
            ("read docs/a.md", "text longer than it was"),
            ("write new.txt x", "done"),
            ("append new.txt y", "done"),
            ("append docs/log line\n", "done"),
            ("append docs/log line\n", "done"),
            ("read docs/log", "text line\nline\n"),
            ("read new.txt", "text xy"),
            ("make_dir docs/x/y/z", "done"),
            ("make_dir docs/x/y/z", "done"),
            ("make_dir docs/x", "done"),
            ("write docs/x/y/z/f text", "done"),
            ("remove docs/x/y/z", "failed to remove docs/x/y/z: the folder is not empty"),
            ("remove docs/x/y/z/f", "done"),
            ("remove docs/x/y/z", "done"),
            ("list docs/x/y", "names "),
            ("read docs/none.md", "failed to read docs/none.md: it is not there"),
            ("read docs", "failed to read docs: it is a folder"),
            ("read docs/a.md/", "failed to read docs/a.md/: it is no folder"),
            (
                "read docs/a.md/b",
                "failed to read docs/a.md/b: it is in no folder: what should be one is a file",
            ),
            ("list docs/a.md", "failed to list docs/a.md: it is no folder"),
            ("list docs/none", "failed to list docs/none: it is not there"),
            ("remove docs/none", "failed to remove docs/none: it is not there"),
            ("write docs/x text", "failed to write docs/x: it is a folder"),
            ("write docs/q/ text", "failed to write docs/q/: a path with a slash at its end is no file"),
            (
                "write docs/q/w/e text",
                "failed to write docs/q/w/e: the folder q is not there; make it with make_dir",
            ),
            (
                "make_dir docs/a.md",
                "failed to make the folder docs/a.md: something is there that is no folder",
            ),
            (
                "make_dir docs/a.md/x",
                "failed to make the folder docs/a.md/x: it is in no folder: what should be one is a file",
            ),
            (
                "make_dir docs/q/../w",
                "failed to make the folder docs/q/../w: a folder above it is not there, so `..` leads nowhere",
            ),
        ],
    );
    let modified = match bed.ask("docs/a.md", FileOperation::Stat).unwrap() {
        FileReply::Stat(Some(stat)) => stat.modified,
        other => panic!("{other:?}"),
    };
    assert!(modified > 1_700_000_000.0, "{modified}");
    let left: Vec<_> =
        fs::read_dir(bed.path("project/docs")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains(".tmp")), "{left:?}");
}

#[test]
fn what_is_no_path_is_said() {
    let bed = Bed::new("/** ~/** **", "**");
    for (path, reason) in [
        ("", "failed to read \"\": the path is empty; the project's root is `.`"),
        ("a\0b", "failed to read a\\u{0}b: the path has a NUL in it"),
        (
            "~root/x",
            "failed to read ~root/x: another person's home folder is not understood; write the whole path, or `./~…` for a file of that name",
        ),
    ] {
        assert_eq!(bed.say(path, FileOperation::Read), reason);
    }
    let long = "x/".repeat(5000);
    assert!(bed.say(&long, FileOperation::Read).ends_with("…: the path is longer than 4096 bytes"));
    assert!(bed.say(&"x".repeat(300), FileOperation::Read).starts_with("failed to read xxx"));
    assert_eq!(bed.say(".", FileOperation::Read), "failed to read .: it is a folder");
}

#[test]
fn without_a_grant_nothing_is_reached_and_the_line_is_named() {
    let needs = |what: &str, kind: &str, entry: &str| {
        format!("{what} is not granted; the hook's front matter needs `{kind}: [{entry}]` under `grants`")
    };
    let none = Bed::new("", "");
    let docs = Bed::new("docs/*.md", "docs/out.txt");
    for (bed, line, expected) in [
        (&none, "read docs/a.md", needs("reading docs/a.md", "read", "docs/a.md")),
        (&none, "read docs/../readme.md", needs("reading docs/../readme.md", "read", "./readme.md")),
        (&none, "stat docs/none", needs("looking at docs/none", "read", "docs/none")),
        (&none, "list .", needs("listing .", "read", "\"**\"")),
        (&none, "list docs", needs("listing docs", "read", "./docs")),
        (&none, "read ~/note.md", needs("reading ~/note.md", "read", "\"~/note.md\"")),
        (
            &none,
            "read ROOT/outside/secret.md",
            needs("reading ROOT/outside/secret.md", "read", "ROOT/outside/secret.md"),
        ),
        (&none, "write docs/a.md x", needs("writing docs/a.md", "write", "docs/a.md")),
        (&none, "append docs/a.md x", needs("appending to docs/a.md", "write", "docs/a.md")),
        (&none, "remove docs/a.md", needs("removing docs/a.md", "write", "docs/a.md")),
        (&none, "make_dir docs/x", needs("making the folder docs/x", "write", "docs/x")),
        (&docs, "read docs/b.txt", needs("reading docs/b.txt", "read", "docs/b.txt")),
        (&docs, "list docs", needs("listing docs", "read", "./docs")),
        (&docs, "read docs/out.txt", needs("reading docs/out.txt", "read", "docs/out.txt")),
        (&docs, "write docs/a.md x", needs("writing docs/a.md", "write", "docs/a.md")),
        (
            &docs,
            "read docs/[x]*.md.",
            needs("reading docs/[x]*.md.", "read", "\"docs/\\\\[x\\\\]\\\\*.md.\""),
        ),
    ] {
        assert_eq!(bed.run(line), expected, "{line}");
    }
    assert_eq!(docs.text("project/docs/a.md"), "a");
    check(&docs, &[("write docs/out.txt x", "done"), ("read docs/a.md", "text a")]);
}

#[test]
fn the_entry_that_is_named_is_enough() {
    for name in [
        "docs/a.md",
        "docs/[x]*{y}?.md",
        "#x",
        "!x",
        "~x",
        "docs/a b.md",
        "docs/a\\b",
        "docs",
        "./x",
        "é,ü: #y",
    ] {
        let path = format!("./{}", name.trim_start_matches("./"));
        let place = |root: &Path| {
            let file = root.join("project").join(&path);
            if !file.exists() {
                fs::write(file, "found").unwrap();
            }
        };
        let error = Bed::with("", "", place).run_read(&path).unwrap_err().0;
        let entry = error.split_once("`read: [").unwrap().1.split_once("]` under").unwrap().0;
        // As YAML reads it.
        let entry = match entry.strip_prefix('"') {
            Some(_) => serde_json::from_str(entry).unwrap(),
            None => entry.to_owned(),
        };
        let granted = Bed::granted(vec![entry.clone()], place);
        let outcome = granted.run_read(&path);
        let is_folder = name == "docs";
        assert!(outcome.is_ok() || is_folder, "{name}: {entry}: {outcome:?}");
        assert!(granted.run_read("readme.md").is_err(), "{name}: {entry}");
    }
}

#[test]
fn what_is_taken_back_is_not_listed() {
    let bed = Bed::new("** !*.txt", "");
    check(
        &bed,
        &[
            ("list docs", "names a.md"),
            ("read docs/b.txt", "reading docs/b.txt is not granted…"),
            ("read docs/B.TXT", "reading docs/B.TXT is not granted…"),
        ],
    );
}

#[test]
fn grants_may_be_outside_of_the_project() {
    let bed = Bed::new("~/*.md ROOT/outside/**", "~/out/**");
    check(
        &bed,
        &[
            ("read ~/note.md", "text note"),
            ("read ROOT/home/note.md", "text note"),
            ("read ../home/note.md", "text note"),
            ("list ~", "listing ~ is not granted…"),
            ("read ROOT/outside/secret.md", "text secret"),
            ("list ROOT/outside", "names secret.md"),
            ("read readme.md", "reading readme.md is not granted…"),
            ("make_dir ~/out", "done"),
            ("write ~/out/x text", "done"),
            ("remove ~/out/x", "done"),
            ("remove ~/out", "done"),
            ("make_dir ~/other", "making the folder ~/other is not granted…"),
        ],
    );
}

#[test]
fn a_project_that_is_played_in_the_state_folder_is_a_project() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let project = root.join("state/scratch/1/project");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(root.join("state/trust")).unwrap();
    fs::write(project.join("a.txt"), "a").unwrap();
    let bed = Bed::of(dir, root, &project, "** ROOT/state/**", "** ROOT/state/**");
    check(
        &bed,
        &[
            ("read a.txt", "text a"),
            ("write b.txt b", "done"),
            ("list .", "names a.txt b.txt"),
            (
                "write .snaphook/x b",
                "failed to write .snaphook/x: it belongs to a project's .snaphook folder, which no grant gives",
            ),
            (
                "write .discobot/hooks/x.sh b",
                "failed to write .discobot/hooks/x.sh: it belongs to another product's hooks, which no grant gives",
            ),
            (
                "write .Marvin/Hooks/x.lua b",
                "failed to write .Marvin/Hooks/x.lua: it belongs to another product's hooks, which no grant gives",
            ),
            (
                "write .iteratr.hooks.yml b",
                "failed to write .iteratr.hooks.yml: it belongs to another product's hooks, which no grant gives",
            ),
            ("list ROOT/state/trust", "failed to list ROOT/state/trust: it belongs to snaphook's state…"),
            (
                "remove ROOT/state/scratch",
                "failed to remove ROOT/state/scratch: it belongs to snaphook's state…",
            ),
            (
                "write ../../../trust/x harm",
                "failed to write ../../../trust/x: it belongs to snaphook's state…",
            ),
        ],
    );
}

#[test]
fn texts_and_folders_have_a_limit() {
    let bed = Bed::new("**", "**");
    let most = "x".repeat(MAX_FILE_BYTES);
    assert_eq!(bed.say("big", FileOperation::Write(most.clone())), "done");
    assert_eq!(bed.ask("big", FileOperation::Read), Ok(FileReply::Text(most.clone())));
    assert_eq!(bed.say("big", FileOperation::Append("x".into())), "done");
    assert_eq!(
        bed.say("big", FileOperation::Read),
        format!(
            "failed to read big: it has more than {MAX_FILE_BYTES} bytes, which is the most that is read"
        )
    );
    let more = format!(
        "failed to write big: the text has more than {MAX_FILE_BYTES} bytes, which is the most that is written"
    );
    assert_eq!(bed.say("big", FileOperation::Write(most + "x")), more);

    fs::create_dir(bed.path("project/many")).unwrap();
    for number in 0..MAX_FILE_NAMES {
        fs::write(bed.path(&format!("project/many/{number:05}")), "").unwrap();
    }
    assert!(
        matches!(bed.ask("many", FileOperation::List), Ok(FileReply::Names(names)) if names.len() == MAX_FILE_NAMES)
    );
    fs::write(bed.path("project/many/one more"), "").unwrap();
    assert_eq!(
        bed.say("many", FileOperation::List),
        format!(
            "failed to list many: it has more than {MAX_FILE_NAMES} names, which is the most that is listed"
        )
    );
}

#[test]
fn only_text_is_text() {
    let bed = Bed::new("**", "");
    fs::write(bed.path("project/latin"), b"caf\xe9").unwrap();
    fs::write(bed.path("project/utf8"), "café\0\u{feff}").unwrap();
    check(
        &bed,
        &[
            ("read latin", "failed to read latin: it is no text: the byte at 3 is not UTF-8"),
            ("read utf8", "text café\0\u{feff}"),
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_is_written_keeps_its_mode_and_takes_no_other_name_along() {
    use std::os::unix::fs::PermissionsExt;
    let bed = Bed::new("**", "**");
    let mode = |path: &str| fs::metadata(bed.path(path)).unwrap().permissions().mode() & 0o777;
    let set =
        |path: &str, mode| fs::set_permissions(bed.path(path), fs::Permissions::from_mode(mode)).unwrap();
    set("project/docs/a.md", 0o750);
    fs::hard_link(bed.path("project/docs/b.txt"), bed.path("outside/b.txt")).unwrap();
    check(
        &bed,
        &[
            ("write docs/a.md x", "done"),
            (
                "append docs/b.txt x",
                "failed to append to docs/b.txt: it has a second name (a hard link), which may lead anywhere",
            ),
            ("write docs/b.txt new", "done"),
            ("append docs/b.txt er", "done"),
        ],
    );
    assert_eq!(mode("project/docs/a.md"), 0o750);
    assert_eq!((bed.text("outside/b.txt").as_str(), bed.text("project/docs/b.txt").as_str()), ("b", "newer"));
    // Root may write anything, so there is nothing to see.
    if !rustix::process::geteuid().is_root() {
        set("project/docs/a.md", 0o440);
        check(&bed, &[("write docs/a.md y", "failed to write docs/a.md: permission was denied")]);
    }
}

/// Other systems take no such name.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_fails_a_list() {
    use std::os::unix::ffi::OsStrExt;
    let bed = Bed::new("**", "");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    fs::write(bed.path("project/docs").join(name), "").unwrap();
    check(&bed, &[("list docs", "failed to list docs: the name caf\u{fffd} in it is not UTF-8")]);
}

impl Bed {
    fn run_read(&self, path: &str) -> Result<FileReply, ServiceError> {
        self.ask(path, FileOperation::Read)
    }

    /// A hook that may read what these entries say, as they are.
    fn granted(read: Vec<String>, prepare: impl FnOnce(&Path)) -> Self {
        // Entries with spaces cannot be written in a line.
        let holder = read.iter().map(|entry| entry.replace(' ', "?")).collect::<Vec<_>>().join(" ");
        Bed::with(&holder, "", prepare)
    }
}
