//! `snaphook test`: every flag, every exit code. What tests can do is shown in the tests of `snaphook-testing`.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Sandbox};

const GUARD: &str = "-----
-- name: guard
-- examples:
--   - { tool: bash, command: rm, expect: deny, reason: never }
-----
on('tool_call', { tool = 'bash' }, function(event)
  if event.command == 'rm' then
    return { block = true, reason = 'never' }
  end
end)
";
const PASSES: &str = "test('denies', function(t)
  expect(t.tool_call{ tool = 'bash', command = 'rm' }).denied('never')
end)
test('allows', function(t)
  expect(t.tool_call{ tool = 'bash', command = 'ls' }).allowed()
end)
";
const FAILS: &str = "test('fails', function(t)
  print('about to fail')
  expect(t.tool_call{ tool = 'bash', command = 'rm' }).allowed()
end)
";

fn place(files: &[(&str, &str)]) -> Sandbox {
    let place = Sandbox::new();
    for (name, text) in files {
        place.write(&format!("project/{name}"), text);
    }
    place
}

fn last_line(said: &CommandOutput) -> &str {
    said.stdout.lines().last().unwrap_or_default()
}

#[test]
fn all_pass() {
    let place = place(&[(".snaphook/hooks/guard.lua", GUARD), (".snaphook/hooks/guard.test.lua", PASSES)]);
    let said = place.run(&["test"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.stderr, "");
    assert!(last_line(&said).starts_with("3 passed, 0 failed ("), "{said:?}");
    let lines: Vec<_> = said.stdout.lines().collect();
    assert_eq!(
        lines[..lines.len() - 1],
        [
            ".snaphook/hooks/guard.lua (examples)",
            "  passed bash rm => deny",
            ".snaphook/hooks/guard.test.lua",
            "  passed denies",
            "  passed allows",
        ]
    );
}

#[test]
fn a_failure_says_where_and_why() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", FAILS)]);
    let said = place.run(&["test", "guard.test.lua"]);
    assert_eq!(said.code, 1);
    assert_eq!(said.stderr, "");
    let expected = "guard.test.lua
  failed fails
    guard.test.lua:3
      expected: allowed
           got: tool_call: deny
        deny  guard guard.lua:6: never
      printed:
        about to fail
";
    assert!(said.stdout.starts_with(expected), "{}", said.stdout);
    assert!(last_line(&said).starts_with("0 passed, 1 failed"), "{said:?}");
}

#[test]
fn what_leads_to_exit_1() {
    for (files, args, says) in [
        (&[][..], &["test"][..], "no test found"),
        (&[("guard.lua", "on('tool_call', function() end)")], &["test"], "no test found"),
        (
            &[("guard.lua", "on('tool_call', function() end)")],
            &["test", "guard.lua"],
            "guard.lua: has no test",
        ),
        (
            &[("guard.lua", GUARD), ("guard.test.lua", PASSES)],
            &["test", "--filter", "zzz"],
            "no test matches \"zzz\" (3 filtered out)",
        ),
        (&[("broken.test.lua", "test(")], &["test"], "error: broken.test.lua:1: Expected"),
        (&[("empty.test.lua", "")], &["test"], "error: empty.test.lua: has no test"),
        (
            &[("guard.lua", &GUARD.replace("expect: deny", "expect: dney"))],
            &["test"],
            "error: guard.lua:4: `expect` is `dney` (it is allow, ask or deny)",
        ),
        (&[("guard.lua", &GUARD.replace("expect: deny, ", "expect: ask, "))], &["test"], "expected: ask"),
    ] {
        let said = place(files).run(args);
        assert_eq!(said.code, 1, "{args:?} {said:?}");
        assert!(said.stdout.contains(says), "{args:?} {said:?}");
        assert!(last_line(&said).contains(" passed, "), "{said:?}");
    }
}

#[test]
fn wrong_usage_is_64() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", PASSES)]);
    for (args, says) in [
        (&["test", "nowhere.test.lua"][..], "nowhere.test.lua does not exist"),
        (&["test", "--language", "perl"], "possible values: lua, rhai"),
        (&["test", "--watch", "--json"], "cannot be used with"),
        (&["test", "--junit", "no/such/folder/x.xml"], "failed to write the JUnit file"),
        (&["test", "--hook", "guard.lua"], "unexpected argument '--hook'"),
    ] {
        let said = place.run(args);
        assert_eq!(said.code, 64, "{args:?} {said:?}");
        assert!(said.stderr.contains(says), "{args:?} {said:?}");
    }
}

