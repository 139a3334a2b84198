//! Checks of changed files at the end of an agent's turn: sequences of real `snaphook hook` processes, with the payloads that
//! agents send.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::hook::support::{hook, payload};
use crate::support::{CommandOutput, Sandbox};

/// A check of `*.go` that fails while a file says "bad".
const FMT: &str = r#"-----
-- name: Go format check
-- grants: { read: ["./**"] }
-----
on("files_changed", { path = "*.go" }, function(event, ctx)
  for _, file in event.files do
    if string.find(snaphook.fs.read(file), "bad") then
      return { fail = true, reason = file .. ": formatting differs" }
    end
  end
end)
"#;

/// Stands behind the first.
const VET: &str = r#"on("files_changed", { path = "*.go" }, function() end)"#;

/// A place whose project is a repository, with both checks.
fn place() -> Sandbox {
    let place = Sandbox::new();
    git(&place, &["init", "-q"]);
    place.write("config/hooks/01-fmt.lua", FMT);
    place.write("config/hooks/02-vet.lua", VET);
    place
}

pub fn git(place: &Sandbox, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t"]).args(args).current_dir(place.path("project"));
    let done = git.env("HOME", place.path("home")).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// An event of an agent in this project, from its own payload.
fn event(place: &Sandbox, agent: &str, event: &str, more: Value) -> CommandOutput {
    let (native, mut payload) = payload(agent, event, None).unwrap_or_else(|| panic!("{agent}: {event}"));
    let fields = payload.as_object_mut().unwrap();
    fields.insert("cwd".to_owned(), place.path("project").display().to_string().into());
    fields.insert("session_id".to_owned(), "s-1".into());
    // The person's own prompt, and the agent's own end.
    fields.remove("agent_id");
    fields.extend(more.as_object().unwrap().clone());
    let said = hook(place, agent, &native, &payload.to_string());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{agent} {event}: {said:?}");
    said
}

/// Returns what the agent is made to go on with at the end of a turn.
pub fn stop(place: &Sandbox, agent: &str) -> Option<String> {
    let said = event(place, agent, "agent_end", json!({}));
    if said.stdout.is_empty() {
        return None;
    }
    let document = said.document();
    if document == json!({}) {
        return None;
    }
    assert_eq!(document["decision"], "block", "{agent}: {document}");
    Some(document["reason"].as_str().unwrap().to_owned())
}

fn prompt(place: &Sandbox, agent: &str) {
    event(place, agent, "user_prompt", json!({"prompt": "go on"}));
}

/// The status that the agent's session has.
pub fn status(place: &Sandbox, agent: &str) -> Value {
    let all = place.path("state/sessions").join(agent);
    let sessions: Vec<_> = std::fs::read_dir(&all).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [session] = sessions.as_slice() else { panic!("{sessions:?}") };
    serde_json::from_slice(&std::fs::read(session.join("hooks/status.json")).unwrap()).unwrap()
}

/// A failing check makes the agent go on three times and no more; the check behind it runs once the first one is fixed.
#[test]
fn a_failing_check_makes_the_agent_go_on_and_the_one_behind_it_runs_after_the_fix() {
    for agent in ["claude-code", "codex"] {
        let place = place();
        prompt(&place, agent);
        assert_eq!(stop(&place, agent), None, "{agent}: nothing changed");
        place.write("project/src/x.go", "bad");
        for attempt in 1..=3 {
            assert_eq!(
                stop(&place, agent).unwrap(),
                format!(
                    "[Snaphook Hook Failed] \"Go format check\" (pattern: *.go)\n\nFiles: src/x.go\nExit code: 1\n\n\
                     Output:\nsrc/x.go: formatting differs\n\n\
                     Please fix the issues and ensure the hook passes. (Attempt {attempt}/3)"
                ),
                "{agent}"
            );
        }
        assert_eq!(stop(&place, agent), None, "{agent}: no more");
        let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap();
        assert!(log.contains("made to go on often enough"), "{log}");
        let kept = status(&place, agent);
        assert_eq!(kept["pendingHooks"], json!(["01-fmt", "02-vet"]), "{agent}");
        assert_eq!(
            (&kept["hooks"]["01-fmt"]["runCount"], &kept["hooks"]["01-fmt"]["consecutiveFailures"]),
            (&json!(4), &json!(4))
        );
        assert!(kept["hooks"]["02-vet"].is_null(), "{agent}: it waits");

        prompt(&place, agent);
        place.write("project/src/x.go", "still bad");
        assert!(
            stop(&place, agent).unwrap().ends_with("(Attempt 1/3)"),
            "{agent}: the person resets the count"
        );
        place.write("project/src/x.go", "good");
        assert_eq!(stop(&place, agent), None, "{agent}");
        let kept = status(&place, agent);
        assert_eq!(kept["pendingHooks"], json!([]));
        assert_eq!(
            (&kept["hooks"]["01-fmt"]["lastResult"], &kept["hooks"]["02-vet"]["lastResult"]),
            (&json!("success"), &json!("success"))
        );
        assert_eq!(stop(&place, agent), None, "{agent}: nothing is new");
        assert_eq!(status(&place, agent)["hooks"]["02-vet"]["runCount"], 1, "{agent}: nothing ran");
    }
}

/// An output that is too long is in a file, whose path is included.
#[test]
fn a_long_output_is_in_a_file() {
    let place = place();
    place.write(
        "config/hooks/01-fmt.lua",
        r#"on("files_changed", function() return { fail = true, reason = string.rep("line\n", 847) } end)"#,
    );
    place.write("project/x", "1");
    let said = stop(&place, "claude-code").unwrap();
    let path = said.lines().find_map(|line| line.strip_prefix("  ")).unwrap_or_else(|| panic!("{said}"));
    assert!(said.contains("\nOutput is large (847 lines). Full output saved to:\n"), "{said}");
    assert!(
        path.starts_with("[place]/state/sessions/claude-code/") && path.ends_with("/hooks/output/01-fmt.log")
    );
    let path = path.replace("[place]", &place.path("").display().to_string());
    assert_eq!(std::fs::read_to_string(Path::new(&path)).unwrap().lines().count(), 847);
}

/// No other event looks at files or leaves anything of checks, and the prompt only where nothing else shows what changed.
#[test]
fn other_events_do_not_pay_for_it() {
    let place = place();
    place.write("project/x.go", "bad");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    for (name, more) in [
        ("session", json!({})),
        ("user_prompt", json!({"prompt": "x"})),
        ("tool_call", call.clone()),
        ("subagent_end", json!({"agent_id": "a"})),
    ] {
        event(&place, "claude-code", name, more);
    }
    let sessions = place.path("state/sessions/claude-code");
    let folders = std::fs::read_dir(&sessions).into_iter().flatten().map(|entry| entry.unwrap().path());
    assert!(folders.map(|folder| folder.join("hooks")).all(|folder| !folder.exists()));
}

/// Processes of one session, all at once: one runs what is pending, the others wait for it and find nothing left.
#[test]
fn several_processes_at_once_run_each_check_once() {
    let place = place();
    place.write("project/x.go", "good");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(stop(&place, "claude-code"), None));
        }
    });
    let kept = status(&place, "claude-code");
    let runs = |id: &str| kept["hooks"][id]["runCount"].clone();
    assert_eq!((runs("01-fmt"), runs("02-vet"), &kept["pendingHooks"]), (json!(1), json!(1), &json!([])));
}

