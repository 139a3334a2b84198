//! Scripts that load, and those that must not.

use serde_json::json;
use snaphook_core::{Event, ToolCall};

use crate::support::*;

fn problem(source: &str) -> String {
    match try_load(source, &[]) {
        Ok(_) => "loads".to_owned(),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn what_does_not_load_says_where_and_why() {
    for (source, expected) in [
        (
            r#"on("tool_cal", |event| ());"#,
            "guard.rhai:1: unknown event \"tool_cal\"; did you mean \"tool_call\"?",
        ),
        (
            "\n\non(\"tool_call\" |event| ())",
            "guard.rhai:3: there is no variable \"event\" here: it is the first argument of handlers, |event|",
        ),
        ("let x = ();\nx.y.z = 1;", "guard.rhai:2: "),
        (r#"throw "mine""#, "guard.rhai:1: mine"),
        (r#"throw #{ message: "mapped", code: 1 }"#, "guard.rhai:1: mapped"),
        ("throw 7", "guard.rhai:1: 7"),
        (
            r#"on("tool_call");"#,
            "guard.rhai:1: on() needs a function as its last argument; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            "on(|event| ());",
            "guard.rhai:1: on() takes two or three arguments; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            r#"on("tool_call", #{}, #{}, |event| ());"#,
            "guard.rhai:1: on() takes two or three arguments; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            r#"on("tool_call", || ());"#,
            "guard.rhai:1: a handler takes the event, or the event and ctx, but this one takes 0 arguments; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            "\non(\"tool_call\", |a, b, c| ());",
            "guard.rhai:2: a handler takes the event, or the event and ctx, but this one takes 3 arguments; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            r#"on("tool_call", Fn("missing"));"#,
            "guard.rhai:1: a handler takes the event, or the event and ctx, but the script defines no function \"missing\"; use on(event, handler) or on(event, matcher, handler)",
        ),
        (
            r#"on("tool_call", #{ tools: "bash" }, |event| ());"#,
            "guard.rhai:1: unknown matcher key `tools`; did you mean `tool`? (keys: tool, path, writes, command)",
        ),
        (
            r#"on("tool_call", #{ tool: "Bash" }, |event| ());"#,
            "guard.rhai:1: `tool = \"Bash\"` is an agent's own name; the canonical name is \"bash\"",
        ),
        (
            r#"on("tool_call", #{ command: "(" }, |event| ());"#,
            "guard.rhai:1: \"(\" is not a regular expression: unclosed group",
        ),
        (
            "while true {}",
            "guard.rhai: loading used up its CPU budget of 1s (do the work in a handler, or less of it)",
        ),
        (
            "fn handler(event) { #{ block: true } }",
            "guard.rhai: the hook registers no handler, so it would guard nothing (call on(event, handler), or move the file away)",
        ),
        (
            "",
            "guard.rhai: the hook registers no handler, so it would guard nothing (call on(event, handler), or move the file away)",
        ),
        (
            r#"import "x" as x;"#,
            "guard.rhai:1: import \"x\": only a folder hook (name/init.rhai) has modules; JSON, files, the web and regular expressions are in `snaphook`",
        ),
        (
            r#"ctx.exec("ls");"#,
            "guard.rhai:1: there is no variable \"ctx\" here: it is the second argument of handlers, |event, ctx|",
        ),
        (r#"on("tool_call", |event| comand == "rm");"#, "guard.rhai:1: there is no variable \"comand\" here"),
        (
            r#"snaphook::shel::commands("x");"#,
            "guard.rhai:1: snaphook has no `shel`; did you mean snaphook::shell? (it has env, fs, glob, http, json, path, regex, shell, time, version)",
        ),
        (
            "let v = snaphook::versoin;",
            "guard.rhai:1: snaphook has no `versoin`; did you mean snaphook::version? (it has env, fs, glob, http, json, path, regex, shell, time, version)",
        ),
        (r#"eval("1");"#, "guard.rhai:1: "),
        ("\nlet f = Fn(\"eval\");", "guard.rhai:2: 'eval' is a reserved keyword"),
        (
            "on(\"tool_call\", |event| {\n  let f = 1;\n  [Fn(\"eval\").curry(\"1\")];\n});",
            "guard.rhai:3: 'eval' is a reserved keyword",
        ),
        (
            "on(\"tool_call\", |event| ());\nfn never(x) {\n  call(Fn(\n    \"while\"), x)\n}",
            "guard.rhai:4: 'while' is a reserved keyword",
        ),
        (r#"sleep(1);"#, "guard.rhai:1: "),
    ] {
        let said = problem(source);
        assert!(
            said == expected || (expected.ends_with(": ") && said.starts_with(expected)),
            "{source}:\n{said}\n{expected}"
        );
    }
}

#[test]
fn handlers_are_known_with_their_place() {
    let bed = load(
        "on(\"tool_call\", #{ tool: \"bash\" }, |event| ());\n\nfn f(event) {}\non(\"task.done\", Fn(\"f\"));",
    );
    let told: Vec<_> = bed
        .hook
        .handlers
        .iter()
        .map(|handler| {
            let info = handler.info();
            format!("{} {} {:?}", info.event, info.location(), info.matcher.as_ref().map(ToString::to_string))
        })
        .collect();
    assert_eq!(
        told,
        [r#"tool_call guard.rhai:1 Some("{\"tool\":\"bash\"}")"#, "task.done guard.rhai:4 None"]
    );
}

#[test]
fn modules_come_from_the_hooks_own_folder() {
    let modules = [
        ("util.rhai", "export const WORD = \"util\"; fn twice(x) { x + x } fn deep() { throw \"deep\" }"),
        (
            "lib/deep.rhai",
            "import \"../util\" as util; import \"./side\" as side; export const BOTH = util::WORD + side::SIDE; fn up() { util::twice(\"u\") }",
        ),
        ("lib/side.rhai", "export const SIDE = \"side\";"),
        ("pack/init.rhai", "export const PACK = \"pack\";"),
        ("loop.rhai", "import \"loop\" as x;"),
        ("broken.rhai", "let x = 1;\nlet y = ;"),
        ("names.rhai", "fn made() {\n  Fn(\"eval\")\n}"),
        ("hooks.rhai", "fn guard() {\n  on(\"tool_call\", |event| #{ context: \"from a module\" });\n}"),
    ];
    let run = |source: &str| match try_load(&format!("{source}\non(\"shutdown\", |event| ());"), &modules) {
        Ok(bed) => bed.fake.noted().join(" "),
        Err(problem) => problem.to_string(),
    };
    assert_eq!(run("import \"util\" as u; print(u::WORD);"), "info: util");
    assert_eq!(run("import \"./util.rhai\" as u; print(u::twice(\"a\"));"), "info: aa");
    assert_eq!(run("import \"lib/deep\" as d; print(d::BOTH + d::up());"), "info: utilsideuu");
    assert_eq!(run("import \"pack\" as p; print(p::PACK);"), "info: pack");
    assert_eq!(
        run("import \"util\" as u; print(u::WORD); import \"util\" as v; print(v::WORD);"),
        "info: util info: util"
    );
    for (source, part) in [
        ("import \"loop\" as l;", "hooks/guard/loop.rhai:1: loop.rhai imports itself"),
        (
            "import \"../other\" as o;",
            "hooks/guard/init.rhai:1: import \"../other\" leads out of the hook's own folder",
        ),
        ("import \"/etc/passwd\" as p;", "leads out of the hook's own folder"),
        ("import \"utli\" as u;", "no module \"utli\" in the hook's folder; did you mean \"util\"?"),
        ("import \"broken\" as b;", "hooks/guard/broken.rhai:2: "),
        ("import \"names\" as n;", "hooks/guard/names.rhai:2: 'eval' is a reserved keyword"),
        ("import \"util\" as u;\nu::deep();", "hooks/guard/util.rhai:1: deep"),
    ] {
        let said = run(source);
        assert!(said.contains(part), "{source}: {said}");
    }
    // A handler sees the imports, also when it runs; a handler that a module registers is known by the module's file.
    let bed = try_load(
        "import \"util\" as u;\non(\"tool_call\", |event| #{ context: u::twice(\"z\") });",
        &modules,
    )
    .unwrap();
    assert_eq!(bed.say(), "context zz");
    let bed = try_load("import \"hooks\" as h;\nh::guard();", &modules).unwrap();
    assert_eq!(bed.say(), "context from a module");
    assert_eq!(bed.hook.handlers[0].info().location().to_string(), "hooks/guard/hooks.rhai:2");
    let bed =
        try_load("import \"util\" as u;\non(\"tool_call\", |event| {\n  u::deep()\n});", &modules).unwrap();
    let error = bed.gate(serde_json::json!({})).unwrap_err();
    assert_eq!(error.location.unwrap().to_string(), "hooks/guard/util.rhai:1");
    let frames = error.traceback.unwrap();
    assert!(frames.contains("hooks/guard/init.rhai:3"), "{frames}");
}

#[test]
fn registration_ends_with_loading() {
    assert_eq!(
        handler("on(\"tool_call\", |event| ())").say(),
        "error at guard.rhai:2: on() can be called only while the hook loads, not from a handler"
    );
}

#[test]
fn too_many_handlers_do_not_load() {
    let said = problem("for i in 0..300 { on(\"tool_call\", |event| ()); }");
    assert_eq!(said, "guard.rhai:1: a hook may register at most 256 handlers");
}

#[test]
fn the_sandbox_is_sealed() {
    let sealed = "what the host gives cannot be changed; ctx.state and ctx.store have set(key, value)";
    for (body, expected) in [
        ("ctx.ui = ();", format!("error at guard.rhai:2: attempt to set `ui` ({sealed})")),
        ("ctx.ui.confirm = 1;", format!("error at guard.rhai:2: attempt to set `confirm` ({sealed})")),
        ("ctx.state.x = 1;", format!("error at guard.rhai:2: attempt to set `x` ({sealed})")),
        ("ctx.cwd = \"/\";", format!("error at guard.rhai:2: attempt to set `cwd` ({sealed})")),
    ] {
        assert_eq!(handler(body).say(), expected, "{body}");
    }
}

#[test]
fn one_hook_does_not_see_another() {
    let engine = snaphook_rhai::RhaiEngine::new();
    let one = load_in(
        &engine,
        "fn mine() { 1 } const SHARED = 1; on(\"tool_call\", |event| #{ context: mine().to_string() });",
    );
    let other = load_in(&engine, "on(\"tool_call\", |event| #{ context: mine().to_string() });");
    let other_constant =
        load_in(&engine, "on(\"tool_call\", |event| #{ context: global::SHARED.to_string() });");
    assert_eq!(one.unwrap().say(), "context 1");
    assert_eq!(other.unwrap().say(), "error at guard.rhai:1: there is no function mine ()");
    let said = other_constant.map_or_else(|problem| problem.to_string(), |bed| bed.say());
    assert!(said.contains("SHARED"), "{said}");
}

#[test]
fn errors_carry_line_and_traceback() {
    let bed = load("fn inner(x) {\n  x.a.b.c\n}\non(\"tool_call\", |event| {\n  inner(#{});\n});");
    let error = bed.gate(serde_json::json!({})).unwrap_err();
    assert_eq!(
        error.location.as_ref().map(ToString::to_string).as_deref(),
        Some("guard.rhai:2"),
        "{error:?}"
    );
    let frames = error.traceback.unwrap_or_default();
    assert!(
        frames.contains("guard.rhai:2: in function inner") && frames.contains("guard.rhai:5"),
        "{frames}"
    );
    for (body, expected) in [
        (
            "ctx.log(());",
            "ctx.log takes a string, got (); a field that is absent is (): test value != () first",
        ),
        ("ctx.log(\"x\", \"loud\");", "the level is debug, info, warn or error, not \"loud\""),
        (
            "ctx.exce(\"ls\");",
            "ctx has no `exce`; did you mean ctx.exec? (it has exec, ui, send, emit, state, store, log, cwd, project_root, session_id, session_path, has_ui, agent, scope, hook, cancelled)",
        ),
        ("ctx.exec();", "ctx.exec does not take 0 arguments"),
        ("let e = ctx.exec;", "ctx.exec is a function: call it, ctx.exec(…)"),
        (
            "ctx.ui.confrim(\"x\");",
            "ctx.ui has no `confrim`; did you mean ctx.ui.confirm? (it has select, confirm, input, editor, notify, set_status)",
        ),
        ("nothing(1);", "there is no function nothing (i64)"),
        ("throw \"mine\";", "mine"),
        ("throw #{ message: \"mapped\" };", "mapped"),
        ("throw [1, #{ a: 2 }];", "[1,{\"a\":2}]"),
        ("throw ();", "an error without a message"),
        ("1 / 0;", "division by zero: 1 / 0"),
        ("let a = [1]; a[5];", "array index 5 out of bounds: only 1 element in array"),
    ] {
        assert_eq!(handler(body).say(), format!("error at guard.rhai:2: {expected}"), "{body}");
    }
}

#[test]
fn a_script_cannot_flood_the_log() {
    let bed = handler("let s = \"x\"; for i in 0..20 { s += s; } throw s;");
    assert!(bed.gate(serde_json::json!({})).unwrap_err().message.len() < 5000);
    let bed = load("fn f() { 1 + f() } on(\"tool_call\", |event| f());");
    let error = bed.gate(serde_json::json!({})).unwrap_err();
    assert_eq!(error.message, "stack overflow: the calls are nested too deeply");
    let bed = handler("let s = \"x\"; for i in 0..16 { s += s; } print(s);");
    assert_eq!(bed.say(), "nothing");
    assert!(bed.fake.noted().iter().all(|line| line.len() < 20_000));
}

#[test]
fn a_script_that_eats_memory_does_not_load() {
    let unhurried = snaphook_core::Limits { load_cpu: std::time::Duration::from_secs(60), ..limits() };
    for source in [
        "let t = []; let s = \"x\"; for i in 0..20 { s += s; } while true { t.push(s + t.len()); }",
        "let t = []; let s = \"x\"; for i in 0..20 { s += s; } try { while true { t.push(s + t.len()); } } catch {} on(\"tool_call\", |event| ());",
    ] {
        let Err(problem) = load_with(source, &[], Fake::default(), unhurried.clone()) else {
            panic!("{source}")
        };
        assert!(problem.to_string().starts_with("guard.rhai: the memory limit"), "{problem}");
    }
}

/// A hook that is known runs when it is first called, and answers as any other.
#[test]
fn a_known_hook_loads_when_it_is_called() {
    let source =
        r#"print("loading"); on("tool_call", #{ tool: "bash" }, |event| #{ block: true, reason: "no" });"#;
    let bed = known(source, source);
    assert_eq!(bed.fake.noted(), Vec::<String>::new(), "the script did not run yet");
    let handler = &bed.hook.handlers[0];
    assert!(handler.selects(&bash(json!({"command": "ls"})), &bed.context()));
    let other = Event::tool_call(ToolCall::new("1", "read", json!({"path": "a"})));
    assert!(!handler.selects(&other, &bed.context()), "its matcher is known as well");
    assert_eq!(bed.say(), "deny no");
    assert_eq!(bed.say(), "deny no");
    assert_eq!(bed.fake.noted().len(), 1, "it ran once: {:?}", bed.fake.noted());
}

#[test]
fn a_known_hook_that_is_another_now_denies() {
    let then = r#"on("tool_call", |event| ());"#;
    for (now, said) in [
        (r#"on("tool_result", |event| ());"#, "it registered other handlers than the first time"),
        (
            r#"on("tool_call", #{ tool: "bash" }, |event| ());"#,
            "it registered other handlers than the first time",
        ),
        (r#"throw "broken";"#, "load at guard.rhai:1: the hook could not be loaded: guard.rhai:1: broken"),
    ] {
        let bed = known(now, then);
        for _ in 0..2 {
            assert!(bed.say().contains(said), "{}", bed.say());
        }
    }
}
