//! One server put behind the gate, or taken from behind it: as few bytes changed as can be, so that the one undoes the other.
//!
//! The command moves into the arguments, as it is written; the header fields of an address become variables, because a command
//! line can be read by everybody on the machine. What the arguments alone do not say (whether there were any, what the type was) is
//! behind `--was`. Not here: files, and which servers there are (`servers`).

use std::path::Path;

use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::{Range, Ranged as _};

use super::command_list;
use super::error::ServerFault;
use super::servers::{Server, only, words};

/// A place in the text, and what shall be there.
pub(super) type Edit = (Range, String);

/// The values of `type` for the transports that the gate supports.
const HTTP: &[&str] = &["http", "streamable-http", "streamableHttp", "streamable_http"];

/// Keys of a server that is reached by HTTP which have the client sign in.
pub(super) const SIGN_IN: &[&str] =
    &["oauth", "auth", "authorization", "authProviderType", "headersHelper", "requestInit", "oauthClientId"];

const NO_ARGS: &str = "no-args";
const NO_TYPE: &str = "no-type";

/// The variable that a header field becomes.
pub(super) fn variable(field: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("SNAPHOOK_HEADER_{}", field.chars().map(letter).collect::<String>())
}

/// A server that runs behind the gate.
pub(super) struct Gated<'a, 't> {
    object: &'a Object<'t>,
    command: &'a ObjectProp<'t>,
    /// The gate's own program.
    program: &'a StringLit<'t>,
    args: &'a ObjectProp<'t>,
    list: &'a Array<'t>,
    words: Vec<&'a StringLit<'t>>,
}

/// Returns whether a program is the gate: by its name, because clients and people move it. Not one by a path from wherever the client is: it
/// could have come with the project.
pub(super) fn is_gate(program: &str) -> bool {
    let (folder, name) =
        program.rsplit_once(['/', '\\']).map_or((None, program), |(folder, name)| (Some(folder), name));
    let has_drive = program.as_bytes().get(1) == Some(&b':');
    let is_placed = folder.is_none() || program.starts_with(['/', '\\', '~']) || has_drive;
    is_placed && (name == "snaphook" || name.eq_ignore_ascii_case("snaphook.exe"))
}

/// The server, if it runs behind the gate.
pub(super) fn gated<'a, 't>(text: &str, server: &Server<'a, 't>) -> Option<GatedServer<'a, 't>> {
    command_list::gated(text, server)
        .map(GatedServer::Line)
        .or_else(|| split(text, server).map(GatedServer::Split))
}

/// A server behind the gate, by the form of its command.
pub(super) enum GatedServer<'a, 't> {
    /// A program, and its arguments beside it.
    Split(Gated<'a, 't>),
    /// A list with both.
    Line(command_list::Gated<'a, 't>),
}

impl GatedServer<'_, '_> {
    /// Returns whether its program is another one than this, by a path that leads nowhere.
    pub(super) fn is_lost(&self, program: &str) -> bool {
        let own = &self.program().value;
        let path = Path::new(&**own);
        *own != program && path.is_absolute() && !path.exists()
    }

    /// Has it started as this program.
    pub(super) fn moved(&self, program: &str) -> Edit {
        (self.program().range, literal(program))
    }

    fn program(&self) -> &StringLit<'_> {
        match self {
            GatedServer::Split(gated) => gated.program,
            GatedServer::Line(gated) => gated.program,
        }
    }
}

fn split<'a, 't>(text: &str, server: &Server<'a, 't>) -> Option<Gated<'a, 't>> {
    let Value::Object(object) = server.value else { return None };
    let command = only(text, object, "command").ok()??;
    let args = only(text, object, "args").ok()??;
    let (Value::StringLit(program), Value::Array(list)) = (&command.value, &args.value) else { return None };
    let words = words(list)?;
    (is_gate(&program.value) && words.first()?.value == "mcp").then_some(Gated {
        object,
        command,
        program,
        args,
        list,
        words,
    })
}

/// The header fields of an address as variables: the words for the gate, and the edits of their names.
pub(super) fn headers(fields: &Object<'_>) -> Result<(Vec<String>, Vec<Edit>), ServerFault> {
    let (mut added, mut edits, mut variables) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields.properties {
        let name = field.name.as_str();
        let variable = variable(name);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != ':');
        if !is_name || !matches!(field.value, Value::StringLit(_)) || variables.contains(&variable) {
            return Err(ServerFault::Header(name.to_owned()));
        }
        added.extend([literal("--header"), literal(&format!("{name}: env:{variable}"))]);
        edits.push((field.name.range(), literal(&variable)));
        variables.push(variable);
    }
    Ok((added, edits))
}

/// Checks that an address is one for the gate.
pub(super) fn address(url: &str) -> Result<(), ServerFault> {
    if !["http://", "https://", "$"].iter().any(|start| url.starts_with(start)) {
        return Err(ServerFault::NotWeb);
    }
    let authority = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    if authority.is_some_and(|authority| authority.contains('@')) {
        Err(ServerFault::Credentials)
    } else {
        Ok(())
    }
}

