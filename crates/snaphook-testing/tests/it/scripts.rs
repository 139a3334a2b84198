//! The test scripts in `../scripts` all pass.

use std::path::Path;

use snaphook::Language;
use snaphook_discovery::{Directories, Environment};
use snaphook_testing::{find, run};

use crate::support::{failure, options};

#[test]
fn all_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut environment = Environment::new(&folder);
    environment.managed_dir = None;
    let mut options = options();
    options.env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    let found = find(&Directories::locate(&environment), &["speaker.lua".into()]);
    let results = run(&found, &options, &mut ());
    let mut failed = String::new();
    for suite in &results.suites {
        if let Some(problem) = &suite.problem {
            failed += &format!("{problem}\n");
        }
        for test in suite.tests.iter().filter(|test| test.failure.is_some()) {
            failed += &format!("{}: {}\n", test.name, failure(test));
        }
    }
    assert!(failed.is_empty(), "{failed}");
    let languages: Vec<_> = results.suites.iter().map(|suite| suite.language).collect();
    assert_eq!(languages, [Language::Lua, Language::Rhai]);
    assert!(results.passed() > 30, "{} passed", results.passed());
}
