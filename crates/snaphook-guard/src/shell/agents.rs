//! Agents' own command lines: those that change their settings, hooks, plugins or MCP servers, and those that start a session
//! which may run without hooks. What is not known to be harmless is asked about. Not here: the files that they change (`places`).

use snaphook_shell::programs::{Role, is};
use snaphook_shell::{Command, Word};

use super::readers::is_harmless;
use super::spelling::name_of;
use crate::finding::Finding;

/// Programs, and packages that start them.
#[rustfmt::skip]
const AGENTS: &[&str] = &[
    "claude", "claude-code", "codex", "gemini", "gemini-cli", "cursor-agent", "copilot", "opencode",
    "opencode-ai", "qwen", "qwen-code", "droid", "goose", "amp", "crush", "cline", "kiro-cli", "q", "grok",
    "auggie", "antigravity", "kimi", "vibe", "kilo", "kilocode",
];

/// Editors with an agent inside, whose other options are everyday.
const EDITORS: &[&str] = &["code", "code-insiders", "codium", "cursor", "windsurf", "kiro", "agy"];
const EDITOR_OPTIONS: &[&str] = &[
    "--add-mcp",
    "--install-extension",
    "--uninstall-extension",
    "--disable-extension",
    "--user-data-dir",
    "--profile",
    "--extensions-dir",
    "--disable-workspace-trust",
];

/// Words that begin what changes something, unless one of `SHOWS` follows.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "mcp", "plugin", "plugins", "plug", "extension", "extensions", "hook", "hooks", "config", "settings",
    "features", "skills", "install", "uninstall", "configure", "setup", "update", "upgrade", "setup-token",
    "migrate-installer", "acp", "serve", "server", "app-server", "mcp-server", "agent", "recipe", "login",
    "logout", "auth", "trust", "permissions",
];
const SHOWS: &[&str] = &["list", "ls", "get", "show", "status", "--help", "-h", "help", "--version"];

/// Options that neither replace settings nor pass over what guards.
#[rustfmt::skip]
const HARMLESS_OPTIONS: &[&str] = &[
    "-p", "--print", "--prompt", "-m", "--model", "--output-format", "-o", "--output",
    "--output-last-message", "--output-schema", "--input-format", "--verbose", "--max-turns", "-r",
    "--resume", "--continue", "--append-system-prompt", "--allowedTools", "--allowed-tools",
    "--disallowedTools", "--disallowed-tools", "--json", "--cd", "-C", "-s", "--sandbox", "-i", "--image",
    "--help", "-h", "--version", "-v", "-V", "--include-partial-messages", "--session-id", "--session",
    "--fallback-model", "--effort", "--color", "--skip-git-repo-check", "--ephemeral", "--last",
    "--non-interactive", "--format", "--title", "--quiet", "-q", "--cwd", "--add-dir", "--", "-t", "--text",
    "-n",
];

/// Variables by which agents find their settings, and what they were started with.
const MOVES: &[&str] = &[
    "HOME",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "PATH",
    "BASH_ENV",
];

/// Returns whether a variable says which settings or hooks an agent has.
pub(crate) fn moves(name: &str) -> bool {
    let of_agents = [
        "CLAUDE",
        "CODEX",
        "GEMINI",
        "CURSOR",
        "COPILOT",
        "OPENCODE",
        "KILO_",
        "VIBE_",
        "QWEN",
        "FACTORY",
        "GOOSE",
        "AMP_",
        "CRUSH",
        "SNAPHOOK_",
    ];
    let is_key = ["_API_KEY", "_TOKEN", "_MODEL", "_BASE_URL"].iter().any(|end| name.ends_with(end));
    MOVES.contains(&name) || (of_agents.iter().any(|start| name.starts_with(start)) && !is_key)
}

/// Looks at one command; `moved` says that the text sets a variable which [`moves`] an agent.
pub(crate) fn look(command: &Command, moved: bool) -> Option<Finding> {
    let name = name_of(command);
    let bare = |text: &str| {
        text.rsplit('/').next().unwrap_or_default().split('@').next().unwrap_or_default().to_lowercase()
    };
    if EDITORS.contains(&name.as_str()) {
        let asked = command
            .args
            .iter()
            .any(|arg| EDITOR_OPTIONS.iter().any(|option| arg.prefix().starts_with(option)));
        return asked.then(|| ask(&name));
    }
    let (agent, args) = if is(&name, Role::StartsPackages) {
        let at = command.args.iter().take(6).position(|arg| {
            arg.known().is_some_and(|text| !text.starts_with('-') && AGENTS.contains(&bare(text).as_str()))
        })?;
        (bare(command.args.get(at)?.text()), command.args.get(at + 1..)?)
    } else {
        (name.clone(), &command.args[..])
    };
    // Installing one is another matter.
    let installs =
        |arg: &Word| matches!(arg.known(), Some("install" | "i" | "add" | "update" | "uninstall" | "remove"));
    if !AGENTS.contains(&agent.as_str()) || (name != agent && command.args.first().is_some_and(installs)) {
        return None;
    }
    let environment = command.via.iter().any(|via| via == "env") && {
        let clears = |word: &str| {
            word == "-"
                || word.starts_with("-i")
                || word.starts_with("-u")
                || word.starts_with("--u")
                || word.starts_with("--i")
        };
        command.text.split_whitespace().any(clears)
    };
    let set = command.assignments.iter().any(|(name, value)| !is_harmless(name, value) && moves(name));
    let inside = command
        .via
        .iter()
        .any(|via| matches!(via.as_str(), "chroot" | "unshare" | "sudo" | "doas" | "su" | "bwrap"));
    (moved || set || environment || inside || changes(&agent, args)).then(|| ask(&agent))
}

fn changes(agent: &str, args: &[Word]) -> bool {
    let mut operands = args.iter().filter(|arg| !arg.prefix().starts_with('-'));
    let first = operands.next();
    let shows = operands.next().and_then(Word::known).is_some_and(|word| SHOWS.contains(&word));
    let shown = args.iter().any(|arg| matches!(arg.known(), Some("--help" | "-h" | "--version")));
    let asks = first.and_then(Word::known).is_some_and(|word| CHANGES.contains(&word));
    if shown {
        return false;
    }
    let odd = |arg: &Word| {
        let text = arg.prefix();
        let option = text.split('=').next().unwrap_or_default();
        // What follows the conversation elsewhere is the configuration in Codex.
        let goes_on = option == "-c" && agent != "codex";
        // And what is printed elsewhere is a profile, with settings of its own.
        let profile = agent == "codex" && option == "-p";
        arg.many() || profile || (option.starts_with('-') && !goes_on && !HARMLESS_OPTIONS.contains(&option))
    };
    (asks && !shows) || args.iter().any(odd)
}

fn ask(agent: &str) -> Finding {
    Finding::Ask(format!(
        "`{agent}` may change an agent's settings, plugins or MCP servers here, or run without the person's hooks, which an agent does not do on its own. Let it?"
    ))
}
