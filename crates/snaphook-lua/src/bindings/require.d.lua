---@meta

-- Rhai as: import "words" as words
-- Rhai: a statement; what the file exports is reached as `words::name`.
--- Runs another file of the same folder hook, once, and gives what it returns. Nothing outside of the folder can be reached.
---@param name string The file without its extension, like `"words"`, `"./words"` or `"lib/words"`.
---@return any module
function require(name) end
