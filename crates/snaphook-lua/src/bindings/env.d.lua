---@meta

--- Environment variables. Each has to stand under `env` in the hook's grants; any other is an error.
---@class snaphook.env
snaphook.env = {}

--- The value of a variable; the default, or nothing, where it is not set.
---@param name string The variable's name.
---@param default? string What is given where it is not set.
---@return string? value
function snaphook.env.get(name, default) end
