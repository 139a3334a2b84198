//! The declarations for the Lua language server and EmmyLua: the stubs as they are, and the events. `on` is typed by an
//! overload per event, so that a misspelt event, and a field or an answer of another event, are found while they are typed.

use super::events::{EventTypes, ON};
use super::lines::{Line, judge};
use super::model::{Field, Type};
use super::stubs::Stub;

const HEAD: &str = "\
---@meta

-- Written by `snaphook types`. Do not edit; run it again after an update of Snaphook.
";

/// Writes the file.
pub(crate) fn write(stubs: &[Stub], events: &[EventTypes]) -> String {
    let mut text = HEAD.to_owned();
    for stub in stubs {
        // What is for whoever reads the sources stays there.
        let kept = |line: &&str| !matches!(judge(line), Line::Comment | Line::Rhai(_) | Line::RhaiAs(_));
        for line in stub.text.lines().skip(1).filter(kept) {
            text += line;
            text += "\n";
        }
    }
    let mut answers = Vec::new();
    for event in events {
        text += &class(&event.payload, None, event.event.doc(), &event.fields);
        if event.is_of_a_tool() {
            let doc = "The same behind a matcher, which says what the call has.";
            text += &class(&event.matched(), Some(&event.payload), doc, &present(event));
        }
        if !answers.contains(&event.answer) {
            answers.push(event.answer.clone());
            let doc = format!("What a handler of `{}` may return.", event.event.name());
            text += &class(&event.answer, None, &doc, &event.answers);
        }
    }
    text + &on(events)
}

/// The portable texts: behind a matcher they are there.
pub(crate) fn present(event: &EventTypes) -> Vec<Field> {
    let portable = |field: &&Field| {
        matches!(field.name.as_str(), "command" | "content" | "url")
            && field.optional
            && field.ty == Type::Text
    };
    event.fields.iter().filter(portable).map(|field| Field { optional: false, ..field.clone() }).collect()
}

fn class(name: &str, parent: Option<&str>, doc: &str, fields: &[Field]) -> String {
    let parent = parent.map(|parent| format!(": {parent}")).unwrap_or_default();
    let mut text = format!("\n--- {doc}\n---@class {name}{parent}\n");
    for Field { name, optional, ty, doc, .. } in fields {
        let optional = if *optional { "?" } else { "" };
        text += &format!("---@field {name}{optional} {} {doc}\n", spell(ty));
    }
    text
}

fn on(events: &[EventTypes]) -> String {
    let mut overloads = Vec::new();
    for event in events {
        let EventTypes { payload, matcher, .. } = event;
        let name = event.event.name();
        let answer = if event.answers.is_empty() { String::new() } else { format!(": {}?", event.answer) };
        let handler = |payload: &str| format!("handler: fun(event: {payload}, ctx: ctx){answer}");
        overloads.push(format!("event: \"{name}\", {}", handler(payload)));
        if let Some(matcher) = matcher {
            let matched = event.matched();
            overloads.push(format!("event: \"{name}\", matcher: {matcher}, {}", handler(&matched)));
        }
    }
    // An overload for names with a dot would take every misspelt name as well: there is no type for "has a dot".
    let mut text = format!(
        "\n--- {ON}\n--- An event of your own is written `on(\"build.finished\" --[[@as any]], handler)`.\n"
    );
    // The first is the function's own signature, which language servers want to have.
    let first = overloads.remove(0);
    if let Some((event, handler)) = first.split_once(", ") {
        for part in [event, handler] {
            text += &format!("---@param {}\n", part.replacen(": ", " ", 1));
        }
    }
    for overload in overloads {
        text += &format!("---@overload fun({overload})\n");
    }
    text + "function on(event, handler) end\n"
}

/// A type as the stubs write it.
pub(crate) fn spell(ty: &Type) -> String {
    match ty {
        Type::Any => "any".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Integer => "integer".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Literal(text) => format!("\"{text}\""),
        Type::Flag(flag) => flag.to_string(),
        Type::Named(name) => name.clone(),
        Type::List(inner) if matches!(**inner, Type::Union(_)) => format!("({})[]", spell(inner)),
        Type::List(inner) => format!("{}[]", spell(inner)),
        Type::Map(key, value) => format!("table<{}, {}>", spell(key), spell(value)),
        Type::Union(parts) => parts.iter().map(spell).collect::<Vec<_>>().join("|"),
        Type::Optional(inner) if matches!(**inner, Type::Union(_)) => format!("({})?", spell(inner)),
        Type::Optional(inner) => format!("{}?", spell(inner)),
        Type::Function(params) => {
            let params = params.iter().map(|(name, ty)| format!("{name}: {}", spell(ty)));
            format!("fun({})", params.collect::<Vec<_>>().join(", "))
        }
    }
}
