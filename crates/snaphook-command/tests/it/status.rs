//! The status folder: Discobot's fields, counts, and many at once.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use snaphook_command::status::{HookKind, Last, RunEnd, Status, Store, iso};

fn end<'a>(id: &'a str, exit_code: i32) -> RunEnd<'a> {
    RunEnd {
        id,
        name: "Go format check",
        kind: HookKind::File,
        at: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
        exit_code,
        passed: exit_code == 0,
        output: Path::new("/s/output/go-fmt.log"),
    }
}

#[test]
fn the_file_has_the_fields_of_the_seed_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path().join("hooks"));
    assert_eq!(store.read().unwrap(), Status::default());
    let change = |status: &mut Status| {
        status.add_pending(["go-fmt", "other", "go-fmt"]);
        status.record(&end("go-fmt", 1));
        status.last_evaluated_at = iso(UNIX_EPOCH);
    };
    store.update(change).unwrap();
    let document: Value = serde_json::from_slice(&std::fs::read(store.file()).unwrap()).unwrap();
    assert_eq!(
        document,
        json!({
            "hooks": {"go-fmt": {
                "hookId": "go-fmt", "hookName": "Go format check", "type": "file",
                "lastRunAt": "2023-11-14T22:13:20.123Z", "lastResult": "failure", "lastExitCode": 1,
                "outputPath": "/s/output/go-fmt.log", "runCount": 1, "failCount": 1, "consecutiveFailures": 1,
            }},
            "pendingHooks": ["go-fmt", "other"],
            "lastEvaluatedAt": "1970-01-01T00:00:00.000Z",
        })
    );
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names(store.dir()),
        ["output", "status.json", "status.lock"],
        "nothing is left of the writing"
    );
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(store.dir()), mode(&store.file())), (0o700, 0o600));
}

#[test]
fn runs_and_failures_are_counted() {
    let mut status = Status::default();
    let mut seen = Vec::new();
    for code in [1, 2, 0, 0, 7] {
        status.record(&end("a", code));
        let hook = status.hook("a").unwrap();
        seen.push((
            hook.run_count,
            hook.fail_count,
            hook.consecutive_failures,
            hook.last_result,
            hook.last_exit_code,
        ));
    }
    let (good, bad) = (Last::Success, Last::Failure);
    assert_eq!(
        seen,
        [(1, 1, 1, bad, 1), (2, 2, 2, bad, 2), (3, 2, 0, good, 0), (4, 2, 0, good, 0), (5, 3, 1, bad, 7)]
    );
}

/// A run of Discobot's that never ended, or ended in a word of a later version, keeps its counts; so does an entry without some.
#[test]
fn a_run_whose_end_is_not_noted_keeps_its_counts() {
    let entry = |result: &str| {
        json!({"hookId": "a", "hookName": "A", "type": "file", "lastRunAt": "2024-01-01T00:00:00.000Z",
            "lastResult": result, "lastExitCode": 1, "outputPath": "", "runCount": 5, "failCount": 2,
            "consecutiveFailures": 2})
    };
    for (result, last) in [("running", Last::Running), ("skipped", Last::Unknown), ("failure", Last::Failure)]
    {
        let text = json!({"hooks": {"a": entry(result)}, "pendingHooks": ["a"], "lastEvaluatedAt": ""});
        let mut status = Status::parse(text.to_string().as_bytes()).unwrap();
        assert_eq!(status.hook("a").map(|hook| (hook.last_result, hook.run_count)), Some((last, 5)));
        status.record(&end("a", 1));
        let hook = status.hook("a").unwrap();
        assert_eq!((hook.run_count, hook.fail_count, hook.consecutive_failures), (6, 3, 3), "{result}");
    }
    let bare =
        json!({"hooks": {"a": {"hookId": "a", "hookName": "A", "type": "session", "lastResult": "success"}}});
    let status = Status::parse(bare.to_string().as_bytes()).unwrap();
    assert_eq!(status.hook("a").map(|hook| hook.run_count), Some(0));
}

/// Discobot's part in Go writes null for an empty list; nothing of the file is lost by that.
#[test]
fn null_is_an_empty_list() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    let text = json!({"hooks": {"a": {"hookId": "a", "hookName": "A", "type": "session", "lastResult": "success",
        "runCount": 3}}, "pendingHooks": null, "lastEvaluatedAt": null});
    std::fs::write(store.file(), text.to_string()).unwrap();
    let updated = store.update(|status| status.add_pending(["b"])).unwrap();
    assert_eq!(updated.set_aside, None);
    let status = store.read().unwrap();
    assert_eq!((status.pending_hooks.len(), status.hook("a").unwrap().run_count), (1, 3));
    let nothing = Status::parse(b"{\"hooks\": null}").unwrap();
    assert!(nothing.hooks.is_empty());
}

