//! The declarations for Luau's own checker and for luau-lsp.
//!
//! Luau does not infer the parameters of a function that is handed to an overloaded one, so `on` has one handler type
//! for all events: its event has the fields of all events, its answer the keys of all answers. A misspelt event, a field or
//! a key that no event has, and a wrong type are found; a field of another event is found where the parameter is
//! annotated, `function(event: UserPromptEvent)`, or by the Lua language server.

use super::events::{EventTypes, ON, capital};
use super::luals::present;
use super::model::{Api, Class, Field, Function, Param, Type};

const HEAD: &str = "\
-- Written by `snaphook types`. Do not edit; run it again after an update of Snaphook.
";

/// Writes the file.
pub(crate) fn write(api: &Api, events: &[EventTypes]) -> String {
    let mut text = HEAD.to_owned();
    for alias in &api.aliases {
        text += &format!("\n-- {}\nexport type {} = {}\n", alias.doc, alias.name, spell(&alias.ty));
    }
    for class in &api.classes {
        text += &exported(api, class);
    }
    text += &events_of(events);
    for class in api.classes.iter().filter(|class| class.name == "snaphook") {
        text += &format!("\n-- {}\ndeclare {}: {}\n", class.doc, class.name, type_name(&class.name));
    }
    for function in &api.functions {
        // A declared function names its rest, a field does not.
        let params = params(&function.params, None).replacen("...", "...: ", 1);
        let Function { name, doc, .. } = function;
        text += &format!("\n-- {doc}\ndeclare function {name}({params}): {}\n", results(function));
    }
    text
}

/// A class as a type. Fields are for reading: a script that sets one means something else.
fn exported(api: &Api, class: &Class) -> String {
    let mut text = format!("\n-- {}\nexport type {} = {{\n", class.doc, type_name(&class.name));
    let parent = class.parent.as_deref().and_then(|parent| api.class(parent));
    for Field { name, optional, ty, doc, .. } in
        parent.into_iter().flat_map(|parent| &parent.fields).chain(&class.fields)
    {
        text += &format!("  -- {doc}\n  read {name}: {},\n", optional_type(ty, *optional));
    }
    for function in &class.functions {
        let this = function.method.then_some(class.name.as_str());
        let Function { name, doc, .. } = function;
        text += &format!("  -- {doc}\n  read {name}: {},\n", arrow(function, this));
    }
    for part in api.parts(&class.name) {
        text += &format!("  -- {}\n  read {}: {},\n", part.doc, part.short(), type_name(&part.name));
    }
    text + "}\n"
}

/// Objects are variables, so that their types need a name of their own: `SnaphookJson` of `snaphook.json`.
fn type_name(name: &str) -> String {
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return name.to_owned();
    }
    name.split('.').map(capital).collect()
}

fn events_of(events: &[EventTypes]) -> String {
    let mut text = String::new();
    let mut answers: Vec<&str> = Vec::new();
    let (mut all_fields, mut all_answers): (Vec<Field>, Vec<Field>) = (Vec::new(), Vec::new());
    for event in events {
        // The name is a text like any other here: with it as a literal no event would fit into `Event`.
        let mut fields = event.fields.clone();
        fields.iter_mut().filter(|field| field.name == "name").for_each(|name| name.ty = Type::Text);
        text += &record(&event.payload, event.event.doc(), &fields, false);
        merge(&mut all_fields, &fields);
        if event.is_of_a_tool() {
            for field in present(event) {
                fields
                    .iter_mut()
                    .filter(|known| known.name == field.name)
                    .for_each(|known| *known = field.clone());
            }
            let doc = "The same behind a matcher, which says what the call has.";
            text += &record(&event.matched(), doc, &fields, false);
        }
        if !answers.contains(&event.answer.as_str()) {
            answers.push(&event.answer);
            let doc = format!("What a handler of `{}` may return.", event.event.name());
            text += &record(&event.answer, &doc, &event.answers, true);
        }
        merge(&mut all_answers, &event.answers);
    }
    text += &record(
        "Event",
        "What a handler gets whose parameter has no type: the fields of all events.",
        &all_fields,
        false,
    );
    text += &record("Answer", "What such a handler may return: the keys of all answers.", &all_answers, true);
    text += &on(events);
    text
}

