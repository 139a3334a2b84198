//! `snaphook serve --stdio`: an agent's events, one a line, answered side by side by one process that stays until its input is
//! closed. Each event has the same promise as with `snaphook hook`: there is an answer, the right one, whatever fails, before the
//! agent's own time is up.

use std::io::{BufRead, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Scope;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use serde_json::{Map, Value, json};
use snaphook::{CancellationToken, Cause, Unreadable};
use snaphook_adapters::Reply;
use snaphook_session::{
    Answered, HostCache, MAX_PAYLOAD, MAX_RESULT, Service, Standby, Torn, answer_within, is_result, torn,
};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::hook::args::ServeArgs;
use crate::hook::at_start::GitScript;
use crate::hook::{late, log, too_long};
use crate::install::agent_named;
use crate::wiring;

/// The number of events that are answered at a time; those beyond are denied, or go on where they can only be
/// observed.
const MAX_EVENTS: usize = 128;

/// Runs the command.
pub(crate) fn serve(
    env: &Env,
    args: &ServeArgs,
    log_file: Option<std::path::PathBuf>,
) -> Result<Exit, Failure> {
    let agent = agent_named(&args.agent)?;
    // What fails is answered and logged; a panic's text would appear on the agent's screen.
    std::panic::set_hook(Box::new(|_| {}));
    let log = log::open(env, log_file, agent.id());
    let (choice, at_start) = (args.choice.choice(), GitScript { env });
    let hosts = HostCache::of_many(Box::new(|| wiring::engines(false)));
    let service = Service { env, choice: &choice, agent, log, hosts, at_start: Some(&at_start) };
    let line = Line { service, open: Mutex::new(()), running: AtomicUsize::new(0), idle: Condvar::new() };
    std::thread::scope(|scope| {
        line.read(scope, &mut std::io::stdin().lock());
        line.wait();
        // Not by returning: what was answered without may still be computing.
        std::process::exit(Exit::Fine.code())
    })
}

/// One request.
struct Request {
    /// The caller's own, a number or a text; null where it could not be read.
    id: Value,
    /// The event by the agent's name.
    native: Option<String>,
    payload: Result<Map<String, Value>, Torn>,
}

/// The line between the agent and us.
struct Line<'a> {
    service: Service<'a>,
    /// Held while an answer is written, and while the last one is waited for.
    open: Mutex<()>,
    /// The number of events that are being answered.
    running: AtomicUsize,
    idle: Condvar,
}

