//! A call that is only tried: the command of an agent's settings, run as the agent runs it.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::Value;
use snaphook_adapters::install::DID_NOT_RUN;
use snaphook_adapters::{Agent, Reply, Row, variables};
use snaphook_command::process::{self, Output, Request, StartError};

use crate::doctor::Check;
use crate::doctor::prerequisites::Prerequisites;

/// The time that an answer may take, however long the agent would wait.
const CANARY_TIMEOUT: Duration = Duration::from_secs(60);

/// The event that is tried.
pub(super) struct Canary<'a> {
    pub(super) agent: &'static dyn Agent,
    pub(super) row: &'static Row,
    pub(super) payload: Value,
    /// For a POSIX shell.
    pub(super) command: String,
    pub(super) about: &'a str,
    pub(super) install: &'a str,
}

/// Tries a harmless call, and one that cannot be read.
pub(super) async fn checks(canary: &Canary<'_>, prerequisites: &Prerequisites<'_>) -> Vec<Check> {
    let Canary { agent, row, about, install, .. } = canary;
    let before = prerequisites.last_line();
    let began = Instant::now();
    let output = match run(canary, &canary.payload.to_string(), prerequisites).await {
        Ok(output) => output,
        Err(error) => return vec![does_not_start(canary, &error)],
    };
    let took = began.elapsed().as_millis();
    let mut checks = vec![answer(canary, &output, took, prerequisites.not_evaluated)];
    if checks.iter().any(Check::is_wrong) {
        return checks;
    }
    if before.is_some() {
        let line = prerequisites.last_line();
        let failed = line.as_deref().and_then(failure);
        checks.push(match failed {
            _ if line == before => Check::wrong(
                about,
                "the audit has no line about the call that was tried",
                "see which program the command of the settings starts, and whether it sets SNAPHOOK_STATE_DIR",
            ),
            Some(text) => {
                Check::wrong(about, format!("a hook fails at a harmless call: {text}"), "fix the hook")
            }
            None => Check::fine(about, "the audit has the call"),
        });
    }
    checks.push(match run(canary, "{", prerequisites).await {
        Ok(output) if denial(*agent, row.native, &output).is_some() => {
            Check::fine(about, "a payload that cannot be read is denied")
        }
        Ok(output) => {
            let text = format!("a payload that cannot be read is not denied: {}", summary(&output));
            Check::wrong(about, text, *install)
        }
        Err(error) => does_not_start(canary, &error),
    });
    checks
}

fn does_not_start(canary: &Canary<'_>, error: &StartError) -> Check {
    Check::wrong(canary.about, format!("the shell does not start: {error}"), canary.install)
}

/// Checks the answer to the harmless call.
fn answer(canary: &Canary<'_>, output: &Output, took: u128, not_evaluated: &str) -> Check {
    let Canary { agent, row, about, install, .. } = canary;
    let printed = format!("{}{}", output.stdout, output.stderr);
    if output.timed_out() {
        let text = format!("no answer to a harmless call within {} s", time_limit(row).as_secs_f64());
        return Check::wrong(about, text, "look at the hooks that are slow: `snaphook audit stats`");
    }
    if printed.contains(DID_NOT_RUN) {
        return Check::wrong(about, format!("the command does not work: {}", summary(output)), *install);
    }
    if printed.contains(not_evaluated) {
        let text = format!("a harmless call could not be evaluated: {}", summary(output));
        return Check::wrong(about, text, "fix that; see hook.log in the state folder");
    }
    if let Some(reason) = denial(*agent, row.native, output) {
        return Check::fine(
            about,
            format!("answers in {took} ms; the hooks deny `true`: {}", first_line(&reason)),
        );
    }
    let document = output.stdout.trim();
    let reads =
        document.is_empty() || serde_json::from_str::<Value>(document).is_ok_and(|value| value.is_object());
    if output.code() == Some(0) && reads {
        Check::fine(about, format!("answers in {took} ms"))
    } else {
        let text = format!(
            "the command {} with output that {} cannot read: {}",
            output.outcome,
            agent.title(),
            summary(output)
        );
        Check::wrong(about, text, *install)
    }
}