/// Fields of several events, so that the whole fits each of the events: a handler may name the one that it is for. One that is there in some is taken to be there: the handler knows which event it is for.
fn merge(all: &mut Vec<Field>, fields: &[Field]) {
    for field in fields {
        match all.iter_mut().find(|known| known.name == field.name) {
            Some(known) if known.ty != field.ty => known.ty = Type::Any,
            Some(_) => {}
            None => all.push(Field { optional: false, ..field.clone() }),
        }
    }
}

/// Answers have an indexer that takes nothing: without it a key that is not known would pass.
fn record(name: &str, doc: &str, fields: &[Field], answer: bool) -> String {
    let mut text = format!("\n-- {doc}\nexport type {name} = {{\n");
    for Field { name, optional, ty, doc, .. } in fields {
        let read = if answer { "" } else { "read " };
        text += &format!("  -- {doc}\n  {read}{name}: {},\n", optional_type(ty, *optional || answer));
    }
    if answer {
        text += "  [string]: never,\n";
    }
    text + "}\n"
}

/// Luau infers the parameters of a function that is handed to an overloaded one only where the argument may be nothing as
/// well, hence the question mark behind the matcher.
fn on(events: &[EventTypes]) -> String {
    let names = |events: &mut dyn Iterator<Item = &EventTypes>| {
        events.map(|event| format!("\"{}\"", event.event.name())).collect::<Vec<_>>().join("\n  | ")
    };
    let every = names(&mut events.iter());
    let with_matcher = names(&mut events.iter().filter(|event| event.matcher.is_some()));
    format!(
        "\n-- Every event that snaphook knows. An event of your own is written `\"build.finished\" :: any`.\n\
         export type EventName =\n  {every}\n\
         \n-- Those that take a matcher.\nexport type MatchedEventName =\n  {with_matcher}\n\
         \nexport type Handler = (event: Event, ctx: Ctx) -> ...Answer?\n\
         \n-- A matcher has at least one of these keys.\n\
         export type Matcher =\n  {{ read tool: Tool | {{Tool}} }}\n  | {{ read path: string | {{string}} }}\n  \
         | {{ read writes: string | {{string}} }}\n  | {{ read command: string }}\n\
         \n-- {ON}\n\
         declare on:\n  \
         ((event: EventName, handler: Handler) -> ())\n  \
         & ((event: MatchedEventName, matcher: Matcher?, handler: Handler) -> ())\n"
    )
}

/// `(name: type, …) -> result` of a field.
fn arrow(function: &Function, this: Option<&str>) -> String {
    format!("({}) -> {}", params(&function.params, this), results(function))
}

fn params(params: &[Param], this: Option<&str>) -> String {
    let this = this.map(|class| format!("self: {}", type_name(class)));
    let others = params.iter().map(|param| match param.name.as_str() {
        "..." => format!("...{}", spell(&param.ty)),
        name => format!("{name}: {}", optional_type(&param.ty, param.optional)),
    });
    this.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

fn results(function: &Function) -> String {
    let types: Vec<String> = function.returns.iter().map(|result| spell(&result.ty)).collect();
    match types.as_slice() {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

fn optional_type(ty: &Type, optional: bool) -> String {
    match (optional, ty) {
        (false, ty) => spell(ty),
        (true, Type::Any | Type::Optional(_)) => spell(ty),
        (true, ty) => spell(&Type::Optional(Box::new(ty.clone()))),
    }
}

fn spell(ty: &Type) -> String {
    match ty {
        Type::Any => "any".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Number | Type::Integer => "number".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Literal(text) => format!("\"{text}\""),
        Type::Flag(flag) => flag.to_string(),
        Type::Named(name) => type_name(name),
        Type::List(inner) => format!("{{{}}}", spell(inner)),
        Type::Map(key, value) => format!("{{[{}]: {}}}", spell(key), spell(value)),
        Type::Union(parts) => format!("({})", parts.iter().map(spell).collect::<Vec<_>>().join(" | ")),
        Type::Optional(inner) => match &**inner {
            Type::Function(_) => format!("({})?", spell(inner)),
            _ => format!("{}?", spell(inner)),
        },
        Type::Function(params) => {
            let params = params.iter().map(|(name, ty)| format!("{name}: {}", spell(ty)));
            format!("({}) -> ()", params.collect::<Vec<_>>().join(", "))
        }
    }
}
