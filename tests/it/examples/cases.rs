//! The format of `*.cases`: paragraphs of steps, each step followed by what it should come to.
//!
//! ```text
//! # a comment
//! ~ run git init --quiet          a command in the project, before or between calls
//! ~ program notify-send echo hi   a program on the search path
//! ~ cwd sub                       the session's folder (first lines of a paragraph only)
//! ~ tick 60                       time goes by
//! ~ answers staging,yes           what a person says, who is there for this paragraph
//! bash rm -rf build               a call of bash; further lines begin with `| `
//! call write {"path": ".env"}     a call of any tool
//! result bash some text           what a tool said; `result-json {…}` for all its fields
//! event agent_end {}              any other event; of `mcp.server_message` the content is its texts
//! => ask recursive delete         what came of the step above
//! ```
//!
//! Expectations: `allow`, `deny TEXT`, `ask TEXT`, `rewrite COMMAND`, `hold JSON`, `broken TEXT` for calls; `unchanged`, `content TEXT` for results;
//! `pass`, `fail TEXT` for checks; `context TEXT`, `no-context`, `notice TEXT`, `no-notice`, `file PATH TEXT`, `no-file PATH` for all.
//! `{project}` and `{home}` stand for the folders of the bed.

use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub enum Act {
    Run(String),
    Program(String, String),
    Cwd(String),
    Tick(f64),
    Answers(String),
    Call { tool: String, input: Value },
    Result(Value),
    Event { name: String, fields: Value },
}

#[derive(Debug, Clone)]
pub enum Expected {
    Allow,
    Deny(String),
    Ask(String),
    Rewrite(String),
    /// It runs, held like this.
    Hold(Value),
    /// A hook failed, and this is what is said about it.
    Broken(String),
    Unchanged,
    Content(String),
    Pass,
    Fail(String),
    Context(String),
    NoContext,
    Notice(String),
    NoNotice,
    File(String, String),
    NoFile(String),
}

#[derive(Debug, Clone)]
pub struct Step {
    pub act: Act,
    pub expected: Vec<Expected>,
}

/// One paragraph: its steps share a host and a project.
#[derive(Debug, Clone)]
pub struct Case {
    pub place: String,
    pub steps: Vec<Step>,
}

/// Reads a file of cases.
pub fn parse(name: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open = false;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let place = format!("{name}:{}", number + 1);
        if line.trim().is_empty() {
            open = false;
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        let mut line = line.to_owned();
        while let Some((_, more)) = lines.next_if(|(_, next)| next.starts_with("| ") || *next == "|") {
            line.push('\n');
            line.push_str(more.strip_prefix("| ").unwrap_or_default());
        }
        if !open {
            cases.push(Case { place: place.clone(), steps: Vec::new() });
            open = true;
        }
        let case = cases.last_mut().unwrap();
        match line.strip_prefix("=> ") {
            Some(text) => {
                let step = case.steps.last_mut().unwrap_or_else(|| panic!("{place}: nothing was done yet"));
                step.expected.push(expected(text, &place));
            }
            None => case.steps.push(Step { act: act(&line, &place), expected: Vec::new() }),
        }
    }
    for case in &cases {
        assert!(case.steps.iter().any(|step| !step.expected.is_empty()), "{}: expects nothing", case.place);
    }
    cases
}

fn split(text: &str) -> (&str, &str) {
    let at = text.find([' ', '\n']).unwrap_or(text.len());
    (&text[..at], text.get(at + 1..).unwrap_or_default())
}

fn json_of(text: &str, place: &str) -> Value {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{place}: {error}"))
}

fn act(line: &str, place: &str) -> Act {
    let (word, rest) = split(line);
    let (first, second) = split(rest);
    match word {
        "~" => match first {
            "run" => Act::Run(second.to_owned()),
            "program" => {
                let (name, body) = split(second);
                Act::Program(name.to_owned(), body.to_owned())
            }
            "cwd" => Act::Cwd(second.to_owned()),
            "answers" => Act::Answers(second.to_owned()),
            "tick" => Act::Tick(second.parse().unwrap_or_else(|_| panic!("{place}: no number"))),
            other => panic!("{place}: unknown setup {other:?}"),
        },
        "bash" => Act::Call { tool: "bash".to_owned(), input: json!({ "command": rest }) },
        "call" => Act::Call { tool: first.to_owned(), input: json_of(second, place) },
        "result" => Act::Result(json!({ "tool": first, "content": second })),
        "result-json" => Act::Result(json_of(rest, place)),
        "event" => Act::Event { name: first.to_owned(), fields: json_of(second, place) },
        other => panic!("{place}: unknown step {other:?}"),
    }
}

fn expected(text: &str, place: &str) -> Expected {
    let (word, rest) = split(text);
    let text = rest.to_owned();
    let needs_text = matches!(word, "deny" | "broken" | "ask" | "rewrite" | "fail" | "context" | "notice");
    assert!(!needs_text || !text.is_empty(), "{place}: `{word}` needs a text");
    match word {
        "allow" => Expected::Allow,
        "deny" => Expected::Deny(text),
        "ask" => Expected::Ask(text),
        "rewrite" => Expected::Rewrite(text),
        "hold" => Expected::Hold(json_of(rest, place)),
        "broken" => Expected::Broken(text),
        "unchanged" => Expected::Unchanged,
        "content" => Expected::Content(text),
        "pass" => Expected::Pass,
        "fail" => Expected::Fail(text),
        "context" => Expected::Context(text),
        "no-context" => Expected::NoContext,
        "notice" => Expected::Notice(text),
        "no-notice" => Expected::NoNotice,
        "file" => {
            let (path, text) = split(rest);
            Expected::File(path.to_owned(), text.to_owned())
        }
        "no-file" => Expected::NoFile(text),
        other => panic!("{place}: unknown expectation {other:?}"),
    }
}