/// The time in which two changes count as simultaneous, where the file system keeps fractions of seconds.
const SAME_MOMENT: Duration = Duration::from_millis(20);

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

/// Without git, what changed since the person's prompt counts.
#[test]
fn without_git_what_changed_since_the_prompt_is_checked() {
    let place = place();
    std::fs::remove_dir_all(place.path("project/.git")).unwrap();
    let old = place.write("project/old.go", "bad, but old");
    let hour = SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(hour).unwrap();
    // Linux keeps the time at which an entry changed, which nobody can set: the file is old when the file system's own clock,
    // which is coarse, is beyond what counts as the same moment.
    let clock = || modified(&place.write("clock", ""));
    let touched = clock();
    while clock() <= touched + SAME_MOMENT {}
    prompt(&place, "claude-code");
    place.write("project/new.go", "bad");
    assert!(stop(&place, "claude-code").unwrap().contains("\nFiles: new.go\n"));
    place.write("project/new.go", "good");
    assert_eq!(stop(&place, "claude-code"), None);
    assert_eq!(status(&place, "claude-code")["hooks"]["01-fmt"]["runCount"], 2);
}

/// A check that does not end in the time that the agent waits is ended and stays pending; the log says so.
#[test]
fn a_check_that_takes_too_long_stays_pending() {
    let place = place();
    place.write(
        "config/hooks/01-fmt.lua",
        "-----\n-- grants: { exec: [sleep] }\n-----\n\
         on(\"files_changed\", function(event, ctx) ctx.exec(\"sleep\", { \"600\" }) end)",
    );
    place.write("project/x.go", "1");
    let mut payload = payload("kiro", "agent_end", None).map(|(_, payload)| payload).unwrap();
    payload["cwd"] = place.path("project").display().to_string().into();
    payload["session_id"] = "s-1".into();
    // The older engine waits ten seconds.
    payload["hook_event_name"] = "stop".into();
    let began = Instant::now();
    let said = hook(&place, "kiro", "stop", &payload.to_string());
    assert_eq!((said.code, said.stdout.as_str()), (0, ""), "{said:?}");
    assert!(began.elapsed() < Duration::from_secs(500), "it waited for the sleeper");
    let log = std::fs::read_to_string(place.path("state/hook.log")).unwrap();
    assert!(log.contains("did not end within") && log.contains("stay pending: 01-fmt"), "{log}");
    let kept = status(&place, "kiro");
    assert_eq!(kept["pendingHooks"], json!(["01-fmt", "02-vet"]));
    assert!(kept["hooks"]["01-fmt"].is_null(), "{kept}");
}

