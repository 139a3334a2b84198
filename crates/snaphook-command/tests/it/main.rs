//! The runner against real processes. Nothing here sleeps for luck: a test waits for what it needs to see, with a
//! deadline that only a hanging runner reaches.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of tests are tests, too")]

mod capture;
mod changes;
mod ending;
mod io;
mod lifecycle;
#[path = "../../../../tests/needs.rs"]
mod needs;
mod repositories;
mod start;
mod status;
mod stray;
mod templates;
mod terminal;
mod transcript;

use std::path::Path;
use std::time::{Duration, Instant};

use snaphook_command::process::{Chunk, Limits, Output, ProcessOutcome, Request, run};
use tokio::sync::mpsc;

/// Far beyond what anything here takes on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// The place where `sh` and its friends are.
const PATH: &str = "/usr/bin:/bin";

/// A request for a shell script, which is the shortest way to a process that misbehaves.
fn sh(script: &str) -> Request {
    program("/bin/sh", &["-c", script])
}

fn program(program: &str, args: &[&str]) -> Request {
    Request {
        args: args.iter().map(Into::into).collect(),
        env: vec![("PATH".into(), PATH.into())],
        ..Request::new(program, "/")
    }
}

async fn output(request: Request) -> Output {
    tokio::time::timeout(DEADLINE, run(request)).await.expect("the runner hangs").expect("it starts")
}

/// Graces short enough for tests of what ignores TERM.
fn impatient() -> Limits {
    Limits {
        term_grace: Duration::from_millis(300),
        drain_grace: Duration::from_millis(100),
        ..Limits::default()
    }
}

/// The first `count` lines that the child writes, as soon as they are there.
async fn first_lines(rx: &mut mpsc::Receiver<Chunk>, count: usize) -> Vec<String> {
    let mut text = String::new();
    while text.lines().filter(|_| text.ends_with('\n')).count() < count {
        let chunk =
            tokio::time::timeout(DEADLINE, rx.recv()).await.expect("no output").expect("no more output");
        text.push_str(&String::from_utf8(chunk.bytes).unwrap());
    }
    text.lines().map(str::to_owned).collect()
}

/// Dead: it does not exist, or is a zombie that whoever inherited it has not got round to.
fn is_gone(pid: &str) -> bool {
    if cfg!(target_os = "linux") {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        return stat
            .map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X'])));
    }
    rustix::process::test_kill_process(to_pid(pid)).is_err()
}

fn to_pid(pid: &str) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap()
}

/// Waits until `condition` holds. Blocks its thread on purpose: no runtime may be needed for what is waited for.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < DEADLINE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn all_gone(pids: &[String]) {
    for pid in pids {
        eventually(&format!("death of {pid}"), || is_gone(pid));
    }
}

/// Writes an executable file through a child: a file that this process has open for writing, and a sibling test forks
/// meanwhile, could not be executed (ETXTBSY).
async fn executable(path: &Path, text: &str) {
    let mut request = sh("cat > \"$0\" && chmod 755 \"$0\"");
    request.args.push(path.into());
    request.stdin = Some(text.into());
    assert!(output(request).await.success());
}

#[track_caller]
fn assert_outcome(output: &Output, expected: &str) {
    assert_eq!(format!("{:?}", output.outcome), expected, "{output:?}");
    // What is true of every run: a code only for an exit of its own.
    assert_eq!(output.code().is_some(), matches!(output.outcome, ProcessOutcome::Exited(_)));
}
