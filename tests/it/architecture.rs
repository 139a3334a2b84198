//! The invariants of `docs/ARCHITECTURE.md` that the compiler and its lints do not hold.

use std::path::Path;

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package};

use crate::tree::{files, root, text};

mod circles;
mod errors;
mod modules;
mod words;

// ---- the direction of the arrows ----

/// The workspace's crates that a crate may use. Dev-dependencies are free. A crate that is not here fails the test: say
/// first where it is.
const ARROWS: &[(&str, &[&str])] = &[
    ("snaphook-core", &[]),
    ("snaphook-cpu", &[]),
    ("snaphook-hold", &["snaphook-core"]),
    ("snaphook-shell", &[]),
    ("snaphook-script", &["snaphook-core", "snaphook-shell"]),
    ("snaphook-state", &["snaphook-core"]),
    ("snaphook-discovery", &["snaphook-core", "snaphook-script", "snaphook-state"]),
    (
        "snaphook-command",
        &["snaphook-core", "snaphook-shell", "snaphook-script", "snaphook-state", "snaphook-discovery"],
    ),
    ("snaphook-lua", &["snaphook-core", "snaphook-cpu", "snaphook-shell", "snaphook-script"]),
    ("snaphook-rhai", &["snaphook-core", "snaphook-cpu", "snaphook-shell", "snaphook-script"]),
    ("snaphook-audit", &["snaphook-core", "snaphook-script", "snaphook-state", "snaphook-discovery"]),
    (
        "snaphook-guard",
        &["snaphook-core", "snaphook-shell", "snaphook-script", "snaphook-state", "snaphook-discovery"],
    ),
    (
        "snaphook",
        &[
            "snaphook-core",
            "snaphook-cpu",
            "snaphook-script",
            "snaphook-state",
            "snaphook-discovery",
            "snaphook-command",
            "snaphook-audit",
        ],
    ),
    ("snaphook-adapters", &["snaphook-core"]),
    (
        "snaphook-agent",
        &[
            "snaphook-core",
            "snaphook-discovery",
            "snaphook-state",
            "snaphook-command",
            "snaphook",
            "snaphook-session",
            "snaphook-acp",
            "snaphook-mcp",
            "snaphook-mcp-transport",
        ],
    ),
    ("snaphook-mcp-transport", &["snaphook-core", "snaphook-command"]),
    ("snaphook-mcp", &["snaphook-core", "snaphook-state", "snaphook-mcp-transport", "snaphook"]),
    ("snaphook-acp", &["snaphook-mcp-transport", "snaphook"]),
    (
        "snaphook-session",
        &[
            "snaphook-core",
            "snaphook-script",
            "snaphook-state",
            "snaphook-discovery",
            "snaphook-command",
            "snaphook-guard",
            "snaphook-hold",
            "snaphook-audit",
            "snaphook",
            "snaphook-adapters",
        ],
    ),
    (
        "snaphook-testing",
        &["snaphook-core", "snaphook-script", "snaphook-state", "snaphook-discovery", "snaphook"],
    ),
    (
        "snaphook-setup",
        &[
            "snaphook-core",
            "snaphook-state",
            "snaphook-discovery",
            "snaphook-command",
            "snaphook-audit",
            "snaphook",
            "snaphook-adapters",
        ],
    ),
    (
        "snaphook-cli",
        &[
            "snaphook-core",
            "snaphook-script",
            "snaphook-state",
            "snaphook-discovery",
            "snaphook-command",
            "snaphook-lua",
            "snaphook-rhai",
            "snaphook-guard",
            "snaphook-hold",
            "snaphook-audit",
            "snaphook",
            "snaphook-adapters",
            "snaphook-agent",
            "snaphook-mcp",
            "snaphook-acp",
            "snaphook-session",
            "snaphook-mcp-transport",
            "snaphook-testing",
            "snaphook-setup",
        ],
    ),
    // Not shipped: no crate above uses it, but for tests.
    ("xtask", &["snaphook-core"]),
];

