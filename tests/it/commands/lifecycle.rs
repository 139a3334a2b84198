//! Lifecycle files where an agent calls: real processes, one for each event, as Claude Code starts them.

use std::fs;

use serde_json::{Value, json};

use crate::hook::support::hook;
use crate::support::{CommandOutput, Sandbox};

const FILE: &str = "project/.snaphook/lifecycle.yml";

/// A sandbox with a trusted lifecycle file.
fn trusted(file: &str) -> Sandbox {
    let place = Sandbox::new();
    place.write(FILE, file);
    place.trust_all();
    place
}

fn fire_with(place: &Sandbox, event: &str, more: Value, args: &[&str]) -> CommandOutput {
    let mut payload = json!({
        "session_id": "s-1", "cwd": place.path("project").display().to_string(), "prompt_id": "p-1",
        "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let said = match args {
        [] => hook(place, "claude-code", event, &payload.to_string()),
        _ => place.run_with_stdin(&[&["hook", "claude-code", event], args].concat(), &payload.to_string()),
    };
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    said
}

fn fire(place: &Sandbox, event: &str, more: Value) -> CommandOutput {
    fire_with(place, event, more, &[])
}

/// Returns the text that the model gets with the prompt.
fn hook_output(said: &CommandOutput) -> String {
    if said.stdout.is_empty() {
        return String::new();
    }
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    document["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn prompt(place: &Sandbox) -> String {
    hook_output(&fire(place, "UserPromptSubmit", json!({"prompt": "go on"})))
}

fn stop(place: &Sandbox) -> CommandOutput {
    fire(place, "Stop", json!({"stop_hook_active": false}))
}

fn log(place: &Sandbox) -> String {
    fs::read_to_string(place.path("project/log")).unwrap_or_default()
}

/// The log of `snaphook hook`.
fn said_in_log(place: &Sandbox) -> String {
    let mut text = String::new();
    let mut folders = vec![place.path("state")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "log") {
                text += &fs::read_to_string(path).unwrap_or_default();
            }
        }
    }
    text
}

const ALL: &str = r#"version: 1
hooks:
  session_start:
    - command: "echo start {{session}}; echo session_start >> log"
      pipe_output: true
    - command: "echo silent start"
  pre_iteration:
    - command: "echo pre {{iteration}}; echo pre_iteration {{iteration}} >> log"
      pipe_output: true
    - command: "echo silent pre"
  post_iteration:
    - command: "echo post {{iteration}}; echo post_iteration {{iteration}} >> log"
      pipe_output: true
    - command: "printf 'second post'"
      pipe_output: true
  session_end:
    - command: "echo session_end {{session}} >> log"
      pipe_output: true
  on_error:
    - command: "echo error in {{iteration}}: {{error}}; echo on_error >> log"
      pipe_output: true
"#;

#[test]
fn a_session_goes_through_its_lists_and_output_waits_for_the_next_prompt() {
    let place = trusted(ALL);
    let said = fire(&place, "SessionStart", json!({"source": "startup"}));
    assert_eq!(said.stdout, "", "it waits for the first prompt");
    assert_eq!(log(&place), "session_start\n");
    assert_eq!(prompt(&place), "start s-1\n\npre 1\n");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    assert_eq!(fire(&place, "PreToolUse", call).stdout, "", "nothing of it is for a tool call");
    assert_eq!(stop(&place).stdout, "", "it does not send the agent on");
    assert_eq!(prompt(&place), "post 1\n\nsecond post\npre 2\n", "what waits comes first, and nothing twice");
    assert_eq!(prompt(&place), "pre 3\n", "the second iteration was cut short by the person");
    stop(&place);
    fire(&place, "SessionEnd", json!({"reason": "other"}));
    let order: Vec<_> = log(&place).lines().map(str::to_owned).collect();
    assert_eq!(
        order,
        [
            "session_start",
            "pre_iteration 1",
            "post_iteration 1",
            "pre_iteration 2",
            "pre_iteration 3",
            "post_iteration 3",
            "session_end s-1",
        ]
    );
    assert!(said_in_log(&place).contains("silent start"), "{}", said_in_log(&place));
}

