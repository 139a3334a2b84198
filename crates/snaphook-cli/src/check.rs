//! `snaphook check`: one call decided, or one result rewritten.

use std::io::Read;
use std::ops::ControlFlow;
use std::time::Instant;

use serde_json::{Value, json};
use snaphook::{
    AskMode, CANONICAL_TOOLS, CallOptions, CancellationToken, Decision, Emitted, Event, Host, Payload,
    Report, ToolCall, ToolResult, Verdict, nearest,
};
use snaphook_discovery::lifecycle_files;
use snaphook_script::matcher::canonical_name;
use snaphook_session::hosting::Records;
use snaphook_session::required;

use crate::arg_values::{DefaultArg, Ui};
use crate::args::CheckArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::lifecycle::LifecycleEntry;
use crate::print::{self, Paint};
use crate::trial::{self, Trial};
use crate::{render, wiring};

/// Runs the command.
pub(crate) async fn check(env: &Env, args: CheckArgs) -> Result<Exit, Failure> {
    let call = call(&args)?;
    let result = args.result.clone().map(text_of).transpose()?;
    let directories = args.project.directories(env)?;
    let trust = args.pins.trust(env, &[&directories.project_root])?;
    let default = args.default.map(DefaultArg::verdict);
    let find = if args.record.record { wiring::gating_hooks } else { wiring::hooks_of };
    let mut hooks = find(env, &directories, &args.hooks, &trust);
    let missing = required::missing(&hooks, &directories, &trust);
    let is_bare = missing.is_some();
    hooks.problems.extend(missing);
    let state = directories.state.as_deref().filter(|_| !args.record.record);
    let trial = state.map(|state| Trial::of(state, &[trial::STORE])).transpose()?;
    let records = match &trial {
        Some(trial) => Records::Copy(trial.path()),
        None if args.record.record => Records::Audit,
        None => Records::Store,
    };
    let host = wiring::host(env, &directories, hooks, "check", default, records)?
        .session(wiring::session(&directories, "check", args.session.clone()))
        .ui(wiring::ui(env, args.ui.as_ref())?)
        .build();
    let cancel = CancellationToken::new();
    let ask = if args.ui == Some(Ui::Defer) { AskMode::Defer } else { AskMode::Resolve };
    let options = CallOptions { cancel: Some(cancel.clone()), ask, ..CallOptions::supervised() };
    wiring::cancel_when_told(&cancel);
    let paint = Paint { on: !args.json && env.colours(env.stdout_is_terminal) };
    // They decide about no call, so the exit code is not theirs; a person who looks here wants to know all the same.
    let lifecycle = LifecycleEntry::all(&lifecycle_files(&directories, &trust));
    let exit = match result {
        Some(text) => rewrite(&host, call, &text, &args, &options, &lifecycle, paint).await,
        None => decide(&host, call, &args, &options, &lifecycle, paint).await,
    };
    if is_bare && !args.json {
        print::stdout(
            "There is no hook yet, so an agent's calls are denied. Add one: snaphook add --list, or snaphook new NAME\n",
        );
    }
    Ok(if cancel.is_cancelled() { Exit::Interrupted } else { exit })
}

fn call(args: &CheckArgs) -> Result<ToolCall, Failure> {
    let usage = |text: String| Failure::Usage(text);
    if args.input == "-" && args.result.as_deref() == Some("-") {
        return Err(usage("--input and --result cannot both read standard input".to_owned()));
    }
    if let Some(ours) = canonical_name(&args.tool).filter(|ours| *ours != args.tool) {
        let tool = &args.tool;
        return Err(usage(format!("--tool {tool} is an agent's own name; the canonical name is {ours}")));
    }
    if args.tool.trim().is_empty() {
        return Err(usage("--tool is empty".to_owned()));
    }
    if let Some(near) = nearest(&args.tool, CANONICAL_TOOLS.iter().copied()).filter(|near| *near != args.tool)
    {
        let tool = print::lines(&args.tool);
        print::stderr(&format!("note: --tool {tool} is a tool of an agent's own; did you mean {near}?\n"));
    }
    let text = text_of(args.input.clone())?;
    let input: Value = serde_json::from_str(&text).map_err(|error| {
        usage(format!("--input is not JSON: {error} (for example '{{\"command\": \"ls\"}}')"))
    })?;
    if !input.is_object() {
        return Err(usage("--input has to be a JSON object, for example '{\"command\": \"ls\"}'".to_owned()));
    }
    Ok(ToolCall::new("check", args.tool.as_str(), input))
}

