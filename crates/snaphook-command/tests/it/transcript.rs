//! Both streams as one text, in memory and in a file; programs that run as another user.

use snaphook_command::process::{Identity, Request, Transcript};

use crate::{assert_outcome, output, program, sh};

#[tokio::test]
async fn one_pipe_keeps_the_order_and_the_file_has_all() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = "i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i + 1)); done; printf end";
    let transcript = Some(Transcript::new(20, Some(file.reopen().unwrap())));
    let output = output(Request { transcript, one_pipe: true, ..sh(script) }).await;
    assert_outcome(&output, "Exited(0)");
    let all = output.transcript.unwrap();
    let expected: String = (0..500).map(|i| format!("out {i}\nerr {i}\n")).collect::<String>() + "end";
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), expected);
    assert_eq!((all.text.as_str(), all.cut, all.lines), (&expected[..20], true, 1001));
    assert_eq!((all.bytes, all.file_cut, all.error), (expected.len() as u64, false, None));
}

#[tokio::test]
async fn with_a_pipe_each_both_are_in_the_text_and_apart() {
    let transcript = Some(Transcript::new(1 << 20, None));
    let output = output(Request { transcript, ..sh("echo out; echo err >&2") }).await;
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\n", "err\n"));
    let text = output.transcript.unwrap().text;
    assert!(text == "out\nerr\n" || text == "err\nout\n", "{text}");
}

#[tokio::test]
async fn a_file_that_cannot_be_written_ends_nothing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let readable = std::fs::File::open(file.path()).unwrap();
    let transcript = Some(Transcript::new(100, Some(readable)));
    let output = output(Request { transcript, ..sh("echo out; exit 3") }).await;
    assert_outcome(&output, "Exited(3)");
    let all = output.transcript.unwrap();
    assert_eq!(all.text, "out\n");
    assert!(all.error.is_some(), "{all:?}");
}

#[tokio::test]
async fn whoever_outlives_the_program_with_its_pipe_is_told_of() {
    for (script, outlived) in [
        ("exit 0", false),
        ("sleep 1000 & exit 0", true),
        ("sleep 1000 >/dev/null 2>&1 & exit 0", false),
        ("(echo late) & wait", false),
    ] {
        assert_eq!(output(sh(script)).await.outlived, outlived, "{script}");
    }
}

/// Needs root, who alone can become another user.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_runs_as_who_is_named_and_has_nothing_of_ours() {
    if !crate::needs::met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let identity = Identity { groups: vec![65534, 12345], ..Identity::of("nobody").unwrap() };
    let shell = "id -u; id -g; id -G; grep -E '^(Uid|Gid|Cap(Inh|Prm|Eff))' /proc/self/status";
    let (uid, gid) = (identity.uid, identity.gid);
    let done = output(Request { identity: Some(identity), ..sh(shell) }).await;
    let lines: Vec<_> = done.stdout.lines().collect();
    assert_eq!(lines[..2], [uid.to_string(), gid.to_string()], "{done:?}");
    assert!(lines[2].split(' ').any(|group| group == "12345"), "{done:?}");
    // Real, effective, saved and of the file system.
    let four = |id: u32| format!("{id}\t{id}\t{id}\t{id}");
    assert_eq!(lines[3..5], [format!("Uid:\t{}", four(uid)), format!("Gid:\t{}", four(gid))], "{done:?}");
    for line in &lines[5..] {
        assert!(line.ends_with("\t0000000000000000"), "{line}");
    }
    // We are still who we were.
    assert!(output(program("/usr/bin/id", &["-u"])).await.stdout.starts_with('0'));
}
