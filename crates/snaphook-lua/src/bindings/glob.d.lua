---@meta

--- Patterns over paths, as in `.gitignore`.
---@class snaphook.glob
snaphook.glob = {}

--- Whether a path matches. A pattern without a slash matches at any depth, one with a slash from the project's root, one that
--- ends in a slash a folder with all in it. `!` takes back what earlier patterns matched, and the last one that matches decides.
---@param patterns string|string[] One pattern or several, like `"*.sql"`, `"/src/**"`, `"secrets/"`, `"!public.pem"`.
---@param path string The path.
---@return boolean matches
function snaphook.glob.matches(patterns, path) end
