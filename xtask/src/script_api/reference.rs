//! The model as a page: every event, function and field, in both languages' spelling. The same input gives the same page,
//! byte by byte. Not here: how a hook is written, which is `docs/guide.md`'s.

use snaphook_core::ReplyClass;

use super::events::{EventTypes, ON};
use super::model::{Api, Class, Field, Function, Type};
use super::spelling::{Spelling, prose};
use super::wrap::wrap;

const HEAD: &str = "\
<!-- Written by `cargo xtask generate` from the stubs; do not edit. -->

# Reference

Every event, every answer, and every function and field that a script has. How to write hooks is in
the [guide](guide.md), what `snaphook.shell` understands in [shell.md](shell.md).

Both languages have the same names. They are spelt like this:

| | Lua | Rhai |
|---|---|---|
| register a handler | `on(\"tool_call\", { tool = \"bash\" }, function(event, ctx) … end)` | `on(\"tool_call\", #{ tool: \"bash\" }, \\|event, ctx\\| { … });` |
| a function of a module | `snaphook.path.join(\"a\", \"b\")` | `snaphook::path::join(\"a\", \"b\")` |
| a function of `ctx`, `t` or `expect(…)` | `ctx.ui.confirm(\"Sure?\")` | `ctx.ui.confirm(\"Sure?\")` |
| a method | `cmd:has_flags(\"r\", \"f\")` | `cmd.has_flags(\"r\", \"f\")` |
| nothing | `nil` | `()` |
| a map | `{ timeout = 5 }` | `#{ timeout: 5 }` |
| a list | `{ \"a\", \"b\" }`, from 1 | `[\"a\", \"b\"]`, from 0 |
| an answer | `return { block = true, reason = \"no\" }` | `return #{ block: true, reason: \"no\" };` |

What is marked *optional*, or stands in `[brackets]`, may be left out or may be nothing.
";

const ON_CALL: &str = "on(event, [matcher], handler)";

/// Writes the page.
pub(crate) fn write(api: &Api, events: &[EventTypes]) -> String {
    let mut text = HEAD.to_owned();
    text += "\n## Events\n\n";
    text += &classes(events);
    for event in events {
        text += &event_section(event);
    }
    text += "\nAn event of your own has a name with a dot, like `build.finished`, the fields that `ctx.emit` was given, and \
             takes `context` as an answer.\n";
    text += "\n## Matchers\n\nThe map between event and function. All its keys have to match.\n";
    for class in api.classes.iter().filter(|class| class.name.ends_with("Matcher")) {
        text += &format!("\n### {}\n\n{}\n\n{}", class.name, class.doc, fields(&class.fields));
    }
    text += "\n## The API at a glance\n\n| Lua | Rhai | what |\n|---|---|---|\n";
    for row in rows(api) {
        text += &format!("| `{}` | `{}` | {} |\n", row.lua, row.rhai, cell(&first_sentence(&row.doc)));
    }
    text += &objects(api, "\n## What scripts have\n", |class| class.is_object());
    text += &format!("\n### Everywhere\n\n**`{ON_CALL}`**\n\n{ON}\n\n");
    text += "- `event` (text): One of the [events](#events), or a name of your own with a dot.\n\
             - `matcher` ([ToolMatcher](#toolmatcher), or [PathMatcher](#pathmatcher), *optional*): Which of the events.\n\
             - `handler` (function of event, ctx)\n";
    text += &globals(api, "", |name| !is_of_tests(name));
    text += "\n## In tests\n\nOnly in test files; [testing.md](testing.md) tells how to write them.\n";
    text += &globals(api, "", is_of_tests);
    text += &objects(api, "", |class| matches!(class.name.as_str(), "Test" | "Expectation"));
    text += "\n## Values\n\nWhat the functions take and give.\n";
    let value = |class: &&Class| {
        !(class.is_object()
            || class.name.ends_with("Matcher")
            || matches!(class.name.as_str(), "Test" | "Expectation"))
    };
    for class in api.classes.iter().filter(value) {
        text += &section(api, class, "###");
    }
    for alias in &api.aliases {
        text +=
            &format!("\n### {}\n\n{}: {}.\n", alias.name, alias.doc.trim_end_matches('.'), prose(&alias.ty));
    }
    wrap(&text)
}

// ---- events ----

fn classes(events: &[EventTypes]) -> String {
    let mut text = "| class | events | a handler that fails |\n|---|---|---|\n".to_owned();
    for (class, name, fails) in [
        (ReplyClass::Gate, "gate", "denies"),
        (ReplyClass::Rewrite, "rewrite", "changes nothing, and is reported"),
        (ReplyClass::Check, "check", "fails the check"),
        (ReplyClass::Notify, "notice", "changes nothing, and is reported"),
    ] {
        let links = events.iter().filter(|event| event.is(class)).map(|event| {
            let name = event.event.name();
            format!("[`{name}`](#{})", name.replace('.', ""))
        });
        text += &format!("| {name} | {} | {fails} |\n", links.collect::<Vec<_>>().join(", "));
    }
    text
}