/// The workspace's crates that may use a library that brings a world of its own. Dev-dependencies are free.
const OWNERS: &[(&str, &[&str])] = &[
    ("mlua", &["snaphook-lua"]),
    ("rhai", &["snaphook-rhai"]),
    ("landlock", &["snaphook-hold"]),
    ("process-wrap", &["snaphook-command"]),
    (
        "tokio",
        &[
            "snaphook-command",
            "snaphook",
            "snaphook-agent",
            "snaphook-mcp",
            "snaphook-acp",
            "snaphook-session",
            "snaphook-mcp-transport",
            "snaphook-testing",
            "snaphook-cli",
        ],
    ),
    ("reqwest", &["snaphook", "snaphook-agent", "snaphook-mcp-transport"]),
    ("rustls", &["snaphook", "snaphook-agent", "snaphook-mcp-transport"]),
    ("genai", &["snaphook-agent"]),
    ("rmcp", &["snaphook-agent"]),
    ("hyper", &["snaphook-mcp-transport", "snaphook-testing"]),
    ("url", &["snaphook", "snaphook-agent", "snaphook-testing", "snaphook-mcp-transport"]),
    ("tokio-util", &["snaphook", "snaphook-agent", "snaphook-mcp-transport", "snaphook-cli"]),
    ("clap", &["snaphook-cli", "xtask"]),
    ("dialoguer", &["snaphook-cli"]),
    ("console", &["snaphook-cli"]),
    ("tracing-subscriber", &["snaphook-cli"]),
];

/// All that the rules may use.
const CORE_USES: &[&str] = &["serde", "serde_json", "strsim", "thiserror"];

