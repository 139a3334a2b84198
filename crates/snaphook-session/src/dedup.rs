//! The same event, told twice: an agent that runs its own hooks and those of Claude Code asks us in two forms about one call. Who
//! is first lets hooks decide; who comes second waits for that, and says it again in its own form. See [`claim`] for what holds.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use snaphook::{Event, Outcome, Payload, Ruling};
use snaphook_adapters::{Incoming, Row, borrows};
use snaphook_discovery::hex;
use snaphook_state::{Document, plain_fs, private_fs};

use crate::folder::{Locked, SessionFolder};
use crate::log::Log;

/// The time after an answer in which the other form of the same event may come. Agents run their hooks at once, or
/// one after the other.
const DEDUP_WINDOW: Duration = Duration::from_secs(10);

/// The time that a claim is remembered whose event has no answer.
const CLAIM_TTL: Duration = Duration::from_secs(60);

/// The most of an answer that is kept, in bytes. A longer one is not repeated: the second form lets hooks decide itself.
const MAX_KEPT: usize = 1 << 20;

const INDEX: &str = "once.json";
const FOLDER: &str = "once";

/// The one who decides.
pub(crate) enum Turn {
    /// Hooks. Others wait for the claim, where there may be others.
    First(Option<Claim>),
    /// They have decided already: this is to be said again.
    Repeat(Outcome),
}

/// The right to decide about one event. While it is held others wait; dropped, or with its process gone, it is worth nothing, and
/// they decide themselves.
pub struct Claim {
    verdict: PathBuf,
    says: Option<Value>,
    /// Holds the lock.
    _held: File,
}

impl Claim {
    /// Sets what is going to be said.
    pub(crate) fn with(mut self, outcome: &Outcome) -> Self {
        self.says = Some(kept(outcome)).filter(|says| says.to_string().len() <= MAX_KEPT);
        self
    }

    /// It was said: from now on others may say it again. Not before, so that no process relies on an answer that was never given.
    pub fn publish_verdict(self) {
        if let Some(says) = &self.says {
            // Without it the others decide themselves.
            let _ = verdict_document(&self.verdict).replace_json(says);
        }
    }
}

/// Claims an event, or waits for the process that has.
///
/// An event is known again by who really sent it, its session, its name, and for calls id, tool and input, else all it carries.
/// Each claim notes the forms in which the event came. A form joins the newest claim that it is not in yet, if that has no answer yet, or
/// one of the last ten seconds; else it makes a claim of its own. So the same form twice is two events, both decided by hooks,
/// and of two events that both come in both forms each is decided at least once: claims that can be joined all lack the same form.
/// Not held: an agent that leaves out one form of an event and the other form of the next one, with the same input and id within
/// ten seconds, gets one decision for the two.
///
/// Whatever goes wrong here, hooks decide.
pub(crate) fn claim(
    session: &SessionFolder,
    form: &str,
    sender: &str,
    row: &Row,
    incoming: &Incoming,
    log: &Log,
) -> Turn {
    if !borrows(sender) {
        return Turn::First(None);
    }
    let done = session.locked().map(|locked| locked.and_then(|locked| enter(&locked, form, incoming)));
    match done {
        None => Turn::First(None),
        Some(Ok(Entered::First(claim))) => Turn::First(Some(claim)),
        Some(Ok(Entered::Second { held, verdict })) => {
            // Half of the time is left for hooks.
            let said = wait(held, row.limit / 2).and_then(|()| read_verdict(&verdict));
            said.map_or(Turn::First(None), Turn::Repeat)
        }
        Some(Err(error)) => {
            log.line(&format!("the session's folder: {error}"));
            Turn::First(None)
        }
    }
}

enum Entered {
    First(Claim),
    Second { held: File, verdict: PathBuf },
}

/// Finds the claim to join, or makes one. The folder's lock is held.
fn enter(locked: &Locked<'_>, form: &str, incoming: &Incoming) -> std::io::Result<Entered> {
    let folder = locked.folder().join(FOLDER);
    let mut index: Value = locked.read(INDEX)?;
    let mut claims: Vec<Value> = index["claims"].as_array().cloned().unwrap_or_default();
    claims.retain(|claim| {
        let known = file_of(&folder, claim);
        let kept = known.as_deref().is_some_and(|known| !is_over(known));
        if let Some(known) = known.filter(|_| !kept) {
            let _ = std::fs::remove_file(known.with_extension("json"));
            let _ = std::fs::remove_file(known);
        }
        kept
    });
    let key = key(incoming);
    let has =
        |claim: &Value| claim["forms"].as_array().is_some_and(|forms| forms.iter().any(|one| one == form));
    let mut place = None;
    for claim in claims.iter_mut().rev().filter(|claim| claim["key"] == key.as_str() && !has(claim)) {
        let Some(known) = file_of(&folder, claim) else { continue };
        let Ok(held) = plain_fs::open(&known) else { continue };
        if let Some(forms) = claim["forms"].as_array_mut() {
            forms.push(form.into());
        }
        place = Some(Entered::Second { held, verdict: known.with_extension("json") });
        break;
    }
    let place = match place {
        Some(place) => place,
        None => {
            let number = index["next"].as_u64().unwrap_or_default();
            let made = make(&folder, number)?;
            index["next"] = (number + 1).into();
            claims.push(json!({"key": key, "file": number.to_string(), "forms": [form]}));
            made
        }
    };
    index["claims"] = claims.into();
    locked.write(INDEX, &index)?;
    Ok(place)
}

