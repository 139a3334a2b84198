//! `snaphook status` and `snaphook rerun`.

use serde_json::json;

use super::stop::git;
use crate::hook::support::{hook, payload};
use crate::support::Sandbox;

const CHECK: &str = r#"-----
-- name: Go format check
-- grants: { read: ["./**"] }
-----
on("files_changed", { path = "*.go" }, function(event, ctx)
  if string.find(snaphook.fs.read(event.files[1]), "bad") then
    return { fail = true, reason = "it is bad" }
  end
end)
"#;

fn place() -> Sandbox {
    let place = Sandbox::new();
    git(&place, &["init", "-q"]);
    place.write("config/hooks/fmt.lua", CHECK);
    place.write("config/hooks/vet.lua", r#"on("files_changed", { path = "*.go" }, function() end)"#);
    place.write("config/hooks/gate.lua", r#"on("tool_call", function() end)"#);
    place
}

fn stop(place: &Sandbox, session: &str) {
    let (native, mut payload) = payload("claude-code", "agent_end", None).unwrap();
    payload["cwd"] = place.path("project").display().to_string().into();
    payload["session_id"] = session.into();
    let said = hook(place, "claude-code", &native, &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
}

/// Moments and folders replaced.
fn plain(text: &str) -> String {
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z").unwrap();
    let text = time.replace_all(text, "TIME").into_owned();
    let folder = regex::Regex::new("[0-9a-f]{32}").unwrap();
    let text = folder.replace_all(&text, "HASH").into_owned();
    regex::Regex::new(r"\d+\.\d s").unwrap().replace_all(&text, "TOOK").into_owned()
}

#[test]
fn status_shows_what_is_pending_and_how_each_check_last_ran() {
    let place = place();
    let said = place.run(&["status"]);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (0, "No check of changed files has run in this project yet.\n")
    );
    place.write("project/x.go", "bad");
    stop(&place, "s-1");
    stop(&place, "s-1");
    let said = place.run(&["status"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        plain(&said.stdout),
        "session s-1 of claude-code\n  looked for changed files at TIME\n  \
         failed fmt (Go format check), pending: file at TIME, exit code 1; 2 runs, 2 failed, 2 times in a row\n    \
         output: [place]/state/sessions/claude-code/HASH/hooks/output/fmt.log\n  \
         pending vet: has not run yet\n"
    );
    let document = place.run(&["status", "--json"]).document();
    assert_eq!((&document["agent"], &document["session"]), (&json!("claude-code"), &json!("s-1")));
    assert_eq!(document["status"]["pendingHooks"], json!(["fmt", "vet"]));
    assert_eq!(document["status"]["hooks"]["fmt"]["lastExitCode"], 1);

    // The newest, the named one, another project's.
    place.write("project/x.go", "good");
    stop(&place, "s-2");
    assert!(place.run(&["status"]).stdout.starts_with("session s-2 "));
    assert!(place.run(&["status", "--session", "s-1"]).stdout.starts_with("session s-1 "));
    let said = place.run(&["status", "--session", "s-3"]);
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (64, "error: no check of changed files has run in a session \"s-3\"\n")
    );
    std::fs::create_dir_all(place.path("other/.git")).unwrap();
    let other = place.path("other").display().to_string();
    assert!(place.run(&["status", "--cwd", &other]).stdout.starts_with("No check"));
}

/// The result of a hook that was removed is shown as such: it cannot be fixed.
#[test]
fn a_removed_hook_is_shown_as_gone() {
    let place = place();
    place.write("project/x.go", "bad");
    stop(&place, "s-1");
    std::fs::remove_file(place.path("config/hooks/fmt.lua")).unwrap();
    // One that does not load any more is there.
    place.write("config/hooks/vet.lua", "on(");
    let said = plain(&place.run(&["status"]).stdout);
    let expected = "  gone fmt (Go format check), no hook here has this id any more; its last run: file at TIME, exit code 1; \
                    1 run, 1 failed\n";
    assert!(said.contains(expected) && !said.contains("failed fmt") && !said.contains("gone vet"), "{said}");
    let document = place.run(&["status", "--json"]).document();
    assert_eq!(document["gone"], json!(["fmt"]));
    assert_eq!(document["status"]["hooks"]["fmt"]["lastExitCode"], 1);
}

/// A run before a commit is no session of an agent's.
#[test]
fn what_git_ran_is_shown_once_and_beside_the_session() {
    let place = place();
    place.write("config/hooks/commit.lua", r#"on("pre_commit", function() end)"#);
    place.write("project/x.go", "good");
    git(&place, &["add", "-A"]);
    let said = place.run(&["git", "run", "pre-commit"]);
    assert_eq!(said.code, 0, "{said:?}");
    let commit = "before a commit\n  passed commit: pre-commit at TIME, exit code 0; 1 run, 0 failed\n    \
                  output: [place]/state/sessions/git/HASH/hooks/output/commit.log\n";
    assert_eq!(plain(&place.run(&["status"]).stdout), commit);
    stop(&place, "s-1");
    let said = plain(&place.run(&["status"]).stdout);
    assert!(said.starts_with("session s-1 of claude-code\n") && said.ends_with(commit), "{said}");
    let document = place.run(&["status", "--json"]).document();
    assert_eq!(document["git"]["hooks"]["commit"]["type"], "pre-commit");
}

#[test]
fn a_damaged_status_is_said_and_set_aside_by_the_next_check() {
    let place = place();
    place.write("project/x.go", "good");
    stop(&place, "s-1");
    let folder = place.run(&["status", "--json"]).document()["folder"].as_str().unwrap().to_owned();
    let folder = folder.replace("[place]", place.path("").to_str().unwrap());
    std::fs::write(format!("{folder}/status.json"), "{").unwrap();
    let said = place.run(&["status"]);
    assert!(said.code == 70 && said.stderr.contains("is damaged; the next check sets it aside"), "{said:?}");
    stop(&place, "s-1");
    let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap();
    assert!(log.contains("the status of hooks was damaged and is set aside as"), "{log}");
    let said = place.run(&["status"]);
    assert!(said.stdout.contains("passed fmt"), "everything that is dirty was checked again: {said:?}");
}

#[test]
fn rerun_runs_a_check_now_and_its_result_counts() {
    let place = place();
    place.write("project/x.go", "bad");
    // Without any session.
    let said = place.run(&["rerun", "fmt"]);
    assert_eq!(
        (said.code, plain(&said.stdout)),
        (
            2,
            "it is bad\nfailed fmt: 1 file, exit code 1, TOOK\n  \
             output: [place]/state/sessions/snaphook/HASH/hooks/output/fmt.log\n"
                .to_owned()
        )
    );
    stop(&place, "s-1");
    place.write("project/x.go", "good");
    let said = place.run(&["rerun", "fmt"]);
    assert!(said.code == 0 && said.stdout.starts_with("passed fmt: 1 file, exit code 0"), "{said:?}");
    let document = place.run(&["status", "--json"]).document();
    assert_eq!(document["session"], "s-1", "the newest session's");
    assert_eq!(document["status"]["pendingHooks"], json!(["vet"]));
    assert_eq!(document["status"]["hooks"]["fmt"]["runCount"], 2);
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "x"]);
    let said = place.run(&["rerun", "vet"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "no changed file is one for vet; it did not run\n"));
    assert_eq!(place.run(&["status", "--json"]).document()["status"]["pendingHooks"], json!([]));
}

#[test]
fn rerun_names_the_checks_that_there_are() {
    let place = place();
    for (id, expected) in [
        ("nobody", "error: there is no hook \"nobody\"; hooks that check changed files: fmt, vet\n"),
        (
            "gate",
            "error: the hook \"gate\" does not check changed files; hooks that check changed files: fmt, vet\n",
        ),
    ] {
        let said = place.run(&["rerun", id]);
        assert_eq!((said.code, said.stderr.as_str()), (64, expected));
    }
    // One that is there and does not load is reported with its remedy.
    place.write("project/.snaphook/hooks/theirs.lua", "on(\"files_changed\", function() end)");
    let said = place.run(&["rerun", "theirs"]);
    assert!(
        said.stderr.contains("\nnot loaded: ") && said.stderr.contains("snaphook trust theirs"),
        "{said:?}"
    );
}

/// Ctrl-C ends the check with everything that it started.
#[cfg(unix)]
#[test]
fn an_interrupted_rerun_leaves_nothing_running() {
    let place = place();
    place.write(
        "config/hooks/fmt.lua",
        "-----\n-- grants: { exec: [sh] }\n-----\n\
         on(\"files_changed\", function(event, ctx)\n\
           ctx.exec(\"sh\", { \"-c\", \"sleep 600 & echo $! > ../child.new; mv ../child.new ../child; wait\" })\n\
         end)",
    );
    place.write("project/x.go", "1");
    let child = place.command(&["rerun", "fmt"]).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let wait = |what: &dyn Fn() -> bool| {
        while !what() {
            assert!(std::time::Instant::now() < deadline, "it takes too long");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    wait(&|| place.path("child").exists());
    let grandchild = std::fs::read_to_string(place.path("child")).unwrap();
    let interrupt =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let said = place.finish(child);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (130, "fmt was interrupted and stays pending\n"),
        "{said:?}"
    );
    let proc = std::path::Path::new("/proc").join(grandchild.trim());
    let gone = || match std::fs::read_to_string(proc.join("stat")) {
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    wait(&gone);
    assert_eq!(place.run(&["status", "--json"]).document()["status"]["pendingHooks"], json!(["fmt"]));
}
