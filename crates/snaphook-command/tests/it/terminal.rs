//! The child has no terminal, whatever ours is.

#[cfg(target_os = "linux")]
use crate::program;
use crate::{assert_outcome, output, sh};

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_child_leads_a_session_of_its_own() {
    let stat = output(program("cat", &["/proc/self/stat"])).await.stdout;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let pid = stat.split(' ').next().unwrap();
    let (group, session, terminal) = (fields[2], fields[3], fields[4]);
    assert_eq!((group, session, terminal), (pid, pid, "0"), "{stat}");
}

#[tokio::test]
async fn standard_input_is_at_its_end() {
    assert_outcome(&output(sh("read line || exit 9")).await, "Exited(9)");
    assert_outcome(&output(sh("[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || exit 9")).await, "Exited(9)");
}

/// Runs the next test on a terminal of its own.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_terminal_of_the_caller_is_out_of_reach() {
    if !crate::needs::program("script") {
        return;
    }
    let me = std::env::current_exe().unwrap();
    let inner = format!("{} --exact terminal::inner_needs_a_terminal --ignored", me.display());
    let output = output(program("script", &["-qec", &inner, "/dev/null"])).await;
    assert!(output.stdout.contains("1 passed"), "{output:?}");
    assert!(!output.stdout.contains("leaked"), "{output:?}");
}

#[tokio::test]
#[ignore = "is run by the test above, on a terminal"]
async fn inner_needs_a_terminal() {
    std::fs::File::open("/dev/tty").expect("this test has a terminal");
    for script in
        ["echo leaked > /dev/tty", "read line < /dev/tty", "exec < /dev/tty && stty -echo", "[ -t 0 ]"]
    {
        let output = output(sh(&format!("({script}) 2>/dev/null || exit 9"))).await;
        assert_outcome(&output, "Exited(9)");
    }
}