/// A claim of this process, locked before others can see it.
fn make(folder: &Path, number: u64) -> std::io::Result<Entered> {
    private_fs::make_dir(folder)?;
    let file = folder.join(number.to_string());
    let verdict = file.with_extension("json");
    // Of a claim whose index was lost.
    match std::fs::remove_file(&verdict) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let held = private_fs::options().write(true).create(true).truncate(true).open(&file)?;
    match held.try_lock() {
        Ok(()) => Ok(Entered::First(Claim { verdict, says: None, _held: held })),
        Err(TryLockError::Error(error)) => Err(error),
        Err(TryLockError::WouldBlock) => Err(std::io::Error::other("another process holds an unknown claim")),
    }
}

/// The file of a claim; its name is a number.
fn file_of(folder: &Path, claim: &Value) -> Option<PathBuf> {
    let name =
        claim["file"].as_str().filter(|name| !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit()))?;
    Some(folder.join(name))
}

/// Returns whether the claim is over: its answer is too old, or it was given up.
fn is_over(file: &Path) -> bool {
    let age = |path: &Path| {
        let changed = std::fs::metadata(path).and_then(|known| known.modified()).ok()?;
        // A clock that was set back makes nothing old.
        Some(SystemTime::now().duration_since(changed).unwrap_or_default())
    };
    match age(&file.with_extension("json")) {
        Some(age) => age > DEDUP_WINDOW,
        None => age(file).is_none_or(|age| age > CLAIM_TTL) && !is_held(file),
    }
}

fn is_held(file: &Path) -> bool {
    let locked = plain_fs::open(file).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// Waits until the claim is given up, by its holder or because its process is gone. `None` after `limit`.
fn wait(held: File, limit: Duration) -> Option<()> {
    match held.try_lock_shared() {
        Ok(()) => return Some(()),
        Err(TryLockError::Error(_)) => return None,
        Err(TryLockError::WouldBlock) => {}
    }
    let (done, wait) = channel();
    let waiter = std::thread::Builder::new().name("claim".to_owned());
    waiter.spawn(move || done.send(held.lock_shared().is_ok())).ok()?;
    wait.recv_timeout(limit).ok()?.then_some(())
}

/// Returns what makes two payloads one event.
fn key(incoming: &Incoming) -> String {
    let mut digest = Sha256::new();
    for event in &incoming.events {
        for part in parts(event) {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    hex(&digest.finalize()[..16])
}

fn parts(event: &Event) -> Vec<String> {
    let mut parts = vec![event.name().as_str().to_owned(), event.subject().to_string()];
    if let Payload::Result(result) = event.payload() {
        parts.push(result.call.input.to_string());
    }
    if let Some(call) = event.call() {
        parts.extend([call.id.to_string(), call.tool.to_string()]);
    }
    parts
}

/// Of what was said, what the second form says as well: the ruling and the input, no texts and no result.
fn kept(outcome: &Outcome) -> Value {
    let (ruling, reason) = match &outcome.ruling {
        Ruling::Nothing => ("nothing", None),
        Ruling::Allow => ("allow", None),
        Ruling::Ask(question) => ("ask", Some(question)),
        Ruling::Deny(reason) => ("deny", Some(reason)),
    };
    json!({"ruling": ruling, "reason": reason, "input": outcome.input, "stop": outcome.stop})
}

fn verdict_document(verdict: &Path) -> Document {
    Document::new(verdict, MAX_KEPT as u64)
}

fn read_verdict(verdict: &Path) -> Option<Outcome> {
    let mut kept: Value = verdict_document(verdict).read_json().ok()??;
    let reason = kept["reason"].as_str().unwrap_or_default().to_owned();
    let ruling = match kept["ruling"].as_str()? {
        "nothing" => Ruling::Nothing,
        "allow" => Ruling::Allow,
        "ask" => Ruling::Ask(reason),
        "deny" => Ruling::Deny(reason),
        _ => return None,
    };
    let input = Some(kept["input"].take()).filter(|input| !input.is_null());
    Some(Outcome { ruling, input, stop: kept["stop"] == true, ..Outcome::default() })
}
