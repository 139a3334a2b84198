//! Hooks in front of a server: those of a test, and the examples as they are.

use serde_json::{Value, json};

use super::client::{Client, texts};
use crate::support::Sandbox;
use crate::tree::root;

const HOOK: &str = r#"
on("tool_call", { tool = "mcp" }, function(event)
  local text = event.input.text
  if text == "no" then return { block = true, reason = "not this" } end
  if text == "rewrite" then return { input = { text = "rewritten" } } end
end)
on("tool_result", { tool = "mcp__test_server__*" }, function(event)
  if event.content == "change" or event.is_error then return { content = "changed" } end
end)
"#;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;

#[test]
fn calls_and_results_pass_hooks_and_all_else_passes() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/h.lua", HOOK);
    let mut client = Client::start(&place, &[], &[("TEST_EXIT", "5")]);
    client.say(INITIALIZE);
    assert_eq!(client.answer(&"init".into())["result"]["serverInfo"]["name"], "test server");

    let denied = client.call(1, "say", &json!({"text": "no"}));
    assert_eq!(
        texts(&denied),
        ["not this [h at [place]/config/hooks/h.lua:2]"]
            .map(|text| { text.replace("[place]", place.path("").to_str().unwrap().trim_end_matches('/')) })
    );
    assert_eq!(denied["result"]["isError"], true);
    assert_eq!(texts(&client.call(2, "say", &json!({"text": "rewrite"}))), ["rewritten"]);
    assert_eq!(texts(&client.call(3, "say", &json!({"text": "change"}))), ["changed"]);
    assert_eq!(texts(&client.call(4, "say", &json!({"text": "stay"}))), ["stay"]);
    let failed = client.call(5, "fail", &json!({"text": "with a secret"}));
    assert_eq!((texts(&failed), &failed["result"]["isError"]), (vec!["changed"], &json!(true)));
    let error = client.call(6, "no such tool", &json!({}));
    assert_eq!(error["error"]["message"], "changed");
    let both = client.call(7, "structured", &json!({"text": "change"}));
    assert_eq!(
        (texts(&both), &both["result"]["structuredContent"]),
        (vec!["changed"], &json!({"content": "changed"}))
    );

    // To the byte, in both directions.
    let line = r#"{ "jsonrpc":"2.0", "id":1E1, "method":"any/thing", "params":{"a":1.0,"é":"\u00e9"} }"#;
    client.say(line);
    let came = client.answer(&json!(10.0));
    assert_eq!(came["result"]["came"], line);

    let said = client.end();
    assert_eq!(said.code, 5, "{said:?}");
    assert_eq!(said.stderr, "the server ends\n");
}

/// A hook computes in one call at a time; other hooks, and calls that are not for it, do not wait for it.
#[test]
fn a_gate_that_computes_delays_no_other() {
    let slow = r#"
on("tool_call", { tool = "mcp__s__say" }, function()
  local sum = 0
  for i = 1, 20000000 do sum += i end
end)
"#;
    let place = Sandbox::with_hook();
    place.write("config/hooks/h.lua", HOOK);
    place.write("config/hooks/slow.lua", slow);
    let mut client = Client::start(&place, &["--name", "s"], &[]);
    // So that Python is there.
    client.call(0, "echo", &json!({}));
    client.ask(1, "say", &json!({"text": "slow"}));
    client.ask(2, "echo", &json!({}));
    assert_eq!(client.hear(|heard| heard.get("id").is_some())["id"], 2);
    assert_eq!(client.answer(&json!(1))["id"], 1);
    assert_eq!(client.end().code, 0);
}

#[test]
fn the_examples_guard_a_server_as_they_are() {
    for language in ["lua", "rhai"] {
        let place = Sandbox::with_hook();
        let hook = |name: &str| {
            let path = root().join("hooks-examples").join(language).join(name);
            path.to_str().unwrap().to_owned()
        };
        let (paths, secrets) = (hook("protected-paths"), hook(&format!("redact-secrets.{language}")));
        let mut client = Client::start(&place, &["--name", "fs", "--hook", &paths, "--hook", &secrets], &[]);
        let home = place.path("project/.env");
        for (id, input) in [
            json!({"path": ".env"}),
            json!({"path": home}),
            json!({"paths": ["src/main.rs", ".env"]}),
            json!({"source": "a", "destination": ".git/config"}),
        ]
        .iter()
        .enumerate()
        {
            let answer = client.call(i64::try_from(id).unwrap(), "write_file", input);
            assert_eq!(answer["result"]["isError"], true, "{language} {input} {answer}");
            assert!(texts(&answer)[0].contains("[protected-paths at"), "{language} {input} {answer}");
        }
        assert!(client.call(10, "no_such_tool", &json!({"path": "src/main.rs"}))["error"].is_object());

        let secret = "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for (id, tool) in [(20, "say"), (21, "structured"), (22, "fail"), (23, "echo")] {
            let answer = client.call(id, tool, &json!({"text": secret}));
            let written = answer.to_string();
            assert!(written.contains("[redacted: "), "{language} {tool} {written}");
            assert!(!written.contains("ghp_"), "{language} {tool} {written}");
        }
        let plain = client.call(30, "say", &json!({"text": "nothing secret"}));
        assert_eq!(plain["result"], json!({"content": [{"type": "text", "text": "nothing secret"}]}));
        assert_eq!(client.end().code, 0);
    }
}

