//! The program as it is shipped: built in a profile, with its completions and manual pages in folders beside it. Not here:
//! their text, which the command prints itself.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::Message;

use crate::run::{RunError, captured, cargo, run};

/// The shells that get a completion script, by the name that the command knows, with the file where the shell looks for it.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "snaphook.bash"),
    ("elvish", "snaphook.elv"),
    ("fish", "snaphook.fish"),
    ("powershell", "_snaphook.ps1"),
    ("zsh", "_snaphook"),
];

/// A failure to make the files.
#[derive(Debug, thiserror::Error)]
pub enum DistError {
    /// Cargo or the command failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What cargo printed is not understood.
    #[error("failed to read the messages of cargo: {0}")]
    Messages(#[source] io::Error),
    /// Cargo did not say where the program is.
    #[error("cargo built no program `snaphook`")]
    NoProgram,
    /// A file that cannot be written.
    #[error("failed to write {path}: {source}", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Builds the program in this profile, writes completions and manual pages beside it, and returns where the program is.
///
/// # Errors
/// The build fails, the command fails, or a file cannot be written.
pub fn dist(profile: &str) -> Result<PathBuf, DistError> {
    let program = build(profile)?;
    let folder = program.parent().unwrap_or(&program);

    let completions = new_folder(folder.join("completions"))?;
    for (shell, file) in COMPLETIONS {
        let script = captured(Command::new(&program).args(["completions", shell]))?;
        let path = completions.join(file);
        std::fs::write(&path, script).map_err(|source| DistError::File { path, source })?;
    }
    let pages = new_folder(folder.join("man"))?.join("man1");
    run(Command::new(&program).args(["man", "--out"]).arg(pages))?;
    Ok(program)
}

fn build(profile: &str) -> Result<PathBuf, DistError> {
    let mut build = cargo();
    build.args(["build", "--locked", "--package", "snaphook-cli", "--bin", "snaphook"]);
    build.args(["--profile", profile, "--message-format", "json-render-diagnostics"]);
    program_of(&captured(&mut build)?)
}

/// The program that the messages of cargo are about.
fn program_of(messages: &[u8]) -> Result<PathBuf, DistError> {
    let mut program = None;
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message.map_err(DistError::Messages)?
            && artifact.target.name == "snaphook"
            && let Some(executable) = artifact.executable
        {
            program = Some(executable.into_std_path_buf());
        }
    }
    program.ok_or(DistError::NoProgram)
}

/// Makes a folder. One that is there goes: a page of a command that is gone would be left in it.
fn new_folder(path: PathBuf) -> Result<PathBuf, DistError> {
    let made = remove_folder(&path).and_then(|()| std::fs::create_dir_all(&path));
    match made {
        Ok(()) => Ok(path),
        Err(source) => Err(DistError::File { path, source }),
    }
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTIFACT: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///x#snaphook-cli@0.1.0","manifest_path":"/x/Cargo.toml","target":{"kind":["bin"],"crate_types":["bin"],"name":"NAME","src_path":"/x/main.rs","edition":"2024","doc":false,"doctest":false,"test":true},"profile":{"opt_level":"3","debuginfo":0,"debug_assertions":false,"overflow_checks":false,"test":false},"features":[],"filenames":["/t/dist/NAME"],"executable":"/t/dist/NAME","fresh":true}"#;

    #[test]
    fn the_program_is_where_cargo_says() {
        let lines = |names: &[&str]| {
            let lines: Vec<_> = names.iter().map(|name| ARTIFACT.replace("NAME", name)).collect();
            lines.join("\n").into_bytes()
        };
        let found = program_of(&lines(&["other", "snaphook"])).unwrap();
        assert_eq!(found, Path::new("/t/dist/snaphook"));
        assert!(matches!(program_of(&lines(&["other"])), Err(DistError::NoProgram)));
    }
}
