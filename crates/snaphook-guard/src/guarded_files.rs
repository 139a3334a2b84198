//! The files that self-protection knows by name: those that register hooks in agents, those that shells start with, the
//! project's hooks. Data only. Not here: what programs do (`snaphook_shell::programs`), paths (`places`).

/// Files and folders that register snaphook in an agent, wherever they stand: a path that has these parts in a row is
/// guarded, with all that is below. Lower case, as paths are compared.
#[rustfmt::skip]
pub(crate) const REGISTERS: &[(&[&str], &str)] = &[
    (&[".claude", "settings.json"], "Claude Code's settings"),
    (&[".claude", "settings.local.json"], "Claude Code's settings"),
    (&[".claude", "managed-settings.json"], "Claude Code's settings"),
    (&[".claude.json"], "Claude Code's settings"),
    (&[".claude", "plugins"], "Claude Code's plugins, with their hooks"),
    (&[".claude-plugin"], "a plugin of Claude Code, with its hooks"),
    (&[".mcp.json"], "the MCP servers of the project"),
    (&["claude_desktop_config.json"], "Claude Desktop's MCP servers"),
    (&["mcp_config.json"], "the MCP servers of Windsurf or Antigravity"),
    (&[".kiro", "settings", "mcp.json"], "Kiro's MCP servers"),
    (&[".kiro", "agents"], "Kiro's agents, with their hooks"),
    (&[".kimi-code", "mcp.json"], "Kimi Code's MCP servers"),
    (&[".factory", "mcp.json"], "Droid's MCP servers"),
    (&[".grok", "config.toml"], "Grok's settings"),
    (&[".config", "goose", "config.yaml"], "goose's settings"),
    (&[".cline", "data", "settings"], "Cline's settings"),
    (&["cline_mcp_settings.json"], "Cline's MCP servers"),
    (&[".copilot", "settings.json"], "Copilot's settings"),
    (&[".github", "copilot", "settings.json"], "Copilot's settings"),
    (&[".gemini", "extensions"], "Gemini's extensions"),
    (&[".gemini", "trustedfolders.json"], "the folders that Gemini trusts"),
    (&[".gemini", ".env"], "the variables that Gemini sets"),
    (&[".qwen", "trustedfolders.json"], "the folders that Qwen trusts"),
    (&[".qwen", ".env"], "the variables that Qwen sets"),
    (&[".opencode", "tool"], "OpenCode's tools"),
    (&[".opencode", "tools"], "OpenCode's tools"),
    (&[".roo", "mcp.json"], "Roo's MCP servers"),
    (&[".copilot", "mcp-config.json"], "Copilot's MCP servers"),
    (&[".amazonq", "mcp.json"], "Amazon Q's MCP servers"),
    (&[".aws", "amazonq", "mcp.json"], "Amazon Q's MCP servers"),
    (&[".lmstudio", "mcp.json"], "LM Studio's MCP servers"),
    (&[".codex", "config.toml"], "Codex's settings"),
    (&[".codex", "hooks.json"], "Codex's hooks"),
    (&[".codex", "hooks"], "Codex's hooks"),
    (&[".gemini", "settings.json"], "Gemini's settings"),
    (&[".cursor", "hooks.json"], "Cursor's hooks"),
    (&[".cursor", "mcp.json"], "Cursor's MCP servers"),
    (&[".github", "hooks"], "Copilot's hooks"),
    (&[".copilot", "hooks"], "Copilot's hooks"),
    (&[".copilot", "config.json"], "Copilot's settings"),
    (&[".vscode", "settings.json"], "VS Code's settings"),
    (&[".vscode", "mcp.json"], "VS Code's MCP servers"),
    (&["code", "user", "settings.json"], "VS Code's settings"),
    (&["code", "user", "mcp.json"], "VS Code's MCP servers"),
    (&["opencode.json"], "OpenCode's settings"),
    (&["opencode.jsonc"], "OpenCode's settings"),
    (&[".opencode", "plugin"], "OpenCode's plugins"),
    (&[".opencode", "plugins"], "OpenCode's plugins"),
    (&[".config", "opencode", "plugin"], "OpenCode's plugins"),
    (&[".config", "opencode", "plugins"], "OpenCode's plugins"),
    (&["kilo.json"], "Kilo's settings"),
    (&["kilo.jsonc"], "Kilo's settings"),
    (&[".kilo", "plugin"], "Kilo's plugins"),
    (&[".kilo", "plugins"], "Kilo's plugins"),
    (&[".kilocode", "plugin"], "Kilo's plugins"),
    (&[".kilocode", "plugins"], "Kilo's plugins"),
    (&[".config", "kilo", "plugin"], "Kilo's plugins"),
    (&[".config", "kilo", "plugins"], "Kilo's plugins"),
    (&[".pi", "agent", "extensions"], "pi's extensions"),
    (&[".pi", "agent", "settings.json"], "pi's settings"),
    (&[".pi", "extensions"], "pi's extensions"),
    (&[".pi", "settings.json"], "pi's settings"),
    (&[".grok", "hooks"], "Grok's hooks"),
    (&[".grok", "disabled-hooks"], "Grok's list of disabled hooks"),
    (&[".kimi-code", "config.toml"], "Kimi Code's settings"),
    (&[".vibe", "hooks.toml"], "Vibe's hooks"),
    (&[".vibe", "config.toml"], "Vibe's settings"),
    (&[".vibe", "trusted_folders.toml"], "the folders that Vibe trusts"),
    (&[".windsurf", "hooks.json"], "Windsurf's hooks"),
    (&[".codeium", "hooks.json"], "Windsurf's hooks"),
    (&[".codeium", "windsurf", "hooks.json"], "Windsurf's hooks"),
    (&[".agents", "plugins"], "goose's plugins"),
    (&[".agents", "hooks.json"], "Antigravity's hooks"),
    (&[".gemini", "config", "hooks.json"], "Antigravity's hooks"),
    (&[".kiro", "hooks"], "Kiro's hooks"),
    (&[".clinerules", "hooks"], "Cline's hooks"),
    (&[".cline", "hooks"], "Cline's hooks"),
    (&["documents", "cline", "hooks"], "Cline's hooks"),
    (&[".qwen", "settings.json"], "Qwen's settings"),
    (&[".factory", "hooks.json"], "Droid's hooks"),
    (&[".factory", "settings.json"], "Droid's settings"),
    (&["crush.json"], "Crush's settings"),
    (&[".crush.json"], "Crush's settings"),
    (&["crushrc"], "Crush's settings"),
    (&[".crushrc"], "Crush's settings"),
    (&[".snaphook", "config.toml"], "snaphook's settings of the project"),
    (&[".envrc"], "the variables that direnv sets"),
];

