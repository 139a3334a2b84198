//! Coverage: which lines of hooks ran.

use std::sync::Arc;

use snaphook::Language;
use snaphook_lua::LuaEngine;

use crate::support::{TestProject, options};

const HOOK: &str = "-- a comment
local words = require('lib/words')

on('tool_call', { tool = 'bash' }, function(event)
  if event.command == 'a' then
    return { block = true, reason = words.a() }
  end

  if event.command == 'b'
    or event.command == 'c' then
    local function never()
      return 1
    end
    return { block = true, reason = words.b(never) }
  end
end)

on('tool_result', function(event)
  -- never called
  return nil
end)
";

#[test]
fn lines_are_counted_over_all_tests() {
    let place = TestProject::with(&[
        ("guard/init.lua", HOOK),
        (
            "guard/lib/words.lua",
            "local M = {}\nfunction M.a()\n  return 'a'\nend\nfunction M.b()\n  return 'b'\nend\nreturn M\n",
        ),
        (
            "guard/init.test.lua",
            "test('a', function(t)
               expect(t.tool_call{tool = 'bash', command = 'a'}).denied('a')
               t.load('.')
               expect(t.tool_call{tool = 'bash', command = 'a'}).denied('a')
             end)
             test('x', function(t) expect(t.tool_call{tool = 'bash', command = 'x'}).allowed() end)",
        ),
        (
            "single.lua",
            "-----\n-- examples:\n--   - { tool: bash, expect: allow }\n-----\non('tool_call', function()\n  return nil\nend)\n",
        ),
    ]);
    let mut options = options();
    options.engines.insert(Language::Lua, Arc::new(LuaEngine::with_coverage().unwrap()));
    options.coverage = true;
    let results = place.run_with(&[], &options);
    assert_eq!(results.failed(), 0, "{results:?}");
    let mut text = String::new();
    for file in &results.coverage {
        text += &format!(
            "{} {}/{} not run {:?}\n",
            file.shown.display(),
            file.covered(),
            file.total(),
            file.uncovered()
        );
        text += &format!("  {:?}\n", file.lines.as_ref().unwrap());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_engine_that_counts_nothing_is_said_to() {
    let place = TestProject::with(&[
        ("guard.lua", "on('tool_call', function() end)"),
        ("guard.test.lua", "test('it', function(t) t.tool_call{tool = 'x'} end)"),
    ]);
    let mut options = options();
    assert!(place.run_with(&[], &options).coverage.is_empty());
    options.coverage = true;
    let results = place.run_with(&[], &options);
    assert_eq!(results.coverage[0].lines, None);
    assert_eq!(
        results.document()["coverage"][0],
        serde_json::json!({"file": "guard.lua", "available": false})
    );
    place.write("twin.rhai", "on(\"tool_call\", |event| ());");
    place.write("twin.test.rhai", "test(\"it\", |t| { t.tool_call(#{ tool: \"x\" }); });");
    let twin = place.run_with(&["twin.rhai"], &options);
    assert_eq!((twin.passed(), twin.coverage[0].lines.is_none()), (1, true));
}
