//! `snaphook check`: decisions, results, exit codes, the JSON document.

use serde_json::{Value, json};

use crate::support::Sandbox;

const GATE: &str = r#"on("tool_call", { tool = "bash" }, function(event, ctx)
  local c = event.command
  if c == "deny" then return { block = true, reason = "because" } end
  if c == "ask" then return { ask = "really?" } end
  if c == "confirm" then return { block = not ctx.ui.confirm("go on?"), reason = "not confirmed" } end
  if c == "rewrite" then return { command = "rewritten", context = "told" } end
  if c == "stop" then return { block = true, reason = "enough", terminate = true } end
  if c == "broken" then error("oops") end
  if c == "ui" then return { block = true, reason = tostring(ctx.has_ui) } end
end)
on("tool_result", function(event, ctx)
  if event.content == "secret" then return { content = "***" } end
  if event.is_error then return { is_error = false, content = "mended" } end
  if event.content == "broken" then error("oops") end
end)
"#;

fn place() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/gate.lua", GATE);
    place
}

#[test]
fn decisions_and_exit_codes() {
    let place = place();
    for (command, ui, code, decision, reason) in [
        ("ls", "headless", 0, "allow", ""),
        ("deny", "headless", 2, "deny", "because"),
        ("ask", "headless", 2, "deny", "really?"),
        ("ask", "defer", 3, "ask", "really?"),
        ("ask", "scripted:yes", 0, "allow", "really?"),
        ("ask", "scripted:no", 2, "deny", "really?"),
        ("ask", "scripted:", 2, "deny", "really?"),
        ("confirm", "headless", 2, "deny", "not confirmed"),
        ("confirm", "defer", 3, "ask", "go on?"),
        ("confirm", "scripted:yes", 0, "allow", ""),
        ("confirm", "scripted:no", 2, "deny", "not confirmed"),
        ("broken", "headless", 2, "deny", "oops"),
        ("ui", "headless", 2, "deny", "false"),
        ("ui", "scripted:yes", 2, "deny", "true"),
        ("ui", "defer", 2, "deny", "true"),
    ] {
        let (exit, document) = place.gate(command, &["--ui", ui]);
        assert_eq!(
            (exit, document["decision"].as_str()),
            (code, Some(decision)),
            "{command} {ui}: {document}"
        );
        let reasons = document["reasons"].to_string();
        assert!(reasons.contains(reason), "{command} {ui}: {reasons}");
    }
}

#[test]
fn the_document_has_the_agreed_shape() {
    let place = place();
    let (_, mut document) = place.gate("rewrite", &[]);
    assert!(document["duration_us"].is_u64());
    document["duration_us"] = Value::Null;
    assert_eq!(
        document,
        json!({
            "decision": "allow",
            "reasons": [],
            "input": {"command": "rewritten"},
            "original_input": {"command": "rewrite"},
            "context": [{"hook": "gate", "text": "told"}],
            "terminate": false, "rewritten": true, "hold": null,
            "duration_us": null,
            "lifecycle": [],
        })
    );
    let (_, document) = place.gate("stop", &[]);
    assert_eq!(document["terminate"], true);
    assert_eq!(
        document["reasons"],
        json!([{
            "hook": "gate", "file": "[place]/config/hooks/gate.lua", "line": 1, "verdict": "deny",
            "reason": "enough", "synthetic": false, "cause": null,
        }])
    );
    let (_, document) = place.gate("broken", &[]);
    let reason = &document["reasons"][0];
    assert_eq!(
        (&reason["synthetic"], &reason["cause"], &reason["line"]),
        (&json!(true), &json!("error"), &json!(8))
    );
}

#[test]
fn results_are_rewritten() {
    let place = place();
    for (content, more, expected, failed) in [
        ("plain", None, "plain", false),
        ("secret", None, "***", false),
        ("boom", Some("--is-error"), "mended", false),
        ("broken", None, "broken", false),
    ] {
        let input = r#"{"command":"x"}"#;
        let mut args = vec!["check", "--tool", "bash", "--input", input, "--result", content, "--json"];
        args.extend(more);
        let document = place.run(&args).document();
        assert_eq!(document["content"], expected);
        assert_eq!(document["is_error"], failed);
        assert_eq!(document["original_content"], content);
        assert_eq!(document["reports"].as_array().map(Vec::len), Some(usize::from(content == "broken")));
    }
}

