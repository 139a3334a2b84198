//! How the two languages write what an API has. Not here: the page around it (`reference`).

use super::model::{Api, Class, Function, Type};

/// The way the members of one object are written.
#[derive(Debug, Clone)]
pub(crate) struct Spelling {
    /// The object's name in the stubs.
    pub(crate) object: String,
    lua: String,
    rhai: String,
    /// The text between object and member in Rhai.
    rhai_dot: &'static str,
}

impl Spelling {
    /// Of what belongs to nothing.
    pub(crate) fn global() -> Self {
        Spelling { object: String::new(), lua: String::new(), rhai: String::new(), rhai_dot: "" }
    }

    /// Of a class, once for each name that scripts know it by; none for a kind of value without functions.
    pub(crate) fn of(api: &Api, class: &Class) -> Vec<Self> {
        let variable = |object: &str, shown: &str| Spelling {
            object: object.to_owned(),
            lua: shown.to_owned(),
            rhai: shown.to_owned(),
            rhai_dot: ".",
        };
        match class.name.as_str() {
            "Test" => vec![variable("Test", "t")],
            "Expectation" => vec![variable("Expectation", "expect(subject)")],
            "ShellCommand" => vec![variable("ShellCommand", "cmd")],
            "RegexMatch" => vec![variable("RegexMatch", "match")],
            "FileStat" => vec![variable("FileStat", "stat")],
            "HttpResponse" => vec![variable("HttpResponse", "response")],
            "ExecResult" => vec![variable("ExecResult", "result")],
            "Keep" => keepers(api).iter().map(|object| variable(object, object)).collect(),
            name if name.starts_with("snaphook") => vec![Spelling {
                object: name.to_owned(),
                lua: name.to_owned(),
                rhai: name.replace('.', "::"),
                rhai_dot: "::",
            }],
            name if class.is_object() => vec![variable(name, name)],
            _ => Vec::new(),
        }
    }

    pub(crate) fn lua_field(&self, name: &str) -> String {
        format!("{}.{name}", self.lua)
    }

    pub(crate) fn rhai_field(&self, name: &str) -> String {
        format!("{}{}{name}", self.rhai, self.rhai_dot)
    }

    /// The call of a function in both languages.
    pub(crate) fn function(&self, function: &Function) -> (String, String) {
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| if param.optional { format!("[{}]", param.name) } else { param.name.clone() })
            .collect();
        let (name, params) = (&function.name, params.join(", "));
        let dot = match (self.lua.is_empty(), function.method) {
            (true, _) => "",
            (false, true) => ":",
            (false, false) => ".",
        };
        let lua = format!("{}{dot}{name}({params})", self.lua);
        let rhai = format!("{}{}{name}({params})", self.rhai, self.rhai_dot);
        (lua, function.rhai_as.clone().unwrap_or(rhai))
    }
}

/// The fields of `ctx` that keep values.
fn keepers(api: &Api) -> Vec<String> {
    let fields = api.class("ctx").map(|ctx| ctx.fields.as_slice()).unwrap_or_default();
    let keeps = fields.iter().filter(|field| field.ty == Type::Named("Keep".to_owned()));
    keeps.map(|field| format!("ctx.{}", field.name)).collect()
}

/// A type in words that both languages share.
pub(crate) fn prose(ty: &Type) -> String {
    match ty {
        Type::Any => "any value".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Integer => "whole number".to_owned(),
        Type::Bool => "`true` or `false`".to_owned(),
        Type::Literal(text) => format!("`\"{text}\"`"),
        Type::Flag(flag) => format!("`{flag}`"),
        Type::Named(name) => format!("[{name}](#{})", name.to_lowercase().replace('.', "")),
        Type::List(inner) => match **inner {
            Type::Any => "list".to_owned(),
            Type::Union(_) => format!("list, each {}", prose(inner)),
            _ => format!("list of {}", prose(inner)),
        },
        Type::Map(_, value) => match **value {
            Type::Any => "map".to_owned(),
            _ => format!("map of {}", prose(value)),
        },
        Type::Union(parts) => {
            let parts: Vec<String> = parts.iter().map(prose).collect();
            parts.join(", or ")
        }
        Type::Optional(inner) => format!("{}, or nothing", prose(inner)),
        Type::Function(params) => {
            let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
            format!("function of {}", names.join(", "))
        }
    }
}
