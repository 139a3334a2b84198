//! The bundled session under all examples at once, as a first user sees it, without a person and with one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use snaphook::{ScriptedUi, Session, Verdict};
use snaphook_agent::driver::{Replay, Step, Summary};
use snaphook_agent::replay::Recording;
use snaphook_agent::scratch::{CopyLimits, Scratch, ScratchPlan};
use tempfile::TempDir;

use super::bed::{builder, faults, find, search_path};
use super::shipped::{LANGUAGES, examples_in};

struct ReplayedTour {
    summary: Summary,
    /// By call: what was decided, in one line.
    calls: BTreeMap<String, String>,
    /// By call: the result's text, where hooks changed it.
    redacted: BTreeMap<String, String>,
    others: Vec<String>,
}

async fn play(language: &'static str, ui: Option<ScriptedUi>) -> ReplayedTour {
    let under = TempDir::new().unwrap();
    let env: Vec<(OsString, OsString)> =
        vec![("PATH".into(), search_path().into()), ("LANG".into(), "C.UTF-8".into())];
    let recording = Recording::tour().unwrap();
    let plan = ScratchPlan {
        under: under.path(),
        base: &recording.base,
        files: &recording.files,
        env: &env,
        limits: CopyLimits::default(),
    };
    let scratch = Scratch::create(plan).await.unwrap();
    let project = scratch.project().to_owned();
    let session =
        Session { id: "s".into(), cwd: project.clone(), project_root: project, ..Session::default() };
    let hooks: Vec<PathBuf> = examples_in(language).into_iter().map(|example| example.path).collect();
    let mut host = builder(find(&hooks)).session(session).exec_env(scratch.env().to_vec());
    if let Some(ui) = ui {
        host = host.ui(Arc::new(ui));
    }
    let host = host.build();
    assert!(faults(&host).is_empty(), "{:?}", faults(&host));
    let (mut calls, mut redacted, mut others) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut observer = |step: &Step| match step {
        Step::CallDecided { call, decision } => {
            let asked = decision.reasons.iter().any(|reason| reason.verdict == Verdict::Ask);
            let line = match (decision.is_allowed(), decision.event.call()) {
                (true, Some(now)) if decision.is_rewritten() => {
                    format!("rewritten: {}", now.command().unwrap_or_default())
                }
                (true, _) if asked => format!("asked, allowed: {}", decision.message()),
                (true, _) => "allowed".to_owned(),
                (false, _) if asked => format!("asked, denied: {}", decision.message()),
                (false, _) => format!("denied: {}", decision.message()),
            };
            calls.insert(call.id.to_string(), line);
        }
        Step::CallFinished { result, rewritten: true, .. } => {
            redacted.insert(result.call.id.to_string(), result.content.to_string());
        }
        Step::Delivered { text, .. } => others.push(format!("{}: {}", text.hook.id, text.text)),
        Step::CheckPassed { hook } => others.push(format!("passed {}", hook.id)),
        Step::CheckFailed { reason, .. } => others.push(format!("failed {reason}")),
        Step::Report(report) => others.push(format!("report {report}")),
        _ => {}
    };
    let summary = Replay::new(recording, &scratch).unwrap().run(&host, &mut observer).await.unwrap();
    ReplayedTour { summary, calls, redacted, others }
}

fn has(text: Option<&String>, parts: &[&str]) {
    let text = text.map(String::as_str).unwrap_or_default();
    assert!(parts.iter().all(|part| text.contains(part)), "{parts:?} in {text:?}");
}

#[tokio::test]
async fn the_tour_is_gated_asked_rewritten_and_redacted() {
    for language in LANGUAGES {
        tour(language).await;
    }
}

async fn tour(language: &'static str) {
    let told = play(language, None).await;
    let (calls, summary) = (&told.calls, &told.summary);
    // Blocked, with the reason and the place in the script.
    let init = format!("init.{language}:");
    has(calls.get("key-3"), &["denied: .env holds secrets", "[protected-paths at ", &init]);
    has(calls.get("ship-4"), &["denied: a forced push overwrites", "[git-guard at ", &init]);
    // Asked, and denied because no person is there.
    has(
        calls.get("ship-2"),
        &[
            "asked, denied: ",
            "nobody can be asked (headless)",
            "a recursive delete: rm -rf build",
            "permission-gate",
            &init,
        ],
    );
    has(calls.get("look-4"), &["rewritten: git --no-pager log --oneline -3"]);
    has(told.redacted.get("key-1"), &["token = \"[redacted: API key]\"", "https://reports.example.com/v1"]);

    let count = |start: &str| calls.values().filter(|line| line.starts_with(start)).count() as u64;
    assert_eq!((summary.calls, summary.allowed, summary.denied), (16, 13, 3), "{calls:#?}");
    assert_eq!(summary.denied, count("denied") + count("asked, denied"));
    assert_eq!((summary.asked, summary.rewritten_inputs), (1, 1), "{calls:#?}");
    assert_eq!(summary.rewritten_results, told.redacted.len() as u64);
    assert_eq!(told.redacted.len(), 1, "{:?}", told.redacted);
    assert_eq!((summary.reports, summary.failed_checks), (0, 0), "{:?}", told.others);

    // The agent was told about the repository, the tests ran after the fix, and the token stayed where it was.
    let others = told.others.join("\n");
    for part in
        ["git-context: Git branch: main", "passed test-on-change", "redact-secrets: 1 secret value(s)"]
    {
        assert!(others.contains(part), "{part} in {others}");
    }
    assert!(!others.contains("sk-FAKE"), "{others}");
}

#[tokio::test]
async fn a_person_is_asked_once_and_decides() {
    for language in LANGUAGES {
        let told = play(language, Some(ScriptedUi::new(["yes"]))).await;
        has(told.calls.get("ship-2"), &["asked, allowed: ", "approved by the person"]);
        assert_eq!((told.summary.allowed, told.summary.denied, told.summary.asked), (14, 2, 1));
        let told = play(language, Some(ScriptedUi::new(["no"]))).await;
        has(told.calls.get("ship-2"), &["asked, denied: ", "declined by the person"]);
        assert_eq!((told.summary.allowed, told.summary.denied, told.summary.asked), (13, 3, 1));
    }
}
