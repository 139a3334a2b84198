//! The changes that are reported of a server over time, page by page and session by session.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;
use snaphook::{CallOptions, Host, ToolCall};

use super::*;

fn server() -> Server {
    Server { name: "files".to_owned(), target: vec!["npx".to_owned(), "server".to_owned()] }
}

/// `a=1 b=2`: two tools with these descriptions.
fn tools(text: &str) -> Vec<Value> {
    let one = |word: &str| {
        let (name, description) = word.split_once('=').unwrap();
        json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
    };
    text.split_whitespace().map(one).collect()
}

/// `(CURSOR) a=1 b=2 (NEXT)`; the changes that are reported, in one text.
fn look(pins: &Pins, text: &str) -> String {
    let (cursor, rest) = match text.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map(|(cursor, rest)| (Some(cursor), rest)).unwrap(),
        None => (None, text),
    };
    let (list, next) = match rest.split_once('(') {
        Some((list, next)) => (list, next.strip_suffix(')')),
        None => (rest, None),
    };
    let changes = pins.look(Page { cursor, tools: &tools(list), next }).unwrap();
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").replace("the tool ", "")
}

fn objection(pins: &Pins, tool: &str) -> String {
    pins.objection(tool).unwrap().map(|change| change.to_string()).unwrap_or_default()
}

