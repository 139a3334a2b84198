//! Every function of the API, one line each.

use snaphook_core::UiReply;

use crate::support::*;

#[test]
fn functions_do_what_they_say() {
    for (expression, expected) in [
        ("ctx.session_id", "s1"),
        ("ctx.session_path == nil", "true"),
        ("ctx.cwd", "/p"),
        ("ctx.project_root", "/p"),
        ("ctx.agent", "snaphook"),
        ("ctx.scope", "user"),
        ("ctx.hook", "guard"),
        ("ctx.has_ui", "false"),
        ("ctx.cancelled", "false"),
        ("ctx.ui.confirm('t', 'm')", "false"),
        ("ctx.ui.select('t', { 'a', 'b' }) == nil", "true"),
        ("ctx.ui.input('t') == nil", "true"),
        ("ctx.ui.editor('t', 'x') == nil", "true"),
        (
            "ctx.exec('echo', { 'a', 1 }, { timeout = 1.5, cwd = 'x', env = { A = 'b' }, stdin = 'y' }).stdout",
            "a 1",
        ),
        ("ctx.exec('echo').code", "0"),
        ("select(2, pcall(ctx.exec, 'missing'))", "guard.lua:2: \"missing\" was not found"),
        (
            "select(2, pcall(ctx.exec, 'x', {}, { timout = 1 }))",
            "guard.lua:2: ctx.exec has no option `timout`; did you mean `timeout`?",
        ),
        (
            "select(2, pcall(ctx.exec, 'x', { {} }))",
            "guard.lua:2: the arguments of ctx.exec are a list of texts, like { \"status\", \"--short\" }",
        ),
        (
            "select(2, pcall(ctx.send, 'x', { deliver = 'later' }))",
            "guard.lua:2: `deliver` is \"now\", \"next_turn\" or \"follow_up\", not \"later\"",
        ),
        ("select(2, pcall(ctx.ui.select, 't', {}))", "guard.lua:2: ctx.ui.select needs at least one option"),
        (
            "select(2, pcall(function() return ctx.hasUI end))",
            "guard.lua:2: ctx has no `hasUI`; did you mean ctx.has_ui? (it has exec, ui, send, emit, state, store, log, cwd, project_root, session_id, session_path, has_ui, agent, scope, hook, cancelled)",
        ),
        ("ctx.state.get('a', 'none')", "none"),
        ("ctx.state.set('a', { 1, { b = 2 } }) or ctx.state.get('a')[2].b", "2"),
        (
            "ctx.store.set('a', 1) or ctx.store.set('b', 1) or ctx.store.delete('a') or table.concat(ctx.store.keys(), ',')",
            "b",
        ),
        ("snaphook.env.get('A')", "value of A"),
        ("snaphook.env.get('UNSET') == nil", "true"),
        ("snaphook.env.get('UNSET', 'other')", "other"),
        (
            "select(2, pcall(snaphook.env.get, 'SECRET', 'other'))",
            "guard.lua:2: the environment variable SECRET is not granted",
        ),
        ("snaphook.json.encode({ b = 1, a = { true, 1.5, 'x' } })", r#"{"a":[true,1.5,"x"],"b":1}"#),
        ("snaphook.json.encode(snaphook.json.array({}))", "[]"),
        ("snaphook.json.encode({ snaphook.json.null })", "[null]"),
        ("snaphook.json.encode(snaphook.json.decode('[1, {\"a\": []}]'))", r#"[1,{"a":[]}]"#),
        ("snaphook.json.encode({ a = 1 }, true)", "{\n  \"a\": 1\n}"),
        (
            "select(2, pcall(snaphook.json.decode, '{'))",
            "guard.lua:2: not JSON: EOF while parsing an object at line 1 column 1",
        ),
        ("snaphook.glob.matches('*.rs', 'src/a.rs')", "true"),
        ("snaphook.glob.matches({ '*.rs', '!a.rs' }, 'src/a.rs')", "false"),
        ("snaphook.glob.matches({}, 'src/a.rs')", "false"),
        ("snaphook.path.join('a', 'b', '../c')", "a/b/../c"),
        ("snaphook.path.normalize('a/b/../c')", "a/c"),
        ("snaphook.path.resolve('/p', 'x')", "/p/x"),
        ("snaphook.path.relative('/p/x', '/p')", "x"),
        ("snaphook.path.is_inside('/p/x', '/p')", "true"),
        ("snaphook.path.is_absolute('/p')", "true"),
        (
            "snaphook.path.basename('/p/x.rs') .. snaphook.path.dirname('/p/x.rs') .. snaphook.path.extension('/p/x.rs')",
            "x.rs/prs",
        ),
        ("snaphook.regex.matches('^a+$', 'aa')", "true"),
        ("snaphook.regex.find('(?<k>\\\\w)=(x)?', 'a=').names.k", "a"),
        ("snaphook.regex.find('(?<k>\\\\w)=(x)?', 'a=').groups[2]", "false"),
        ("snaphook.regex.find('z', 'a') == nil", "true"),
        ("#snaphook.regex.find_all('a', 'aaa')", "3"),
        ("snaphook.regex.replace('a(b)', 'xab', '$1')", "xb"),
        ("snaphook.regex.escape('a.b')", "a\\.b"),
        ("snaphook.time.now()", "1790000000"),
        ("snaphook.time.iso()", "2026-09-21T14:13:20Z"),
        ("snaphook.time.parse('1970-01-01T00:00:10Z')", "10"),
        ("snaphook.shell.quote(\"it's\")", "'it'\\''s'"),
        ("#snaphook.shell.commands('a &> b', { shell = 'bash' })", "1"),
        ("snaphook.shell.commands('a &> b', { shell = 'sh' }) == nil", "true"),
        ("snaphook.shell.commands('curl -o x h; sh x')[2].opaque.written", "true"),
        ("snaphook.shell.commands(\"perl -e 'x'\")[1].opaque.language", "perl"),
        ("snaphook.shell.commands('rm $X')[1].args[1].many", "true"),
        ("snaphook.version", env!("CARGO_PKG_VERSION")),
        ("('a.b'):find('.', 1, true)", "2"),
        ("('hello'):find('l')", "3"),
        ("('hello'):find('l', -2)", "4"),
        ("('hello'):find('', 10) == nil", "true"),
        ("('hello'):find('h(e)l')", "1"),
        ("select('#', pcall(function() end))", "1"),
        ("table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), ',')", "2,3,3"),
        ("(function() local t = { 3, 1, 2 } table.sort(t) return table.concat(t, ',') end)()", "1,2,3"),
        ("table.concat({ 1, 2, 3 }, '-', 2)", "2-3"),
        ("(function() local n = 0 for k in pairs({ a = 1, b = 2 }) do n += 1 end return n end)()", "2"),
        ("next({}) == nil", "true"),
    ] {
        let bed = handler(&format!("return {{ context = tostring(({expression})) }}"));
        assert_eq!(bed.say(), format!("context {expected}"), "{expression}");
    }
}

#[test]
fn a_slip_of_the_pen_is_an_error() {
    for (expression, expected) in [
        ("comand == 'rm'", "there is no variable \"comand\" here"),
        ("_G.comand", "there is no variable \"comand\" here"),
        ("ctx.exec('echo').exit_code", "the result of ctx.exec has no `exit_code`"),
        ("snaphook.regex.find('a', 'a').txt", "a match has no `txt`; did you mean a match.text?"),
        (
            "snaphook.shell.commands('a > b')[1].redirects[1].writes",
            "a redirect has no `writes`; did you mean a redirect.write? (it has target, read, write, append, fd)",
        ),
        ("snaphook.shell.commands('a')[1].cmd", "a shell command has no `cmd`"),
        (
            "snaphook.shell.commands('sh x')[1].opaque.langage",
            "cmd.opaque has no `langage`; did you mean cmd.opaque.language?",
        ),
        (
            "snaphook.shell.commands('a', { shel = 'sh' })",
            "snaphook.shell.commands has no option `shel`; did you mean `shell`?",
        ),
        (
            "snaphook.shell.commands('a', { shell = 'zsh' })",
            "the option `shell` of snaphook.shell.commands: expected \"bash\" or \"sh\", found \"zsh\"",
        ),
    ] {
        let bed = handler(&format!("return {{ context = tostring({expression}) }}"));
        let said = bed.say();
        assert!(said.starts_with(&format!("error at guard.lua:2: {expected}")), "{expression}: {said}");
    }
    for (expression, expected) in [
        ("ctx.exec('echo').signal", "nil"),
        ("snaphook.json.encode(snaphook.regex.find('a', 'a').groups)", "[]"),
        // These are absent, not misspelt.
        ("snaphook.shell.commands('a')[1].opaque", "nil"),
        ("snaphook.shell.commands('sh x')[1].opaque.code", "nil"),
    ] {
        let bed = handler(&format!("return {{ context = tostring({expression}) }}"));
        assert_eq!(bed.say(), format!("context {expected}"), "{expression}");
    }
}

#[test]
fn what_a_script_does_reaches_the_host() {
    let bed = handler(
        "print('a', 1, nil) ctx.log('b', 'warn') ctx.send('c', { deliver = 'follow_up' }) ctx.send('d')\n\
         ctx.ui.notify('e', 'error') ctx.ui.set_status('k', 'f') ctx.ui.set_status('k')",
    );
    assert_eq!(bed.say(), "nothing");
    assert_eq!(
        bed.fake.noted(),
        [
            "info: a\t1\tnil",
            "warn: b",
            "send follow_up c",
            "send next_turn d",
            "Message { text: \"e\", level: Error }",
            "Status { key: \"k\", text: Some(\"f\") }",
            "Status { key: \"k\", text: None }",
        ]
    );
}

#[test]
fn a_person_answers() {
    for (expression, reply, expected) in [
        ("ctx.ui.confirm('t')", UiReply::Confirmed(true), "true"),
        ("ctx.ui.select('t', { 'a', 'b' })", UiReply::Selected(1), "b"),
        ("ctx.ui.input('t', 'i')", UiReply::Text("typed".into()), "typed"),
        ("ctx.ui.editor('t')", UiReply::Text("long".into()), "long"),
        ("ctx.ui.input('t')", UiReply::Nothing, "nil"),
        ("ctx.has_ui", UiReply::Nothing, "true"),
    ] {
        let source = format!(
            "on('tool_call', function(event, ctx) return {{ context = tostring(({expression})) }} end)"
        );
        let fake = Fake { answers: vec![reply].into(), ..Fake::default() };
        let bed = load_with(&source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(bed.say(), format!("context {expected}"), "{expression}");
    }
}
