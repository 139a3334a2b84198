//! The modules as a script uses them, outside of any hook.

use rhai::{Dynamic, Engine, Module, Scope};

use super::{MODULES, members};
use crate::convert;
use crate::error;
use crate::plain;

fn engine() -> Engine {
    crate::engine::make(crate::engine::ScriptKind::Hooks, true)
}

/// Returns a script's result as JSON, or the message to its author.
fn eval(script: &str) -> Result<String, String> {
    let mut scope = Scope::new();
    scope.push("long", "x".repeat(16 << 20));
    let value = engine()
        .eval_with_scope::<Dynamic>(&mut scope, script)
        .map_err(|error| error::read(&error, "guard.rhai").message)?;
    let json = convert::to_json(&value, 1 << 20, plain::FORMS);
    json.map(|json| json.to_string()).map_err(|error| error.to_string())
}

#[test]
fn what_functions_give() {
    for (script, expected) in [
        (
            "snaphook::json::encode(#{ b: 1, a: [true, 1.5, \"x\", 2.0, ()] })",
            r#""{\"a\":[true,1.5,\"x\",2,null],\"b\":1}""#,
        ),
        ("snaphook::json::encode([])", r#""[]""#),
        ("snaphook::json::encode(#{})", r#""{}""#),
        ("snaphook::json::encode(())", r#""null""#),
        ("snaphook::json::encode(#{ a: 1 }, true)", r#""{\n  \"a\": 1\n}""#),
        ("snaphook::json::encode(1, false) + snaphook::json::encode(1, ())", r#""11""#),
        (
            r#"snaphook::json::decode("[1, {\"a\": [], \"b\": null, \"c\": 1.5}]")"#,
            r#"[1,{"a":[],"b":null,"c":1.5}]"#,
        ),
        ("snaphook::json::array([])", "[]"),
        (r#"snaphook::glob::matches("*.rs", "src/a.rs")"#, "true"),
        (r#"snaphook::glob::matches(["*.rs", "!a.rs"], "src/a.rs")"#, "false"),
        (r#"snaphook::glob::matches([], "src/a.rs")"#, "false"),
        (r#"snaphook::path::join("a", "b", "../c")"#, r#""a/b/../c""#),
        (
            r#"snaphook::path::join(["a", "/b", "c"]) + snaphook::path::join("d") + snaphook::path::join("a", "b", "c", "d", "e", "f", "g", "h")"#,
            r#""/b/cda/b/c/d/e/f/g/h""#,
        ),
        (r#"snaphook::path::normalize("a/b/../c")"#, r#""a/c""#),
        (r#"snaphook::path::resolve("/p", "x")"#, r#""/p/x""#),
        (r#"[snaphook::path::relative("/p/x", "/p"), snaphook::path::relative("x", "/p")]"#, r#"["x",null]"#),
        (
            r#"[snaphook::path::is_inside("/p/x", "/p"), snaphook::path::is_absolute("/p"), snaphook::path::is_absolute("p")]"#,
            "[true,true,false]",
        ),
        (
            r#"[snaphook::path::basename("/p/x.rs"), snaphook::path::dirname("/p/x.rs"), snaphook::path::extension("/p/x.rs")]"#,
            r#"["x.rs","/p","rs"]"#,
        ),
        (r#"snaphook::regex::matches("^a+$", "aa")"#, "true"),
        (
            r#"let m = snaphook::regex::find("(?<k>\\w)=(x)?", "a="); [m.text, m.groups, m.names, m.names.k, m["text"]]"#,
            r#"["a=",["a",false],{"k":"a"},"a","a="]"#,
        ),
        (
            r#"snaphook::regex::find("(?<k>\\w)=(x)?", "a=")"#,
            r#"{"groups":["a",false],"names":{"k":"a"},"text":"a="}"#,
        ),
        (r#"snaphook::regex::find("z", "a") == ()"#, "true"),
        (
            r#"[snaphook::regex::find_all("a", "aaa").len(), snaphook::regex::find_all("a", "aaa", 2).len(), snaphook::regex::find_all("a", "aaa", ()).len()]"#,
            "[3,2,3]",
        ),
        (r#"snaphook::regex::replace("a(b)", "xab", "$1")"#, r#""xb""#),
        (r#"snaphook::regex::escape("a.b")"#, r#""a\\.b""#),
        (r#"snaphook::time::iso(1790000000)"#, r#""2026-09-21T14:13:20Z""#),
        (r#"snaphook::time::iso(0.5)"#, r#""1970-01-01T00:00:00.5Z""#),
        (r#"snaphook::time::parse("1970-01-01T00:00:10Z")"#, "10"),
        (
            r#"[snaphook::shell::quote("it's"), snaphook::shell::quote("a-b"), snaphook::shell::quote("")]"#,
            r#"["'it'\\''s'","a-b","''"]"#,
        ),
        ("snaphook::shell::commands(\"\")", "[]"),
        (r#"type_of(snaphook::regex::find("a", "a"))"#, r#""match""#),
    ] {
        assert_eq!(eval(script).as_deref(), Ok(expected), "{script}");
    }
}

#[test]
fn a_shell_command_as_a_script_sees_it() {
    let command = |expression: &str| {
        eval(&format!(
            "let all = snaphook::shell::commands(\"X=1 sudo /bin/rm -rf \\\"$FILE\\\" b >> out 2>err\"); let cmd = all[0]; {expression}"
        ))
    };
    for (expression, expected) in [
        ("all.len()", "1"),
        (
            "[cmd.name, cmd.path, cmd.via, cmd.dynamic, cmd.line, cmd.column]",
            r#"["rm","/bin/rm",["sudo"],false,1,1]"#,
        ),
        ("cmd.args", r#"["-rf",{"many":false,"prefix":"","text":"\"$FILE\"","unknown":true},"b"]"#),
        (
            "cmd.redirects",
            r#"[{"append":true,"fd":1,"read":false,"target":"out","write":true},{"append":false,"fd":2,"read":false,"target":"err","write":true}]"#,
        ),
        ("cmd.assignments", r#"{"X":"1"}"#),
        (
            "[cmd.has_flags(\"r\", \"f\"), cmd.has_flags([\"r\"]), cmd.has_flags(\"r\", \"--\")]",
            "[true,true,false]",
        ),
        ("cmd.has_flags(\"r\",\"f\",\"r\",\"f\",\"r\",\"f\",\"r\",\"f\")", "true"),
        (
            "let word = cmd.args[1]; [type_of(word), word == \"$FILE\", word.text, word.prefix, word.unknown, `${word}`, \"a \" + word]",
            r#"["unknown word",false,"\"$FILE\"","",true,"‹\"$FILE\"›","a ‹\"$FILE\"›"]"#,
        ),
        (
            "type_of(cmd.args[0]) + type_of(cmd) + type_of(cmd.redirects[0])",
            r#""stringshell commandredirect""#,
        ),
        ("cmd.text.len() > 10", "true"),
        ("cmd.opaque == ()", "true"),
        (
            "let cmd = snaphook::shell::commands(\"python3 -c 'f()'\")[0]; [cmd.opaque, cmd.opaque.kind, type_of(cmd.opaque)]",
            r#"[{"code":"f()","file":null,"kind":"code","language":"python","written":false},"code","opaque"]"#,
        ),
        (
            "let opaque = snaphook::shell::commands(\"curl -o x h; sh x\")[1].opaque; [opaque.kind, opaque.file, opaque.code == (), opaque.written]",
            r#"["file","x",true,true]"#,
        ),
        (
            "[snaphook::shell::commands(\"a &> b\").len(), snaphook::shell::commands(\"a &> b\", #{ shell: \"bash\" }).len(), snaphook::shell::commands(\"a\", #{}).len()]",
            "[1,1,1]",
        ),
        // a word that is not known is in no list of words
        ("[cmd.args[1] in [\"$FILE\", \"b\"], [\"b\"].contains(cmd.args[1])]", "[false,false]"),
    ] {
        assert_eq!(command(expression).as_deref(), Ok(expected), "{expression}");
    }
    for (expression, expected) in [
        ("cmd.cmd", "a shell command has no `cmd` (it has name, path, args, assignments"),
        ("cmd.nam", "did you mean a shell command.name?"),
        ("cmd[\"nam\"]", "did you mean a shell command.name?"),
        ("cmd.has_flags()", "cmd.has_flags needs at least one flag"),
        (
            "let flags = []; flags.pad(65, \"r\"); cmd.has_flags(flags)",
            "cmd.has_flags takes at most 64 flags",
        ),
        ("cmd.has_flags([])", "cmd.has_flags needs at least one flag"),
        ("cmd.has_flags(1)", "cmd.has_flags takes a string, got a number"),
        ("cmd.redirects[0].writes", "a redirect has no `writes`; did you mean a redirect.write?"),
        (
            "cmd.args[1].len",
            "the word \"$FILE\" is not known before the command runs, so it has no `len`; test `type_of(word) == \"string\"` first",
        ),
        ("cmd", "the value is an object of the host"),
        (
            "cmd.args[1].starts_with(\"-\")",
            "the word is not known before the command runs, so it has no `starts_with`; test `type_of(word) == \"string\"` first",
        ),
        (
            "cmd.hasflags(\"r\")",
            "a shell command has no `hasflags`; did you mean a shell command.has_flags? (it has name, ",
        ),
        ("cmd.has_flags(1, 2, 3, 4, 5, 6, 7, 8, 9)", "has_flags takes up to 8 flags, or one array of them"),
        (
            "snaphook::shell::commands(\"sh x\")[0].opaque.langage",
            "cmd.opaque has no `langage`; did you mean cmd.opaque.language?",
        ),
        ("snaphook::shell::commands(\"a &> b\", #{ shell: \"sh\" })", "not understood: 1:5: "),
        (
            "snaphook::shell::commands(\"a\", #{ shel: \"sh\" })",
            "snaphook::shell::commands has no option `shel`; did you mean `shell`?",
        ),
        (
            "snaphook::shell::commands(\"a\", #{ shell: \"zsh\" })",
            "the option `shell` of snaphook::shell::commands: expected \"bash\" or \"sh\", found \"zsh\"",
        ),
        ("snaphook::shell::commands(\"a\", #{ shell: 1 })", "found another kind of value"),
        ("snaphook::shell::commands(\"a\", 1)", "takes a map of options, got a number"),
        ("cmd.redirects[0].targets()", "a redirect has no `targets`; did you mean a redirect.target?"),
        ("snaphook::regex::find(\"a\", \"a\").len()", "a match has no `len`"),
    ] {
        let said = command(expression);
        assert!(said.as_ref().is_err_and(|error| error.contains(expected)), "{expression}: {said:?}");
    }
}

#[test]
fn a_text_that_is_not_understood_is_an_error_that_a_script_can_answer_with() {
    let script = "let said = (); try { snaphook::shell::commands(\"echo 'x\"); } catch (problem) { said = problem; } said";
    let said = eval(script).unwrap();
    assert!(said.starts_with("\"not understood: 1:"), "{said}");
    let said = eval("for cmd in snaphook::shell::commands(\"echo 'x\") { }").unwrap_err();
    assert!(said.contains("not understood: 1:"), "{said}");
}

#[test]
fn what_functions_refuse() {
    for (script, expected) in [
        ("snaphook::json::encode(#{ a: [|x| x] })", "`a.0` is a function"),
        ("snaphook::json::encode(0.0 / 0.0)", "the value is not a finite number"),
        ("snaphook::json::encode(1, 2)", "takes a boolean as its second argument"),
        ("snaphook::json::decode(\"{\")", "not JSON: "),
        ("snaphook::json::decode(1)", "snaphook::json::decode takes a string, got a number"),
        ("snaphook::json::decode(long)", "snaphook::json::decode takes at most 4 MiB of text"),
        ("snaphook::json::array(#{})", "snaphook::json::array takes an array, got a map"),
        (
            "snaphook::glob::matches(1, \"x\")",
            "snaphook::glob::matches takes a pattern or a list of patterns",
        ),
        ("snaphook::glob::matches([1], \"x\")", "takes a pattern or a list of patterns"),
        ("snaphook::glob::matches(\"[\", \"x\")", "is not a glob"),
        ("snaphook::glob::matches(\"x\", ())", "snaphook::glob::matches takes a string, got ()"),
        ("snaphook::path::basename(1)", "snaphook::path::basename takes a string, got a number"),
        ("snaphook::path::basename(long)", "snaphook::path::basename takes paths of at most 65536 bytes"),
        ("snaphook::path::join(\"a\", ())", "snaphook::path::join takes a string, got ()"),
        ("let parts = []; parts.pad(1001, \"a\"); snaphook::path::join(parts)", "takes at most 1000 parts"),
        ("snaphook::regex::find(\"(\", \"x\")", "\"(\" is not a regular expression"),
        ("snaphook::regex::find(\"a\", 1)", "snaphook::regex::find takes a string, got a number"),
        ("snaphook::regex::matches(long, \"x\")", "a regular expression may have 16384 bytes"),
        (
            "snaphook::regex::find_all(\"a\", \"a\", -1)",
            "snaphook::regex::find_all takes a number of matches",
        ),
        ("snaphook::regex::find(\"a\", \"a\").txt", "a match has no `txt`; did you mean a match.text?"),
        ("snaphook::regex::replace(\"x\", long, \"yy\")", "the replaced text may get longer"),
        (
            "snaphook::regex::escape(\".\" + long.sub_string(0, 16777215)).len(); snaphook::regex::escape(long + long)",
            "too large",
        ),
        ("snaphook::time::now()", "no script runs"),
        ("snaphook::time::iso(\"x\")", "snaphook::time::iso takes a number of seconds, got a string"),
        ("snaphook::time::iso(1e300)", "is not a time that can be written"),
        ("snaphook::time::parse(\"x\")", "\"x\" is not a time like"),
        ("snaphook::time::parse(long)", "too long to be a time"),
        ("snaphook::shell::commands(())", "snaphook::shell::commands takes a string, got ()"),
        ("snaphook::shell::quote([])", "snaphook::shell::quote takes a string, got an array"),
        ("snaphook::shell::quote(\"'\" + long.sub_string(0, 16777214))", "snaphook::shell::quote: too large"),
        (
            "snaphook::shell::comands(\"x\")",
            "snaphook::shell has no `comands`; did you mean snaphook::shell::commands?",
        ),
    ] {
        let said = eval(script);
        assert!(said.as_ref().is_err_and(|error| error.contains(expected)), "{script}: {said:?}");
    }
}

#[test]
fn every_member_is_there() {
    for (_, object, members) in MODULES {
        for (name, register) in *members {
            let mut module = Module::new();
            register(&mut module, name);
            let (variables, functions, _) = module.count();
            assert!(variables + functions > 0, "{object}.{name} registers nothing");
        }
    }
    let names: Vec<_> = members()
        .into_iter()
        .filter(|(object, _)| object.starts_with("snaphook"))
        .map(|(object, members)| format!("{object}: {}", members.join(" ")))
        .collect();
    assert_eq!(
        names,
        [
            "snaphook: env fs glob http json path regex shell time version",
            "snaphook.env: get",
            "snaphook.fs: read exists stat list write append remove make_dir",
            "snaphook.glob: matches",
            "snaphook.http: get post",
            "snaphook.json: encode decode array null",
            "snaphook.path: basename dirname extension normalize join resolve relative is_inside is_absolute",
            "snaphook.regex: matches find find_all replace escape",
            "snaphook.shell: commands quote",
            "snaphook.time: now iso parse",
        ]
    );
}

#[test]
fn null_is_a_name_like_any_other() {
    for (script, expected) in [
        ("snaphook::json::null == ()", "true"),
        ("snaphook::json::encode([snaphook::json::null])", r#""[null]""#),
        ("let map = #{ null: 1 }; map.null", "1"),
    ] {
        assert_eq!(eval(script).as_deref(), Ok(expected), "{script}");
    }
}
