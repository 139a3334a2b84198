//! `expect(x).NAME(…)`: whether a value is as the test says, and if not, how it differs. Not here: where in the test that
//! was (the engine knows).

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};
use snaphook_script::regex;

use crate::arguments::{Positional, describe as name_of};
use crate::error::TestError;
use crate::outcome;
use crate::values::{list, same, sorted, text};

/// Looks whether `subject` is as expected.
///
/// # Errors
/// How it is not, or how the expectation itself is wrong.
pub(crate) fn check(
    subject: &Value,
    name: &str,
    arguments: Vec<Value>,
    folder: &Path,
) -> Result<(), TestError> {
    let what = format!("expect(…).{name}");
    match name {
        "eq" => {
            let mut arguments = Positional::read(what, arguments, 1)?;
            return eq(subject, &arguments.next().unwrap_or_default());
        }
        "matches" => {
            let mut arguments = Positional::read(what.clone(), arguments, 1)?;
            let pattern = arguments.text("pattern")?.ok_or_else(|| format!("{what} needs a pattern"))?;
            return matches(subject, &pattern);
        }
        _ => {}
    }
    let Some(outcome) = subject.as_object().filter(|map| map.contains_key("outcome")) else {
        return Err(format!(
            "{what} is about what an event came to (the result of t.tool_call and its like), not about {}",
            name_of(subject)
        )
        .into());
    };
    let case = Case { outcome, folder };
    if name == "input" {
        let mut arguments = Positional::read(what.clone(), arguments, 1)?;
        return case.input(&what, arguments.next());
    }
    let most = usize::from(name != "allowed");
    let mut arguments = Positional::read(what.clone(), arguments, most)?;
    let pattern = arguments.text("pattern")?.map(Pattern::read).transpose()?;
    match name {
        "allowed" => case.allowed(),
        "denied" => case.denied(pattern.as_ref()),
        "asked" => case.expect_question(pattern.as_ref()),
        "content" => case.content(pattern.as_ref()),
        "notified" => case.some("notified", "a notification", pattern.as_ref()),
        "sent" => case.some("sent", "text to be sent to the agent", pattern.as_ref()),
        _ => Err(format!("there is no {what}").into()),
    }
}

/// Looks whether a gated event was decided so, with a reason of that verdict that matches the pattern.
///
/// # Errors
/// As [`check`].
pub(crate) fn decision(
    outcome: &Value,
    expected: &str,
    reason: Option<&str>,
    folder: &Path,
) -> Result<(), TestError> {
    let empty = Map::new();
    let case = Case { outcome: outcome.as_object().unwrap_or(&empty), folder };
    let pattern = reason.map(|reason| Pattern::read(reason.to_owned())).transpose()?;
    let decided = case.decision()? == expected;
    let fits = || case.reasons(expected).any(|reason| is_found(pattern.as_ref(), text(reason, "reason")));
    if decided && (pattern.is_none() || fits()) {
        return Ok(());
    }
    let with = pattern.as_ref().map(|_| format!(" with a reason{}", matching(pattern.as_ref())));
    case.fail(&format!("{expected}{}", with.unwrap_or_default()))
}

/// A pattern with its text.
struct Pattern {
    text: String,
    regex: ::regex::Regex,
}

impl Pattern {
    fn read(text: String) -> Result<Self, TestError> {
        let regex = compiled(&text)?;
        Ok(Pattern { text, regex })
    }
}

fn compiled(pattern: &str) -> Result<::regex::Regex, TestError> {
    regex::compile(pattern).map_err(|error| TestError::Usage(error.to_string()))
}

fn is_found(pattern: Option<&Pattern>, text: &str) -> bool {
    pattern.is_none_or(|pattern| pattern.regex.is_match(text))
}

fn matching(pattern: Option<&Pattern>) -> String {
    pattern.map(|pattern| format!(" matching /{}/", pattern.text)).unwrap_or_default()
}

/// An outcome under the eyes of an expectation.
struct Case<'a> {
    outcome: &'a Map<String, Value>,
    folder: &'a Path,
}

