//! A list in TOML: `mcp_servers` of Codex and Grok Build. Its servers are put behind the gate and taken from behind it, and everything else
//! stays as it is written, comments included. Not here: lists in JSON (`json_list`), reading and writing files.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, TableLike, Value, value};

use super::error::{ListError, ServerFault};
use super::json_list::check_names;
use super::server::{SIGN_IN, address, is_gate, variable};
use super::{Direction, ServerOutcome, ServerReport};
use crate::EditError;

const LIST: &str = "mcp_servers";
const NO_ARGS: &str = "no-args";

/// Keys of a server that is reached by HTTP which only the client can use.
const OF_CLIENT: &[&str] = &["bearer_token_env_var", "env_http_headers"];

/// Returns the text with the servers of these names changed, all if there are none, and the outcome for each.
pub(super) fn changed(
    text: &str,
    direction: Direction<'_>,
    names: &[String],
) -> Result<(String, Vec<ServerReport>), ListError> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(LIST).and_then(Item::as_table_like_mut) else {
        return Err(ListError { line: None, source: EditError::NoServers("`mcp_servers`") });
    };
    let all: Vec<String> = servers.iter().map(|(name, _)| name.to_owned()).collect();
    check_names(names, &all)?;
    let mut reports = Vec::new();
    for name in all.iter().filter(|name| names.is_empty() || names.contains(name)) {
        let server = servers.get_mut(name).and_then(Item::as_table_like_mut);
        let outcome = match server {
            Some(server) => one(name, server, direction).unwrap_or_else(ServerOutcome::Left),
            None => ServerOutcome::Left(ServerFault::NotTable),
        };
        reports.push(ServerReport { list: LIST.to_owned(), name: name.clone(), outcome });
    }
    let after = document.to_string();
    // What we write, we can read.
    parse(&after)?;
    Ok((after, reports))
}

fn parse(text: &str) -> Result<DocumentMut, ListError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        ListError { line: Some(line), source: EditError::Toml(error.message().to_owned()) }
    })
}

fn one(
    name: &str,
    server: &mut dyn TableLike,
    direction: Direction<'_>,
) -> Result<ServerOutcome, ServerFault> {
    let words = words(server)?;
    let gate = server.get("command").and_then(Item::as_str).filter(|command| is_gate(command));
    let gate = gate.filter(|_| words.first().is_some_and(|word| word == "mcp")).map(str::to_owned);
    match (direction, gate) {
        (Direction::Wrap(program), Some(gate)) => {
            let path = Path::new(&gate);
            if gate == program || !path.is_absolute() || path.exists() {
                return Ok(ServerOutcome::Already);
            }
            put(server, "command", program.into());
            Ok(ServerOutcome::Moved)
        }
        (Direction::Wrap(program), None) => {
            if name.is_empty() || name.starts_with('-') {
                return Err(ServerFault::Name);
            }
            match (server.contains_key("command"), server.contains_key("url")) {
                (true, true) => return Err(ServerFault::Both("command", "url")),
                (true, false) => wrap_command(name, server, program)?,
                (false, true) => wrap_url(name, server, program)?,
                (false, false) => return Err(ServerFault::Neither),
            }
            Ok(ServerOutcome::Wrapped)
        }
        (Direction::Unwrap, None) => Ok(ServerOutcome::Never),
        (Direction::Unwrap, Some(_)) => unwrap(server, &words).map(|()| ServerOutcome::Unwrapped),
    }
}

