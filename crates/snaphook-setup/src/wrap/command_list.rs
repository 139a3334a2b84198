//! Servers whose `command` is a list of the program and its arguments, as in OpenCode's `mcp`: put behind the gate, and taken from
//! behind it. One that is reached by HTTP is `remote` there, and becomes a `local` one. Not here: servers with `args` (`server`).

use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::{Range, Ranged as _};

use super::error::ServerFault;
use super::server::{self, Edit, SIGN_IN, at, is_gate, literal, raw};
use super::servers::{Server, only, words};

/// The list with such servers.
const LIST: &str = "mcp";

/// A server that runs behind the gate.
pub(super) struct Gated<'a, 't> {
    object: &'a Object<'t>,
    command: &'a ObjectProp<'t>,
    /// The gate's own program.
    pub(super) program: &'a StringLit<'t>,
    list: &'a Array<'t>,
    words: Vec<&'a StringLit<'t>>,
}

/// The server, if it runs behind the gate.
pub(super) fn gated<'a, 't>(text: &str, server: &Server<'a, 't>) -> Option<Gated<'a, 't>> {
    let Value::Object(object) = server.value else { return None };
    if server.list != LIST {
        return None;
    }
    let command = only(text, object, "command").ok()??;
    let Value::Array(list) = &command.value else { return None };
    let words = words(list)?;
    let (program, option) = (*words.first()?, words.get(1)?);
    (is_gate(&program.value) && option.value == "mcp").then_some(Gated {
        object,
        command,
        program,
        list,
        words,
    })
}

/// Puts a server of this form behind the gate; `None` for one of another form.
pub(super) fn wrap(
    text: &str,
    server: &Server<'_, '_>,
    object: &Object<'_>,
    program: &str,
) -> Result<Option<Vec<Edit>>, ServerFault> {
    if server.list != LIST {
        return Ok(None);
    }
    let get = |key: &str| only(text, object, key);
    let own = [literal(program), literal("mcp"), literal("--name"), server.written.to_owned()];
    let remote = match get("type")?.map(|kind| &kind.value) {
        Some(Value::StringLit(kind)) if kind.value == "remote" => Some(kind),
        _ => None,
    };
    match (get("command")?.map(|command| &command.value), get("url")?, remote) {
        (Some(Value::Array(_)), Some(_), _) => Err(ServerFault::Both("command", "url")),
        (Some(Value::Array(list)), None, _) => {
            let Some(old) = words(list) else {
                return Err(ServerFault::NotTexts("command"));
            };
            let Some(first) = old.first().filter(|first| !first.value.is_empty()) else {
                return Err(ServerFault::Empty("command"));
            };
            let gap = raw(text, Range::new(list.range.start + 1, first.range.start));
            let gap = if gap.trim().is_empty() && gap.contains('\n') { gap } else { " " };
            let added = own.iter().chain([&literal("--")]).map(|word| format!("{word},{gap}")).collect();
            Ok(Some(vec![(at(first.range.start), added)]))
        }
        (None, Some(url), Some(kind)) => {
            let Value::StringLit(address) = &url.value else { return Err(ServerFault::NOT_A_URL) };
            server::address(&address.value)?;
            for key in SIGN_IN {
                if get(key)?.is_some_and(
                    |property| !matches!(&property.value, Value::BooleanLit(flag) if !flag.value),
                ) {
                    return Err(ServerFault::SignsIn(key));
                }
            }
            if get("environment")?.is_some() {
                return Err(ServerFault::Both("url", "environment"));
            }
            let mut added = own.to_vec();
            let mut edits = vec![(kind.range, literal("local")), (url.name.range(), literal("command"))];
            if let Some(headers) = get("headers")? {
                let Value::Object(fields) = &headers.value else {
                    return Err(ServerFault::Type { key: "headers", expected: "an object" });
                };
                edits.push((headers.name.range(), literal("environment")));
                let (mut options, mut names) = server::headers(fields)?;
                added.append(&mut options);
                edits.append(&mut names);
            }
            added.extend([literal("--url"), raw(text, address.range).to_owned()]);
            edits.push((address.range, format!("[{}]", added.join(", "))));
            Ok(Some(edits))
        }
        _ => Ok(None),
    }
}

/// Takes a server from behind the gate.
pub(super) fn unwrap(text: &str, gated: &Gated<'_, '_>) -> Result<Vec<Edit>, ServerFault> {
    let Gated { object, command, program, list, words } = gated;
    let after = |option: &str| {
        let place = words.iter().position(|word| word.value == option)?;
        words.get(place + 1)
    };
    if let Some(old) = after("--") {
        return Ok(vec![(Range::new(program.range.start, old.range.start), String::new())]);
    }
    let url = after("--url").ok_or(ServerFault::NoServer)?;
    let get = |key: &str| only(text, object, key);
    let mut edits =
        vec![(command.name.range(), literal("url")), (list.range, raw(text, url.range).to_owned())];
    if let Some(Value::StringLit(kind)) = get("type")?.map(|kind| &kind.value) {
        edits.push((kind.range, literal("remote")));
    }
    if let Some(environment) = get("environment")? {
        let Value::Object(variables) = &environment.value else {
            return Err(ServerFault::Type { key: "environment", expected: "an object" });
        };
        edits.push((environment.name.range(), literal("headers")));
        edits.append(&mut server::fields(words, variables)?);
    }
    Ok(edits)
}
