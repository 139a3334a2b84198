//! Scripts of tests, and counted lines. What the functions of tests do is the bench's business (`snaphook-testing`).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook_core::*;
use snaphook_lua::LuaEngine;

use crate::support::{Fake, bash, limits, script};

/// Notes what it is called with.
#[derive(Default)]
struct Noting(Mutex<Vec<String>>);

impl TestBench for Noting {
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, BenchError> {
        self.0.lock().unwrap().push(format!("{name} {}", Value::Array(arguments)));
        match name {
            "fs" => {
                // Works for longer than the script itself may.
                let began = Instant::now();
                while began.elapsed() < limits().handler_cpu * 2 {}
                Ok(json!({"list": [1, 2], "empty": [], "text": "x"}))
            }
            "load" => Err(BenchError::Call("other.lua:7: it is broken\nin two lines".to_owned())),
            _ => Ok(Value::Null),
        }
    }

    fn expect(&self, subject: &Value, name: &str, arguments: Vec<Value>) -> Result<(), BenchError> {
        self.0.lock().unwrap().push(format!("expect {subject} {name} {}", Value::Array(arguments)));
        if name == "eq" { Err(BenchError::Unmet("it differs".to_owned())) } else { Ok(()) }
    }
}

fn load(source: &str) -> (Arc<Noting>, Result<Vec<TestCase>, Problem>) {
    let noting = Arc::new(Noting::default());
    let bench: Arc<dyn TestBench> = noting.clone();
    let services: Arc<dyn Services> = Arc::new(Fake::default());
    let (script, limits) = (script(source, &[]), limits());
    let request = LoadRequest::new(&script, &services, &limits);
    let cases = LuaEngine::new().unwrap().load_tests(request, &bench);
    (noting, cases)
}

fn run(body: &str) -> (Vec<String>, Result<(), String>) {
    let (noting, cases) = load(&format!("test('it', function(t)\n{body}\nend)"));
    let mut cases = cases.unwrap();
    let ran = (cases[0].run)().map_err(|error| {
        let place = error.location.map(|place| place.to_string()).unwrap_or_default();
        format!("{} {place}: {}", error.cause.as_str(), error.message)
    });
    let noted = noting.0.lock().unwrap().clone();
    (noted, ran)
}

#[test]
fn calls_reach_the_bench_as_json() {
    let (noted, ran) = run("t.tool_call{ tool = 'bash', input = { 1, 2 } }
         t.headless()
         t.emit('a', nil)
         expect(nil).allowed()
         expect({ a = 1.5 }).denied('x')
         local made = t.fs{}
         assert(#made.list == 2 and #made.empty == 0 and made.text == 'x')");
    assert_eq!(ran, Ok(()));
    assert_eq!(
        noted,
        [
            r#"tool_call [{"input":[1,2],"tool":"bash"}]"#,
            "headless []",
            r#"emit ["a",null]"#,
            "expect null allowed []",
            r#"expect {"a":1.5} denied ["x"]"#,
            "fs [{}]",
        ]
    );
}

#[test]
fn errors_have_the_line_of_the_test() {
    for (body, expected) in [
        ("\nexpect(1).eq(2)", "error guard.lua:3: it differs"),
        ("local function f()\n  expect(1).eq(2)\nend\nf()", "error guard.lua:3: it differs"),
        ("t.load('x')", "error guard.lua:2: other.lua:7: it is broken\nin two lines"),
        (
            "local ok, e = pcall(t.load, 'x')\nerror(e, 0)",
            "error guard.lua:2: other.lua:7: it is broken\nin two lines",
        ),
        ("error('oh')", "error guard.lua:2: oh"),
        ("t:load('x')", "error guard.lua:2: call t.load with a dot, not a colon"),
        ("while true do pcall(t.headless) end", "budget : the test used up its CPU budget of 500ms"),
    ] {
        let (_, ran) = run(body);
        assert_eq!(ran, Err(expected.to_owned()), "{body}");
    }
}

#[test]
fn lines_are_counted_only_where_that_was_asked_for() {
    let source = "local n = 0\n\non('tool_call', function(event)\n  n += 1\n  if event.command == 'x' then\n    return nil\n  end\nend)\n";
    let services: Arc<dyn Services> = Arc::new(Fake::default());
    let plain =
        LuaEngine::new().unwrap().load(LoadRequest::new(&script(source, &[]), &services, &limits())).unwrap();
    assert!(plain.coverage.is_none());
    let engine = LuaEngine::with_coverage().unwrap();
    let hook = engine.load(LoadRequest::new(&script(source, &[]), &services, &limits())).unwrap();
    let session = Arc::new(Session::default());
    let runtime = crate::support::runtime();
    for _ in 0..3 {
        let call = CallContext::new(Arc::clone(&session), Arc::clone(&services), Duration::from_secs(5), 0);
        runtime.block_on(hook.handlers[0].handle(&bash(json!({"command": "ls"})), &Arc::new(call))).unwrap();
    }
    let files = hook.coverage.unwrap()();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].file.to_str(), Some("guard.lua"));
    assert_eq!(files[0].lines, [(1, 1), (3, 1), (4, 3), (5, 3), (6, 0)]);
}