#[test]
fn what_others_keep_in_the_file_stays() {
    let text = json!({
        "version": 2, "pendingHooks": ["a"],
        "hooks": {"b": {"hookId": "b", "extra": 1}, "odd": 5},
    });
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    std::fs::write(store.file(), text.to_string()).unwrap();
    store.update(|status| status.record(&end("c", 0))).unwrap();
    let document: Value = serde_json::from_slice(&std::fs::read(store.file()).unwrap()).unwrap();
    assert_eq!(document["version"], 2);
    assert_eq!((&document["hooks"]["b"]["extra"], &document["hooks"]["odd"]), (&json!(1), &json!(5)));
    assert_eq!(document["pendingHooks"], json!(["a"]));
}

/// The pending hooks are lost with the file: the marker goes, so that all dirty files are new again.
#[test]
fn a_damaged_file_is_set_aside_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    for (number, damaged) in ["", "{", "[]", "{\"pendingHooks\": 5}", "\u{0}"].into_iter().enumerate() {
        std::fs::write(store.file(), damaged).unwrap();
        std::fs::write(store.marker(), "x").unwrap();
        assert!(store.read().is_err(), "{damaged:?}");
        let updated = store.update(|status| status.add_pending(["a"])).unwrap();
        let aside = updated.set_aside.unwrap_or_else(|| panic!("{damaged:?}"));
        assert_eq!(std::fs::read_to_string(&aside.to).unwrap(), damaged);
        assert!(aside.to_string().contains("set aside as"), "{aside}");
        assert!(!store.marker().exists());
        assert_eq!(store.read().unwrap().pending_hooks, ["a"]);
        let kept = std::fs::read_dir(dir.path()).unwrap().flatten();
        let kept = kept.filter(|entry| entry.file_name().to_string_lossy().contains("damaged")).count();
        assert_eq!(kept, number + 1, "none takes another one's place");
    }
}

/// While one was there, no check ran at all.
#[test]
fn a_folder_in_the_place_of_the_file_is_set_aside_too() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    std::fs::create_dir(store.file()).unwrap();
    std::fs::write(store.file().join("kept"), "1").unwrap();
    let updated = store.update(|status| status.add_pending(["a"])).unwrap();
    assert_eq!(std::fs::read_to_string(updated.set_aside.unwrap().to.join("kept")).unwrap(), "1");
    assert_eq!(store.read().unwrap().pending_hooks, ["a"]);
}

/// The target of a link is not a status file: the link goes, and its target stays as it is.
#[test]
fn a_link_in_the_place_of_the_file_is_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    let victim = dir.path().join("victim");
    for (text, was_aside) in [("precious", true), ("{}", false)] {
        std::fs::write(&victim, text).unwrap();
        let _ = std::fs::remove_file(store.file());
        std::os::unix::fs::symlink(&victim, store.file()).unwrap();
        let updated = store.update(|status| status.add_pending(["a"])).unwrap();
        assert_eq!(updated.set_aside.is_some(), was_aside, "{text}");
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), text);
        assert!(store.file().symlink_metadata().unwrap().is_file(), "{text}");
    }
}

/// Threads lock as processes do: each has a file of its own open.
#[test]
fn nobody_loses_anothers_change_or_reads_half_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    let writers = 8;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let store = store.clone();
            scope.spawn(move || {
                let own = format!("hook-{writer}");
                for _ in 0..25 {
                    let change = |status: &mut Status| {
                        status.record(&end("shared", 1));
                        status.record(&end(&own, 0));
                        status.add_pending([own.as_str()]);
                    };
                    assert!(store.update(change).unwrap().set_aside.is_none());
                    store.read().unwrap();
                }
            });
        }
    });
    let status = store.read().unwrap();
    assert_eq!(status.hook("shared").unwrap().run_count, 25 * writers);
    assert_eq!(status.pending_hooks.len() as u64, writers);
    assert!((0..writers).all(|writer| status.hook(&format!("hook-{writer}")).unwrap().run_count == 25));
}

#[test]
fn one_at_a_time_has_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path());
    let turn = store.turn().unwrap().unwrap();
    assert!(store.turn().unwrap().is_none());
    drop(turn);
    assert!(store.turn().unwrap().is_some());
}

#[test]
fn an_output_is_that_of_the_last_run() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::new(dir.path().join("hooks"));
    for text in ["first, and longer", "second"] {
        store.write_output("a", text).unwrap();
        assert_eq!(std::fs::read_to_string(store.output("a")).unwrap(), text);
    }
    assert!(store.output("a").ends_with("output/a.log"));
}
