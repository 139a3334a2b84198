//! The input of the child, and the error when it cannot be started.

use std::path::Path;

use snaphook_command::process::{Output, ProcessOutcome, Request, run};

use crate::{executable, output, program, sh};

/// A folder with something for every kind of refusal in it.
async fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("bin")).unwrap();
    std::fs::write(dir.path().join("plain"), "text").unwrap();
    std::fs::write(dir.path().join("bin/plain"), "text").unwrap();
    executable(&dir.path().join("bin/hello"), "#!/bin/sh\necho hello from $PWD\n").await;
    executable(&dir.path().join("orphan"), "#!/no/such/interpreter\n").await;
    dir
}

fn request(name: &str, cwd: &Path, path: &str) -> Request {
    Request { cwd: cwd.into(), env: vec![("PATH".into(), path.into())], ..program(name, &[]) }
}

#[tokio::test]
async fn a_refusal_names_what_is_wrong() {
    let dir = folder().await;
    let root = dir.path().to_str().unwrap();
    let bin = format!("{root}/bin");
    // The folder as it looks from the directory of this process.
    let up = "../".repeat(30);
    let relative = format!("{}{bin}", up.trim_end_matches('/'));
    let relative_refused = format!("program `hello` not found in PATH ({})", relative.replace(root, "ROOT"));
    let cases = [
        ("hello", root, relative.as_str(), relative_refused.as_str()),
        ("missing", root, "/usr/bin:/bin", "program `missing` not found in PATH (/usr/bin:/bin)"),
        ("echo hi", root, "/usr/bin:/bin", "program `echo hi` not found in PATH (/usr/bin:/bin)"),
        ("", root, "/bin", "program `` not found in PATH (/bin)"),
        ("hello", root, "bin:.::", "program `hello` not found in PATH (bin:.::)"),
        ("plain", root, &bin, "`ROOT/bin/plain` is not an executable file"),
        ("./missing", root, &bin, "program `ROOT/./missing` does not exist"),
        ("/no/such/program", root, &bin, "program `/no/such/program` does not exist"),
        ("./plain", root, &bin, "`ROOT/./plain` is not an executable file"),
        ("./bin", root, &bin, "`ROOT/./bin` is not an executable file"),
        ("plain/x", root, &bin, "`ROOT/plain/x`: Not a directory (os error 20)"),
        ("./orphan", root, &bin, "the interpreter of `ROOT/./orphan` does not exist"),
        (
            "sh",
            "/no/such/dir",
            "/bin",
            "working directory `/no/such/dir`: No such file or directory (os error 2)",
        ),
        ("sh", "relative", "/bin", "working directory `relative`: not an absolute path"),
        ("sh", &format!("{root}/plain"), "/bin", "working directory `ROOT/plain`: not a directory"),
        ("s\0h", root, "/bin", "the program's name contains a NUL byte"),
        ("sh", "/a\0b", "/bin", "the working directory contains a NUL byte"),
        ("sh", root, "/b\0in", "the value of environment variable `PATH` contains a NUL byte"),
    ];
    for (name, cwd, path, expected) in cases {
        let error = run(request(name, Path::new(cwd), path)).await.expect_err(name).to_string();
        assert_eq!(error.replace(root, "ROOT"), expected, "program {name:?} in {cwd:?}");
    }
}

#[tokio::test]
async fn arguments_and_environment_are_checked_before_the_system_sees_them() {
    let no_path = Request::new("sh", "/");
    let nul = program("sh", &["a", "b\0c"]);
    let with_env = |name: &str| Request { env: vec![(name.into(), "x".into())], ..program("/bin/sh", &[]) };
    let cases = [
        (no_path, "program `sh` not found: the environment given to it has no PATH"),
        (nul, "argument 2 contains a NUL byte"),
        (with_env("A=B"), "`A=B` is not a name for an environment variable"),
        (with_env(""), "`` is not a name for an environment variable"),
        (with_env("A\0"), "the name of environment variable \"A\\0\" contains a NUL byte"),
    ];
    for (request, expected) in cases {
        assert_eq!(run(request).await.unwrap_err().to_string(), expected);
    }
    let huge = "x".repeat(8 << 20);
    let error = run(program("/bin/sh", &["-c", "true", &huge])).await.unwrap_err().to_string();
    assert!(error.contains("`/bin/sh`: ") && error.contains("too long"), "{error}");
}

#[tokio::test]
async fn a_refusal_can_be_rendered_like_every_other_end() {
    let output: Output = run(program("missing", &[])).await.unwrap_or_else(Output::from);
    assert!(matches!(output.outcome, ProcessOutcome::FailedToStart(_)));
    assert!(!output.success() && output.code().is_none() && output.signal().is_none());
    assert_eq!(
        output.outcome.to_string(),
        "failed to start: program `missing` not found in PATH (/usr/bin:/bin)"
    );
}

#[tokio::test]
async fn the_program_is_found_in_the_given_path_and_runs_in_the_given_directory() {
    let dir = folder().await;
    let root = dir.path().canonicalize().unwrap();
    let expected = format!("hello from {}\n", root.display());
    for name in ["hello", "bin/hello", "./bin/hello"] {
        let path = format!("/no/such/dir:relative:{}", root.join("bin").display());
        assert_eq!(output(request(name, &root, &path)).await.stdout, expected, "{name}");
    }
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let args = ["%s|", "a b", "$HOME; *", "", "-x", "\"'\\", "ä\n"];
    assert_eq!(output(program("printf", &args)).await.stdout, "a b|$HOME; *||-x|\"'\\|ä\n|");
    // The program sees the name that it was called by.
    assert_eq!(output(program("sh", &["-c", "echo $0"])).await.stdout, "sh\n");
}

#[tokio::test]
async fn the_environment_is_what_was_given() {
    let env = |pairs: &[(&str, &str)]| Request {
        env: pairs.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        ..Request::new("/usr/bin/env", "/")
    };
    assert_eq!(output(env(&[])).await.stdout, "");
    assert_eq!(output(env(&[("A", "1"), ("A", "2=3")])).await.stdout, "A=2=3\n");
}

#[test]
fn a_request_can_be_logged_without_its_secrets() {
    let mut request = sh("true");
    request.env.push(("TOKEN".into(), "hunter2".into()));
    request.stdin = Some(b"hunter2".to_vec());
    let text = format!("{request:?}");
    assert!(text.contains("TOKEN") && !text.contains("hunter2"), "{text}");
}

#[test]
fn a_run_can_move_between_threads() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    drop(assert_send(run(sh("true"))));
}