impl<'a> Line<'a> {
    /// Reads requests until the input ends.
    fn read<'s>(&'s self, scope: &'s Scope<'s, '_>, input: &mut dyn BufRead) {
        while let Some(line) = next(input) {
            let request = self.request(line);
            if self.running.fetch_add(1, Ordering::AcqRel) >= MAX_EVENTS {
                let text = format!("{MAX_EVENTS} events wait for an answer already");
                self.refuse(&request.id, request.native.as_deref(), &text);
                continue;
            }
            let (id, native) = (request.id.clone(), request.native.clone());
            let thread = std::thread::Builder::new().name("event".to_owned());
            if let Err(error) = thread.spawn_scoped(scope, move || self.answer(scope, request)) {
                self.refuse(&id, native.as_deref(), &format!("snaphook could not start a thread: {error}"));
            }
        }
    }

    /// Returns the content of a line.
    fn request(&self, line: Result<Vec<u8>, Torn>) -> Request {
        let long = line.as_ref().is_ok_and(|line| line.len() as u64 > MAX_PAYLOAD);
        let (mut map, torn) = match line.and_then(|line| torn::object(&line)) {
            Ok(map) => (map, None),
            Err(mut torn) => (std::mem::take(&mut torn.rest), Some(torn)),
        };
        let id = map.remove("id").filter(|id| id.is_number() || id.is_string());
        let native = map.get("event").and_then(Value::as_str).map(str::to_owned);
        let payload = map.remove("payload");
        let payload = match (torn, payload) {
            (Some(torn), Some(Value::Object(rest))) => Err(Torn { rest, ..torn }),
            (Some(torn), _) => Err(torn),
            _ if long && !self.service.named(native.as_deref()).is_some_and(is_result) => {
                Err(too_long(MAX_PAYLOAD))
            }
            (None, Some(Value::Object(payload))) => Ok(payload),
            (None, Some(_)) => Err(Torn::whole(Unreadable::Form, "its `payload` is no object")),
            (None, None) => Err(Torn::whole(Unreadable::Form, "it has no `payload`")),
        };
        Request { id: id.unwrap_or_default(), native, payload }
    }

    fn refuse(&self, id: &Value, native: Option<&str>, why: &str) {
        self.write_answer(
            id,
            self.service.failed(native, None, why, Cause::Error, &Standby::default()).into(),
        );
    }

    /// Answers one request, by its deadline at the latest.
    fn answer<'s>(&'s self, scope: &'s Scope<'s, '_>, request: Request) {
        let began = Instant::now();
        let Request { id, native, payload } = request;
        let native = native.as_deref();
        let standby = Arc::new(Standby::default());
        let read = self.service.guarded(native, &standby, || self.service.read(native, payload, &standby));
        let event = match read {
            Ok(Ok(read)) => read,
            Ok(Err(reply)) | Err(reply) => return self.write_answer(&id, reply.into()),
        };
        let (done, wait) = channel();
        let cancel = CancellationToken::new();
        let token = cancel.clone();
        let (row, stands_by) = (event.row, Arc::clone(&standby));
        let work = move || {
            let decide = || self.service.decide(&event, &stands_by, token);
            let decided = self.service.guarded(Some(row.native), &stands_by, decide);
            // There is no receiver any more where the time was up.
            let _ = done.send(decided.unwrap_or_else(Answered::from));
        };
        let failed = |why: &str, cause| self.service.failed(None, Some(row), why, cause, &standby).into();
        let thread = std::thread::Builder::new().name("decide".to_owned());
        let answered = match thread.spawn_scoped(scope, work) {
            Ok(_) => match wait.recv_timeout(answer_within(row.limit).saturating_sub(began.elapsed())) {
                Ok(answered) => answered,
                Err(RecvTimeoutError::Timeout) => {
                    cancel.cancel();
                    failed(&late(row.limit), Cause::Timeout)
                }
                Err(RecvTimeoutError::Disconnected) => failed("snaphook itself failed", Cause::Panic),
            },
            Err(error) => failed(&format!("snaphook could not start a thread: {error}"), Cause::Error),
        };
        self.write_answer(&id, answered);
    }

    /// Writes an answer, as one line.
    fn write_answer(&self, id: &Value, answered: Answered) {
        let line = document(id, &answered.reply).to_string() + "\n";
        let open = self.open.lock();
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // The agent is gone.
            std::process::exit(Exit::Internal.code());
        }
        if let Some(claim) = answered.claim {
            claim.publish_verdict();
        }
        self.running.fetch_sub(1, Ordering::AcqRel);
        drop(open);
        self.idle.notify_all();
    }

    /// Waits until everything is answered: each event has a deadline.
    fn wait(&self) {
        let busy = |_: &mut ()| self.running.load(Ordering::Acquire) > 0;
        self.idle.wait_while(&mut self.open.lock(), busy);
    }
}

/// The next line that is not empty, without its end; `None` at the end of the input.
fn next(input: &mut dyn BufRead) -> Option<Result<Vec<u8>, Torn>> {
    loop {
        let mut line = Vec::new();
        match input.take(MAX_RESULT + 1).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) if line.len() as u64 > MAX_RESULT && !line.ends_with(b"\n") => {
                input.skip_until(b'\n').ok()?;
                return Some(Err(too_long(MAX_RESULT)));
            }
            Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Ok(_) => return Some(Ok(line)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Returns the content of the line: the text of standard output; beside it the rest of the answer,
/// where there is any.
fn document(id: &Value, reply: &Reply) -> Value {
    let text = || Value::String(reply.stdout.clone());
    let said = if reply.stdout.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(&reply.stdout).unwrap_or_else(|_| text())
    };
    let mut document = json!({"id": id, "reply": said});
    if reply.code != 0 {
        document["code"] = reply.code.into();
    }
    if !reply.stderr.is_empty() {
        document["stderr"] = reply.stderr.clone().into();
    }
    document
}
