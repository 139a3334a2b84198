//! Loading and loading again.

use std::sync::Arc;

use serde_json::json;
use snaphook::*;

use crate::support::*;

fn with_engine(scripts: &[(&str, Scope, &str)]) -> Host {
    scripts
        .iter()
        .fold(Host::builder().engine(Language::Lua, Arc::new(FakeEngine)), |builder, (id, scope, source)| {
            builder.script(script(id, *scope, source), Language::Lua)
        })
        .build()
}

#[tokio::test]
async fn what_does_not_load_denies_and_hides_nothing() {
    let cases = [
        (
            "error 3 unexpected symbol",
            "deny[load]: the hook \"bad\" did not load: bad.lua:3: unexpected symbol (fix it) [bad at bad.lua:3]",
        ),
        (
            "panic",
            "deny[load]: the hook \"bad\" did not load: bad.lua: the Lua engine panicked: the engine broke [bad at bad.lua]",
        ),
        (
            "tool_cal {}",
            "deny[load]: the hook \"bad\" did not load: bad.lua: unknown event \"tool_cal\"; did you mean \
             \"tool_call\"? [bad at bad.lua]",
        ),
    ];
    for (source, expected) in cases {
        let good = r#"tool_call {"block": true, "reason": "mine"}"#;
        let host = with_engine(&[("bad", Scope::User, source), ("good", Scope::User, good)]);
        assert_eq!(gated(&host, "ls").await, format!("{expected}\nmine [good at good.lua:1]"));
        let prompt = lifecycle(Lifecycle::UserPrompt, json!({"prompt": "hi"}));
        assert!(!host.decide(prompt, &CallOptions::default()).await.decision.is_allowed());
        assert_eq!(host.problems().len(), 1);
        let loaded: Vec<_> = host.hooks().iter().map(|hook| (hook.hook.id.clone(), hook.loaded)).collect();
        assert_eq!(loaded, [("bad".into(), false), ("good".into(), true)]);
        // What cannot be denied goes on.
        assert!(
            host.emit(lifecycle(Lifecycle::Startup, json!({})), &CallOptions::default())
                .await
                .reports
                .is_empty()
        );
    }
}

#[tokio::test]
async fn a_language_without_an_engine_does_not_load() {
    let host = Host::builder().script(script("a", Scope::User, ""), Language::Rhai).build();
    let expected = "deny[load]: the hook \"a\" did not load: a.lua: this program runs no Rhai hooks (remove the hook, \
                    or use a program that was built with that language) [a at a.lua]";
    assert_eq!(gated(&host, "ls").await, expected);
}

#[tokio::test]
async fn problems_of_discovery_deny_by_their_severity() {
    let problem = |problem: Problem| Discovery { problems: vec![problem], ..Discovery::default() };
    let host = Host::builder().discovery(problem(Problem::warning("x.lua", "odd"))).build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    let problems = host.reload(problem(Problem::error("y.lua", "cannot be read").at_line(2)));
    assert_eq!(problems.len(), 1);
    assert_eq!(gated(&host, "ls").await, "deny[load]: a hook did not load: y.lua:2: cannot be read");
    host.reload(Discovery::default());
    assert_eq!(gated(&host, "ls").await, "allow: ls");
}

#[tokio::test]
async fn scopes_run_in_their_order() {
    let block = |reason: &str| format!(r#"tool_call {{"block": true, "reason": "{reason}"}}"#);
    let host = with_engine(&[
        ("d", Scope::Adhoc, &block("adhoc")),
        ("p", Scope::Project, &block("project")),
        ("m", Scope::Managed, &block("managed")),
        ("u", Scope::User, &block("user")),
    ]);
    let denied = gated(&host, "ls").await;
    let order: Vec<_> = denied.lines().map(|line| line.trim_start_matches("deny[]: ")).collect();
    assert_eq!(
        order,
        ["managed [m at m.lua:1]", "user [u at u.lua:1]", "project [p at p.lua:1]", "adhoc [d at d.lua:1]"]
    );
    assert_eq!(host.hooks()[0].memory, 1000);
}

#[tokio::test]
async fn discovered_hooks_load_and_reload() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("gate.lua");
    let write = |reason: &str| {
        std::fs::write(&file, format!("tool_call {{\"block\": true, \"reason\": \"{reason}\"}}\n")).unwrap();
        snaphook_discovery::discover(&located(project.path()), std::slice::from_ref(&file))
    };
    let host = Host::builder().engine(Language::Lua, Arc::new(FakeEngine)).discovery(write("first")).build();
    assert_eq!(host.hooks()[0].path.as_deref(), Some(file.canonicalize().unwrap().as_path()));
    assert!(gated(&host, "ls").await.starts_with("deny[]: first [gate at"));
    let discovery = write("second");
    // What was read is what runs: nothing changes before the reload.
    assert!(gated(&host, "ls").await.starts_with("deny[]: first"));
    host.reload(discovery);
    assert!(gated(&host, "ls").await.starts_with("deny[]: second"));
}

