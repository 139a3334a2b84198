//! The command line of `snaphook hook`.

use std::path::PathBuf;

use snaphook_adapters::install::SEALED;
use snaphook_session::Choice;

use crate::arg_values::DefaultArg;
use crate::compat::CompatArgs;
use crate::trust::args::PinArgs;

/// Answer one event of an agent (the command that agents call)
///
/// Reads the agent's JSON from stdin, runs the hooks for the event, and answers in the agent's own format and exit
/// codes. Any failure on an event that can be denied is a denial. `snaphook install AGENT` writes this command into
/// the agent's settings.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct HookArgs {
    /// The agent: claude-code, codex, gemini, cursor, copilot, opencode, … (`snaphook hook --agents` lists them)
    #[arg(value_name = "AGENT", required_unless_present = "agents")]
    pub(crate) agent: Option<String>,

    /// The event, by the agent's own name. A payload with another event name is denied
    #[arg(value_name = "EVENT")]
    pub(crate) event: Option<String>,

    /// Exit with 219 for an answer and 220 for a refusal instead of 0 and 2. The command line that `snaphook install`
    /// writes uses it to tell snaphook's answer from that of another program in its place
    #[arg(long)]
    pub(crate) sealed: bool,

    /// List the agents, their events, and the effects that an answer can have
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

/// Serve events to an agent plugin over stdio
///
/// Reads one JSON document a line, `{"id": 1, "event": "tool.execute.before", "payload": {…}}`, and writes `{"id": 1,
/// "reply": {…}}` as soon as each answer is ready. Reads hooks, settings and trust again for each event. Ends when
/// stdin is closed. `snaphook install opencode` writes the plugin that calls it.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Use stdin and stdout
    #[arg(long, required = true)]
    pub(crate) stdio: bool,

    /// The agent: opencode, … (`snaphook hook --agents` lists them)
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: String,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
}

/// The hooks that decide, and the default rule.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ChoiceArgs {
    /// Also load this hook file or folder of hooks; can be repeated
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// Decision when no hook explicitly allows a call; overrides your config.toml, while a project's config.toml can
    /// still be stricter [default: allow]
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