#[test]
fn a_resumed_session_does_not_start_again() {
    let place = trusted(ALL);
    fire(&place, "SessionStart", json!({"source": "startup"}));
    fire(&place, "SessionStart", json!({"source": "startup"}));
    assert_eq!(log(&place), "session_start\n");
    let other = json!({"session_id": "s-2", "prompt": "x"});
    assert_eq!(
        hook_output(&fire(&place, "UserPromptSubmit", other)),
        "start s-2\n\npre 1\n",
        "an agent that tells no start"
    );
}

#[test]
fn an_error_is_told_as_soon_as_the_agent_can_be_told_anything() {
    let place = trusted(ALL);
    fire(&place, "SessionStart", json!({"source": "startup"}));
    prompt(&place);
    fire(&place, "StopFailure", json!({"error": "overloaded $(touch pwned)"}));
    assert_eq!(prompt(&place), "error in 1: overloaded $(touch pwned)\n".to_owned() + "\npre 2\n");
    assert!(!place.path("project/pwned").exists());
    assert!(!log(&place).contains("post_iteration"), "an iteration that failed has no end: {}", log(&place));
}

#[test]
fn failures_and_timeouts_are_text_in_the_output() {
    let place = trusted(
        "version: 1\nhooks:\n  pre_iteration:\n    - command: \"echo out; echo err >&2; exit 3\"\n      pipe_output: true\n    - command: \"echo partial; sleep 60\"\n      timeout: 1\n      pipe_output: true\n    - command: \"echo after\"\n      pipe_output: true\n",
    );
    let text = prompt(&place);
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "out",
            "err",
            "[Hook command failed: exit status 3: echo out; echo err >&2; exit 3]",
            "partial",
            "[Hook timed out after 1s: echo partial; sleep 60]",
            "after",
        ]
    );
}

