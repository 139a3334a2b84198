//! Hooks of Discobot that Discobot reads otherwise than YAML has it, and those that cannot be read.

use snaphook_core::{Lifecycle, Product, RunAs, Severity};
use snaphook_discovery::front_matter::{FileKind, FrontMatter, parse_for, split};
use snaphook_discovery::{Discovery, discover_with};

use crate::sandbox::{Sandbox, ids};

/// A hook's file with these lines as its front matter.
fn file(matter: &str) -> String {
    let lines: String = matter.lines().map(|line| format!("# {line}\n")).collect();
    format!("#!/bin/bash\n#---\n{lines}#---\ntrue\n")
}

fn read(matter: &str) -> (FrontMatter, Vec<String>) {
    let text = file(matter);
    let block = split(&text, FileKind::Executable).unwrap().unwrap();
    let (front_matter, remarks) = parse_for(&block, FileKind::Executable, Product::Discobot)
        .unwrap_or_else(|diagnostics| panic!("{matter}: {diagnostics:?}"));
    (front_matter, remarks.into_iter().map(|diagnostic| diagnostic.message).collect())
}

fn find(sandbox: &Sandbox) -> Discovery {
    let mut directories = sandbox.directories();
    directories.add_compat([Product::Discobot]);
    discover_with(&directories, &[], &sandbox.trust())
}

