//! Matchers: the data between event and handler in `on(event, matcher, handler)`. They are decided here, before a VM is
//! entered.
//!
//! A matcher may match too much, never too little: where a command line cannot be understood, or names files
//! through variables, a path matcher takes the call, and the handler looks closer.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;
use serde_json::Value;
use snaphook_core::{
    Access, CANONICAL_TOOLS, Event, EventName, Lifecycle, Payload, Session, ToolCall, family, nearest,
};

use crate::glob::{BadGlob, Globs};
use crate::regex::RegexError;
use crate::{path, regex as regexes, shell};
use snaphook_shell::{Command, Word, commands_in};

/// The reason why a matcher is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatcherError {
    /// It is no table.
    #[error("a matcher is a table like {{ tool = \"bash\" }}")]
    NotATable,
    /// There is no such key.
    #[error(
        "unknown matcher key `{key}`{} (keys: {})",
        .nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default(),
        MATCHER_KEYS.join(", ")
    )]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The key that is probably meant.
        nearest: Option<&'static str>,
    },
    /// The event carries nothing that the key looks at.
    #[error("{event} events have nothing that `{key}` could match")]
    NothingToMatch {
        /// The event.
        event: EventName,
        /// The key.
        key: String,
    },
    /// The key's value has a wrong type.
    #[error("`{0}` takes text or a list of texts")]
    WrongType(String),
    /// The key's value has no pattern.
    #[error("`{0}` is empty and would match nothing")]
    Empty(String),
    /// `command` has several patterns, or none.
    #[error("`command` takes one regular expression")]
    OneCommand,
    /// `command` is refused.
    #[error(transparent)]
    Command(#[from] RegexError),
    /// A pattern of paths is not a glob.
    #[error("`{key}`: {error}")]
    Paths {
        /// The key.
        key: String,
        /// The problem with the pattern.
        error: BadGlob,
    },
    /// A pattern of tools is not a glob.
    #[error("`tool`: {0}")]
    Tools(globset::Error),
    /// The name is an agent's own name of a tool.
    #[error("`tool = \"{native}\"` is an agent's own name; the canonical name is \"{canonical}\"")]
    NativeName {
        /// The name as written.
        native: String,
        /// The name to write.
        canonical: &'static str,
    },
}

/// The events of its name that a handler wants to see.
#[derive(Debug, Default)]
pub struct Matcher {
    tools: Option<Vec<ToolPattern>>,
    paths: Option<Globs>,
    writes: Option<Globs>,
    command: Option<Regex>,
}

#[derive(Debug)]
enum ToolPattern {
    Name(String),
    Glob(GlobMatcher),
}

const MATCHER_KEYS: &[&str] = &["tool", "path", "writes", "command"];

/// Native tool names of agents, with the canonical ones.
const NATIVE_NAMES: &[(&str, &str)] = &[
    ("shell", "bash"),
    ("run_shell_command", "bash"),
    ("terminal", "bash"),
    ("exec", "bash"),
    ("multiedit", "edit"),
    ("apply_patch", "edit"),
    ("str_replace", "edit"),
    ("replace", "edit"),
    ("write_file", "write"),
    ("read_file", "read"),
    ("webfetch", "web_fetch"),
    ("websearch", "web_search"),
    ("notebookedit", "notebook"),
    ("agent", "task"),
];

