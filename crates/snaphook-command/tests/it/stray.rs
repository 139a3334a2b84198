//! The leftovers of a program that has exited: processes in its group, and one that got away.

use std::time::Instant;

use snaphook_command::process::{Limits, Request};

use crate::{DEADLINE, all_gone, assert_outcome, impatient, output, sh};

#[tokio::test]
async fn a_grandchild_neither_stalls_the_caller_nor_survives() {
    for script in [
        // It holds both pipes, one pipe, no pipe; it ignores TERM; it writes on and on.
        "sleep 60 & echo $!",
        "sleep 60 2>/dev/null & echo $!",
        "sleep 60 >/dev/null 2>&1 & echo $!",
        "(trap '' TERM; sleep 60) & echo $!",
        "yes >&2 & echo $!",
    ] {
        let began = Instant::now();
        let output = output(sh(script)).await;
        assert_outcome(&output, "Exited(0)");
        assert!(!output.left_open, "{script}");
        assert!(began.elapsed() < DEADLINE / 2, "{script} stalled");
        all_gone(&[output.stdout.trim().to_owned()]);
    }
}

#[tokio::test]
async fn a_grandchild_may_finish_its_sentence() {
    let limits = Limits { drain_grace: DEADLINE, ..Limits::default() };
    let output = output(Request { limits, ..sh("(sleep 0.1; echo late) & exit 4") }).await;
    assert_outcome(&output, "Exited(4)");
    assert_eq!(output.stdout, "late\n");
    assert!(output.duration < DEADLINE / 2, "waited for the grace although all was read");
}

/// The limit that the documentation states: who leaves the group is out of reach, and it is said.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_leaves_the_group_gets_away_and_is_told_of() {
    if !crate::needs::program("setsid") {
        return;
    }
    let output = output(Request { limits: impatient(), ..sh("setsid sleep 60 & echo $!") }).await;
    let pid = output.stdout.trim();
    assert_outcome(&output, "Exited(0)");
    // The fork may be killed before it has become another session: both are right, as long as they agree.
    assert_eq!(output.left_open, !crate::is_gone(pid));
    let _ = rustix::process::kill_process(crate::to_pid(pid), rustix::process::Signal::KILL);
}
