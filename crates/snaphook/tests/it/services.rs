//! The services of the host to hooks: processes, text for the agent, the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use snaphook::*;

use crate::support::*;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn sh(script: &str) -> ExecRequest {
    ExecRequest { program: "sh".into(), args: vec!["-c".into(), script.into()], ..ExecRequest::default() }
}

fn session(cwd: &std::path::Path) -> Session {
    Session { cwd: cwd.to_owned(), ..Session::default() }
}

/// Runs the request inside a gate and gives what the script would get.
async fn exec(request: ExecRequest) -> Result<ExecOutput, ServiceError> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let handler = on("a", "tool_call", move |_, context| {
        let (request, tell) = (request.clone(), tell.lock().unwrap().take().unwrap());
        async move {
            let _ = tell.send(context.services.exec(&hook("a"), &context, request).await);
            nothing()
        }
    });
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    let host = builder([handler])
        .exec_env([("PATH", PATH), ("GREETING", "hi")])
        .session(session(dir.path()))
        .build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    told.await.unwrap()
}

#[tokio::test]
async fn processes_run_with_the_host_s_environment_where_the_script_says() {
    let request = ExecRequest {
        cwd: Some("sub".into()),
        env: [("NAME".to_owned(), "you".to_owned())].into(),
        stdin: Some("in".into()),
        ..sh("echo \"$GREETING $NAME $(cat) $(basename \"$PWD\")\"; echo err >&2; exit 3")
    };
    let output = exec(request).await.unwrap();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("hi you in sub\n", "err\n"));
    assert_eq!((output.code, output.signal, output.timed_out), (Some(3), None, false));
}

#[tokio::test]
async fn what_hooks_log_can_be_listened_to() {
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    let handler = on("a", "tool_call", |_, context| async move {
        context.services.log(&hook("a"), Level::Warn, "odd");
        nothing()
    });
    let host = builder([handler])
        .on_log(move |hook, level, text| {
            hears.lock().unwrap().push(format!("{} {} {text}", hook.id, level.as_str()));
        })
        .build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    assert_eq!(*heard.lock().unwrap(), ["a warn odd"]);
}

/// Says what it was asked to run, and runs nothing.
struct EchoProcesses;

impl Processes for EchoProcesses {
    fn run(&self, place: ExecPlace, request: ExecRequest) -> ServiceFuture<ExecOutput> {
        let stdout =
            format!("{} {} {:?} in {}", place.hook.id, request.program, place.env, place.cwd.display());
        Box::pin(async move { Ok(ExecOutput { stdout, ..ExecOutput::default() }) })
    }
}

#[tokio::test]
async fn who_runs_processes_can_be_replaced() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let handler = on("a", "tool_call", move |_, context| {
        let tell = tell.lock().unwrap().take().unwrap();
        async move {
            let _ = tell.send(context.services.exec(&hook("a"), &context, sh("exit 3")).await);
            nothing()
        }
    });
    let host = builder([handler])
        .exec_env([("A", "1")])
        .session(session("/p".as_ref()))
        .processes(Arc::new(EchoProcesses))
        .build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    assert_eq!(told.await.unwrap().unwrap().stdout, r#"a sh [("A", "1")] in /p"#);
}

#[tokio::test]
async fn a_killed_process_has_no_code() {
    let request = ExecRequest { timeout: Some(Duration::from_millis(50)), ..sh("sleep 60") };
    let output = exec(request).await.unwrap();
    assert_eq!((output.code, output.timed_out), (None, true));
    assert!(output.signal.is_some());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error_with_its_name() {
    let request = ExecRequest { program: "no-such-program".into(), ..ExecRequest::default() };
    let error = exec(request).await.unwrap_err().to_string();
    assert!(error.starts_with("failed to run no-such-program: "), "{error}");
}

// Reads /proc: elsewhere it would pass without having looked.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_a_call_ends_its_processes() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    let handler = on("a", "tool_call", |_, context| async move {
        let request = sh("echo $$ > pid.new; mv pid.new pid; exec sleep 600");
        let _ = context.services.exec(&hook("a"), &context, request).await;
        nothing()
    });
    let host = builder([handler]).exec_env([("PATH", PATH)]).session(session(dir.path())).build();
    let running =
        tokio::spawn(async move { host.gate(bash("ls"), &CallOptions::supervised()).await.is_break() });
    let deadline = Instant::now() + Duration::from_secs(20);
    let wait_for = async |done: &dyn Fn() -> bool| {
        while !done() {
            assert!(Instant::now() < deadline, "it did not happen in time");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    wait_for(&|| pid_file.exists()).await;
    let pid = std::fs::read_to_string(&pid_file).unwrap().trim().to_owned();
    let alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(" S ") || stat.contains(" R ")
    };
    running.abort();
    wait_for(&|| !alive()).await;
}

fn sends(deliver: Deliver, text: String, times: usize) -> Arc<dyn Handler> {
    on("a", "turn_end", move |_, context| {
        for _ in 0..times {
            context.services.send(&hook("a"), text.clone(), deliver);
        }
        async { nothing() }
    })
}

fn turn_end() -> Event {
    lifecycle(Lifecycle::TurnEnd, json!({"turn_index": 1}))
}

