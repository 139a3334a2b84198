//! Changes to lists as people and clients write them, which can be undone byte for byte with nothing but the file.

use serde_json::{Value, json};

use super::*;

const PROGRAM: &str = "/opt/it's/snaphook";

fn wrap(text: &str) -> (String, Vec<ServerReport>) {
    changed(text, Direction::Wrap(PROGRAM), &[]).unwrap_or_else(|odd| panic!("{text}: {odd:?}"))
}

fn unwrap(text: &str) -> (String, Vec<ServerReport>) {
    changed(text, Direction::Unwrap, &[]).unwrap_or_else(|odd| panic!("{text}: {odd:?}"))
}

/// The document without comments.
fn value(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse(text).unwrap().into()
}

/// Lists in all kinds of writing, each with a server that can be wrapped.
const SAMPLES: &[&str] = &[
    r#"{"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}}"#,
    r#"{"mcpServers":{"a":{"command":"npx"}}}"#,
    r#"{"mcpServers":{"a":{"args":[],"command":"npx"}}}"#,
    r#"{ "mcpServers": { "a": { "command": "npx", "args": [ ] } } }"#,
    r#"{ "mcpServers": { "a": { "command": "npx" , "env": {"A": "1"} } } }"#,
    r#"{ "mcpServers": { "a": { "args": ["x"], "command": "npx" }, "b": {"command": "b"} } }"#,
    "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"x\"\n      ],\n      \"env\": {\n        \"KEY\": \"1\"\n      },\n      \"cwd\": \"/x\"\n    }\n  }\n}\n",
    "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"npx\"\r\n\t\t}\r\n\t}\r\n}\r\n",
    "{\n  // the servers\n  \"servers\": {\n    \"a\": { // first\n      \"type\": \"stdio\",\n      \"command\": \"npx\", // old\n      \"args\": [ // none\n        /* x */ \"-y\", // yes\n      ],\n    },\n  },\n  \"inputs\": [{\"id\": \"t\"}],\n}",
    "{\"servers\": {\"a\": {\"command\": \"npx\", \"args\": [ // none yet\n ]}}}",
    r#"{"mcp": {"servers": {"a": {"command": "npx"}}}, "servers": {}}"#,
    r#"{"projects": {"/x": {"mcpServers": {"a": {"type":"stdio","command":"npx","args":[],"env":{}}}}}, "mcpServers": {}}"#,
    "\u{feff}{\"mcpServers\": {\"é \\\"q\\\" \\u0041\": {\"command\": \"C:\\\\x\\u0020y\", \"args\": [\"--\", \"--url\", \"mcp\"]}}}",
    r#"{"mcpServers": {"a": {"command": "${HOME}/bin/x", "args": ["${input:a}"], "disabled": true, "alwaysAllow": ["x"]}}}"#,
    r#"{"mcpServers": {"a": {"type": "http", "url": "https://x.example/mcp"}}}"#,
    r#"{"mcpServers":{"a":{"url":"https://x.example/mcp"}}}"#,
    "{\n  \"servers\": {\n    \"a\": {\n      \"type\": \"http\",\n      \"url\": \"https://x.example/mcp\", // there\n      \"headers\": {\n        \"Authorization\": \"Bearer ${input:t}\", \"X-Key\": \"\\u0031\"\n      }\n    }\n  }\n}\n",
    r#"{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"A": "1"}, "enabled": true}}}"#,
    "{\n  \"mcp\": {\n    // mine\n    \"a\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"npx\" // old\n      ]\n    }\n  }\n}\n",
    r#"{"mcp":{"a":{"type":"remote","url":"https://x.example/mcp","headers":{"X-Key":"{env:K}"},"oauth":false}}}"#,
    r#"{"mcp": {"servers": {"type": "remote", "url": "https://x.example/mcp"}}}"#,
    r#"{"mcp": {"a": {"type": "stdio", "command": "npx", "args": ["x"]}}}"#,
    r#"{"mcpServers": {"a": {"headers": {}, "url": "${API}/mcp", "type": "streamable-http", "timeout": 5}}}"#,
];

#[test]
fn what_is_wrapped_can_be_taken_back_with_nothing_but_the_file() {
    for text in SAMPLES {
        let (wrapped, told) = wrap(text);
        assert!(
            !told.is_empty() && told.iter().all(|told| told.outcome == ServerOutcome::Wrapped),
            "{text}: {told:?}"
        );
        let (again, told) = wrap(&wrapped);
        assert!(
            again == wrapped && told.iter().all(|told| told.outcome == ServerOutcome::Already),
            "{text}: {told:?}"
        );
        let (back, told) = unwrap(&wrapped);
        assert_eq!(back, *text, "{wrapped}");
        assert!(told.iter().all(|told| told.outcome == ServerOutcome::Unwrapped), "{text}: {told:?}");
        let (same, told) = unwrap(text);
        assert!(
            same == *text && told.iter().all(|told| told.outcome == ServerOutcome::Never),
            "{text}: {told:?}"
        );
        // Written anew by a client that drops comments, it still can.
        let plain = serde_json::to_string_pretty(&value(&wrapped)).unwrap();
        assert_eq!(value(&unwrap(&plain).0), value(text), "{plain}");
    }
}

