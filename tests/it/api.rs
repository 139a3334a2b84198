//! The script API is described once: stubs, bindings of both languages and the reference say the same.

use std::collections::BTreeMap;

use xtask::script_api::{Api, STUBS, Type, api, rows};

use crate::support::{Sandbox, granting};
use crate::tree::{files, text};

type Members = BTreeMap<String, Vec<String>>;

fn members(list: Vec<(&'static str, Vec<&'static str>)>) -> Members {
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names.into_iter().map(str::to_owned).collect()
    };
    list.into_iter().map(|(object, names)| (object.to_owned(), sorted(names))).collect()
}

/// Returns what the stubs say of an object or a kind of value, by the name that `members` of the engines use.
fn of_stubs(api: &Api, object: &str) -> Vec<String> {
    let class = match object {
        "t" => "Test",
        "expect(…)" => "Expectation",
        "ctx.state" | "ctx.store" => "Keep",
        other => other,
    };
    let mut names = api.class(class).map(|class| api.members(class)).unwrap_or_default();
    names.sort();
    names
}

#[test]
fn stubs_and_bindings_have_the_same_names() {
    let api = api().unwrap();
    let lua = members(snaphook_lua::members());
    for (object, names) in &lua {
        assert_eq!(of_stubs(&api, object), *names, "{object}: left is the stub, right the binding");
    }
    // What is made by hand in the stubs and by the host in the VM, but has no list, is tried below.
    let known = |name: &str| lua.contains_key(name) || ["Keep", "Test", "Expectation"].contains(&name);
    let objects = api.classes.iter().filter(|class| class.is_object() || !class.functions.is_empty());
    let unknown: Vec<_> = objects.map(|class| class.name.as_str()).filter(|name| !known(name)).collect();
    assert_eq!(unknown, [] as [&str; 0], "the stubs have objects that no binding has");
}

#[test]
fn both_languages_have_the_same_names() {
    let (lua, rhai) = (members(snaphook_lua::members()), members(snaphook_rhai::members()));
    // Kinds of values are tried below: Rhai's are types of the host.
    let lua_objects: Vec<_> = lua.keys().filter(|name| !name.starts_with(char::is_uppercase)).collect();
    let rhai_objects: Vec<_> = rhai.keys().filter(|name| !name.starts_with(char::is_uppercase)).collect();
    assert_eq!(lua_objects, rhai_objects);
    assert!(lua_objects.len() >= 12, "{lua_objects:?}");
    for object in lua_objects {
        assert_eq!(lua[object], rhai[object], "{object}: left is Lua, right Rhai");
    }
}

/// Each field of each kind of value, read by scripts in both languages: a name that is not there would be an error.
#[test]
fn values_have_the_fields_of_their_stubs() {
    let api = api().unwrap();
    // `fd` of a plain redirect is there in both languages; so are `code` of a process that ended and no signal.
    for (kind, lua, rhai) in [
        (
            "ShellCommand",
            "snaphook.shell.commands('X=1 sudo rm -r $F >> out')[1]",
            "snaphook::shell::commands(\"X=1 sudo rm -r $F >> out\")[0]",
        ),
        (
            "UnknownWord",
            "snaphook.shell.commands('rm $F')[1].args[1]",
            "snaphook::shell::commands(\"rm $F\")[0].args[0]",
        ),
        (
            "Redirect",
            "snaphook.shell.commands('ls > out')[1].redirects[1]",
            "snaphook::shell::commands(\"ls > out\")[0].redirects[0]",
        ),
        (
            "Opaque",
            "snaphook.shell.commands('python3 -c x')[1].opaque",
            "snaphook::shell::commands(\"python3 -c x\")[0].opaque",
        ),
        ("RegexMatch", "snaphook.regex.find('(?<x>a)', 'a')", "snaphook::regex::find(\"(?<x>a)\", \"a\")"),
        ("FileStat", "snaphook.fs.stat('.')", "snaphook::fs::stat(\".\")"),
        ("ExecResult", "ctx.exec('true')", "ctx.exec(\"true\")"),
    ] {
        let fields: Vec<_> =
            api.class(kind).unwrap().fields.iter().map(|field| field.name.as_str()).collect();
        assert!(fields.len() >= 3, "{kind}");
        let (lua, rhai) = (script_in_lua(lua, &fields), script_in_rhai(rhai, &fields));
        for (extension, good) in [("lua", lua), ("rhai", rhai)] {
            let place = Sandbox::new();
            let good = granting(extension, "exec: ['true'], read: ['**']") + good.as_str();
            let hook = place.write(&format!("hook.{extension}"), &good);
            let (code, document) = place.gate("ls", &["--hook", &hook.to_string_lossy()]);
            assert_eq!(code, 0, "{kind} in {extension}: {document}");
            // And the trial can fail.
            let bad = good.replacen(&format!("value.{}", fields[0]), "value.no_such_field", 1);
            std::fs::write(&hook, bad).unwrap();
            let (code, document) = place.gate("ls", &["--hook", &hook.to_string_lossy()]);
            assert_eq!(code, 2, "{kind} in {extension}: {document}");
        }
    }
}