fn event_section(event: &EventTypes) -> String {
    let mut text = format!("\n### {}\n\n{}", event.event.name(), event.event.doc());
    if let Some(matcher) = event.matcher {
        text += &format!(" Takes a [{matcher}](#{}).", matcher.to_lowercase());
    }
    text += "\n\n";
    text += &fields(&event.fields);
    if event.answers.is_empty() {
        return text + "\nIt takes no answer.\n";
    }
    text += "\nAnswers:\n\n| key | type | |\n|---|---|---|\n";
    for Field { name, ty, doc, .. } in &event.answers {
        text += &format!("| `{name}` | {} | {} |\n", cell(&prose(ty)), cell(doc));
    }
    text
}

fn fields(fields: &[Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut text = "| field | type | |\n|---|---|---|\n".to_owned();
    for Field { name, optional, ty, doc, .. } in fields {
        let optional = if *optional { ", *optional*" } else { "" };
        text += &format!("| `{name}` | {}{optional} | {} |\n", cell(&prose(ty)), cell(doc));
    }
    text
}

// ---- the API ----

/// One row of the table: a function or field of the API in both spellings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The object that it belongs to, as in the stubs; empty for a global.
    pub object: String,
    /// Its name.
    pub name: String,
    /// In Lua.
    pub lua: String,
    /// In Rhai.
    pub rhai: String,
    /// Its description.
    pub doc: String,
}

/// Every function and field that scripts reach by a name, in the order of the stubs.
pub fn rows(api: &Api) -> Vec<Row> {
    let mut rows = Vec::new();
    rows.push(Row {
        object: String::new(),
        name: "on".to_owned(),
        lua: ON_CALL.to_owned(),
        rhai: ON_CALL.to_owned(),
        doc: ON.to_owned(),
    });
    for function in &api.functions {
        rows.push(row(function, &Spelling::global(), ""));
    }
    for class in &api.classes {
        for spelling in Spelling::of(api, class) {
            for field in &class.fields {
                let Field { name, doc, .. } = field;
                // Where a field is an object of its own, its members are the rows.
                if matches!(&field.ty, Type::Named(kind) if kind == "Keep") {
                    continue;
                }
                let lua = spelling.lua_field(name);
                let rhai = field.rhai_as.clone().unwrap_or_else(|| spelling.rhai_field(name));
                rows.push(Row {
                    object: spelling.object.clone(),
                    name: name.clone(),
                    lua,
                    rhai,
                    doc: doc.clone(),
                });
            }
            rows.extend(class.functions.iter().map(|function| row(function, &spelling, &spelling.object)));
        }
    }
    rows
}

fn row(function: &Function, spelling: &Spelling, object: &str) -> Row {
    let (lua, rhai) = spelling.function(function);
    Row { object: object.to_owned(), name: function.name.clone(), lua, rhai, doc: function.doc.clone() }
}

fn objects(api: &Api, head: &str, wanted: impl Fn(&Class) -> bool) -> String {
    let mut text = head.to_owned();
    for class in api.classes.iter().filter(|class| wanted(class)) {
        text += &section(api, class, "###");
    }
    text
}

fn section(api: &Api, class: &Class, heading: &str) -> String {
    let mut text = format!("\n{heading} {}\n\n{}\n", class.name, class.doc);
    let mut all = class
        .parent
        .as_deref()
        .and_then(|parent| api.class(parent))
        .map_or(Vec::new(), |parent| parent.fields.clone());
    all.extend(class.fields.iter().cloned());
    if !all.is_empty() {
        text += &format!("\n{}", fields(&all));
    }
    let spelling = Spelling::of(api, class).into_iter().next().unwrap_or_else(Spelling::global);
    for function in &class.functions {
        text += &details(function, &spelling);
    }
    text
}

fn globals(api: &Api, head: &str, wanted: impl Fn(&str) -> bool) -> String {
    let functions = api.functions.iter().filter(|function| wanted(&function.name));
    head.to_owned() + &functions.map(|function| details(function, &Spelling::global())).collect::<String>()
}

fn is_of_tests(name: &str) -> bool {
    matches!(name, "test" | "expect")
}

fn details(function: &Function, spelling: &Spelling) -> String {
    let (lua, rhai) = spelling.function(function);
    let both = if lua == rhai { format!("`{lua}`") } else { format!("`{lua}` · `{rhai}`") };
    let mut text = format!("\n**{both}**\n\n{}\n", function.doc);
    if let Some(rhai) = &function.rhai {
        text += &format!("In Rhai: {rhai}\n");
    }
    if !(function.params.is_empty() && function.returns.is_empty()) {
        text += "\n";
    }
    for param in &function.params {
        let optional = if param.optional { ", *optional*" } else { "" };
        let doc = if param.doc.is_empty() { String::new() } else { format!(": {}", param.doc) };
        text += &format!("- `{}` ({}{optional}){doc}\n", param.name, prose(&param.ty));
    }
    for result in &function.returns {
        let doc = if result.doc.is_empty() { String::new() } else { format!(": {}", result.doc) };
        text += &format!("- gives `{}` ({}){doc}\n", result.name, prose(&result.ty));
    }
    text
}

/// A text inside of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn first_sentence(text: &str) -> String {
    text.split_inclusive(". ").next().unwrap_or(text).trim().to_owned()
}
