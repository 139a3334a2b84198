//! `snaphook doctor`: whether agents really ask snaphook, and whether it answers. `settings` checks the settings of an agent, `switches`
//! what there switches hooks off, `canary` runs the registered command, `servers` checks lists of MCP servers, `prerequisites` what is
//! the same for all agents. `coverage` compares a transcript with the audit. Nothing here changes anything: calls are tried in a copy of
//! the state folder.

mod canary;
mod coverage;
mod prerequisites;
mod servers;
mod settings;
mod switches;
mod transcript;

use snaphook_adapters::install::Reach;
use snaphook_adapters::{AGENTS, Agent};

pub use coverage::{CoverageError, CoverageReport, coverage};
pub use prerequisites::Prerequisites;
pub use transcript::TranscriptCall;

use crate::doctor::settings::AgentSettings;
use crate::install::{SettingsTarget, agent_names};

/// One thing that was checked.
#[derive(Debug, Clone)]
pub struct Check {
    /// The agent and its file, or the part of snaphook.
    pub about: String,
    /// The finding.
    pub finding: String,
    /// The verdict.
    pub verdict: CheckVerdict,
}

/// The verdict of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// Nothing is wrong.
    Fine,
    /// Nothing is wrong, but a person may want to know.
    Note,
    /// Something is wrong. The text says what to do.
    Wrong(String),
}

impl Check {
    /// A check that found nothing wrong.
    pub fn fine(about: &str, finding: impl Into<String>) -> Self {
        Check { about: about.to_owned(), finding: finding.into(), verdict: CheckVerdict::Fine }
    }

    /// A check that found something that a person may want to know.
    pub fn note(about: &str, finding: impl Into<String>) -> Self {
        Check { about: about.to_owned(), finding: finding.into(), verdict: CheckVerdict::Note }
    }

    /// A check that found something wrong, with what to do.
    pub fn wrong(about: &str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        let verdict = CheckVerdict::Wrong(remedy.into());
        Check { about: about.to_owned(), finding: finding.into(), verdict }
    }

    /// Returns whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self.verdict, CheckVerdict::Wrong(_))
    }
}

/// Checks all agents whose settings mention snaphook, or the one that is named.
pub async fn doctor(prerequisites: &Prerequisites<'_>, named: Option<&'static dyn Agent>) -> Vec<Check> {
    let Prerequisites { directories, vars, program, .. } = *prerequisites;
    let agents: Vec<&'static dyn Agent> = named.map_or_else(|| AGENTS.to_vec(), |agent| vec![agent]);
    let mut checks = Vec::new();
    let mut installed = 0;
    for agent in agents {
        let targets = [Reach::User, Reach::Project].map(|reach| SettingsTarget {
            directories,
            vars,
            program,
            agent,
            reach,
        });
        let (found, mut by_hand) = settings::find(&targets);
        let here = found.iter().filter(|found| found.mentions).count();
        installed += here;
        for found in found.iter().filter(|found| found.mentions) {
            checks.append(&mut settings::checks(found, prerequisites).await);
        }
        if here > 1 {
            let text = "it is set up twice, in your settings and the project's, so it asks twice about the same call";
            checks.push(Check::note(agent.id(), text));
        }
        if named.is_some() && here == 0 {
            checks.append(&mut by_hand);
            if checks.is_empty() {
                checks.push(not_set_up(agent, &found));
            } else {
                // The person who put it in by hand needs to know whether it would answer.
                checks.append(&mut settings::by_hand(&targets[0], prerequisites).await);
                installed += 1;
            }
        }
    }
    let mut servers = if named.is_none() { servers::checks(directories, program) } else { Vec::new() };
    if installed == 0 && named.is_none() && servers.is_empty() {
        let remedy = format!("snaphook install AGENT, where AGENT is one of {}", agent_names());
        checks.push(Check::wrong("agents", "no agent's settings mention snaphook, so none asks it", remedy));
    }
    let mut all = prerequisites.checks();
    all.append(&mut checks);
    all.append(&mut servers);
    all
}

/// The agent was named, and is not set up.
fn not_set_up(agent: &dyn Agent, found: &[AgentSettings<'_>]) -> Check {
    let files: Vec<String> = found.iter().map(AgentSettings::file).collect();
    let text = format!("does not ask snaphook: no entry of snaphook in {}", files.join(", "));
    Check::wrong(agent.id(), text, format!("snaphook install {}", agent.id()))
}
