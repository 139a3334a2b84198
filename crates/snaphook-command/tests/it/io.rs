//! Input and output: no deadlock, bounded memory, nothing lost.

use std::time::Duration;

use snaphook_command::process::{Limits, Request, Stream};
use tokio::sync::mpsc;

use crate::{assert_outcome, first_lines, output, program, sh};

const MIB: usize = 1 << 20;

#[tokio::test]
async fn the_streams_are_kept_apart_and_text_is_cut_at_characters() {
    let cases: &[(&str, usize, &str, &str, bool)] = &[
        ("printf out; printf err >&2", 100, "out", "err", false),
        ("printf 'a\\303\\251\\303\\251'", 5, "aéé", "", false),
        ("printf 'a\\303\\251\\303\\251'", 4, "aé", "", true),
        ("printf '\\377ok\\303' >&2", 100, "", "\u{FFFD}ok\u{FFFD}", false),
        ("printf abc", 0, "", "", true),
        ("printf abc >&2", 2, "", "ab", true),
        ("true", 0, "", "", false),
    ];
    for (script, limit, stdout, stderr, truncated) in cases {
        let limits = Limits { stdout: *limit, stderr: *limit, ..Limits::default() };
        let output = output(Request { limits, ..sh(script) }).await;
        let got = (output.stdout.as_str(), output.stderr.as_str(), output.truncated);
        assert_eq!(got, (*stdout, *stderr, *truncated), "{script} with limit {limit}");
        assert!(output.success() && !output.left_open);
    }
}

#[tokio::test]
async fn input_and_output_of_any_size_do_not_deadlock() {
    let big = vec![b'x'; 10 * MIB];
    let with_stdin = |script: &str, stdin: &[u8]| Request { stdin: Some(stdin.to_vec()), ..sh(script) };
    let cases = [
        ("echoed", with_stdin("cat", &big), 10 * MIB, 0),
        ("both streams", with_stdin("tee /dev/stderr", &big), 10 * MIB, 10 * MIB),
        ("input not read", with_stdin("exit 0", &big), 0, 0),
        ("input half read", with_stdin("head -c 10", &big), 10, 0),
        (
            "one after the other",
            sh("head -c 5000000 /dev/zero >&2; head -c 5000000 /dev/zero"),
            5_000_000,
            5_000_000,
        ),
        ("empty input", with_stdin("cat", b""), 0, 0),
        ("no input", sh("cat"), 0, 0),
        (
            "outputs closed, input read to its end",
            with_stdin("exec >&- 2>&-; [ $(wc -c) -eq 10485760 ]", &big),
            0,
            0,
        ),
    ];
    for (name, request, stdout, stderr) in cases {
        let output = output(request).await;
        assert_outcome(&output, "Exited(0)");
        assert_eq!((output.stdout_bytes, output.stderr_bytes), (stdout as u64, stderr as u64), "{name}");
        assert_eq!((output.stdout.len(), output.stderr.len()), (stdout.min(MIB), stderr.min(MIB)), "{name}");
        assert_eq!(output.truncated, stdout > MIB || stderr > MIB, "{name}");
    }
}

#[tokio::test]
async fn a_gigabyte_neither_blocks_nor_fills_memory() {
    let output = output(program("head", &["-c", "1073741824", "/dev/zero"])).await;
    assert_outcome(&output, "Exited(0)");
    assert_eq!((output.stdout_bytes, output.stdout.len(), output.truncated), (1 << 30, MIB, true));
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 400 * 1024, "peak memory of all tests together: {kib} KiB");
    }
}

#[tokio::test]
async fn an_endless_writer_ends_with_its_time() {
    let output = output(Request { timeout: Some(Duration::from_millis(200)), ..program("yes", &[]) }).await;
    assert_outcome(&output, "TimedOut { signal: 15 }");
    assert!(output.stdout.len() <= MIB);
}

#[tokio::test]
async fn output_is_shown_while_the_child_runs() {
    // The child goes on only when the test has seen its first line.
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    let mut request = sh("mkfifo fifo; echo first; read line < fifo; echo \"$line\"; echo oops >&2");
    request.cwd = dir.path().into();
    let (tx, mut rx) = mpsc::channel(16);
    request.on_output = Some(tx);
    let run = tokio::spawn(output(request));
    assert_eq!(first_lines(&mut rx, 1).await, ["first"]);
    tokio::task::spawn_blocking(move || std::fs::write(fifo, "second\n")).await.unwrap().unwrap();

    let output = run.await.unwrap();
    let mut live = (String::from("first\n"), String::new());
    while let Some(chunk) = rx.recv().await {
        let text = if chunk.stream == Stream::Stdout { &mut live.0 } else { &mut live.1 };
        text.push_str(&String::from_utf8(chunk.bytes).unwrap());
    }
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("first\nsecond\n", "oops\n"));
    assert_eq!(live, (output.stdout, output.stderr));
}

#[tokio::test]
async fn nobody_watching_changes_nothing() {
    let flood = || program("head", &["-c", "5000000", "/dev/zero"]);
    let (tx, never_read) = mpsc::channel(1);
    let (closed, rx) = mpsc::channel(1);
    drop(rx);
    for on_output in [tx, closed] {
        let output = output(Request { on_output: Some(on_output), ..flood() }).await;
        assert_eq!((output.stdout_bytes, output.stdout.len()), (5_000_000, MIB));
    }
    drop(never_read);
}

#[tokio::test]
async fn runs_side_by_side_do_not_hold_each_others_pipes() {
    let sleeper = tokio::spawn(output(sh("sleep 60")));
    let cats: Vec<_> = (0..20)
        .map(|n| tokio::spawn(output(Request { stdin: Some(format!("{n}").into()), ..sh("cat") })))
        .collect();
    for (n, cat) in cats.into_iter().enumerate() {
        assert_eq!(cat.await.unwrap().stdout, n.to_string());
    }
    sleeper.abort();
}
