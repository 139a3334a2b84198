//! `snaphook audit verify`: whether every line is as it was written, and whether lines that were noted elsewhere, or by the heads, are still
//! there.
//! The verifying itself is the library's.
//!
//! An earlier output, as text or as JSON, says of which session each of its lines is: with `--session` those of others are left
//! out.

use serde_json::{Value, json};
use snaphook_audit::{AuditLog, BadLine, Verified, VerifiedHeads, VerifiedLog};
use snaphook_state::plain_fs;

use super::{absent, text, unreadable};
use crate::args::VerifyArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};

/// The beginning of a hash, and how long it is with that.
const ALGORITHM: &str = "sha256:";
const HASH: usize = ALGORITHM.len() + 64;

/// The longest file with hashes, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Runs the command.
pub(super) fn verify(env: &Env, log: &AuditLog, args: &VerifyArgs) -> Result<Exit, Failure> {
    let expected = expected(env, &args.expect, args.session.as_deref())?;
    let name = args.session.as_deref().map(AuditLog::name_of);
    let verified = log.verify_all(name.as_deref(), &expected).map_err(|error| unreadable(log, &error))?;
    let VerifiedLog { heads, sessions } = verified;
    if let Some(session) = args.session.as_deref().filter(|_| sessions.is_empty()) {
        return Err(absent(log, session));
    }
    let found = |hash: &String| {
        let in_sessions = sessions.iter().any(|(_, it)| it.found.iter().any(|(_, found)| found == hash));
        in_sessions || heads.found.contains(hash)
    };
    let mut missing: Vec<&String> = expected.iter().filter(|hash| !found(hash)).collect();
    // A hash alone does not say whose it is.
    if name.is_some() && !missing.is_empty() {
        let all = log.verify_all(None, &expected).map_err(|error| unreadable(log, &error))?.sessions;
        missing.retain(|hash| !all.iter().any(|(_, it)| it.found.iter().any(|(_, found)| found == *hash)));
    }
    let holds = missing.is_empty()
        && heads.bad.is_none()
        && sessions.iter().all(|(_, verified)| verified.bad.is_none());
    if args.json {
        print::json(&json!({
            "holds": holds,
            "missing": missing,
            "heads": heads_document(&heads),
            "sessions": sessions.iter().map(|(name, verified)| document(name, verified)).collect::<Vec<_>>(),
        }));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        if sessions.is_empty() {
            print::stdout(&format!("nothing in {}\n", print::brief(&log.dir().display().to_string(), 500)));
        }
        print::stdout(&text::heads(paint, log, &heads));
        for (name, verified) in &sessions {
            print::stdout(&text::verified(paint, name, log, verified));
        }
        for hash in missing {
            print::stdout(&text::missing(paint, hash));
        }
    }
    Ok(if holds { Exit::Fine } else { Exit::Failed })
}

fn line((seq, hash): &(u64, String)) -> Value {
    json!({ "seq": seq, "hash": hash })
}

fn bad(bad: &BadLine) -> Value {
    json!({ "file": bad.file, "line": bad.line, "why": bad.why })
}

fn heads_document(heads: &VerifiedHeads) -> Value {
    json!({
        "lines": heads.lines,
        "last": heads.last.as_ref().map(line),
        "found": heads.found,
        "notes": heads.notes,
        "bad": heads.bad.as_ref().map(bad),
    })
}

fn document(name: &str, verified: &Verified) -> Value {
    json!({
        "session": verified.session.as_deref().unwrap_or(name),
        "lines": verified.lines,
        "files": verified.files,
        "last": verified.last.as_ref().map(line),
        "found": verified.found.iter().map(line).collect::<Vec<_>>(),
        "notes": verified.notes,
        "bad": verified.bad.as_ref().map(bad),
    })
}

/// The hashes that have to be there, each once: named themselves, or in a file; without those of other sessions than the one
/// that is meant.
fn expected(env: &Env, named: &[String], session: Option<&str>) -> Result<Vec<String>, Failure> {
    let mut expected: Vec<String> = Vec::new();
    for text in named {
        if !text.starts_with(ALGORITHM) {
            expected.extend(of_file(env, text, session)?);
        } else if hashes(text).next() == Some(text) {
            expected.push(text.clone());
        } else {
            let text = print::brief(text, 100);
            let wanted = "sha256: and 64 digits from 0-9 and a-f";
            return Err(Failure::Usage(format!("--expect {text} is no hash: {wanted}")));
        }
    }
    expected.sort_unstable();
    expected.dedup();
    Ok(expected)
}

fn of_file(env: &Env, path: &str, session: Option<&str>) -> Result<Vec<String>, Failure> {
    let whole = env.cwd.as_deref().map_or_else(|| path.into(), |cwd| cwd.join(path));
    let bytes = plain_fs::read(&whole, MAX_BYTES).map_err(|error| {
        Failure::Usage(format!("--expect {path}: {error} (name a hash, sha256:…, or a file with hashes)"))
    })?;
    let text = String::from_utf8_lossy(&bytes);
    if hashes(&text).next().is_none() {
        // Nothing to look for would pass for whatever is there.
        return Err(Failure::Usage(format!(
            "--expect {path}: there is no hash in it (sha256: and 64 digits)"
        )));
    }
    let found: Vec<String> = match session {
        None => hashes(&text).map(str::to_owned).collect(),
        Some(session) => of_session(&text, session),
    };
    match (found.is_empty(), session) {
        (true, Some(session)) => {
            let session = print::brief(session, 100);
            Err(Failure::Usage(format!(
                "--expect {path}: there is no hash of the session \"{session}\" in it"
            )))
        }
        _ => Ok(found),
    }
}

/// The hashes in an earlier output without those that it says are another session's.
fn of_session(text: &str, session: &str) -> Vec<String> {
    let strings = |text: &str| hashes(text).map(str::to_owned).collect::<Vec<_>>();
    if let Ok(Value::Object(document)) = serde_json::from_str::<Value>(text)
        && let Some(sessions) = document.get("sessions").and_then(Value::as_array)
    {
        let own = sessions.iter().filter(|one| one["session"] == session);
        let heads = document.get("heads").into_iter();
        return heads.chain(own).flat_map(|part| strings(&part.to_string())).collect();
    }
    let named = [" the heads".to_owned(), format!(" {}", print::brief(session, 100))];
    let mut is_meant = true;
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            let begins = line.strip_prefix("holds ").or_else(|| line.strip_prefix("BROKEN"));
            // Anything else stands for itself.
            is_meant = begins.is_none_or(|rest| {
                named
                    .iter()
                    .any(|name| rest.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(": ")))
            });
        }
        if is_meant {
            found.extend(strings(line));
        }
    }
    found
}

/// The hashes in a text.
fn hashes(text: &str) -> impl Iterator<Item = &str> {
    let digits =
        |hash: &&str| hash[ALGORITHM.len()..].bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let whole = |at: usize| text.as_bytes().get(at + HASH).is_none_or(|next| !next.is_ascii_alphanumeric());
    let at = text.match_indices(ALGORITHM).map(|(at, _)| at).filter(move |at| whole(*at));
    at.filter_map(move |at| text.get(at..at + HASH)).filter(digits)
}
