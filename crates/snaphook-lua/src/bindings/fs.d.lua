---@meta

--- Files. What is read has to stand under `read` in the hook's grants, what is changed under `write`; both count where the path
--- leads when links are followed, too. A path is meant from the project's root; `~/…` and absolute ones work. Snaphook's own
--- files (hooks, settings, trust, state) cannot be changed. What fails is an error with the path and the reason.
---@class snaphook.fs
snaphook.fs = {}

--- What stands at a path.
---@class FileStat
---@field kind string `file`, `folder`, or `other` for what is neither.
---@field size integer The size in bytes.
---@field modified number When it was changed last, in seconds since 1970.

--- The text of a file, up to 4 MiB. Other than UTF-8 is an error.
---@param path string The file.
---@return string text
function snaphook.fs.read(path) end

--- Whether there is something. A link that leads nowhere is nothing. Needs `read`.
---@param path string The file or folder.
---@return boolean exists
function snaphook.fs.exists(path) end

--- What is there. Needs `read`.
---@param path string The file or folder.
---@return FileStat? stat Nothing where there is nothing.
function snaphook.fs.stat(path) end

--- The names in a folder, in order, up to 10000. The folder has to be granted itself (`docs/`) or with all in it (`docs/**`); names that
--- are not granted are left out.
---@param path string The folder.
---@return string[] names
function snaphook.fs.list(path) end

--- Replaces the text of a file, or makes the file. Others see the old text or the new one, never a part; the mode is kept. Up to 4 MiB.
---@param path string The file, in a folder that is there.
---@param text string The text.
function snaphook.fs.write(path, text) end

--- Adds to the text of a file, or makes the file. One with a second name (a hard link) is an error.
---@param path string The file.
---@param text string What is added, up to 4 MiB.
function snaphook.fs.append(path, text) end

--- Takes away a file or an empty folder. Of a link, the link.
---@param path string The file or folder.
function snaphook.fs.remove(path) end

--- Makes a folder, with those above it. One that is there already is fine.
---@param path string The folder. Each that is made has to be granted.
function snaphook.fs.make_dir(path) end
