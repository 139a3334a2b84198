//! The options of a test run. Not here: finding tests (`find`).

use std::ffi::OsString;
use std::time::Duration;

use regex::Regex;
use snaphook::{CancellationToken, Language, Limits};

pub use snaphook::Engines;

/// The way tests are run. The default has no engine.
#[derive(Clone)]
pub struct Options {
    /// The engines that run the hooks, and the tests themselves. To get coverage, engines that count lines.
    pub engines: Engines,
    /// The limits of hooks. Default: those of hooks in an agent.
    pub limits: Limits,
    /// The environment of processes that a test lets run. Default: empty.
    pub env: Vec<(OsString, OsString)>,
    /// True if the results tell which lines of hooks ran. Default: no.
    pub coverage: bool,
    /// True if the results tell what each event came to. Default: no.
    pub outcomes: bool,
    /// The tests that run, by their names. Default: all.
    pub filter: Option<Filter>,
    /// The one language in which hooks are looked for that a test names without an extension. Default: the test file's
    /// own, then the others.
    pub language: Option<Language>,
    /// The number of files that are run at a time. Default: 2.
    pub threads: usize,
    /// The time that the script of one test may compute, beside what hooks do for it. Default: 5 s.
    pub script_cpu: Duration,
    /// The time that one test may take, waiting included. Default: 60 s.
    pub time: Duration,
    /// Ends the run early; what has not run is missing in the results.
    pub cancel: CancellationToken,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engines: Engines::default(),
            limits: Limits::default(),
            env: Vec::new(),
            coverage: false,
            outcomes: false,
            filter: None,
            language: None,
            threads: 2,
            script_cpu: Duration::from_secs(5),
            time: Duration::from_secs(60),
            cancel: CancellationToken::new(),
        }
    }
}

/// Chooses tests by their names: by a part of the name, or by a regular expression.
#[derive(Debug, Clone)]
pub struct Filter {
    text: String,
    regex: Option<Regex>,
}

impl Filter {
    /// A filter. What is no regular expression is only looked for as text.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Filter { regex: snaphook_script::regex::compile(&text).ok(), text }
    }

    /// Returns whether a name passes.
    pub fn takes(&self, name: &str) -> bool {
        name.contains(&self.text) || self.regex.as_ref().is_some_and(|regex| regex.is_match(name))
    }
}
