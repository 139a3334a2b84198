//! `env`: which variables a script sees, and which its processes get.

use super::*;

const HOST: &[(&str, &str)] = &[
    ("HOME", "/home/me"),
    ("USER", "me"),
    ("LANG", "C.UTF-8"),
    ("LC_TIME", "de_DE"),
    ("XDG_CONFIG_HOME", "/home/me/.config"),
    ("GITHUB_TOKEN", "secret"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("GIT_SSH_COMMAND", "evil"),
    ("SSH_AUTH_SOCK", "/run/agent"),
    ("NODE_OPTIONS", "--require evil"),
    ("PYTHONPATH", "/evil"),
    ("RUSTC_WRAPPER", "evil"),
    ("BASH_ENV", "/evil"),
    ("LD_PRELOAD", "/evil.so"),
    ("DYLD_INSERT_LIBRARIES", "/evil.so"),
    ("CI", "true"),
];

fn granted(names: &[&str]) -> Grants {
    Grants { env: list(names), ..exec(&["/usr/bin/env", "sh"]) }
}

fn loaded(world: &World, names: &[&str]) -> Loaded {
    let path = world.path(&["@project/bin", "", ".", "tools", "/usr/bin", "/bin"]);
    let variables: Vec<_> = HOST.iter().copied().chain([("PATH", path.as_str())]).collect();
    world.load(&variables, &[granted(names)])
}

async fn child(loaded: &Loaded) -> Vec<String> {
    let mut lines: Vec<_> = loaded.line(&["/usr/bin/env"]).await.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const PLAIN: [&str; 6] = [
    "HOME=/home/me",
    "LANG=C.UTF-8",
    "LC_TIME=de_DE",
    "PATH=/usr/bin:/bin",
    "USER=me",
    "XDG_CONFIG_HOME=/home/me/.config",
];

#[tokio::test]
async fn processes_get_what_is_listed_and_what_is_granted() {
    let world = World::new();
    assert_eq!(child(&loaded(&world, &[])).await, PLAIN);
    let with = |more: &[&'static str]| {
        let mut lines: Vec<_> = PLAIN.iter().chain(more).copied().collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(child(&loaded(&world, &["CI", "NOT_SET"])).await, with(&["CI=true"]));
    assert_eq!(child(&loaded(&world, &["GITHUB_TOKEN"])).await, with(&["GITHUB_TOKEN=secret"]));
    // `PATH` is cleaned also where it may be read; the loader's are never given.
    let loaded = loaded(&world, &["PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES"]);
    assert_eq!(child(&loaded).await, PLAIN);
    assert_eq!(
        loaded.remarks(),
        [
            "warning: the grant `env: [LD_PRELOAD]` is for reading only: no process of a hook gets LD_PRELOAD",
            "warning: the grant `env: [DYLD_INSERT_LIBRARIES]` is for reading only: no process of a hook gets DYLD_INSERT_LIBRARIES",
        ]
    );
}

#[tokio::test]
async fn only_granted_names_can_be_set() {
    let world = World::new();
    let loaded = loaded(&world, &["CI", "LD_PRELOAD", "MINE"]);
    let missing = |name: &str| {
        format!(
            "error: the environment variable {name} is not granted; the hook's front matter needs `env: [{name}]` under `grants`"
        )
    };
    let never = |name: &str| {
        format!(
            "error: the environment variable {name} is not given to processes of hooks, and no grant changes that"
        )
    };
    let no_name = |name: &str| format!("error: `{name}` is no name of an environment variable");
    for (name, expected) in [
        ("CI", "CI is x".to_owned()),
        ("MINE", "MINE is x".to_owned()),
        ("PATH", missing("PATH")),
        ("HOME", missing("HOME")),
        ("LC_ALL", missing("LC_ALL")),
        ("GIT_SSH_COMMAND", missing("GIT_SSH_COMMAND")),
        ("BASH_ENV", missing("BASH_ENV")),
        ("ci", missing("ci")),
        ("LD_PRELOAD", never("LD_PRELOAD")),
        ("LD_LIBRARY_PATH", never("LD_LIBRARY_PATH")),
        ("ld_preload", never("ld_preload")),
        ("DYLD_INSERT_LIBRARIES", never("DYLD_INSERT_LIBRARIES")),
        ("CI=1\0LD_PRELOAD", no_name("CI=1\\u{0}LD_PRELOAD")),
        ("CI ", no_name("CI ")),
        ("", no_name("")),
    ] {
        let request = ExecRequest {
            env: [(name.to_owned(), "x".to_owned())].into(),
            ..request(&[
                "sh",
                "-c",
                "for name in CI MINE; do eval v=\\$$name; [ \"$v\" = x ] && echo $name is x; done; :",
            ])
        };
        assert_eq!(loaded.run(request).await, expected, "{name}");
    }
}

#[test]
fn only_granted_names_can_be_read() {
    let world = World::new();
    let loaded = loaded(&world, &["CI", "UNSET", "LD_PRELOAD", "PATH"]);
    let by = crate::support::hook("s");
    for (name, expected) in [
        ("CI", Ok(Some("true"))),
        ("UNSET", Ok(None)),
        ("LD_PRELOAD", Ok(Some("/evil.so"))),
        (
            "HOME",
            Err(
                "the environment variable HOME is not granted; the hook's front matter needs `env: [HOME]` under `grants`",
            ),
        ),
        (
            "ci",
            Err(
                "the environment variable ci is not granted; the hook's front matter needs `env: [ci]` under `grants`",
            ),
        ),
        ("CI\0", Err("`CI\\u{0}` is no name of an environment variable")),
        ("", Err("`` is no name of an environment variable")),
        ("*", Err("`*` is no name of an environment variable")),
    ] {
        for call in [None, Some(&loaded.call())] {
            let said = loaded.services().env(&by, call, name).map_err(|error| error.to_string());
            assert_eq!(said, expected.map(|value| value.map(str::to_owned)).map_err(str::to_owned), "{name}");
        }
    }
    // The whole value, also of what children get cleaned.
    let path = loaded.services().env(&by, None, "PATH").unwrap().unwrap();
    assert!(path.ends_with("/project/bin::.:tools:/usr/bin:/bin"), "{path}");
    let patterns = world.load(&[], &[granted(&["LC_*"])]);
    assert!(
        patterns
            .remarks()
            .last()
            .unwrap()
            .starts_with("warning: the grant `env: [\"LC_*\"]` allows nothing: ")
    );
}
