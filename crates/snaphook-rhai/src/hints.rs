//! Remedies for mistakes: Rhai's words for what other languages write otherwise, and what its own
//! messages leave open. One row a mistake; the Lua engine has the same file. Not here: misspelt
//! names, which the nearest one is found for, names of other hook systems (`snaphook-core`),
//! functions of Rhai's own that hooks do not have (`natives::disabled`).

use snaphook_script::kit::hints::{Lines, Messages, Names, code, of_line, of_message, of_name};

use crate::outside_fn::is_in_function;

/// Variables, functions and words that Rhai does not have, and what takes their place.
const ABSENT: &Names = &[
    ("snaphook", "it is a module: write snaphook::shell::commands(…), with :: between its parts"),
    ("ctx", "it is the second argument of handlers, |event, ctx|"),
    ("event", "it is the first argument of handlers, |event|"),
    ("nil", "nothing is ()"),
    ("null", "nothing is (), also in JSON"),
    ("undefined", "nothing is ()"),
    ("None", "nothing is ()"),
    ("True", "write true"),
    ("False", "write false"),
    ("and", "write &&"),
    ("or", "write ||"),
    ("not", "write !"),
    ("local", "write let name = value;"),
    ("var", "write let name = value;"),
    ("function", "a function is |event, ctx| { … }, or fn name(event) { … }"),
    ("elseif", "write else if"),
    ("elif", "write else if"),
    ("then", "write if … { … }"),
    ("end", "a block ends with }"),
    ("do", "a block is { … }"),
    ("match", "write switch value { … => … }, or snaphook::regex::matches(pattern, text)"),
    ("async", "a handler waits by itself: call ctx.exec(…) as any other function"),
    ("await", "a handler waits by itself: call ctx.exec(…) as any other function"),
    ("new", "a map is #{ key: value }"),
    ("require", "write import \"name\" as name; in a folder hook"),
    ("pcall", "write try { … } catch (problem) { … }"),
    ("error", "write throw \"text\""),
    ("tostring", "write value.to_string(), or `${value}`"),
    ("String", "write value.to_string(), or `${value}`"),
    ("str", "write value.to_string(), or `${value}`"),
    ("tonumber", "write parse_int(text) or parse_float(text)"),
    ("pairs", "write for key in map.keys(), or for value in list"),
    ("ipairs", "write for value in list"),
    ("type", "write type_of(value)"),
    ("typeof", "write type_of(value)"),
    ("os", "use snaphook::env for variables, snaphook::time for the time and ctx.exec for processes"),
    ("process", "use snaphook::env for variables, ctx.cwd for the folder"),
    ("io", "hooks reach files only through snaphook::fs, with a grant"),
    ("fs", "use snaphook::fs"),
    ("env", "use snaphook::env::get(\"NAME\")"),
    ("http", "use snaphook::http"),
    ("fetch", "use snaphook::http::get(url)"),
    ("JSON", "use snaphook::json::encode(value) and snaphook::json::decode(text)"),
    ("json", "use snaphook::json"),
    ("regex", "use snaphook::regex"),
    ("shell", "use snaphook::shell"),
    ("path", "use snaphook::path, or event.paths for the files of a call"),
    ("glob", "use snaphook::glob"),
    ("string", "write `text ${value}` in backticks"),
    ("format", "write `text ${value}` in backticks"),
    ("console", "use print(text), which goes to the log"),
    ("println", "use print(text), which goes to the log"),
    ("printf", "use print(`text ${value}`), which goes to the log"),
    ("log", "use ctx.log(text), or print(text)"),
    ("warn", "use ctx.log(text, \"warn\")"),
    ("print", "print takes one value: print(`${a} ${b}`)"),
    ("exec", "use ctx.exec(\"git\", [\"status\"]), in a handler"),
    ("notify", "use ctx.ui.notify(text)"),
    ("command", "it is a field of the event, event.command"),
    ("tool", "it is a field of the event, event.tool"),
    ("tool_name", "it is a field of the event, event.tool"),
    ("tool_input", "it is a field of the event, event.input"),
    ("includes", "write contains(part)"),
    ("startsWith", "write starts_with(part)"),
    ("startswith", "write starts_with(part)"),
    ("endsWith", "write ends_with(part)"),
    ("endswith", "write ends_with(part)"),
    ("indexOf", "write index_of(part)"),
    ("toLowerCase", "write to_lower()"),
    ("lower", "write to_lower()"),
    ("toUpperCase", "write to_upper()"),
    ("upper", "write to_upper()"),
    ("length", "write len()"),
    ("size", "write len()"),
    ("toString", "write to_string()"),
    ("find", "write index_of(part), or snaphook::regex::find(pattern, text)"),
    ("gsub", "write snaphook::regex::replace(pattern, text, by)"),
    ("..", "texts are joined by +, or `${a}${b}`"),
];

