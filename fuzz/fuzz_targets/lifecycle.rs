//! Lifecycle files, and values in their commands. Every finding names a line of the file and can be shown; a broken file has no
//! commands. A command that takes a value differs from what was written in its references only, and the reader of shell
//! commands for bash, where the rewriting asks the one for sh, sees none as the name of a command.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_command::lifecycle::template::{rewrite, unknown};
use snaphook_command::lifecycle::{List, parse};
use snaphook_fuzz::choice_and_text;
use snaphook_shell::commands;

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = choice_and_text(data) else {
        // What is no UTF-8 is a finding, too.
        let bytes = data.get(1..).unwrap_or_default();
        assert!(parse(bytes).broken || bytes.is_empty());
        return;
    };
    match choice % 2 {
        0 => file(text),
        _ => command(text),
    }
});

fn file(text: &str) {
    let parsed = parse(text.as_bytes());
    // To YAML each of these ends a line.
    let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count() as u32 + 1;
    for finding in &parsed.findings {
        assert!(finding.position.is_none_or(|position| (1..=lines).contains(&position.line)), "{finding}");
        assert!(!finding.to_string().chars().any(char::is_control), "{finding}");
    }
    assert!(!parsed.broken || (parsed.lifecycle.is_empty() && !parsed.findings.is_empty()));
    for command in List::ALL.iter().flat_map(|list| parsed.lifecycle.commands(*list)) {
        assert!(!command.timeout.is_zero() && !command.written.trim().is_empty());
        self::command(&command.written);
    }
}

fn command(text: &str) {
    unknown(text);
    let Ok(rewritten) = rewrite(text) else { return };
    if rewritten.uses.is_empty() {
        assert_eq!(rewritten.text, text);
        return;
    }
    if text.contains("SNAPHOOK_") {
        return;
    }
    assert!(rewritten.uses.iter().all(|variable| rewritten.text.contains(variable.env())));
    for found in commands(&rewritten.text).unwrap_or_default() {
        let numbers = found.name.text().replace("SNAPHOOK_ITERATION", "");
        assert!(!numbers.contains("SNAPHOOK_"), "{text:?} became {:?}, which runs {found:?}", rewritten.text);
    }
}
