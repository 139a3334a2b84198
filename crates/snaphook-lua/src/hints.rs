//! Remedies for mistakes: names that other Lua hosts have, habits of other languages, and what Luau's own
//! messages leave open. One row a mistake; the Rhai engine has the same file. Not here: misspelt names, which the nearest
//! one is found for, and names of other hook systems (`snaphook-core`).

use snaphook_script::kit::hints::{Lines, Messages, Names, code, of_line, of_message, of_name};

/// The names that hooks do not have, and where the thing is here: members of libraries first, then whole libraries
/// and variables.
const ABSENT: &Names = &[
    ("os.getenv", "use snaphook.env.get(\"NAME\"), with `env: [NAME]` under `grants` in the front matter"),
    ("os.execute", "use ctx.exec(\"git\", { \"status\" }), in a handler"),
    ("os.time", "use snaphook.time.now()"),
    ("os.clock", "use snaphook.time.now()"),
    ("os.date", "use snaphook.time.iso()"),
    ("os.remove", "use snaphook.fs.remove(path), with a grant under `write`"),
    ("os.exit", "return from the handler"),
    ("os", "use snaphook.env for variables, snaphook.time for the time and ctx.exec for processes"),
    ("io.open", "use snaphook.fs.read(path) or snaphook.fs.write(path, text), with a grant"),
    ("io.lines", "use snaphook.fs.read(path), with a grant under `read`"),
    ("io.popen", "use ctx.exec(\"git\", { \"status\" }), in a handler"),
    ("io.read", "the event is the first argument of handlers, function(event, ctx)"),
    ("io.stdin", "the event is the first argument of handlers, function(event, ctx)"),
    ("io.write", "use print(text), which goes to the log, or return { context = text } for the model"),
    ("io.stdout", "use print(text), which goes to the log, or return { context = text } for the model"),
    ("io.stderr", "use print(text), which goes to the log, or ctx.log(text, \"warn\")"),
    ("io", "hooks reach files only through snaphook.fs, with a grant"),
    ("package", "use require inside a folder hook"),
    ("ctx", "it is the second argument of handlers, function(event, ctx)"),
    ("event", "it is the first argument of handlers, function(event)"),
    ("null", "nothing is nil; a JSON null is snaphook.json.null"),
    ("undefined", "nothing is nil"),
    ("None", "nothing is nil"),
    ("True", "write true"),
    ("False", "write false"),
    ("loadstring", "hooks run no text as code"),
    ("load", "hooks run no text as code"),
    ("dofile", "use require inside a folder hook"),
    ("loadfile", "use require inside a folder hook"),
    ("module", "end a module with `return { name = name }`"),
    ("exports", "end a module with `return { name = name }`"),
    ("collectgarbage", "hooks cannot direct the collector"),
    ("console", "use print(text), which goes to the log"),
    ("printf", "use print(string.format(…))"),
    ("warn", "use ctx.log(text, \"warn\")"),
    ("log", "use ctx.log(text), or print(text)"),
    ("exec", "use ctx.exec(\"git\", { \"status\" }), in a handler"),
    ("notify", "use ctx.ui.notify(text)"),
    ("JSON", "use snaphook.json.encode(value) and snaphook.json.decode(text)"),
    ("json", "use snaphook.json.encode(value) and snaphook.json.decode(text)"),
    ("cjson", "use snaphook.json.encode(value) and snaphook.json.decode(text)"),
    ("regex", "use snaphook.regex"),
    ("re", "use snaphook.regex"),
    ("shell", "use snaphook.shell"),
    ("fs", "use snaphook.fs"),
    ("http", "use snaphook.http"),
    ("fetch", "use snaphook.http.get(url)"),
    ("path", "use snaphook.path, or event.paths for the files of a call"),
    ("glob", "use snaphook.glob"),
    ("env", "use snaphook.env.get(\"NAME\")"),
    ("process", "use snaphook.env.get(\"NAME\") for variables, ctx.cwd for the folder"),
    ("command", "it is a field of the event, event.command"),
    ("tool", "it is a field of the event, event.tool"),
    ("tool_name", "it is a field of the event, event.tool"),
    ("tool_input", "it is a field of the event, event.input"),
    ("len", "write #list"),
    ("str", "write tostring(value)"),
    ("String", "write tostring(value)"),
    ("throw", "write error(text)"),
];

