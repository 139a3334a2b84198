//! Values that hooks keep, for the session and on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::*;

use crate::support::*;

/// Runs one operation in the name of a hook, inside an event.
async fn kv(host: &Host, id: &str, scope: KvScope, operation: KvOp) -> Result<Value, ServiceError> {
    let services = services(host).await;
    services.kv(&hook(id), scope, operation)
}

/// The services as handlers have them.
async fn services(host: &Host) -> Arc<dyn Services> {
    let emitted = host.emit(Event::bus("test.steal".into(), map(json!({}))), &CallOptions::default()).await;
    assert!(emitted.reports.is_empty());
    STOLEN.with_borrow_mut(Option::take).expect("the thief was there")
}

thread_local! {
    static STOLEN: std::cell::RefCell<Option<Arc<dyn Services>>> = const { std::cell::RefCell::new(None) };
}

fn thief() -> Arc<dyn Handler> {
    on("thief", "test.steal", |_, context| async move {
        STOLEN.with_borrow_mut(|slot| *slot = Some(Arc::clone(&context.services)));
        nothing()
    })
}

fn set(key: &str, value: Value) -> KvOp {
    KvOp::Set(key.into(), value)
}

fn get(key: &str) -> KvOp {
    KvOp::Get(key.into())
}

fn kept_on(dir: &Path) -> Host {
    builder([thief()]).state_dir(dir).build()
}

fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir.join("store")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[tokio::test]
async fn both_scopes_keep_values_by_hook() {
    let dir = tempfile::tempdir().unwrap();
    let host = kept_on(dir.path());
    for scope in [KvScope::State, KvScope::Store] {
        assert_eq!(kv(&host, "a", scope, get("x")).await, Ok(Value::Null));
        kv(&host, "a", scope, set("x", json!({"n": [1, 2.5]}))).await.unwrap();
        kv(&host, "a", scope, set("y", json!(false))).await.unwrap();
        assert_eq!(kv(&host, "a", scope, get("x")).await, Ok(json!({"n": [1, 2.5]})));
        assert_eq!(kv(&host, "b", scope, get("x")).await, Ok(Value::Null), "hooks are apart");
        kv(&host, "a", scope, set("x", Value::Null)).await.unwrap();
        assert_eq!(kv(&host, "a", scope, KvOp::Keys).await, Ok(json!(["y"])));
        let full = kv(&host, "a", scope, set("z", json!("x".repeat(MAX_KEPT)))).await;
        assert!(full.unwrap_err().to_string().contains("full"));
        assert_eq!(kv(&host, "a", scope, get("y")).await, Ok(json!(false)), "the rest is still there");
    }
    assert!(files(dir.path(), ".tmp").is_empty());
}

#[tokio::test]
async fn state_ends_with_the_session_and_survives_a_reload() {
    let host = host([thief()]);
    let state = async || kv(&host, "a", KvScope::State, get("x")).await.unwrap();
    let fill = async || kv(&host, "a", KvScope::State, set("x", json!(1))).await.unwrap();
    fill().await;
    host.reload(Discovery::default());
    assert_eq!(state().await, json!(1));
    host.set_session(Session { cwd: "/elsewhere".into(), ..Session::default() });
    assert_eq!(state().await, json!(1), "the same session");
    host.set_session(Session { id: "2".into(), ..Session::default() });
    assert_eq!(state().await, Value::Null);
    for (reason, left) in [("start", json!(1)), ("clear", Value::Null), ("switch", Value::Null)] {
        fill().await;
        host.emit(lifecycle(Lifecycle::Session, json!({"reason": reason})), &CallOptions::default()).await;
        assert_eq!(state().await, left, "{reason}");
    }
}

#[tokio::test]
async fn the_store_lives_on_disk_and_is_private() {
    let dir = tempfile::tempdir().unwrap();
    kv(&kept_on(dir.path()), "a", KvScope::Store, set("x", json!(1))).await.unwrap();
    assert_eq!(kv(&kept_on(dir.path()), "a", KvScope::Store, get("x")).await, Ok(json!(1)));
    let file = files(dir.path(), ".json").remove(0);
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("user-a-") && name.len() == "user-a-.json".len() + 12, "{name}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let none = kv(&host([thief()]), "a", KvScope::Store, get("x")).await.unwrap_err();
    assert_eq!(none.to_string(), "there is no store here: this program keeps nothing on disk");
}

