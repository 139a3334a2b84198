//! The commands of a session that are held where the settings do not say: its tools really run, and nobody reads their command
//! lines before they do.

use serde_json::json;
use snaphook::{Hold, HoldProfile, HoldTools};
use snaphook_hold::Strictness;
use snaphook_session::missing_for;

use crate::env::Env;
use crate::print::{self, Paint};

/// The commands that are held where the settings do not say, and what is to be told of it: these tools really run, and nobody reads
/// their command lines before they do. The bundled session's are ours, and run unheld on a machine that can hold nothing.
pub(super) fn by_default(env: &Env, bundled: bool) -> (HoldTools, Option<String>) {
    let guarded = Hold { profile: Some(vec![HoldProfile::Guarded]), ..Hold::default() };
    let Some(program) = &env.program else { return (HoldTools::Always, None) };
    let missing = |strictness| missing_for(program, &guarded, strictness);
    match (missing(Strictness::AsAsked), missing(Strictness::AllowWeaker)) {
        (None, _) => (HoldTools::Always, None),
        (Some(_), Some(missing)) if bundled => (
            HoldTools::Off,
            Some(format!("the commands of this session run unheld: this machine lacks {missing}")),
        ),
        (Some(_), Some(missing)) => (
            HoldTools::Always,
            Some(format!(
                "commands cannot be held, and do not run: this machine lacks {missing}; `tools = \"off\"` in `[hold]` of \
                 config.toml runs them unheld"
            )),
        ),
        (Some(missing), None) => (
            HoldTools::Always,
            Some(format!("commands are held in a weaker form: this machine lacks {missing}")),
        ),
    }
}

/// Tells it.
pub(super) fn tell(env: &Env, as_json: bool, text: &str) {
    if as_json {
        print::json(&json!({ "step": "notice", "text": text }));
    } else {
        let paint = Paint { on: env.colours(env.stdout_is_terminal) };
        print::stdout(&format!("{} {}\n", paint.yellow("note:"), print::lines(text)));
    }
}
