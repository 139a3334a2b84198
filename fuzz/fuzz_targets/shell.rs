//! Command lines. In a text that is understood and not flagged, a command whose name is a plain word is never lost: not one that we
//! put before, behind or around any text, and none of the text when it is handed to another shell. Places lie in the text, and
//! reading it twice says the same. Time and memory are bounded by libFuzzer's own limits. What real shells make of texts is not
//! tried here.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_shell::{Command, Word, commands};

/// Where a command of ours is put: `@` is the text.
const AROUND: &[&str] = &[
    "zzz arg\n@",
    "zzz; @",
    "@\nzzz",
    "{\n@\n}; zzz",
    "(\n@\n); zzz",
    "zzz | {\n@\n}",
    "if zzz; then\n@\nfi",
    "while\n@\ndo zzz; break; done",
    "x=$(zzz)\n@",
    "echo \"`zzz`\"\n@",
    "cat <(zzz) <<'E'\ntext\nE\n@",
    "f() {\n@\n}\nzzz",
    "case a in b)\n@\n;; *) zzz ;; esac",
    "! { zzz && {\n@\n}; }",
];

fuzz_target!(|text: &str| {
    let Ok(found) = commands(text) else { return };
    assert_eq!(commands(text).as_ref(), Ok(&found));
    let lines: Vec<&str> = text.split('\n').collect();
    for command in &found {
        places(command, &lines);
    }
    // A line that goes on takes the next one in.
    if text.ends_with("\\\n") {
        return;
    }
    // One way a text: each reading takes its time.
    let whole = AROUND[text.len() % AROUND.len()].replace('@', text);
    if let Ok(all) = commands(&whole)
        && !all.iter().any(|command| command.dynamic)
    {
        assert!(has(&all, "zzz"), "zzz is lost in {whole:?}: {all:?}");
    }
    let handed = format!("bash -c -- '{}'", text.replace('\'', "'\\''"));
    let Ok(all) = commands(&handed) else { return };
    if all.iter().any(|command| command.dynamic) {
        return;
    }
    for name in found.iter().filter_map(|command| command.name.known()).filter(|name| !name.is_empty()) {
        assert!(has(&all, name), "{name:?} is lost in {handed:?}: {all:?}");
    }
});

fn has(all: &[Command], name: &str) -> bool {
    all.iter().any(|command| command.name == name)
}

fn places(command: &Command, lines: &[&str]) {
    let line = command.line.checked_sub(1).and_then(|line| lines.get(line));
    let line = line.unwrap_or_else(|| panic!("line {} of {}: {command:?}", command.line, lines.len()));
    assert!((1..=line.len() + 1).contains(&command.column), "{command:?} in {line:?}");
    let words = command.args.iter().chain([&command.name, &command.path]);
    for word in words.chain(command.redirects.iter().map(|redirect| &redirect.target)) {
        assert!(word.known().is_none_or(|text| text == word.prefix()), "{word:?}");
        assert!(
            !matches!(word, Word::Unknown { .. }) || *word != *word.text(),
            "an unknown word equals none"
        );
    }
    assert!(!command.to_string().contains('\0'));
}
