//! Self-protection over command lines: whatever stands around it, a command that takes a guarded file away, or that decides about
//! trust, does not pass without a word.
#![no_main]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use snaphook::{CallOptions, Directories, Environment, Host, Session, ToolCall};
use snaphook_guard::{Places, SelfProtection};
use tempfile::TempDir;

/// What must not pass.
const GUARDED: &[&str] = &[
    "rm ~/.config/snaphook/hooks/gate.lua",
    "echo x >> ~/.config/snaphook/config.toml",
    "snaphook trust guard",
    "sed -i s/a/b/ .claude/settings.json",
];

struct Place {
    host: Host,
    _folder: TempDir,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let project = folder.path().join("project");
    for folder in [project.join(".snaphook/hooks"), folder.path().join(".config/snaphook/hooks")] {
        std::fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{error}"));
    }
    let environment = Environment {
        home: Some(folder.path().to_owned()),
        managed_dir: None,
        ..Environment::new(project.clone())
    };
    let directories = Directories::locate(&environment);
    let places = Places::of(&directories, [PathBuf::from("/usr/bin/snaphook")], [PathBuf::from("/usr/bin")]);
    let session = Session { cwd: project.clone(), project_root: project, ..Session::default() };
    let host = Host::builder().session(session).handler(Arc::new(SelfProtection::new(places))).build();
    Place { host, _folder: folder }
});

fn passes(line: &str) -> bool {
    let call = ToolCall::new("1", "bash", json!({ "command": line }));
    let options = CallOptions::default();
    let gate = std::pin::pin!(PLACE.host.gate(call, &options));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(decided) = Future::poll(gate, &mut context) else { panic!("it waits") };
    decided.is_continue()
}

fuzz_target!(|text: &str| {
    if text.len() > 4096 || text.ends_with('\\') || text.ends_with("\\\n") {
        return;
    }
    let _ = passes(text);
    // One way a text: each look takes its time.
    let guarded = GUARDED[text.len() % GUARDED.len()];
    let line = match text.len() / GUARDED.len() % 3 {
        0 => format!("{guarded}\n{text}"),
        1 => format!("{{\n{text}\n}}; {guarded}"),
        _ => format!("if {guarded}; then\n{text}\nfi"),
    };
    assert!(!passes(&line), "{line:?}");
});
