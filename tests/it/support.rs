//! A place to run the command in: folders of its own, and paths replaced in what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home, a project, and the command.
pub struct Sandbox {
    root: TempDir,
}

/// The output of the command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["project", "config/hooks", "state", "home"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
            own(&root.path().join(folder), root.path());
        }
        Sandbox { root }
    }

    /// A place with a hook that objects to nothing: without any, every gated call is denied.
    pub fn with_hook() -> Self {
        let place = Sandbox::new();
        place.write("config/hooks/open.lua", r#"on("tool_call", function() end)"#);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file, with its folders.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        own(&path, self.root.path());
        path
    }

    /// The command, not yet started.
    pub fn command(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_snaphook"), args)
    }

    /// Another program with the same surroundings, not yet started.
    pub fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("SNAPHOOK_CONFIG_DIR", self.path("config"))
            .env("SNAPHOOK_STATE_DIR", self.path("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> CommandOutput {
        self.finish(self.command(args).spawn().unwrap())
    }

    pub fn run_with_stdin(&self, args: &[&str], stdin: &str) -> CommandOutput {
        self.run_with_bytes(args, stdin.as_bytes())
    }

    pub fn run_with_bytes(&self, args: &[&str], stdin: &[u8]) -> CommandOutput {
        self.feed(self.command(args), stdin)
    }

    /// Runs a command of this place's with a standard input.
    pub fn feed(&self, mut command: Command, stdin: &[u8]) -> CommandOutput {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A program that has read enough closes its end.
        let _ = pipe.write_all(stdin);
        drop(pipe);
        self.finish(child)
    }

    /// Returns what a process said, when it has ended.
    pub fn finish(&self, child: Child) -> CommandOutput {
        let output = child.wait_with_output().unwrap();
        CommandOutput {
            code: output.status.code().unwrap_or(-1),
            stdout: self.clean(&String::from_utf8_lossy(&output.stdout)),
            stderr: self.clean(&String::from_utf8_lossy(&output.stderr)),
        }
    }

    /// Trusts every hook of the project as it is now.
    pub fn trust_all(&self) {
        let pins = self.run(&["trust", "--print"]).stdout;
        let said = self.run(&["trust"].into_iter().chain(pins.lines()).collect::<Vec<_>>());
        assert_eq!(said.code, 0, "{said:?}");
    }

    /// Decides about one call, which counts as an agent's would.
    pub fn check(&self, tool: &str, input: &Value, more: &[&str]) -> CommandOutput {
        let input = input.to_string();
        let mut args = vec!["check", "--record", "--tool", tool, "--input", &input];
        args.extend(more);
        self.run(&args)
    }

    /// Decides about one shell command, as JSON.
    pub fn gate(&self, command: &str, more: &[&str]) -> (i32, Value) {
        let mut args = vec!["--json"];
        args.extend(more);
        let said = self.check("bash", &serde_json::json!({ "command": command }), &args);
        let document = said.document();
        (said.code, document)
    }

    fn clean(&self, text: &str) -> String {
        let root = self.root.path();
        let resolved = std::fs::canonicalize(root).unwrap();
        let shown = |path: &Path| path.display().to_string();
        text.replace(&shown(&resolved), "[place]").replace(&shown(root), "[place]")
    }
}

impl CommandOutput {
    /// The one JSON document on standard output.
    pub fn document(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// As with a umask that lets no other user write, whatever the tests are run with: hooks that others can write do not count.
fn own(path: &Path, root: &Path) {
    #[cfg(unix)]
    for path in path.ancestors().take_while(|path| path.starts_with(root)) {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode & !0o022)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = (path, root);
}

/// The causes of a decision's reasons, joined.
pub fn causes(document: &Value) -> String {
    let reasons = document["reasons"].as_array().cloned().unwrap_or_default();
    reasons.iter().map(|reason| reason["cause"].as_str().unwrap_or("-")).collect::<Vec<_>>().join(" ")
}

/// Front matter with these grants, as a map of YAML: `exec: [sh]`.
pub fn granting(language: &str, grants: &str) -> String {
    let leader = if language == "lua" { "--" } else { "//" };
    format!("{leader}---\n{leader} grants: {{ {grants} }}\n{leader}---\n")
}

/// A folder of the repository.
pub fn repository(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}
