//! The cost of a turn of our own driver beside tools and network: a model that answers at once with twenty calls, a tool that does
//! nothing, and nothing else. Prints processor time for each turn, and the memory of the process. Linux only: it reads `/proc`.
//!
//! Without hooks, then with a gate in Rust that allows: what hooks themselves cost is in the host's benches.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use snaphook::{
    Answer, BoxFuture, HandlerInfo, HookRef, Host, Lifecycle, PartialOutput, Scope, Tool, ToolCall,
    ToolOutput, handler_fn,
};
use snaphook_agent::driver::{DrivePlan, Listed, Step, drive};
use snaphook_agent::model::driver::{AskOptions, ModelDriver};
use snaphook_agent::model::{Arguments, AskError, Model, RawCall, RawTurn, Request, Stop};
use snaphook_agent::tools::{ToolSpec, Workspace};
use snaphook_agent::toolset::Toolset;

/// The calls of one turn.
const CALLS: usize = 20;

/// Answers at once, so many times.
struct Instant {
    turns: u64,
    asked: AtomicU64,
}

impl Model for Instant {
    fn name(&self) -> &str {
        "bench/instant"
    }

    fn ask<'a>(
        &'a self,
        _: &'a Request,
        _: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<RawTurn, AskError>> {
        let more = self.asked.fetch_add(1, Ordering::Relaxed) < self.turns;
        let call = || RawCall {
            name: "nothing".to_owned(),
            arguments: Arguments::Text(
                r#"{"command":"echo a line of usual length, more or less"}"#.to_owned(),
            ),
            signatures: Vec::new(),
        };
        let calls = if more { (0..CALLS).map(|_| call()).collect() } else { Vec::new() };
        let stop = Some(if more { Stop::Calls } else { Stop::End });
        Box::pin(std::future::ready(Ok(RawTurn {
            text: "I go on.".to_owned(),
            calls,
            stop,
            ..RawTurn::default()
        })))
    }
}

struct Nothing;

impl Tool for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn run<'a>(&'a self, _: &'a ToolCall, _: PartialOutput) -> BoxFuture<'a, ToolOutput> {
        Box::pin(std::future::ready(ToolOutput::text("a result of usual length, more or less")))
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    for gated in [false, true] {
        for turns in [10, 100, 1000] {
            let (before, memory) = (cpu_ns(), resident_kib());
            runtime.block_on(session(turns, gated));
            let each = (cpu_ns() - before) / turns / 1000;
            let gate = if gated { "a gate" } else { "no hook" };
            let grown = resident_kib().saturating_sub(memory);
            println!(
                "{turns:>5} turns of {CALLS} calls, {gate}: {each:>6} µs of processor time a turn, {grown:>6} KiB more"
            );
        }
    }
}

async fn session(turns: u64, gated: bool) {
    let folder = std::env::temp_dir();
    let Ok(workspace) = Workspace::new(&folder).map(Arc::new) else { return };
    let mut builder = Host::builder();
    if gated {
        let hook = HookRef::new("open", "open", Scope::User, "open.rs");
        let info = HandlerInfo::new(hook, Lifecycle::ToolCall);
        builder = builder.handler(handler_fn(info, |_, _| std::future::ready(Ok(Answer::default()))));
    }
    let host = builder.build();
    let mut tools = Toolset::default();
    let spec = ToolSpec {
        name: "nothing".to_owned(),
        description: String::new(),
        schema: serde_json::json!({"type": "object"}),
    };
    tools.add(spec, Arc::new(Nothing));
    let model = Arc::new(Instant { turns, asked: AtomicU64::new(0) });
    let mut driver = ModelDriver::new(model, tools, AskOptions::default());
    let plan = DrivePlan::new("bench", "snaphook", workspace);
    let mut prompts = Listed::new(vec!["go".to_owned()]);
    drive(&host, &mut driver, &mut prompts, &plan, Vec::new(), &mut |_: &Step| {}).await;
}

/// The processor time of this thread, in nanoseconds.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or_default()
}

/// The memory of the process, in KiB.
fn resident_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default() * 4
}