fn script_in_lua(make: &str, fields: &[&str]) -> String {
    let reads: String = fields.iter().map(|field| format!("  seen = {{ value.{field} }}\n")).collect();
    format!("on('tool_call', function(event, ctx)\n  local value, seen = {make}, nil\n{reads}end)\n")
}

fn script_in_rhai(make: &str, fields: &[&str]) -> String {
    let reads: String = fields.iter().map(|field| format!("  seen = [value.{field}];\n")).collect();
    format!("on(\"tool_call\", |event, ctx| {{\n  let value = {make};\n  let seen = ();\n{reads}}});\n")
}

#[test]
fn every_binding_has_a_stub() {
    let described: Vec<_> = STUBS.iter().map(|stub| stub.file).collect();
    for file in files("crates/snaphook-lua/src/bindings", "rs") {
        let stub = file.to_str().unwrap().replace('\\', "/").replace(".rs", ".d.lua");
        assert!(described.contains(&stub.as_str()), "{stub} is missing, or not in `STUBS` of xtask");
    }
    for file in files("crates/snaphook-lua/src", "lua") {
        assert!(described.contains(&file.to_str().unwrap()), "{} is not in `STUBS`", file.display());
    }
}

// ---- the reference ----

const PAGE: &str = "docs/reference.md";

#[test]
fn every_row_has_both_languages() {
    let api = api().unwrap();
    let rows = rows(&api);
    assert!(rows.len() > 80, "{}", rows.len());
    let page = text(PAGE);
    for row in &rows {
        assert!(!(row.lua.is_empty() || row.rhai.is_empty() || row.doc.is_empty()), "{row:?}");
        assert!(page.contains(&format!("| `{}` | `{}` | ", row.lua, row.rhai)), "{row:?}");
    }
    let table = page.split("## The API at a glance").nth(1).unwrap().split("\n## ").next().unwrap();
    let cells = table.lines().filter(|line| line.starts_with("| `"));
    assert_eq!(cells.count(), rows.len());
    for word in ["Lua only", "Rhai only", "not in Rhai", "not available in"] {
        assert!(!page.contains(word), "{word}");
    }
}

/// Every name that the API has is in the table.
#[test]
fn every_member_has_a_row() {
    let api = api().unwrap();
    let rows = rows(&api);
    for (object, names) in members(snaphook_lua::members()) {
        let shown = match object.as_str() {
            "t" => "Test",
            "expect(…)" => "Expectation",
            // Words and redirects are described in their own sections.
            "Redirect" | "UnknownWord" | "Opaque" => continue,
            other => other,
        };
        let parts: Vec<_> = api.parts(shown).map(|part| part.short().to_owned()).collect();
        let class = api.class(shown);
        for name in names.iter().filter(|name| !parts.contains(name)) {
            let field = class.and_then(|class| class.fields.iter().find(|field| field.name == *name));
            if field.is_some_and(|field| field.ty == Type::Named("Keep".to_owned())) {
                continue;
            }
            let found = rows.iter().any(|row| row.object == shown && row.name == *name);
            assert!(found, "{object}.{name} has no row");
        }
    }
}
