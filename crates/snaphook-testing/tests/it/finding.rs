//! The tests that are found, and the hooks that a test may load.

use std::path::PathBuf;

use snaphook::Language;
use snaphook_testing::{Filter, find, run};

use crate::support::{TestProject, failure, options};

const HOOK: &str = "on('tool_call', function() end)";
const TEST: &str = "test('it', function(t) t.tool_call{tool = 'bash'} end)";
const EXAMPLES: &str =
    "-----\n-- examples:\n--   - { tool: bash, expect: allow }\n-----\non('tool_call', function() end)";

fn found(place: &TestProject, paths: &[&str]) -> String {
    let results = place.run(paths);
    let suites = results.suites.iter().map(|suite| suite.file.display().to_string());
    let problems = results.problems.iter().map(ToString::to_string);
    suites.chain(problems).collect::<Vec<_>>().join(" | ")
}

fn project() -> TestProject {
    TestProject::with(&[
        (".snaphook/hooks/guard.lua", HOOK),
        (".snaphook/hooks/guard.test.lua", TEST),
        (".snaphook/hooks/folder/init.lua", HOOK),
        (".snaphook/hooks/folder/init.test.lua", TEST),
        (".snaphook/hooks/folder/lib/part.lua", "-- examples: are none here"),
        ("other/beside/init.lua", HOOK),
        ("other/beside.test.rhai", "test(\"it\", |t| { t.tool_call(#{ tool: \"x\" }); });"),
        ("examples/a.lua", EXAMPLES),
        ("examples/sub/b10.test.lua", TEST),
        ("examples/sub/b10.lua", HOOK),
        ("examples/sub/b2.test.luau", TEST),
        ("examples/sub/b2.luau", HOOK),
        ("examples/bad.lua", "-----\n-- examples: none\n-----\n"),
        ("target/generated.test.lua", TEST),
        (".hidden/x.test.lua", TEST),
        (".gitignore", "target\n"),
        ("home/.config/snaphook/hooks/own.lua", HOOK),
        ("home/.config/snaphook/hooks/own.test.lua", TEST),
    ])
}

#[test]
fn paths_are_folders_hooks_or_tests() {
    let place = project();
    for (paths, expected) in [
        (
            &[][..],
            ".snaphook/hooks/folder/init.test.lua | .snaphook/hooks/guard.test.lua | examples/a.lua | \
             examples/sub/b2.test.luau | examples/sub/b10.test.lua | other/beside.test.rhai | examples/bad.lua:2: `examples` has to be a list, \
             but it is text",
        ),
        (&["other/beside"], "other/beside.test.rhai"),
        (&["./examples/./sub/"], "examples/sub/b2.test.luau | examples/sub/b10.test.lua"),
        (&["examples/sub/b2.luau"], "examples/sub/b2.test.luau"),
        (&["examples/a.lua"], "examples/a.lua"),
        (
            &["examples/sub/b10.test.lua", "examples/sub"],
            "examples/sub/b10.test.lua | examples/sub/b2.test.luau",
        ),
        (&[".snaphook/hooks/folder"], ".snaphook/hooks/folder/init.test.lua"),
        (&["target"], "target/generated.test.lua"),
        (
            &[".snaphook/hooks/folder/lib/part.lua"],
            ".snaphook/hooks/folder/lib/part.lua: has no test (write part.test.lua beside it, or `examples` in its front \
             matter)",
        ),
        (&["nowhere"], "nowhere: does not exist (check the path)"),
        (
            &[".gitignore"],
            ".gitignore: is neither a hook nor a test (a test ends in .test.lua or .test.rhai)",
        ),
    ] {
        assert_eq!(found(&place, paths), expected, "{paths:?}");
    }
}

#[test]
fn the_projects_hooks_are_found_from_below() {
    let place = project();
    let mut directories = place.directories();
    directories.cwd = directories.cwd.join("target");
    let results = run(&find(&directories, &[]), &options(), &mut ());
    let files: Vec<_> = results.suites.iter().map(|suite| suite.file.display().to_string()).collect();
    assert_eq!(
        files,
        [
            "../.snaphook/hooks/folder/init.test.lua",
            "../.snaphook/hooks/guard.test.lua",
            "generated.test.lua"
        ]
    );
    assert_eq!(results.passed(), 2, "{results:?}");
}

#[test]
fn the_users_own_hooks_are_tested_where_there_are_no_others() {
    let place = TestProject::with(&[
        ("home/.config/snaphook/hooks/own.lua", HOOK),
        ("home/.config/snaphook/hooks/own.test.lua", TEST),
        ("code/readme.md", ""),
    ]);
    let mut directories = place.directories();
    directories.cwd = directories.cwd.join("code");
    let found = find(&directories, &[]);
    assert_eq!(found.len(), 1);
    assert!(found.looked.iter().any(|path| path.ends_with(".config/snaphook/hooks")));
}

