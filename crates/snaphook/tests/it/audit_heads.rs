//! The heads: a session's file that is gone, cut at its end or written anew is noticed; a process that ended in between is not taken
//! for changes.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook::*;
use snaphook_audit::{AuditLog, FileAudit, VerifiedLog};
use tempfile::TempDir;

use crate::support::*;

struct Bed(TempDir);

impl Bed {
    fn new() -> Self {
        Bed(tempfile::tempdir().unwrap())
    }

    /// Two sessions, of a process each.
    fn written() -> Self {
        let bed = Bed::new();
        bed.write("s1", 5);
        bed.write("s2", 3);
        bed.write("s1", 2);
        bed
    }

    fn host(&self, session: &str) -> Host {
        let session = Session { id: session.into(), ..Session::default() };
        let file = FileAudit::new(self.path(""));
        builder([]).session(session).audit(Arc::new(file), AuditOptions::default()).build()
    }

    fn write(&self, session: &str, count: usize) {
        write(&self.host(session), count);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap().lines().map(str::to_owned).collect()
    }

    fn put(&self, name: &str, lines: &[String]) {
        fs::write(self.path(name), lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }

    fn verify(&self) -> VerifiedLog {
        AuditLog::new(self.path("")).verify_all(None, &[]).unwrap()
    }

    /// Returns what is wrong, as `file:line: why`.
    fn bad(&self) -> Vec<String> {
        let VerifiedLog { heads, sessions } = self.verify();
        let all = heads.bad.into_iter().chain(sessions.into_iter().filter_map(|(_, verified)| verified.bad));
        all.map(|bad| format!("{}:{}: {}", bad.file, bad.line, bad.why)).collect()
    }

    fn notes(&self) -> Vec<String> {
        let VerifiedLog { heads, sessions } = self.verify();
        heads.notes.into_iter().chain(sessions.into_iter().flat_map(|(_, verified)| verified.notes)).collect()
    }
}

fn write(host: &Host, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for index in 0..count {
        let gated: ControlFlow<_, _> =
            runtime.block_on(host.gate(bash(&format!("ls {index}")), &CallOptions::default()));
        assert!(gated.is_continue());
    }
}

#[test]
fn every_session_s_end_is_noted_when_its_process_is_done() {
    let bed = Bed::written();
    assert_eq!((bed.bad(), bed.notes()), (vec![], vec![]));
    let verified = bed.verify();
    assert_eq!(verified.sessions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["s1", "s2"]);
    // The first line of each process, and its last.
    assert_eq!(verified.heads.lines, 6);
    // Sessions in turn, of one process.
    let host = bed.host("s3");
    for id in ["s4", "s3", "s4"] {
        write(&host, 2);
        host.set_session(Session { id: id.into(), ..Session::default() });
    }
    drop(host);
    assert_eq!((bed.bad(), bed.notes()), (vec![], vec![]));
}

/// A change to the files.
type Deed = fn(&Bed);

#[test]
fn what_is_gone_cut_or_written_anew_is_noticed() {
    let cases: &[(&str, Deed, &[&str])] = &[
        ("nothing", |_| {}, &[]),
        (
            "gone",
            |bed| fs::remove_file(bed.path("s1.jsonl")).unwrap(),
            &["s1.jsonl:1: the file is gone: heads.chain noted 7 lines"],
        ),
        (
            "both gone",
            |bed| ["s1.jsonl", "s2.jsonl"].iter().for_each(|name| fs::remove_file(bed.path(name)).unwrap()),
            &["s1.jsonl:1: the file is gone", "s2.jsonl:1: the file is gone"],
        ),
        (
            "emptied",
            |bed| fs::write(bed.path("s1.jsonl"), "").unwrap(),
            &["s1.jsonl:1: 7 lines after this are missing"],
        ),
        (
            "cut by one",
            |bed| bed.put("s1.jsonl", &bed.lines("s1.jsonl")[..6]),
            &["s1.jsonl:7: 1 line after this is missing: heads.chain noted 7"],
        ),
        (
            "cut to one",
            |bed| bed.put("s1.jsonl", &bed.lines("s1.jsonl")[..1]),
            &["s1.jsonl:2: 6 lines after this are missing"],
        ),
        (
            "another's file of the same length",
            |bed| {
                let other = Bed::new();
                other.write("s1", 7);
                fs::copy(other.path("s1.jsonl"), bed.path("s1.jsonl")).unwrap();
            },
            &["s1.jsonl:1: it is not the line 1 that heads.chain noted"],
        ),
        (
            "gone, and begun anew",
            |bed| {
                fs::remove_file(bed.path("s1.jsonl")).unwrap();
                bed.write("s1", 1);
            },
            &["s1.jsonl:1: it is not the line 1 that heads.chain noted"],
        ),
        (
            "cut, and gone on with",
            |bed| {
                bed.put("s1.jsonl", &bed.lines("s1.jsonl")[..4]);
                bed.write("s1", 9);
            },
            &["s1.jsonl:5: it is not the line 5 that heads.chain noted"],
        ),
        (
            "the heads are gone",
            |bed| fs::remove_file(bed.path("heads.chain")).unwrap(),
            &[
                "s1.jsonl:1: heads.chain noted nothing of this session",
                "s2.jsonl:1: heads.chain noted nothing of this session",
            ],
        ),
        (
            "a head is changed",
            |bed| {
                let heads = fs::read_to_string(bed.path("heads.chain")).unwrap();
                fs::write(bed.path("heads.chain"), heads.replacen("\"lines\":5", "\"lines\":4", 1)).unwrap();
            },
            &["heads.chain:2: it was changed"],
        ),
        (
            "a head is removed",
            |bed| {
                let mut heads = bed.lines("heads.chain");
                heads.remove(3);
                bed.put("heads.chain", &heads);
            },
            &["heads.chain:4: 1 line before it is missing"],
        ),
        (
            "one session's file under another's name",
            |bed| {
                fs::copy(bed.path("s1.jsonl"), bed.path("s2.jsonl")).unwrap();
            },
            &["s2.jsonl:1: it belongs to another session"],
        ),
    ];
    for (what, deed, expected) in cases {
        let bed = Bed::written();
        deed(&bed);
        let bad = bed.bad();
        assert_eq!(bad.len(), expected.len(), "{what}: {bad:?}");
        for (bad, expected) in bad.iter().zip(*expected) {
            assert!(bad.starts_with(expected), "{what}: {bad}");
        }
    }
}

#[test]
fn a_late_head_is_told_and_no_fault() {
    // A program that still runs.
    let bed = Bed::new();
    let host = bed.host("s1");
    write(&host, 3);
    assert_eq!(bed.bad(), [] as [&str; 0]);
    assert!(bed.notes().iter().all(|note| note.contains("still runs, or was killed")), "{:?}", bed.notes());
    // Many lines have more than one head.
    write(&host, 300);
    assert!(bed.verify().heads.lines >= 4);
    // One that was killed: nothing is closed.
    std::mem::forget(host);
    assert_eq!(bed.bad(), [] as [&str; 0]);
    bed.write("s1", 1);
    assert_eq!((bed.bad(), bed.notes()), (vec![], vec![]));

    // Killed between a line and its head.
    let bed = Bed::written();
    let heads = bed.lines("heads.chain");
    bed.put("heads.chain", &heads[..5]);
    assert_eq!(bed.bad(), [] as [&str; 0]);
    assert_eq!(
        bed.notes(),
        ["the last line is not in heads.chain yet: the program that wrote it still runs, or was killed"]
    );
    // The very first one of all.
    let bed = Bed::new();
    bed.write("s1", 1);
    fs::remove_file(bed.path("heads.chain")).unwrap();
    assert_eq!(bed.bad(), [] as [&str; 0]);

    // Killed within a head; the next one goes on behind it.
    let bed = Bed::written();
    let whole = fs::read(bed.path("heads.chain")).unwrap();
    for cut in [1, 50, 100] {
        fs::write(bed.path("heads.chain"), &whole[..whole.len() - cut]).unwrap();
        assert_eq!(bed.bad(), [] as [&str; 0], "{cut}");
        bed.write("s2", 1);
        assert_eq!(bed.bad(), [] as [&str; 0], "{cut}");
    }
}

#[test]
fn folders_from_before_the_heads_verify_and_get_heads() {
    let bed = Bed::written();
    // As an older version wrote it: without the word in the first line, chained anew.
    fs::remove_file(bed.path("heads.chain")).unwrap();
    for name in ["s1.jsonl", "s2.jsonl"] {
        let mut before: Option<String> = None;
        let lines: Vec<String> = bed
            .lines(name)
            .iter()
            .map(|line| {
                let line = line.replace(",\"heads\":true", "");
                let (body, rest) = line.split_once(",\"prev\":").unwrap();
                assert!(rest.contains("\"hash\""));
                let prev = before.as_ref().map_or("null".to_owned(), |hash| format!("\"{hash}\""));
                let head = format!("{body},\"prev\":{prev}");
                let hash = sha256(&head);
                before = Some(hash.clone());
                format!("{head},\"hash\":\"{hash}\"}}")
            })
            .collect();
        bed.put(name, &lines);
    }
    assert_eq!((bed.bad(), bed.notes(), bed.verify().heads.lines), (vec![], vec![], 0));
    bed.write("s1", 1);
    assert_eq!((bed.bad(), bed.notes(), bed.verify().heads.lines), (vec![], vec![], 1));
    bed.put("s1.jsonl", &bed.lines("s1.jsonl")[..7]);
    assert_eq!(bed.bad().len(), 1);
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(text.as_bytes());
    format!("sha256:{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

#[test]
fn files_that_keep_removed_are_not_missed() {
    let bed = Bed::new();
    for _ in 0..6 {
        let session = Session { id: "s1".into(), ..Session::default() };
        let file = FileAudit::new(bed.path("")).max_bytes(2000).keep(1);
        write(&builder([]).session(session).audit(Arc::new(file), AuditOptions::default()).build(), 10);
    }
    assert_eq!(bed.bad(), [] as [&str; 0]);
    assert!(bed.notes().iter().any(|note| note.contains("as `keep` asks")));
    fs::remove_file(bed.path("s1.jsonl")).unwrap();
    assert_eq!(bed.bad().len(), 1);
}

#[test]
fn many_processes_at_once_never_look_like_a_change() {
    let bed = Bed::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..6)
            .map(|writer| {
                let bed = &bed;
                scope.spawn(move || {
                    for _ in 0..8 {
                        bed.write(["s1", "s2", "s3"][writer % 3], 3);
                    }
                })
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            assert_eq!(bed.bad(), [] as [&str; 0]);
        }
    });
    assert_eq!((bed.bad(), bed.notes()), (vec![], vec![]));
    assert_eq!(bed.verify().sessions.iter().map(|(_, verified)| verified.lines).sum::<u64>(), 144);
}

#[test]
fn a_call_whose_head_cannot_be_written_is_denied() {
    let bed = Bed::new();
    fs::create_dir(bed.path("heads.chain")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ControlFlow::Break(denied) =
        runtime.block_on(bed.host("s1").gate(bash("ls"), &CallOptions::default()))
    else {
        panic!("it was allowed")
    };
    let reason = &denied.decision.reasons.last().unwrap().text;
    assert!(reason.contains("heads.chain"), "{reason}");
}

#[test]
fn a_noted_head_is_looked_for() {
    let bed = Bed::written();
    let (_, hash) = bed.verify().heads.last.unwrap();
    let log = AuditLog::new(bed.path(""));
    let found = |bed: &Bed| {
        AuditLog::new(bed.path("")).verify_all(None, std::slice::from_ref(&hash)).unwrap().heads.found
    };
    assert_eq!(found(&bed), std::slice::from_ref(&hash));
    // All written anew, the heads as well.
    for name in ["s1.jsonl", "s2.jsonl", "heads.chain"] {
        fs::remove_file(bed.path(name)).unwrap();
    }
    bed.write("s1", 1);
    assert_eq!((log.verify_all(None, &[]).unwrap().heads.bad, found(&bed).len()), (None, 0));
}
