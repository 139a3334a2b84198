//! The command line of `snaphook hook`.

use std::path::PathBuf;

use snaphook_adapters::install::SEALED;
use snaphook_session::Choice;

use crate::args::DefaultArg;
use crate::compat::CompatArgs;
use crate::trust::args::PinArgs;

/// Answer one event of an agent: what agents call, as their command hook
///
/// Reads the agent's JSON from standard input, runs the hooks that the event is for, and answers in the agent's own form and
/// with its own exit codes. Whatever goes wrong on an event that can be denied, the answer is a denial. `snaphook install AGENT`
/// writes this command into the agent's settings.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct HookArgs {
    /// The agent: claude-code, codex, gemini, cursor, copilot, opencode, … (`snaphook hook --agents` lists them)
    #[arg(value_name = "AGENT", required_unless_present = "agents")]
    pub(crate) agent: Option<String>,

    /// The event, by the agent's own name. A payload that names another event is denied
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,

    /// End with exit code 219 for an answer and 220 for a refusal by exit code, instead of 0 and 2: how the command line that
    /// `snaphook install` writes knows that snaphook answered, and not what stands in its place
    #[arg(long)]
    pub(crate) sealed: bool,

    /// List the agents, and what an answer to each of their events can do
    #[arg(long)]
    pub(crate) agents: bool,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
}

impl HookArgs {
    /// The command line as `install` writes it, read without the parser for all the others: to set that up takes a tenth of the
    /// whole answer. `None` for any other command line.
    pub(crate) fn plain(words: &[String]) -> Option<Self> {
        let plain = |word: &String| !word.is_empty() && !word.starts_with('-');
        let (agent, event, sealed) = match words {
            [agent] => (agent, None, false),
            [agent, event] => (agent, Some(event), false),
            [agent, event, option] if option == SEALED => (agent, Some(event), true),
            _ => return None,
        };
        (plain(agent) && event.is_none_or(plain)).then(|| HookArgs {
            agent: Some(agent.clone()),
            event: event.cloned(),
            sealed,
            ..HookArgs::default()
        })
    }
}

/// Answer an agent's events for as long as it runs: what a plugin in its process starts
///
/// One JSON document a line: `{"id": 1, "event": "tool.execute.before", "payload": {…}}` comes in, `{"id": 1, "reply": {…}}` goes
/// out, in the order in which answers are ready. Hooks, settings and trust are read again for each event. It ends when standard
/// input is closed. `snaphook install opencode` writes the plugin that calls it.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Speak on standard input and output
    #[arg(long, required = true)]
    pub(crate) stdio: bool,

    /// The agent: opencode, … (`snaphook hook --agents` lists them)
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: String,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
}

/// Which hooks decide, and by what rule.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ChoiceArgs {
    /// A hook file or a folder of hooks, beside those in the usual places; may be given again
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// What becomes of a tool call that no hook explicitly allows, instead of what your config.toml says; a project's
    /// config.toml can still be stricter [default: allow]
    #[arg(long, value_name = "VERDICT", value_enum)]
    pub(crate) default: Option<DefaultArg>,

    #[command(flatten)]
    pub(crate) compat: CompatArgs,

    #[command(flatten)]
    pub(crate) pins: PinArgs,
}

impl ChoiceArgs {
    /// Returns the choices as the session takes them.
    pub(crate) fn choice(&self) -> Choice {
        Choice {
            hooks: self.hooks.clone(),
            default: self.default.map(DefaultArg::verdict),
            compat: self.compat.products().to_vec(),
            pins: self.pins.choice(),
        }
    }
}
