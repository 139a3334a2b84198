//! `snaphook run`: an agent under hooks, by a model or from a recording; `snaphook sessions`. Not here: driving it
//! (`snaphook-agent`).

#[cfg(feature = "drive")]
mod agent;
pub(crate) mod args;
#[cfg(feature = "drive")]
mod formatted;
mod head;
mod hold;
#[cfg(feature = "drive")]
mod input;
#[cfg(all(feature = "drive", unix))]
mod interactive;
mod json;
#[cfg(feature = "drive")]
mod mcp;
#[cfg(feature = "drive")]
mod model;
#[cfg(feature = "drive")]
mod opened;
#[cfg(feature = "drive")]
mod own_hooks;
mod replay;
pub(crate) mod sessions;
#[cfg(feature = "drive")]
mod summary;
#[cfg(feature = "drive")]
mod telling;
mod text;
#[cfg(feature = "drive")]
mod until;

use snaphook_discovery::Settings;

#[cfg(feature = "drive")]
use self::args::AgentArg;
use self::args::RunArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::wiring;

/// Runs the command.
pub(crate) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    let goes_on = args.model.resume.is_some() || args.model.go_on;
    let asks = args.prompt.is_some()
        || goes_on
        || args.ci
        || args.agent.is_some()
        || args.iterate.iterations.is_some();
    if asks {
        #[cfg(feature = "drive")]
        return match args.agent {
            Some(AgentArg::Acp) => agent::run(env, args).await,
            None => model::run(env, args).await,
        };
        #[cfg(not(feature = "drive"))]
        return Err(Failure::Usage(
            "this program was built without a client for models (the feature `drive`); it runs recorded sessions only".to_owned(),
        ));
    }
    let (named, of_a_person) = (args.model.model.is_some(), args.is_of_a_person(env));
    if !named && !of_a_person {
        return replay::run(env, args).await;
    }
    let configured = configured_model(env, &args)?;
    #[cfg(feature = "drive")]
    if of_a_person && (named || configured) {
        return model::run(env, args).await;
    }
    if named {
        return Err(no_prompt(configured));
    }
    replay::run(env, args).await
}

/// Returns whether the settings name a model.
fn configured_model(env: &Env, args: &RunArgs) -> Result<bool, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let (settings, _) = Settings::load(&directories);
    Ok(settings.model.name.is_some())
}

fn no_prompt(configured: bool) -> Failure {
    let again = if configured { "" } else { " (`[model] name` in your config.toml sets it for every run)" };
    Failure::Usage(format!(
        "a model is named, and no task: write it behind the options, or `-` to read it from standard input{again}"
    ))
}

fn no_state() -> Failure {
    Failure::Usage("there is no folder for state: set HOME or SNAPHOOK_STATE_DIR".to_owned())
}
