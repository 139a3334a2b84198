//! The audit's files. A chain of lines is changed in every way; where it still verifies, every line that counts is one that was
//! written, in its place, and nothing but the end is missing. Whatever is there, an append goes on, and what it wrote is there.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use snaphook::{AuditOptions, CallOptions, Host, Session, ToolCall};
use snaphook_audit::{AuditLog, FileAudit};
use tempfile::TempDir;

struct Written {
    folder: TempDir,
    bytes: Vec<u8>,
}

fn append(folder: &TempDir, count: usize) -> bool {
    let session = Session { id: "s1".into(), ..Session::default() };
    let file = Arc::new(FileAudit::new(folder.path()));
    let host = Host::builder().session(session).audit(file, AuditOptions::default()).build();
    let decide = |index: usize| {
        let call = ToolCall::new("1", "bash", json!({"command": format!("ls {index}")}));
        let options = CallOptions::default();
        let gate = std::pin::pin!(host.gate(call, &options));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(decided) = Future::poll(gate, &mut context) else { panic!("it waits") };
        decided.is_continue()
    };
    (0..count).all(decide)
}

static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    assert!(append(&folder, 4));
    let bytes = std::fs::read(folder.path().join("s1.jsonl")).unwrap_or_else(|error| panic!("{error}"));
    Written { folder, bytes }
});

/// Three bytes are one change: what, where, by what.
fn changed(data: &[u8], original: &[u8]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        original.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for change in data.chunks_exact(3).take(8) {
        let (what, place, value) = (change[0] % 10, usize::from(change[1]), change[2]);
        let count = lines.len().max(1);
        let at = place % count;
        let Some(line) = lines.get_mut(at) else { break };
        let inside = (usize::from(value) * 7 + place) % line.len().max(1);
        match what {
            0 => line.iter_mut().skip(inside).take(1).for_each(|byte| *byte ^= 1 << (place % 8)),
            1 => line.insert(inside, value),
            2 => drop((inside < line.len()).then(|| line.remove(inside))),
            3 => drop(lines.remove(at)),
            4 => lines.swap(at, usize::from(value) % count),
            5 => lines.push(lines[at].clone()),
            6 => lines.insert(at, vec![value; place % 9]),
            7 => line.truncate(inside),
            8 => drop(lines.split_off(at)),
            _ => line.splice(..0, data.iter().copied()).for_each(drop),
        }
    }
    lines.concat()
}

fuzz_target!(|data: &[u8]| {
    let original = &WRITTEN.bytes;
    // An even first byte changes the chain, an odd one stands for the file itself.
    let bytes = match data.split_first() {
        Some((first, rest)) if first % 2 == 0 => changed(rest, original),
        Some((_, rest)) => rest.to_vec(),
        None => return,
    };
    let path = WRITTEN.folder.path().join("s1.jsonl");
    std::fs::write(&path, &bytes).unwrap_or_else(|error| panic!("{error}"));
    let log = AuditLog::new(WRITTEN.folder.path());
    let verify = || log.verify("s1").unwrap_or_else(|error| panic!("{error}"));
    let before = verify();
    if before.bad.is_none() {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let written = original.split_inclusive(|byte| *byte == b'\n');
        let ours = |line: &[u8], of: &[u8]| line.strip_suffix(b"\n").unwrap_or(line) == &of[..of.len() - 1];
        for (number, of) in (1..=before.lines).zip(written) {
            let line = lines.next().unwrap_or_default();
            assert!(
                ours(line, of),
                "line {number} verifies and was not written: {}",
                String::from_utf8_lossy(line)
            );
        }
        assert!(before.lines <= 4);
        let rest: Vec<u8> = lines.flatten().copied().collect();
        assert!(!rest.contains(&b'\n'), "lines that nobody counts: {}", String::from_utf8_lossy(&rest));
        assert!(rest.is_empty() || !before.notes.is_empty(), "a torn line without a word");
    }
    assert!(append(&WRITTEN.folder, 1), "nothing can be appended to {}", String::from_utf8_lossy(&bytes));
    let after = verify();
    assert_eq!(after.bad.is_none(), before.bad.is_none(), "{before:?} {after:?}");
    if before.bad.is_none() {
        assert!(after.lines > before.lines, "{before:?} {after:?}");
    }
    let kept = std::fs::read(&path).unwrap_or_else(|error| panic!("{error}"));
    assert!(kept.starts_with(&bytes), "what was there was changed");
});