/// The names of variables back to those of the header fields that they were.
pub(super) fn fields(words: &[&StringLit<'_>], variables: &Object<'_>) -> Result<Vec<Edit>, ServerFault> {
    let known = words.windows(2).filter_map(|pair| match pair {
        [option, field] if option.value == "--header" => field.value.split_once(": env:"),
        _ => None,
    });
    let known: Vec<(&str, &str)> = known.collect();
    let back = variables.properties.iter().map(|variable| {
        let name = variable.name.as_str();
        let field = known
            .iter()
            .find(|(_, variable)| *variable == name)
            .ok_or_else(|| ServerFault::Variable(name.to_owned()))?;
        Ok((variable.name.range(), literal(field.0)))
    });
    back.collect()
}

/// Returns what puts a server behind the gate.
pub(super) fn wrap(text: &str, server: &Server<'_, '_>, program: &str) -> Result<Vec<Edit>, ServerFault> {
    let Value::Object(object) = server.value else { return Err(ServerFault::NotObject) };
    if server.name.is_empty() || server.name.starts_with('-') {
        return Err(ServerFault::Name);
    }
    let get = |key: &str| only(text, object, key);
    if let Some(edits) = command_list::wrap(text, server, object, program)? {
        return Ok(edits);
    }
    match (get("command")?, get("url")?) {
        (Some(_), Some(_)) => Err(ServerFault::Both("command", "url")),
        (Some(command), None) => wrap_command(text, server, object, command, program),
        (None, Some(url)) => wrap_url(text, server, object, url, program),
        (None, None) => Err(ServerFault::Neither),
    }
}

fn wrap_command(
    text: &str,
    server: &Server<'_, '_>,
    object: &Object<'_>,
    command: &ObjectProp<'_>,
    program: &str,
) -> Result<Vec<Edit>, ServerFault> {
    let Value::StringLit(old) = &command.value else {
        return Err(ServerFault::Type { key: "command", expected: "text" });
    };
    if old.value.is_empty() {
        return Err(ServerFault::Empty("command"));
    }
    let args = only(text, object, "args")?;
    let mut added = vec![literal("mcp"), literal("--name"), server.written.to_owned()];
    if args.is_none() {
        added.extend([literal("--was"), literal(NO_ARGS)]);
    }
    added.extend([literal("--"), raw(text, old.range).to_owned()]);
    let list = match args.map(|args| &args.value) {
        None => return Ok(vec![(old.range, literal(program)), appended(text, command, &added)]),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(ServerFault::Type { key: "args", expected: "a list" }),
    };
    if words(list).is_none() {
        return Err(ServerFault::NotTexts("args"));
    }
    let place = match list.elements.first() {
        None => (at(list.range.start + 1), added.join(", ")),
        Some(first) => {
            // In lines of their own where the others are.
            let gap = raw(text, Range::new(list.range.start + 1, first.start()));
            let gap = if gap.trim().is_empty() && gap.contains('\n') { gap } else { " " };
            let words: Vec<String> = added.iter().map(|word| format!("{word},{gap}")).collect();
            (at(first.start()), words.concat())
        }
    };
    Ok(vec![(old.range, literal(program)), place])
}

fn wrap_url(
    text: &str,
    server: &Server<'_, '_>,
    object: &Object<'_>,
    url: &ObjectProp<'_>,
    program: &str,
) -> Result<Vec<Edit>, ServerFault> {
    let get = |key: &str| only(text, object, key);
    let Value::StringLit(address) = &url.value else { return Err(ServerFault::NOT_A_URL) };
    self::address(&address.value)?;
    for key in SIGN_IN {
        if get(key)?.is_some() {
            return Err(ServerFault::SignsIn(key));
        }
    }
    for key in ["args", "env"] {
        if get(key)?.is_some() {
            return Err(ServerFault::Both("url", key));
        }
    }
    let mut edits = vec![(url.name.range(), literal("command")), (address.range, literal(program))];
    let mut added = vec![literal("mcp"), literal("--name"), server.written.to_owned()];
    match get("type")?.map(|kind| &kind.value) {
        None => added.extend([literal("--was"), literal(NO_TYPE)]),
        Some(Value::StringLit(kind)) if HTTP.contains(&&*kind.value) => {
            if kind.value != "http" {
                added.extend([literal("--was"), literal(&kind.value)]);
            }
            edits.push((kind.range, literal("stdio")));
        }
        Some(Value::StringLit(kind)) if kind.value == "sse" => {
            return Err(ServerFault::Sse);
        }
        Some(other) => return Err(ServerFault::Transport(raw(text, other.range()).to_owned())),
    }
    if let Some(headers) = get("headers")? {
        let Value::Object(fields) = &headers.value else {
            return Err(ServerFault::Type { key: "headers", expected: "an object" });
        };
        edits.push((headers.name.range(), literal("env")));
        let (mut options, mut names) = self::headers(fields)?;
        added.append(&mut options);
        edits.append(&mut names);
    }
    added.extend([literal("--url"), raw(text, address.range).to_owned()]);
    edits.push(appended(text, url, &added));
    Ok(edits)
}

/// Returns what takes a server from behind the gate.
pub(super) fn unwrap(text: &str, gated: &GatedServer<'_, '_>) -> Result<Vec<Edit>, ServerFault> {
    match gated {
        GatedServer::Split(gated) => unwrap_split(text, gated),
        GatedServer::Line(gated) => command_list::unwrap(text, gated),
    }
}

fn unwrap_split(text: &str, gated: &Gated<'_, '_>) -> Result<Vec<Edit>, ServerFault> {
    let Gated { object, command, program, args, list, words } = gated;
    let value_of = |option: &str, within: &[&StringLit<'_>]| {
        let at = within.iter().position(|word| word.value == option)?;
        within.get(at + 1).map(|word| word.value.to_string())
    };
    let dashes = words.iter().position(|word| word.value == "--");
    if let Some((dashes, old)) = dashes.and_then(|at| Some((at, words.get(at + 1)?))) {
        let was = words.get(..dashes).and_then(|own| value_of("--was", own));
        let back = (program.range, raw(text, old.range).to_owned());
        if was.as_deref() == Some(NO_ARGS) && words.len() == dashes + 2 {
            return Ok(vec![back, removed(text, object, args)]);
        }
        let end = match words.get(dashes + 2) {
            Some(next) => next.range.start,
            None => {
                // There may be a comma behind it.
                let rest = raw(text, Range::new(old.range.end, list.range.end));
                let comma = rest.len() - rest.trim_start().strip_prefix(',').map_or(rest.len(), str::len);
                old.range.end + comma
            }
        };
        let start = words.first().map_or(end, |first| first.range.start);
        return Ok(vec![back, (Range::new(start, end), String::new())]);
    }
    let url = words.iter().position(|word| word.value == "--url").and_then(|at| words.get(at + 1));
    let Some(url) = url else {
        return Err(ServerFault::NoServer);
    };
    let get = |key: &str| only(text, object, key);
    let mut edits = vec![
        (command.name.range(), literal("url")),
        (program.range, raw(text, url.range).to_owned()),
        removed(text, object, args),
    ];
    let was = value_of("--was", words);
    if let (Some(Value::StringLit(kind)), true) =
        (get("type")?.map(|kind| &kind.value), was.as_deref() != Some(NO_TYPE))
    {
        edits.push((kind.range, literal(was.as_deref().unwrap_or("http"))));
    }
    // With an address there was none.
    if let Some(env) = get("env")? {
        let Value::Object(variables) = &env.value else {
            return Err(ServerFault::Type { key: "env", expected: "an object" });
        };
        edits.push((env.name.range(), literal("headers")));
        edits.append(&mut fields(words, variables)?);
    }
    Ok(edits)
}

/// `"args": […]` behind a property, in a line of its own if that one has one.
fn appended(text: &str, property: &ObjectProp<'_>, words: &[String]) -> Edit {
    let before = text.get(..property.name.start()).unwrap_or_default();
    let blank = before.len() - before.trim_end_matches([' ', '\t']).len();
    let indent = before.get(before.len() - blank..).unwrap_or_default();
    let line = before.get(..before.len() - blank).unwrap_or_default();
    let colon = raw(text, Range::new(property.name.end(), property.value.start()));
    let gap = match (line.ends_with("\r\n"), line.ends_with('\n')) {
        (true, _) => format!("\r\n{indent}"),
        (_, true) => format!("\n{indent}"),
        _ if colon == ":" => String::new(),
        _ => " ".to_owned(),
    };
    let colon = if colon.trim() == ":" && !colon.contains('\n') { colon } else { ": " };
    let between = if colon == ":" { "," } else { ", " };
    (at(property.value.end()), format!(",{gap}\"args\"{colon}[{}]", words.join(between)))
}

/// Takes a property out, with the comma and the white space that `appended` puts before it.
fn removed(text: &str, object: &Object<'_>, property: &ObjectProp<'_>) -> Edit {
    let index = object.properties.iter().position(|other| other.range == property.range).unwrap_or_default();
    let is_plain = |range: Range| raw(text, range).trim() == ",";
    let before = index.checked_sub(1).and_then(|index| object.properties.get(index));
    let between = before.map(|before| Range::new(before.range.end, property.range.start));
    if let Some(between) = between.filter(|range| is_plain(*range)) {
        return (Range::new(between.start, property.range.end), String::new());
    }
    let end = object.properties.get(index + 1).map(|next| next.range.start);
    let end = end.filter(|end| is_plain(Range::new(property.range.end, *end)));
    (Range::new(property.range.start, end.unwrap_or(property.range.end)), String::new())
}

pub(super) fn raw(text: &str, range: Range) -> &str {
    text.get(range.start..range.end).unwrap_or_default()
}

pub(super) fn at(position: usize) -> Range {
    Range::new(position, position)
}

pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text with these edits.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut after = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in edits {
        after.push_str(text.get(done..range.start).unwrap_or_default());
        after.push_str(&new);
        done = range.end;
    }
    after.push_str(text.get(done..).unwrap_or_default());
    after
}