/// The files that shells, git and the system start with, in a person's home: a variable, an alias or a service there
/// decides which hooks run.
#[rustfmt::skip]
pub(crate) const STARTUP: &[&[&str]] = &[
    &[".bashrc"], &[".bash_profile"], &[".bash_login"], &[".bash_logout"], &[".bash_aliases"], &[".profile"],
    &[".xprofile"], &[".xsessionrc"], &[".zshenv"], &[".zshrc"], &[".zprofile"], &[".zlogin"], &[".zlogout"],
    &[".kshrc"], &[".mkshrc"], &[".cshrc"], &[".tcshrc"], &[".login"], &[".pam_environment"], &[".gitconfig"],
    &[".ssh", "rc"], &[".ssh", "environment"], &[".config", "git", "config"], &[".config", "fish"],
    &[".config", "nushell"], &[".config", "powershell"], &[".config", "environment.d"],
    &[".config", "systemd"], &[".config", "autostart"], &[".config", "direnv"],
    &[".local", "share", "systemd"], &["library", "launchagents"],
];

/// Its description.
pub(crate) const STARTS: &str = "what shells, git or the system start with";

/// The place where administrators register hooks.
pub(crate) const SYSTEM: &[(&str, &str)] = &[
    ("/etc/claude-code", "Claude Code's managed settings"),
    ("/Library/Application Support/ClaudeCode", "Claude Code's managed settings"),
    ("/etc/codex", "Codex's managed settings"),
    ("/etc/gemini-cli", "Gemini's managed settings"),
    ("/etc/cursor", "Cursor's managed settings"),
    ("/etc/opencode", "OpenCode's managed settings"),
    ("/etc/kilo", "Kilo's managed settings"),
    ("/etc/profile", STARTS),
    ("/etc/profile.d", STARTS),
    ("/etc/bash.bashrc", STARTS),
    ("/etc/zsh", STARTS),
    ("/etc/environment", STARTS),
    ("/etc/gitconfig", STARTS),
    ("/etc/ld.so.preload", STARTS),
    ("/etc/systemd", STARTS),
    ("/etc/cron.d", STARTS),
    ("/etc/crontab", STARTS),
];

/// Folders of texts for agents, which register hooks or servers where they have these words at their start.
pub(crate) const PROMPTS: &[&[&str]] =
    &[&[".claude", "agents"], &[".claude", "skills"], &[".claude", "commands"]];
pub(crate) const REGISTERING: &[&str] = &["hooks:", "mcpservers:", "hooks\":", "mcpservers\":"];

/// Folders that hold one of the above and little else.
pub(crate) const AGENT_FOLDERS: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".copilot",
    ".opencode",
    ".kilo",
    ".kilocode",
    ".qwen",
    ".factory",
    ".grok",
    ".kimi-code",
    ".vibe",
    ".pi",
    ".kiro",
    ".windsurf",
];

/// The project's hooks: writing them is allowed, taking them away is not.
pub(crate) const PROJECT_HOOKS: &[&[&str]] = &[
    &[".snaphook", "hooks"],
    &[".snaphook", "lifecycle.yml"],
    &[".discobot", "hooks"],
    &[".marvin", "hooks"],
    &[".iteratr.hooks.yml"],
];

/// The folders that they are in.
pub(crate) const PROJECT_FOLDERS: &[&str] = &[".snaphook", ".discobot", ".marvin"];

/// File names of the above that nothing else is called.
pub(crate) const PECULIAR: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "hooks.json",
    "opencode.json",
    "opencode.jsonc",
    "kilo.json",
    "kilo.jsonc",
    "hooks.toml",
    ".mcp.json",
    "claude_desktop_config.json",
    "mcp_config.json",
];
