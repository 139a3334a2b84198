//! Tests that misbehave: each fails alone, and says why.

use std::time::Duration;

use crate::support::{TestProject, failure, one, one_with, options};

const HOOK: &str = "on('tool_call', function() end)";

#[test]
fn scripts_that_do_not_stop_are_stopped() {
    for (body, says) in [
        ("while true do end", "the test used up its CPU budget of 300ms"),
        ("while true do pcall(function() while true do end end) end", "CPU budget"),
        ("coroutine.wrap(function() while true do end end)()", "CPU budget"),
        ("local s = 'x' while true do s = s .. s end", "memory limit"),
        ("local s = 'x' pcall(function() while true do s = s .. s end end)", "memory limit"),
        ("local function f() return 1 + f() end f()", "stack overflow"),
        ("coroutine.yield()", "only coroutines of the script's own can yield"),
        ("t.tool_call{tool = 'bash', input = setmetatable({}, {__index = error})}\nerror('after')", "after"),
        ("local a = {} a.a = a t.tool_call{tool = 'bash', input = a}", "nested too deeply"),
        ("t.fs{[string.rep('x/', 3000)] = ''}", "t.fs failed to write"),
        ("expect('x').matches(string.rep('(a{100}){100}', 100))", "is not a regular expression"),
        ("test('inner', function() end)", "test() can be called only while the file loads"),
    ] {
        let mut options = options();
        options.script_cpu = Duration::from_millis(300);
        let result = one_with(HOOK, body, &options);
        assert!(failure(&result).contains(says), "{body}: {}", failure(&result));
    }
}

#[test]
fn large_values_are_compared_and_shown_in_bounds() {
    let body = "local a, b = {}, {}
         for i = 1, 100000 do a[i] = i * 7 b[i] = i * 11 end
         expect(a).eq(b)";
    let outcome = "local r = t.tool_call{tool = 'bash'}
         for i = 1, 1000 do table.insert(r.sent, { text = string.rep('s', 999) }) end
         expect(r).denied()";
    let failed = failure(&one(HOOK, outcome));
    assert!(failed.starts_with("guard.test.lua:4\nexpected: denied"), "{failed}");
    assert!(failed.len() < 40_000, "{} bytes", failed.len());
    for body in [
        body,
        "expect(string.rep('x\\n', 1e6)).eq(string.rep('y\\n', 1e6))",
        "expect(string.rep('x', 1e7)).eq('')",
    ] {
        let result = one(HOOK, body);
        let failed = failure(&result);
        assert!(failed.contains("the values differ") && failed.len() < 100_000, "{} bytes", failed.len());
    }
}

#[test]
fn rhai_scripts_are_stopped_too() {
    for (body, says) in [
        ("while true { }", "CPU budget of 300ms"),
        ("while true { try { while true { } } catch { } }", "CPU budget"),
        ("let s = []; while true { s.push(s); }", ""),
        ("fn f(n) { 1 + f(n + 1) }\n", ""),
        ("t.tool_call(#{ tool: \"bash\", comand: \"ls\" });", "did you mean `command`"),
    ] {
        let place = TestProject::with(&[("guard.lua", HOOK)]);
        let (functions, body) = if body.starts_with("fn ") { (body, "f(1);") } else { ("", body) };
        place.write(
            "guard.test.rhai",
            &format!("{functions}test(\"it\", |t| {{ {body} }});\ntest(\"next\", |t| {{ }});"),
        );
        let mut options = options();
        options.script_cpu = Duration::from_millis(300);
        let results = place.run_with(&[], &options);
        let [it, next] = &results.suites[0].tests[..] else { panic!("{results:?}") };
        assert!(it.failure.is_some() && failure(it).contains(says), "{body}: {}", failure(it));
        assert_eq!(failure(next), "", "{body}");
    }
}

