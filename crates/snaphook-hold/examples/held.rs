//! Becomes a command, held: `held POLICY COMMAND…`, where POLICY is a JSON object with the directive under `hold` and, each
//! if wanted, `home`, `cwd`, `places`, `inside`, `walls`, `temporary`, `weaker`. What the tests of this crate start.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a program of its own, with an environment of its own"
)]

use std::path::PathBuf;

use serde_json::Value;
use snaphook_core::Hold;
use snaphook_hold::{Command, Failure, Policy, Strictness, Surroundings, exec_held};

fn main() {
    let mut words = std::env::args_os().skip(1);
    let policy: Value =
        words.next().and_then(|text| serde_json::from_str(&text.to_string_lossy()).ok()).unwrap_or_default();
    let paths = |key: &str| -> Vec<PathBuf> {
        let list = policy[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(PathBuf::from).collect()
    };
    let (places, inside, walls, temporary) =
        (paths("places"), paths("inside"), paths("walls"), paths("temporary"));
    let home = policy["home"].as_str().map(PathBuf::from);
    let cwd = std::env::current_dir().unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program_folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let variables: Vec<_> = std::env::vars_os().collect();
    let around = Surroundings {
        cwd: policy["cwd"].as_str().map_or(&*cwd, |cwd| cwd.as_ref()),
        home: home.as_deref(),
        temporary: &temporary,
        variables: &variables,
        program_folders: &program_folders,
        places: &places,
        writable_inside: &inside,
        walls: policy["walls"].is_array().then_some(&walls[..]),
        ..Surroundings::default()
    };
    let command =
        Command { words: words.collect(), env: variables.clone(), program_folders: program_folders.clone() };
    let strictness = if policy["weaker"] == true { Strictness::AllowWeaker } else { Strictness::AsAsked };
    let hold = match &policy["hold"] {
        Value::Null => Ok(Hold::default()),
        hold => Hold::parse(hold),
    };
    let (text, code) = match hold {
        Err(error) => (error.to_string(), 125),
        Ok(hold) => {
            let failure = match Policy::resolve(&hold, &around) {
                Ok(policy) => exec_held(&policy, &command, strictness),
                Err(error) => Failure::from(error),
            };
            (failure.to_string(), failure.code())
        }
    };
    eprintln!("held: {text}");
    std::process::exit(code);
}
