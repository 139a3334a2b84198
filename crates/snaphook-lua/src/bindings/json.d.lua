---@meta

--- JSON text to values and back.
---@class snaphook.json
---@field null Null JSON's null. A field that holds it is there, a field that holds nothing is not.
snaphook.json = {}

--- JSON's null: `snaphook.json.null` in Lua; `snaphook::json::null` in Rhai is `()`.
---@class Null

--- Writes a value as JSON. A function, a cycle or more than 128 levels are errors.
---@param value any What to write.
---@param pretty? boolean True for indented lines.
---@return string text The JSON.
function snaphook.json.encode(value, pretty) end

--- Reads JSON. Text that is none, or more than 4 MiB of it, is an error.
---@param text string The JSON.
---@return any value What it says.
function snaphook.json.decode(text) end

-- Rhai: gives the list back as it is; lists and maps differ by nature.
--- Marks a list as one, so that an empty one is written `[]` and not `{}`.
---@param list any[] The list.
---@return any[] list The same list.
function snaphook.json.array(list) end
