---@meta

-- Rhai as: print(value)
--- Writes to the log, as `ctx.log` does.
---@param ... any The values, parted by tabs.
function print(...) end
