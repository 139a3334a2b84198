//! The tables of `docs/values.md`, each row in both languages.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Value, json};
use snaphook::{CallOptions, HookRef, Host, Language, Scope, Script, ToolCall};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;

use crate::tree::text;

/// The rows of the table below this heading, cell by cell.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = text("docs/values.md");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned());
        cells.collect::<Vec<_>>()
    };
    let table = section.lines().filter(|line| line.starts_with("| "));
    table.skip(1).map(cells).collect()
}

/// Returns the code spans of a cell.
fn code(cell: &str) -> String {
    let cell = cell.trim_start_matches("<code>").trim_end_matches("</code>").replace("&#124;", "|");
    match cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')) {
        Some(inner) if !inner.contains('`') => inner.to_owned(),
        _ => cell,
    }
}

/// Returns what becomes of an input: the input as it may run, or why not.
fn outcome(language: Language, source: &str, input: &Value) -> Result<Value, String> {
    let script = Script {
        hook: HookRef::new("guard", "guard", Scope::User, "guard"),
        source: source.into(),
        modules: Arc::default(),
        grants: Arc::default(),
        path: None,
        executable: None,
    };
    let host = Host::builder()
        .engine(Language::Lua, Arc::new(LuaEngine::new().unwrap()))
        .engine(Language::Rhai, Arc::new(RhaiEngine::new()))
        .script(script, language)
        .build();
    let call = ToolCall::new("1", "bash", input.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    match runtime.block_on(host.gate(call, &CallOptions::default())) {
        ControlFlow::Continue(permitted) => Ok((*permitted.call.input).clone()),
        ControlFlow::Break(denied) => Err(denied.message()),
    }
}

/// Returns what a script's value becomes as `input.value` of an answer.
fn answered(language: Language, expression: &str) -> Result<String, String> {
    let source = match language {
        Language::Lua => {
            format!(
                "on('tool_call', function(event, ctx) return {{ input = {{ value = {expression} }} }} end)"
            )
        }
        Language::Rhai => {
            format!("on(\"tool_call\", |event| #{{ input: #{{ value: {expression} }} }});")
        }
        Language::Executable | Language::Lifecycle | Language::McpServer => unreachable!("no script"),
    };
    outcome(language, &source, &json!({})).map(|input| input["value"].to_string())
}

#[test]
fn values_of_events_have_the_types_of_the_page_and_come_back_unchanged() {
    let rows = rows("From an event");
    assert!(rows.len() >= 15);
    for row in rows {
        let value: Value = serde_json::from_str(&code(&row[0])).unwrap();
        let input = json!({ "value": value });
        for (language, kind, back, kind_of) in [
            (
                Language::Lua,
                code(&row[1]),
                "on('tool_call', function(event) return { input = event.input } end)",
                "on('tool_call', function(event) return { input = { value = type(event.input.value) } } end)",
            ),
            (
                Language::Rhai,
                code(&row[2]),
                "on(\"tool_call\", |event| #{ input: event.input });",
                "on(\"tool_call\", |event| #{ input: #{ value: type_of(event.input.value) } });",
            ),
        ] {
            let returned = outcome(language, back, &input).unwrap();
            assert_eq!(returned.to_string(), input.to_string(), "{language:?}: {row:?}");
            let told = outcome(language, kind_of, &input).unwrap();
            assert_eq!(told["value"], kind, "{language:?}: {row:?}");
        }
    }
}

#[test]
fn values_of_answers_are_the_same_in_both_languages() {
    let rows = rows("From a script");
    assert!(rows.len() >= 18);
    for row in rows {
        let expected = code(&row[3]);
        for (language, expression) in [(Language::Lua, code(&row[1])), (Language::Rhai, code(&row[2]))] {
            match answered(language, &expression) {
                Ok(json) => assert_eq!(json, expected, "{language:?}: {row:?}"),
                Err(error) => {
                    assert!(error.replace('`', "").contains(&expected.replace('`', "")), "{row:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn where_the_languages_differ_they_differ_so() {
    for row in rows("Where the languages differ") {
        for (language, expression, expected) in
            [(Language::Lua, &row[1], &row[2]), (Language::Rhai, &row[3], &row[4])]
        {
            assert_eq!(answered(language, &code(expression)), Ok(code(expected)), "{language:?}: {row:?}");
        }
    }
}
