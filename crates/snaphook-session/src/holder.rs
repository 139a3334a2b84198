//! Command lines that run held: `snaphook hold -p guarded -- 'npm test'`, in a form that agents can show, and that is
//! recognised when it comes back. Not here: what such a line does (`snaphook hold`), and when a call needs one (the host).

use std::path::{Path, PathBuf};

use snaphook::{Hold, HoldProfile, Holder, NotHeld, ToolCall, quoted_word};
use snaphook_discovery::{Directories, Unsupported};
use snaphook_hold::Strictness;

use crate::env::ProcessEnv;
use crate::machine::missing_for;

/// The keys under which agents' tools for command lines name a working directory.
const CWD_KEYS: &[&str] =
    &["workdir", "cwd", "dir", "directory", "dir_path", "working_directory", "workingDirectory", "Cwd"];

/// The option of a line that accepts forms that hold less.
const WEAKER: &str = " --allow-weaker";

/// Holds commands by a program that has the command `hold`: snaphook itself.
#[derive(Debug, Clone)]
pub struct ProgramHolder {
    /// The program as a command line names it, quoted.
    program: Option<String>,
    /// The program.
    file: Option<PathBuf>,
    /// The project of the session, for calls that run elsewhere.
    project: PathBuf,
    /// True if the working directory of the session is the project itself.
    in_project: bool,
    /// The outcome of a call that this machine cannot hold.
    unsupported: Unsupported,
}

impl ProgramHolder {
    /// A holder by the program of this process, by its whole path: the shell of an agent may have another `PATH` than this process,
    /// with a folder before it in which commands may write.
    pub fn new(env: &ProcessEnv, directories: &Directories, unsupported: Unsupported) -> Self {
        let program = env.program.as_deref().and_then(Path::to_str);
        let program = program.map(|program| quoted_word(program).into_owned());
        let Directories { project_root, cwd, .. } = directories;
        ProgramHolder {
            program,
            file: env.program.clone(),
            project: project_root.clone(),
            in_project: project_root == cwd,
            unsupported,
        }
    }

    /// Reads a command line that this holder wrote.
    pub fn read(&self, line: &str) -> Option<HeldLine> {
        HeldLine::read(self.program.as_deref()?, line)
    }

    /// The project, where the command line might run in another one: what is guarded is the session's project.
    fn project_of(&self, call: &ToolCall) -> Option<PathBuf> {
        let moves = CWD_KEYS.iter().any(|key| call.input.get(key).is_some_and(|value| !value.is_null()));
        (moves || !self.in_project).then(|| self.project.clone())
    }
}

impl Holder for ProgramHolder {
    fn held(&self, hold: &Hold, call: &ToolCall) -> Result<String, NotHeld> {
        if cfg!(not(unix)) {
            return Err(NotHeld::Deny(
                "a command cannot be held on this system; run the agent on Linux or macOS, or take the hold away".to_owned(),
            ));
        }
        let Some(program) = &self.program else {
            return Err(NotHeld::Deny(
                "the command cannot be held: the path of snaphook's program is unknown, or not UTF-8"
                    .to_owned(),
            ));
        };
        let Some(command) = call.command() else {
            return Err(NotHeld::Deny("the call has no command line to hold".to_owned()));
        };
        // Where it is denied, `snaphook hold` itself says so: trying takes milliseconds.
        let missing = match (self.unsupported, &self.file) {
            (Unsupported::Deny, _) | (_, None) => None,
            (Unsupported::Ask | Unsupported::Weaker, Some(file)) => {
                missing_for(file, hold, Strictness::AsAsked)
            }
        };
        if self.unsupported == Unsupported::Ask
            && let Some(missing) = missing
        {
            return Err(NotHeld::Ask(format!(
                "This command would be held by the kernel, and this machine lacks {missing}. Run it unheld?"
            )));
        }
        let (project, weaker) = (self.project_of(call), missing.is_some());
        if let Some(line) = HeldLine::read(program, &command)
            && line.hold.clone().strictest(hold.clone()) == line.hold
            && line.project == project
            && line.weaker <= weaker
        {
            return Ok(command.into_owned());
        }
        Ok(HeldLine { hold: hold.clone(), weaker, project, command: command.into_owned() }.write(program))
    }
}

/// A command line that runs another one held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLine {
    /// What holds it.
    pub hold: Hold,
    /// True if forms that hold less are good enough.
    pub weaker: bool,
    /// The project whose places are guarded, where it is not the one of the working directory.
    pub project: Option<PathBuf>,
    /// The command line that it runs.
    pub command: String,
}

impl HeldLine {
    /// Returns the line for a program that is written like this.
    pub fn write(&self, program: &str) -> String {
        let mut line = format!("{program} hold");
        for argument in self.hold.arguments() {
            let is_json = argument.starts_with('{');
            line += &format!(" {}", if is_json { quoted(&argument) } else { argument });
        }
        if self.weaker {
            line += WEAKER;
        }
        if let Some(project) = &self.project {
            line += &format!(" --project {}", quoted(&project.to_string_lossy()));
        }
        // Always in quotes: a single plain word would be the name of a program, and not a command line.
        line + &format!(" -- {}", quoted(&self.command))
    }

