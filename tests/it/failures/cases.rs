//! The ways in which a running hook fails. Those of loading are in `load_cases`.

use std::sync::Arc;
use std::time::Duration;

use snaphook::{Answer, EventName, Handler, HandlerInfo, HookRef, Scope, handler_fn};

use super::scene::Language;
use crate::support::Sandbox;

/// A row of the table.
pub struct Case {
    /// The first cell.
    pub what: &'static str,
    pub how: How,
    pub person: Person,
    pub twist: Twist,
}

/// The deed of the hook. Where there are two texts, the first is Lua and the second is Rhai.
pub enum How {
    /// The body of a handler of any event.
    Body(&'static str, &'static str),
    /// The same, of what Lua alone can do.
    Lua(&'static str),
    /// The answers of handlers of a gate, a rewrite, a check and a notice, as JSON.
    Answers([Option<&'static str>; 4]),
    /// A whole script, with `EVENT` for the event.
    Whole(&'static str, &'static str),
    /// A whole script that is about `tool_call` only.
    Gate(&'static str, &'static str),
    /// Files.
    Files(fn(&Sandbox, Language)),
    /// A handler that is written in Rust.
    Rust(fn(&str) -> Arc<dyn Handler>),
}

/// The person who is there.
#[derive(Clone, Copy)]
pub enum Person {
    Nobody,
    Says(&'static [&'static str]),
    /// Questions are left to the agent.
    Agent,
}

/// The unusual thing about the surroundings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Twist {
    None,
    HandlerBudget,
    EventBudget,
    LoadBudget,
    ShortWait,
    ShortGrace,
    NoEngine,
    NoAudit,
    /// The call is cancelled when the file `started` is there.
    Cancel,
}

pub const fn case(what: &'static str, how: How) -> Case {
    Case { what, how, person: Person::Nobody, twist: Twist::None }
}

pub const fn twisted(what: &'static str, twist: Twist, how: How) -> Case {
    Case { what, how, person: Person::Nobody, twist }
}

const fn before(what: &'static str, person: Person, how: How) -> Case {
    Case { what, how, person, twist: Twist::None }
}

const ASKS: How = How::Answers([Some(r#"{"ask": "really?"}"#), None, None, None]);
const CONFIRMS: How = How::Gate(
    "on('tool_call', function(event, ctx) return { block = not ctx.ui.confirm('so?'), reason = 'no yes' } end)",
    "on(\"tool_call\", |event, ctx| #{ block: !ctx.ui.confirm(\"so?\"), reason: \"no yes\" });",
);

pub const CASES: &[Case] = &[
    case("raises an error", How::Body("error('oops')", "throw \"oops\";")),
    case("panics, as a handler written in Rust", How::Rust(|event| in_rust(event, || panic!("oops")))),
    twisted(
        "computes for longer than its budget, caught or not",
        Twist::HandlerBudget,
        How::Body(
            "while true do pcall(function() while true do end end) end",
            "while true { try { while true {} } catch {} }",
        ),
    ),
    twisted(
        "computes for longer than all handlers of one event may",
        Twist::EventBudget,
        How::Body("while true do end", "while true {}"),
    ),
    case(
        "takes more memory than it may",
        How::Body(
            "local t = {} pcall(function() while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end)",
            "let t = []; try { while true { t.push([]); } } catch {}",
        ),
    ),
    case(
        "calls itself without end",
        How::Body(
            "local function f() return 1 + f() end return f()",
            "let f = |f| 1 + f.call(f); f.call(f);",
        ),
    ),
    twisted("cannot be stopped", Twist::ShortGrace, How::Rust(|event| in_rust(event, spin))),
    case("answers with something that is no table", How::Answers([Some("\"block\""); 4])),
    case(
        "answers with an unknown key",
        How::Answers([
            Some(r#"{"blocked": true}"#),
            Some(r#"{"isError": true}"#),
            Some(r#"{"failed": true}"#),
            Some(r#"{"block": true}"#),
        ]),
    ),
    case(
        "answers with a value of another type",
        How::Answers([
            Some(r#"{"block": "yes"}"#),
            Some(r#"{"content": 1}"#),
            Some(r#"{"fail": 1}"#),
            Some(r#"{"context": 1}"#),
        ]),
    ),
    case(
        "answers with keys that contradict each other",
        How::Answers([Some(r#"{"block": true, "allow": true}"#), None, None, None]),
    ),
    case(
        "gives a reason and forgets the verdict",
        How::Answers([Some(r#"{"reason": "no"}"#), None, Some(r#"{"reason": "no"}"#), None]),
    ),
    case("answers with an empty question", How::Answers([Some(r#"{"ask": " "}"#), None, None, None])),
    case(
        "rewrites a field that the call does not have",
        How::Answers([Some(r#"{"url": "https://example.org"}"#), None, None, None]),
    ),
    case("returns two values (Lua)", How::Lua("return { context = 'x' }, { block = true }")),
    case(
        "returns a table with a metatable of its own (Lua)",
        How::Lua("return setmetatable({}, { __index = { block = true, reason = 'mine' } })"),
    ),
    case("logs, shows or sends more text than it may", How::Lua("for _ = 1, 20000 do ctx.log('x') end")),
    case(
        "rewrites what another rewrites back, for ever",
        How::Gate(
            "on('tool_call', function(e) return { command = e.command == 'ls' and 'dir' or nil } end)\n\
         on('tool_call', function(e) return { command = e.command == 'dir' and 'ls' or nil } end)",
            "on(\"tool_call\", |e| if e.command == \"ls\" { #{ command: \"dir\" } });\n\
         on(\"tool_call\", |e| if e.command == \"dir\" { #{ command: \"ls\" } });",
        ),
    ),
    twisted(
        "waits for longer than its event allows",
        Twist::ShortWait,
        How::Body("ctx.exec('sleep', { '0.4' })", "ctx.exec(\"sleep\", [\"0.4\"]);"),
    ),
    case(
        "waits more than 1000 times",
        How::Body("while true do ctx.ui.confirm('so?') end", "while true { ctx.ui.confirm(\"so?\"); }"),
    ),
    case("asks, and no person is there", ASKS),
    before("asks, and the person says no", Person::Says(&["no"]), ASKS),
    before("asks, and gets no answer: the dialog was closed", Person::Says(&[]), ASKS),
    before("asks, and the question is left to the agent (`--ui defer`)", Person::Agent, ASKS),
    case("needs approval (`ctx.ui.confirm`), and no person is there", CONFIRMS),
    before("needs approval, and the dialog was closed", Person::Says(&[]), CONFIRMS),
    case("calls what was not granted", How::Body("ctx.exec('uname')", "ctx.exec(\"uname\");")),
    case(
        "runs a program that is not there",
        How::Body("ctx.exec('no-such-program')", "ctx.exec(\"no-such-program\");"),
    ),
    case(
        "runs a process that fails: its `code` tells",
        How::Body(
            "assert(ctx.exec('false').code == 1)",
            "if ctx.exec(\"false\").code != 1 { throw \"it passed\"; }",
        ),
    ),
    case(
        "runs a process into its time limit: `timed_out` tells",
        How::Body(
            "assert(ctx.exec('sleep', { '60' }, { timeout = 0.05 }).timed_out)",
            "if !ctx.exec(\"sleep\", [\"60\"], #{ timeout: 0.05 }).timed_out { throw \"it ended\"; }",
        ),
    ),
    case(
        "causes events that cause events, more than 8 deep",
        How::Whole(
            "on('EVENT', function(event, ctx) ctx.emit('acme.ping') end)\non('acme.ping', function(event, ctx) ctx.emit('acme.ping') end)",
            "on(\"EVENT\", |event, ctx| { ctx.emit(\"acme.ping\"); });\non(\"acme.ping\", |event, ctx| { ctx.emit(\"acme.ping\"); });",
        ),
    ),
    twisted(
        "runs where the audit cannot be written",
        Twist::NoAudit,
        How::Answers([Some("{}"), Some(r#"{"content": "***"}"#), Some("{}"), Some("{}")]),
    ),
    twisted(
        "still runs when the call is cancelled",
        Twist::Cancel,
        How::Body(
            "ctx.exec('touch', { 'started' }) ctx.exec('sleep', { '60' })",
            "ctx.exec(\"touch\", [\"started\"]); ctx.exec(\"sleep\", [\"60\"]);",
        ),
    ),
];

fn in_rust(event: &str, run: fn()) -> Arc<dyn Handler> {
    let hook = HookRef::new("bad", "bad", Scope::User, "bad.rs");
    let info = HandlerInfo::new(hook, EventName::parse(event).unwrap());
    handler_fn(info, move |_, _| {
        run();
        std::future::ready(Ok(Answer::default()))
    })
}

/// Computes for far longer than it may, deaf to everything, and ends in the end.
fn spin() {
    let stretch = snaphook_cpu::Stretch::begin();
    while stretch.spent() < Duration::from_secs(3) {
        std::hint::spin_loop();
    }
}
