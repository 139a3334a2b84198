//! `snaphook completions` and `snaphook man`: what shells and `man` know of the command line, made from the same description that
//! reads it.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use snaphook_discovery::replace::Mode;
use snaphook_discovery::{Directories, printable};

use crate::args::Args;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::{files, print, wiring};

/// Print a completion script for a shell
///
/// For example: snaphook completions bash > ~/.local/share/bash-completion/completions/snaphook
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage.")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Print a manual page, or write all of them to a folder
///
/// For example: snaphook man check | man -l -
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 fine, 64 usage (also a folder that cannot be written).")]
pub(crate) struct ManArgs {
    /// The command that the page is about, with its own commands behind it: `audit verify`
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,

    /// Write the pages of all commands to this folder, which becomes one of man1
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `snaphook completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "snaphook", &mut script);
    print::stdout(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// Runs `snaphook man`.
///
/// # Errors
/// There is no such command, or the folder cannot be written.
pub(crate) fn man(env: &Env, args: &ManArgs) -> Result<Exit, Failure> {
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.out {
        let directories = wiring::directories(env, None)?;
        let mut count = 0;
        write_all(&directories, &directories.cwd.join(folder), &root, &mut count)?;
        print::stdout(&format!("written {count} pages to {}\n", printable(&folder.display().to_string())));
        return Ok(Exit::Fine);
    }
    let mut command = &root;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            Failure::Usage(format!(
                "there is no command {name:?}; see `snaphook help {}`",
                above(&args.command, name)
            ))
        })?;
    }
    print::stdout(&page(command)?.1);
    Ok(Exit::Fine)
}

/// A page with the name of its file.
fn page(command: &Command) -> Result<(String, String), Failure> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    let rendered = man.render(&mut text);
    rendered.map_err(|error| Failure::Internal(format!("failed to write the page: {error}")))?;
    Ok((man.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

fn write_all(
    directories: &Directories,
    folder: &Path,
    command: &Command,
    count: &mut usize,
) -> Result<(), Failure> {
    let (name, text) = page(command)?;
    files::write(directories, &folder.join(name), &text, Mode::Plain)?;
    *count += 1;
    command.get_subcommands().try_for_each(|inner| write_all(directories, folder, inner, count))
}

/// The words before the one that is no command.
fn above(words: &[String], name: &str) -> String {
    words.iter().take_while(|word| *word != name).cloned().collect::<Vec<_>>().join(" ")
}