impl Case<'_> {
    fn fail<T>(&self, expected: &str) -> Result<T, TestError> {
        let got = outcome::describe(self.outcome, self.folder);
        Err(TestError::Unexpected { expected: expected.to_owned(), got: got.trim_end().to_owned() })
    }

    fn decision(&self) -> Result<&str, TestError> {
        let decision = self.outcome.get("decision").and_then(Value::as_str);
        decision.ok_or_else(|| {
            let event = self.outcome.get("event").and_then(Value::as_str).unwrap_or_default();
            TestError::Usage(format!("{event} is an event without a decision"))
        })
    }

    fn allowed(&self) -> Result<(), TestError> {
        if self.decision()? == "allow" { Ok(()) } else { self.fail("allowed") }
    }

    fn denied(&self, pattern: Option<&Pattern>) -> Result<(), TestError> {
        let denied = self.decision()? == "deny";
        let fits = self.reasons("deny").any(|reason| is_found(pattern, text(reason, "reason")));
        if denied && fits {
            return Ok(());
        }
        let with = pattern.map(|_| format!(" with a reason{}", matching(pattern))).unwrap_or_default();
        self.fail(&format!("denied{with}"))
    }

    /// Expects a question: by a script, by the host for a gate's `ask`, or left to the embedder.
    fn expect_question(&self, pattern: Option<&Pattern>) -> Result<(), TestError> {
        let question = |asked: &Value| {
            let options = asked.get("options").and_then(Value::as_array).into_iter().flatten();
            let options = options.filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
            [text(asked, "title"), text(asked, "message"), &options].join("\n")
        };
        let put = list(self.outcome, "asked").iter().any(|asked| is_found(pattern, &question(asked)));
        let wanted = self.reasons("ask").any(|reason| is_found(pattern, text(reason, "reason")));
        if put || wanted { Ok(()) } else { self.fail(&format!("a question{}", matching(pattern))) }
    }

    fn reasons<'a>(&'a self, verdict: &'a str) -> impl Iterator<Item = &'a Value> {
        list(self.outcome, "reasons").iter().filter(move |reason| text(reason, "verdict") == verdict)
    }

    fn some(&self, key: &str, what: &str, pattern: Option<&Pattern>) -> Result<(), TestError> {
        let found = list(self.outcome, key).iter().any(|one| is_found(pattern, text(one, "text")));
        if found { Ok(()) } else { self.fail(&format!("{what}{}", matching(pattern))) }
    }

    fn content(&self, pattern: Option<&Pattern>) -> Result<(), TestError> {
        let Some(content) = self.outcome.get("content").and_then(Value::as_str) else {
            return Err("only tool_result has content to look at; of a call there is `input`".into());
        };
        if is_found(pattern, content) {
            return Ok(());
        }
        self.fail(&format!("content{}\n content: {}", matching(pattern), indented(content)))
    }

    fn input(&self, what: &str, wanted: Option<Value>) -> Result<(), TestError> {
        let Some(Value::Object(wanted)) =
            wanted.filter(|wanted| wanted.as_object().is_none_or(|map| !map.is_empty()))
        else {
            return Err(format!("{what} needs the keys and values that the input has to have").into());
        };
        let empty = Map::new();
        let input = self.outcome.get("input").and_then(Value::as_object).unwrap_or(&empty);
        let differs = |(key, value): &(&String, &Value)| !input.get(*key).is_some_and(|got| same(got, value));
        if !wanted.iter().any(|pair| differs(&pair)) {
            return Ok(());
        }
        // Only what was asked for is compared.
        let got: Map<String, Value> =
            wanted.keys().filter_map(|key| Some((key.clone(), input.get(key)?.clone()))).collect();
        let difference = difference(&Value::Object(wanted), &Value::Object(got));
        let others: Vec<_> = input.keys().map(String::as_str).collect();
        let known = outcome::describe(self.outcome, self.folder);
        Err(TestError::Different(format!(
            "the input differs (it has the keys {})\n{difference}{}",
            others.join(", "),
            known.trim_end()
        )))
    }
}

fn eq(got: &Value, expected: &Value) -> Result<(), TestError> {
    if same(got, expected) {
        return Ok(());
    }
    let short = |value: &Value| {
        let text = value.to_string();
        (text.len() <= 60 && !value.as_str().is_some_and(|text| text.contains('\n'))).then_some(text)
    };
    match (short(expected), short(got)) {
        (Some(expected), Some(got)) => Err(TestError::Unexpected { expected, got }),
        _ => {
            Err(TestError::Different(format!("the values differ\n{}", difference(expected, got).trim_end())))
        }
    }
}

fn matches(got: &Value, pattern: &str) -> Result<(), TestError> {
    let text = match got {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("expect(…).matches looks at text, not at {}", name_of(other)).into()),
    };
    if compiled(pattern)?.is_match(&text) {
        return Ok(());
    }
    Err(TestError::Unexpected { expected: format!("text matching /{pattern}/"), got: indented(&text) })
}

/// The most lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 100;

/// The time that the shortest difference is looked for; after that any will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// Line by line: `-` is expected and not there, `+` is there and not expected.
fn difference(expected: &Value, got: &Value) -> String {
    let (expected, got) = (lines(expected), lines(got));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(&expected, &got);
    let mut out = "  - expected, + got\n".to_owned();
    let groups = diff.grouped_ops(3);
    let changes = groups.iter().flat_map(|group| group.iter()).flat_map(|op| diff.iter_changes(op));
    for (at, change) in changes.enumerate() {
        if at == MAX_DIFF_LINES {
            out += "  …\n";
            break;
        }
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        out += &format!("  {sign} {}\n", bounded(change.value().trim_end_matches('\n')));
    }
    out
}

/// A value as lines: text as it is, all else as JSON with its keys in order.
fn lines(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(&sorted(other)).unwrap_or_default(),
    };
    format!("{text}\n")
}

fn indented(text: &str) -> String {
    let shown: Vec<String> = text.lines().take(MAX_DIFF_LINES).map(bounded).collect();
    let more = if text.lines().count() > MAX_DIFF_LINES { "\n          …" } else { "" };
    format!("{}{more}", shown.join("\n          "))
}

fn bounded(line: &str) -> String {
    const MAX_LINE_CHARS: usize = 500;
    let cut: String = line.chars().take(MAX_LINE_CHARS).collect();
    if cut.len() < line.len() { format!("{cut}…") } else { cut }
}