#[test]
fn standard_input_is_read_for_a_dash() {
    let place = place();
    let said =
        place.run_with_stdin(&["check", "--tool", "bash", "--input", "-", "--json"], r#"{"command":"deny"}"#);
    assert_eq!((said.code, &said.document()["decision"]), (2, &json!("deny")));
    let args = ["check", "--tool", "bash", "--input", "{}", "--result", "-", "--json"];
    assert_eq!(place.run_with_stdin(&args, "secret").document()["content"], "***");
}

#[test]
fn wrong_use_is_64_and_says_how_it_is_right() {
    let place = place();
    for (args, message) in [
        (&["chek"][..], "unrecognized subcommand"),
        (&["check"], "--tool <NAME>"),
        (&["check", "--tool", "bash", "--input", "{"], "--input is not JSON"),
        (&["check", "--tool", "bash", "--input", "[]"], "has to be a JSON object"),
        (&["check", "--tool", "Bash", "--input", "{}"], "the canonical name is bash"),
        (
            &["check", "--tool", "bash", "--input", "{}", "--ui", "nobody"],
            "headless, terminal, defer, or scripted",
        ),
        (&["check", "--tool", "bash", "--input", "{}", "--ui", "terminal"], "needs a terminal"),
        (&["check", "--tool", "bash", "--input", "{}", "--cwd", "/nowhere"], "is not a folder"),
        (&["check", "--tool", "bash", "--input", "-", "--result", "-"], "cannot both read standard input"),
        (&["run", "--replay", "/nowhere"], "/nowhere"),
        (&["--log-file", "/nowhere/x", "list"], "failed to open the log file"),
    ] {
        let said = place.run(args);
        assert_eq!((said.code, said.stdout.as_str()), (64, ""), "{args:?}: {said:?}");
        assert!(said.stderr.contains(message), "{args:?}: {said:?}");
    }
    for args in [&["--help"][..], &["check", "--help"], &["--version"]] {
        let said = place.run(args);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    }
}

/// An agent may have a tool of any name, so it is decided about; a name that is nearly a canonical one is probably a slip.
#[test]
fn a_name_like_a_canonical_one_is_noted() {
    let place = place();
    for (tool, note) in
        [("bsah", "note: --tool bsah is a tool of an agent's own; did you mean bash?\n"), ("deploy", "")]
    {
        let said = place.run(&["check", "--tool", tool, "--input", "{}"]);
        assert_eq!((said.code, said.stderr.as_str()), (0, note), "{tool}: {said:?}");
    }
}

#[test]
fn nothing_is_written_but_where_it_was_said() {
    let place = place();
    place.write("config/hooks/store.lua", "on('tool_call', function(e, ctx) ctx.store.set('n', 1) end)");
    assert_eq!(place.gate("ls", &[]).0, 0);
    let written = |name: &str| std::fs::read_dir(place.path(name)).unwrap().count();
    assert_eq!((written("home"), written("project")), (0, 0));
    assert!(written("state/store") > 0);
}

#[test]
fn a_reader_that_goes_away_changes_no_decision() {
    let place = place();
    let mut child =
        place.command(&["check", "--tool", "bash", "--input", r#"{"command":"deny"}"#]).spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// Each text that a hook logs, or fails with, is a line of the log and no more.
#[test]
fn no_hook_forges_a_line_of_the_log() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/gate.lua",
        "on('tool_call', function(event, ctx)\n\
         ctx.log('fine\\r\\nERROR forged \\u{202e}', 'warn')\n\
         ctx.ui.notify('fine\\nERROR forged', 'warn')\n\
         end)\n\
         on('tool_result', function() error('odd\\nERROR forged \\u{2028}') end)",
    );
    let log = place.path("log").display().to_string();
    for more in [&[][..], &["--result", "x"]] {
        let check = ["--log-file", &log, "check", "--tool", "bash", "--input", r#"{"command": "ls"}"#];
        let mut command = place.command(&[&check, more].concat());
        place.finish(command.env("SNAPHOOK_LOG", "debug").spawn().unwrap());
    }
    let text = std::fs::read_to_string(place.path("log")).unwrap();
    assert!(text.matches("ERROR forged").count() >= 2, "{text}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("ERROR forged"), "{text}");
    }
    assert!(!text.contains(['\r', '\u{202e}', '\u{2028}']), "{text}");
}