#[test]
fn arrows_point_down_only() {
    let mut wrong = Vec::new();
    for package in ours().workspace_packages() {
        let name = package.name.as_str();
        let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
            wrong.push(format!("{name} is not in the table of arrows"));
            continue;
        };
        for used in uses(package) {
            if is_ours(used) && !allowed.contains(&used) {
                wrong.push(format!("{name} must not use {used}"));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

fn is_ours(name: &str) -> bool {
    name.starts_with("snaphook") || name == "xtask"
}

/// The drawing has each crate once, and nothing else.
#[test]
fn the_map_shows_every_crate() {
    let map = text("docs/ARCHITECTURE.md");
    let drawing = map.split("```").nth(1).unwrap();
    let mut drawn: Vec<&str> = drawing.split_whitespace().filter(|word| is_ours(word)).collect();
    let all = ours();
    let mut crates: Vec<&str> =
        all.workspace_packages().iter().map(|package| package.name.as_str()).collect();
    drawn.sort_unstable();
    crates.sort_unstable();
    assert_eq!(drawn, crates);
}

/// A program that embeds the host and does not ask for it gets none of it: a feature that is off by default
/// brings each.
#[test]
fn a_program_that_embeds_the_host_pays_for_no_web() {
    let all = ours();
    let host =
        all.workspace_packages().into_iter().find(|package| package.name.as_str() == "snaphook").unwrap();
    assert!(!host.features.contains_key("default"), "{:?}", host.features);
    for library in ["reqwest", "rustls", "rustls-platform-verifier", "url"] {
        let used: Vec<_> = host.dependencies.iter().filter(|used| used.name == library).collect();
        assert!(!used.is_empty() && used.iter().all(|used| used.optional), "{library}");
    }
}

#[test]
fn libraries_with_a_world_of_their_own_have_owners() {
    let mut wrong = Vec::new();
    for package in ours().workspace_packages() {
        let name = package.name.as_str();
        for used in uses(package) {
            let owners = OWNERS.iter().find(|(library, _)| *library == used);
            if owners.is_some_and(|(_, owners)| !owners.contains(&name)) {
                wrong.push(format!("{name} must not use {used}"));
            }
            if name == "snaphook-core" && !CORE_USES.contains(&used) {
                wrong.push(format!("{name} must not use {used}: it uses {} only", CORE_USES.join(", ")));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

fn uses(package: &Package) -> impl Iterator<Item = &str> {
    let counts = |kind| kind != DependencyKind::Development;
    package.dependencies.iter().filter(move |used| counts(used.kind)).map(|used| used.name.as_str())
}

fn ours() -> Metadata {
    command().no_deps().exec().unwrap()
}

fn command() -> MetadataCommand {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml"));
    command
}

// ---- what the sources do not contain ----

/// A text that is in no source, but for a few places. Comments do not count.
struct Absence {
    text: &'static str,
    /// The place where it is looked for: the beginnings of paths.
    within: &'static [&'static str],
    /// The place where it may be all the same: the beginnings of paths.
    but: &'static [&'static str],
}

const RULES: &[&str] = &["crates/snaphook-core/src/", "crates/snaphook-script/src/"];
const ENGINES: &[&str] = &["crates/snaphook-lua/src/", "crates/snaphook-rhai/src/"];

const fn absent(text: &'static str, within: &'static [&'static str]) -> Absence {
    Absence { text, within, but: &[] }
}

const fn only_in(but: &'static [&'static str], text: &'static str) -> Absence {
    Absence { text, within: &["crates/"], but }
}

const CLI: &[&str] = &["crates/snaphook-cli/"];
const FFI: &[&str] = &[
    "crates/snaphook-cpu/src/thread_clock.rs",
    "crates/snaphook-hold/src/ffi.rs",
    "crates/snaphook-lua/src/ffi.rs",
    "crates/snaphook-lua/src/ffi/coroutine.rs",
    "crates/snaphook-lua/src/ffi/find.rs",
    "crates/snaphook-lua/src/ffi/hosted.rs",
    "crates/snaphook-lua/src/ffi/start.rs",
    "crates/snaphook-rhai/src/ffi.rs",
    "crates/snaphook-rhai/src/ffi/alloc.rs",
];
const RUNNER: &[&str] = &["crates/snaphook-command/src/process/", "crates/snaphook-cli/"];

const ABSENCES: &[Absence] = &[
    // Nothing outside `ffi` is unsafe.
    only_in(FFI, "unsafe {"),
    only_in(FFI, "unsafe fn"),
    only_in(FFI, "unsafe impl"),
    only_in(FFI, "unsafe extern"),
    only_in(FFI, "unsafe_code"),
    // Nothing outside the CLI reads the environment, prints, or exits.
    only_in(CLI, "env::var"),
    only_in(CLI, "env::args"),
    only_in(CLI, "env::current_dir"),
    only_in(CLI, "env::set_"),
    only_in(CLI, "env::home_dir"),
    only_in(CLI, "env::temp_dir"),
    only_in(CLI, "println!"),
    only_in(CLI, "print!("),
    only_in(CLI, "io::stdout"),
    only_in(CLI, "io::stderr"),
    only_in(CLI, "io::stdin"),
    only_in(CLI, "process::exit"),
    only_in(CLI, "process::abort"),
    // Nothing but the process runner starts a process.
    only_in(RUNNER, "process::Command"),
    // The rules and the script API do no I/O, start no thread, and look at no clock.
    absent("std::fs", RULES),
    absent("std::io", RULES),
    absent("std::net", RULES),
    absent("std::process", RULES),
    absent("std::thread", RULES),
    absent("Instant", RULES),
    absent("SystemTime", RULES),
    absent("async fn", RULES),
    // No engine reads a file, starts a process, or makes an answer of its own: `Answer::parse` does.
    absent("std::fs", ENGINES),
    absent("std::process", ENGINES),
    absent("Answer {", ENGINES),
];

#[test]
fn what_must_not_be_there_is_not_there() {
    let mut wrong = Vec::new();
    for (file, source) in sources() {
        let matters = |absence: &&Absence| {
            let under = |list: &[&str]| list.iter().any(|start| file.starts_with(start));
            under(absence.within) && !under(absence.but)
        };
        let absences: Vec<_> = ABSENCES.iter().filter(matters).collect();
        for (number, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for absence in absences.iter().filter(|absence| code.contains(absence.text)) {
                wrong.push(format!("{file}:{}: `{}`", number + 1, absence.text));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

/// Every place that an exception names is there: one that is gone protects nothing.
#[test]
fn exceptions_are_about_something() {
    for place in ABSENCES.iter().flat_map(|absence| absence.but) {
        assert!(root().join(place).exists(), "{place}");
    }
}

/// The sources that tests are no part of, with their paths.
fn sources() -> impl Iterator<Item = (String, String)> {
    rust_files().filter(|(file, _)| {
        let name = file.rsplit('/').next().unwrap_or_default();
        file.contains("/src/") && !(name == "tests.rs" || name.ends_with("_tests.rs"))
    })
}

fn rust_files() -> impl Iterator<Item = (String, String)> {
    let all = ["crates", "tests", "xtask"].into_iter().flat_map(|folder| files(folder, "rs"));
    all.map(|path| {
        let path = path.to_str().unwrap().replace('\\', "/");
        let source = text(&path);
        (path, source)
    })
}

// ---- both engines ----

/// The files that only one engine has, because its language needs them. All others both have, in the
/// same places, so that who knows one engine finds the way in the other.
const OF_ONE_ENGINE: &[(&str, &[&str])] = &[
    (
        "crates/snaphook-lua/src",
        &[
            "bindings/host.rs",
            "bindings/require.rs",
            "coverage.rs",
            "event_templates.rs",
            "ffi/",
            "gc.rs",
            "host_mark.rs",
            "interrupt_timer.rs",
            "lazy.rs",
            "stopwatch.rs",
        ],
    ),
    (
        "crates/snaphook-rhai/src",
        &[
            "bindings/args.rs",
            "bindings/import.rs",
            "bindings/record.rs",
            "callback.rs",
            "engine.rs",
            "event.rs",
            "ffi/",
            "meter.rs",
            "natives.rs",
            "natives/",
            "outside_fn.rs",
            "plain.rs",
        ],
    ),
];

#[test]
fn both_engines_have_the_same_files() {
    let [lua, rhai] = [OF_ONE_ENGINE[0], OF_ONE_ENGINE[1]].map(|(folder, own)| {
        let names: Vec<String> = sources()
            .filter_map(|(file, _)| Some(file.strip_prefix(folder)?.trim_start_matches('/').to_owned()))
            .collect();
        let gone: Vec<_> =
            own.iter().filter(|own| !names.iter().any(|name| name.starts_with(**own))).collect();
        assert!(gone.is_empty(), "{folder} has no {gone:?}");
        let mut shared: Vec<_> =
            names.into_iter().filter(|name| !own.iter().any(|own| name.starts_with(own))).collect();
        shared.sort();
        shared
    });
    assert!(lua.iter().any(|name| name == "vm_context.rs"), "the files were found: {lua:?}");
    assert_eq!(lua, rhai);
}

// ---- what every file has ----

const MAX_LINES: usize = 600;

#[test]
fn every_file_says_what_it_is_for() {
    let silent = |source: &str| {
        let mut lines = source.lines().skip_while(|line| line.starts_with("#!"));
        !lines.next().is_some_and(|line| line.starts_with("//! "))
    };
    let wrong: Vec<_> = rust_files().filter(|(_, source)| silent(source)).map(|(file, _)| file).collect();
    assert_eq!(wrong, [] as [String; 0], "begin with `//!`: what lives here, what does not");
}

#[test]
fn no_file_is_long() {
    let long = |source: &str| source.lines().count() > MAX_LINES;
    let wrong: Vec<_> = rust_files().filter(|(_, source)| long(source)).map(|(file, _)| file).collect();
    assert_eq!(wrong, [] as [String; 0], "split what has more than {MAX_LINES} lines");
}

// ---- what others wrote ----

/// `cargo deny check licenses sources` without the tool, from the same file.
#[test]
fn every_licence_is_allowed_and_every_source_known() {
    let config = text("deny.toml");
    let allowed = quoted_after(&config, "\nallow = [");
    assert!(allowed.contains(&"MIT"), "the list was read: {allowed:?}");
    let mut wrong = Vec::new();
    for package in everything().packages.iter().filter(|package| package.source.is_some()) {
        let Package { name, version, license, source, .. } = package;
        if !source.as_ref().is_some_and(|source| source.is_crates_io()) {
            wrong.push(format!("{name} {version} does not come from crates.io"));
        }
        let mut mine = allowed.clone();
        mine.extend(exceptions(&config, name));
        match license {
            Some(expression) if is_allowed(expression, &mine) => {}
            Some(expression) => wrong.push(format!("{name} {version} is licensed {expression}")),
            None => wrong.push(format!("{name} {version} names no licence")),
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

/// Every package that any platform would build. Without the network, and with only this platform's packages there, it is
/// those.
fn everything() -> Metadata {
    let offline = ["--locked", "--offline"].map(str::to_owned);
    let all = command().features(CargoOpt::AllFeatures).other_options(offline.to_vec()).exec();
    all.unwrap_or_else(|_| {
        let here = ["--filter-platform", "host-tuple"].map(str::to_owned);
        let options = [offline, here].concat();
        command().features(CargoOpt::AllFeatures).other_options(options).exec().unwrap()
    })
}

/// The texts in quotes between `start` and the next `]`, comments left out.
fn quoted_after<'a>(config: &'a str, start: &str) -> Vec<&'a str> {
    let Some((_, rest)) = config.split_once(start) else { return Vec::new() };
    let list = rest.split(']').next().unwrap_or_default();
    list.lines()
        .flat_map(|line| line.split('#').next().unwrap_or_default().split('"').skip(1).step_by(2))
        .collect()
}

/// Returns what `exceptions` of the file allows this package beside the list.
fn exceptions<'a>(config: &'a str, name: &str) -> Vec<&'a str> {
    let names = format!("crate = \"{name}\"");
    let lines = config.lines().filter(|line| line.contains(&names));
    lines.flat_map(|line| quoted_after(line, "allow = [")).collect()
}

/// Returns whether the list allows an SPDX expression. `/` is how `OR` was once written.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let fine = any(&mut words, allowed);
    fine && words.next().is_none()
}

type Words<'a, 'b> = &'b mut std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: Words<'_, '_>, allowed: &[&str]) -> bool {
    let mut fine = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        fine |= all(words, allowed);
    }
    fine
}

fn all(words: Words<'_, '_>, allowed: &[&str]) -> bool {
    let mut fine = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        fine &= one(words, allowed);
    }
    fine
}

fn one(words: Words<'_, '_>, allowed: &[&str]) -> bool {
    match words.next() {
        Some("(") => any(words, allowed) & (words.next() == Some(")")),
        Some(name) => {
            let with = words.next_if_eq(&"WITH").and_then(|_| words.next());
            let name = with.map_or_else(|| name.to_owned(), |exception| format!("{name} WITH {exception}"));
            // `+` leaves the choice of a later version; this one is among them.
            allowed.contains(&name.trim_end_matches('+'))
        }
        None => false,
    }
}

#[test]
fn licence_expressions_are_read() {
    let allowed = ["MIT", "BSD-3-Clause", "Apache-2.0 WITH LLVM-exception"];
    for (expression, fine) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND BSD-3-Clause", true),
        ("MIT AND (GPL-3.0 OR LGPL-3.0)", false),
        ("GPL-3.0 OR MIT AND BSD-3-Clause", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("MIT+", true),
        ("GPL-3.0+", false),
        ("MIT)", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), fine, "{expression}");
    }
}

/// A path without an owner is not checked.
#[test]
fn dependencies_have_versions() {
    let mut wrong = Vec::new();
    for package in ours().workspace_packages() {
        for used in package.dependencies.iter().filter(|used| used.req.to_string() == "*") {
            wrong.push(format!("{} uses any version of {}", package.name, used.name));
        }
        assert!(Path::new(&package.manifest_path).starts_with(root()), "{}", package.name);
    }
    assert_eq!(wrong, [] as [String; 0]);
}

/// A workspace of its own has its own lock file, which no build here looks at: building it would change the file.
#[test]
fn lock_files_of_other_workspaces_know_what_our_crates_use() {
    let mut missing = Vec::new();
    for lock in ["fuzz/Cargo.lock", "tests/typecheck/Cargo.lock"] {
        let text = text(lock);
        let blocks: Vec<_> = text.split("[[package]]").collect();
        for package in ours().workspace_packages() {
            let name = format!("name = \"{}\"\n", package.name);
            let Some(block) = blocks.iter().find(|block| block.contains(&name)) else { continue };
            for used in package.dependencies.iter().filter(|used| used.kind != DependencyKind::Development) {
                let listed = format!("\"{}\"", used.name);
                let versioned = format!("\"{} ", used.name);
                if !used.optional && !block.contains(&listed) && !block.contains(&versioned) {
                    missing.push(format!("{lock}: {} uses {}", package.name, used.name));
                }
            }
        }
    }
    assert_eq!(missing, [] as [String; 0], "`cargo update --workspace` in that folder");
}