/// Killed in the middle of a check: it is pending for the next process.
#[cfg(unix)]
#[test]
fn a_check_whose_process_was_killed_runs_again() {
    let place = place();
    place.write(
        "config/hooks/01-fmt.lua",
        "-----\n-- grants: { exec: [sh], read: [\"./**\"] }\n-----\n\
         on(\"files_changed\", function(event, ctx)\n\
           if not string.find(snaphook.fs.read(event.files[1]), \"fast\") then ctx.exec(\"sh\", { \"-c\", \"echo $$ > ../began.new; mv ../began.new ../began; exec sleep 600\" }) end\n\
         end)",
    );
    place.write("project/x.go", "slow");
    let (native, mut payload) = payload("claude-code", "agent_end", None).unwrap();
    payload["cwd"] = place.path("project").display().to_string().into();
    payload["session_id"] = "s-1".into();
    let mut command = place.command(&["hook", "claude-code", &native]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !place.path("began").exists() {
        assert!(Instant::now() < deadline, "it never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // There is no process any more to end it.
    let left = std::fs::read_to_string(place.path("began")).unwrap();
    assert!(Command::new("kill").args(["-KILL", left.trim()]).status().unwrap().success());
    assert_eq!(status(&place, "claude-code")["pendingHooks"], json!(["01-fmt", "02-vet"]));
    place.write("project/x.go", "fast");
    assert_eq!(stop(&place, "claude-code"), None);
    let kept = status(&place, "claude-code");
    assert_eq!((&kept["pendingHooks"], &kept["hooks"]["01-fmt"]["runCount"]), (&json!([]), &json!(1)));
}

/// A check that is a program: its exit code, its output, its files; Discobot's own, with Discobot's words and places.
#[cfg(unix)]
#[test]
fn a_program_of_discobots_is_a_check_with_discobots_words_and_places() {
    let place = Sandbox::new();
    git(&place, &["init", "-q"]);
    place.write("config/config.toml", "[compat]\nproducts = [\"discobot\"]\n");
    let check = "echo \"$DISCOBOT_HOOK_TYPE $DISCOBOT_SESSION_ID $DISCOBOT_CHANGED_FILES\" >> ../given; ! grep -l bad $DISCOBOT_CHANGED_FILES";
    super::executable(
        &place,
        "project/.discobot/hooks/go-fmt.sh",
        "name: Go format check\ntype: file\npattern: \"*.go\"",
        check,
    );
    super::executable(
        &place,
        "project/.discobot/hooks/vet.sh",
        "name: Vet\ntype: file\npattern: \"*.go\"\nnotify_llm: false",
        "echo vetted; exit 3",
    );
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "hooks"]);
    place.trust_all();
    place.write("project/src/x.go", "bad");
    place.write("project/y.go", "good");
    let said = stop(&place, "claude-code").unwrap();
    assert_eq!(
        said,
        "[Discobot Hook Failed] \"Go format check\" (pattern: *.go)\n\nFiles: src/x.go, y.go\nExit code: 1\n\n\
         Output:\nsrc/x.go\n\nPlease fix the issues and ensure the hook passes. (Attempt 1/3)"
    );
    assert_eq!(std::fs::read_to_string(place.path("given")).unwrap(), "file s-1 src/x.go y.go\n");
    let folder = place.path("home/.discobot/s-1/hooks");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("output/go-fmt.log"), "src/x.go\n");
    assert!(folder.join(".last-eval").exists());
    let kept: Value = serde_json::from_str(&read("status.json")).unwrap();
    assert_eq!(kept["pendingHooks"], json!(["go-fmt", "vet"]));

    // Fixed: the one behind it runs, fails and is not told of.
    place.write("project/src/x.go", "good");
    assert_eq!(stop(&place, "claude-code"), None);
    let kept: Value = serde_json::from_str(&read("status.json")).unwrap();
    assert_eq!(kept["pendingHooks"], json!(["vet"]));
    assert_eq!(
        (
            &kept["hooks"]["vet"]["lastExitCode"],
            &kept["hooks"]["vet"]["type"],
            read("output/vet.log").as_str()
        ),
        (&json!(3), &json!("file"), "vetted\n")
    );
    let said = place.run(&["rerun", "vet"]);
    assert!(
        said.code == 2 && said.stdout.starts_with("vetted\nfailed vet: 2 files, exit code 3"),
        "{said:?}"
    );
    assert!(said.stdout.contains("\n  output: ~/.discobot/s-1/hooks/output/vet.log\n"), "{said:?}");
    assert!(place.run(&["status"]).stdout.starts_with("session s-1 of claude-code\n"));
}

/// More output than a message takes: counted whole, kept whole.
#[cfg(unix)]
#[test]
fn a_programs_long_output_is_counted_and_kept() {
    let place = Sandbox::new();
    git(&place, &["init", "-q"]);
    super::executable(&place, "config/hooks/long.sh", "type: file\npattern: \"*\"", "seq 1 300000; exit 1");
    place.write("project/x", "1");
    let said = stop(&place, "claude-code").unwrap();
    assert!(
        said.contains("Exit code: 1\n\nOutput is large (300000 lines). Full output saved to:\n"),
        "{said}"
    );
    let kept = status(&place, "claude-code");
    let log = std::fs::read_to_string(kept["hooks"]["long"]["outputPath"].as_str().unwrap()).unwrap();
    assert!(log.ends_with("\n300000\n"), "{} bytes", log.len());
}
