//! The `examples` of front matter.

use std::time::Duration;

use snaphook_discovery::discover;
use snaphook_testing::self_check;

use crate::support::{TestProject, options};

const HOOK: &str = "-----
-- examples:
--   - { tool: bash, command: rm, expect: deny, reason: never }
--   - { tool: bash, command: rm, expect: deny, reason: always }
--   - { tool: bash, command: ls, expect: allow }
--   - { tool: bash, command: ls, expect: deny }
--   - { tool: bash, command: ask, expect: ask, reason: Really }
--   - { tool: bash, command: confirm, expect: ask, reason: Sure }
--   - { tool: bash, command: git, expect: allow }
--   - { tool: Bash, command: ls, expect: allow }
--   - { tool: write, path: a, content: b, agent: cursor, expect: deny, reason: a b cursor }
--   - { tool: bash, command: ls, expect: allow, reason: '(' }
-- grants: { exec: [git] }
-----
on('tool_call', { tool = 'bash' }, function(event, ctx)
  if event.command == 'ask' then return { ask = 'Really?' } end
  if event.command == 'confirm' and not ctx.ui.confirm('Sure?') then return { block = true, reason = 'no' } end
  if event.command == 'git' then ctx.exec('git') end
  return { block = event.command == 'rm', reason = 'never' }
end)
on('tool_call', { tool = 'write' }, function(event, ctx)
  return { block = true, reason = `{event.paths[1]} {event.content} {ctx.agent}` }
end)";

#[test]
fn examples_pass_or_fail_with_their_line() {
    let place = TestProject::with(&[("sub/guard.lua", HOOK)]);
    let results = place.run(&[]);
    let mut text = String::new();
    for test in &results.suites[0].tests {
        text += &format!("{} {}\n", test.line.unwrap(), test.name);
        if let Some(failure) = &test.failure {
            text += &format!("{}:{}\n{}\n", failure.file.display(), failure.line.unwrap(), failure.message);
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_self_check_is_bounded_in_time() {
    let slow = "-----
-- examples:
--   - { tool: bash, expect: allow }
--   - { tool: bash, expect: allow }
-----
on('tool_call', function() while true do end end)";
    let place = TestProject::with(&[("guard.lua", HOOK), ("slow.lua", slow)]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let directories = place.directories();
    let problems = |name: &str, time: Duration| {
        let hook = discover(&directories, &[name.into()]).hooks.remove(0);
        let check = self_check(&hook, &options(), runtime.handle(), time);
        check.problems(&hook).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(problems("guard.lua", Duration::from_secs(30)));
    let slow = problems("slow.lua", Duration::from_millis(50));
    assert!(slow.contains("2 of its examples were not tried"), "{slow}");
    runtime.shutdown_background();
}