/// The messages of Luau about a script that runs, and what they leave open.
const RUNNING: &Messages = &[
    (
        &["attempt to iterate over a nil value"],
        "snaphook.shell.commands gives nil for a text that cannot be understood: return { block = true, reason = \"…\" } then",
    ),
    (&["attempt to concatenate", "nil"], "a field that is absent is nil: write `… or \"\"`, or tostring(…)"),
    (&["attempt to concatenate"], "write tostring(…), or snaphook.json.encode(…) for a table"),
    (&["attempt to perform arithmetic (add)", "string"], "texts are joined by `..`"),
    (
        &["to 'format' (string expected"],
        "%s takes a string: write %* for any value, or `{value}` in backticks",
    ),
    (&["to 'format' (number expected"], "write tonumber(…), or %* for any value"),
    (&["invalid option", "to 'format'"], "a percent sign is %%"),
    (&["invalid conversion", "to 'format'"], "a percent sign is %%"),
    (&["missing method 'includes' of string"], "write text:find(part, 1, true)"),
    (&["missing method 'contains' of string"], "write text:find(part, 1, true)"),
    (&["missing method 'startsWith' of string"], "write text:sub(1, #part) == part"),
    (&["missing method 'starts_with' of string"], "write text:sub(1, #part) == part"),
    (&["missing method 'endsWith' of string"], "write text:sub(-#part) == part"),
    (&["missing method 'ends_with' of string"], "write text:sub(-#part) == part"),
    (&["missing method 'trim' of string"], "write text:match(\"^%s*(.-)%s*$\")"),
    (&["missing method 'replace' of string"], "write text:gsub(pattern, by), or snaphook.regex.replace"),
    (&["missing method 'toLowerCase' of string"], "write text:lower()"),
    (&["missing method 'push' of table"], "write table.insert(list, value)"),
    (&["missing method 'has_flags'"], "a command has it: for _, cmd in snaphook.shell.commands(…)"),
];

const BLOCKS: &str = "blocks are then … end, do … end and function() … end";

/// The messages of the compiler, the text in the line that they name, and what to write instead.
const SYNTAX: &Lines = &[
    ("", "=>", "a function is function(event, ctx) … end"),
    ("", "!==", "write ~="),
    ("", "===", "write =="),
    ("", "!=", "write ~="),
    ("", "&&", "write and"),
    ("", "||", "write or"),
    ("'!'", "", "write not"),
    ("", "#{", "a table is { key = value }"),
    ("got ':'", "{", "a table is { key = value }"),
    ("method name", "{", "a table is { key = value }"),
    ("", "elif ", "write elseif"),
    ("", "let ", "write local name = value"),
    ("", "var ", "write local name = value"),
    ("", "fn ", "write function name(…) … end"),
    ("", "//", "a comment begins with --"),
    ("", "/*", "a comment is --[[ … ]]"),
    ("", "try", "write pcall(function() … end)"),
    ("", "throw ", "write error(text)"),
    ("", "++", "write += 1"),
    ("'then'", "{", "write if … then … end"),
    ("'do'", "{", "write for … do … end"),
    ("got '{'", "", BLOCKS),
];

/// Returns where something is that hooks do not have: a variable (`null`) or a member of a library (`os.getenv`).
pub(crate) fn absent(name: &str) -> Option<&'static str> {
    of_name(ABSENT, name).or_else(|| of_name(ABSENT, name.split_once('.')?.0))
}

/// Returns the usage of a host function, where mistakes are common.
pub(crate) fn usage(function: &str) -> Option<&'static str> {
    match function {
        "ctx.exec" => Some("write ctx.exec(\"git\", { \"status\" })"),
        "snaphook.shell.commands" => Some("event.command is nil for a tool without a command line"),
        _ => None,
    }
}

/// The remedy for an error of a script that runs.
pub(crate) fn running(message: &str) -> Option<&'static str> {
    // How Luau says it of `string.format` alone.
    let digits = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    if message.strip_prefix("missing argument #").is_some_and(digits) {
        return Some("each % of string.format takes an argument; a percent sign is %%");
    }
    if message == "table" {
        return Some("write error(\"text\"), or return { block = true, reason = \"…\" } to deny");
    }
    of_message(RUNNING, message)
}

/// The remedy for what the compiler says of a line of a source, counted from 1.
pub(crate) fn syntax(message: &str, source: &str, line: usize) -> Option<&'static str> {
    if message.contains("did you mean") {
        return None;
    }
    let text = code(source.lines().nth(line.checked_sub(1)?)?, "--");
    if let Some(remedy) = of_line(SYNTAX, message, &text) {
        return Some(remedy);
    }
    let before = || source.lines().take(line - 1).map(|line| code(line, "--"));
    if before().last().is_some_and(|line| is_braced(&line)) {
        return Some(BLOCKS);
    }
    // Each `else if` takes an `end` of its own, which is missed at the end only.
    let is_open = message.contains("'end'") || message.contains("got ')'") || message.contains("<eof>");
    (is_open && before().any(|line| line.contains("else if "))).then_some("write elseif, or one more `end`")
}

/// True for `if (…) {` and the like.
fn is_braced(line: &str) -> bool {
    let words = ["if", "for", "while", "function", "}"];
    line.trim_end().ends_with('{') && words.iter().any(|word| line.trim_start().starts_with(word))
}
