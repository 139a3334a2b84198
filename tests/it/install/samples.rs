//! Settings as people have them × each agent whose file is shared with others.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

use super::{files, fine, guarded, text};

/// An agent's file with hooks of others in it: what is before the hooks' events, what an
/// event's name is, what a hook looks like, and what is after.
struct Shape {
    agent: &'static str,
    open: &'static str,
    event: &'static str,
    hook: &'static str,
    close: &'static str,
}

const FAMILY: &str =
    r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "~/bin/log.sh \"x\"", "timeout": 5}]}"#;

const SHAPES: &[Shape] = &[
    Shape { agent: "claude-code", open: r#""hooks": {"#, event: "PreToolUse", hook: FAMILY, close: "}" },
    Shape { agent: "codex", open: r#""hooks": {"#, event: "PreToolUse", hook: FAMILY, close: "}" },
    Shape { agent: "gemini", open: r#""hooks": {"#, event: "BeforeTool", hook: FAMILY, close: "}" },
    Shape { agent: "qwen", open: r#""hooks": {"#, event: "PreToolUse", hook: FAMILY, close: "}" },
    Shape { agent: "droid", open: "", event: "PreToolUse", hook: FAMILY, close: "" },
    Shape {
        agent: "cursor",
        open: r#""version": 1, "hooks": {"#,
        event: "preToolUse",
        hook: r#"{"command": "./audit.sh", "timeout": 10}"#,
        close: "}",
    },
    Shape {
        agent: "windsurf",
        open: r#""hooks": {"#,
        event: "pre_run_command",
        hook: r#"{"command": "python3 check.py", "show_output": true}"#,
        close: "}",
    },
    Shape {
        agent: "crush",
        open: r#""hooks": {"#,
        event: "PreToolUse",
        hook: r#"{"name": "log", "matcher": "bash", "command": "./log.sh"}"#,
        close: "}",
    },
    Shape {
        agent: "antigravity",
        open: r#""my-plugin": {"#,
        event: "PreToolUse",
        hook: r#"{"matcher": "*", "hooks": [{"type": "command", "command": "./log.sh"}]}"#,
        close: "}",
    },
];

/// Returns what is in the file before us.
fn samples(shape: &Shape) -> Vec<(&'static str, String)> {
    let Shape { open, event, hook, close, .. } = shape;
    let theirs = format!(r#"{open} "{event}": [{hook}] {close}"#);
    let pretty = format!(
        "{{\n  \"model\": \"sonnet\",\n  {open}\n    \"{event}\": [\n      {hook}\n    ]\n  {close}\n}}\n"
    );
    vec![
        ("an empty file", String::new()),
        ("an empty object", "{}".to_owned()),
        ("an empty object with a line end", "{\n}\n".to_owned()),
        ("one line", format!("{{{theirs}}}")),
        ("hooks of others", pretty.clone()),
        ("no line end", pretty.trim_end().to_owned()),
        ("tabs", pretty.replace("  ", "\t")),
        ("CRLF", pretty.replace('\n', "\r\n")),
        ("a byte order mark", format!("\u{feff}{pretty}")),
        (
            "comments",
            format!(
                "// mine\n{{\n  /* why */ \"model\": \"a\", // here\n  {theirs}\n  // the end\n}}\n// after\n"
            ),
        ),
        (
            "trailing commas",
            format!("{{\n  \"list\": [1, 2,],\n  {open} \"{event}\": [{hook},], {close}\n}}\n")
                .replace(", \n}", "\n}"),
        ),
        (
            "other texts, numbers and orders",
            format!(
                "{{\n  \"z\": {{\"y\": {{\"x\": [{{}}, [], null, 1.50e+3, -0.0, 12345678901234567890]}}}},\n  \"ключ\": \"é\\u00e9 \\\\ \\/ 🦀\",\n  {theirs},\n  \"a\": true\n}}\n"
            ),
        ),
        ("an empty list for the event", format!("{{ {open} \"{event}\": [] {close} }}\n")),
    ]
}

fn value(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let root = CstRootNode::parse(text, &ParseOptions::default()).unwrap();
    root.to_serde_value().unwrap_or_else(|| json!({}))
}

/// Returns what is left without our entries, and without what is empty.
fn without_ours(value: &Value) -> Value {
    match value {
        Value::Array(list) => list
            .iter()
            .filter(|element| !element.to_string().contains("snaphook"))
            .map(without_ours)
            .collect(),
        Value::Object(map) => {
            let kept = map.iter().map(|(name, value)| (name.clone(), without_ours(value)));
            let empty = |value: &Value| *value == json!({}) || *value == json!([]);
            kept.filter(|(name, value)| !empty(value) && name != "version").collect()
        }
        other => other.clone(),
    }
}

#[test]
fn others_keep_what_is_theirs_and_uninstalling_gives_it_back() {
    for shape in SHAPES {
        let agent = shape.agent;
        for (name, before) in samples(shape) {
            let place = guarded();
            let file = files(&place, agent, &[]).remove(0);
            let relative = file.strip_prefix(place.path("")).unwrap().to_str().unwrap().to_owned();
            place.write(&relative, &before);
            fine(&place, &["install", agent]);
            let after = text(&file);
            let what = format!("{agent}, {name}:\n{before}\n---- became\n{after}");
            assert_eq!(without_ours(&value(&after)), without_ours(&value(&before)), "{what}");
            assert!(after.contains(&format!("snaphook hook {agent} ")), "{what}");
            // Each word of theirs is there, in order; some got a comma, some brackets a line of their own.
            let mut rest = after.as_str();
            for word in before.split([' ', '\t', '\r', '\n', ',', '{', '}', '[', ']']) {
                let at = rest.find(word).unwrap_or_else(|| panic!("{word}\n{what}"));
                rest = &rest[at + word.len()..];
            }
            assert_eq!(before.starts_with('\u{feff}'), after.starts_with('\u{feff}'), "{what}");
            if before.contains("\r\n") {
                assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{what}");
            }
            // A second time.
            let again = fine(&place, &["install", agent]);
            assert!(again.stdout.contains("nothing to change"), "{again:?}");
            assert_eq!(text(&file), after, "{what}");
            fine(&place, &["uninstall", agent]);
            assert_eq!(text(&file), before, "{what}");
        }
    }
}

/// The file was changed in between: only snaphook's entries are removed.
#[test]
fn what_changed_in_between_stays() {
    for shape in SHAPES {
        let agent = shape.agent;
        for (name, before) in samples(shape) {
            let place = guarded();
            let file = files(&place, agent, &[]).remove(0);
            let relative = file.strip_prefix(place.path("")).unwrap().to_str().unwrap().to_owned();
            place.write(&relative, &before);
            fine(&place, &["install", agent]);
            let installed = text(&file);
            let at = installed.find('{').unwrap() + 1;
            place.write(&relative, format!("{}\n  \"added\": [1], {}", &installed[..at], &installed[at..]));
            fine(&place, &["uninstall", agent]);
            let after = text(&file);
            let mut wanted = without_ours(&value(&before));
            wanted["added"] = json!([1]);
            let what = format!("{agent}, {name}:\n{before}\n---- became\n{after}");
            assert_eq!(without_ours(&value(&after)), wanted, "{what}");
            assert!(!after.contains("snaphook hook"), "{what}");
            for comment in ["// mine", "/* why */", "// here", "// the end", "// after"] {
                assert_eq!(before.contains(comment), after.contains(comment), "{comment}: {what}");
            }
        }
    }
}

/// Our own older entries go, those of others with a name like ours stay.
#[test]
fn older_entries_of_ours_are_replaced() {
    for shape in SHAPES {
        let Shape { agent, open, event, hook, close } = shape;
        let old = |program: &str| hook.replace("~/bin/log.sh \\\"x\\\"", &command(program, agent, event));
        let old = |program: &str| {
            let with = old(program);
            ["./audit.sh", "python3 check.py", "./log.sh"]
                .iter()
                .fold(with, |with, theirs| with.replace(theirs, &command(program, agent, event)))
        };
        let before = format!(
            "{{\n  {open} \"{event}\": [{}, {hook}, {}],\n  \"SomeOldEvent\": [{}] {close}\n}}\n",
            old("/old/place/snaphook"),
            old("/usr/bin/mysnaphook-wrapper"),
            old("'/other place/snaphook'"),
        );
        let place = guarded();
        let file = files(&place, agent, &[]).remove(0);
        let relative = file.strip_prefix(place.path("")).unwrap().to_str().unwrap().to_owned();
        place.write(&relative, &before);
        fine(&place, &["install", agent]);
        let after = text(&file);
        assert!(!after.contains("/old/place/snaphook") && !after.contains("/other place/"), "{after}");
        assert!(after.contains("mysnaphook-wrapper") && !after.contains("SomeOldEvent"), "{after}");
        assert!(after.contains(&format!("/snaphook hook {agent} {event}")), "{after}");
        fine(&place, &["uninstall", agent]);
        let after = text(&file);
        assert!(!after.contains("/snaphook") && after.contains("mysnaphook-wrapper"), "{after}");
        let theirs = value(&after).to_string();
        assert!(theirs.contains(&value(hook).to_string()), "{theirs}");
    }
}

fn command(program: &str, agent: &str, event: &str) -> String {
    format!("{program} hook {agent} {event}")
}
