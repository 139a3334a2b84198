//! Test scripts: what they register, what their functions reach, and how they fail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use snaphook_core::{BenchError, Engine, LoadRequest, Services, TestBench, TestCase, testing};
use snaphook_rhai::RhaiEngine;

use crate::support::*;

/// Notes what it is called with; `emit` takes long, `clock` fails.
#[derive(Default)]
struct Bench(Mutex<Vec<String>>);

impl TestBench for Bench {
    fn call(&self, name: &str, arguments: Vec<Value>) -> Result<Value, BenchError> {
        self.0.lock().unwrap().push(format!("t.{name} {}", Value::Array(arguments)));
        match name {
            "clock" => Err(BenchError::Call("no\nclock".to_owned())),
            "emit" => {
                // Longer than the script may compute. It is the bench's time.
                std::thread::sleep(Duration::from_millis(400));
                Ok(Value::Null)
            }
            _ => Ok(json!({ "outcome": 1, "list": [] })),
        }
    }

    fn expect(&self, subject: &Value, name: &str, arguments: Vec<Value>) -> Result<(), BenchError> {
        self.0.lock().unwrap().push(format!("expect({subject}).{name} {}", Value::Array(arguments)));
        if name == "denied" {
            Err(BenchError::Unmet("expected: denied\n     got: allowed".to_owned()))
        } else {
            Ok(())
        }
    }
}

fn load(source: &str) -> (Arc<Bench>, Result<Vec<TestCase>, String>) {
    let bench = Arc::new(Bench::default());
    let services: Arc<dyn Services> = Arc::new(Fake::default());
    let port: Arc<dyn TestBench> = bench.clone();
    let (script, limits) = (script(source, &[]), limits());
    let loaded = RhaiEngine::new().load_tests(LoadRequest::new(&script, &services, &limits), &port);
    (bench, loaded.map_err(|problem| problem.to_string()))
}

/// Returns what the tests of a script come to, and what the bench was asked.
fn run(source: &str) -> (Vec<String>, Vec<String>) {
    let (bench, cases) = load(source);
    let told = cases.unwrap().into_iter().map(|mut case| {
        let said = match (case.run)() {
            Ok(()) => "passes".to_owned(),
            Err(error) => {
                let place = error.location.map(|place| place.to_string()).unwrap_or_default();
                format!("{} {place}: {}", error.cause.as_str(), error.message)
            }
        };
        format!("{} at {}: {said}", case.name, case.location)
    });
    let told = told.collect();
    let asked = bench.0.lock().unwrap().clone();
    (told, asked)
}

#[test]
fn tests_run_and_reach_the_bench() {
    let (told, asked) = run("fn helper(t) { t.tool_call(#{ tool: \"bash\", command: \"ls\" }) }\n\
         test(\"one\", |t| {\n  let r = helper(t);\n  expect(r).allowed();\n  expect(r.list).eq([]);\n});\n\
         test(\" two \", |t| { t.ui(#{ confirm: [true, false] }); t.headless(); expect(()).eq(()); });\n\
         test(\"fails\", |t| {\n  t.load(\"guard\");\n  expect(1).denied(\"x\");\n});\n\
         test(\"bench fails\", |t| { t.clock(1); });\n\
         test(\"waits\", |t| { t.emit(\"task.done\", #{}); });\n\
         test(\"throws\", |t| { throw \"mine\"; });\n\
         test(\"computes\", |t| { while true {} });\n\
         test(\"eats\", |t| { let s = \"x\"; while true { s += s; } });\n\
         test(\"goes on\", |t| { });");
    assert_eq!(
        told,
        [
            "one at guard.rhai:2: passes",
            "two at guard.rhai:7: passes",
            "fails at guard.rhai:8: error guard.rhai:10: expected: denied\n     got: allowed",
            "bench fails at guard.rhai:12: error guard.rhai:12: no\nclock",
            "waits at guard.rhai:13: passes",
            "throws at guard.rhai:14: error guard.rhai:14: mine",
            "computes at guard.rhai:15: budget : the test used up its CPU budget of 500ms",
            "eats at guard.rhai:16: memory : the memory limit of 64 MiB is reached",
            "goes on at guard.rhai:17: passes",
        ]
    );
    assert_eq!(
        asked[..4],
        [
            r#"t.tool_call [{"command":"ls","tool":"bash"}]"#,
            r#"expect({"list":[],"outcome":1}).allowed []"#,
            "expect([]).eq [[]]",
            r#"t.ui [{"confirm":[true,false]}]"#,
        ]
    );
}

#[test]
fn every_member_of_core_is_bound() {
    for (object, names) in [("t", testing::T_MEMBERS), ("expect(1)", testing::EXPECT_MEMBERS)] {
        for name in names {
            let (told, asked) =
                run(&format!("test(\"x\", |t| {{ try {{ {object}.{name}(); }} catch {{}} }});"));
            assert_eq!(told, ["x at guard.rhai:1: passes"]);
            assert!(
                asked.iter().any(|line| line.contains(&format!(".{name} []"))),
                "{object}.{name}: {asked:?}"
            );
        }
    }
}

#[test]
fn slips_are_errors() {
    for (source, expected) in [
        ("test(\"x\");", "guard.rhai:1: there is no function test (string)"),
        ("test(7, |t| ());", "guard.rhai:1: test takes a string, got a number"),
        (
            "test(\" \", |t| ());",
            "guard.rhai:1: the name of a test is empty; use test(\"what it does\", |t| { … })",
        ),
        (
            "test(\"x\", 7);",
            "guard.rhai:1: the second argument of test() is a function; use test(\"what it does\", |t| { … })",
        ),
        (
            "test(\"x\", || ());",
            "guard.rhai:1: the function of a test takes t, but this one takes 0 arguments; use test(\"what it does\", |t| { … })",
        ),
        (
            "test(\"x\", |t| ());\ntest(\"x\", |t| ());",
            "guard.rhai:2: there is a test \"x\" already, at guard.rhai:1",
        ),
        ("on(\"tool_call\", |event| ());", "guard.rhai:1: there is no function on (string, Fn)"),
    ] {
        assert_eq!(load(source).1.err().as_deref(), Some(expected), "{source}");
    }
    for (body, expected) in [
        (
            "t.toolcall(#{});",
            "t has no `toolcall`; did you mean t.tool_call? (it has load, tool_call, tool_result, emit, ui, headless, exec_stub, http_stub, env, fs, clock)",
        ),
        ("expect(1).equal(1);", "expect(…) has no `equal`"),
        ("t.load;", "t.load is a function: call it, t.load(…)"),
        ("expect(|x| x);", "expect(…): the value is a function"),
        ("t.emit(\"x\", #{ f: |x| x });", "emit: `f` is a function"),
        ("test(\"late\", |t| ());", "test() can be called only while the file loads, not from a test"),
    ] {
        let (told, _) = run(&format!("test(\"x\", |t| {{\n{body}\n}});"));
        let expected = format!("x at guard.rhai:1: error guard.rhai:2: {expected}");
        assert!(told[0].starts_with(&expected), "{body}: {}", told[0]);
    }
    let (told, _) = run(
        "let kept = []; test(\"one\", |t| { kept.push(t); }); test(\"two\", |t| { kept[0].headless(); });",
    );
    assert_eq!(
        told[1],
        "two at guard.rhai:1: error guard.rhai:1: t.headless: the test that this t belongs to has ended"
    );
}