#[test]
fn what_is_run_is_the_same_behind_the_gate() {
    for (text, want) in [
        (
            r#"{"command":"npx","args":["-y","x"],"env":{"A":"1"},"cwd":"/x"}"#,
            json!({
                "command": PROGRAM, "args": ["mcp", "--name", "a b", "--", "npx", "-y", "x"], "env": {"A": "1"}, "cwd": "/x",
            }),
        ),
        (
            r#"{"type":"stdio","command":"npx"}"#,
            json!({
                "type": "stdio", "command": PROGRAM, "args": ["mcp", "--name", "a b", "--was", "no-args", "--", "npx"],
            }),
        ),
        (
            r#"{"type":"http","url":"https://x/","headers":{"Authorization":"Bearer s3","x-b.c":"d"}}"#,
            json!({
                "type": "stdio", "command": PROGRAM,
                "args": ["mcp", "--name", "a b", "--header", "Authorization: env:SNAPHOOK_HEADER_AUTHORIZATION", "--header",
                    "x-b.c: env:SNAPHOOK_HEADER_X_B_C", "--url", "https://x/"],
                "env": {"SNAPHOOK_HEADER_AUTHORIZATION": "Bearer s3", "SNAPHOOK_HEADER_X_B_C": "d"},
            }),
        ),
        (
            r#"{"url":"https://x/"}"#,
            json!({
                "command": PROGRAM, "args": ["mcp", "--name", "a b", "--was", "no-type", "--url", "https://x/"],
            }),
        ),
        (
            r#"{"url":"http://x/","type":"streamableHttp"}"#,
            json!({
                "type": "stdio", "command": PROGRAM,
                "args": ["mcp", "--name", "a b", "--was", "streamableHttp", "--url", "http://x/"],
            }),
        ),
        (
            r#"{"type":"local","command":["npx","-y"],"environment":{"A":"1"}}"#,
            json!({
                "type": "local", "command": [PROGRAM, "mcp", "--name", "a b", "--", "npx", "-y"], "environment": {"A": "1"},
            }),
        ),
        (
            r#"{"type":"remote","url":"https://x/","headers":{"x-b":"d"}}"#,
            json!({
                "type": "local",
                "command": [PROGRAM, "mcp", "--name", "a b", "--header", "x-b: env:SNAPHOOK_HEADER_X_B", "--url", "https://x/"],
                "environment": {"SNAPHOOK_HEADER_X_B": "d"},
            }),
        ),
    ] {
        let list =
            if text.contains("\"local\"") || text.contains("\"remote\"") { "mcp" } else { "mcpServers" };
        let (wrapped, _) = wrap(&format!(r#"{{"{list}":{{"a b":{text}}}}}"#));
        assert_eq!(value(&wrapped)[list]["a b"], want, "{text}");
    }
}

/// Lines of their own where the others are, the same indentation and line ends.
#[test]
fn it_looks_as_if_a_person_had_written_it() {
    let wrapped: Vec<String> = [6, 7, 8].into_iter().map(|at| wrap(SAMPLES[at]).0).collect();
    assert_eq!(
        wrapped[0],
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"/opt/it's/snaphook\",\n      \"args\": [\n        \"mcp\",\n        \"--name\",\n        \"a\",\n        \"--\",\n        \"npx\",\n        \"-y\",\n        \"x\"\n      ],\n      \"env\": {\n        \"KEY\": \"1\"\n      },\n      \"cwd\": \"/x\"\n    }\n  }\n}\n"
    );
    assert_eq!(
        wrapped[1],
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"/opt/it's/snaphook\",\r\n\t\t\t\"args\": [\"mcp\", \"--name\", \"a\", \"--was\", \"no-args\", \"--\", \"npx\"]\r\n\t\t}\r\n\t}\r\n}\r\n"
    );
    for comment in ["// the servers", "// first", "// old", "// none", "/* x */", "// yes"] {
        assert!(wrapped[2].contains(comment), "{comment}: {}", wrapped[2]);
    }
}

#[test]
fn what_cannot_be_wrapped_is_told_and_left_beside_what_can() {
    for (server, why) in [
        ("7", "it is not an object"),
        ("{}", "neither a `command` nor a `url`"),
        (r#"{"command": "a", "url": "https://x"}"#, "both `command` and `url`"),
        (r#"{"command": ["a"]}"#, "its `command` is not text"),
        (r#"{"command": ""}"#, "its `command` is empty"),
        (r#"{"command": "a", "command": "b"}"#, "`command` appears twice"),
        (r#"{"command": "a", "args": "b"}"#, "its `args` is not a list"),
        (r#"{"command": "a", "args": ["b", 1]}"#, "something other than text"),
        (r#"{"command": "a", "args": [], "args": []}"#, "`args` appears twice"),
        (r#"{"url": 1}"#, "its `url` is not text"),
        (r#"{"url": "ws://x"}"#, "not a web address"),
        (r#"{"url": "https://me:s3cret@x/"}"#, "has a name or password in it"),
        (r#"{"type": "sse", "url": "https://x"}"#, "it uses SSE"),
        (r#"{"type": "ws", "url": "https://x"}"#, "its `type` is \"ws\""),
        (r#"{"url": "https://x", "oauth": {}}"#, "signs in by `oauth`"),
        (r#"{"url": "https://x", "env": {}}"#, "both `url` and `env`"),
        (r#"{"url": "https://x", "headers": []}"#, "its `headers` is not an object"),
        (r#"{"url": "https://x", "headers": {"A": 1}}"#, "its header field `A`"),
        (r#"{"url": "https://x", "headers": {"A-b": "", "a_B": ""}}"#, "appears twice"),
        (r#"{"url": "https://x", "headers": {"a: b": ""}}"#, "its header field `a: b`"),
        (r#"{"httpUrl": "https://x"}"#, "neither a `command` nor a `url`"),
    ] {
        let text = format!(r#"{{"mcpServers": {{"odd": {server}, "a": {{"command": "npx"}}}}}}"#);
        let (wrapped, told) = wrap(&text);
        let ServerOutcome::Left(said) = &told[0].outcome else { panic!("{server}: {told:?}") };
        assert!(said.to_string().contains(why), "{server}: {said}");
        assert_eq!(told[1].outcome, ServerOutcome::Wrapped, "{server}");
        assert!(wrapped.contains(&format!(r#""odd": {server}"#)), "{wrapped}");
        assert_eq!(unwrap(&wrapped).0, text);
    }
    for name in ["", "-x", "--url"] {
        let (_, told) = wrap(&format!(r#"{{"mcpServers": {{"{name}": {{"command": "npx"}}}}}}"#));
        assert!(
            matches!(&told[0].outcome, ServerOutcome::Left(why) if why.to_string().contains("name")),
            "{told:?}"
        );
    }
}

#[test]
fn a_file_that_is_odd_is_refused_with_its_line() {
    for (text, line, why) in [
        ("", None, "it is empty"),
        ("// nothing\n", None, "it is empty"),
        ("{\n\"mcpServers\": {", Some(2), "it is not valid JSON"),
        ("{\n\n'mcpServers': {}}", Some(3), "it is not valid JSON"),
        ("[]", Some(1), "expected a JSON object"),
        ("{}", None, "found no list of MCP servers"),
        ("{\n\"mcpServers\": []}", Some(2), "expected `mcpServers` to be an object"),
        ("{\"mcpServers\": {},\n\"mcpServers\": {}}", Some(2), "`mcpServers` appears twice"),
        ("{\"mcpServers\": {\"a\": {},\n\"\\u0061\": {}}}", Some(2), "`a` appears twice"),
    ] {
        for way in [Direction::Wrap(PROGRAM), Direction::Unwrap] {
            let odd = changed(text, way, &[]).unwrap_err();
            assert!(odd.source.to_string().contains(why), "{text}: {odd:?}");
            assert_eq!(odd.line, line, "{text}");
        }
    }
    let deep = format!("{{\"mcpServers\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(changed(&deep, Direction::Unwrap, &[]).is_err());
}

#[test]
fn only_the_servers_that_are_named_are_changed() {
    let text = r#"{"mcpServers": {"one": {"command": "1"}, "memory": {"command": "2"}}}"#;
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (wrapped, told) = changed(text, Direction::Wrap(PROGRAM), &named(&["memory"])).unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(value(&wrapped)["mcpServers"]["one"], json!({"command": "1"}));
    assert_eq!(value(&wrapped)["mcpServers"]["memory"]["command"], PROGRAM);
    let odd = changed(text, Direction::Wrap(PROGRAM), &named(&["memroy"])).unwrap_err();
    assert_eq!(odd.to_string(), "there is no server \"memroy\" in it; did you mean memory?");
}

/// Edited by hand since: what was added stays.
#[test]
fn what_others_changed_since_stays() {
    for (what, hand, want) in [
        (
            "an argument",
            json!({"command": PROGRAM, "args": ["mcp", "--name", "a", "--", "npx", "-y", "z"]}),
            json!({"command": "npx", "args": ["-y", "z"]}),
        ),
        (
            "arguments where there were none",
            json!({"command": PROGRAM, "args": ["mcp", "--name", "a", "--was", "no-args", "--", "npx", "z"]}),
            json!({"command": "npx", "args": ["z"]}),
        ),
        (
            "options of the gate, and a variable",
            json!({"command": PROGRAM, "args": ["mcp", "--default", "deny", "--name", "a", "--", "npx"], "env": {"A": "1"}}),
            json!({"command": "npx", "args": [], "env": {"A": "1"}}),
        ),
        (
            "by hand, by name",
            json!({"command": "snaphook", "args": ["mcp", "--", "npx", "--", "x"]}),
            json!({"command": "npx", "args": ["--", "x"]}),
        ),
        (
            "a header field less, and the type",
            json!({"command": PROGRAM, "args": ["mcp", "--name", "a", "--header", "A: env:SNAPHOOK_HEADER_A", "--url", "https://x"], "env": {}}),
            json!({"url": "https://x", "headers": {}}),
        ),
    ] {
        let text = json!({"mcpServers": {"a": hand}, "more": 1}).to_string();
        let (back, told) = unwrap(&text);
        assert_eq!(value(&back), json!({"mcpServers": {"a": want}, "more": 1}), "{what}: {told:?}");
    }
    for (hand, why) in [
        (json!({"command": PROGRAM, "args": ["mcp", "--name", "a"]}), "name no server"),
        (json!({"command": PROGRAM, "args": ["mcp", "--name", "a", "--"]}), "name no server"),
        (json!({"command": PROGRAM, "args": ["mcp", "--url"]}), "name no server"),
        (
            json!({"command": PROGRAM, "args": ["mcp", "--url", "https://x"], "env": {"MINE": "1"}}),
            "its `env` has `MINE`",
        ),
    ] {
        let text = json!({"mcpServers": {"a": hand}}).to_string();
        let (same, told) = unwrap(&text);
        assert_eq!(same, text);
        assert!(
            matches!(&told[0].outcome, ServerOutcome::Left(said) if said.to_string().contains(why)),
            "{told:?}"
        );
    }
    let commas =
        "{\"mcpServers\": {\"a\": {\"command\": \"snaphook\", \"args\": [\"mcp\", \"--\", \"npx\" , ],},},}";
    assert_eq!(value(&unwrap(commas).0), json!({"mcpServers": {"a": {"command": "npx", "args": []}}}));
}

/// A server that only looks like the gate is a server like any other.
#[test]
fn what_is_no_gate_is_wrapped() {
    for server in [
        json!({"command": "snaphook", "args": ["serve"]}),
        json!({"command": "snaphook"}),
        json!({"command": "snaphook-helper", "args": ["mcp", "--", "x"]}),
        json!({"command": "npx", "args": ["mcp", "--", "snaphook"]}),
    ] {
        let text = json!({"mcpServers": {"a": server}}).to_string();
        let (wrapped, told) = wrap(&text);
        assert_eq!(told[0].outcome, ServerOutcome::Wrapped, "{text}");
        assert_eq!(unwrap(&wrapped).0, text);
    }
}

#[cfg(unix)]
#[test]
fn a_gate_that_moved_is_named_anew() {
    let text = r#"{"mcpServers": {"a": {"command": "/nowhere/snaphook", "args": ["mcp", "--name", "a", "--", "npx"]}}}"#;
    let (moved, told) = wrap(text);
    assert_eq!(told[0].outcome, ServerOutcome::Moved);
    assert_eq!(moved, text.replace("/nowhere/snaphook", PROGRAM));
}

/// A server behind the gate has to be recognised later, so a program of another name is refused before anything is written.
#[test]
fn the_gate_is_known_by_its_name() {
    for (program, want) in [
        ("/usr/bin/snaphook", true),
        ("snaphook", true),
        (r"C:\tools\Snaphook.EXE", true),
        ("/usr/bin/snaphook-1.2", false),
        ("/opt/snaphook/rel", false),
        ("", false),
    ] {
        assert_eq!(server::is_gate(program), want, "{program}");
    }
    let list = r#"{"mcpServers":{"a":{"command":"npx"}}}"#;
    assert!(changed(list, Direction::Wrap("/opt/rel"), &[]).is_err());
}
