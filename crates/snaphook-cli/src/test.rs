//! `snaphook test`: the tests that authors of hooks write.

use std::path::Path;

use snaphook::CancellationToken;
use snaphook_discovery::Directories;
use snaphook_testing::{Filter, FoundTests, Options, Results, SuiteResult, Watcher, find, run};
use tokio::runtime::Runtime;

use crate::arg_values::LanguageArg;
use crate::args::TestArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::test_agents::AgentFit;
use crate::{test_junit, test_text, test_watch, wiring};

/// Runs the command.
pub(crate) fn test(env: &Env, args: &TestArgs, runtime: &Runtime) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, None)?;
    if let Some(missing) = args.paths.iter().find(|path| !directories.cwd.join(path).exists()) {
        return Err(Failure::Usage(format!("{} does not exist", missing.display())));
    }
    let fit = AgentFit::of(args.agent.as_deref())?;
    let cancel = CancellationToken::new();
    {
        let _inside = runtime.enter();
        wiring::cancel_when_told(&cancel);
    }
    let options = options(env, args, cancel)?;
    let search = || find(&directories, &args.paths);
    if args.watch {
        // The engines keep nothing of a run, so they serve the next as well.
        let run = |found: &FoundTests| once(env, &directories, args, &fit, found, &options).map(|_| ());
        return test_watch::watch(&options.cancel, search, run);
    }
    once(env, &directories, args, &fit, &search(), &options)
}

fn options(env: &Env, args: &TestArgs, cancel: CancellationToken) -> Result<Options, Failure> {
    Ok(Options {
        engines: wiring::engines(args.coverage)?,
        env: env.vars.to_vec(),
        coverage: args.coverage,
        outcomes: args.agent.is_some(),
        filter: args.filter.as_ref().map(Filter::new),
        language: args.language.map(LanguageArg::language),
        cancel,
        ..Options::default()
    })
}

/// One run of all that is there now.
fn once(
    env: &Env,
    directories: &Directories,
    args: &TestArgs,
    fit: &AgentFit,
    found: &FoundTests,
    options: &Options,
) -> Result<Exit, Failure> {
    let paint = Paint { on: !args.json && env.colours(env.stdout_is_terminal) };
    let mut screen = Screen::new(env, args, fit, paint);
    let results = run(found, options, &mut screen);
    screen.clear();
    if args.json {
        print::json(&fit.document(&results));
    } else {
        print::stdout(&fit.table(&results));
        print::stdout(&test_text::summary(&results, found, args, paint));
    }
    if let Some(file) = &args.junit {
        test_junit::write(&results, directories, file)?;
    }
    Ok(exit(&results))
}

fn exit(results: &Results) -> Exit {
    match () {
        () if results.cancelled => Exit::Interrupted,
        () if results.failed() > 0 || results.passed() == 0 => Exit::Failed,
        () => Exit::Fine,
    }
}

/// Shows suites as they end.
struct Screen<'a> {
    fit: &'a AgentFit,
    paint: Paint,
    quiet: bool,
    /// True if a line about what runs is on the terminal, which the next text replaces.
    live: bool,
    has_line: bool,
}

impl<'a> Screen<'a> {
    fn new(env: &Env, args: &TestArgs, fit: &'a AgentFit, paint: Paint) -> Self {
        let live = !args.json && env.stderr_is_terminal && env.stdout_is_terminal;
        Screen { fit, paint, quiet: args.json, live, has_line: false }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            print::replace_line("");
        }
    }
}

impl Watcher for Screen<'_> {
    fn ended(&mut self, suite: &SuiteResult) {
        self.clear();
        if !self.quiet {
            print::stdout(&test_text::suite(suite, self.fit, self.paint));
        }
    }

    fn waiting(&mut self, done: usize, running: &[&Path]) {
        if self.live {
            let names: Vec<_> = running.iter().map(|path| path.display().to_string()).collect();
            print::replace_line(&format!("{done} done, running {}", names.join(", ")));
            self.has_line = true;
        }
    }
}

/// Returns what there is to say where nothing was found.
pub(crate) fn places(found: &FoundTests) -> String {
    let shown = |path: &std::path::PathBuf| path.components().collect::<std::path::PathBuf>();
    found.looked.iter().map(|path| format!("  {}\n", shown(path).display())).collect()
}