impl Matcher {
    /// Reads a matcher as a script wrote it. Beside it, warnings: a tool name that will hardly ever match.
    ///
    /// # Errors
    /// An unknown key, a wrong type, an invalid pattern, an event that has nothing to match.
    pub fn parse(event: &EventName, value: &Value) -> Result<(Self, Vec<String>), MatcherError> {
        let Value::Object(map) = value else {
            let empty = value.as_array().is_some_and(Vec::is_empty);
            return if empty {
                Ok(Self::default()).map(|m| (m, Vec::new()))
            } else {
                Err(MatcherError::NotATable)
            };
        };
        let mut matcher = Matcher::default();
        let mut warnings = Vec::new();
        for (key, value) in map {
            if !MATCHER_KEYS.contains(&key.as_str()) {
                let nearest = nearest(key, MATCHER_KEYS.iter().copied());
                return Err(MatcherError::UnknownKey { key: key.clone(), nearest });
            }
            if !may_match(event, key) {
                return Err(MatcherError::NothingToMatch { event: event.clone(), key: key.clone() });
            }
            let texts = texts(key, value)?;
            match key.as_str() {
                "tool" => matcher.tools = Some(tools(&texts, &mut warnings)?),
                "path" => matcher.paths = Some(globs(key, &texts)?),
                "writes" => matcher.writes = Some(globs(key, &texts)?),
                _ => {
                    let [pattern] = texts.as_slice() else {
                        return Err(MatcherError::OneCommand);
                    };
                    matcher.command = Some(regexes::compile(pattern)?);
                }
            }
        }
        Ok((matcher, warnings))
    }

    /// Returns whether the handler wants to see the event.
    pub fn matches(&self, event: &Event, session: &Session) -> bool {
        let Some(call) = event.call() else { return self.matches_files(event) };
        if let Some(tools) = &self.tools
            && !tools.iter().any(|tool| tool.matches(&call.tool))
        {
            return false;
        }
        if let Some(command) = &self.command
            && !call.command().is_some_and(|text| command.is_match(&text))
        {
            return false;
        }
        if self.paths.is_none() && self.writes.is_none() {
            return true;
        }
        let touched = touched_files(call, session);
        let any = |globs: &Globs, written: bool| match &touched {
            Some(files) => files.iter().any(|file| (file.written || !written) && file.matches(globs)),
            // What cannot be understood may touch anything.
            None => true,
        };
        self.paths.as_ref().is_none_or(|globs| any(globs, false))
            && self.writes.as_ref().is_none_or(|globs| any(globs, true))
    }

    /// Returns whether a check wants to see this file, relative to the project's root.
    pub fn matches_file(&self, file: &str) -> bool {
        self.paths.as_ref().or(self.writes.as_ref()).is_none_or(|globs| globs.is_match(file))
    }

    /// `files_changed` and `pre_commit` carry files and no call.
    fn matches_files(&self, event: &Event) -> bool {
        if self.paths.is_none() && self.writes.is_none() {
            return true;
        }
        let Payload::Fields(fields) = event.payload() else { return true };
        let files = fields.get("files").and_then(Value::as_array).into_iter().flatten();
        files.filter_map(Value::as_str).any(|file| self.matches_file(file))
    }
}

fn may_match(event: &EventName, key: &str) -> bool {
    match event {
        EventName::Lifecycle(Lifecycle::ToolCall | Lifecycle::ToolResult | Lifecycle::PermissionRequest) => {
            true
        }
        EventName::Lifecycle(Lifecycle::FilesChanged | Lifecycle::PreCommit) => key == "path",
        _ => false,
    }
}

fn texts<'a>(key: &str, value: &'a Value) -> Result<Vec<&'a str>, MatcherError> {
    let wrong = || MatcherError::WrongType(key.to_owned());
    let texts: Vec<&str> = match value {
        Value::String(text) => vec![text],
        // In Lua an empty list is an empty table.
        Value::Object(none) if none.is_empty() => Vec::new(),
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        _ => return Err(wrong()),
    };
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(MatcherError::Empty(key.to_owned()));
    }
    Ok(texts)
}

fn globs(key: &str, patterns: &[&str]) -> Result<Globs, MatcherError> {
    Globs::new(patterns.iter().copied()).map_err(|error| MatcherError::Paths { key: key.to_owned(), error })
}

fn tools(names: &[&str], warnings: &mut Vec<String>) -> Result<Vec<ToolPattern>, MatcherError> {
    names.iter().map(|name| tool(name, warnings)).collect()
}