/// The first reason of a decision that is a failure and no policy.
fn failure(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    let reasons = line["reasons"].as_array()?;
    let failed =
        reasons.iter().find(|reason| reason["cause"].as_str().is_some_and(|cause| cause != "default"))?;
    let text = |name: &str| failed[name].as_str().unwrap_or_default().to_owned();
    Some(format!("{} ({})", text("text"), text("cause")))
}

fn time_limit(row: &Row) -> Duration {
    row.limit.min(CANARY_TIMEOUT)
}

async fn run(
    canary: &Canary<'_>,
    stdin: &str,
    prerequisites: &Prerequisites<'_>,
) -> Result<Output, StartError> {
    // An agent that doctor itself runs in would be taken for the sender.
    let speaks = |name: &OsString| variables().any(|variable| name == variable);
    // A call that is tried did not happen: it is kept in a copy of the state folder.
    const STATE: &str = "SNAPHOOK_STATE_DIR";
    let trial = prerequisites.trial.clone().map(|folder| (OsString::from(STATE), folder.into_os_string()));
    let own = |name: &OsString| speaks(name) || trial.is_some() && name == STATE;
    let vars = prerequisites.vars.iter().filter(|(name, _)| !own(name)).cloned();
    let request = Request {
        args: vec!["-c".into(), canary.command.clone().into()],
        env: vars.chain(trial.clone()).collect(),
        stdin: Some(stdin.as_bytes().to_vec()),
        timeout: Some(time_limit(canary.row)),
        ..Request::new("sh", &prerequisites.directories.cwd)
    };
    process::run(request).await
}

/// Returns the output in one line.
fn summary(output: &Output) -> String {
    let printed = format!("{} {}", output.stdout.trim(), output.stderr.trim());
    match printed.trim() {
        "" => format!("it {} without output", output.outcome),
        printed => first_line(printed).to_owned(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The reason, if the agent takes this for a denial: it has the form of the one of last resort.
fn denial(agent: &dyn Agent, native: &str, output: &Output) -> Option<String> {
    let Reply { stdout, stderr, code } = agent.deny(Some(native), REASON);
    if output.code() != Some(i32::from(code)) {
        return None;
    }
    let text = output.stderr.trim();
    let by_text = || (!stderr.is_empty() && !text.is_empty()).then(|| text.to_owned());
    match serde_json::from_str::<Value>(&stdout) {
        Ok(wanted) => {
            let mut reasons = Vec::new();
            let is = serde_json::from_str::<Value>(&output.stdout).ok()?;
            fits(&wanted, &is, &mut reasons).then(|| reasons.into_iter().next()).flatten()
        }
        Err(_) if output.stdout.trim() == stdout.trim() => by_text(),
        Err(_) => None,
    }
}

const REASON: &str = "the reason";

/// Returns whether a document has all of another, with any text where that one has the reason. Gives these texts.
fn fits(wanted: &Value, is: &Value, reasons: &mut Vec<String>) -> bool {
    match (wanted, is) {
        (Value::String(wanted), Value::String(is)) if wanted.contains(REASON) => {
            reasons.push(is.clone());
            !is.trim().is_empty()
        }
        (Value::Object(wanted), Value::Object(is)) => {
            wanted.iter().all(|(key, wanted)| is.get(key).is_some_and(|is| fits(wanted, is, reasons)))
        }
        (wanted, is) => wanted == is,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fits;

    #[test]
    fn a_denial_is_known_by_its_form() {
        let wanted = json!({"decision": "deny", "reason": "the reason", "more": {"text": "see: the reason"}});
        for (is, fine) in [
            (json!({"decision": "deny", "reason": "no rm", "more": {"text": "x"}, "extra": 1}), true),
            (json!({"decision": "deny", "reason": " ", "more": {"text": "x"}}), false),
            (json!({"decision": "allow", "reason": "no rm", "more": {"text": "x"}}), false),
            (json!({"decision": "deny", "reason": "no rm"}), false),
            (json!({}), false),
        ] {
            assert_eq!(fits(&wanted, &is, &mut Vec::new()), fine, "{is}");
        }
    }
}
