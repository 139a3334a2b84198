//! Every function of the API, one line each.

use snaphook_core::UiReply;

use crate::support::*;

#[test]
fn functions_do_what_they_say() {
    for (expression, expected) in [
        ("ctx.session_id", "s1"),
        ("ctx.session_path == ()", "true"),
        ("ctx.cwd", "/p"),
        ("ctx.project_root", "/p"),
        ("ctx.agent", "snaphook"),
        ("ctx.scope", "user"),
        ("ctx.hook", "guard"),
        ("ctx.has_ui", "false"),
        ("ctx.cancelled", "false"),
        ("ctx[\"cwd\"]", "/p"),
        ("type_of(ctx) + \" \" + type_of(ctx.ui) + \" \" + type_of(ctx.store)", "ctx ctx.ui ctx.store"),
        (r#"ctx.ui.confirm("t", "m")"#, "false"),
        (r#"ctx.ui.select("t", ["a", "b"]) == ()"#, "true"),
        (r#"ctx.ui.input("t") == ()"#, "true"),
        (r#"ctx.ui.editor("t", "x") == ()"#, "true"),
        (
            r#"ctx.exec("echo", ["a", 1], #{ timeout: 1.5, cwd: "x", env: #{ A: "b" }, stdin: "y" }).stdout"#,
            "a 1",
        ),
        (r#"ctx.exec("echo").code"#, "0"),
        (r#"ctx.exec("echo", (), ()).signal == ()"#, "true"),
        (r#"{ let out = ctx.exec("echo", [" a "]); out.stdout.trim(); out.stdout }"#, "a"),
        (
            r#"snaphook::json::encode(ctx.exec("echo", ["a"]))"#,
            r#"{"code":0,"signal":null,"stderr":"","stdout":"a","timed_out":false,"truncated":false}"#,
        ),
        (r#"ctx.state.get("a", "none")"#, "none"),
        (r#"{ ctx.state.set("a", [1, #{ b: 2 }]); ctx.state.get("a")[1].b }"#, "2"),
        (
            r#"{ ctx.store.set("a", 1); ctx.store.set("b", 1); ctx.store.delete("a"); ctx.store.keys() }"#,
            r#"["b"]"#,
        ),
        (r#"{ ctx.state.set("e", event); ctx.state.get("e").tool }"#, "bash"),
        ("snaphook::json::decode(snaphook::json::encode(event)).command", "ls"),
        (r#"snaphook::env::get("A")"#, "value of A"),
        (r#"snaphook::env::get("UNSET") == ()"#, "true"),
        (r#"snaphook::env::get("UNSET", "other")"#, "other"),
        (r#"snaphook::env::get("UNSET", ()) == ()"#, "true"),
        ("snaphook::time::now()", "1790000000.0"),
        ("snaphook::time::iso()", "2026-09-21T14:13:20Z"),
        (r#"snaphook::regex::matches("^l", event.command)"#, "true"),
        (r#"snaphook::shell::commands("rm -rf x")[0].has_flags("r", "f")"#, "true"),
        ("snaphook::version", env!("CARGO_PKG_VERSION")),
    ] {
        let bed = handler(&format!("let value = {expression}; #{{ context: `${{value}}` }}"));
        assert_eq!(bed.say(), format!("context {expected}"), "{expression}");
    }
}

#[test]
fn a_slip_of_the_pen_is_an_error_that_helps() {
    for (expression, expected) in [
        (r#"snaphook::env::get("SECRET", "other")"#, "the environment variable SECRET is not granted"),
        (r#"snaphook::env::get("A", 1)"#, "snaphook::env::get takes a string, got a number"),
        (r#"snaphook::env::get(1)"#, "snaphook::env::get takes a string, got a number"),
        (r#"ctx.exec("missing")"#, "\"missing\" was not found"),
        (r#"ctx.exec("x", [], #{ timout: 1 })"#, "ctx.exec has no option `timout`; did you mean `timeout`?"),
        (
            r#"ctx.exec("x", [[]])"#,
            "the arguments of ctx.exec are a list of texts, like [\"status\", \"--short\"]",
        ),
        (
            r#"ctx.exec("x", "a b")"#,
            "the arguments of ctx.exec are a list of texts, like [\"status\", \"--short\"]",
        ),
        (
            r#"ctx.exec("x", [], #{ timeout: 0 })"#,
            "the option `timeout` of ctx.exec is a number of seconds above 0, not 0",
        ),
        (r#"ctx.exec("echo").exit_code"#, "the result of ctx.exec has no `exit_code`"),
        (
            r#"ctx.send("x", #{ deliver: "later" })"#,
            "`deliver` is \"now\", \"next_turn\" or \"follow_up\", not \"later\"",
        ),
        (r#"ctx.send("x", #{ delver: "now" })"#, "ctx.send has no option `delver`; did you mean `deliver`?"),
        (r#"ctx.ui.select("t", [])"#, "ctx.ui.select needs at least one option"),
        (r#"ctx.ui.select("t", "ab")"#, "ctx.ui.select takes a list of strings, got a string"),
        (r#"ctx.ui.confirm(7)"#, "ctx.ui.confirm takes a string, got a number"),
        (
            "ctx.hasUI",
            "ctx has no `hasUI`; did you mean ctx.has_ui? (it has exec, ui, send, emit, state, store, log, cwd, project_root, session_id, session_path, has_ui, agent, scope, hook, cancelled)",
        ),
        ("ctx.state.a", "ctx.state has no `a` (it has get, set, delete, keys)"),
        ("ctx.store.get", "ctx.store.get is a function: call it, ctx.store.get(…)"),
        (r#"ctx.state.set("f", |x| x)"#, "the value is a function"),
        (r#"ctx.emit("x.y", 7)"#, "the payload of ctx.emit is a map"),
        (
            r#"snaphook::json::encod(1)"#,
            "snaphook::json has no `encod`; did you mean snaphook::json::encode? (it has encode, decode, array, null)",
        ),
        (r#"snaphook::json::encode(1, 2, 3)"#, "snaphook::json::encode does not take these arguments"),
        (
            "event.kesy()",
            "event has no `kesy`; did you mean event.keys? (it has contains, get, keys, len, values)",
        ),
    ] {
        let said = handler(&format!("let value = {expression}; #{{ context: `${{value}}` }}")).say();
        assert!(said.starts_with(&format!("error at guard.rhai:2: {expected}")), "{expression}: {said}");
        // A script that catches it gets the text.
        let said =
            handler(&format!("try {{ {expression} }} catch (e) {{ return #{{ context: `${{e}}` }} }}")).say();
        let caught = said.starts_with(&format!("context {expected}")) || said.contains("Function not found");
        assert!(caught, "{expression}: {said}");
    }
}

#[test]
fn what_a_script_does_reaches_the_host() {
    let bed = handler(
        "print(\"a\"); print(1); debug(\"c\"); ctx.log(\"b\", \"warn\"); ctx.send(\"c\", #{ deliver: \"follow_up\" }); ctx.send(\"d\");\n\
         ctx.ui.notify(\"e\", \"error\"); ctx.ui.set_status(\"k\", \"f\"); ctx.ui.set_status(\"k\");",
    );
    assert_eq!(bed.say(), "nothing");
    assert_eq!(
        bed.fake.noted(),
        [
            "info: a",
            "info: 1",
            "debug: line 2: \"c\"",
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
        (r#"ctx.ui.confirm("t")"#, UiReply::Confirmed(true), "true"),
        (r#"ctx.ui.select("t", ["a", "b"])"#, UiReply::Selected(1), "b"),
        (r#"ctx.ui.input("t", "i")"#, UiReply::Text("typed".into()), "typed"),
        (r#"ctx.ui.editor("t")"#, UiReply::Text("long".into()), "long"),
        (r#"type_of(ctx.ui.input("t"))"#, UiReply::Nothing, "()"),
        ("ctx.has_ui", UiReply::Nothing, "true"),
    ] {
        let source = format!(
            "on(\"tool_call\", |event, ctx| {{ let value = {expression}; #{{ context: `${{value}}` }} }});"
        );
        let fake = Fake { answers: vec![reply].into(), ..Fake::default() };
        let bed = load_with(&source, &[], fake, limits()).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(bed.say(), format!("context {expected}"), "{expression}");
    }
}

/// The lists that tools and tests ask for are those of what is there: each member can be touched.
#[test]
fn every_member_is_there() {
    for (object, names) in snaphook_rhai::members() {
        let path = match object {
            "t" | "expect(…)" => continue,
            _ if object.starts_with("snaphook") => object.replace('.', "::"),
            other => other.to_owned(),
        };
        for name in names {
            let touched = if !object.starts_with("snaphook") {
                format!("try {{ {path}.{name}; }} catch (e) {{ print(e); }}")
            } else if name == "version" {
                format!("{path}::{name};")
            } else if object == "snaphook" {
                continue;
            } else {
                format!("try {{ {path}::{name}(); }} catch (e) {{ print(e); }}")
            };
            let bed = handler(&touched);
            let said = format!("{} {}", bed.say(), bed.fake.noted().join(" "));
            assert!(!said.contains(" has no "), "{object}.{name}: {said}");
        }
    }
}
