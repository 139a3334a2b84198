//! The audit's files: torn lines, changed lines, rotation, writers at the same time, names of sessions.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook::*;
use snaphook_audit::{AuditLog, FileAudit, StoredLine, Verified};
use tempfile::TempDir;

use crate::support::*;

struct Bed(TempDir);

impl Bed {
    fn new() -> Self {
        Bed(tempfile::tempdir().unwrap())
    }

    fn host(&self, session: &str, max_bytes: u64, keep: u64) -> Host {
        let session = Session { id: session.into(), ..Session::default() };
        let file = FileAudit::new(self.0.path()).max_bytes(max_bytes).keep(keep);
        builder([]).session(session).audit(Arc::new(file), AuditOptions::default()).build()
    }

    fn write(&self, count: usize) {
        write(&self.host("s1", u64::MAX, 0), count);
    }

    fn log(&self) -> AuditLog {
        AuditLog::new(self.0.path())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("s1.jsonl")
    }

    fn verify(&self) -> Verified {
        self.log().verify("s1").unwrap()
    }

    /// The commands of all lines.
    fn commands(&self) -> Vec<String> {
        let command = |line: &StoredLine| {
            line.fields["gen_ai.tool.call.arguments"]["command"].as_str().unwrap().to_owned()
        };
        self.log().lines("s1").unwrap().iter().filter(|line| line.is_event()).map(command).collect()
    }
}

fn write(host: &Host, count: usize) {
    for index in 0..count {
        assert!(gate(host, &format!("ls {index}")).is_continue());
    }
}

fn gate(host: &Host, line: &str) -> ControlFlow<Denied, Permitted> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(host.gate(bash(line), &CallOptions::default()))
}

#[test]
fn many_lines_hold() {
    let bed = Bed::new();
    assert_eq!(bed.log().names().unwrap(), [] as [String; 0]);
    bed.write(5);
    bed.write(5);
    let verified = bed.verify();
    assert_eq!((verified.lines, verified.files, &verified.bad, verified.notes.len()), (10, 1, &None, 0));
    assert_eq!(verified.last.unwrap().0, 10);
    assert_eq!(verified.session.as_deref(), Some("s1"));
    assert_eq!(bed.commands().len(), 10);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(bed.file()).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// The deed to the lines, the lines, and the first that does not hold with a part of the reason.
type Case<'a> = (&'a str, Vec<&'a str>, Option<(usize, &'a str)>);