#[tokio::test]
async fn an_id_cannot_leave_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    kv(&kept_on(dir.path()), "../../etc/x", KvScope::Store, set("x", json!(1))).await.unwrap();
    assert_eq!(files(dir.path(), ".json").len(), 1);
}

#[tokio::test]
async fn a_corrupt_store_is_set_aside_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let trace = Trace::default();
    let told = trace.clone();
    let host = builder([thief()])
        .state_dir(dir.path())
        .on_report(move |report| told.add(report.to_string()))
        .build();
    for (round, garbage) in ["{\"x\": 1", "[1]", "\u{0}"].into_iter().enumerate() {
        kv(&host, "a", KvScope::Store, set("x", json!(1))).await.unwrap();
        let file = files(dir.path(), ".json").remove(0);
        std::fs::write(&file, garbage).unwrap();
        assert_eq!(kv(&host, "a", KvScope::Store, get("x")).await, Ok(Value::Null));
        assert_eq!(
            std::fs::read_to_string(&files(dir.path(), &format!("corrupt-{}", round + 1))[0]).unwrap(),
            garbage
        );
    }
    assert_eq!(trace.all().matches("it was set aside as").count(), 3);
}

#[test]
fn changes_of_many_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let write = |thread: usize| {
        let host = kept_on(dir.path());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for number in 0..10 {
            let key = format!("{thread}-{number}");
            runtime.block_on(kv(&host, "a", KvScope::Store, set(&key, json!(1)))).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || write(thread));
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let keys = runtime.block_on(kv(&kept_on(dir.path()), "a", KvScope::Store, KvOp::Keys)).unwrap();
    assert_eq!(keys.as_array().map(Vec::len), Some(40));
}

#[tokio::test]
async fn a_store_that_another_process_holds_is_an_error_and_not_the_end_of_the_hook() {
    let dir = tempfile::tempdir().unwrap();
    let writes = on("a", "tool_call", |_, context| async move {
        let error = context.services.kv(&hook("a"), KvScope::Store, set("x", json!(1))).err();
        let reason = error.map(|error| error.to_string()).unwrap_or_default();
        answer("tool_call", json!({"block": !reason.is_empty(), "reason": reason}))
    });
    let host = builder([writes]).state_dir(dir.path()).build();
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
    let held = std::fs::File::open(files(dir.path(), ".lock").remove(0)).unwrap();
    held.lock().unwrap();
    let denied = show(host.gate(bash("ls"), &CallOptions::supervised()).await);
    assert!(
        denied.starts_with("deny[]: store ") && denied.contains("another process holds its lock"),
        "{denied}"
    );
    held.unlock().unwrap();
    assert_eq!(show(host.gate(bash("ls"), &CallOptions::supervised()).await), "allow: ls");
}

/// Each event of a session may have a process of its own.
#[tokio::test]
async fn state_in_a_folder_outlives_the_host() {
    let dir = tempfile::tempdir().unwrap();
    let host = || builder([thief()]).session_dir(dir.path().join("session")).build();
    kv(&host(), "a", KvScope::State, set("x", json!(7))).await.unwrap();
    let (one, other) = (host(), host());
    let (services_of_one, services_of_other) = (services(&one).await, services(&other).await);
    std::thread::scope(|scope| {
        for (services, key) in [(&services_of_one, "one"), (&services_of_other, "other")] {
            scope.spawn(move || {
                for number in 0..50 {
                    services
                        .kv(&hook("a"), KvScope::State, set(&format!("{key}-{number}"), json!(number)))
                        .unwrap();
                }
            });
        }
    });
    let keys = kv(&host(), "a", KvScope::State, KvOp::Keys).await.unwrap();
    assert_eq!(keys.as_array().map(Vec::len), Some(101), "no change is lost: {keys}");
    assert_eq!(kv(&host(), "b", KvScope::State, get("x")).await, Ok(Value::Null));
    one.emit(
        Event::lifecycle(Lifecycle::Session, map(json!({"reason": "clear"}))).unwrap(),
        &CallOptions::default(),
    )
    .await;
    assert_eq!(kv(&host(), "a", KvScope::State, get("x")).await, Ok(Value::Null));
}
