//! The port that each agent fills. Everything that is not an agent's own is elsewhere: what to do where an agent cannot
//! honour something (`fit_to_effects`), reading JSON (`fields`), the process (`snaphook-cli`).

use std::borrow::Cow;

use serde_json::{Map, Value};
use snaphook_core::ToolCall;

use crate::effects::{Effect, Effects};
use crate::fit::Response;
use crate::incoming::Incoming;
use crate::install::{Edit, InstallError, Reach, Setup};
use crate::reply::Reply;
pub use crate::row::{Row, Tier, Unreadable};
pub(crate) use crate::row::{TURN_END_TIMEOUT, row, within};
use crate::switches::{Off, SettingsFile};

/// The session, and the call's id, of what `snaphook doctor` tries.
pub const CANARY: &str = "snaphook-doctor";

/// The reason why a payload is not judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It is another event's than the command line's.
    #[error("the command line names the event {named}, and the payload names {told}")]
    OtherEvent {
        /// The event that the command is registered for.
        named: String,
        /// The event that the payload names, by the agent's own name.
        told: String,
    },
}

/// The constants of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The name on our command line, in settings and documents: `claude-code`.
    pub id: &'static str,
    /// The name that people know: `Claude Code`.
    pub title: &'static str,
    /// Every event of the agent that we know.
    pub rows: &'static [Row],
    /// The ground of what is said about the agent. Default: its documentation.
    pub tier: Tier,
    /// The environment variable in which the agent tells its hooks where the session began. Default: none, which is right where the
    /// payload's working directory never moves.
    pub start_variable: Option<&'static str>,
    /// The longest text that the agent passes on whole, in bytes. Default: 10,000.
    pub longest_context: usize,
    /// The variable that moves the folder of the person's settings elsewhere, and that folder in the home folder. Default: none.
    pub moved_by: Option<(&'static str, &'static str)>,
    /// The steps that a person still has to do after `snaphook install`; empty where there is nothing.
    pub after_install: &'static str,
    /// The files in which hooks can be switched off, relative to the home folder or to the project's root. Those that `install`
    /// changes need not be among them.
    pub switch_files: &'static [(Reach, &'static str)],
}

impl Profile {
    /// The profile of an agent with the defaults for all else.
    pub const fn new(id: &'static str, title: &'static str, rows: &'static [Row]) -> Self {
        Profile {
            id,
            title,
            rows,
            tier: Tier::Documented,
            start_variable: None,
            longest_context: 10_000,
            moved_by: None,
            after_install: "",
            switch_files: &[],
        }
    }
}

/// One agent's protocol.
pub trait Agent: Sync {
    /// The agent's constants.
    fn profile(&self) -> &'static Profile;

    /// The name on our command line, in settings and documents: `claude-code`.
    fn id(&self) -> &'static str {
        self.profile().id
    }

    /// The name that people know: `Claude Code`.
    fn title(&self) -> &'static str {
        self.profile().title
    }

    /// Every event of the agent that we know.
    fn rows(&self) -> &'static [Row] {
        self.profile().rows
    }

    /// The effects of an answer to an event of this row. A question goes only to an agent that was seen not to run the call where no person
    /// answers.
    fn honoured(&self, row: &Row) -> Effects {
        match self.profile().tier {
            Tier::Run(_) => row.effects,
            Tier::Documented => row.effects.without(Effect::Ask),
        }
    }

    /// Reads what the agent sent. `native` is the event as the command line names it. Where the payload has a name of its own
    /// the event is read by that one; [`read`](crate::read) refuses a payload whose name is another event's.
    ///
    /// # Errors
    /// Fields without which the event cannot be judged are missing or have another type. Unknown fields are ignored.
    fn read(&self, native: Option<&str>, payload: &Map<String, Value>) -> Result<Incoming, Unreadable>;

    /// Returns whether a payload that calls its event `told` may come to the command that is registered for `named`.
    /// Default: the same name in either spelling (`PreToolUse`, `preToolUse`, `pre_tool_use`). Not the same where an
    /// agent calls one registration for several events.
    fn is_named(&self, named: &str, told: &str) -> bool {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        named == told || plain(named) == plain(told)
    }

    /// Finds the files of a call that the agent looks for elsewhere where they lead to nothing: such a call is not about the file that it
    /// names. Default: none.
    fn searched<'a>(&self, _call: &'a ToolCall) -> Vec<Cow<'a, str>> {
        Vec::new()
    }

    /// Writes the answer to the agent. Everything in `say` is among the effects of the event's row.
    fn answer(&self, incoming: &Incoming, response: &Response) -> Reply;

    /// The denial that counts whatever else is broken. `native` is what is known of the event, perhaps nothing.
    /// `reason` is not empty.
    fn deny(&self, native: Option<&str>, reason: &str) -> Reply;

    /// Returns the answer to the agent where hooks gave none. Most agents want no output.
    fn nothing(&self, native: Option<&str>) -> Reply {
        let _ = native;
        Reply::silent()
    }

    /// Returns whether the result of this very call can be replaced. Default: as the row says. Agents that want the
    /// tool's own shape can fill some shapes and not others.
    fn effects(&self, incoming: &Incoming) -> Effects {
        self.row_effects(&incoming.native)
    }

    /// Returns whether the agent can go on with this very input; only asked where the effects have a rewritten input.
    /// Default: yes. Agents that merge it into what they had cannot take a field away.
    fn takes(&self, incoming: &Incoming, input: &Value) -> bool {
        let _ = (incoming, input);
        true
    }

    /// Returns the entries in the agent's settings that make it call snaphook at these events.
    ///
    /// # Errors
    /// Why it cannot be done here, and what a person can do.
    fn install(&self, setup: &Setup<'_>) -> Result<Vec<Edit>, InstallError> {
        let _ = setup;
        Err(InstallError::Unknown { agent: self.title() })
    }

    /// The files of our own that earlier versions wrote, and which `install` and `uninstall` take away. Default: none.
    fn formerly(&self, reach: Reach) -> Vec<String> {
        let _ = reach;
        Vec::new()
    }

    /// Returns whether `snaphook install` registers the event. Default: yes. Not where another event is the same
    /// moment, and hooks would be asked twice.
    fn registers(&self, row: &Row) -> bool {
        let _ = row;
        true
    }

    /// Finds what keeps the agent from running our hooks that are registered in the settings of `reach`. `files` are those that `install`
    /// changes there, and the switch files of the profile, as far as they are there. Default: nothing.
    fn switched_off(&self, reach: Reach, files: &[SettingsFile]) -> Vec<Off> {
        let _ = (reach, files);
        Vec::new()
    }

    /// A harmless call as the agent itself would send it in the folder `cwd`, with the event that is registered for it: the shell
    /// command `true`, in the session [`CANARY`], and with that id where the agent numbers its calls. `None`: the agent cannot be
    /// tried from outside.
    fn canary(&self, cwd: &str) -> Option<(&'static str, Value)>;

    /// The effects that an answer to this event can have by its row alone.
    fn row_effects(&self, native: &str) -> Effects {
        self.row(native).map(|row| self.honoured(row)).unwrap_or_default()
    }

    /// The row of an event, by the agent's own name.
    fn row(&self, native: &str) -> Option<&'static Row> {
        self.rows().iter().find(|row| row.native == native)
    }
}
