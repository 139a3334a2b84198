---@meta

--- Web servers that the hook's grants name under `net`: https and http, at their own ports unless the grant has another. Waiting for
--- an answer costs the script none of its time. Only handlers can ask.
---@class snaphook.http
snaphook.http = {}

--- Asks for an address. A server that cannot be reached, an answer of more than 4 MiB and one that is not there in time are
--- errors; a status like 404 is none. At most 5 redirects are followed, each to what is granted as well.
---@param url string The address.
---@param options? HttpOptions
---@return HttpResponse response
function snaphook.http.get(url, options) end

--- Sends a text to an address; for other values there is `snaphook.json.encode`. The rest is as for `get`.
---@param url string The address.
---@param body string What is sent, at most 4 MiB.
---@param options? HttpOptions
---@return HttpResponse response
function snaphook.http.post(url, body, options) end

--- The options of `snaphook.http`.
---@class HttpOptions
---@field headers? table<string, string|number> Header fields. The default content type of a body is `text/plain; charset=utf-8`.
---@field timeout? number Seconds for the whole exchange, at most 300. Default: 30.

--- What a web server answered.
---@class HttpResponse
---@field status integer The status, like 200.
---@field headers table<string, string> Header fields, names in lower case; repeated ones are joined by `, `.
---@field body string The text. What is not UTF-8 is replaced by U+FFFD.
---@field url string The address that answered, after redirects.