#[test]
fn a_filter_is_text_or_a_pattern() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", PASSES)]);
    for (filter, closes) in [
        ("den", "2 passed, 0 failed, 1 filtered out"),
        ("^(denies|allows)$", "2 passed, 0 failed, 1 filtered out"),
        ("=> deny", "1 passed, 0 failed, 2 filtered out"),
    ] {
        let said = place.run(&["test", "--filter", filter]);
        assert!(filter != "den" || said.stdout.contains("denies"), "{said:?}");
        assert!(last_line(&said).starts_with(closes), "{filter} {said:?}");
    }
}

#[test]
fn json_is_one_document() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", &format!("{PASSES}{FAILS}"))]);
    let said = place.run(&["test", "--json", "guard.test.lua"]);
    assert_eq!(said.code, 1);
    let document = said.document();
    assert_eq!((&document["passed"], &document["failed"]), (&json!(2), &json!(1)));
    assert_eq!(document["suites"][0]["file"], "guard.test.lua");
    let failed = &document["suites"][0]["tests"][2];
    assert_eq!(failed["log"], json!(["about to fail"]));
    assert_eq!(failed["failure"]["line"], 9);
    assert!(failed["failure"]["message"].as_str().unwrap().starts_with("expected: allowed"), "{failed}");
    assert_eq!(document["coverage"], Value::Null);
    let said = place.run(&["test", "--json", "--coverage", "guard.test.lua"]);
    let covered = &said.document()["coverage"][0];
    assert_eq!(
        (&covered["file"], &covered["covered"], &covered["lines"]),
        (&json!("guard.lua"), &json!(3), &json!(3))
    );
}

#[test]
fn junit_is_written_for_ci() {
    let place = place(&[
        ("guard.lua", GUARD),
        ("guard.test.lua", &format!("{PASSES}{FAILS}")),
        ("broken.test.lua", "test("),
    ]);
    let said = place.run(&["test", "--junit", "results.xml"]);
    assert_eq!(said.code, 1);
    let xml = std::fs::read_to_string(place.path("project/results.xml")).unwrap();
    for part in [
        "<testsuites name=\"snaphook test\" tests=\"5\" skipped=\"0\" failures=\"1\" errors=\"1\"",
        "<testsuite name=\"guard.lua (examples)\" tests=\"1\"",
        "<testsuite name=\"guard.test.lua\" tests=\"3\"",
        "<testcase name=\"denies\" classname=\"guard.test.lua\"",
        "<failure message=\"guard.test.lua:9: expected: allowed\" type=\"failure\">",
        "<error message=\"broken.test.lua:1: Expected",
        "<system-out>about to fail</system-out>",
    ] {
        assert!(xml.contains(part), "{part} is not in {xml}");
    }
}

#[test]
fn coverage_shows_what_did_not_run() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", PASSES)]);
    let said = place.run(&["test", "--coverage", "guard.test.lua", "--filter", "allows"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("coverage\n  guard.lua  2/3 lines, 66 %  not run: 8\n"), "{}", said.stdout);
    let said = place.run(&["test", "--coverage", "guard.test.lua"]);
    assert!(said.stdout.contains("  guard.lua  3/3 lines, 100 %\n"), "{}", said.stdout);
}

#[test]
fn a_language_can_be_chosen() {
    let place = place(&[("guard.lua", GUARD), ("guard.test.lua", PASSES)]);
    assert_eq!(place.run(&["test", "--language", "lua", "guard.test.lua"]).code, 0);
    let said = place.run(&["test", "--language", "rhai", "guard.test.lua"]);
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("looked for guard.rhai, guard"), "{said:?}");
}

