//! Front matter: delimiters, the two readings, and every message with its line.

use std::time::Duration;

use insta::assert_snapshot;
use snaphook_core::{Lifecycle, OnFailure};
use snaphook_discovery::front_matter::{FileKind, blank, misplaced, parse, split};
use snaphook_discovery::{Diagnostic, FrontMatter};

use FileKind::{Executable, Lua, Rhai};

fn good(text: &str, kind: FileKind) -> FrontMatter {
    match parse(text, kind) {
        Ok(Some(front_matter)) => front_matter,
        other => panic!("{text:?} gives {other:?}"),
    }
}

fn show(diagnostics: &[Diagnostic]) -> String {
    let mut shown = String::new();
    for diagnostic in diagnostics {
        let line = diagnostic.line.map_or("-".to_owned(), |line| line.to_string());
        shown.push_str(&format!("{line}: {}", diagnostic.message));
        if let Some(help) = &diagnostic.help {
            shown.push_str(&format!(" ({help})"));
        }
        shown.push('\n');
    }
    shown
}

fn diagnostics(text: &str, kind: FileKind) -> String {
    match parse(text, kind) {
        Err(diagnostics) => show(&diagnostics),
        Ok(found) => panic!("{text:?} gives {found:?}"),
    }
}

/// Faults of the lines as a Lua block, the delimiter on line 1.
fn lua_faults(lines: &[&str]) -> String {
    let inner = lines.iter().map(|line| format!("-- {line}\n")).collect::<String>();
    diagnostics(&format!("-----\n{inner}-----\n"), Lua)
}

#[test]
fn every_style() {
    for (kind, text) in [
        (Lua, "-----\n-- name: x\n-----\n"),
        (Lua, "-- ---\n-- name: x\n-- ---\n"),
        (Lua, "-----\n--name: x\n-----  \n"),
        (Lua, "\n\n-----\n-- name: x\n-----"),
        (Lua, "#!/usr/bin/env snaphook\n-----\n-- name: x\n\n-----\n"),
        (Lua, "---\nname: x\n---\non()\n"),
        (Lua, "---\n# comment\nname: x\n---\n"),
        (Lua, "---\n-- name: x\n---\n"),
        (Rhai, "//---\n// name: x\n//---\n"),
        (Rhai, "// ---\n//   name: x\n// ---\n"),
        (Rhai, "---\nname: x\n---\n"),
        (Executable, "#!/bin/bash\n#---\n# name: x\n#---\n"),
        (Executable, "#!/bin/bash\r\n#---\r\n# name: x\r\n#---\r\n"),
        (Executable, "---\nname: x\n---\n"),
        (Executable, "#!/usr/bin/env node\n//---\n// name: x\n//---\n"),
    ] {
        assert_eq!(good(text, kind).name.as_deref(), Some("x"), "{text:?}");
    }
}

#[test]
fn comments_that_are_no_front_matter() {
    for text in [
        "",
        "\n",
        "#!/bin/sh",
        "x()\n-----\n-- name: x\n-----\n",
        "-----------------------\n-- name: x\n-----------------------\n",
        "----\n-- name: x\n----\n",
        "---\n--- This module does a thing.\n---\nlocal x\n",
        "---\n--- name: x\n---\n",
        "---\n-- Written by: me\n---\n",
        "---\nlocal x = 1\n---\n",
        "---\n",
        "---\n---\n",
        "--[[\nname: x\n]]\n",
        "--[[---\nname: x\n---]]\n",
        "--- name: x\n",
    ] {
        assert_eq!(parse(text, Lua), Ok(None), "{text:?}");
    }
}

