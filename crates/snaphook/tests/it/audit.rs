//! The audit's line of each event, and the denial of one that cannot be audited.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use snaphook::*;
use snaphook_audit::FileAudit;

use crate::support::*;

/// Keeps lines, or refuses them.
#[derive(Default)]
struct Lines {
    taken: Mutex<Vec<Value>>,
    full: bool,
}

impl Audit for Lines {
    fn append(&self, line: &AuditLine) -> Result<(), AuditError> {
        if self.full {
            return Err(AuditError("somewhere: No space left on device".into()));
        }
        self.taken.lock().unwrap().push(serde_json::to_value(line).unwrap());
        Ok(())
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> f64 {
        1_763_726_400.5
    }
}

fn audited(handlers: Handlers, options: AuditOptions) -> (Host, Arc<Lines>) {
    let lines = Arc::new(Lines::default());
    let session =
        Session { id: "s1".into(), agent: "tester".into(), cwd: "/work".into(), ..Session::default() };
    let builder = builder(handlers).session(session).clock(Arc::new(Noon));
    (builder.audit(lines.clone(), options).build(), lines)
}

fn refused(handlers: Handlers) -> Host {
    builder(handlers)
        .audit(Arc::new(Lines { full: true, ..Lines::default() }), AuditOptions::default())
        .build()
}

/// The last line without what differs from run to run.
fn last(lines: &Lines) -> Value {
    let mut line = lines.taken.lock().unwrap().last().cloned().unwrap();
    line["duration_us"] = json!(0);
    for hook in line["hooks"].as_array_mut().unwrap() {
        hook["duration_us"] = json!(0);
    }
    line
}

#[tokio::test]
async fn a_line_has_all_that_was_decided() {
    let (host, lines) = audited(
        vec![
            says("one", "tool_call", json!({"command": "ls -a"})),
            says("two", "tool_call", json!({"block": true, "reason": "never with token=abc123def456"})),
            on("three", "tool_call", |_, _| async { Err(HandlerError::new(Cause::Error, "oops")) }),
        ],
        AuditOptions::default(),
    );
    let call = ToolCall { subagent: Some("sub".into()), ..bash("ls").native("Bash") };
    assert!(host.gate(call, &CallOptions::default()).await.is_break());
    assert_eq!(
        last(&lines),
        json!({
            "v": 1,
            "time": "2025-11-21T12:00:00.500000Z",
            "gen_ai.conversation.id": "s1",
            "gen_ai.agent.name": "tester",
            "cwd": "/work",
            "event": "tool_call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "bash",
            "native_tool": "Bash",
            "gen_ai.tool.call.id": "1",
            "subagent": "sub",
            "decision": "deny",
            "rewritten": true,
            "gen_ai.tool.call.arguments": {"command": "ls -a"},
            "original_input": {"command": "ls"},
            "reasons": [
                {"hook": "two", "file": "two.lua", "line": 1, "verdict": "deny", "text": "never with token=[redacted: value]"},
                {"hook": "three", "file": "three.lua", "line": 1, "verdict": "deny", "cause": "error",
                 "text": "the hook \"three\" failed: oops"},
            ],
            "hooks": [
                {"id": "one", "scope": "user", "calls": 1, "duration_us": 0},
                {"id": "two", "scope": "user", "calls": 1, "duration_us": 0},
                {"id": "three", "scope": "user", "calls": 1, "duration_us": 0},
            ],
            "masked": 1,
            "duration_us": 0,
        })
    );
}

#[tokio::test]
async fn gates_of_every_kind_are_written() {
    let prompt = || lifecycle(Lifecycle::UserPrompt, json!({"prompt": "my password is hunter2"}));
    let hashed = json!({
        "hash": "sha256:eb03d4eeb37e4df59e4ee0a65a12cbfb9e7b4fa31fd41f7ae8cdb9ed9e4ac4cb", "bytes": 22,
    });
    let whole = AuditOptions { prompts: true, ..AuditOptions::default() };
    let hash = AuditOptions { inputs: AuditInputs::Hash, ..AuditOptions::default() };
    let plain = AuditOptions::default();
    let compact = || lifecycle(Lifecycle::SessionBeforeCompact, json!({"trigger": "auto"}));
    let big = Event::tool_call(ToolCall::new("1", "write", json!({"content": "x".repeat(100_000)})));
    for (event, options, field, expected) in [
        (Event::tool_call(bash("ls")), plain, "gen_ai.tool.call.arguments", json!({"command": "ls"})),
        (
            Event::permission_request(bash("ls")),
            plain,
            "gen_ai.tool.call.arguments",
            json!({"command": "ls"}),
        ),
        (Event::tool_call(bash("ls")), hash, "gen_ai.tool.call.arguments", Value::Null),
        (prompt(), plain, "fields", Value::Null),
        (prompt(), plain, "fields_hash", Value::Null),
        (prompt(), whole, "fields", json!({"prompt": "my password is hunter2"})),
        (compact(), plain, "fields", json!({"trigger": "auto"})),
        (compact(), hash, "fields", Value::Null),
        (big, plain, "gen_ai.tool.call.arguments", Value::Null),
    ] {
        let (host, lines) = audited(Vec::new(), options);
        let name = event.name().to_string();
        let decided = host.decide(event, &CallOptions::default()).await;
        assert!(decided.decision.is_allowed());
        let line = last(&lines);
        assert_eq!((&line["event"], &line["decision"]), (&json!(name), &json!("allow")));
        if field != "fields_hash" {
            assert_eq!(line[field], expected, "{name} {options:?}: {line}");
        }
        let hashes = ["input_hash", "fields_hash"].iter().filter(|name| line[**name].is_object()).count();
        assert_eq!(hashes == 1, line[field].is_null() || field == "fields_hash", "{line}");
        if options == plain && name == "user_prompt" {
            assert_eq!(line["fields_hash"]["bytes"], hashed["bytes"]);
            assert!(!line.to_string().contains("hunter2"), "{line}");
        }
    }
}

#[tokio::test]
async fn a_persons_answer_and_a_call_for_another_tool_are_written() {
    let (host, lines) =
        audited(vec![says("asker", "tool_call", json!({"ask": "really?"}))], AuditOptions::default());
    assert!(host.gate(bash("ls"), &CallOptions::default()).await.is_break());
    let line = last(&lines);
    let causes: Vec<_> =
        line["reasons"].as_array().unwrap().iter().map(|reason| reason["cause"].clone()).collect();
    assert_eq!((&line["decision"], causes), (&json!("deny"), vec![Value::Null, json!("headless")]));
    let options = CallOptions { ask: AskMode::Defer, ..CallOptions::default() };
    assert!(host.gate(bash("ls"), &options).await.is_break());
    assert_eq!(last(&lines)["decision"], "ask");

    struct Other;
    impl Tool for Other {
        fn name(&self) -> &str {
            "read"
        }
        fn run<'a>(&'a self, _: &'a ToolCall, _: PartialOutput) -> BoxFuture<'a, ToolOutput> {
            Box::pin(async { ToolOutput::text("ran") })
        }
    }
    host.call_tool(&Other, bash("ls"), None, &CallOptions::supervised()).await;
    assert_eq!(last(&lines)["reasons"][0]["cause"], "malformed");
    assert_eq!(lines.taken.lock().unwrap().len(), 3);
}

fn result(content: &str) -> Event {
    let call = bash("cat .env");
    Event::tool_result(ToolResult {
        original_input: Arc::clone(&call.input),
        call,
        content: content.into(),
        details: Arc::new(Value::Null),
        is_error: false,
    })
}

#[tokio::test]
async fn a_rewritten_result_is_written_without_its_text() {
    let rewriter = || {
        vec![
            says("silent", "tool_result", json!({})),
            says("cutter", "tool_result", json!({"content": "cut"})),
            says("marker", "tool_result", json!({"is_error": true, "details": {"a": 1}})),
        ]
    };
    let (host, lines) = audited(rewriter(), AuditOptions::default());
    assert!(host.emit(result("the secret text"), &CallOptions::default()).await.rewritten);
    let line = last(&lines);
    assert_eq!(
        line["result"],
        json!({
            "rewritten_by": ["cutter", "marker"], "bytes_before": 15, "bytes_after": 3, "details_changed": true,
            "is_error_before": false, "is_error_after": true,
        })
    );
    assert!(!line.to_string().contains("secret text") && !line.to_string().contains(".env"), "{line}");
    assert_eq!(line["hooks"].as_array().unwrap().len(), 3);
    // Nothing is denied any more: the tool has run.
    let host = refused(rewriter());
    let Payload::Result(result) =
        host.emit(result("text"), &CallOptions::default()).await.event.payload().clone()
    else {
        panic!()
    };
    assert_eq!(&*result.content, "cut");

    let (host, lines) = audited(vec![says("silent", "tool_result", json!({}))], AuditOptions::default());
    host.emit(crate::audit::result("text"), &CallOptions::default()).await;
    host.emit(lifecycle(Lifecycle::Startup, json!({})), &CallOptions::default()).await;
    assert!(lines.taken.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_written_is_denied() {
    const WHY: &str = "deny[audit]: the audit could not be written: somewhere: No space left on device; nothing passes of which no line can be written";
    assert_eq!(gated(&refused(Vec::new()), "ls").await, WHY);
    assert_eq!(gated(&refused(vec![says("yes", "tool_call", json!({"allow": true}))]), "ls").await, WHY);
    let options = CallOptions { ask: AskMode::Defer, ..CallOptions::default() };
    let asks = refused(vec![says("asker", "tool_call", json!({"ask": "really?"}))]);
    assert_eq!(show(asks.gate(bash("ls"), &options).await), WHY);
    // A policy's no stays what it was; the failure is a report.
    let denies = refused(vec![says("no", "tool_call", json!({"block": true, "reason": "no"}))]);
    let decided = denies.decide(Event::tool_call(bash("ls")), &CallOptions::default()).await;
    assert_eq!(decided.decision.message(), "no [no at no.lua:1]");
    assert_eq!(decided.reports.len(), 1);
    assert_eq!(decided.reports[0].cause, Some(Cause::Audit));
}

#[tokio::test]
async fn no_place_to_write_is_a_denial_with_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let linked = dir.path().join("linked");
    std::fs::create_dir(&linked).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/null", linked.join("s1.jsonl")).unwrap();
    let taken = dir.path().join("taken");
    std::fs::create_dir_all(taken.join("s1.jsonl")).unwrap();
    let cases: &[&Path] = if cfg!(unix) { &[&file, &linked, &taken] } else { &[&file, &taken] };
    for place in cases {
        let session = Session { id: "s1".into(), ..Session::default() };
        let host = builder([])
            .session(session)
            .audit(Arc::new(FileAudit::new(place)), AuditOptions::default())
            .build();
        let said = gated(&host, "ls").await;
        assert!(said.starts_with("deny[audit]: the audit could not be written: "), "{said}");
        assert!(said.contains(&place.join("s1.jsonl").display().to_string()), "{said}");
    }
}

/// A handler that uses grants, as the services of scripts note it.
fn uses(
    id: &str,
    event: &str,
    used: &'static [(&'static str, &'static str, bool)],
    says: Value,
) -> Arc<dyn Handler> {
    let by = hook(id);
    on(id, event, move |event, context| {
        for (kind, entry, denied) in used {
            context.uses.note(&by, kind, entry, *denied);
        }
        let answer = Answer::parse(event.name(), says.clone());
        async move { Ok(answer?) }
    })
}

#[tokio::test]
async fn the_grants_that_were_used_are_written_with_their_hook() {
    let git = &[("exec", "git", false), ("exec", "git", false), ("env", "CI", true)];
    let (host, lines) = audited(
        vec![
            uses("one", "tool_call", git, json!({})),
            uses("two", "tool_call", &[("read", "**/token=abc123def456", false)], json!({})),
            says("three", "tool_call", json!({})),
        ],
        AuditOptions::default(),
    );
    let grants = |line: Value| {
        line["hooks"].as_array().unwrap().iter().map(|hook| hook["grants"].clone()).collect::<Vec<_>>()
    };
    let expected = [
        json!([{"grant": "exec:git", "count": 2}, {"grant": "env:CI", "count": 1, "denied": true}]),
        json!([{"grant": "read:**/token=[redacted: value]", "count": 1}]),
        Value::Null,
    ];
    // Each event has its own.
    for _ in 0..2 {
        assert!(host.gate(bash("ls"), &CallOptions::default()).await.is_continue());
        assert_eq!(grants(last(&lines)), expected);
    }

    let handlers = vec![uses("one", "tool_result", git, json!({"content": "cut"}))];
    let (host, lines) = audited(handlers, AuditOptions::default());
    host.emit(result("text"), &CallOptions::default()).await;
    assert_eq!(grants(last(&lines)), expected[..1]);

    // A hook whose handlers ran for an event that another one caused is named as well.
    let causes = on("one", "tool_call", |_, context| async move {
        context.services.emit(&hook("one"), &context, "a.b".into(), Default::default()).await.unwrap();
        nothing()
    });
    let (host, lines) = audited(vec![causes, uses("two", "a.b", git, json!({}))], AuditOptions::default());
    assert!(host.gate(bash("ls"), &CallOptions::default()).await.is_continue());
    let line = last(&lines);
    assert_eq!(
        line["hooks"][1],
        json!({
            "id": "two", "scope": "user", "calls": 0, "duration_us": 0, "grants": expected[0],
        })
    );
}
