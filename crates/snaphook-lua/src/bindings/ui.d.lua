---@meta

--- Asks and tells the person. Where nobody is, questions get no answer and notices go to the log, so the same script runs
--- with and without a person. `docs/guide.md` has the table.
---@class ctx.ui
ctx.ui = {}

--- Asks for a yes.
---@param title string The question.
---@param message? string More about it.
---@return boolean yes False also where nobody is there.
function ctx.ui.confirm(title, message) end

--- Lets the person choose.
---@param title string The question.
---@param options string[] What to choose from, at least one.
---@return string? choice The option; nothing where none was chosen or nobody is there.
function ctx.ui.select(title, options) end

--- Asks for a line of text.
---@param title string The question.
---@param initial? string What stands there to begin with.
---@return string? text Nothing where the person gave none or nobody is there.
function ctx.ui.input(title, initial) end

--- Asks for a longer text, in an editor.
---@param title string The question.
---@param initial? string What stands there to begin with.
---@return string? text Nothing where the person gave none or nobody is there.
function ctx.ui.editor(title, initial) end

--- Tells the person something.
---@param text string The text, at most 64 KiB.
---@param level? Level How much it matters. Default: `"info"`.
function ctx.ui.notify(text, level) end

--- Shows a short text for as long as it is true. A later text under the same key replaces it.
---@param key string What the text is about.
---@param text? string The text; nothing takes it away.
function ctx.ui.set_status(key, text) end