/// Tests see no hook but those that they load, and leave nothing behind.
#[test]
fn the_users_hooks_and_state_stay_out_of_it() {
    let place = place(&[
        ("guard.lua", "on('tool_call', function(event, ctx) ctx.store.set('a', 1) end)"),
        (
            "guard.test.lua",
            "test('x', function(t) expect(t.tool_call{ tool = 'bash', command = 'ls' }).allowed() end)",
        ),
    ]);
    place.write(
        "config/hooks/deny.lua",
        "on('tool_call', function() return { block = true, reason = 'x' } end)",
    );
    let said = place.run(&["test"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(std::fs::read_dir(place.path("state")).unwrap().count(), 0);
}

#[test]
fn a_file_of_tests_is_no_hook() {
    let place = place(&[(".snaphook/hooks/guard.lua", GUARD), (".snaphook/hooks/guard.test.lua", PASSES)]);
    place.trust_all();
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, &document["decision"]), (0, &json!("allow")));
    let (code, document) = place.gate("ls", &["--hook", ".snaphook/hooks/guard.test.lua"]);
    assert_eq!(code, 2, "{document}");
    let reason = document["reasons"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("is a test, not a hook (run it with `snaphook test`)"), "{reason}");
}

#[test]
fn list_tries_the_examples() {
    let place = place(&[(".snaphook/hooks/guard.lua", GUARD)]);
    place.trust_all();
    let said = place.run(&["list"]);
    assert_eq!((said.code, said.stdout.contains("example")), (0, false), "{said:?}");
    place.write("project/.snaphook/hooks/guard.lua", GUARD.replace("== 'rm'", "== 'mv'"));
    place.trust_all();
    let said = place.run(&["list"]);
    let line = "warning: .snaphook/hooks/guard.lua:4: the example `bash rm => deny` fails: expected: deny with a reason \
                matching /never/; got: tool_call: allow (fix the hook or its example)";
    assert_eq!((said.code, said.stdout.lines().any(|said| said == line)), (0, true), "{said:?}");
    let problems = place.run(&["list", "--json"]).document()["problems"].clone();
    assert_eq!((&problems[0]["severity"], &problems[0]["line"]), (&json!("warning"), &json!(4)));
}

#[cfg(unix)]
mod signals {
    use std::io::{BufRead, BufReader};
    use std::process::Child;

    use super::*;

    fn interrupt(child: &Child) {
        let id = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    }

