//! Matchers, globs, paths and regular expressions as hooks write them, over calls as agents send them. Another way to write a path
//! does not evade a pattern; what a matcher asks for together is what its parts ask for; normal forms are normal.
#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use snaphook_core::{Event, EventName, Lifecycle, Session, ToolCall};
use snaphook_fuzz::parts;
use snaphook_script::glob::Globs;
use snaphook_script::matcher::Matcher;
use snaphook_script::{path, regex};

fuzz_target!(|data: &[u8]| {
    let Some([matcher, tool, subject]) = parts::<3>(data) else { return };
    paths(matcher, subject);
    globs(matcher, subject);
    expressions(matcher, subject);
    let Ok(matcher) = serde_json::from_str::<Value>(matcher) else { return };
    let input = serde_json::from_str(subject).unwrap_or_else(|_| json!({ "command": subject }));
    whole_and_parts(&matcher, &Event::tool_call(ToolCall::new("1", tool, input)));
});

fn paths(base: &str, text: &str) {
    let normal = path::normalize(text);
    assert_eq!(path::normalize(&normal), normal, "{text:?}");
    assert!(normal == "." || !normal.split('/').any(|part| part == "."), "{normal:?}");
    let full = path::resolve(&format!("/{base}"), text);
    assert!(path::is_absolute(&full) && !full.split('/').any(|part| part == ".."), "{full:?}");
    if let Some(relative) = path::relative(&full, &format!("/{base}")) {
        assert_eq!(path::resolve(&format!("/{base}"), &relative), full, "{relative:?}");
    }
    let (folder, name) = (path::dirname(&full), path::basename(&full));
    assert_eq!(path::normalize(&path::join(folder, name)), full);
}

fn globs(patterns: &str, file: &str) {
    let Ok(globs) = Globs::new(patterns.lines()) else { return };
    let matches = globs.is_match(file);
    if file.is_empty() || path::is_absolute(file) {
        return;
    }
    for other in [format!("./{file}"), format!("a/../{file}"), format!("{file}/."), file.replace('/', "//")] {
        assert_eq!(globs.is_match(&other), matches, "{patterns:?} on {file:?} and {other:?}");
    }
}

fn expressions(pattern: &str, text: &str) {
    let Ok(compiled) = regex::compile(pattern) else { return };
    let found = compiled.is_match(text);
    assert_eq!(regex::Cache::default().matches(pattern, text), Ok(found));
    let plain = regex::compile(&regex::escape(text));
    assert!(plain.is_err() || plain.is_ok_and(|plain| plain.is_match(text)), "{text:?}");
}

fn whole_and_parts(matcher: &Value, event: &Event) {
    let name = EventName::from(Lifecycle::ToolCall);
    let Ok((whole, _)) = Matcher::parse(&name, matcher) else { return };
    let session =
        Session { cwd: PathBuf::from("/p/sub"), project_root: PathBuf::from("/p"), ..Session::default() };
    let parts = matcher.as_object().into_iter().flatten().all(|(key, value)| {
        let one = Matcher::parse(&name, &json!({ key: value }));
        let (one, _) = one.unwrap_or_else(|error| panic!("{key} alone: {error}"));
        one.matches(event, &session)
    });
    assert_eq!(whole.matches(event, &session), parts, "{matcher}");
    if let Some(writes) = matcher.get("writes") {
        let both = Matcher::parse(&name, &json!({ "path": writes, "writes": writes }));
        let (both, _) = both.unwrap_or_else(|error| panic!("{error}"));
        let (written, _) =
            Matcher::parse(&name, &json!({ "writes": writes })).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            both.matches(event, &session),
            written.matches(event, &session),
            "what is written is touched"
        );
    }
}
