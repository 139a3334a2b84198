---@meta

--- Runs a process, without a shell, and waits for it. The waiting costs the script none of its time. A program that is not
--- granted, or not there, is an error.
---@param program string The program's name or path, as under `exec` in the hook's grants. A path is meant from the project's root.
---@param args? (string|number)[] Its arguments, each one word.
---@param options? ExecOptions
---@return ExecResult result
function ctx.exec(program, args, options) end

--- The options of `ctx.exec`.
---@class ExecOptions
---@field timeout? number Seconds after which it is ended. Default: 60.
---@field cwd? string Its working directory. Default: `ctx.cwd`.
---@field env? table<string, string|number> Variables that are added to its environment. Each has to stand under `env` in the grants.
---@field stdin? string What it reads. Default: nothing.

--- What a process came to.
---@class ExecResult
---@field stdout string What it wrote to standard output.
---@field stderr string What it wrote to standard error.
---@field code? integer Its exit code; nothing where it was ended by a signal.
---@field signal? integer The signal that ended it.
---@field timed_out boolean Whether the time was up.
---@field truncated boolean Whether it wrote more than is kept.
