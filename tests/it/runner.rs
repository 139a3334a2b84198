//! The runner of hook tests with both engines, for tests of the repository's own hooks.

use std::path::Path;
use std::sync::Arc;

use snaphook::{Engine, Language};
use snaphook_discovery::{Directories, Environment};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use snaphook_testing::{Engines, Options, Results, find, run};

/// Runs every test below a folder.
pub fn run_tests(folder: &Path) -> Results {
    let places = Directories::locate(&Environment {
        home: Some(folder.to_owned()),
        managed_dir: None,
        ..Environment::new(folder)
    });
    let lua: Arc<dyn Engine> = Arc::new(LuaEngine::new().unwrap());
    let rhai: Arc<dyn Engine> = Arc::new(RhaiEngine::new());
    let path = std::env::var("PATH").unwrap();
    let options = Options {
        engines: Engines::from([(Language::Lua, lua), (Language::Rhai, rhai)]),
        env: vec![("PATH".into(), path.into())],
        ..Options::default()
    };
    run(&find(&places, &[".".into()]), &options, &mut ())
}

/// Returns what went wrong, one paragraph a failure.
pub fn failures(title: &str, results: &Results) -> Vec<String> {
    let mut wrong: Vec<String> =
        results.problems.iter().map(|problem| format!("{title} {problem}")).collect();
    for suite in &results.suites {
        wrong.extend(suite.problem.iter().map(|problem| format!("{title} {problem}")));
        for test in &suite.tests {
            let Some(failure) = &test.failure else { continue };
            let line = failure.line.or(test.line).unwrap_or_default();
            let place = format!("{title} {}:{line}", suite.file.display());
            wrong.push(format!("{place}: {}\n{}", test.name, failure.message));
        }
    }
    wrong
}