    /// Reads a line that is written exactly as [`HeldLine::write`] does; others may mean something else.
    pub fn read(program: &str, line: &str) -> Option<Self> {
        let mut rest = line.strip_prefix(program)?.strip_prefix(" hold")?;
        let (mut profiles, mut policy, mut weaker, mut project) = (Vec::new(), Hold::default(), false, None);
        let command = loop {
            if let Some(after) = rest.strip_prefix(" -p ") {
                let (name, after) = after.split_at(after.find(' ')?);
                profiles.push(HoldProfile::from_name(name)?);
                rest = after;
            } else if let Some(after) = rest.strip_prefix(" --policy ") {
                let (text, after) = unquoted(after)?;
                policy = Hold::parse(&serde_json::from_str(&text).ok()?).ok()?;
                rest = after;
            } else if let Some(after) = rest.strip_prefix(WEAKER) {
                (weaker, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix(" --project ") {
                let (folder, after) = unquoted(after)?;
                project = Some(PathBuf::from(folder));
                rest = after;
            } else {
                let (command, after) = unquoted(rest.strip_prefix(" -- ")?)?;
                break (after.is_empty()).then_some(command)?;
            }
        };
        if !profiles.is_empty() {
            policy.profile = Some(profiles);
        }
        let read = HeldLine { hold: policy, weaker, project, command };
        (read.write(program) == line).then_some(read)
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Reads a word in single quotes at the start of a text, and returns what is behind it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        rest = rest.strip_prefix('\'')?;
        let (part, after) = rest.split_at(rest.find('\'')?);
        word += part;
        rest = after.strip_prefix('\'')?;
        match rest.strip_prefix("\\'") {
            Some(after) => {
                word.push('\'');
                rest = after;
            }
            None => return Some((word, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hold(value: serde_json::Value) -> Hold {
        Hold::parse(&value).unwrap()
    }

    #[test]
    fn lines_are_short_and_read_back() {
        for (policy, weaker, command, expected) in [
            (json!({"profile": "guarded"}), false, "npm test", "snaphook hold -p guarded -- 'npm test'"),
            (json!({"profile": "guarded"}), true, "ls", "snaphook hold -p guarded --allow-weaker -- 'ls'"),
            (
                json!({"profile": ["project", "offline"]}),
                false,
                "make",
                "snaphook hold -p project -p offline -- 'make'",
            ),
            (
                json!({"net": "none", "deny_write": ["a b"]}),
                false,
                "echo 'it''s' \"$x\"\ncat",
                r#"snaphook hold --policy '{"deny_write":["a b"],"net":"none"}' -- 'echo '\''it'\'''\''s'\'' "$x"
cat'"#,
            ),
            (
                json!({"profile": "guarded", "env": []}),
                false,
                "",
                r#"snaphook hold -p guarded --policy '{"env":[]}' -- ''"#,
            ),
        ] {
            let line = HeldLine { hold: hold(policy), weaker, project: None, command: command.to_owned() };
            assert_eq!(line.write("snaphook"), expected);
            assert_eq!(HeldLine::read("snaphook", expected), Some(line));
        }
    }

    #[test]
    fn a_line_that_is_written_otherwise_is_not_taken_for_one() {
        for line in [
            "snaphook hold -p guarded -- 'ls' ; rm -rf x",
            "snaphook hold -p guarded -- ls",
            "snaphook hold  -p guarded -- 'ls'",
            "snaphook hold -p guarded -- 'ls' ",
            "snaphook hold -p guarded --policy '{}' -- 'ls'",
            "snaphook hold -p guarded -p guarded --policy {} -- 'ls'",
            "snaphook hold -p gu -- 'ls'",
            "snaphook hold --allow-weaker -p guarded -- 'ls'",
            "snaphook hold -p guarded --allow-weaker --allow-weaker -- 'ls'",
            "snaphook hold --policy '{\"net\":\"none\"}' -p guarded -- 'ls'",
            "snaphook hold -- 'ls'; 'x'",
            "/tmp/snaphook hold -p guarded -- 'ls'",
        ] {
            assert_eq!(HeldLine::read("snaphook", line), None, "{line}");
        }
    }

    #[test]
    fn a_held_line_is_held_again_only_if_it_is_looser() {
        let project = PathBuf::from("/p");
        let holder = ProgramHolder {
            program: Some("snaphook".to_owned()),
            file: None,
            project,
            in_project: true,
            unsupported: Unsupported::Deny,
        };
        let guarded = hold(json!({"profile": "guarded"}));
        let offline = hold(json!({"profile": "guarded", "net": "none"}));
        let call = |line: &str| ToolCall::new("1", "bash", json!({ "command": line }));
        let once = holder.held(&guarded, &call("npm test")).unwrap();
        assert_eq!(holder.held(&guarded, &call(&once)).unwrap(), once);
        let twice = holder.held(&offline, &call(&once)).unwrap();
        assert!(twice.starts_with("snaphook hold -p guarded --policy "), "{twice}");
        assert_eq!(holder.held(&guarded, &call(&twice)).unwrap(), twice);
        // A call that runs elsewhere is held by the rules of its session's project.
        let moved = json!({ "command": "npm test", "workdir": "/tmp" });
        let moved = holder.held(&guarded, &ToolCall::new("1", "bash", moved)).unwrap();
        assert_eq!(moved, "snaphook hold -p guarded --project '/p' -- 'npm test'");
        // One that accepts less than has to be is held from outside.
        let weaker = "snaphook hold -p guarded --allow-weaker -- 'ls'";
        assert!(holder.held(&guarded, &call(weaker)).unwrap().starts_with("snaphook hold -p guarded -- "));
        // What only looks held is held from outside.
        let trick = format!("{once}; rm -rf x");
        assert!(holder.held(&guarded, &call(&trick)).unwrap().ends_with("; rm -rf x'"));
    }
}
