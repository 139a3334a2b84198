//! The texts of failures.

use crate::support::{failure, one};

const HOOK: &str = "-- line 1
on('tool_call', { tool = 'bash' }, function(event, ctx)
  if event.command == 'ask' then return { ask = 'Really?' } end
  if event.command == 'confirm' then ctx.ui.confirm('Sure?', 'of it') return { context = 'told' } end
  if event.command == 'notify' then ctx.ui.notify('done\\nwith it') ctx.send('mail') end
  if event.command == 'fail' then
    local function deep() error('it broke') end
    deep()
  end
  if event.command == 'malformed' then return { blok = true } end
  if event.command == 'rewrite' then return { command = 'other' } end
  return { block = event.command == 'no', reason = 'never' }
end)
on('tool_result', function(event) return { content = event.content .. ' and more' } end)";

const CASES: &[(&str, &str)] = &[
    ("a gate that allows", "expect(t.tool_call{tool = 'bash', command = 'ls'}).denied('never')"),
    ("a gate that denies", "expect(t.tool_call{tool = 'bash', command = 'no'}).allowed()"),
    ("another reason", "expect(t.tool_call{tool = 'bash', command = 'no'}).denied('^always$')"),
    ("headless", "expect(t.tool_call{tool = 'bash', command = 'ask'}).allowed()"),
    ("not asked", "expect(t.tool_call{tool = 'bash', command = 'no'}).asked()"),
    (
        "asked something else",
        "t.ui{confirm = true} expect(t.tool_call{tool = 'bash', command = 'confirm'}).asked('delete')",
    ),
    ("a hook that fails", "expect(t.tool_call{tool = 'bash', command = 'fail'}).allowed()"),
    ("a malformed answer", "expect(t.tool_call{tool = 'bash', command = 'malformed'}).allowed()"),
    ("notified", "expect(t.tool_call{tool = 'bash', command = 'notify'}).notified('never')"),
    ("sent", "expect(t.tool_call{tool = 'bash', command = 'ls'}).sent()"),
    (
        "input",
        "expect(t.tool_call{tool = 'bash', command = 'rewrite'}).input{command = 'rewrite', cwd = '/'}",
    ),
    ("content", "expect(t.tool_result{tool = 'bash', content = 'one\\ntwo'}).content('three')"),
    ("content of a call", "expect(t.tool_call{tool = 'bash', command = 'ls'}).content('three')"),
    ("a notice is not denied", "expect(t.emit('agent_end')).denied()"),
    ("short values", "expect('a').eq('b')"),
    (
        "long values",
        "expect({ a = 'the first of some long texts', b = { 1, 2, 3 }, c = { d = true }, e = 'the last' })\n\
           .eq({ a = 'the first of some long texts', b = { 1, 3 }, c = { d = true }, e = 'the end' })",
    ),
    ("texts of several lines", "expect('one\\ntwo\\nthree\\n').eq('one\\n2\\nthree\\n')"),
    ("no pattern", "expect('a').matches()"),
    ("nothing expected of input", "expect(t.tool_call{tool = 'bash'}).input{}"),
    ("a field that is not known", "t.tool_call{tool = 'bash', comand = 'ls'}"),
    ("a colon", "t:tool_call{tool = 'bash'}"),
    ("a colon of expect", "expect(1):eq(1)"),
    ("a member that is not known", "t.tool_cal{tool = 'bash'}"),
    ("an error of the test's own", "local function deep() error('oh no') end\ndeep()"),
    ("a variable that is not set", "expect(resul).eq(1)"),
    ("the hook's API", "on('tool_call', function() end)"),
    ("a function", "expect({ f = print }).eq(1)"),
];

#[test]
fn what_was_printed_is_kept_in_order() {
    let hook = "on('tool_call', function(event, ctx) print('seen', event.tool) ctx.log('odd', 'warn') end)";
    let result = one(
        hook,
        "print('before') t.tool_call{tool = 'bash'} print('after') for i = 1, 2000 do print(i) end",
    );
    assert_eq!(result.log[..4], ["before", "[guard] seen\\tbash", "[guard] warn: odd", "after"]);
    assert_eq!((result.log.len(), result.log[1000].as_str()), (1001, "… (there is more)"));
}

#[test]
fn failures_say_what_is_known() {
    let mut text = String::new();
    for (name, body) in CASES {
        let failed = failure(&one(HOOK, body));
        assert!(!failed.is_empty(), "{name} passed");
        text += &format!("### {name}\n{body}\n---\n{}\n\n", failed.trim_end());
    }
    insta::assert_snapshot!(text);
}