#[test]
fn all_keys_with_their_types() {
    let text = r#"-----
-- name: "Permission: gate"
-- description: >
--   folded into
--   one line
-- api: 1
-- grants:
--   exec: [git, "cargo"]
--   read:
--     - src/**
--   net: []
-- examples:
--   - tool: bash
--     command: rm -rf /
--     expect: deny
--     reason: recursive
--   - { tool: mcp__x__y, input: { n: 1 }, expect: ask }
-----
"#;
    let found = good(text, Lua);
    assert_eq!(found.name.as_deref(), Some("Permission: gate"));
    assert_eq!(found.description.as_deref(), Some("folded into one line"));
    assert_eq!(found.api, Some(1));
    assert_eq!((found.grants.exec.len(), found.grants.read.len(), found.grants.net.len()), (2, 1, 0));
    assert!(!found.grants.is_empty());
    let examples: Vec<_> = found
        .examples
        .iter()
        .map(|example| {
            let call = serde_json::Value::Object(example.call.clone());
            format!("{} {call} {:?} {:?}", example.line, example.expect, example.reason)
        })
        .collect();
    assert_snapshot!(examples.join("\n"), @r#"
    13 {"tool":"bash","command":"rm -rf /"} Deny Some("recursive")
    17 {"tool":"mcp__x__y","input":{"n":1}} Ask None
    "#);
}

#[test]
fn nothing_between_the_delimiters() {
    for text in ["-----\n-----\n", "-----\n--\n-- # only a comment\n\n-----\n"] {
        assert_eq!(good(text, Lua), FrontMatter::default());
    }
}

#[test]
fn the_lenient_reading_of_old_files() {
    let text = "#!/bin/bash\n#---\n# name: Go: format check\n# type:file\n# pattern: *.go\n# ignore: [a-z]*.go # generated\n# notify_llm: false\n# timeout: 30\n# description: uses: colons\n# event: \"files_changed\"\n#---\n";
    let found = good(text, Executable);
    assert_eq!(found.name.as_deref(), Some("Go: format check"));
    assert_eq!(found.description.as_deref(), Some("uses: colons"));
    let executable = found.executable.unwrap();
    assert_eq!(executable.event, Lifecycle::FilesChanged.into());
    assert_eq!(executable.patterns, ["*.go"]);
    assert_eq!(executable.ignore, ["[a-z]*.go"]);
    assert!(!executable.notify && !executable.answers);
    assert_eq!(executable.time_limit(), Duration::from_secs(30));
}

#[test]
fn strict_yaml_reads_the_seeds_example() {
    let text =
        "#!/bin/bash\n#---\n# name: Go format check\n# type: file\n# pattern: \"*.go\"\n#---\ngofmt -l\n";
    let executable = good(text, Executable).executable.unwrap();
    assert_eq!(executable.patterns, ["*.go"]);
    assert!(executable.notify);
}

/// The matter of an executable, as its front matter comes to be.
fn executable(matter: &str) -> Result<snaphook_core::Executable, String> {
    let inner: String = matter.lines().map(|line| format!("# {line}\n")).collect();
    let text = format!("#!/bin/sh\n#---\n{inner}#---\n");
    let diagnostics = |diagnostics: Vec<Diagnostic>| show(&diagnostics).trim_end().to_owned();
    let found = parse(&text, Executable).map_err(diagnostics)?.unwrap();
    found.executable.ok_or_else(|| "none".to_owned())
}

#[test]
fn types_are_other_names_of_events_and_each_event_has_its_time() {
    for (matter, event, seconds, answers) in [
        ("type: session", Lifecycle::Startup, 300, false),
        ("type: file\npattern: x", Lifecycle::FilesChanged, 900, false),
        ("type: pre-commit", Lifecycle::PreCommit, 900, false),
        ("event: tool_call", Lifecycle::ToolCall, 60, true),
        ("event: agent_end", Lifecycle::AgentEnd, 30, true),
        ("event: startup\ntype: session", Lifecycle::Startup, 300, false),
        ("event: files_changed", Lifecycle::FilesChanged, 900, true),
        ("event: tool_call\ntimeout: 10s", Lifecycle::ToolCall, 10, true),
        ("event: tool_call\ntimeout: 5m", Lifecycle::ToolCall, 300, true),
        ("event: tool_call\ntimeout: 7", Lifecycle::ToolCall, 7, true),
        ("event: tool_call\ntimeout: '2h'", Lifecycle::ToolCall, 7200, true),
    ] {
        let found = executable(matter).unwrap();
        let event: snaphook_core::EventName = event.into();
        assert_eq!(
            (found.event.clone(), found.time_limit().as_secs(), found.answers),
            (event, seconds, answers),
            "{matter}"
        );
    }
    assert_eq!(executable("event: task.completed").unwrap().event.as_str(), "task.completed");
    assert_eq!(executable("name: x").unwrap_err(), "none");
}

#[test]
fn patterns_are_a_text_or_a_list() {
    let one = executable("type: file\npattern: \"*.go\"\nignore: [\"gen/\", \"*_gen.go\"]").unwrap();
    assert_eq!((one.patterns, one.ignore), (vec!["*.go".into()], vec!["gen/".into(), "*_gen.go".into()]));
    let many = executable("type: pre-commit\npattern:\n  - a\n  - b").unwrap();
    assert_eq!(many.patterns, ["a", "b"]);
    assert_eq!(executable("type: session\nrun_as: root").unwrap().run_as, snaphook_core::RunAs::Root);
    assert_eq!(executable("type: session").unwrap().run_as, snaphook_core::RunAs::User);
}

#[test]
fn what_is_wrong_with_an_executable_is_told_with_its_line() {
    for (matter, expected) in [
        (
            "type: fil",
            "3: `type` is `fil`; did you mean `file`? (it may be session, file or pre-commit; `event` names any other event)",
        ),
        ("event: tool_cal", "3: unknown event \"tool_cal\"; did you mean \"tool_call\"?"),
        (
            "name: x\ntype: file",
            "4: `type: file` needs a `pattern` (name the files that it checks: `pattern: \"*.go\"`, or `pattern: \"*\"` for all)",
        ),
        (
            "type: session\nevent: tool_call",
            "3: `type` says `startup`, `event` says `tool_call` (keep one of them)",
        ),
        (
            "event: tool_call\npattern: x",
            "4: `pattern` is a key of checks of files, and this is for `tool_call` (remove it, or name another event)",
        ),
        (
            "event: tool_call\nrun_as: root",
            "4: `run_as` is a key of what runs at the start, and this is for `tool_call` (remove it, or name another event)",
        ),
        ("type: session\nrun_as: admin", "4: `run_as` is `admin` (it may be `user` or `root`)"),
        (
            "type: file\npattern: 'a['",
            "4: `pattern`: the pattern \"a[\" is not a glob: unclosed character class; missing ']'",
        ),
        ("type: file\npattern: []", "4: `pattern` is an empty list"),
        ("type: file\npattern: x\nnotify_llm: 'no'", "5: `notify_llm` has to be true/false, but it is text"),
        (
            "type: session\ntimeout: 0",
            "4: `timeout` is 0 s (write seconds, or `500ms`, `10s`, `5m`, `1h`; a day is the most)",
        ),
        (
            "type: session\ntimeout: 2 weeks",
            "4: `timeout` is 2 weeks (write seconds, or `500ms`, `10s`, `5m`, `1h`; a day is the most)",
        ),
        (
            "type: session\nblocking: false",
            "4: unknown key `blocking` (there are name, description, api, grants, on_failure, examples, type, event, pattern, ignore, notify_llm, run_as, timeout, compat, hold)",
        ),
        (
            "event: tool_call\nhold: {deny_writes: [a]}",
            "4: `hold` has an unknown key `deny_writes`; did you mean `deny_write`?",
        ),
        (
            "event: tool_call\nhold: {}",
            "4: `hold` is empty: expected at least one of profile, deny_write, deny_read, only_write, net, deny_exec, env",
        ),
        ("event: tool_result\non_failure: block", "4: `on_failure` is `block` (it may be keep or withhold)"),
        (
            "event: tool_call\non_failure: withhold",
            "4: `on_failure` is a key of hooks for `tool_result` and `mcp.server_message`, and this is for `tool_call` (remove it)",
        ),
        ("type: session\ntimeot: 5", "4: unknown key `timeot` (did you mean `timeout`?)"),
    ] {
        let expected = expected.replace("true/false", "true or false");
        assert_eq!(executable(matter).unwrap_err(), expected, "{matter}");
    }
}

#[test]
fn delimiters_gone_wrong() {
    assert_snapshot!(diagnostics("#!/bin/snaphook\n\n-----\n-- name: x\non()\n", Lua), @"3: front matter is opened here and never closed (close it with a line `-----`; if this line is only a comment, use another number of dashes)");
    assert_snapshot!(diagnostics("-----\n-- name: x\non()\n-----\n", Lua), @"3: does not start with `--` like the front matter opened on line 1 (start it with `--`, or close the front matter before it)");
    assert_snapshot!(diagnostics("---\nname: x\n-----\n", Lua), @"1: front matter is opened here and never closed (close it with a line `---`; if this line is only a comment, use another number of dashes)");
    assert_snapshot!(diagnostics("//---\n// name: x\n---\n", Rhai), @"1: front matter is opened here and never closed (close it with a line `//---`; if this line is only a comment, use another number of dashes)");
    assert_snapshot!(diagnostics("-----\n-- A banner\n-----\n", Lua), @"2: front matter line is not `key: value`: `A banner` (write a key, a colon and a value, or start the line with `#`)");
    assert_snapshot!(diagnostics(&format!("-----\n{}-----\n", "-- # filler\n".repeat(8000)), Lua), @"1: front matter is larger than 64 KiB");
}

#[test]
fn hooks_say_what_becomes_of_results_where_they_fail() {
    for (lines, want) in [
        (&["name: x"][..], OnFailure::Keep),
        (&["on_failure: keep"], OnFailure::Keep),
        (&["name: x", "on_failure: withhold"], OnFailure::Withhold),
        (&["on_failure: \"withhold\""], OnFailure::Withhold),
    ] {
        let matter = |leader: &str| lines.iter().map(|line| format!("{leader} {line}\n")).collect::<String>();
        let (lua, rhai) = (matter("--"), matter("//"));
        let executable = format!("#!/bin/sh\n#---\n{}# event: tool_result\n#---\n", matter("#"));
        for (kind, text) in [
            (Lua, format!("-----\n{lua}-----\n")),
            (Rhai, format!("//---\n{rhai}//---\n")),
            (Executable, executable),
        ] {
            assert_eq!(good(&text, kind).on_failure, want, "{text}");
        }
    }
    for (line, want) in [
        (
            "on_failure: withold",
            "2: `on_failure` is `withold`; did you mean `withhold`? (it may be keep or withhold)\n",
        ),
        (
            "on_failure: true",
            "2: `on_failure` has to be text, but it is a true/false value (put it in quotes)\n",
        ),
        ("on_failur: withhold", "2: unknown key `on_failur` (did you mean `on_failure`?)\n"),
    ] {
        assert_eq!(lua_faults(&[line]), want);
    }
}

#[test]
fn yaml_gone_wrong() {
    assert_snapshot!(lua_faults(&["name: x", "grants:", "  exec: [git"]), @"4: front matter is not valid YAML: unclosed bracket '[' (put values with special characters in quotes)");
    assert_snapshot!(lua_faults(&["name: x", "grants:", "  exec: *git"]), @"4: front matter is not valid YAML: alias references unknown anchor (put values with special characters in quotes)");
    assert_snapshot!(lua_faults(&["name: x", "just words"]), @"3: front matter line is not `key: value`: `just words` (write a key, a colon and a value, or start the line with `#`)");
    assert_snapshot!(lua_faults(&["- name", "- other"]), @"2: front matter is a list, not `key: value` lines");
    assert_snapshot!(lua_faults(&["name: \"open", "description: x"]), @"3: front matter is not valid YAML: invalid indentation in multiline quoted scalar (put values with special characters in quotes)");
    assert_snapshot!(lua_faults(&["name: |", "two: |"]), @"
    2: `name` is empty
    3: unknown key `two` (there are name, description, api, grants, on_failure, examples)
    ");
}

#[test]
fn yaml_bombs_are_refused() {
    let bomb = ["a: &a [x, x, x]", "b: &b [*a, *a, *a]", "c: &c [*b, *b, *b]", "examples: [*c, *c]"];
    assert_snapshot!(lua_faults(&bomb), @"2: front matter may not use anchors (`&`) and aliases (`*`) (write the value out)");
    let deep = format!("examples: {}1{}", "[".repeat(500), "]".repeat(500));
    assert_snapshot!(lua_faults(&[&deep]), @"2: front matter is not valid YAML: recursion limit exceeded (put values with special characters in quotes)");
    let deep = format!("{}1", "- ".repeat(400));
    assert_snapshot!(lua_faults(&["examples:", &format!(" {deep}")]), @"3: front matter is nested too deeply or has too many values (keep it short)");
    let wide = format!("examples: [{}1]", "1, ".repeat(10_000));
    assert_snapshot!(lua_faults(&[&wide]), @"2: front matter is nested too deeply or has too many values (keep it short)");
}

#[test]
fn examples_gone_wrong() {
    assert_snapshot!(
        lua_faults(&[
            "examples:",
            "  - { tool: bash, command: ls, expect: alow }",
            "  - { tool: bash, comand: ls, expect: allow }",
            "  - { command: ls, expect: allow }",
            "  - { tool: bash, command: ls }",
            "  - bash ls",
            "  - { tool: bash, command: 7, expect: deny, expect: deny }",
            "  - { tool: bash, input: ls, expect: deny }",
            "  - { tool: bash, command: ls, input: {}, expect: deny }",
            "  - { tool: bash, command: ls, expect: deny, reason: }",
        ]),
        @"
    3: `expect` is `alow` (it is allow, ask or deny)
    4: unknown key of an example `comand` (did you mean `command`?)
    5: an example has no `tool` (write `{ tool: bash, command: \"ls\", expect: allow }`)
    6: an example has no `expect` (write `{ tool: bash, command: \"ls\", expect: allow }`)
    7: an example is text, not a map (write `{ tool: bash, command: \"ls\", expect: allow }`)
    8: duplicate key `expect`, first on line 8 (keep one of them)
    8: `command` has to be text, but it is a number (put it in quotes)
    9: `input` has to be a map, but it is text
    10: `input` is the whole input of a call, so no other field may be given
    11: `reason` has to be text, but it is empty
    "
    );
    let many = format!("examples: [{}]", "{ tool: bash, expect: allow }, ".repeat(101));
    assert_snapshot!(lua_faults(&[&many]), @"2: `examples` has more than 100 entries (move them to a test file beside the hook)");
}

#[test]
fn keys_gone_wrong() {
    assert_snapshot!(
        lua_faults(&[
            "name: 12",
            "nmae: x",
            "description:",
            "api: 2",
            "zebra: 1",
            "name: again",
            "pattern: x",
            "examples: none",
            "<<: {}",
        ]),
        @"
    2: `name` has to be text, but it is a number (put it in quotes)
    3: unknown key `nmae` (did you mean `name`?)
    4: `description` has to be text, but it is empty
    5: hook needs api 2, this snaphook offers 1 (upgrade snaphook)
    6: unknown key `zebra` (there are name, description, api, grants, on_failure, examples)
    7: duplicate key `name`, first on line 2 (keep one of them)
    8: `pattern` is a key of executable hooks, not of scripts (a script names its events and filters in its `on(…)` calls)
    9: `examples` has to be a list, but it is text
    10: unknown key `<<` (there are name, description, api, grants, on_failure, examples)
    "
    );
    for (lines, _) in [(["api: 0"], ()), (["api: \"1\""], ()), (["api: 1.5"], ()), (["name: \"\""], ())] {
        assert!(!lua_faults(&lines).is_empty());
    }
    assert_snapshot!(lua_faults(&["name: \"a\\nb\""]), @"2: `name` has more than one line");
    assert_snapshot!(lua_faults(&["name: \"a\\x1b[31m\"", "description: \"\\u202e\""]), @"
    2: `name` contains the control character U+001B
    3: `description` contains the control character U+202E
    ");
    assert_snapshot!(lua_faults(&[&format!("name: {}", "x".repeat(101))]), @"2: `name` is longer than 100 characters");
    assert_snapshot!(lua_faults(&[&format!("description: {}", "x".repeat(1001))]), @"2: `description` is longer than 1000 characters");
}

#[test]
fn a_flood_of_faults_is_cut() {
    let shown = lua_faults(&["name: x"; 1000]);
    assert_eq!(shown.lines().count(), 20);
    assert!(shown.contains("; and 979 more faults below"), "{shown}");
}

#[test]
fn grants_gone_wrong() {
    assert_snapshot!(lua_faults(&["grants: {all: true}"]), @"2: unknown grant `all` (there are exec, read, write, net, env)");
    assert_snapshot!(
        lua_faults(&[
            "grants:",
            "  exce: [git]",
            "  exec: git",
            "  net: [8080, \"\"]",
            "  read: {a: b}",
            "  env: [HOME]",
            "  env: [PATH]",
        ]),
        @"
    3: unknown grant `exce` (did you mean `exec`?)
    4: `grants.exec` has to be a list, but it is text (write `[git]`)
    5: `grants.net` has to be text, but it is a number (put it in quotes)
    6: `grants.read` has to be a list, but it is a map
    8: duplicate key `grants.env`, first on line 7 (keep one of them)
    "
    );
    assert_snapshot!(lua_faults(&["grants: all"]), @"2: `grants` has to be a map, but it is text (name each grant, for example `exec: [git]`; there are exec, read, write, net, env)");
    assert_snapshot!(lua_faults(&["grants: [exec]"]), @"2: `grants` has to be a map, but it is a list (name each grant, for example `exec: [git]`; there are exec, read, write, net, env)");
    assert_snapshot!(lua_faults(&["grants: all", "description: a: b"]), @"3: front matter is not valid YAML: mapping values are not allowed in this context (put values with special characters in quotes)");
}

#[test]
fn paths_gone_wrong() {
    let entries =
        ["../outside", "docs/../..", "a[", "{a", "", "!", "~root/x", "/etc/../x", "docs/./x", "a//b", "C:/x"];
    let diagnostic =
        |entry: &str| lua_faults(&["grants:", "  read: ['**']", &format!("  write: ['!x/', '{entry}']")]);
    assert_snapshot!(entries.map(diagnostic).concat(), @r#"
    4: `grants.write`: `../outside` climbs with `..`; relative entries mean paths in the project; write one outside of it as `~/…` or `/…`
    4: `grants.write`: `docs/../..` climbs with `..`; relative entries mean paths in the project; write one outside of it as `~/…` or `/…`
    4: `grants.write`: the pattern "a[" is not a glob: unclosed character class; missing ']'
    4: `grants.write`: the pattern "{a" is not a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    4: `grants.write` is empty
    4: `grants.write`: it names no path
    4: `grants.write`: `~root/x` names another person's home folder, which is not understood; write the whole path, or `./~root/x` for a file of that name
    4: `grants.write`: `/etc/../x` climbs with `..`; write the path that it leads to
    4: `grants.write`: `docs/./x` has a `.` that means nothing; leave it out
    4: `grants.write`: `a//b` has an empty name between two slashes; leave it out
    4: `grants.write`: `C:/x` begins with a drive, which is not understood; write it relative to the project or to `~/`
    "#);
    let fine = ["**", "docs/", "./x", "~/x", "~", "/", ".", "/srv/{a,b}/*.txt", "!secrets/", "a b", "[ab]?"];
    for entry in fine {
        let text = format!("-----\n-- grants:\n--   read: ['{entry}']\n-----\n");
        assert_eq!(parse(&text, Lua).unwrap().unwrap().grants.read, [entry]);
    }
}

#[test]
fn what_the_engine_compiles_keeps_its_lines() {
    for (kind, text, expected) in [
        (Lua, "-----\n-- name: x\n-----\non()\n", None),
        (Lua, "---\nname: x\n---\non()", Some("\n\n\non()")),
        (Lua, "#!x\r\n---\r\nname: x\r\n---\r\non()\r\n", Some("\n\n\n\non()\r\n")),
        (Lua, "---\n-- name: x\n---\non()", Some("\n\n\non()")),
        (Rhai, "-----\n-- name: x\n-----\non();", Some("\n\n\non();")),
        (Rhai, "//---\n// name: x\n//---\non();", None),
        (Lua, "#!x", Some("")),
        (Lua, "on()", None),
    ] {
        let block = split(text, kind).unwrap();
        assert_eq!(blank(text, block.as_ref(), kind).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn front_matter_below_the_top_is_pointed_at() {
    assert_eq!(misplaced("-- Copyright\n-----\n-- name: x\n-----\n", Lua), Some(2));
    assert_eq!(misplaced("-- Copyright\n//---\n// name: x\n", Rhai), Some(2));
    assert_eq!(misplaced("-- Copyright\n-----\n-- Words\n-----\n", Lua), None);
    let sandbox = crate::sandbox::Sandbox::new();
    sandbox.user("guard.lua", "-- Copyright\n-----\n-- name: x\n-----\n");
    assert_snapshot!(sandbox.report_all(), @"
    hook guard (user) ~/.config/snaphook/hooks/guard.lua
    Warning ~/.config/snaphook/hooks/guard.lua:2: looks like front matter, which is read at the top of the file only (move it to the first line)
    ");
}
