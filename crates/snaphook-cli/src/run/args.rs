//! The command lines of `run` and `sessions`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::arg_values::{DefaultArg, LanguageArg};
use crate::compat::{CompatArgs, ProjectArgs};
use crate::env::Env;
use crate::trial::RecordArgs;
use crate::trust::args::PinArgs;

const CODES: &str = "\
Exit codes: 0 done, 1 the agent failed, a check stayed red, or iterations came to nothing, 2 a denial ended the session, or a hook blocked the prompt, 4 a limit \
was reached, 64 usage, 70 internal error, 130 interrupted.";

/// Run an agent, or a recorded session, guarded by hooks
///
/// With a model (`--model`, or `[model]` in your config.toml) and a PROMPT, an agent works in the current folder: it has the tools
/// bash, read, write, edit, glob and grep, each call is gated by your hooks, and commands are held by the kernel. The session is kept
/// and can be gone on with (`--continue`, `--resume`, `snaphook sessions`).
///
/// At a terminal, with a model and without a PROMPT, you write the prompts: `/help` lists the session's commands.
///
/// With `--agent acp -- COMMAND` another agent works on the PROMPT, such as `opencode acp`.
///
/// With --replay, or with neither a model nor a prompt, a recorded session runs instead: its tools act in a scratch copy that is removed at the end.
/// The bundled one is guarded by the bundled examples (and by your own hooks).
#[derive(Debug, clap::Args)]
#[command(after_help = CODES)]
pub(crate) struct RunArgs {
    /// The task for the agent; `-` reads it from standard input
    #[arg(value_name = "PROMPT", conflicts_with = "replay")]
    pub(crate) prompt: Option<String>,

    /// Drive another agent in place of a model: `acp` is any that speaks the Agent Client Protocol. What it asks for passes
    /// your hooks, and its own hooks call snaphook for the session where that can be set; the rest is printed
    #[arg(
        long,
        value_name = "PROTOCOL",
        value_enum,
        requires = "command",
        conflicts_with_all = ["replay", "model", "base_url", "system", "resume", "go_on", "max_turns", "max_tokens", "max_calls", "mcp", "mcp_config"]
    )]
    pub(crate) agent: Option<AgentArg>,

    /// With --agent: the agent's program, and its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "agent")]
    pub(crate) command: Vec<OsString>,

    /// Headless for CI: nobody is asked, what no hook allows is denied, JSON Lines on standard output, no colours
    #[arg(long, conflicts_with = "replay")]
    pub(crate) ci: bool,

    /// Write a summary in Markdown to this file when the session ends (fits $GITHUB_STEP_SUMMARY)
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) summary: Option<PathBuf>,

    /// The recorded session: JSON Lines as in docs/replay.md, or a Claude Code transcript
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// Also load this hook file or folder of hooks; can be repeated
    #[arg(long = "hook", value_name = "PATH")]
    pub(crate) hooks: Vec<PathBuf>,

    /// The language of the bundled examples
    #[arg(long, value_name = "LANGUAGE", value_enum, default_value_t, conflicts_with_all = ["replay", "hooks", "prompt"])]
    pub(crate) lang: LanguageArg,

    /// Decision when no hook explicitly allows a call; overrides your config.toml, while a project's config.toml can
    /// still be stricter [default: allow; with --ci: deny]
    #[arg(long, value_name = "VERDICT", value_enum)]
    pub(crate) default: Option<DefaultArg>,

    /// The folder to work in. A recorded session runs in a scratch copy of it, with its project hooks
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Do not ask; deny what needs a person
    #[arg(long)]
    pub(crate) headless: bool,

    #[command(flatten)]
    pub(crate) compat: CompatArgs,

    #[command(flatten)]
    pub(crate) pins: PinArgs,

    #[command(flatten)]
    pub(crate) record: RecordArgs,

    /// Print JSON Lines, one document a step
    #[arg(long)]
    pub(crate) json: bool,

    // Behind the others, which would come under their headings.
    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) servers: McpServerArgs,

    #[command(flatten)]
    pub(crate) iterate: IterateArgs,
}

/// The protocol of another agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AgentArg {
    /// The Agent Client Protocol, version 1.
    Acp,
}