/// The server's tools are behind a gate that is gone: the same reason as agents get.
#[test]
fn without_a_hook_no_call_passes() {
    for (leads_nowhere, file, why) in [
        (false, "config/notes", "config/hooks: is empty"),
        (false, "config/hooks/.h.lua", ".h.lua is hidden by its leading dot"),
        (true, "config/hooks/h.lua", "SNAPHOOK_CONFIG_DIR names no folder"),
    ] {
        let place = Sandbox::new();
        place.write(file, HOOK);
        let typo = place.path("typo").display().to_string();
        let variables: &[_] = if leads_nowhere { &[("SNAPHOOK_CONFIG_DIR", typo.as_str())] } else { &[] };
        let mut client = Client::start(&place, &["--name", "s"], variables);
        let denied = client.call(1, "say", &json!({"text": "stay"}));
        assert_eq!(denied["result"]["isError"], true, "{denied}");
        assert!(texts(&denied)[0].contains(why), "{denied}");
        client.end();
    }
}

#[test]
fn a_call_of_which_no_line_can_be_written_is_denied() {
    let place = Sandbox::with_hook();
    place.write("other/audit", "");
    let state = place.path("other");
    let variables = [("SNAPHOOK_STATE_DIR", state.to_str().unwrap())];
    let mut client = Client::start(&place, &["--name", "s"], &variables);
    let denied = client.call(1, "say", &json!({"text": "stay"}));
    assert_eq!(denied["result"]["isError"], true, "{denied}");
    assert!(texts(&denied)[0].contains("nothing passes of which no line can be written"), "{denied}");
    let said = client.end();
    // No script failed, so there is no place in one.
    assert!(said.stderr.contains(r#"cause="audit""#) && !said.stderr.contains("traceback"), "{said:?}");
}

#[test]
fn the_audit_has_what_was_asked_and_what_came_of_it() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/h.lua", HOOK);
    let mut client = Client::start(&place, &["--name", "s"], &[]);
    client.call(1, "say", &json!({"text": "no"}));
    client.call(2, "say", &json!({"text": "stay"}));
    client.call(3, "fail", &json!({"text": "stay"}));
    assert_eq!(client.end().code, 0);
    let shown = place.run(&["audit", "show", "--json"]);
    let lines: Vec<Value> = shown.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: &str| -> Vec<String> {
        let mine = lines.iter().filter(|line| line["gen_ai.tool.call.id"] == id);
        mine.map(|line| {
            let result = &line["result"];
            format!(
                "{} {} {} {} {} {}",
                line["event"].as_str().unwrap(),
                line["gen_ai.tool.name"].as_str().unwrap(),
                line["gen_ai.tool.call.arguments"],
                line["decision"].as_str().unwrap_or_default(),
                result["bytes_before"],
                result["is_error_after"],
            )
        })
        .collect()
    };
    assert_eq!(of("1"), [r#"tool_call mcp__s__say {"text":"no"} deny null null"#]);
    assert_eq!(
        of("2"),
        [
            r#"tool_call mcp__s__say {"text":"stay"} allow null null"#,
            "tool_result mcp__s__say null  47 false"
        ]
    );
    assert_eq!(
        of("3"),
        [
            r#"tool_call mcp__s__fail {"text":"stay"} allow null null"#,
            "tool_result mcp__s__fail null  64 true"
        ]
    );
    let text = place.run(&["audit", "show"]);
    assert!(text.stdout.contains("result of 47 bytes"), "{text:?}");
    let stats = place.run(&["audit", "stats", "--json"]).document();
    assert_eq!((&stats["decisions"], &stats["rewritten_results"]), (&json!(3), &json!(0)));
}