/// The messages of Rhai about a script that runs, and what they leave open.
const RUNNING: &Messages = &[
    (&["(expecting bool)"], "a condition is true or false: write value != () for what may be absent"),
    (&["there is no function", "(()"], "a field that is absent is (): test value != () first"),
    (&["unknown property 'length'"], "write len()"),
    (&["unknown property", "type '()'"], "a field that is absent is (): test value != () first"),
];

/// The messages of the compiler, the text in the line that they name, and what to write instead.
const SYNTAX: &Lines = &[
    ("invalid character", "'", "a string is \"text\"; '…' is one character"),
    ("'++'", "", "write += 1"),
    ("\"event\"", "function", "a function is |event, ctx| { … }"),
    ("\"event\"", "=>", "a function is |event, ctx| { … }"),
    ("", "~=", "write !="),
    ("'--'", "", "a comment begins with //"),
    ("'#'", "", "a length is list.len()"),
    ("expecting", "elseif", "write else if"),
    ("expecting", " and ", "write &&"),
    ("expecting", " or ", "write ||"),
    ("expecting", "not ", "write !"),
    ("expecting", " then", "write if … { … }"),
    ("", "function ", "a function is fn name(event) { … }"),
    ("", "function(", "a function is |event, ctx| { … }"),
    ("expecting", " of ", "write for value in list { … }"),
    ("", ":has_flags", "write cmd.has_flags(…)"),
    ("'{'", " do", "write for value in list { … }"),
];

const MAP: &str = "a map is #{ key: value }";
const OUTSIDE: &str = "a function (fn) sees no variables from outside: give it the value as an argument, or make it a \
                       closure, let name = |event| { … };";
const CONSTANT: &str = "inside a function (fn) a constant is global::";

/// Returns what takes the place of a variable, function or word that Rhai does not have.
pub(crate) fn absent(name: &str) -> Option<&'static str> {
    of_name(ABSENT, name)
}

/// The remedy for an error of a script that runs.
pub(crate) fn running(message: &str) -> Option<&'static str> {
    of_message(RUNNING, message)
}

/// The remedy for what the compiler says of a place in a source, by line and column from 1. `unknown` is the variable
/// that is not there, if it is about one.
pub(crate) fn syntax(
    message: &str,
    unknown: Option<&str>,
    source: &str,
    line: usize,
    column: usize,
) -> Option<String> {
    let text = source.lines().nth(line.checked_sub(1)?)?;
    let here = text.char_indices().nth(column.saturating_sub(1)).map_or("", |(at, _)| &text[at..]);
    // Where a line of a map of several begins.
    let behind = here.strip_prefix(unknown.unwrap_or_default()).unwrap_or_default().trim_start();
    if behind.starts_with(':') && !behind.starts_with("::") && !behind.starts_with(":has_flags") {
        return Some(MAP.to_owned());
    }
    if let Some(name) = unknown
        && is_in_function(source, line, column)
    {
        if defines(source, "const", name) {
            return Some(format!("{CONSTANT}{name}"));
        }
        if defines(source, "let", name) {
            return Some(OUTSIDE.to_owned());
        }
    }
    let text = code(text, "//");
    if has_bare_map(&text) {
        return Some(MAP.to_owned());
    }
    of_line(SYNTAX, message, &text).map(str::to_owned)
}

/// True if a source defines a name by this word.
fn defines(source: &str, word: &str, name: &str) -> bool {
    let mut words =
        source.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty());
    let mut before = "";
    words.any(|now| std::mem::replace(&mut before, now) == word && now == name)
}

/// True if a line has `{ key:` without a `#`.
fn has_bare_map(line: &str) -> bool {
    line.match_indices('{').any(|(at, _)| {
        let is_bare = !line[..at].ends_with(['#', '$']);
        let inside = line[at + 1..].trim_start();
        let key = match inside.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(_, behind)| behind),
            None => {
                let behind = inside.trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
                (behind.len() < inside.len()).then_some(behind)
            }
        };
        let behind = key.unwrap_or_default().trim_start();
        is_bare && behind.starts_with(':') && !behind.starts_with("::")
    })
}
