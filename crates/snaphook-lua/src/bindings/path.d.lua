---@meta

--- Paths as text. Nothing is looked up on disk, so links are not followed.
---@class snaphook.path
snaphook.path = {}

-- Rhai: up to eight parts, or one array of them.
--- Puts parts together, with one `/` between them. An absolute part starts afresh.
---@param ... string The parts.
---@return string path
function snaphook.path.join(...) end

--- Removes `.`, `..` and doubled slashes, as far as the text alone allows.
---@param path string The path.
---@return string path
function snaphook.path.normalize(path) end

--- The file that a path means, seen from a folder; normalized.
---@param base string The folder, for example `ctx.cwd`.
---@param path string The path. An absolute one is kept.
---@return string path
function snaphook.path.resolve(base, path) end

--- The way from a folder to a path.
---@param path string The path.
---@param base string The folder.
---@return string? path Nothing where there is no way, as from a relative path to an absolute one.
function snaphook.path.relative(path, base) end

--- Whether a path is a folder or lies below it. Compare resolved paths.
---@param path string The path.
---@param folder string The folder.
---@return boolean inside
function snaphook.path.is_inside(path, folder) end

--- Whether a path starts at a root.
---@param path string The path.
---@return boolean absolute
function snaphook.path.is_absolute(path) end

--- The last part of a path; empty for the root.
---@param path string The path.
---@return string name
function snaphook.path.basename(path) end

--- A path without its last part.
---@param path string The path.
---@return string folder
function snaphook.path.dirname(path) end

--- What stands behind the last dot of the last part, without the dot; empty if there is none.
---@param path string The path.
---@return string extension
function snaphook.path.extension(path) end
