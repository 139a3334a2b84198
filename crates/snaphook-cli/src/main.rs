//! The `snaphook` command: the only crate that reads the environment, talks to a terminal and ends the process.
//! Everything it does is in libraries; here are arguments, words and exit codes.

mod acp;
mod arg_values;
mod args;
mod audit;
mod author;
mod check;
mod compat;
mod doctor;
mod env;
mod examples;
mod excerpt;
mod exit;
mod files;
mod git;
mod hold;
mod hook;
mod import;
mod install;
mod lifecycle;
mod list;
mod log;
mod manual;
mod mcp;
mod print;
mod render;
mod run;
mod status;
mod terminal;
mod test;
mod test_agents;
mod test_junit;
mod test_text;
mod test_watch;
mod trial;
mod trust;
mod wiring;

use clap::Parser;

use crate::args::{Args, Command};
use crate::env::Env;
use crate::exit::{Exit, Failure};

/// Counts what Rhai scripts hold; Luau counts for itself.
#[global_allocator]
static ALLOCATOR: snaphook_rhai::MeteredAllocator = snaphook_rhai::MeteredAllocator;

fn main() {
    let code = std::panic::catch_unwind(start).unwrap_or(Exit::Internal);
    // Not by returning: a thread that waits for a key, or a script that does not stop, must not hold the process.
    std::process::exit(code.code());
}

fn start() -> Exit {
    let env = Env::of_process();
    // What agents call has its own rules for whatever can go wrong, its command line included.
    if env.words.first().is_some_and(|word| word == "hook") {
        hook::main(&env);
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let asked_for = !error.use_stderr();
            // There is nowhere left to report that even this cannot be written.
            let _ = error.print();
            return if asked_for { Exit::Fine } else { Exit::Usage };
        }
    };
    match dispatch(&env, args) {
        Ok(exit) => exit,
        Err(failure) => {
            print::error(&env, &failure.to_string());
            failure.exit()
        }
    }
}

fn dispatch(env: &Env, args: Args) -> Result<Exit, Failure> {
    match &args.command {
        // Called with an option before the word. Its log is its own.
        Command::Hook(_) => hook::main(env),
        // So is this one's, but for what concerns the process.
        Command::Serve(_) => log::start(env, None, args.command.log_filter())?,
        _ => log::start(env, args.log_file.as_deref(), args.command.log_filter())?,
    }
    // They have a runtime of their own kind.
    if let Command::Mcp(args) = &args.command {
        return mcp::mcp(env, args);
    }
    if let Command::Acp(args) = &args.command {
        return acp::acp(env, args);
    }
    // It becomes another program, and may have one thread only.
    if let Command::Hold(args) = &args.command {
        return hold::hold(env, args);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::Internal(format!("failed to start the runtime: {error}")))?;
    let done = match args.command {
        Command::Run(args) => runtime.block_on(run::run(env, *args)),
        Command::Sessions(args) => run::sessions::sessions(env, &args),
        Command::Check(args) => runtime.block_on(check::check(env, args)),
        Command::List(args) => list::list(env, &args, runtime.handle()),
        Command::Test(args) => test::test(env, &args, &runtime),
        Command::New(args) => author::new::new(env, &args),
        Command::Add(args) => author::add::add(env, &args),
        Command::Types(args) => author::types::types(env, &args),
        Command::Trust(args) => trust::trust(env, &args),
        Command::Ignore(args) => trust::ignore(env, &args),
        Command::Untrust(args) => trust::untrust(env, &args),
        Command::Status(args) => status::status(env, &args),
        Command::Rerun(args) => runtime.block_on(status::rerun::rerun(env, args)),
        Command::Audit(args) => audit::audit(env, &args),
        Command::Install(args) => install::install(env, &args),
        Command::Uninstall(args) => install::uninstall(env, &args),
        Command::Doctor(args) => doctor::doctor(env, &args, &runtime),
        Command::Completions(args) => Ok(manual::completions(&args)),
        Command::Man(args) => manual::man(env, &args),
        Command::Import(args) => import::import(env, &args),
        Command::Git(args) => runtime.block_on(git::git(env, &args)),
        Command::Hook(_) => hook::main(env),
        Command::Mcp(args) => mcp::mcp(env, &args),
        Command::Acp(args) => acp::acp(env, &args),
        Command::Hold(args) => hold::hold(env, &args),
        Command::Serve(serve) => hook::serve::serve(env, &serve, args.log_file),
    };
    // A handler that was answered without may still be computing.
    runtime.shutdown_background();
    done
}
