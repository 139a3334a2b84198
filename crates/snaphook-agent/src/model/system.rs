//! The system prompt: short, and true about where the agent is. Not here: what hooks make of it (`model_request`).

use std::path::Path;

use snaphook_state::plain_fs;

/// The file of a project that tells agents about it.
pub const PROJECT_FILE: &str = "AGENTS.md";

/// The longest of these files that is read, in bytes.
const MAX_PROJECT_FILE: u64 = 64 << 10;

const ABOUT: &str = "\
You are a coding agent. You work in one project folder, by the tools that you are given, until the task is done. \
Your tool calls are checked by the person's hooks before they run: a call may be denied, or its input changed. A denial \
says why; do what it asks, or find a way that it allows, and never try to get around it. \
Look before you change something, make the smallest change that does the task, and run the project's own checks afterwards. \
When you are done, say in a few sentences what you did and what is left. Do not claim what you did not see.";

/// Returns the system prompt for a project: ours or the person's, then what the project says about itself.
pub fn prompt(own: Option<&str>, project: &Path, today: &str) -> SystemPrompt {
    let mut text = own.unwrap_or(ABOUT).trim_end().to_owned();
    text.push_str(&format!("\n\nThe project folder is {}. Today is {today}.", project.display()));
    let file = project.join(PROJECT_FILE);
    let mut note = None;
    match plain_fs::read(&file, MAX_PROJECT_FILE) {
        Ok(bytes) => {
            let said = String::from_utf8_lossy(&bytes);
            text.push_str(&format!("\n\nThe project's {PROJECT_FILE} says:\n\n{}", said.trim_end()));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => note = Some(format!("{PROJECT_FILE} is not read: {error}")),
    }
    SystemPrompt { text, note }
}

/// A system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// The text.
    pub text: String,
    /// The part that could not be read.
    pub note: Option<String>,
}
