---@meta

--- The host's clock. Times are seconds since 1970-01-01 00:00 UTC, with fractions.
---@class snaphook.time
snaphook.time = {}

--- The time.
---@return number seconds
function snaphook.time.now() end

--- A time as text, like `2026-02-03T04:05:06Z`, in UTC.
---@param seconds? number The time. Default: now.
---@return string text
function snaphook.time.iso(seconds) end

--- Reads a time with its zone, like `2026-02-03T04:05:06+01:00`. Anything else is an error.
---@param text string The text.
---@return number seconds
function snaphook.time.parse(text) end
