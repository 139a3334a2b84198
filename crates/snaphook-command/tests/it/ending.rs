//! The ends of runs: by themselves, by time, by the caller.

use std::future::{Future, ready};
use std::time::{Duration, Instant};

use snaphook_command::process::{Limits, Output, Request, run, run_until};
use tokio::sync::mpsc;

use crate::{
    DEADLINE, all_gone, assert_outcome, eventually, first_lines, impatient, is_gone, output, program, sh,
};

/// A child that says `ready` and then waits for ever in short naps, so that its traps are run soon.
fn napping(traps: &str) -> Request {
    sh(&format!("{traps}; echo ready; while :; do sleep 0.02; done"))
}

/// Cancels the run when it has written `lines` lines, which are returned, too.
async fn cancelled_after(lines: usize, mut request: Request) -> (Vec<String>, Output) {
    let (tx, mut rx) = mpsc::channel(16);
    request.on_output = Some(tx);
    let mut seen = Vec::new();
    let cancel = async { seen = first_lines(&mut rx, lines).await };
    let output =
        tokio::time::timeout(DEADLINE, run_until(request, cancel)).await.expect("the runner hangs").unwrap();
    (seen, output)
}

#[tokio::test]
async fn an_end_of_its_own_is_told_as_it_is() {
    for (script, outcome) in [
        ("exit 0", "Exited(0)"),
        ("exit 3", "Exited(3)"),
        ("exit 255", "Exited(255)"),
        ("kill -KILL $$", "Signaled(9)"),
        ("kill -TERM $$", "Signaled(15)"),
        ("exec >&- 2>&-; sleep 0.1; exit 7", "Exited(7)"),
    ] {
        let output = output(Request { timeout: Some(DEADLINE), ..sh(script) }).await;
        assert_outcome(&output, outcome);
        assert_eq!(output.success(), script == "exit 0");
        assert!(!output.timed_out() && !output.truncated && !output.left_open);
    }
}

#[tokio::test]
async fn time_ends_what_does_not_end_itself() {
    for script in [
        "sleep 60",
        "sleep 60 & wait",
        "exec >&- 2>&-; sleep 60",
        // It answers TERM by pretending that all went well.
        "trap 'exit 0' TERM; while :; do sleep 0.02; done",
        "kill -STOP $$; sleep 60",
    ] {
        let began = Instant::now();
        let output = output(Request { timeout: Some(Duration::from_millis(150)), ..sh(script) }).await;
        assert_outcome(&output, "TimedOut { signal: 15 }");
        assert!(output.timed_out() && !output.success() && output.code().is_none(), "{script}");
        assert!(output.duration >= Duration::from_millis(150) && output.duration <= began.elapsed());
    }
    let output = output(Request { timeout: Some(Duration::ZERO), ..sh("sleep 60") }).await;
    assert!(output.timed_out());
}

#[tokio::test]
async fn kill_follows_when_term_is_ignored() {
    let (_, output) =
        cancelled_after(1, Request { limits: impatient(), ..napping("trap '' TERM; echo $$") }).await;
    assert_outcome(&output, "Cancelled { signal: Some(9) }");
    assert!(output.duration >= impatient().term_grace);

    // By time: the limit is long enough for the trap to be set, or else the signal is TERM.
    let request =
        Request { timeout: Some(Duration::from_millis(700)), limits: impatient(), ..napping("trap '' TERM") };
    let output = crate::output(request).await;
    assert!(output.timed_out());
    if output.stdout == "ready\n" {
        assert_outcome(&output, "TimedOut { signal: 9 }");
    }
}