#[tokio::test]
async fn the_outbox_sorts_by_delivery_and_wakes_for_now() {
    let host = host([
        sends(Deliver::NextTurn, "later".into(), 1),
        sends(Deliver::FollowUp, "last".into(), 1),
        sends(Deliver::Now, "at once".into(), 1),
    ]);
    let options = CallOptions::default();
    tokio::join!(host.outbox().wait_for_now(), host.emit(turn_end(), &options));
    let take = |deliver| host.outbox().take(deliver).into_iter().map(|text| text.text).collect::<Vec<_>>();
    assert_eq!(host.outbox().len(), 3);
    assert_eq!(take(Deliver::Now), ["at once"]);
    assert_eq!(take(Deliver::Now), [""; 0]);
    assert_eq!(take(Deliver::FollowUp), ["last"]);
    assert_eq!(take(Deliver::NextTurn), ["later"]);
}

#[tokio::test]
async fn the_outbox_has_bounds_and_says_so() {
    let trace = Trace::default();
    let told = trace.clone();
    let report = move |report: &Report| told.add(report.message.clone());
    let host = builder([sends(Deliver::Now, "ä".repeat(MAX_TEXT), 1)]).on_report(report.clone()).build();
    host.emit(turn_end(), &CallOptions::default()).await;
    let text = host.outbox().take(Deliver::Now).remove(0).text;
    assert!(text.ends_with("\n[cut: 131072 bytes, 65536 are kept]") && text.len() < MAX_TEXT + 50);
    assert_eq!(trace.all(), "text for the agent was cut: 131072 bytes, 65536 are kept");

    let host = builder([sends(Deliver::Now, "x".into(), MAX_TEXTS + 2)]).on_report(report).build();
    host.emit(turn_end(), &CallOptions::default()).await;
    assert_eq!(host.outbox().len(), MAX_TEXTS);
    assert_eq!(trace.all().matches("was refused").count(), 2);
}

#[tokio::test]
async fn scripts_read_the_host_s_clock() {
    struct Noon;
    impl Clock for Noon {
        fn now(&self) -> f64 {
            43_200.5
        }
    }
    let handler = on("a", "tool_call", |_, context| async move {
        assert_eq!(context.services.now(&hook("a")), 43_200.5);
        nothing()
    });
    let host = builder([handler]).clock(Arc::new(Noon)).build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
}

/// A UI that keeps what it is asked and told.
#[derive(Default)]
struct Shown(std::sync::Mutex<Vec<String>>);

impl UiContext for Shown {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        self.0.lock().unwrap().push(match request {
            UiRequest::Confirm { title, message } => format!("{title}|{}", message.unwrap_or_default()),
            UiRequest::Select { title, options } => format!("{title}|{}", options.join("|")),
            UiRequest::Input { title, initial } | UiRequest::Editor { title, initial } => {
                format!("{title}|{}", initial.unwrap_or_default())
            }
        });
        Box::pin(async { UiReply::Nothing })
    }

    fn notify(&self, _: Option<&HookRef>, notice: Notice) {
        self.0.lock().unwrap().push(match notice {
            Notice::Message { text, .. } => text,
            Notice::Status { key, text } => format!("{key}={}", text.unwrap_or_default()),
        });
    }
}

/// Text of a hook, or what a hook quotes, is no second line, and is read in the order in which it is written.
#[tokio::test]
async fn what_hooks_say_cannot_look_like_something_else() {
    const TEXT: &str = "a\r\nb\u{202e}c\u{1b}[2J\u{2028}";
    const LINE: &str = "a\\r\\nb\\u{202e}c\\u{1b}[2J\\u{2028}";
    let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = Arc::clone(&heard);
    let handler = on("a", "tool_call", |_, context| async move {
        let (services, hook) = (&context.services, hook("a"));
        let text = || TEXT.to_owned();
        services.log(&hook, Level::Info, TEXT);
        services.notify(&hook, Notice::Message { text: text(), level: Level::Info });
        services.notify(&hook, Notice::Status { key: text(), text: Some(text()) });
        for request in [
            UiRequest::Confirm { title: text(), message: Some(text()) },
            UiRequest::Select { title: text(), options: vec![text()] },
            UiRequest::Input { title: text(), initial: Some(text()) },
        ] {
            let _ = services.ui(&hook, &context, request).await;
        }
        nothing()
    });
    let shown = Arc::new(Shown::default());
    let logger = move |_: &HookRef, _: Level, text: &str| hears.lock().unwrap().push(text.to_owned());
    let host = builder([handler]).ui(Arc::clone(&shown) as Arc<dyn UiContext>).on_log(logger).build();
    assert_eq!(gated(&host, "ls").await, "allow: ls");
    assert_eq!(*heard.lock().unwrap(), [LINE]);
    let message = "a\nb\\u{202e}c\\u{1b}[2J\\u{2028}";
    let expected = [
        LINE.to_owned(),
        format!("{LINE}={LINE}"),
        format!("{LINE}|{message}"),
        format!("{LINE}|{LINE}"),
        format!("{LINE}|{LINE}"),
    ];
    assert_eq!(*shown.0.lock().unwrap(), expected);
}
