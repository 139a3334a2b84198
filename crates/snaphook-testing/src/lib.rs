//! Runs the tests that authors of hooks write: offline, without an agent, each in a host of its own.
//!
//! [`find`] says which tests there are, [`run`] runs them with the engines of [`Options`], [`Results`] are data. What a
//! test script can call is core's `testing`; how it is bound to a language is the engine's business, how results are shown
//! the caller's.
//!
//! | file | what |
//! |---|---|
//! | `find` | tests by their names, hooks with examples |
//! | `run` | suites side by side, and without one that does not come back |
//! | `suite`, `examples` | one group of tests |
//! | `harness`, `test_host` | `t`: a host with files, a clock and a person for each test |
//! | `hooks`, `calls`, `person`, `processes`, `clock`, `printed` | the parts of a test host |
//! | `outcome`, `expect` | what an event came to, and whether that was expected |
//! | `coverage`, `results` | what the run came to |
//! | `model` | a model provider on loopback that answers by a script; behind the feature `model` |
//!
//! ```
//! use std::sync::Arc;
//!
//! use snaphook::{Directories, Environment, Language};
//! use snaphook_lua::LuaEngine;
//! use snaphook_testing::{Options, find, run};
//!
//! # fn main() -> std::io::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("guard.lua"), "on('tool_call', function() return { block = true, reason = 'no' } end)")?;
//! std::fs::write(
//!     folder.path().join("guard.test.lua"),
//!     "test('says no', function(t) expect(t.tool_call{ tool = 'bash', command = 'ls' }).denied('no') end)",
//! )?;
//!
//! let mut options = Options::default();
//! options.engines.insert(Language::Lua, Arc::new(LuaEngine::new()?));
//! let found = find(&Directories::locate(&Environment::new(folder.path())), &["guard.lua".into()]);
//! let results = run(&found, &options, &mut ());
//! assert_eq!((results.passed(), results.failed()), (1, 0));
//! # Ok(())
//! # }
//! ```

mod arguments;
mod calls;
mod clock;
mod coverage;
mod error;
mod examples;
mod expect;
mod find;
mod harness;
mod holder;
mod hooks;
#[cfg(feature = "model")]
pub mod model;
mod options;
mod outcome;
mod person;
mod printed;
mod processes;
mod results;
mod run;
mod suite;
mod test_host;
mod values;
mod web;

pub use coverage::FileLines;
pub use examples::{FailedExample, SelfCheck, self_check};
pub use find::{FoundTests, find};
pub use options::{Engines, Filter, Options};
pub use results::{Dispatched, EventOutcome, Results, SuiteKind, SuiteResult, TestFailure, TestResult};
pub use run::{Watcher, run};
pub use test_host::SCRATCH_PREFIX;