#[tokio::test]
async fn term_comes_first_and_the_last_words_are_heard() {
    let patient = Limits { term_grace: DEADLINE, ..Limits::default() };
    let request = Request { limits: patient, ..napping("trap 'echo bye; exit 0' TERM") };
    let (_, output) = cancelled_after(1, request).await;
    assert_outcome(&output, "Cancelled { signal: Some(15) }");
    assert_eq!(output.stdout, "ready\nbye\n");

    // The shell dies at once; what it started has the drain grace, even if it holds no pipe.
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { drain_grace: Duration::from_millis(1500), ..patient };
    let script = "(trap 'sleep 0.1; echo > tidied; exit' TERM; echo ready; exec >/dev/null 2>&1; while :; do sleep 0.02; done) & wait";
    let request = Request { cwd: dir.path().into(), limits, ..sh(script) };
    let (_, output) = cancelled_after(1, request).await;
    assert_outcome(&output, "Cancelled { signal: Some(15) }");
    assert!(dir.path().join("tidied").exists());
}

#[tokio::test]
async fn the_whole_group_is_killed_not_the_leader_alone() {
    let stubborn =
        "trap '' TERM; (while :; do sleep 0.02; done) & echo $!; echo $$; wait; while :; do sleep 0.02; done";
    let (pids, _) = cancelled_after(2, Request { limits: impatient(), ..sh(stubborn) }).await;
    all_gone(&pids);
}

#[tokio::test]
async fn what_is_cancelled_beforehand_is_not_started() {
    let dir = tempfile::tempdir().unwrap();
    let request = Request { cwd: dir.path().into(), ..sh("touch started") };
    let output = run_until(request, ready(())).await.unwrap();
    assert_outcome(&output, "Cancelled { signal: None }");
    assert!(!dir.path().join("started").exists());
}

/// Polls a run until the child has written `lines` lines, then drops it. The runtime is gone when this returns.
fn dropped_after(lines: usize, mut request: Request) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (tx, mut rx) = mpsc::channel(16);
    request.on_output = Some(tx);
    runtime.block_on(async {
        tokio::select! {
            output = run(request) => panic!("it ended: {output:?}"),
            lines = first_lines(&mut rx, lines) => lines,
        }
    })
}

#[test]
fn dropping_a_run_ends_its_group_without_a_runtime() {
    let stubborn =
        "trap '' TERM; (while :; do sleep 0.02; done) & echo $!; echo $$; wait; while :; do sleep 0.02; done";
    for script in [stubborn, "sleep 60 & echo $!; echo $$; wait"] {
        all_gone(&dropped_after(2, Request { limits: impatient(), ..sh(script) }));
    }
}

#[test]
fn a_dropped_child_gets_term_before_kill() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { term_grace: DEADLINE, ..Limits::default() };
    let request = Request { cwd: dir.path().into(), limits, ..napping("trap 'echo > tidied; exit' TERM") };
    dropped_after(1, request);
    eventually("the trap", || dir.path().join("tidied").exists());
}

/// Returns whether any process has `marker` in its command line.
#[cfg(target_os = "linux")]
fn any_with(marker: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let cmdline = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&cmdline).contains(marker)
    })
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_run_dropped_while_it_starts_leaves_nothing() {
    let marker = "61.0625";
    for round in 0..40_u64 {
        let mut run = Box::pin(run(program("sleep", &[marker])));
        std::future::poll_fn(|cx| {
            assert!(run.as_mut().poll(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        // Anywhere between before the fork and after the exec.
        std::thread::sleep(Duration::from_micros(round * 50));
        drop(run);
    }
    // A thread that has not forked yet is not to be mistaken for one that is done.
    eventually("the end of all threads that start children", || {
        let mut tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let name =
            |task: &std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        !tasks.any(|task| name(&task).starts_with("snaphook-run"))
    });
    eventually("the end of all children", || !any_with(marker));
}

#[tokio::test]
async fn the_leader_is_reaped_when_the_run_returns() {
    for request in
        [sh("echo $$"), Request { timeout: Some(Duration::from_millis(300)), ..sh("echo $$; sleep 60") }]
    {
        let pid = output(request).await.stdout;
        if cfg!(target_os = "linux") && !pid.is_empty() {
            assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "a zombie is left");
            assert!(is_gone(pid.trim()));
        }
    }
}
