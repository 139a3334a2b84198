---@meta

--- What every script has, while it loads and in handlers.
---@class snaphook
---@field version string The version of Snaphook, as in `0.1.0`.
snaphook = {}