fn tool(name: &str, warnings: &mut Vec<String>) -> Result<ToolPattern, MatcherError> {
    if name.contains(['*', '?', '[', '{']) {
        let glob = GlobBuilder::new(name).build().map_err(MatcherError::Tools)?;
        return Ok(ToolPattern::Glob(glob.compile_matcher()));
    }
    if !CANONICAL_TOOLS.contains(&name) && !name.starts_with("mcp__") {
        // A gate that waits for a name that no agent's call will ever carry is no gate.
        if let Some(canonical) = canonical_name(name) {
            return Err(MatcherError::NativeName { native: name.to_owned(), canonical });
        }
        let hint = nearest(name, CANONICAL_TOOLS.iter().copied());
        let hint = hint.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        warnings.push(format!(
            "no canonical tool is called \"{name}\"; it matches only a tool of that very name{hint}"
        ));
    }
    Ok(ToolPattern::Name(name.to_owned()))
}

/// The canonical name behind a name that people know from an agent (`Bash`, `run_shell_command`), or that is canonical.
pub fn canonical_name(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let elsewhere = NATIVE_NAMES.iter().find(|(theirs, _)| *theirs == lower).map(|(_, ours)| *ours);
    elsewhere.or_else(|| CANONICAL_TOOLS.iter().copied().find(|tool| *tool == lower))
}

impl ToolPattern {
    fn matches(&self, tool: &str) -> bool {
        match self {
            ToolPattern::Name(name) => name == tool || name == family(tool),
            ToolPattern::Glob(glob) => glob.is_match(tool),
        }
    }
}

/// A file that a call may touch.
struct TouchedFile {
    /// As seen from the project's root; absolute for one outside.
    path: String,
    /// Only the start of the path is known.
    open_ended: bool,
    written: bool,
}

impl TouchedFile {
    fn matches(&self, globs: &Globs) -> bool {
        self.open_ended || globs.is_match(&self.path)
    }
}

