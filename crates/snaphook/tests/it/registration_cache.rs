//! Registrations of hooks, kept for the next process.

use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook::*;
use snaphook_lua::LuaEngine;

use crate::support::*;

const GUARD: &str = r#"
on("tool_call", { tool = "bash" }, function(event)
  if event.command == "rm" then return { block = true, reason = "no" } end
end)
on("agent_end", function() end)
"#;

/// A host for one event, as a process of its own would have it.
fn host(state: &Path, source: &str) -> Host {
    Host::builder()
        .engine(Language::Lua, std::sync::Arc::new(LuaEngine::new().unwrap()))
        .script(script("guard", Scope::User, source), Language::Lua)
        .known_in(state)
        .build()
}

/// Returns whether its script ran when it was loaded.
fn ran(host: &Host) -> bool {
    host.hooks()[0].memory > 0
}

async fn verdict(host: &Host, command: &str) -> (Verdict, String) {
    let call = ToolCall::new("1", "bash", json!({ "command": command }));
    let decided = host.decide(Event::tool_call(call), &CallOptions::default()).await;
    (decided.decision.verdict, decided.decision.message())
}

fn kept(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state.join("registrations")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn a_known_hook_runs_when_it_is_called_and_decides_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let first = host(dir.path(), GUARD);
    assert!(ran(&first));
    let second = host(dir.path(), GUARD);
    assert!(!ran(&second), "its handlers are known");
    for host in [&first, &second] {
        assert_eq!(verdict(host, "ls").await.0, Verdict::Abstain);
        assert_eq!(verdict(host, "rm").await.0, Verdict::Deny);
    }
    let handlers = |host: &Host| format!("{:?}", host.hooks()[0].handlers);
    assert_eq!(handlers(&first), handlers(&second));
    assert!(ran(&host(dir.path(), &format!("{GUARD} -- changed"))), "another content is unknown");
}

/// A registration that depends on more than the content is never kept.
#[tokio::test]
async fn a_hook_that_asks_while_it_loads_is_never_known() {
    for asks in ["snaphook.time.now()", "print('x')", "pcall(snaphook.env.get, 'CI')"] {
        let dir = tempfile::tempdir().unwrap();
        let source = format!("{asks}\n{GUARD}");
        assert!(ran(&host(dir.path(), &source)));
        assert_eq!(kept(dir.path()), Vec::<PathBuf>::new(), "{asks}");
    }
}

/// A folder that others can write does not count: they could take gates away.
#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_others_can_write_does_not_count() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    host(dir.path(), GUARD);
    let folder = dir.path().join("registrations");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(ran(&host(dir.path(), GUARD)));
}

/// Whatever the file contains: the decision is the hook's, or a denial.
#[tokio::test]
async fn what_is_kept_cannot_change_what_a_hook_says() {
    for (text, want) in [
        ("", Verdict::Abstain),
        ("[]", Verdict::Abstain),
        (r#"{"HASH": []}"#, Verdict::Abstain),
        (r#"{"HASH": 7}"#, Verdict::Abstain),
        (r#"{"HASH": [{"event": "no_such_event"}]}"#, Verdict::Abstain),
        (r#"{"HASH": [{"event": "tool_call", "matcher": {"tools": 7}}]}"#, Verdict::Abstain),
        // Other handlers than the hook's own.
        (r#"{"HASH": [{"event": "tool_call"}]}"#, Verdict::Deny),
        (r#"{"HASH": [{"event": "tool_call"}, {"event": "agent_end"}]}"#, Verdict::Deny),
    ] {
        let dir = tempfile::tempdir().unwrap();
        host(dir.path(), GUARD);
        let [file] = &kept(dir.path())[..] else { panic!("one file") };
        let now: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let hash = now.as_object().unwrap().keys().next().unwrap();
        std::fs::write(file, text.replace("HASH", hash)).unwrap();
        let host = host(dir.path(), GUARD);
        let (verdict, message) = verdict(&host, "ls").await;
        assert_eq!(verdict, want, "{text}: {message}");
    }
}

/// A set of hooks has one file, and what is not in the set any more is not in the file.
#[tokio::test]
async fn what_is_gone_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    host(dir.path(), GUARD);
    let changed = format!("{GUARD} -- changed");
    host(dir.path(), &changed);
    let [file] = &kept(dir.path())[..] else { panic!("one file") };
    let now: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(now.as_object().unwrap().len(), 1, "{now}");
    assert!(!ran(&host(dir.path(), &changed)));
}
