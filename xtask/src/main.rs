//! `cargo xtask`: the verbs of those who change Snaphook. `cargo xtask --help` shows them. Not here: what they do (the
//! library).

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use xtask::dist::{DistError, dist};
use xtask::generate::{GenerateError, stale_files, write_files};
use xtask::root;
use xtask::run::{RunError, cargo, run};

/// Verbs for those who change Snaphook
#[derive(Debug, clap::Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Verb {
    /// Write the files that are generated from the stubs beside the Lua bindings
    Generate {
        /// Write nothing; list the files that are stale, and exit with 1 if there are any
        #[arg(long)]
        check: bool,
    },
    /// Write the generated files and the tables of docs/agents.md, then check all pages
    Docs,
    /// Build the program as it is shipped, with its completions and manual pages beside it
    Dist {
        /// The profile to build in
        #[arg(long, value_name = "NAME", default_value = "dist")]
        profile: String,
    },
}

/// A verb that did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("these files are stale, run `cargo xtask generate` and commit them:\n  {}", .0.join("\n  "))]
    Stale(Vec<&'static str>),
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Dist(#[from] DistError),
}

fn main() -> ExitCode {
    let done = match Verb::parse() {
        Verb::Generate { check: true } => check(),
        Verb::Generate { check: false } => generate(),
        Verb::Docs => docs(),
        Verb::Dist { profile } => dist(&profile).map_err(Failure::from).map(|program| {
            say(&format!("wrote {}, with `completions` and `man` beside it", program.display()));
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), Failure> {
    let stale = stale_files(root())?;
    if !stale.is_empty() {
        return Err(Failure::Stale(stale));
    }
    say("all generated files are current");
    Ok(())
}

fn generate() -> Result<(), Failure> {
    let written = write_files(root())?;
    for path in &written {
        say(&format!("wrote {path}"));
    }
    if written.is_empty() {
        say("all generated files are current");
    }
    Ok(())
}

/// The tests that write the tables of `docs/agents.md` where `BLESS` is set.
const TABLES: [&str; 2] = ["the_tables_of_agents_are", "the_page_says_what_runs_saw"];

/// The tests about pages, by the modules that they are in.
const PAGES: [&str; 8] = ["docs", "compat", "rows", "architecture", "tour", "agents_seen", "api", "types"];

fn docs() -> Result<(), Failure> {
    generate()?;
    const TESTS: [&str; 6] = ["test", "--package", "snaphook-cli", "--test", "it", "--"];
    run(cargo().args(TESTS).args(TABLES).env("BLESS", "1"))?;
    run(cargo().args(TESTS).args(PAGES))?;
    Ok(())
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
