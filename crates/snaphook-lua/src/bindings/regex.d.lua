---@meta

--- Regular expressions that take linear time, in the syntax of Rust's crate `regex`: no look-around, no back-references. They
--- match anywhere in the text unless `^` and `$` say otherwise. A pattern that is not valid is an error.
---@class snaphook.regex
snaphook.regex = {}

--- What a pattern matched.
---@class RegexMatch
---@field text string The text that matched.
---@field groups (string|false)[] The texts of the pattern's groups, in order; false for one that took no part.
---@field names table<string, string> The texts of the groups that have names and took part.

--- Whether a pattern matches.
---@param pattern string The regular expression.
---@param text string Where to look.
---@return boolean matches
function snaphook.regex.matches(pattern, text) end

--- The first match.
---@param pattern string The regular expression.
---@param text string Where to look.
---@return RegexMatch? match Nothing where the pattern does not match.
function snaphook.regex.find(pattern, text) end

--- All matches, from left to right, without overlaps.
---@param pattern string The regular expression.
---@param text string Where to look.
---@param limit? integer How many at most. Default: 1000.
---@return RegexMatch[] matches
function snaphook.regex.find_all(pattern, text, limit) end

--- The text with each match replaced.
---@param pattern string The regular expression.
---@param text string Where to look.
---@param by string What stands for a match: `$1` or `${name}` is a group, `$$` a dollar.
---@return string text
function snaphook.regex.replace(pattern, text, by) end

--- A pattern that matches exactly this text.
---@param text string The text.
---@return string pattern
function snaphook.regex.escape(text) end