#[test]
fn a_file_that_nobody_trusts_does_not_run_says_so_and_denies_nothing() {
    let place = Sandbox::new();
    place.write(FILE, ALL);
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    fire(&place, "SessionStart", json!({"source": "startup"}));
    assert_eq!(prompt(&place), "");
    assert_eq!(log(&place), "");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    assert_eq!(fire(&place, "PreToolUse", call).stdout, "", "it gates nothing");
    assert!(said_in_log(&place).contains("snaphook trust lifecycle"), "{}", said_in_log(&place));
    let listed = place.run(&["list"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    for text in [
        "lifecycle project .snaphook/lifecycle.yml undecided",
        "echo silent start",
        "pre_iteration line 8",
        "`snaphook trust lifecycle`",
    ] {
        assert!(listed.stdout.contains(text), "{text}: {}", listed.stdout);
    }
    let shown = place.run(&["trust", "--yes"]);
    assert!(shown.stdout.contains("shell commands: they can do whatever you can"), "{shown:?}");
    assert!(shown.stdout.contains("echo pre {{iteration}}"), "{shown:?}");
    place.trust_all();
    assert_eq!(prompt(&place), "start s-1\n\npre 2\n", "it begins late");
    place.write(FILE, ALL.replace("echo pre", "echo evil"));
    assert_eq!(prompt(&place), "", "another content is another question");
    assert!(said_in_log(&place).contains("changed since it was decided on"));
}

/// A user with only a lifecycle file has no gates, on purpose.
#[test]
fn a_trusted_file_alone_is_enough_for_tool_calls_to_pass() {
    let place = trusted(ALL);
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    assert_eq!(fire(&place, "PreToolUse", call).stdout, "");
}

#[test]
fn a_broken_file_is_a_warning_with_its_place_and_has_no_hooks() {
    let place = trusted(
        "version: 1\nhooks:\n  pre_iteration:\n    - command: \"echo x\"\n      timeout: 5\n  pre_iteration: []\n",
    );
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    assert_eq!(prompt(&place), "");
    let listed = place.run(&["list", "--json"]);
    let document: Value = serde_json::from_str(&listed.stdout).unwrap();
    let problems = document["problems"].as_array().unwrap();
    let problem = problems.iter().find(|problem| problem["severity"] == "warning").unwrap();
    assert_eq!(problem["line"], 6, "{problem}");
    assert_eq!(problem["message"], "column 3: duplicate key `pre_iteration`");
}

/// An invalid entry is left out, and each command that reads the file reports it; the rest of the file counts.
#[test]
fn an_odd_entry_is_left_out_and_the_rest_runs() {
    let place = trusted(
        "version: 1\nhooks:\n  pre_iteration:\n    - command: \"echo before\"\n      pipe_output: true\n    - command: make\n      timeout: soon\n    - command: \"echo after\"\n      pipe_output: true\n",
    );
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    assert_eq!(prompt(&place), "before\n\nafter\n");
    assert!(said_in_log(&place).contains("is left out: `timeout` is text"), "{}", said_in_log(&place));
    let listed = place.run(&["list", "--json"]);
    let document: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!((listed.code, &document["lifecycle"][0]["state"]), (0, &json!("loaded")), "{document}");
    let problem = &document["problems"][0];
    assert_eq!((&problem["severity"], &problem["line"]), (&json!("warning"), &json!(7)), "{problem}");
    let found = place.run(&["doctor"]).stdout;
    assert!(found.contains("2 commands; left out: line 7, column 16: "), "{found}");
}

/// Commands that people run report it each, and in the same words.
#[test]
fn what_became_of_a_file_is_said_where_somebody_looks() {
    const GOOD: &str = "version: 1\nhooks:\n  session_end:\n    - command: make\n";
    const BAD: &str = "version: 1\nhooks:\n  session_end:\n    - command: make\n  session_end: []\n";
    let call = ["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#];
    let result = [&call[..], &["--result", "x"]].concat();
    for (file, trust, state, says, list, doctor) in [
        (GOOD, "trust", "loaded", "1 commands", 0, "ok"),
        (GOOD, "", "untrusted", "this lifecycle file is not trusted", 0, "wrong"),
        (GOOD, "ignore", "ignored", "does not run here", 0, "note"),
        (BAD, "trust", "broken", "line 5, column 3: duplicate key `session_end`", 2, "wrong"),
        (BAD, "", "broken", "line 5, column 3: duplicate key `session_end`", 2, "wrong"),
        ("folder", "", "broken", "is a folder", 2, "wrong"),
    ] {
        let place = Sandbox::new();
        place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
        match file {
            "folder" => fs::create_dir_all(place.path(FILE)).unwrap(),
            file => drop(place.write(FILE, file)),
        }
        match trust {
            "trust" => place.trust_all(),
            "ignore" => assert_eq!(place.run(&["ignore", "lifecycle"]).code, 0),
            _ => {}
        }
        let what = format!("{state} {trust}");
        let listed = place.run(&["list", "--json"]);
        assert_eq!(listed.code, list, "{what}: {listed:?}");
        let listed = listed.document();
        assert_eq!(listed["lifecycle"][0]["state"], state, "{what}: {listed}");
        let hook = listed["hooks"].as_array().unwrap().iter().find(|hook| hook["id"] == "lifecycle");
        assert_eq!(hook.is_some_and(|hook| hook["loaded"] == true), state == "loaded", "{what}");
        assert_eq!(place.run(&["list"]).stdout.contains("broken"), file == BAD, "{what}");
        for args in [&call[..], &result] {
            // It decides about no call.
            let checked = place.run(args);
            assert_eq!(checked.code, 0, "{what}: {checked:?}");
            let line = checked.stdout.lines().find(|line| line.starts_with("lifecycle file")).unwrap();
            assert!(line.contains(&format!(".snaphook/lifecycle.yml: {state}: ")), "{what}: {line}");
            assert!(line.contains(says), "{what}: {line}");
            let document = place.run(&[args, &["--json"]].concat()).document();
            assert_eq!(document["lifecycle"], listed["lifecycle"], "{what}");
        }
        let found = place.run(&["doctor", "--json"]).document();
        let checks = found["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["about"] == "lifecycle file .snaphook/lifecycle.yml");
        let check = check.unwrap_or_else(|| panic!("{what}: {found}"));
        assert_eq!(check["outcome"], doctor, "{what}: {check}");
        assert!(check["what"].as_str().unwrap().contains(says), "{what}: {check}");
    }
}

/// A file of another product counts where its hooks are wanted.
#[test]
fn a_broken_file_of_another_product_is_said_where_it_is_wanted() {
    let place = Sandbox::new();
    place.write("project/.iteratr.hooks.yml", "version: 1\nhooks: [\n");
    let states = |place: &Sandbox, args: &[&str]| {
        let listed = place.run(&[&["list", "--json"], args].concat());
        (listed.code, listed.document()["lifecycle"][0]["state"].clone())
    };
    assert_eq!(states(&place, &[]), (0, Value::Null));
    assert_eq!(states(&place, &["--compat", "iteratr"]), (2, json!("broken")));
    place.write("config/config.toml", "[compat]\nproducts = [\"iteratr\"]\n");
    assert_eq!(states(&place, &[]), (2, json!("broken")));
    assert!(
        place.run(&["doctor"]).stdout.contains("lifecycle file .iteratr.hooks.yml: broken: line 2, column 8")
    );
}

#[test]
fn a_missing_file_is_nothing() {
    let place = Sandbox::new();
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    assert_eq!(prompt(&place), "");
    assert!(!said_in_log(&place).contains("lifecycle"));
}

#[test]
fn iteratrs_file_is_read_where_its_hooks_are_wanted() {
    let place = Sandbox::new();
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    place.write("project/.iteratr.hooks.yml", ALL);
    let printed = place.run(&["trust", "--print", "--compat", "iteratr"]);
    let name = printed.stdout.trim();
    assert!(name.starts_with("iteratr=sha256:"), "{printed:?}");
    assert_eq!(place.run(&["trust", name, "--compat", "iteratr"]).code, 0);
    let go = json!({"prompt": "go"});
    assert_eq!(hook_output(&fire(&place, "UserPromptSubmit", go.clone())), "", "not asked for");
    assert_eq!(
        hook_output(&fire_with(&place, "UserPromptSubmit", go, &["--compat", "iteratr"])),
        "start s-1\n\npre 2\n"
    );
}

/// Its output is put together as iteratr does it; after the import it is snaphook's file, and is read as such.
#[test]
fn iteratrs_file_marks_standard_error_as_iteratr_does() {
    let place = Sandbox::new();
    let file = "version: 2\nhooks:\n  pre_iteration:\n    - command: \"echo out; echo err >&2\"\n      pipe_output: true\n    - command: \"exit 3\"\n      pipe_output: true\n";
    place.write("project/.iteratr.hooks.yml", file);
    place.write("config/config.toml", "[compat]\nproducts = [\"iteratr\"]\n");
    place.trust_all();
    assert_eq!(prompt(&place), "out\n\n[stderr]\nerr\n\n[Hook command failed: exit status 3]\n");
    assert!(said_in_log(&place).contains("version 2 is read as version 1"), "{}", said_in_log(&place));
}

#[test]
fn no_tool_call_pays_for_the_file() {
    let place = trusted("not: [valid");
    place.write("config/hooks/one.lua", "on(\"tool_call\", function() end)");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    fire(&place, "PreToolUse", call);
    assert!(!said_in_log(&place).contains("not valid YAML"), "it was not read");
    prompt(&place);
    assert!(said_in_log(&place).contains("not valid YAML"), "{}", said_in_log(&place));
}

#[test]
fn hooks_are_told_of_iterations() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/iterations.lua",
        r#"on("iteration_start", function(event) return { context = "begin " .. event.iteration } end)
        on("iteration_end", function(event) return { context = "end " .. event.iteration } end)
        on("iteration_error", function(event) return { context = event.iteration .. " failed: " .. event.error } end)"#,
    );
    assert_eq!(prompt(&place), "begin 1");
    stop(&place);
    assert_eq!(prompt(&place), "end 1\n\nbegin 2");
    fire(&place, "StopFailure", json!({"error": "overloaded"}));
    assert!(prompt(&place).contains("2 failed: overloaded"));
}

/// Each change of a file is time that the agent waits.
#[test]
fn a_loop_that_nobody_hears_of_is_not_kept() {
    let place = Sandbox::new();
    place.write("config/hooks/gate.lua", "on(\"tool_call\", function() end)");
    let late =
        r#"on("iteration_start", function(event) return { context = "begin " .. event.iteration } end)"#;
    let kept = || {
        let sessions = fs::read_dir(place.path("state/sessions/claude-code")).into_iter().flatten().flatten();
        sessions.filter(|session| session.path().join("loop.json").exists()).count()
    };
    fire(&place, "SessionStart", json!({"source": "startup"}));
    prompt(&place);
    stop(&place);
    assert_eq!(kept(), 0);
    place.write("config/hooks/late.lua", late);
    assert_eq!(prompt(&place), "begin 2", "the prompt before counts");
    assert_eq!(kept(), 1);
    fs::remove_file(place.path("config/hooks/late.lua")).unwrap();
    prompt(&place);
    place.write("config/hooks/late.lua", late);
    assert_eq!(prompt(&place), "begin 4", "one that is kept goes on");
}

/// No agent tells of a finished task: a hook sees it and says so on the bus.
#[test]
fn a_finished_task_tells_with_the_next_prompt() {
    let place = trusted(
        "version: 1\nhooks:\n  on_task_complete:\n    - command: \"echo checked {{task_id}}: {{task_content}}\"\n      pipe_output: true\n  post_iteration:\n    - command: \"echo post\"\n      pipe_output: true\n",
    );
    place.write(
        "config/hooks/tasks.lua",
        r#"on("tool_result", function(event, ctx)
            if event.command == "finish" then
                ctx.emit("task.completed", { id = "T-7", content = "do it; $(touch pwned)" })
            end
        end)"#,
    );
    prompt(&place);
    for command in ["other", "finish"] {
        let done = json!({
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t",
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
        });
        assert_eq!(fire(&place, "PostToolUse", done).stdout, "", "it waits");
    }
    stop(&place);
    assert_eq!(prompt(&place), "checked T-7: do it; $(touch pwned)\n\npost\n");
    assert!(!place.path("project/pwned").exists());
}

/// A prompt that a hook denied is no iteration: what waits goes on waiting.
#[test]
fn nothing_is_lost_with_a_prompt_that_is_denied() {
    let place = trusted(ALL);
    place.write(
        "config/hooks/no.lua",
        r#"on("user_prompt", function(event) if event.prompt == "bad" then return { block = true, reason = "no" } end end)"#,
    );
    fire(&place, "SessionStart", json!({"source": "startup"}));
    fire(&place, "UserPromptSubmit", json!({"prompt": "bad"}));
    assert_eq!(prompt(&place), "start s-1\n\npre 1\n");
}

/// An agent that is sent on has not ended its iteration.
#[test]
fn a_continued_turn_is_one_iteration() {
    let place = trusted(ALL);
    place.write(
        "config/hooks/more.lua",
        r#"on("agent_end", function(event, ctx)
            local n = (ctx.state.get("n") or 0) + 1
            ctx.state.set("n", n)
            if n == 1 then return { continue_with = "more" } end
        end)"#,
    );
    prompt(&place);
    assert!(stop(&place).stdout.contains("more"));
    assert!(!log(&place).contains("post_iteration"));
    stop(&place);
    assert!(log(&place).contains("post_iteration 1"));
}

/// The attacks of the templates' own test, through the whole command: in the session's name and in an error's text.
#[test]
fn what_an_agent_says_runs_nothing() {
    let place = trusted(
        "hooks:\n  pre_iteration:\n    - command: \"echo {{session}} '{{session}}' $(echo {{session}})\"\n  on_error:\n    - command: \"echo {{error}} \\\"{{error}}\\\" `echo {{error}}`\"\n",
    );
    for attack in [
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned",
        "'; touch pwned; '",
        "\"; touch pwned; \"",
        "\ntouch pwned\n",
        "| touch pwned",
        "&& touch pwned",
    ] {
        fire(&place, "UserPromptSubmit", json!({"session_id": attack, "prompt": "x"}));
        fire(&place, "StopFailure", json!({"session_id": attack, "error": attack}));
        assert!(!place.path("project/pwned").exists(), "{attack}");
    }
    assert!(said_in_log(&place).contains("pre_iteration: ran"), "{}", said_in_log(&place));
}