/// The text itself, or standard input for `-`.
fn text_of(text: String) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text);
    }
    const MAX_BYTES: u64 = 64 << 20;
    let mut read = Vec::new();
    let done = std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut read);
    done.map_err(|error| Failure::Usage(format!("failed to read standard input: {error}")))?;
    String::from_utf8(read).map_err(|_| Failure::Usage("standard input is not UTF-8".to_owned()))
}

async fn decide(
    host: &Host,
    call: ToolCall,
    args: &CheckArgs,
    options: &CallOptions,
    lifecycle: &[LifecycleEntry],
    paint: Paint,
) -> Exit {
    let began = Instant::now();
    let outcome = host.gate(call, options).await;
    let took = began.elapsed();
    let (decision, reports) = match outcome {
        ControlFlow::Continue(permitted) => (permitted.decision, permitted.reports),
        ControlFlow::Break(denied) => (denied.decision, denied.reports),
    };
    if args.json {
        let mut document = render::decision(&decision);
        document["duration_us"] = json!(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        document["lifecycle"] = lifecycle.iter().map(LifecycleEntry::document).collect();
        print::json(&document);
    } else {
        print::stdout(&decision_text(&decision, &reports, paint));
        print::stdout(&lifecycle.iter().map(|file| file.line(paint)).collect::<String>());
    }
    match decision.verdict {
        Verdict::Deny => Exit::Denied,
        Verdict::Ask => Exit::Unresolved,
        Verdict::Abstain | Verdict::Allow => Exit::Fine,
    }
}

fn decision_text(decision: &Decision, reports: &[Report], paint: Paint) -> String {
    let mut text = match decision.verdict {
        Verdict::Deny => format!("{}\n", paint.red("denied")),
        Verdict::Ask => format!("{}\n", paint.yellow("a person has to be asked")),
        Verdict::Abstain | Verdict::Allow => format!("{}\n", paint.green("allowed")),
    };
    for reason in &decision.reasons {
        text += &format!("  {}\n", render::reason_line(paint, reason));
    }
    if let Some(hold) = &decision.hold {
        text += &format!("  {} {}\n", paint.cyan("held:"), print::lines(&hold.to_json().to_string()));
    }
    if decision.is_rewritten() {
        let input = decision.event.call().map(|call| call.input.to_string()).unwrap_or_default();
        text += &format!("  {} {}\n", paint.cyan("input rewritten:"), print::lines(&input));
    }
    for context in &decision.context {
        text +=
            &format!("  {} {}: {}\n", paint.cyan("context"), context.hook.id, print::lines(&context.text));
    }
    for traceback in reports.iter().filter_map(|report| report.traceback.as_deref()) {
        text += &format!(
            "  {}\n    {}\n",
            paint.dim("traceback:"),
            print::lines(traceback).replace('\n', "\n    ")
        );
    }
    text
}

async fn rewrite(
    host: &Host,
    call: ToolCall,
    content: &str,
    args: &CheckArgs,
    options: &CallOptions,
    lifecycle: &[LifecycleEntry],
    paint: Paint,
) -> Exit {
    let event = Event::tool_result(ToolResult::new(call, content, Value::Null, args.is_error));
    let began = Instant::now();
    let emitted = host.emit(event, options).await;
    let took = began.elapsed();
    let Payload::Result(result) = emitted.event.payload() else { return Exit::Internal };
    if args.json {
        print::json(&json!({
            "content": &*result.content,
            "original_content": content,
            "details": *result.details,
            "is_error": result.is_error,
            "rewritten": emitted.rewritten,
            "context": render::context(&emitted.context),
            "lifecycle": lifecycle.iter().map(LifecycleEntry::document).collect::<Vec<_>>(),
            "reports": emitted.reports.iter().map(render::report).collect::<Vec<_>>(),
            "duration_us": u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        }));
    } else {
        print::stdout(&result_text(&emitted, result, paint));
        print::stdout(&lifecycle.iter().map(|file| file.line(paint)).collect::<String>());
    }
    Exit::Fine
}

fn result_text(emitted: &Emitted, result: &ToolResult, paint: Paint) -> String {
    let head =
        if emitted.rewritten { paint.cyan("result rewritten") } else { paint.green("result unchanged") };
    let failed = if result.is_error { " (it counts as a failure)" } else { "" };
    let mut text = format!("{head}{failed}\n{}\n", print::lines(&result.content));
    for context in &emitted.context {
        text += &format!("{} {}: {}\n", paint.cyan("context"), context.hook.id, print::lines(&context.text));
    }
    for report in &emitted.reports {
        text += &format!("{} {}\n", paint.red("report:"), print::lines(&report.to_string()));
    }
    text
}