#[test]
fn what_was_changed_is_found() {
    let bed = Bed::new();
    bed.write(5);
    let whole = fs::read_to_string(bed.file()).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let other = Bed::new();
    write(&other.host("s1", u64::MAX, 0), 5);
    let foreign = fs::read_to_string(other.file()).unwrap();
    let foreign: Vec<&str> = foreign.lines().collect();
    let changed = lines[2].replace("ls 2", "rm 2");
    let cases: &[Case<'_>] = &[
        ("as it was", lines.clone(), None),
        ("changed", vec![lines[0], lines[1], &changed, lines[3], lines[4]], Some((3, "was changed"))),
        ("removed", vec![lines[0], lines[1], lines[3], lines[4]], Some((3, "1 line before it is missing"))),
        ("two removed", vec![lines[0], lines[3], lines[4]], Some((2, "2 lines before it are missing"))),
        ("first removed", lines[1..].to_vec(), Some((1, "1 line before it is missing"))),
        ("swapped", vec![lines[0], lines[2], lines[1], lines[3]], Some((2, "is missing"))),
        ("repeated", vec![lines[0], lines[1], lines[1], lines[2]], Some((3, "put in, repeated or moved"))),
        ("put in", vec![lines[0], "{}", lines[1]], Some((2, "no line of an audit"))),
        ("empty line", vec![lines[0], "", lines[1]], Some((2, "no line of an audit"))),
        ("replaced", vec![lines[0], foreign[1], lines[2]], Some((2, "does not follow"))),
        ("shortened within", vec![lines[0], &lines[1][..40], lines[2]], Some((2, "no line of an audit"))),
    ];
    for (what, lines, expected) in cases {
        fs::write(bed.file(), format!("{}\n", lines.join("\n"))).unwrap();
        let bad = bed.verify().bad;
        match (bad, expected) {
            (None, None) => {}
            (Some(bad), Some((line, why))) => {
                assert_eq!((bad.file.as_str(), bad.line), ("s1.jsonl", *line), "{what}: {bad:?}");
                assert!(bad.why.contains(why), "{what}: {bad:?}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    // Another session's file under this one's name.
    fs::write(bed.0.path().join("s2.jsonl"), &whole).unwrap();
    assert!(bed.log().verify("s2").unwrap().bad.unwrap().why.contains("another session"));
}

#[test]
fn a_torn_line_is_told_and_healed() {
    let bed = Bed::new();
    bed.write(3);
    let whole = fs::read(bed.file()).unwrap();
    let start = whole.iter().take(whole.len() - 1).rposition(|byte| *byte == b'\n').unwrap() + 1;
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in (start + 1..whole.len()).step_by(13).chain([whole.len() - 1, first, 1]) {
        fs::write(bed.file(), &whole[..cut]).unwrap();
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count() as u64;
        // Whole but for its line end.
        if [whole.len() - 1, first].contains(&cut) {
            assert_eq!((bed.verify().lines, bed.verify().bad), (lines + 1, None), "cut at {cut}");
            assert!(bed.verify().notes[0].contains("whole but for its line end"));
            bed.write(1);
            let after = bed.verify();
            assert_eq!((after.lines, after.bad, after.notes.len()), (lines + 2, None, 0), "cut at {cut}");
            continue;
        }
        let before = bed.verify();
        assert_eq!((before.lines, before.bad), (lines, None), "cut at {cut}");
        assert!(before.notes[0].contains("is torn"), "{:?}", before.notes);
        bed.write(1);
        let after = bed.verify();
        assert_eq!((after.lines, &after.bad), (lines + 2, &None), "cut at {cut}");
        assert!(after.notes[0].contains("as the line after it says"), "{:?}", after.notes);
        // What is left of the line cannot be changed any more.
        let mut bytes = fs::read(bed.file()).unwrap();
        bytes[cut - 1] ^= 1;
        if bytes[cut - 1] != b'\n' {
            fs::write(bed.file(), &bytes).unwrap();
            assert!(bed.verify().bad.is_some(), "cut at {cut}");
        }
    }
    // A power loss can leave zeros.
    fs::write(bed.file(), [whole.as_slice(), &[0; 5000]].concat()).unwrap();
    bed.write(1);
    assert_eq!((bed.verify().lines, bed.verify().bad), (5, None));
}

#[test]
fn a_damaged_end_stays_visible_and_stops_nobody() {
    let bed = Bed::new();
    bed.write(3);
    let whole = fs::read_to_string(bed.file()).unwrap();
    for damage in ["damaged\n", "damaged\ntorn", "\n"] {
        fs::write(bed.file(), format!("{whole}{damage}")).unwrap();
        bed.write(1);
        let bad = bed.verify().bad.unwrap();
        assert_eq!((bad.line, bad.why.as_str()), (4, "it is no line of an audit"), "{damage:?}");
        assert_eq!(bed.commands().len(), 4, "{damage:?}");
    }
}

#[test]
fn full_files_are_put_aside_and_the_chain_goes_on() {
    let bed = Bed::new();
    let host = bed.host("s1", 2000, u64::MAX);
    write(&host, 30);
    let verified = bed.verify();
    assert_eq!(verified.bad, None);
    assert!(verified.files > 5 && verified.notes.is_empty(), "{verified:?}");
    assert_eq!(bed.commands(), (0..30).map(|index| format!("ls {index}")).collect::<Vec<_>>());
    assert!(fs::metadata(bed.file()).unwrap().len() <= 2000);

    // A full one that is changed, cut or gone is found, and named.
    let second = bed.0.path().join("s1.2.jsonl");
    let bytes = fs::read(&second).unwrap();
    let file = |bed: &Bed| bed.verify().bad.unwrap().file;
    fs::write(&second, &bytes[..bytes.len() - 10]).unwrap();
    assert_eq!(file(&bed), "s1.2.jsonl");
    let last = bytes.iter().take(bytes.len() - 1).rposition(|byte| *byte == b'\n').unwrap();
    fs::write(&second, &bytes[..=last]).unwrap();
    assert_eq!(file(&bed), "s1.3.jsonl");
    for number in [1, 2] {
        fs::write(&second, &bytes).unwrap();
        let path = bed.0.path().join(format!("s1.{number}.jsonl"));
        let kept = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let bad = bed.verify().bad.unwrap();
        assert_eq!(bad.why, format!("the file before it, s1.{number}.jsonl, is missing"));
        fs::write(&path, kept).unwrap();
    }
    assert_eq!(bed.verify().bad, None);

    // Who renamed a full file was killed before the next one was there.
    fs::rename(bed.file(), bed.0.path().join("s1.900.jsonl")).unwrap();
    assert!(bed.verify().bad.is_some());
}

#[test]
fn old_files_are_removed_and_the_chain_says_so() {
    for keep in [0, 1, 3] {
        let bed = Bed::new();
        write(&bed.host("s1", 2000, keep), 30);
        let verified = bed.verify();
        assert_eq!((verified.bad, verified.files as u64), (None, keep + 1));
        assert!(verified.notes[0].contains("were removed, as `keep` asks"), "{:?}", verified.notes);
        assert_eq!(bed.commands().last().map(String::as_str), Some("ls 29"));
        // One more is missing than the chain says.
        if keep == 3 {
            let mut names: Vec<_> =
                fs::read_dir(bed.0.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
            names.sort();
            // The first is that of the heads.
            fs::remove_file(&names[1]).unwrap();
            assert!(bed.verify().bad.unwrap().why.contains("is missing"));
        }
    }
}

#[test]
fn a_crash_between_two_files_is_healed() {
    let bed = Bed::new();
    bed.write(3);
    fs::rename(bed.file(), bed.0.path().join("s1.1.jsonl")).unwrap();
    assert_eq!(bed.verify().bad, None);
    // Opened, and nothing written yet.
    fs::write(bed.file(), "").unwrap();
    bed.host("s1", u64::MAX, 8);
    write(&bed.host("s1", u64::MAX, 8), 2);
    let verified = bed.verify();
    assert_eq!((verified.lines, verified.files, verified.bad), (6, 2, None));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    for max_bytes in [u64::MAX, 3000] {
        let bed = Bed::new();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let host = bed.host("s1", max_bytes, u64::MAX);
                scope.spawn(move || {
                    for index in 0..25 {
                        assert!(gate(&host, &format!("w{writer} {index:02}")).is_continue());
                    }
                });
            }
        });
        let verified = bed.verify();
        assert_eq!(verified.bad, None);
        let mut commands = bed.commands();
        assert_eq!(commands.len(), 200);
        commands.sort();
        let expected: Vec<_> =
            (0..8).flat_map(|writer| (0..25).map(move |index| format!("w{writer} {index:02}"))).collect();
        assert_eq!(commands, expected);
    }
}

#[test]
fn a_file_that_goes_away_under_a_host_is_made_again() {
    let bed = Bed::new();
    let host = bed.host("s1", u64::MAX, 8);
    write(&host, 2);
    fs::remove_file(bed.file()).unwrap();
    write(&host, 2);
    assert_eq!((bed.verify().lines, bed.verify().bad), (2, None));
    fs::remove_dir_all(bed.0.path()).unwrap();
    write(&host, 2);
    assert_eq!(bed.commands().len(), 2);
}

#[test]
fn every_session_has_a_file_of_its_own() {
    let bed = Bed::new();
    let long = "x".repeat(1000);
    let ids =
        ["a/b", "../../etc/passwd", "..", "", "ünïcode \u{202e}x", "with\nline\0ends", "S1", "s1", &long];
    for id in ids {
        write(&bed.host(id, u64::MAX, 8), 2);
    }
    let names = bed.log().names().unwrap();
    assert_eq!(names.len(), ids.len(), "{names:?}");
    // And the heads.
    assert_eq!(fs::read_dir(bed.0.path()).unwrap().count(), ids.len() + 1);
    for id in ids {
        let name = AuditLog::name_of(id);
        let verified = bed.log().verify(&name).unwrap();
        assert_eq!((verified.lines, verified.bad, verified.session.as_deref()), (2, None, Some(id)));
    }
}

#[test]
fn texts_of_any_kind_come_back() {
    let bed = Bed::new();
    let host = bed.host("s1", u64::MAX, 8);
    let texts = [
        "naïve ✓ 日本語 🦀",
        "a\nb\r\nc\u{2028}d",
        "\u{0}\u{7f}\u{1b}[31m",
        "\",\"seq\":9,\"prev\":null",
        "{\"hash\":\"sha256:\"}",
    ];
    for text in texts {
        assert!(gate(&host, text).is_continue());
    }
    assert_eq!((bed.verify().lines, bed.verify().bad), (5, None));
    assert_eq!(bed.commands(), texts);
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_not_read() {
    let bed = Bed::new();
    std::os::unix::fs::symlink("/dev/zero", bed.file()).unwrap();
    let error = bed.log().verify("s1").unwrap_err().to_string();
    assert!(error.contains("s1.jsonl: it is no plain file"), "{error}");
    fs::remove_file(bed.file()).unwrap();
    bed.write(1);
    std::os::unix::fs::symlink("/dev/zero", bed.0.path().join("s1.1.jsonl")).unwrap();
    assert!(bed.log().verify("s1").is_err());
}