fn put(sandbox: &Sandbox, name: &str, content: &str) {
    let path = sandbox.file(&format!("home/code/.discobot/hooks/{name}"), content);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn patterns_are_the_text_of_their_lines() {
    for (line, patterns) in [
        ("pattern: {package.json,pnpm*.yaml}", &["{package.json,pnpm*.yaml}"][..]),
        ("pattern: {ts,tsx}", &["{ts,tsx}"]),
        ("pattern: *.{ts,tsx}", &["*.{ts,tsx}"]),
        ("pattern: \"*.{ts,tsx}\"", &["*.{ts,tsx}"]),
        ("pattern: '**/*.go'   # all of it", &["**/*.go"]),
        ("pattern: src/**/*.go # all of it", &["src/**/*.go"]),
        ("pattern: [ab]", &["[ab]"]),
        ("pattern: [a-c]*.go", &["[a-c]*.go"]),
        ("pattern: 7", &["7"]),
        // Ours, beside Discobot's.
        ("pattern: [\"*.go\", 'b/*.ts']", &["*.go", "b/*.ts"]),
        ("pattern:\n  - \"*.go\"\n  - b.ts", &["*.go", "b.ts"]),
        // Of two lines the last one counts.
        ("pattern: a.go\npattern: b.go", &["b.go"]),
        // What is no line of `key: value` is passed over.
        ("this is no pair\npattern: {a,b}.go", &["{a,b}.go"]),
    ] {
        let (matter, _) = read(&format!("type: file\n{line}"));
        assert_eq!(matter.executable.unwrap().patterns, patterns, "{line}");
    }
}

#[test]
fn words_are_read_as_discobot_reads_them() {
    for (word, expected) in [
        ("false", false),
        ("False", false),
        ("FALSE", false),
        ("no", false),
        ("NO", false),
        ("0", false),
        ("\"no\"", false),
        ("no # silent", false),
        ("true", true),
        ("yes", true),
        ("1", true),
        ("off", true),
        ("never", true),
        ("", true),
    ] {
        let (matter, _) = read(&format!("type: file\npattern: \"*.go\"\nnotify_llm: {word}"));
        assert_eq!(matter.executable.unwrap().notify, expected, "notify_llm: {word}");
    }
    for (word, expected, remark) in [
        ("root", RunAs::Root, false),
        ("user", RunAs::User, false),
        ("admin", RunAs::User, true),
        ("Root", RunAs::User, true),
        ("0", RunAs::User, true),
        ("", RunAs::User, false),
    ] {
        let (matter, remarks) = read(&format!("type: session\nrun_as: {word}"));
        assert_eq!(matter.executable.unwrap().run_as, expected, "run_as: {word}");
        assert_eq!(remarks.iter().any(|said| said.contains("runs as the user")), remark, "{remarks:?}");
    }
    for (word, expected) in [
        ("123", Some("123")),
        ("true", Some("true")),
        ("null", Some("null")),
        ("{x}", Some("{x}")),
        ("[WIP] check", Some("[WIP] check")),
        ("it's: odd", Some("it's: odd")),
        ("\"Quoted name\"", Some("Quoted name")),
        ("", None),
    ] {
        let (matter, _) = read(&format!("name: {word}\ndescription:\ntype: session"));
        assert_eq!(matter.name.as_deref(), expected, "name: {word}");
    }
}

#[test]
fn empty_lines_may_stand_above_the_front_matter() {
    let sandbox = Sandbox::new();
    put(&sandbox, "start.sh", &file("type: session").replacen("\n#---", "\n\n\n#---", 1));
    let found = find(&sandbox);
    assert_eq!(found.project.len(), 1, "{:?}", found.problems);
}

/// Our own files stay strict: a slip of the pen is not a guess.
#[test]
fn our_own_files_are_not_read_that_way() {
    for line in ["pattern: {a,b}", "pattern: \"*\"\nnotify_llm: no", "run_as: admin"] {
        let text = file(&format!("type: file\n{line}"));
        let block = split(&text, FileKind::Executable).unwrap().unwrap();
        assert!(parse_for(&block, FileKind::Executable, Product::Snaphook).is_err(), "{line}");
    }
}

/// There, each hook for commits runs at each commit, and keys of scripts are nothing.
#[test]
fn keys_that_discobot_passes_over_have_no_effect() {
    let (matter, remarks) =
        read("type: pre-commit\npattern: \"*.go\"\ngrants:\n  exec: [git]\non_failure: keep");
    assert!(matter.executable.unwrap().patterns.is_empty());
    assert_eq!(matter.grants, snaphook_discovery::front_matter::Grants::default());
    for key in ["pattern", "grants", "on_failure"] {
        assert!(remarks.iter().any(|said| said.contains(&format!("`{key}`"))), "{key}: {remarks:?}");
    }
}

/// One that is a check, or runs at the start, is a problem, and denies nothing; one that may be a gate denies; what is neither is no
/// hook.
#[test]
fn an_unreadable_hook_denies_only_where_it_may_be_a_gate() {
    use Lifecycle::{FilesChanged, PreCommit, Startup};
    let long = format!("type: file\npattern: \"*\"\nname: {}", "x".repeat(101));
    for (content, wanted) in [
        (file("type: file"), Some((Severity::Warning, Some(FilesChanged)))),
        (file(&long), Some((Severity::Warning, Some(FilesChanged)))),
        (file("type: file\npattern: \"*.+(ts|js)\""), Some((Severity::Warning, Some(FilesChanged)))),
        (file("type: file\npattern: \"!*.md\""), Some((Severity::Warning, Some(FilesChanged)))),
        (file("type: file\npattern: \"a[\""), Some((Severity::Warning, Some(FilesChanged)))),
        (file("type: pre-commit\ntimeout: soon"), Some((Severity::Warning, Some(PreCommit)))),
        (file("type: session\napi: 99"), Some((Severity::Warning, Some(Startup)))),
        ("#!/bin/sh\n#---\n# type: file\ntrue\n".to_owned(), Some((Severity::Warning, Some(FilesChanged)))),
        (
            "#!/bin/sh\n#---\n# type: session\n#---\n\u{0}".to_owned(),
            Some((Severity::Warning, Some(Startup))),
        ),
        ("#!/bin/sh\n#---\n# a banner\ntrue\n".to_owned(), None),
        (file("event: tool_call\ntimeout: soon"), Some((Severity::Error, None))),
        (file("event: tool_cal"), Some((Severity::Error, None))),
        (file("type: file\nevent: tool_call\npattern: \"*\""), Some((Severity::Error, None))),
        ("#!/bin/sh\n#---\n# event: tool_call\ntrue\n".to_owned(), Some((Severity::Error, None))),
    ] {
        let sandbox = Sandbox::new();
        put(&sandbox, "odd.sh", &content);
        let found = find(&sandbox);
        assert!(found.hooks.is_empty() && found.project.is_empty(), "{content}");
        let told: Vec<_> = found.problems.iter().filter(|one| one.severity > Severity::Note).collect();
        match wanted {
            Some((severity, only)) => {
                assert!(!told.is_empty(), "{content}");
                for problem in &told {
                    assert_eq!((problem.severity, problem.only), (severity, only), "{content}: {problem}");
                    assert_eq!(problem.message.contains("until it is fixed"), only.is_some(), "{problem}");
                }
            }
            None => assert!(
                told.iter().all(|one| one.severity == Severity::Warning && one.only.is_none()),
                "{content}: {told:?}"
            ),
        }
    }
}

/// A hook that a person trusted and that can be read no more may have been anything: it denies until it is put back or untrusted.
#[test]
fn a_trusted_hook_that_became_unreadable_denies() {
    let sandbox = Sandbox::new();
    put(&sandbox, "check.sh", &file("type: file\npattern: \"*.go\""));
    let found = find(&sandbox);
    sandbox.store().trust(found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
    assert_eq!(ids(&find(&sandbox)), ["check"]);
    put(&sandbox, "check.sh", &file("type: file"));
    let report = sandbox.report(&find(&sandbox));
    assert!(report.contains("Error .discobot/hooks/check.sh: was a hook that you trusted"), "{report}");
    assert!(report.contains("check.sh:3: `type: file` needs a `pattern`"), "with the reason: {report}");
}

/// They name files in Discobot's own folder.
#[test]
fn ids_are_discobots() {
    let names = [
        ("my_service.sh", "my_service"),
        ("Dev_Server", "dev_server"),
        ("foo.bar.sh", "foo-bar"),
        ("my.config.service", "my-config-service"),
        ("my@service!.py", "myservice"),
        ("test (1).sh", "test1"),
        ("service..rb", "service"),
        ("my-app.BASH", "my-app"),
        ("é.sh", "é"),
    ];
    for (name, id) in names {
        let sandbox = Sandbox::new();
        put(&sandbox, name, &file("type: session"));
        let found = find(&sandbox);
        let [hook] = &found.project[..] else { panic!("{name}: {:?}", found.problems) };
        assert_eq!(hook.candidate.hook.id, id, "{name}");
        assert!(hook.answers_to(id), "{name}: `snaphook trust {id}`");
    }
    // Two that come to the same are two hooks all the same.
    let sandbox = Sandbox::new();
    put(&sandbox, "a@b.sh", &file("type: session"));
    put(&sandbox, "ab.sh", &file("type: session"));
    let found: Vec<_> = find(&sandbox).project.iter().map(|hook| hook.candidate.hook.id.clone()).collect();
    assert_eq!(found, ["ab", "ab-sh"]);
    // In our own folder they are ours.
    let sandbox = Sandbox::new();
    let path = sandbox.project("my_service.lua", "x()");
    assert!(path.exists());
    assert_eq!(ids(&sandbox.discover()), ["my-service"]);
}
