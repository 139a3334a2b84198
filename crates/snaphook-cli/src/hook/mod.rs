//! `snaphook hook AGENT [EVENT]`: one event of an agent, answered. This module holds the promise that there is an answer,
//! the right one, whatever fails: a panic, the deadline, an invalid command line. `output` is the streams and the exit
//! code, `process_deadline` the second thread, `log` the log. `serve` does the same for a process that stays. Not here:
//! the answer itself (`snaphook_session`).

pub(crate) mod args;
mod at_start;
mod log;
mod output;
mod process_deadline;
pub(crate) mod serve;

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Parser as _;
use serde_json::{Map, Value};
use snaphook::{CancellationToken, Cause, Unreadable};
use snaphook_adapters::install::SEALED;
use snaphook_adapters::{AGENTS, Effect, Reply, agent};
use snaphook_rhai::MeteredAllocator;
use snaphook_session::{
    Answered, HostCache, MAX_PAYLOAD, MAX_RESULT, Service, Standby, Torn, answer_within, is_result, torn,
};

use crate::args::{Args, Command};
use crate::env::Env;
use crate::exit::Exit;
use crate::hook::args::HookArgs;
use crate::hook::at_start::GitScript;
use crate::hook::output::{Output, REFUSED};
use crate::hook::process_deadline::Deadline;
use crate::install::names;
use crate::{print, wiring};

/// The time that anything may take where it is not known which event it is.
const UNKNOWN_LIMIT: Duration = Duration::from_secs(10);

/// Runs the command and ends the process.
pub(crate) fn main(env: &Env) -> ! {
    let words = env.words.iter().position(|word| word == "hook").map_or(&[][..], |at| &env.words[at + 1..]);
    let answered = catch_unwind(AssertUnwindSafe(|| answered(env, words)));
    std::process::exit(answered.unwrap_or_else(|_| refuse(words, "snaphook itself failed")))
}

fn answered(env: &Env, words: &[String]) -> i32 {
    MeteredAllocator::expect_short_life();
    // Some agents read standard error as an answer.
    std::panic::set_hook(Box::new(|_| {}));
    let first_word = env.words.first().is_some_and(|word| word == "hook");
    let (args, log_file) = match HookArgs::plain(words).filter(|_| first_word) {
        Some(args) => (args, None),
        None => match Args::try_parse() {
            Ok(Args { command: Command::Hook(args), log_file }) => (args, log_file),
            Err(error) if !error.use_stderr() => {
                let _ = error.print();
                return Exit::Fine.code();
            }
            Ok(_) => return refuse(words, "snaphook was not called as `snaphook hook AGENT EVENT`"),
            Err(error) => {
                let text =
                    format!("snaphook's own command line is wrong: {}", first_line(&error.to_string()));
                return refuse(words, &text);
            }
        },
    };
    if args.agents {
        print::stdout(&list());
        return Exit::Fine.code();
    }
    let Some(agent) = args.agent.as_deref().and_then(agent) else {
        let named = args.agent.as_deref().unwrap_or_default();
        let text = format!("snaphook knows no agent \"{named}\"; it knows {}", names());
        return refuse(words, &text);
    };
    let log = log::open(env, log_file, agent.id());
    let limit = args.event.as_deref().and_then(|native| agent.row(native)).map(|row| row.limit);
    let deadline = Arc::new(Deadline::new(Instant::now(), limit.unwrap_or(UNKNOWN_LIMIT)));
    let (choice, at_start) = (args.choice.choice(), GitScript { env });
    let engine = Arc::clone(&deadline);
    let engines = move || match engine.engine() {
        Some(lua) => Ok(wiring::engines_with(lua)),
        None => wiring::engines(false),
    };
    let hosts = HostCache::of_one(Box::new(engines));
    let service = Service { env, choice: &choice, agent, log, hosts, at_start: Some(&at_start) };
    let output = Output::new(args.sealed, service.named(args.event.as_deref()));
    let standby = Standby::default();
    let native = args.event.clone();
    Answer { service, deadline, output, native, standby, given: AtomicBool::new(false) }.run()
}

/// The denial where not even the agent is known: by its own form if the words name it, else by exit code.
fn refuse(words: &[String], reason: &str) -> i32 {
    let mut plain = words.iter().filter(|word| !word.starts_with('-'));
    let reply = match plain.next().and_then(|word| agent(word)) {
        Some(agent) => agent.deny(plain.next().map(String::as_str), reason),
        None => Reply::refused(REFUSED, reason),
    };
    let sealed = words.iter().any(|word| word == SEALED);
    Output::new(sealed, None).give(&reply)
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("unknown").trim_start_matches("error: ")
}