/// Sessions one after the other, each with the lists that it sees and the changes that are reported of each.
#[test]
fn what_is_not_as_it_was_is_told_once_a_session() {
    type Pages<'a> = &'a [&'a [(&'a str, &'a str)]];
    let sessions: &[(&str, Pages<'_>)] = &[
        ("nothing changes", &[&[("a=1 b=2", ""), ("b=2 a=1", "")], &[("a=1 b=2", "")]]),
        (
            "a description",
            &[
                &[("a=1", ""), ("a=2", r#""a" was changed: description"#), ("a=2", "")],
                &[("a=2", r#""a" was changed: description"#)],
            ],
        ),
        (
            "each new one",
            &[&[
                ("a=1", ""),
                ("a=2", r#""a" was changed: description"#),
                ("a=3", r#""a" was changed: description"#),
            ]],
        ),
        ("and back", &[&[("a=1", ""), ("a=2", r#""a" was changed: description"#), ("a=1", ""), ("a=2", "")]]),
        (
            "new and gone",
            &[&[("a=1", ""), ("b=1", r#""b" is new; "a" is gone"#), ("a=1", "")], &[("a=1", "")]],
        ),
        ("none at first", &[&[("", ""), ("a=1", r#""a" is new"#)]]),
        ("twice", &[&[("a=1 a=1", r#""a" is defined twice"#)]]),
        (
            "pages",
            &[
                &[("a=1 (x)", ""), ("(x) b=1 (y)", ""), ("(y) c=1", "")],
                &[
                    ("a=1 (x)", ""),
                    ("(x) b=2 (y)", r#""b" was changed: description"#),
                    ("(y) d=1", r#""d" is new; "c" is gone"#),
                ],
            ],
        ),
        ("a page alone is no list", &[&[("a=1 b=1", "")], &[("(x) b=1", ""), ("(x) c=1", r#""c" is new"#)]]),
        (
            "a list that is not read to its end",
            &[
                &[("a=1 (x)", "")],
                &[("b=1 (x)", "")],
                &[("a=1 b=1", ""), ("c=1", r#""c" is new; "a" is gone; "b" is gone"#)],
            ],
        ),
        ("the same on two pages", &[&[("a=1 (x)", ""), ("(x) a=1", r#""a" is defined twice"#)]]),
        ("two lists at once", &[&[("a=1 (x)", ""), ("a=1 (y)", ""), ("(x) b=1", ""), ("(y) b=1", "")]]),
    ];
    for (name, sessions) in sessions {
        let state = tempfile::tempdir().unwrap();
        for (number, lists) in sessions.iter().enumerate() {
            let pins = Pins::new(Some(state.path()), server());
            for (list, told) in *lists {
                assert_eq!(look(&pins, list), *told, "{name}: session {number}: {list}");
            }
        }
        // Without a state folder the first session is the same.
        let pins = Pins::new(None, server());
        for (list, told) in sessions[0] {
            assert_eq!(look(&pins, list), *told, "{name}: without a state folder: {list}");
        }
    }
}

#[test]
fn calls_to_what_nobody_saw_are_objected_to_until_it_is_accepted() {
    let state = tempfile::tempdir().unwrap();
    let store = PinStore::new(state.path());
    let first = Pins::new(Some(state.path()), server());
    look(&first, "a=1 b=1 c=1");
    assert_eq!(objection(&first, "a"), "");
    assert_eq!(objection(&first, "never listed"), "");
    look(&first, "a=2 b=2 d=1");
    assert_eq!(objection(&first, "a"), r#"the tool "a" was changed: description"#);
    assert_eq!(objection(&first, "d"), r#"the tool "d" is new"#);
    assert_eq!(objection(&first, "c"), "", "what is gone cannot be called anyway");

    // A session that has not seen a list yet knows it, too.
    let second = Pins::new(Some(state.path()), server());
    assert_eq!(objection(&second, "b"), r#"the tool "b" was changed: description"#);

    let accepted = |tools: &[&str]| {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let changes = store.accept(&server(), &tools).unwrap();
        changes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").replace("the tool ", "")
    };
    assert_eq!(accepted(&["a", "x"]), r#""a" was changed: description"#);
    for pins in [&first, &second] {
        assert_eq!(objection(pins, "a"), "");
        assert_eq!(objection(pins, "b"), r#"the tool "b" was changed: description"#);
    }
    assert_eq!(accepted(&[]), r#""b" was changed: description; "d" is new; "c" is gone"#);
    assert_eq!(accepted(&[]), "");
    for pins in [&first, &second] {
        assert_eq!(objection(pins, "b") + objection(pins, "d").as_str(), "");
        assert_eq!(look(pins, "a=2 b=2 d=1"), "");
    }
    // What is accepted is what was seen, and nothing that comes after it.
    look(&first, "a=3 b=2 d=1");
    assert_eq!(objection(&first, "a"), r#"the tool "a" was changed: description"#);
    // Two definitions of one name cannot be accepted.
    look(&first, "a=2 b=2 d=1 d=1");
    accepted(&[]);
    assert_eq!(objection(&first, "d"), r#"the tool "d" is defined twice"#);
    look(&first, "a=2 b=2 d=1");
    assert_eq!(objection(&first, "d"), "");
    // One that is new as well is not accepted either.
    look(&first, "a=2 b=2 d=1 e=1 e=1");
    accepted(&[]);
    assert_eq!(objection(&first, "e"), r#"the tool "e" is defined twice"#);
}

#[test]
fn another_command_is_another_server() {
    let state = tempfile::tempdir().unwrap();
    let of = |name: &str, target: &[&str]| {
        let target = target.iter().map(|part| (*part).to_owned()).collect();
        Pins::new(Some(state.path()), Server { name: name.to_owned(), target })
    };
    let all =
        [of("x", &["a", "b"]), of("x", &["ab"]), of("xa", &["b"]), of("../x", &["a", "b"]), of("", &[])];
    for (number, pins) in all.iter().enumerate() {
        assert_eq!(look(pins, &format!("a={number}")), "");
    }
    let (known, faults) = PinStore::new(state.path()).all();
    assert_eq!((known.len(), faults), (all.len(), Vec::new()));
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 1, "nothing is written beside the folder");
}

#[test]
fn what_cannot_be_read_is_no_first_sight() {
    let state = tempfile::tempdir().unwrap();
    look(&Pins::new(Some(state.path()), server()), "a=1");
    let file = PinStore::new(state.path()).file(&server());
    let good = std::fs::read_to_string(&file).unwrap();
    let others = good.replace("npx", "uvx");
    for (text, why) in [
        ("", "are damaged"),
        ("{}", "are damaged"),
        (good.get(..good.len() / 2).unwrap(), "are damaged"),
        (&good.replace("\"format\": 1", "\"format\": 2"), "have format 2"),
        (&others, "are another server's"),
    ] {
        std::fs::write(&file, text).unwrap();
        let pins = Pins::new(Some(state.path()), server());
        let said = pins.objection("a").unwrap_err().to_string();
        assert!(said.contains(why) && said.contains("files-"), "{text}: {said}");
        let page = Page { cursor: None, tools: &tools("a=2"), next: None };
        assert!(pins.look(page).unwrap_err().why.contains(why), "{text}");
        assert!(pins.objection("a").is_err(), "{text}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "it is not written over");
        // Fixed while the session goes on.
        std::fs::write(&file, &good).unwrap();
        assert_eq!(look(&pins, "a=2"), r#""a" was changed: description"#);
        assert_eq!(objection(&pins, "a"), r#"the tool "a" was changed: description"#);
    }
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let state = tempfile::tempdir().unwrap();
    look(&Pins::new(Some(state.path()), server()), "a=1");
    let folder = state.path().join("mcp");
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
}

/// Many at once: no tools are lost.
#[test]
fn sessions_side_by_side_lose_nothing() {
    let state = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let state = state.path();
            scope.spawn(move || {
                let pins = Pins::new(Some(state), server());
                assert_eq!(look(&pins, &format!("t{number}=1 (x)")), "");
            });
        }
    });
    let (known, _) = PinStore::new(state.path()).all();
    assert_eq!(known[0].tools.len(), 8);
}

/// However much a server says: what is kept stays readable.
#[test]
fn what_is_long_is_kept_as_a_hash() {
    let state = tempfile::tempdir().unwrap();
    let many: Vec<Value> =
        (0..280).map(|n| json!({"name": format!("t{n}"), "description": "x".repeat(60 << 10)})).collect();
    let pins = Pins::new(Some(state.path()), server());
    assert_eq!(pins.look(Page { cursor: None, tools: &many, next: None }), Ok(Vec::new()));
    let mut changed = many.clone();
    changed[7]["description"] = json!("y");
    let again = Pins::new(Some(state.path()), server());
    let changes = again.look(Page { cursor: None, tools: &changed, next: None }).unwrap();
    assert_eq!(changes, [Change { tool: "t7".to_owned(), kind: ChangeKind::Changed { fields: Vec::new() } }]);
}

/// Returns what becomes of a call, and which hooks ran.
fn called(pins: &Arc<Pins>, denies: bool, tool: &str) -> String {
    let gate = PinGate::new(Arc::clone(pins), denies);
    let host = Host::builder().handler(Arc::new(gate)).build();
    let call = ToolCall::new("1", format!("mcp__files__{tool}"), json!({})).native(tool);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    match runtime.block_on(host.gate(call, &CallOptions::default())) {
        ControlFlow::Continue(_) => "passes".to_owned(),
        ControlFlow::Break(denied) => denied.message(),
    }
}

#[test]
fn calls_to_what_changed_are_denied_where_that_is_wanted() {
    let state = tempfile::tempdir().unwrap();
    let pins = Arc::new(Pins::new(Some(state.path()), server()));
    look(&pins, "a=1 b=1");
    assert_eq!(called(&pins, true, "a"), "passes");
    look(&pins, "a=2 b=1 c=1");
    for (tool, why) in [("a", "was changed: description"), ("c", "is new")] {
        assert_eq!(called(&pins, false, tool), "passes");
        let said = called(&pins, true, tool);
        for part in [why, "snaphook mcp accept files", PINNED_TOOLS] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    assert_eq!(called(&pins, true, "b"), "passes");
    PinStore::new(state.path()).accept(&server(), &[]).unwrap();
    assert_eq!(called(&pins, true, "a"), "passes");

    std::fs::write(PinStore::new(state.path()).file(&server()), "{").unwrap();
    let pins = Arc::new(Pins::new(Some(state.path()), server()));
    assert_eq!(called(&pins, false, "a"), "passes");
    assert!(called(&pins, true, "a").contains("are damaged"), "{}", called(&pins, true, "a"));
}

/// In a session with several servers the name of the tool says whose it is.
#[test]
fn a_tool_is_held_to_the_pins_of_its_own_server() {
    let pins = |name: &str| {
        let server = Server { name: name.to_owned(), target: vec![name.to_owned()] };
        Arc::new(Pins::new(None, server))
    };
    let (files, other) = (pins("files"), pins("other"));
    look(&files, "a=1 x__b=1");
    look(&other, "a=1 x__b=1");
    look(&files, "a=2 x__b=2");
    let gate = PinGate::of_servers(vec![other, files], true);
    let host = Host::builder().handler(Arc::new(gate)).build();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for (tool, is_denied) in [
        ("mcp__files__a", true),
        ("mcp__files__x__b", true),
        ("mcp__other__a", false),
        ("mcp__other__x__b", false),
        ("mcp__third__a", false),
        ("mcp__files", false),
        ("a", false),
    ] {
        let call = ToolCall::new("1", tool, json!({}));
        let decided = runtime.block_on(host.gate(call, &CallOptions::default()));
        assert_eq!(matches!(decided, ControlFlow::Break(_)), is_denied, "{tool}");
    }
}
