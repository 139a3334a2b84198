//! `snaphook doctor`: whether agents really ask snaphook, and whether it answers. What stands in an agent's settings is looked at in
//! `settings`, what there switches hooks off in `switches`; it is run in `canary`, lists of MCP servers in `servers`; hooks and folders,
//! which are the same for all, in `ground`. `coverage` holds a transcript against the audit. Nothing here changes anything: calls are
//! tried in a copy of the state folder.

pub(crate) mod args;
mod canary;
mod coverage;
mod ground;
mod servers;
mod settings;
mod switches;
mod transcript;

use serde_json::{Value, json};
use snaphook_adapters::install::Reach;
use snaphook_adapters::{AGENTS, Agent};
use tokio::runtime::Runtime;

use crate::doctor::args::DoctorArgs;
use crate::doctor::settings::Found;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::install::place::Place;
use crate::install::{known, names};
use crate::out::{self, Paint};
use crate::wiring;

/// One thing that was looked at.
struct Check {
    /// The agent and its file, or what of snaphook it is about.
    about: String,
    what: String,
    outcome: Outcome,
}

enum Outcome {
    Fine,
    /// Not wrong, but a person may want to know.
    Note,
    /// With what helps.
    Wrong(String),
}

impl Check {
    fn fine(about: &str, what: impl Into<String>) -> Self {
        Check { about: about.to_owned(), what: what.into(), outcome: Outcome::Fine }
    }

    fn note(about: &str, what: impl Into<String>) -> Self {
        Check { about: about.to_owned(), what: what.into(), outcome: Outcome::Note }
    }

    fn wrong(about: &str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Check { about: about.to_owned(), what: what.into(), outcome: Outcome::Wrong(remedy.into()) }
    }

    fn is_wrong(&self) -> bool {
        matches!(self.outcome, Outcome::Wrong(_))
    }

    fn text(&self, paint: Paint) -> String {
        let (about, what) = (out::brief(&self.about, 400), out::brief(&self.what, 600));
        match &self.outcome {
            Outcome::Fine => format!("{}    {about}: {what}\n", paint.green("ok")),
            Outcome::Note => format!("{}  {about}: {what}\n", paint.yellow("note")),
            Outcome::Wrong(remedy) => {
                format!("{} {about}: {what} → {}\n", paint.red("wrong"), out::brief(remedy, 400))
            }
        }
    }

    fn document(&self) -> Value {
        let (outcome, remedy) = match &self.outcome {
            Outcome::Fine => ("ok", None),
            Outcome::Note => ("note", None),
            Outcome::Wrong(remedy) => ("wrong", Some(remedy)),
        };
        json!({"about": self.about, "outcome": outcome, "what": self.what, "remedy": remedy})
    }
}

/// Runs the command.
pub(crate) fn doctor(env: &Env, args: &DoctorArgs, runtime: &Runtime) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    if let Some(transcript) = &args.coverage {
        return coverage::coverage(env, &directories, transcript, args.json);
    }
    let named = args.agent.as_deref().map(known).transpose()?;
    let agents: Vec<&'static dyn Agent> = named.map_or_else(|| AGENTS.to_vec(), |agent| vec![agent]);
    let ground = ground::Ground::of(env, &directories)?;
    let mut checks = Vec::new();
    let mut installed = 0;
    for agent in agents {
        let places =
            [Reach::User, Reach::Project].map(|reach| Place { env, directories: &directories, agent, reach });
        let (found, mut by_hand) = settings::found(&places);
        let here = found.iter().filter(|found| found.mentions).count();
        installed += here;
        for found in found.iter().filter(|found| found.mentions) {
            checks.append(&mut settings::checks(found, &ground, runtime));
        }
        if here > 1 {
            let text = "it is set up twice, in your settings and the project's, so it asks twice about the same call";
            checks.push(Check::note(agent.id(), text));
        }
        if named.is_some() && here == 0 {
            checks.append(&mut by_hand);
            if checks.is_empty() {
                checks.push(nowhere(agent, &found));
            } else {
                // Whoever put it in by hand wants to know whether it would answer.
                checks.append(&mut settings::by_hand(&places[0], &ground, runtime));
                installed += 1;
            }
        }
    }
    let mut servers = if named.is_none() { servers::checks(env, &directories)? } else { Vec::new() };
    if installed == 0 && named.is_none() && servers.is_empty() {
        let remedy = format!("snaphook install AGENT, where AGENT is {}", names());
        checks.push(Check::wrong("agents", "no agent's settings mention snaphook, so none asks it", remedy));
    }
    let mut all = ground.checks();
    all.append(&mut checks);
    all.append(&mut servers);
    tell(env, &all, args.json);
    Ok(if all.iter().any(Check::is_wrong) { Exit::Failed } else { Exit::Fine })
}

/// The agent was asked for, and is not set up.
fn nowhere(agent: &dyn Agent, found: &[Found<'_>]) -> Check {
    let files: Vec<String> = found.iter().map(Found::file).collect();
    let text = format!("does not ask snaphook: nothing of it in {}", files.join(", "));
    Check::wrong(agent.id(), text, format!("snaphook install {}", agent.id()))
}

fn tell(env: &Env, checks: &[Check], as_json: bool) {
    if as_json {
        let fine = !checks.iter().any(Check::is_wrong);
        let checks: Vec<_> = checks.iter().map(Check::document).collect();
        out::print_json(&json!({"ok": fine, "checks": checks}));
        return;
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    out::print(&checks.iter().map(|check| check.text(paint)).collect::<String>());
}