/// The model, and the bounds of the session.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "With a model")]
pub(crate) struct ModelArgs {
    /// The model, such as anthropic/claude-sonnet-4-6, openai/gpt-5.1, gemini/gemini-3-pro, ollama/qwen3. Keys are read from
    /// the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …) and reach no hook and no tool
    #[arg(long, value_name = "PROVIDER/NAME", conflicts_with = "replay")]
    pub(crate) model: Option<String>,

    /// Another address than the provider's, for servers that speak its protocol
    #[arg(long, value_name = "URL", conflicts_with = "replay")]
    pub(crate) base_url: Option<String>,

    /// A file with the system prompt, in place of the default one
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) system: Option<PathBuf>,

    /// Go on with a session: by its id or the beginning of it; without one with the newest of this folder
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "replay")]
    pub(crate) resume: Option<String>,

    /// Go on with the newest session of this folder
    #[arg(long = "continue", conflicts_with_all = ["replay", "resume"])]
    pub(crate) go_on: bool,

    /// End after so many answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,

    /// End after so many tokens, sent and written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,

    /// End after so many tool calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_calls: Option<u64>,

    /// End after this time: 90s, 15m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
}

/// The MCP servers whose tools the model may call.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "With a model: tools of MCP servers")]
pub(crate) struct McpServerArgs {
    /// Start this server of the project's .mcp.json, whether its entry is trusted or not; can be repeated. Servers that you trust
    /// (`snaphook trust mcp:NAME`) start without it
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    pub(crate) mcp: Vec<String>,

    /// Start all servers of this file, which is like .mcp.json; can be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) mcp_config: Vec<PathBuf>,
}

/// The loop of iterations.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Iterations: the same prompt again and again")]
pub(crate) struct IterateArgs {
    /// Give the prompt so many times, with the lifecycle file's commands before and after each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "replay")]
    pub(crate) iterations: Option<u64>,

    /// Until the agent's last words contain this text
    #[arg(long, value_name = "TEXT", requires = "iterations")]
    pub(crate) until: Option<String>,

    /// Until this command line succeeds, after an iteration
    #[arg(long, value_name = "CMD", requires = "iterations", conflicts_with = "until")]
    pub(crate) until_command: Option<String>,

    /// End when so many iterations in a row leave the same files and the same failing checks; 0 for never
    #[arg(long, value_name = "K", requires = "iterations", default_value_t = 3)]
    pub(crate) no_progress: u32,
}

impl RunArgs {
    /// Returns whether the steps are printed as JSON.
    pub(crate) fn as_json(&self) -> bool {
        self.json || self.ci
    }

    /// Returns whether nobody is asked.
    #[cfg(feature = "drive")]
    pub(crate) fn is_headless(&self) -> bool {
        self.headless || self.ci
    }
}

impl RunArgs {
    /// Returns whether a person at a terminal is to write the prompts: nothing says what is to be done, and nothing says that nobody
    /// is there.
    pub(crate) fn is_of_a_person(&self, env: &Env) -> bool {
        let elsewhere = self.replay.is_some()
            || self.prompt.is_some()
            || self.agent.is_some()
            || self.iterate.iterations.is_some()
            || self.headless
            || self.as_json();
        !elsewhere && cfg!(all(feature = "drive", unix)) && env.stdin_is_terminal && env.stdout_is_terminal
    }
}

/// List the sessions of `snaphook run` with a model
///
/// Newest first. `snaphook run --resume ID` goes on with one, `snaphook run --replay FILE` runs it anew in a scratch project.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage, 70 internal error.")]
pub(crate) struct SessionsArgs {
    /// Also those of other folders
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time that is none. Reads as the end of clap's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is a number with s, m or h, such as 90s, 15m or 2h, and not 0")]
struct NotATime;

fn duration(text: &str) -> Result<Duration, NotATime> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let seconds = match unit {
        "s" | "" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(NotATime),
    };
    let number: u64 = number.parse().map_err(|_| NotATime)?;
    let time = number.checked_mul(seconds).filter(|time| (1..=31_536_000).contains(time));
    time.map(Duration::from_secs).ok_or(NotATime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("2h", 7200), ("7", 7)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        for wrong in ["", "0s", "m", "1d", "-1s", "1.5h", "99999999999999999999h"] {
            assert_eq!(duration(wrong), Err(NotATime), "{wrong}");
        }
    }
}