#[test]
fn a_test_loads_nothing_outside_of_the_project() {
    let place = TestProject::with(&[
        (
            ".snaphook/hooks/a.test.lua",
            "test('it', function(t) t.load('../../inside') t.tool_call{tool = 'x'} end)",
        ),
        (".snaphook/hooks/b.test.lua", "test('it', function(t) t.load('../../../outside') end)"),
        ("inside.lua", HOOK),
    ]);
    let outside = place.directories().cwd.parent().unwrap().join("outside.lua");
    // Beside the project's own folder, in the folder for temporary files.
    let made = !outside.exists();
    if made {
        std::fs::write(&outside, HOOK).unwrap();
    }
    let results = place.run(&[".snaphook/hooks"]);
    if made {
        std::fs::remove_file(&outside).unwrap();
    }
    assert_eq!(failure(&results.suites[0].tests[0]), "");
    let b = failure(&results.suites[1].tests[0]);
    assert!(b.contains("leads out of"), "{b}");
}

#[test]
fn names_are_filtered_by_text_or_pattern() {
    let tests: String =
        ["one (1)", "two", "three"].map(|n| format!("test('{n}', function(t) end)\n")).concat();
    let place = TestProject::with(&[("a.test.lua", &tests), ("b.lua", EXAMPLES)]);
    for (filter, expected) in [
        ("o", "one (1) two bash  => allow"),
        ("(1)", "one (1)"),
        ("^t", "two three"),
        ("bash", "bash  => allow"),
        ("zzz", ""),
    ] {
        let mut options = options();
        options.filter = Some(Filter::new(filter));
        let results = place.run_with(&[], &options);
        let names: Vec<_> =
            results.suites.iter().flat_map(|suite| &suite.tests).map(|test| test.name.as_str()).collect();
        let mut expected: Vec<_> = vec![expected];
        expected.retain(|text| !text.is_empty());
        assert_eq!(vec![names.join(" ")].into_iter().filter(|n| !n.is_empty()).collect::<Vec<_>>(), expected);
        assert_eq!(results.filtered() + names.len(), 4, "{filter}");
    }
}

#[test]
fn a_language_chooses_the_hook() {
    let place = TestProject::with(&[
        ("guard.lua", "on('tool_call', function() return { block = true, reason = 'lua' } end)"),
        (
            "guard.test.lua",
            "test('it', function(t) expect(t.tool_call{tool = 'bash'}).denied('^lua$') end)
             test('named', function(t) t.load('guard') expect(t.tool_call{tool = 'bash'}).denied('^lua$') end)",
        ),
    ]);
    let mut options = options();
    options.language = Some(Language::Lua);
    assert_eq!(place.run_with(&[], &options).passed(), 2);
    options.language = Some(Language::Rhai);
    let results = place.run_with(&[], &options);
    place.write("guard.rhai", "on(\"tool_call\", |event| #{ block: true, reason: \"rhai\" });");
    let twin = place.run_with(&[], &options);
    for test in &twin.suites[0].tests {
        assert!(failure(test).contains("deny  guard guard.rhai:1: rhai"), "{}", failure(test));
    }
    for test in &results.suites[0].tests {
        assert!(failure(test).contains("(looked for guard.rhai, guard)"), "{}", failure(test));
    }
}

#[test]
fn the_default_hook_is_the_one_beside_the_test() {
    for (files, expected) in [
        (&["guard.lua", "guard.luau", "guard/init.lua"][..], "guard.lua"),
        (&["guard.luau", "guard/init.lua"], "guard.luau"),
        (&["guard/init.lua", "guard/other.lua"], "guard/init.lua"),
    ] {
        let place = TestProject::with(&[(
            "guard.test.lua",
            "test('it', function(t) print(t.tool_call{tool = 'bash'}.reasons[1].file) end)",
        )]);
        for file in files {
            place.write(file, "on('tool_call', function() return { block = true, reason = 'x' } end)");
        }
        let results = place.run(&["guard.test.lua"]);
        assert_eq!(results.suites[0].tests[0].log, [expected], "{files:?}");
    }
    let none = TestProject::with(&[("guard.test.lua", TEST)]);
    let results = none.run(&[]);
    let failed = failure(&results.suites[0].tests[0]);
    assert!(failed.contains("there is none beside the test"), "{failed}");
    assert_eq!(results.suites[0].file, PathBuf::from("guard.test.lua"));
}
