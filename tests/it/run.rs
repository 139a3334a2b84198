//! `snaphook run`: the bundled session and others.

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox, granting};

fn steps(said: &CommandOutput) -> Vec<Value> {
    said.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn of<'a>(steps: &'a [Value], kind: &str) -> Vec<&'a Value> {
    steps.iter().filter(|step| step["step"] == kind).collect()
}

#[test]
fn the_bundled_session_shows_what_hooks_do() {
    let place = Sandbox::new();
    let said = place.run(&["run", "--headless", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let steps = steps(&said);
    let calls = of(&steps, "call");
    let results = of(&steps, "result");
    let summary = &of(&steps, "summary")[0]["summary"];
    assert!(calls.len() >= 10);
    let denied: Vec<_> = calls.iter().filter(|call| call["decision"] != "allow").collect();
    let has = |call: &Value, verdict: &str| {
        call["reasons"].as_array().unwrap().iter().any(|reason| {
            reason["verdict"] == verdict
                && reason["file"].as_str().is_some_and(|file| file.ends_with(".lua"))
                && reason["line"].is_u64()
        })
    };
    let asked: Vec<_> = calls.iter().filter(|call| has(call, "ask")).collect();
    let blocked = denied.iter().filter(|call| has(call, "deny") && !has(call, "ask")).count();
    let rewritten = calls.iter().filter(|call| call["rewritten"] == true).count();
    let mut commands = calls.iter().filter(|call| call["decision"] == "allow" && call["tool"] == "bash");
    assert!(commands.all(|call| call["hold"] == serde_json::json!({"profile": "guarded"})), "{calls:?}");
    let redacted = results.iter().filter(|result| result["rewritten"] == true).count();
    assert!(
        blocked >= 1 && !asked.is_empty() && rewritten >= 1 && redacted >= 1,
        "{blocked} {} {rewritten} {redacted}",
        asked.len()
    );
    assert!(asked.iter().all(|call| call["decision"] == "deny"), "no person is there to ask");
    for (key, count) in [
        ("calls", calls.len()),
        ("denied", denied.len()),
        ("allowed", results.len()),
        ("asked", asked.len()),
        ("rewritten_inputs", rewritten),
        ("rewritten_results", redacted),
    ] {
        assert_eq!(summary[key], count, "{key}");
    }
    // The agent's own words are its own: it makes a token up.
    assert!(results.iter().all(|result| !result.to_string().contains("sk-")), "a secret reached the agent");
    let left = std::fs::read_dir(place.path("state/scratch")).unwrap().count();
    assert_eq!(left, 0, "the scratch project is removed");
}

#[test]
fn the_bundled_examples_say_the_same_in_both_languages() {
    let told = |language: &str| {
        let said = Sandbox::new().run(&["run", "--headless", "--json", "--lang", language]);
        assert_eq!(said.code, 0, "{said:?}");
        let steps = steps(&said);
        // A program that is not on this machine is worth a note.
        let is_fault =
            |step: &&Value| step["step"] == "hook_problem" && step["problem"]["severity"] != "note";
        let problems: Vec<_> = steps.iter().filter(is_fault).collect();
        assert!(problems.is_empty(), "{problems:?}");
        let mut summary = of(&steps, "summary")[0]["summary"].clone();
        summary.as_object_mut().unwrap().remove("duration_ms");
        let decisions: Vec<_> = of(&steps, "call")
            .iter()
            .map(|call| {
                let reasons = call["reasons"].as_array().unwrap().iter();
                let files = reasons.clone().filter_map(|reason| reason["file"].as_str());
                assert!(files.clone().all(|file| file.ends_with(&format!(".{language}"))), "{call}");
                let reasons = reasons.map(|reason| (reason["hook"].clone(), reason["reason"].clone()));
                (
                    call["id"].clone(),
                    call["decision"].clone(),
                    call["input"].clone(),
                    reasons.collect::<Vec<_>>(),
                )
            })
            .collect();
        (summary, decisions)
    };
    assert_eq!(told("lua"), told("rhai"));
}

#[test]
fn a_language_is_for_the_bundled_examples_only() {
    let place = Sandbox::new();
    let hook = place.write("h/no.lua", "on('tool_call', function() end)");
    let said = place.run(&["run", "--lang", "rhai", "--hook", &hook.to_string_lossy()]);
    assert_eq!(said.code, 64);
    assert!(said.stderr.contains("--lang"), "{said:?}");
    assert_eq!(place.run(&["run", "--lang", "python"]).code, 64);
}

#[test]
fn the_text_is_for_people() {
    let said = Sandbox::new().run(&["run", "--headless"]);
    assert_eq!(said.code, 0);
    for part in [
        "hooks: ",
        "session: tour",
        "denied",
        "input rewritten:",
        "result rewritten:",
        "summary:",
        "hooks-examples/lua/permission-gate/init.lua:",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    assert!(!said.stdout.contains('\u{1b}'), "no colours without a terminal");
}

/// A prompt that hooks blocked does not count as one that the agent worked on.
#[test]
fn the_summary_has_blocked_prompts() {
    let place = Sandbox::new();
    let hook = place.write(
        "h/no.lua",
        "on('user_prompt', function(e) return { block = e.prompt == 'stop', reason = 'not now' } end)",
    );
    let replay = place
        .write("s.jsonl", "{\"type\":\"prompt\",\"text\":\"stop\"}\n{\"type\":\"prompt\",\"text\":\"go\"}\n");
    let (replay, hook) = (replay.to_string_lossy(), hook.to_string_lossy());
    let said = place.run(&["run", "--headless", "--replay", &replay, "--hook", &hook]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("summary: 2 prompts (1 blocked), "), "{}", said.stdout);
    let said = Sandbox::new().run(&["run", "--headless"]);
    assert!(!said.stdout.contains("blocked)"), "{}", said.stdout);
}

#[test]
fn a_replay_of_ones_own_with_hooks_of_ones_own() {
    let place = Sandbox::new();
    let hook = place.write(
        "h/no.lua",
        "on('tool_call', { tool = 'write' }, function() return { block = true, reason = 'read only' } end)",
    );
    let replay = place.write(
        "s.jsonl",
        "{\"type\":\"session\",\"version\":1,\"name\":\"mine\"}\n{\"type\":\"prompt\",\"text\":\"go\"}\n\
         {\"type\":\"turn\",\"calls\":[{\"id\":\"1\",\"tool\":\"write\",\"input\":{\"path\":\"x\",\"content\":\"y\"}},{\"id\":\"2\",\"tool\":\"bash\",\"input\":{\"command\":\"ls x\"}}]}\n",
    );
    let said = place.run(&[
        "run",
        "--headless",
        "--json",
        "--replay",
        &replay.to_string_lossy(),
        "--hook",
        &hook.to_string_lossy(),
    ]);
    let steps = steps(&said);
    let results = of(&steps, "result");
    assert_eq!((said.code, results.len()), (0, 1));
    assert_eq!(results[0]["is_error"], true, "the file was not written");
}

#[test]
fn a_folder_is_copied_and_left_alone() {
    let place = Sandbox::new();
    place.write("project/a.txt", "one\n");
    place.write(
        "project/.snaphook/hooks/p.lua",
        "on('tool_call', { tool = 'bash' }, function() return { block = true, reason = 'no shell' } end)",
    );
    place.trust_all();
    let replay = place.write(
        "s.jsonl",
        "{\"type\":\"session\",\"version\":1,\"name\":\"mine\"}\n{\"type\":\"prompt\",\"text\":\"go\"}\n\
         {\"type\":\"turn\",\"calls\":[{\"id\":\"1\",\"tool\":\"edit\",\"input\":{\"path\":\"a.txt\",\"old_string\":\"one\",\"new_string\":\"two\"}},{\"id\":\"2\",\"tool\":\"bash\",\"input\":{\"command\":\"ls\"}}]}\n",
    );
    let said =
        place.run(&["run", "--headless", "--json", "--cwd", ".", "--replay", &replay.to_string_lossy()]);
    let steps = steps(&said);
    assert_eq!(of(&steps, "result")[0]["is_error"], false, "{said:?}");
    assert_eq!(of(&steps, "call")[1]["decision"], "deny", "the project's hooks guard the copy");
    assert_eq!(std::fs::read_to_string(place.path("project/a.txt")).unwrap(), "one\n");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_session_in_order() {
    use std::io::{BufRead, BufReader};

    for signal in ["-INT", "-TERM", "-HUP"] {
        let place = Sandbox::new();
        let hook = place.write(
            "h/slow.lua",
            granting("lua", "exec: [sleep]")
                + "on('tool_call', function(e, ctx) ctx.exec('sleep', { '600' }) end)\n\
             on('shutdown', function(e, ctx) ctx.store.set('bye', true) end)",
        );
        let mut child = place
            .command(&["run", "--record", "--headless", "--hook", &hook.to_string_lossy()])
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("session:")));
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        lines.for_each(drop);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let store = std::fs::read_dir(place.path("state/store")).unwrap().map(|entry| entry.unwrap().path());
        let kept: String = store.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert!(kept.contains("bye"), "{signal}: the shutdown handler ran");
        assert_eq!(std::fs::read_dir(place.path("state/scratch")).unwrap().count(), 0, "{signal}");
    }
}
