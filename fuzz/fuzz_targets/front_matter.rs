//! The block at the top of a hook. Every fault names a line of the file and can be shown; what is blanked keeps all lines; what
//! was read is the same when it is written canonically; and the lenient reading grants nothing: grants come from strict YAML
//! only, asked here a second time, and each is one that can be held.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use snaphook_core::{ExecGrant, Executable, NetGrant, RunAs};
use snaphook_discovery::front_matter::{FileKind, blank, misplaced, parse, split};
use snaphook_discovery::{FrontMatter, decode};
use snaphook_fuzz::choice_and_text;

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = choice_and_text(data) else { return };
    // As discovery does first: with a lone carriage return lines would be counted in two ways.
    let Ok(text) = decode(text.as_bytes()) else { return };
    let kind = [FileKind::Lua, FileKind::Rhai, FileKind::Executable][choice % 3];
    let lines = text.lines().count();
    misplaced(text, kind);
    match parse(text, kind) {
        Err(faults) => {
            assert!(!faults.is_empty());
            for fault in faults {
                assert!(fault.line.is_some_and(|line| (1..=lines).contains(&(line as usize))), "{fault:?}");
                assert!(!fault.message.chars().any(char::is_control), "{fault:?}");
            }
        }
        Ok(None) => {}
        Ok(Some(found)) => {
            granted_by_yaml(&found, text, kind);
            again(&found, kind);
        }
    }
    let Ok(block) = split(text, kind) else { return };
    let Some(blanked) = blank(text, block.as_ref(), kind) else { return };
    assert_eq!(blanked.matches('\n').count(), text.matches('\n').count());
    let end = block.map_or(1, |block| block.close as usize);
    assert!(blanked.lines().skip(end).eq(text.lines().skip(end)));
});

fn granted_by_yaml(found: &FrontMatter, text: &str, kind: FileKind) {
    let grants = &found.grants;
    if grants.is_empty() {
        return;
    }
    let block = split(text, kind).ok().flatten().unwrap_or_else(|| panic!("grants without a block"));
    let strict: Value =
        serde_saphyr::from_str(&block.body).unwrap_or_else(|error| panic!("granted without YAML: {error}"));
    for (name, list) in grants.iter() {
        let written = strict["grants"][name].as_array().cloned().unwrap_or_default();
        let written: Vec<&str> = written.iter().filter_map(Value::as_str).map(str::trim).collect();
        assert_eq!(list, written, "grants.{name}");
    }
    assert!(grants.exec.iter().all(|entry| ExecGrant::parse(entry).is_ok()), "{grants:?}");
    assert!(grants.net.iter().all(|entry| NetGrant::parse(entry).is_ok()), "{grants:?}");
}

/// Written as JSON values behind a leader, which is YAML, it says the same.
fn again(found: &FrontMatter, kind: FileKind) {
    let (leader, delimiter) = match kind {
        FileKind::Lua => ("-- ", "-----"),
        FileKind::Rhai => ("// ", "//---"),
        FileKind::Executable => ("# ", "#---"),
    };
    let mut body = String::new();
    let mut put = |key: &str, value: Value| body += &format!("{leader}{key}: {}\n", in_yaml(&value));
    found.name.as_ref().map(|name| put("name", json!(name)));
    found.description.as_ref().map(|text| put("description", json!(text)));
    found.api.map(|api| put("api", json!(api)));
    if let Some(executable) = &found.executable {
        // Other products have words of their own for events.
        if !executable.answers {
            return;
        }
        put("event", json!(executable.event));
        // An empty list is a fault; none is the same.
        for (key, list) in [("pattern", &executable.patterns), ("ignore", &executable.ignore)] {
            if !list.is_empty() {
                put(key, json!(list));
            }
        }
        // Keys of checks, and of what runs at the start: elsewhere they are faults, whatever they say.
        if !executable.notify {
            put("notify_llm", json!(false));
        }
        if executable.run_as == RunAs::Root {
            put("run_as", json!("root"));
        }
    }
    let grants: serde_json::Map<String, Value> =
        found.grants.iter().map(|(name, list)| (name.to_owned(), json!(list))).collect();
    put("grants", Value::Object(grants));
    let written = format!("{delimiter}\n{body}{delimiter}\n");
    if written.len() > 60_000 {
        return;
    }
    let read = match parse(&written, kind) {
        Ok(Some(read)) => read,
        other => panic!("{other:?}: {written}"),
    };
    assert_eq!(
        (&read.name, &read.description, read.api),
        (&found.name, &found.description, found.api),
        "{written}"
    );
    assert_eq!(read.grants, found.grants, "{written}");
    let without_timeout = |found: &FrontMatter| {
        found.executable.clone().map(|executable| Executable { timeout: None, ..executable })
    };
    assert_eq!(without_timeout(&read), without_timeout(found), "{written}");
}

/// A value as JSON, with escapes for what YAML does not take as it is.
fn in_yaml(value: &Value) -> String {
    let bare = |c: char| {
        !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
    };
    let one = |c: char| if bare(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    value.to_string().chars().map(one).collect()
}