/// The arguments; none where there are none.
fn words(server: &dyn TableLike) -> Result<Vec<String>, ServerFault> {
    let Some(args) = server.get("args") else { return Ok(Vec::new()) };
    let list = args.as_array().ok_or(ServerFault::Type { key: "args", expected: "a list" })?;
    list.iter()
        .map(|word| word.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or(ServerFault::NotTexts("args"))
}

fn wrap_command(name: &str, server: &mut dyn TableLike, program: &str) -> Result<(), ServerFault> {
    let old = server.get("command").and_then(Item::as_str);
    let old = old.ok_or(ServerFault::Type { key: "command", expected: "text" })?.to_owned();
    if old.is_empty() {
        return Err(ServerFault::Empty("command"));
    }
    let had_args = server.contains_key("args");
    let mut own: Vec<&str> = vec!["mcp", "--name", name];
    if !had_args {
        own.extend(["--was", NO_ARGS]);
    }
    own.extend(["--", &old]);
    match server.get_mut("args").and_then(Item::as_array_mut) {
        Some(list) => own.iter().rev().for_each(|word| list.insert(0, *word)),
        None => {
            server.insert("args", value(own.into_iter().collect::<Array>()));
        }
    }
    put(server, "command", program.into());
    Ok(())
}

fn wrap_url(name: &str, server: &mut dyn TableLike, program: &str) -> Result<(), ServerFault> {
    let url = server.get("url").and_then(Item::as_str).ok_or(ServerFault::NOT_A_URL)?.to_owned();
    address(&url)?;
    if let Some(key) = SIGN_IN.iter().chain(OF_CLIENT).find(|key| server.contains_key(key)) {
        return Err(ServerFault::SignsIn(key));
    }
    if let Some(key) = ["args", "env"].into_iter().find(|key| server.contains_key(key)) {
        return Err(ServerFault::Both("url", key));
    }
    let mut args: Array = ["mcp", "--name", name].into_iter().collect();
    let mut env = toml_edit::InlineTable::new();
    if let Some(fields) = server.get("http_headers") {
        let fields = fields.as_table_like();
        let fields = fields.ok_or(ServerFault::Type { key: "http_headers", expected: "a table" })?;
        for (field, text) in fields.iter() {
            let variable = variable(field);
            let is_name = !field.is_empty() && field.chars().all(|c| c.is_ascii_graphic() && c != ':');
            let text = text.as_str().filter(|_| is_name && !env.contains_key(&variable));
            let text = text.ok_or_else(|| ServerFault::Header(field.to_owned()))?;
            args.push("--header");
            args.push(format!("{field}: env:{variable}"));
            env.insert(&variable, text.into());
        }
        server.insert("env", value(env));
        server.remove("http_headers");
    }
    args.push("--url");
    args.push(url);
    server.insert("command", value(program));
    server.insert("args", value(args));
    server.remove("url");
    Ok(())
}

fn unwrap(server: &mut dyn TableLike, words: &[String]) -> Result<(), ServerFault> {
    if let Some(dashes) = words.iter().position(|word| word == "--").filter(|at| at + 1 < words.len()) {
        let old = words[dashes + 1].clone();
        let own = &words[..dashes];
        let had_none = own.windows(2).any(|pair| pair[0] == "--was" && pair[1] == NO_ARGS);
        if had_none && words.len() == dashes + 2 {
            server.remove("args");
        } else if let Some(list) = server.get_mut("args").and_then(Item::as_array_mut) {
            for _ in 0..dashes + 2 {
                list.remove(0);
            }
        }
        put(server, "command", old.into());
        return Ok(());
    }
    let url = words.iter().position(|word| word == "--url").and_then(|at| words.get(at + 1));
    let url = url.ok_or(ServerFault::NoServer)?.clone();
    if let Some(env) = server.get("env").and_then(Item::as_table_like) {
        let known: Vec<(&str, &str)> = words
            .windows(2)
            .filter_map(|pair| pair[1].split_once(": env:").filter(|_| pair[0] == "--header"))
            .collect();
        let mut fields = toml_edit::InlineTable::new();
        for (name, text) in env.iter() {
            let field = known.iter().find(|(_, variable)| *variable == name);
            let (field, text) =
                field.zip(text.as_str()).ok_or_else(|| ServerFault::Variable(name.to_owned()))?;
            fields.insert(field.0, text.into());
        }
        server.insert("http_headers", value(fields));
        server.remove("env");
    }
    server.insert("url", value(url));
    server.remove("command");
    server.remove("args");
    Ok(())
}

/// Puts another value in the place of one, with the comments around it.
fn put(server: &mut dyn TableLike, key: &str, new: Value) {
    match server.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            server.insert(key, value(new));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "/opt/it's/snaphook";

    fn done(text: &str, direction: Direction<'_>) -> (String, Vec<ServerOutcome>) {
        let (after, reports) =
            changed(text, direction, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
        (after, reports.into_iter().map(|report| report.outcome).collect())
    }

    fn document(text: &str) -> serde_json::Value {
        toml_edit::de::from_str(text).unwrap()
    }

    #[test]
    fn servers_are_put_behind_the_gate_and_taken_back() {
        for (text, args) in [
            (
                "# mine\n[mcp_servers.a] # first\ncommand = \"npx\" # old\nargs = [\"-y\", \"x\"]\n\n[mcp_servers.a.env]\nK = \"1\"\n\n[tui]\nx = 1\n",
                &["mcp", "--name", "a", "--", "npx", "-y", "x"][..],
            ),
            (
                "mcp_servers.a = { command = 'npx' }\n",
                &["mcp", "--name", "a", "--was", "no-args", "--", "npx"],
            ),
            (
                "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"x\",\n]\n",
                &["mcp", "--name", "a", "--", "npx", "-y", "x"],
            ),
            (
                "[mcp_servers.a]\nurl = \"https://x.example/mcp\"\nhttp_headers = { \"X-Key\" = \"k\" }\nenabled = true\n",
                &[
                    "mcp",
                    "--name",
                    "a",
                    "--header",
                    "X-Key: env:SNAPHOOK_HEADER_X_KEY",
                    "--url",
                    "https://x.example/mcp",
                ],
            ),
        ] {
            let (wrapped, told) = done(text, Direction::Wrap(PROGRAM));
            assert_eq!(told, [ServerOutcome::Wrapped], "{text}");
            let server = &document(&wrapped)["mcp_servers"]["a"];
            assert_eq!(server["command"], PROGRAM, "{wrapped}");
            assert_eq!(server["args"], serde_json::json!(args), "{wrapped}");
            let (again, told) = done(&wrapped, Direction::Wrap(PROGRAM));
            // The program is not there, so it is the same one's.
            assert!(again == wrapped && told == [ServerOutcome::Already], "{told:?}");
            let (back, told) = done(&wrapped, Direction::Unwrap);
            assert_eq!(told, [ServerOutcome::Unwrapped]);
            assert_eq!(document(&back), document(text), "{back}");
            for comment in text.lines().filter_map(|line| line.split_once('#')) {
                assert!(wrapped.contains(comment.1) && back.contains(comment.1), "{wrapped}\n{back}");
            }
            assert_eq!(done(text, Direction::Unwrap).1, [ServerOutcome::Never]);
            let moved = done(&wrapped.replace(PROGRAM, "/gone/snaphook"), Direction::Wrap(PROGRAM));
            assert_eq!((moved.0, moved.1), (wrapped, vec![ServerOutcome::Moved]));
        }
    }

    #[test]
    fn what_cannot_be_put_behind_the_gate_is_left() {
        for (server, why) in [
            ("command = 1", "its `command` is not text"),
            ("command = \"\"", "its `command` is empty"),
            ("command = \"x\"\nargs = [1]", "other than text"),
            ("command = \"x\"\nurl = \"https://x\"", "both `command` and `url`"),
            ("enabled = true", "neither a `command` nor a `url`"),
            ("url = \"https://x\"\nbearer_token_env_var = \"T\"", "`bearer_token_env_var`"),
            ("url = \"https://u:p@x\"", "a name or password"),
            ("url = \"https://x\"\nhttp_headers = { \"a b\" = \"c\" }", "header field `a b`"),
        ] {
            let text = format!("[mcp_servers.a]\n{server}\n");
            let (after, told) = done(&text, Direction::Wrap(PROGRAM));
            assert_eq!(after, text);
            assert!(
                matches!(&told[..], [ServerOutcome::Left(found)] if found.to_string().contains(why)),
                "{server}: {told:?}"
            );
        }
        for (text, line, why) in [
            ("[a]\nb = \n", Some(2), "it is not valid TOML"),
            ("[a]\nb = 1\n", None, "expected `mcp_servers`"),
        ] {
            let odd = changed(text, Direction::Unwrap, &[]).unwrap_err();
            assert!(odd.line == line && odd.source.to_string().contains(why), "{odd:?}");
        }
        let odd = changed("[mcp_servers.files]\ncommand = \"x\"\n", Direction::Unwrap, &["file".to_owned()])
            .unwrap_err();
        assert!(odd.to_string().contains("did you mean files?"), "{odd:?}");
    }
}