#[test]
fn a_vm_that_broke_is_replaced_for_the_next_test() {
    let place = TestProject::with(&[
        ("guard.lua", HOOK),
        (
            "guard.test.lua",
            "local kept
             test('eats', function(t) kept = t local s = 'x' while true do s = s .. s end end)
             test('goes on', function(t) expect(t.tool_call{tool = 'bash'}).allowed() end)
             test('keeps', function(t) kept = t end)
             test('t is of one test', function(t) kept.headless() end)",
        ),
    ]);
    let results = place.run(&[]);
    let [eats, goes_on, keeps, of_one] = &results.suites[0].tests[..] else { panic!("{results:?}") };
    assert!(failure(eats).contains("memory limit"), "{}", failure(eats));
    assert_eq!((failure(goes_on), failure(keeps)), (String::new(), String::new()));
    assert!(failure(of_one).contains("the test that this t belongs to has ended"), "{}", failure(of_one));
}

#[test]
fn a_test_that_waits_too_long_fails_even_if_it_catches_that() {
    let hook = "-----\n-- grants: { exec: [sleep] }\n-----\non('tool_call', function(event, ctx) ctx.exec('sleep', { '30' }) end)";
    let place = TestProject::with(&[
        ("guard.lua", hook),
        (
            "guard.test.lua",
            "test('waits', function(t)
               t.exec_stub('sleep', { real = true })
               pcall(t.tool_call, { tool = 'bash' })
             end)
             test('is told', function(t)
               t.exec_stub('sleep', { real = true })
               t.tool_call{ tool = 'bash' }
             end)
             test('goes on', function(t) end)",
        ),
    ]);
    let mut options = options();
    options.time = Duration::from_millis(300);
    options.env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    let results = place.run_with(&[], &options);
    let [waits, is_told, goes_on] = &results.suites[0].tests[..] else { panic!("{results:?}") };
    assert!(failure(waits).contains("the test took too long"), "{}", failure(waits));
    assert_eq!(failure(is_told), "guard.test.lua:7\nthe test took longer than 300ms");
    assert_eq!(failure(goes_on), "");
}

#[test]
fn a_hook_that_does_not_stop_is_denied_and_the_test_goes_on() {
    let hook = "on('tool_call', function() while true do end end)";
    let result = one(
        hook,
        "local r = t.tool_call{tool = 'bash'}
         expect(r).denied('CPU budget')
         expect(r.reasons[1].cause).eq('budget')",
    );
    assert_eq!(failure(&result), "");
}

#[test]
fn files_that_are_no_tests_fail_with_their_place() {
    for (text, says) in [
        ("test('x', function(t)", "guard.test.lua:1: Expected 'end'"),
        ("local x = 1", "guard.test.lua: has no test"),
        ("\n\ntest('x')", "guard.test.lua:3: the second argument of test() is a function"),
        ("test(1, function() end)", "guard.test.lua:1: the first argument of test() is its name"),
        ("test(' ', function() end)", "guard.test.lua:1: the name of a test is empty"),
        (
            "test('x', function() end)\ntest('x', function() end)",
            "guard.test.lua:2: there is a test \"x\" already, at guard.test.lua:1",
        ),
        ("while true do end", "guard.test.lua: loading used up its CPU budget"),
        ("error('no')", "guard.test.lua:1: no"),
        ("for i = 1, 1e6 do test('t' .. i, function() end) end", "at most 2000 tests"),
        ("require('nowhere')", "guard.test.lua:1: no module \"nowhere\""),
        ("expect(1).eq(2)", "guard.test.lua:1: expected: 2"),
        ("local x = \0", "contains a NUL byte"),
    ] {
        let place = TestProject::with(&[("guard.lua", HOOK), ("guard.test.lua", text)]);
        let results = place.run(&["guard.test.lua"]);
        let problem = results.suites[0].problem.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(problem.contains(says), "{text:?}: {problem}");
        assert_eq!((results.passed(), results.failed()), (0, 1), "{text:?}");
    }
}
