//! Answers to events, for a process with one event and for one that stays. Whatever fails becomes an answer: a denial,
//! unless the event is known to be one that can only be observed. Not here: the deadline and the streams of a process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value};
use snaphook::{BoxFuture, Cause, Event, Host, Payload, Unreadable};
use snaphook_adapters::{Agent, Incoming, Refused, Reply, Row, read};
use snaphook_discovery::Directories;

use crate::choice::Choice;
use crate::dedup::Claim;
use crate::env::ProcessEnv;
use crate::host_cache::HostCache;
use crate::log::Log;
use crate::standby::{Standby, is_result};
use crate::torn::Torn;

/// The longest payload that is read, in bytes. A longer one cannot be judged, and is denied.
pub const MAX_PAYLOAD: u64 = 8 << 20;

/// The same of an event that is about what a tool said: to withhold it, its form has to be known.
pub const MAX_RESULT: u64 = 64 << 20;

/// An event that was read.
pub struct ReadEvent {
    /// The agent's row of it.
    pub row: &'static Row,
    /// The event.
    pub incoming: Arc<Incoming>,
    /// The reason why hooks cannot look at the tool's result, if so.
    pub unreadable: Option<Unreadable>,
}

/// The text of a denial where something failed.
pub const CANNOT_JUDGE: &str = "denied: snaphook could not evaluate this call";

/// The state that all events of a process share.
pub struct Service<'a> {
    /// The process.
    pub env: &'a ProcessEnv,
    /// The choices of the process's command line.
    pub choice: &'a Choice,
    /// The agent whose events it answers.
    pub agent: &'static dyn Agent,
    /// The log.
    pub log: Log,
    /// The hosts.
    pub hosts: HostCache,
    /// The work at the start of an agent's session that hooks have no part in. Default: none.
    pub at_start: Option<&'a dyn AtStart>,
}

/// Work at the start of an agent's session.
pub trait AtStart: Sync {
    /// Does it, and gives the line for the log, where there is something to say.
    fn started<'a>(&'a self, directories: &'a Directories, host: &'a Host) -> BoxFuture<'a, Option<String>>;
}

/// An answer, not yet given.
pub struct Answered {
    /// The answer in the agent's form.
    pub reply: Reply,
    /// The thing that the same event in another form waits for; kept once the answer was given.
    pub claim: Option<Claim>,
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Answered { reply, claim: None }
    }
}

