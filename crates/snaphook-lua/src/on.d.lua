---@meta

--- Which calls a handler wants to see; all keys have to match. It is looked at before the script is entered.
---@class ToolMatcher
---@field tool? Tool|Tool[] The canonical name, or a pattern like `"mcp__github__*"`. `"mcp"` is every MCP tool.
---@field path? string|string[] Files that the call names, as in `.gitignore`.
---@field writes? string|string[] The same, for files that the call may write.
---@field command? string The command line, as a regular expression.

--- Which changes a handler wants to see.
---@class PathMatcher
---@field path? string|string[] Files, as in `.gitignore`.

--- A tool's canonical name, the same in every agent: `bash`, `read`, `write`, `edit`, `glob`, `grep`, `web_fetch`, `web_search`, `task`,
--- `todo`, `notebook`, `mcp__SERVER__TOOL`.
---@alias Tool string
