---@meta

--- Values by key, each hook its own: `ctx.state` for the session, `ctx.store` on disk for good. Values are copies: change
--- one, then `set` it again. Each of the two holds 1 MiB.
---@class Keep
local Keep = {}

--- The value of a key.
---@param key string The key.
---@param default? any What to give where the key has no value.
---@return any value
function Keep.get(key, default) end

--- Sets the value of a key.
---@param key string The key.
---@param value any What can be written as JSON. Nothing deletes the key.
function Keep.set(key, value) end

--- Takes a key away.
---@param key string The key.
function Keep.delete(key) end

--- The keys that have values.
---@return string[] keys
function Keep.keys() end