impl Service<'_> {
    /// Reads a payload. `native` is the event as the caller names it. Where it is not for hooks, gives the answer at once.
    pub fn read(
        &self,
        native: Option<&str>,
        payload: Result<Map<String, Value>, Torn>,
        standby: &Standby,
    ) -> Result<ReadEvent, Reply> {
        let row = self.named(native).filter(|row| is_result(row));
        let read = match (payload, row) {
            (Err(torn), Some(row)) => {
                self.log.line(&format!("{}: {}", row.native, torn.reason));
                self.torn(row, torn)
            }
            (Err(torn), None) => return self.plainly(native, Err(torn), standby),
            (Ok(payload), Some(row)) => match self.plainly(native, Ok(payload.clone()), standby) {
                // The payload has an unknown form: hooks cannot look at it.
                Err(_) if !self.reads(native, &payload) => {
                    self.torn(row, Torn { rest: payload, ..Torn::whole(Unreadable::Form, "") })
                }
                read => return read,
            },
            (Ok(payload), None) => return self.plainly(native, Ok(payload), standby),
        };
        standby.came(&read.incoming);
        Ok(read)
    }

    /// Returns whether the agent's own reader takes a payload, or takes it for another event, which is no torn result.
    fn reads(&self, native: Option<&str>, payload: &Map<String, Value>) -> bool {
        !matches!(read(self.agent, native, payload, &|name| self.env.text(name)), Err(Refused::Unreadable(_)))
    }

    /// Says which file of a call is not there, where the agent would take another one for it.
    fn elsewhere(&self, incoming: &Incoming) -> Option<String> {
        let sender = incoming.origin.sender.and_then(snaphook_adapters::agent).unwrap_or(self.agent);
        let before = incoming.events.iter().filter(|event| !matches!(event.payload(), Payload::Result(_)));
        let base = incoming.origin.cwd.as_deref().or(self.env.cwd.as_deref())?;
        before.filter_map(Event::call).find_map(|call| {
            let paths = sender.searched(call);
            let is_there = paths.iter().any(|path| base.join(&**path).exists());
            let first = paths.first().filter(|_| !is_there)?;
            let title = sender.title();
            Some(format!("there is no file {first:?}, and {title} would take another one for it; name it by its whole path"))
        })
    }

    /// Returns what is known of an event about a result that cannot be read: the call, where it is in what is
    /// left.
    fn torn(&self, row: &'static Row, torn: Torn) -> ReadEvent {
        let Torn { why, rest, .. } = torn;
        let incoming = match read(self.agent, Some(row.native), &rest, &|name| self.env.text(name)) {
            Ok(incoming) if incoming.native == row.native => incoming,
            _ => Incoming {
                native: row.native.to_owned(),
                events: Vec::new(),
                origin: Default::default(),
                raw: rest,
            },
        };
        ReadEvent { row, incoming: Arc::new(incoming), unreadable: Some(why) }
    }

    fn plainly(
        &self,
        native: Option<&str>,
        payload: Result<Map<String, Value>, Torn>,
        standby: &Standby,
    ) -> Result<ReadEvent, Reply> {
        let unreadable = |error: &dyn std::fmt::Display| {
            format!("{}'s payload could not be read: {error}", self.agent.title())
        };
        let payload = payload
            .map_err(|torn| self.failed(native, None, &unreadable(&torn.reason), Cause::Error, standby))?;
        let incoming = read(self.agent, native, &payload, &|name| self.env.text(name)).map_err(|error| {
            let told = match &error {
                Refused::OtherEvent { told, .. } => Some(told.as_str()),
                Refused::Unreadable(_) => payload.get("hook_event_name").and_then(Value::as_str),
            };
            // Whichever of the two can be denied: the agent waits for an answer to one of them.
            let rows = [self.named(native), self.named(told)].into_iter().flatten();
            let row = rows.min_by_key(|row| !row.is_gate());
            // An unknown event may be one that can be denied.
            let is_known = self.named(native).is_some() || matches!(error, Refused::Unreadable(_));
            let row = row.filter(|_| is_known);
            self.failed(native, row, &unreadable(&error), Cause::Error, standby)
        })?;
        if let Some(reason) = self.elsewhere(&incoming) {
            let row = self.agent.row(&incoming.native);
            return Err(self.failed(native, row, &reason, Cause::Error, standby));
        }
        let incoming = Arc::new(incoming);
        standby.came(&incoming);
        match self.agent.row(&incoming.native) {
            Some(row) => Ok(ReadEvent { row, incoming, unreadable: None }),
            None if self.named(native).is_some_and(Row::is_gate) => {
                let text = format!("the payload's event \"{}\" is unknown to snaphook", incoming.native);
                Err(self.failed(native, None, &text, Cause::Error, standby))
            }
            None => {
                self.log.line(&format!("the event {} is unknown", incoming.native));
                Err(self.agent.nothing(Some(&incoming.native)))
            }
        }
    }

    /// Work that may panic.
    pub fn guarded<T>(
        &self,
        native: Option<&str>,
        standby: &Standby,
        work: impl FnOnce() -> T,
    ) -> Result<T, Reply> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            self.failed(native, None, &format!("snaphook itself failed: {text}"), Cause::Panic, standby)
        })
    }

    /// Returns what is answered when something failed: a denial, unless the event is known to be one that can only be
    /// observed; of what a tool said, what stands by.
    pub fn failed(
        &self,
        native: Option<&str>,
        row: Option<&Row>,
        reason: &str,
        cause: Cause,
        standby: &Standby,
    ) -> Reply {
        self.log.line(reason);
        let row = row.or_else(|| self.named(native));
        match row {
            Some(row) if !row.is_gate() => {
                let reply = standby.reply(self.agent, row, cause);
                reply.unwrap_or_else(|| self.agent.nothing(Some(row.native)))
            }
            row => {
                let native = row.map(|row| row.native).or(native);
                let reason = format!(
                    "{reason}\n{CANNOT_JUDGE}. The person can see more with `snaphook doctor {}`.",
                    self.agent.id()
                );
                self.agent.deny(native, &reason)
            }
        }
    }

    /// The row of an event by the agent's name.
    pub fn named(&self, native: Option<&str>) -> Option<&'static Row> {
        native.and_then(|native| self.agent.row(native))
    }
}