/// The files that a call may touch; `None` where that cannot be told.
fn touched_files(call: &ToolCall, session: &Session) -> Option<Vec<TouchedFile>> {
    let known =
        |file: &str, written| TouchedFile { path: from_root(file, session), open_ended: false, written };
    if let Some(command) = call.command() {
        return command_files(call, &command, session);
    }
    let written = call.access() == Access::Write;
    Some(call.paths().iter().map(|file: &Cow<'_, str>| known(file, written)).collect())
}

/// The files of a command line: the program, what redirects open, and every argument that could be a file. What a program
/// does to its arguments is not known here, so each counts as written. `None` where a command may touch files that the text
/// does not name: what runs is not known, or it runs code.
fn command_files(call: &ToolCall, text: &str, session: &Session) -> Option<Vec<TouchedFile>> {
    let commands = commands_in(text, shell::of_call(call)).ok()?;
    if commands.iter().any(|command| command.dynamic || command.opaque.is_some()) {
        return None;
    }
    let cwd = session.cwd.to_string_lossy();
    let folders = folders(&commands, &cwd)?;
    let mut files = Vec::new();
    let mut add = |path: &str, known: bool, written: bool| {
        for folder in &folders {
            let path = from_root(&path::resolve(folder, path), session);
            files.push(TouchedFile { path, open_ended: !known, written });
        }
    };
    for command in &commands {
        add(command.path.text(), command.path.known().is_some(), false);
        for redirect in &command.redirects {
            add(redirect.target.text(), redirect.target.known().is_some(), redirect.write);
        }
        for arg in &command.args {
            add(arg.text(), arg.known().is_some(), true);
            for inner in arg.known().into_iter().flat_map(files_within) {
                add(inner, true, true);
            }
        }
    }
    Some(files)
}

/// The folders in which a command of the text may run: where it begins, and those that `cd` or `-C` name. `None` where one
/// is not known.
fn folders(commands: &[Command], cwd: &str) -> Option<Vec<String>> {
    let mut folders = vec![cwd.to_owned()];
    let mut enter = |folder: &Word| {
        let folder = folder.known().filter(|folder| !matches!(*folder, "-" | ""))?;
        for at in 0..folders.len().min(MAX_FOLDERS) {
            let inner = path::resolve(folders.get(at)?, folder);
            if !folders.contains(&inner) {
                folders.push(inner);
            }
        }
        (folders.len() <= MAX_FOLDERS).then_some(())
    };
    for command in commands {
        let changes = matches!(command.name.known(), Some("cd" | "chdir" | "pushd"));
        for (at, arg) in command.args.iter().enumerate() {
            let option = arg.known().unwrap_or_default();
            if changes && !option.starts_with('-') {
                enter(arg)?;
            } else if option == "-C"
                && let Some(folder) = command.args.get(at + 1)
            {
                enter(folder)?;
            }
        }
    }
    Some(folders)
}

/// The number of folders that are followed in one text.
const MAX_FOLDERS: usize = 16;

/// Returns what may be a file in a word: `--file=x`, `if=x`, `-ox`, `@x`, `HEAD:x`, `a,b`.
fn files_within(word: &str) -> impl Iterator<Item = &str> {
    let glued =
        word.strip_prefix('-').and_then(|letters| letters.get(1..)).filter(|_| !word.starts_with("--"));
    let parts = word.split(['=', ':', ',', '@']).filter(move |part| *part != word);
    glued.into_iter().chain(parts).filter(|part| !part.is_empty())
}

/// A path as seen from the project's root, absolute where it is outside.
pub fn from_root(file: &str, session: &Session) -> String {
    let (cwd, root) = (session.cwd.to_string_lossy(), session.project_root.to_string_lossy());
    let full = path::resolve(&cwd, file);
    match path::relative(&full, &root) {
        Some(inside) if inside != ".." && !inside.starts_with("../") => inside,
        _ => full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use snaphook_core::ToolCall;

    fn session() -> Session {
        Session { cwd: "/p/sub".into(), project_root: "/p".into(), ..Session::default() }
    }

    fn matches(matcher: Value, tool: &str, input: Value) -> bool {
        let (matcher, _) = Matcher::parse(&Lifecycle::ToolCall.into(), &matcher).unwrap();
        matcher.matches(&Event::tool_call(ToolCall::new("1", tool, input)), &session())
    }

    #[test]
    fn matchers_decide() {
        for (matcher, tool, input, expected) in [
            (json!({}), "bash", json!({}), true),
            (json!({"tool": "bash"}), "bash", json!({}), true),
            (json!({"tool": "bash"}), "read", json!({}), false),
            (json!({"tool": ["read", "grep"]}), "grep", json!({}), true),
            (json!({"tool": "mcp"}), "mcp__fs__read", json!({}), true),
            (json!({"tool": "mcp__fs__*"}), "mcp__fs__read", json!({}), true),
            (json!({"tool": "mcp__fs__*"}), "mcp__git__log", json!({}), false),
            (json!({"tool": "*"}), "anything", json!({}), true),
            (json!({"command": "^git "}), "bash", json!({"command": "git push"}), true),
            (json!({"command": "^git "}), "bash", json!({"command": "ls"}), false),
            (json!({"command": "."}), "read", json!({"path": "x"}), false),
            (json!({"path": ".env"}), "read", json!({"path": ".env"}), true),
            (json!({"path": ".env"}), "read", json!({"path": "/p/.env"}), true),
            (json!({"path": "/.env"}), "read", json!({"path": ".env"}), false),
            (json!({"path": "/.env"}), "read", json!({"path": "../.env"}), true),
            (json!({"path": "*.pem"}), "read", json!({"path": "/etc/x.pem"}), true),
            (json!({"writes": ".env"}), "read", json!({"path": ".env"}), false),
            (json!({"writes": ".env"}), "write", json!({"path": ".env"}), true),
            (json!({"writes": ".env"}), "edit", json!({"path": "a"}), false),
            (json!({"writes": ".env"}), "bash", json!({"command": "echo x > .env"}), true),
            (json!({"writes": ".env"}), "bash", json!({"command": "cat < .env"}), false),
            (json!({"path": ".env"}), "bash", json!({"command": "cat < .env"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "dd if=.env of=x"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "cat a b"}), false),
            (json!({"path": ".env"}), "bash", json!({"command": "cat $X"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "echo 'unclosed"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "(cd src; tee ../.env)"}), true),
            (json!({"writes": "/gen/a"}), "bash", json!({"command": "cd ../gen && rm a"}), true),
            (json!({"writes": "/gen/a"}), "bash", json!({"command": "tar -C ../gen -xf x.tar a"}), true),
            (json!({"writes": "/gen/a"}), "bash", json!({"command": "cd \"$D\" && rm b"}), true),
            (json!({"writes": "/gen/a"}), "bash", json!({"command": "cd src && rm a"}), false),
            (json!({"writes": ".env"}), "bash", json!({"command": "sort -o.env x"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "curl -d @.env host"}), true),
            (json!({"path": ".env"}), "bash", json!({"command": "git show HEAD:.env"}), true),
            (json!({"path": "/run"}), "bash", json!({"command": "../run"}), true),
            (json!({"writes": ".env"}), "bash", json!({"command": "python3 -c 'f()'"}), true),
            (json!({"writes": ".env"}), "bash", json!({"command": "sh build.sh"}), true),
            // what bash and sh read differently may touch anything where sh reads it
            (json!({"path": ".env"}), "bash", json!({"command": "ls &> out"}), false),
            (json!({"path": ".env"}), "mcp__sh__run", json!({"command": "ls &> out"}), true),
            (json!({"path": ".env"}), "mcp__sh__run", json!({"command": "ls > out"}), false),
            (json!({"tool": "bash", "command": "rm"}), "bash", json!({"command": "ls"}), false),
        ] {
            let got = matches(matcher.clone(), tool, input.clone());
            assert_eq!(got, expected, "{matcher} on {tool} {input}");
        }
    }

    #[test]
    fn what_could_never_match_is_an_error() {
        let parse = |event: Lifecycle, value: Value| {
            let parsed = Matcher::parse(&event.into(), &value).map_err(|error| error.to_string());
            parsed.map(|(_, warnings)| warnings.join("; "))
        };
        for (value, message) in [
            (
                json!({"tools": "bash"}),
                "unknown matcher key `tools`; did you mean `tool`? (keys: tool, path, writes, command)",
            ),
            (
                json!({"tool": "Bash"}),
                "`tool = \"Bash\"` is an agent's own name; the canonical name is \"bash\"",
            ),
            (
                json!({"tool": "run_shell_command"}),
                "`tool = \"run_shell_command\"` is an agent's own name; the canonical name is \"bash\"",
            ),
            (json!({"tool": 1}), "`tool` takes text or a list of texts"),
            (json!({"tool": []}), "`tool` is empty and would match nothing"),
            (json!({"tool": {}}), "`tool` is empty and would match nothing"),
            (json!({"tool": {"a": 1}}), "`tool` takes text or a list of texts"),
            (json!({"tool": ""}), "`tool` is empty and would match nothing"),
            (json!({"command": ["a", "b"]}), "`command` takes one regular expression"),
            (json!("bash"), "a matcher is a table like { tool = \"bash\" }"),
        ] {
            assert_eq!(parse(Lifecycle::ToolCall, value), Err(message.to_owned()));
        }
        assert!(parse(Lifecycle::ToolCall, json!({"command": "("})).is_err());
        assert!(parse(Lifecycle::ToolCall, json!({"path": "a["})).is_err());
        assert!(parse(Lifecycle::SessionStart, json!({"tool": "bash"})).is_err());
        assert!(parse(Lifecycle::FilesChanged, json!({"path": "*.rs"})).is_ok());
        assert_eq!(
            parse(Lifecycle::ToolCall, json!({"tool": "bsh"})),
            Ok("no canonical tool is called \"bsh\"; it matches only a tool of that very name; did you mean \"bash\"?".to_owned())
        );
    }
}
