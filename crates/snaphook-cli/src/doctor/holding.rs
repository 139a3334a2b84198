//! What this machine can hold, as doctor's line. Not here: finding it out, which needs a process with one thread
//! (`snaphook hold --check`), and holding.

use std::time::Duration;

use serde_json::Value;
use snaphook::HoldTools;
use snaphook_command::process::{self, Output, Request};
use snaphook_discovery::{Directories, Settings};
use snaphook_session::hosting::standing_hold;
use snaphook_setup::doctor::Check;

use crate::env::Env;

const ABOUT: &str = "holding commands";

/// The time that `snaphook hold --check` may take. It is done in milliseconds; a machine may be busy.
const LIMIT: Duration = Duration::from_secs(20);

/// Returns whether commands can be held here by what the settings ask for, and which are.
pub(crate) async fn check(env: &Env, directories: &Directories) -> Check {
    let (settings, _) = Settings::load(directories);
    let standing = standing_hold(&settings.hold, HoldTools::Off);
    let profiles = standing.hold.arguments();
    let asked = match standing.tools {
        HoldTools::Off => "agents' commands are not held unless a hook says so".to_owned(),
        tools => format!("agents' commands are held ({}, {})", tools.as_str(), profiles.join(" ")),
    };
    let missing = match probe(env, directories, &profiles).await {
        Ok(()) => return Check::fine(ABOUT, format!("this machine can; {asked}")),
        Err(missing) => missing,
    };
    let finding = format!("this machine cannot: {missing}; {asked}");
    match standing.tools {
        HoldTools::Off => Check::note(ABOUT, finding),
        _ => Check::wrong(
            ABOUT,
            finding,
            "their commands are denied: see `snaphook hold --check`, or set `tools` in `[hold]` of config.toml to \"off\"",
        ),
    }
}

/// Fails with what is missing.
async fn probe(env: &Env, directories: &Directories, profiles: &[String]) -> Result<(), String> {
    let Some(program) = &env.program else {
        return Err("the path of snaphook's program is unknown".to_owned());
    };
    let words = ["hold", "--check", "--json"].into_iter().chain(profiles.iter().map(String::as_str));
    let request = Request {
        args: words.map(Into::into).collect(),
        env: env.vars.to_vec(),
        timeout: Some(LIMIT),
        ..Request::new(program, &directories.cwd)
    };
    let output: Output = process::run(request).await.unwrap_or_else(Output::from);
    let Ok(found) = serde_json::from_str::<Value>(&output.stdout) else {
        return Err(format!("`snaphook hold --check` failed: {} {}", output.outcome, output.stderr.trim()));
    };
    match found["error"].as_str() {
        None => Ok(()),
        Some(missing) => Err(missing.to_owned()),
    }
}