/// A project whose hooks are all named by hand.
fn located(root: &std::path::Path) -> Directories {
    Directories {
        managed: None,
        user_hooks: None,
        user_config: None,
        project_root: root.to_owned(),
        project_hooks: root.join("none"),
        project_config: root.join("none.toml"),
        state: None,
        home: None,
        cwd: root.to_owned(),
        problems: Vec::new(),
        compat: Vec::new(),
    }
}

#[tokio::test]
async fn calls_in_flight_finish_on_the_old_hooks_and_old_listeners_end() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("ears.lua");
    std::fs::write(&file, "acme.ping {\"context\": \"heard\"}\n").unwrap();
    let discovery = || snaphook_discovery::discover(&located(project.path()), std::slice::from_ref(&file));
    let (go, waiting) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let (wait, tell) = (Arc::clone(&go), Arc::clone(&waiting));
    let waits = on("a", "tool_call", move |_, context| {
        let (wait, tell) = (Arc::clone(&wait), Arc::clone(&tell));
        async move {
            tell.notify_one();
            wait.notified().await;
            let services = Arc::clone(&context.services);
            services.emit(&hook("a"), &context, "acme.ping".into(), map(json!({}))).await.unwrap();
            nothing()
        }
    });
    let host = builder([waits]).engine(Language::Lua, Arc::new(FakeEngine)).discovery(discovery()).build();
    let ping = || Event::bus("acme.ping".into(), map(json!({})));
    host.emit(ping(), &CallOptions::default()).await;
    assert_eq!(host.outbox().take(Deliver::NextTurn).len(), 1);
    host.reload(discovery());
    host.emit(ping(), &CallOptions::default()).await;
    assert_eq!(host.outbox().take(Deliver::NextTurn).len(), 1, "one listener, not two");
    let (gated, ()) = tokio::join!(gated(&host, "ls"), async {
        waiting.notified().await;
        host.reload(Discovery::default());
        go.notify_one();
    });
    assert_eq!(gated, "allow: ls");
    assert!(host.outbox().is_empty(), "the listener is gone");
}

#[tokio::test]
async fn two_hooks_of_one_id_are_worth_a_word() {
    let host = with_engine(&[("a", Scope::User, ""), ("a", Scope::Project, "")]);
    assert_eq!(host.problems()[0].to_string(), "a.lua: another hook has the id \"a\" too");
    assert_eq!(gated(&host, "ls").await, "allow: ls");
}

/// The bytes that were read and decided on run: a change on disk has no effect, and no effect but a denial after a reload.
#[tokio::test]
async fn a_project_hook_that_is_replaced_while_the_host_runs_is_undecided() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project").canonicalize().unwrap_or_else(|_| place.path().join("project"));
    let file = root.join(".snaphook/hooks/gate.lua");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut directories = located(&root);
    directories.project_hooks = root.join(".snaphook/hooks");
    directories.state = Some(place.path().join("state"));
    let write = |reason: &str| {
        std::fs::write(&file, format!("tool_call {{\"block\": true, \"reason\": \"{reason}\"}}\n")).unwrap();
        snaphook_discovery::discover(&directories, &[])
    };
    let trust = |discovery: &Discovery| {
        let store = snaphook_discovery::trust::TrustStore::locate(&directories, Default::default()).unwrap();
        store.trust(discovery.project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
    };
    let host =
        |discovery| Host::builder().engine(Language::Lua, Arc::new(FakeEngine)).discovery(discovery).build();
    trust(&write("first"));
    let discovery = write("first");
    let changed = write("second");
    // Between listing and loading.
    let host = host(discovery);
    assert!(gated(&host, "ls").await.starts_with("deny[]: first"));
    let problems = host.reload(changed);
    assert_eq!(problems.len(), 1);
    let expected = "deny[untrusted]: gate.lua: the project hook \"gate\" changed since it was decided on, so nothing of it \
                    runs (see what changed and decide: `snaphook trust gate`) [gate at gate.lua]";
    assert_eq!(gated(&host, "ls").await.replace(".snaphook/hooks/", ""), expected);
    trust(&write("second"));
    host.reload(write("second"));
    assert!(gated(&host, "ls").await.starts_with("deny[]: second"));
}