/// The one answer of this process, by the work or the deadline, whichever is first.
struct Answer<'a> {
    service: Service<'a>,
    deadline: Arc<Deadline>,
    output: Output,
    /// The event as the command line names it.
    native: Option<String>,
    /// The answer where hooks give none.
    standby: Standby,
    given: AtomicBool,
}

impl Answer<'_> {
    fn failed(&self, reason: &str, cause: Cause) -> Reply {
        self.service.failed(self.native.as_deref(), None, reason, cause, &self.standby)
    }

    fn run(&self) -> i32 {
        let deadline = &*self.deadline;
        std::thread::scope(|scope| {
            // Without a thread for it there is no deadline, and the agent's own would let the call through.
            let watch = std::thread::Builder::new().name("deadline".to_owned());
            let answered = match watch.spawn_scoped(scope, || self.watch(deadline)) {
                Ok(watching) => {
                    deadline.is_kept_by(watching.thread().clone());
                    self.work(deadline)
                }
                Err(error) => {
                    self.failed(&format!("snaphook could not start a thread: {error}"), Cause::Error).into()
                }
            };
            // The deadline's thread ends with the process: to wake it now, only to let it end by itself, would cost the answer.
            if self.given.swap(true, Ordering::AcqRel) {
                // The deadline was first and ends the process.
                loop {
                    std::thread::park();
                }
            } else {
                let code = self.output.give(&answered.reply);
                let told = i32::from(self.output.code(&answered.reply));
                if let Some(claim) = answered.claim.filter(|_| code == told) {
                    claim.publish_verdict();
                }
                std::process::exit(code)
            }
        })
    }

    /// The work, with whatever it fails by turned into an answer.
    fn work(&self, deadline: &Deadline) -> Answered {
        let native = self.native.as_deref();
        let about_result = self.service.named(native).is_some_and(is_result);
        let most = if about_result { MAX_RESULT } else { MAX_PAYLOAD };
        let done = self.service.guarded(native, &self.standby, || {
            match self.service.read(native, payload(most), &self.standby) {
                Ok(event) => {
                    // The event may be another than the command line says, and so may its limit.
                    deadline.set(event.row.limit);
                    self.service.decide(&event, &self.standby, CancellationToken::new())
                }
                Err(reply) => reply.into(),
            }
        });
        done.unwrap_or_else(Answered::from)
    }

    /// Answers when the time is up, before the agent stops waiting and goes on without an answer; and when a handler computes
    /// on and cannot be stopped.
    fn watch(&self, deadline: &Deadline) {
        let reason = catch_unwind(AssertUnwindSafe(|| deadline.wait()));
        let reason = reason.unwrap_or_else(|_| "snaphook itself failed".to_owned());
        if !self.given.swap(true, Ordering::AcqRel) {
            let reply = self.failed(&reason, Cause::Timeout);
            let code = self.output.give(&reply);
            // What a hook waits for goes with it.
            snaphook_command::process::kill_all();
            std::process::exit(code);
        }
    }
}

/// Returns what is said where the time is up.
fn late(limit: Duration) -> String {
    format!("the hooks gave no answer within {} s", answer_within(limit).as_secs_f64())
}

/// The agent's document, of so many bytes at most.
fn payload(most: u64) -> Result<Map<String, Value>, Torn> {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut text);
    read.map_err(|error| Torn::whole(Unreadable::Form, format!("standard input: {error}")))?;
    if text.len() as u64 > most {
        return Err(too_long(most));
    }
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(Torn::whole(Unreadable::Form, "standard input is empty"));
    }
    torn::object(&text)
}

fn too_long(most: u64) -> Torn {
    Torn::whole(Unreadable::TooLarge, format!("it is longer than {} MiB", most >> 20))
}

/// `snaphook hook --agents`.
fn list() -> String {
    let mut text = String::new();
    for agent in AGENTS {
        text += &format!("{} ({})\n", agent.id(), agent.title());
        for row in agent.rows() {
            let effects: Vec<&str> = row.effects.iter().map(Effect::as_str).collect();
            let effects = if effects.is_empty() { "observe".to_owned() } else { effects.join(", ") };
            let events: Vec<&str> = row.events.iter().map(|event| event.name()).collect();
            text += &format!("  {:<24} {:<34} {effects}\n", row.native, events.join(", "));
        }
    }
    text
}
