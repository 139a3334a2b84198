//! Checks a request and finds its program, so that a refusal names what is wrong. The system's own answer is ENOENT
//! for a missing program, a missing interpreter and a missing directory alike.
//! Not here: starting it (`group`).

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::{Request, StartError};

/// The program to hand to the system, absolute on Unix, or why the request cannot be carried out.
pub(super) fn resolve(request: &Request) -> Result<PathBuf, StartError> {
    reject_nul(request)?;
    for (name, _) in &request.env {
        if name.is_empty() || name.as_encoded_bytes().contains(&b'=') {
            return Err(StartError::EnvName { name: name.clone() });
        }
    }
    check_cwd(&request.cwd).map_err(|source| StartError::Cwd { cwd: request.cwd.clone(), source })?;
    find(&request.program, &request.cwd, &request.env)
}

fn reject_nul(request: &Request) -> Result<(), StartError> {
    let check = |text: &OsStr, part: &dyn Fn() -> String| {
        if text.as_encoded_bytes().contains(&0) { Err(StartError::Nul { part: part() }) } else { Ok(()) }
    };
    check(&request.program, &|| "the program's name".into())?;
    check(request.cwd.as_os_str(), &|| "the working directory".into())?;
    for (index, arg) in request.args.iter().enumerate() {
        check(arg, &|| format!("argument {}", index + 1))?;
    }
    for (name, value) in &request.env {
        check(name, &|| format!("the name of environment variable {name:?}"))?;
        check(value, &|| format!("the value of environment variable `{}`", name.display()))?;
    }
    Ok(())
}

fn check_cwd(cwd: &Path) -> io::Result<()> {
    if !cwd.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an absolute path"));
    }
    if !cwd.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    rustix::fs::access(cwd, rustix::fs::Access::EXEC_OK)?;
    Ok(())
}

#[cfg(unix)]
fn find(program: &OsStr, cwd: &Path, env: &[(OsString, OsString)]) -> Result<PathBuf, StartError> {
    if program.as_encoded_bytes().contains(&b'/') {
        let program = cwd.join(program);
        return match program.metadata() {
            Ok(_) if is_executable(&program) => Ok(program),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StartError::NotFound { program }),
            Ok(_) => Err(StartError::NotExecutable { program }),
            Err(source) => Err(StartError::System { program, source }),
        };
    }
    let Some((_, path)) = env.iter().rev().find(|(name, _)| name == "PATH") else {
        return Err(StartError::NoPath { program: program.into() });
    };
    if program.is_empty() {
        return Err(StartError::NotInPath { program: program.into(), path: path.clone() });
    }
    let mut not_executable = None;
    for directory in std::env::split_paths(path).filter(|directory| directory.is_absolute()) {
        let candidate = directory.join(program);
        if is_executable(&candidate) {
            return Ok(candidate);
        }
        if not_executable.is_none() && candidate.is_file() {
            not_executable = Some(candidate);
        }
    }
    Err(match not_executable {
        Some(program) => StartError::NotExecutable { program },
        None => StartError::NotInPath { program: program.into(), path: path.clone() },
    })
}

/// Returns whether there is a file at this path, links followed, that we may execute. (On Windows: a file.)
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    let may = || rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    let may = || true;
    path.is_file() && may()
}

/// The system looks a name up and adds `.exe`: only a relative path has to be made absolute here.
#[cfg(windows)]
fn find(program: &OsStr, cwd: &Path, _env: &[(OsString, OsString)]) -> Result<PathBuf, StartError> {
    let path = Path::new(program);
    Ok(if path.components().count() > 1 { cwd.join(path) } else { path.to_path_buf() })
}