    #[test]
    fn watch_runs_again_when_a_script_changes_and_ends_by_ctrl_c() {
        let place = place(&[("guard.lua", GUARD), ("guard.test.lua", PASSES)]);
        let mut child = place.command(&["test", "--watch"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut until = |wanted: &str| {
            let found = lines.by_ref().find(|line| line.contains(wanted));
            assert!(found.is_some(), "\"{wanted}\" was not said");
        };
        until("3 passed, 0 failed");
        until("watching 1 folder(s); Ctrl-C ends");
        place.write("project/guard.lua", GUARD.replace("== 'rm'", "== 'mv'"));
        until("1 passed, 2 failed");
        until("watching");
        place.write("project/guard.lua", GUARD);
        place.write("project/more.test.lua", "test('more', function(t) end)");
        until("4 passed, 0 failed");
        until("watching");
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }

    #[test]
    fn ctrl_c_ends_a_run_with_what_it_has() {
        let place = place(&[
            (
                "guard.lua",
                "-----\n-- grants: { exec: [sleep] }\n-----\non('tool_call', function(event, ctx) ctx.exec('sleep', { '60' }) end)",
            ),
            (
                "guard.test.lua",
                "test('ends', function(t) end)
                 test('waits', function(t)
                   t.exec_stub('sleep', { real = true })
                   t.exec_stub('touch', { real = true })
                   t.tool_call{ tool = 'bash', command = 'ls' }
                 end)",
            ),
            ("a.test.lua", "test('first', function(t) end)"),
        ]);
        let mut child = place.command(&["test"]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // Files are reported in order, so the second is at work when the first has been reported.
        assert!(lines.by_ref().any(|line| line.contains("first")));
        interrupt(&child);
        let rest: Vec<_> = lines.collect();
        assert!(rest.iter().any(|line| line == "interrupted; not all tests have run"), "{rest:?}");
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}

const WANTS: &str = "-----
-- examples:
--   - { tool: bash, command: ask, expect: ask }
--   - { tool: bash, command: ls, expect: allow }
-----
on('tool_call', { tool = 'bash' }, function(event, ctx)
  if event.command == 'ask' then return { ask = 'really?' } end
  if event.command == 'confirm' and not ctx.ui.confirm('sure?') then return { block = true, reason = 'not sure' } end
  if event.command == 'change' then return { command = 'changed', context = 'a text' } end
end)
on('tool_result', function() return { content = 'changed' } end)
on('agent_end', function() return { continue_with = 'go on' } end)
on('files_changed', function() end)
";
const WANTED: &str = "test('asks', function(t)
  t.ui{ confirm = { true } }
  expect(t.tool_call{ tool = 'bash', command = 'confirm' }).allowed()
end)
test('changes', function(t) expect(t.tool_call{ tool = 'bash', command = 'change' }).allowed() end)
test('result', function(t) t.tool_result{ tool = 'bash', content = 'x' } end)
test('goes on', function(t) t.emit('agent_end') end)
test('a check', function(t) t.emit('files_changed', { files = { 'a' } }) end)
test('a deny', function(t) t.tool_call{ tool = 'bash', command = 'ls' } end)
";

/// The agents differ in what they can do; which can do what is in the tables of docs/agents.md.
#[test]
fn agents_are_told_what_they_honour() {
    let place = place(&[(".snaphook/hooks/wants.lua", WANTS), (".snaphook/hooks/wants.test.lua", WANTED)]);
    let said = place.run(&["test", "--agent", "opencode"]);
    assert_eq!(said.code, 0, "{said:?}");
    let lines: Vec<_> = said.stdout.lines().collect();
    assert_eq!(
        lines[..lines.len() - 1],
        [
            ".snaphook/hooks/wants.lua (examples)",
            "  passed bash ask => ask",
            "    note: OpenCode has no way to ask its person here; denied instead",
            "  passed bash ls => allow",
            ".snaphook/hooks/wants.test.lua",
            "  passed asks",
            "    note: OpenCode has no way to ask its person here; denied instead",
            "  passed changes",
            "    note: OpenCode takes no text for the model with tool_call; it waits for the next event that takes one",
            "  passed result",
            "  passed goes on",
            "    note: OpenCode cannot be made to go on after agent_end; its text is one for the model, and it waits for the next event that takes one",
            "  passed a check",
            "    note: OpenCode never tells of files_changed",
            "  passed a deny",
        ]
    );
    let said = place.run(&["test", "--agent", "all"]);
    let line = |file: &str, agent: &str| {
        let mut lines = said.stdout.lines().skip_while(|line| *line != format!("{file} in each agent"));
        let found = lines.find(|line| line.split_whitespace().next() == Some(agent));
        found.unwrap_or_else(|| panic!("{file} {agent}: {said:?}")).split_once("  ").unwrap().1.trim()
            [agent.len()..]
            .trim()
            .to_owned()
    };
    assert_eq!(line(".snaphook/hooks/wants.lua", "claude-code"), "all of it");
    assert_eq!(line(".snaphook/hooks/wants.lua", "opencode"), "not: ask of tool_call");
    assert_eq!(line(".snaphook/hooks/wants.test.lua", "claude-code"), "not: files_changed (never sent)");
    assert_eq!(
        line(".snaphook/hooks/wants.test.lua", "opencode"),
        "not: ask of tool_call, continue of agent_end, files_changed (never sent), inject of tool_call"
    );
    let document = place.run(&["test", "--agent", "all", "--json"]).document();
    let agents = &document["suites"][0]["tests"][0]["agents"];
    assert_eq!(agents["claude-code"], json!([]));
    assert_eq!(agents["opencode"], json!(["OpenCode has no way to ask its person here; denied instead"]));
    assert_eq!(agents.as_object().map(serde_json::Map::len), Some(snaphook_adapters::AGENTS.len()));
    let document = place.run(&["test", "--json"]).document();
    assert_eq!(document["suites"][0]["tests"][0].get("agents"), None, "it was not asked for");
    let said = place.run(&["test", "--agent", "opncode"]);
    assert_eq!((said.code, said.stderr.contains("did you mean opencode?")), (64, true), "{said:?}");
}
