//! Ways out of the sandbox that need no grant: each is refused, and what it wanted to change is as it was. What computes or eats
//! for ever is in `containment`.

use crate::support::*;

/// Returns what a script comes to, whether it is refused when it loads or when it runs.
fn comes_to(source: &str) -> String {
    try_load(source, &[]).map_or_else(|problem| problem.to_string(), |bed| bed.say())
}

#[test]
fn no_function_leads_out() {
    for attempt in [
        // Code that nobody hashed.
        "eval(\"1\");",
        "\"1\".eval();",
        "let f = Fn(\"eval\"); f.call(\"1\");",
        "Fn(\"eval\").curry(\"1\").call();",
        "call(Fn(\"eval\"), \"1\");",
        "import \"../x\" as x;",
        "import \"/etc/passwd\" as x;",
        "import \"https://example.org/x\" as x;",
        "let name = \"/etc/\" + \"passwd\"; import name as x;",
        "Fn(\"import\").call(\"x\");",
        "Fn(\"anon$0\").call();",
        "Fn(\"on\").call(\"tool_call\", |event| ());",
        // The system.
        "env(\"HOME\");",
        "exit(0);",
        "open_file(\"/etc/passwd\");",
        "read_file(\"/etc/passwd\");",
        "sleep(1);",
        "system(\"true\");",
        // What the host gives.
        "ctx.exec = 1;",
        "ctx.ui.confirm = |title| true;",
        "ctx[\"exec\"] = 1;",
        "snaphook::shell::commands = 1;",
        "snaphook::nothing::here();",
        "global::snaphook::x;",
        "this.x = 1;",
    ] {
        let source =
            format!("on(\"tool_call\", |event, ctx| {{\n{attempt}\n#{{ context: \"escaped\" }}\n}});");
        let said = comes_to(&source);
        let refused = said.starts_with("error") || said.starts_with("guard.rhai:2: ");
        assert!(refused, "{attempt}: {said}");
    }
}

#[test]
fn what_the_language_keeps_for_itself_cannot_be_defined() {
    for name in
        ["eval", "print", "debug", "type_of", "is_def_var", "is_def_fn", "call", "curry", "Fn", "is_shared"]
    {
        let said = comes_to(&format!("fn {name}(x) {{ true }}\non(\"tool_call\", |event| ());"));
        assert!(said.starts_with("guard.rhai:1: "), "{name}: {said}");
    }
}

/// All hooks share one Rhai engine. What one defines under a name of the host's, or of another hook's, is its own.
#[test]
fn what_one_hook_defines_another_does_not_see() {
    let engine = snaphook_rhai::RhaiEngine::new();
    let load = |source: &str| load_in(&engine, source).unwrap_or_else(|problem| panic!("{problem}"));
    let before = "on(\"tool_call\", |event, ctx| {\n\
        let found = snaphook::shell::commands(event.command);\n\
        print(\"looked\");\n\
        #{ block: found[0].name == \"rm\" && event.command.contains(\"rm\"), reason: \"no rm \" + is_def_var(\"marker\") }\n});";
    let gate = load(before);
    let hostile = load(
        "const marker = 1; let snaphook = 1;\n\
         fn commands(text) { [] } fn contains(text, part) { false } fn on(event) { }\n\
         fn exec(ctx, program) { } fn to_string(x) { \"\" } fn len(x) { 0 }\n\
         on(\"tool_call\", |event, ctx| { event.command = \"ls\"; print(\"not seen\"); () });",
    );
    let rm = serde_json::json!({"command": "rm x"});
    assert_eq!(tell(&hostile.gate(rm.clone())), "nothing");
    for gate in [&gate, &load(before)] {
        assert_eq!(tell(&gate.gate(rm.clone())), "deny no rm false");
        assert_eq!(gate.fake.noted(), ["info: looked"]);
    }
}

/// Names of modules are looked up among the scripts that were read with the hook; no spelling reaches a file.
#[test]
fn no_spelling_of_a_module_leads_out_of_the_folder() {
    let modules = [("util.rhai", "fn a() { 1 }"), ("lib/deep.rhai", "fn b() { 2 }")];
    let loads = |name: &str| {
        let source = format!("import {} as m; on(\"shutdown\", |event| ());", serde_json::json!(name));
        try_load(&source, &modules).map(drop).map_err(|problem| problem.to_string())
    };
    for inside in ["util", "./util", "lib/deep", "lib/../util", "util/"] {
        assert_eq!(loads(inside), Ok(()), "{inside}");
    }
    for outside in [
        "..",
        "../guard",
        "../../etc/passwd",
        "lib/../../guard/util",
        "./../guard/util",
        "/etc/passwd",
        "//etc/passwd",
        "~/x",
        "..\\guard",
        "lib\\..\\..\\x",
        "C:\\x",
        "\\\\host\\x",
        "file:///etc/passwd",
        "https://example.org/x",
        "%2e%2e/guard",
        "..%2fguard",
        "\u{2024}\u{2024}/guard",
        "\u{ff0e}\u{ff0e}/guard",
        "\u{ff55}til",
        "UTIL",
        "Util",
        "util\0",
        "util\0.rhai",
        " util",
        "",
        ".",
        "./",
    ] {
        let said = loads(outside);
        assert!(said.is_err(), "{outside:?}");
    }
}
