//! A folder with hooks and tests, run by the real engines.

use std::path::PathBuf;
use std::sync::Arc;

use snaphook::Language;
use snaphook_discovery::{Directories, Environment};
use snaphook_lua::LuaEngine;
use snaphook_rhai::RhaiEngine;
use snaphook_testing::{Options, Results, TestResult, find, run};
use tempfile::TempDir;

/// A project with files.
pub struct TestProject(TempDir);

impl TestProject {
    /// A place with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let place = TestProject(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn directories(&self) -> Directories {
        let mut environment = Environment::new(self.0.path());
        environment.home = Some(self.0.path().join("home"));
        environment.managed_dir = None;
        Directories::locate(&environment)
    }

    pub fn run_with(&self, paths: &[&str], options: &Options) -> Results {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        run(&find(&self.directories(), &paths), options, &mut ())
    }

    pub fn run(&self, paths: &[&str]) -> Results {
        self.run_with(paths, &options())
    }
}

/// Options with every engine.
pub fn options() -> Options {
    let mut options = Options::default();
    options.engines.insert(Language::Lua, Arc::new(LuaEngine::new().unwrap()));
    options.engines.insert(Language::Rhai, Arc::new(RhaiEngine::new()));
    options
}

/// The one test of a file with this body, beside this hook.
pub fn one(hook: &str, body: &str) -> TestResult {
    one_with(hook, body, &options())
}

pub fn one_with(hook: &str, body: &str, options: &Options) -> TestResult {
    let test = format!("test('it', function(t)\n{body}\nend)");
    let place = TestProject::with(&[("guard.lua", hook), ("guard.test.lua", &test)]);
    let mut results = place.run_with(&["guard.test.lua"], options);
    let mut suite = results.suites.remove(0);
    assert_eq!(suite.problem, None);
    suite.tests.remove(0)
}

/// The failure as people see it; empty where there is none.
pub fn failure(result: &TestResult) -> String {
    let Some(failure) = &result.failure else { return String::new() };
    let line = failure.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}\n{}", failure.file.display(), failure.message)
}
