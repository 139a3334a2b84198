---@meta

--- The second argument of every handler: where and for whom it runs, and its ways to the world.
---@class ctx
---@field state Keep Values that are kept for this session.
---@field store Keep Values that are kept on disk.
---@field cwd string The working directory of the session.
---@field project_root string The project's folder.
---@field session_id string The session's id.
---@field session_path? string The session's file, where the agent keeps one.
---@field agent string The agent's name.
---@field scope "managed"|"user"|"project"|"adhoc" Where this hook was installed.
---@field hook string This hook's id.
---@field has_ui boolean Whether somebody can be asked.
---@field cancelled boolean Whether the answer is still wanted. Only a script that computes for long has to look.
local ctx = {}

--- Hands a text to the agent.
---@param text string The text, at most 64 KiB.
---@param options? SendOptions
function ctx.send(text, options) end

--- The options of `ctx.send`.
---@class SendOptions
---@field deliver? "now"|"next_turn"|"follow_up" When the agent gets the text: after the running tool calls, with the next turn (the default), or as a prompt of its own when it has ended its work.

--- Tells all hooks of an event of your own, and waits for their handlers.
---@param name string A name with a dot, like `"build.finished"`.
---@param fields? table<string, any> What the event carries.
function ctx.emit(name, fields) end

--- Writes to the log, never to the agent's terminal.
---@param text string The text, of which the first 16 KiB are kept.
---@param level? Level How much it matters. Default: `"info"`.
function ctx.log(text, level) end

--- How much a text matters.
---@alias Level "debug"|"info"|"warn"|"error"
