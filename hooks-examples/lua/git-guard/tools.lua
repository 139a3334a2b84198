-- Tools of MCP servers that do what git does, as the command lines that they stand for: `git_push` with `force` is `git push --force`.
local rules = require("rules")
local set = require("command").set

-- Fields that say in which folder, which give words of the command line itself, and what it works on, in their order.
local FOLDERS = { "repo_path", "repository", "repo", "cwd", "working_directory", "working_dir", "workdir", "directory", "path" }
local LINES = { "args", "arguments", "flags", "options", "extra_args", "extra", "params" }
local WORDS = { "remote", "key", "value", "url", "refspec", "refspecs", "branch", "branch_name", "branch_or_path", "new_branch", "name", "tag", "tag_name", "ref", "revision", "commit", "commit_hash", "commit_ref", "target", "start_point", "source", "base_branch", "files", "paths", "file", "pathspec", "file_path" }
-- Subcommands whose action is a word, and actions that are options; what is a path where git restores or removes.
local BY_WORD = set("stash worktree remote submodule bisect notes reflog config")
local OPTIONS = set("delete force hard soft mixed keep merge mirror remove")
local ON_FILES = set("restore rm clean add")
-- Fields that lose nothing, whatever the option is called.
local PLAIN = set("create create_branch directories no_fast_forward fast_forward_only sign_off oneline")
-- Other names of options.
local NAMED = { skip_hooks = "no-verify", bypass_hooks = "no-verify", skip_verify = "no-verify", skip_verification = "no-verify", stage_all = "all", sign = "gpg-sign", upstream = "set-upstream", force_delete = "force", untracked = "include-untracked", remove = "delete", detached = "detach" }

-- Texts of a value: a list of them, or one, which is split where it is a line.
local function texts(value, splits)
  local found = {}
  for _, part in if type(value) == "table" then value else { value } do
    for word in string.gmatch(tostring(part), if splits then "%S+" else ".+") do
      table.insert(found, word)
    end
  end
  return found
end

-- The subcommand in a tool's name, and the other words of it: `git_delete_branch`, `cherry_pick`.
local function read_name(tool)
  local parts = string.split(tool, "_")
  local sub, others = nil, {}
  for at, part in parts do
    local double = `{part}-{parts[at + 1] or ""}`
    if not sub and (rules.knows(double) or rules.knows(part)) then
      sub = if rules.knows(double) then double else part
    else
      table.insert(others, part)
    end
  end
  return sub, others
end

-- The command that a call stands for, or nil where it is none of git's.
local function command(event)
  local name = snaphook.regex.replace("-", string.lower(snaphook.regex.replace("([a-z])([A-Z])", event.tool, "${1}_$2")), "_")
  local server, tool = string.match(name, "^mcp__(.-)__(.*)$")
  if not server or not snaphook.regex.matches("(^|_)git(_|$)", name) then
    return nil
  end
  local fields = {}
  for key, value in event.input do
    fields[string.lower(snaphook.regex.replace("-", snaphook.regex.replace("([a-z])([A-Z])", key, "${1}_$2"), "_"))] = value
  end
  local sub, others = read_name(tool)
  local args, words = { sub }, {}
  -- A tool that takes any line of git's has the subcommand there.
  local action = fields.action or fields.operation or fields.subcommand or fields.mode or fields.reset_type or fields.type
  if type(action) == "string" then
    table.insert(others, string.lower(action))
  end
  for _, other in others do
    if sub and BY_WORD[sub] and other ~= "git" then
      table.insert(args, other)
    elseif sub and OPTIONS[other] then
      table.insert(args, `--{NAMED[other] or other}`)
    end
  end
  for key, value in fields do
    if (value == true or value == "true") and not PLAIN[key] then
      table.insert(args, "--" .. snaphook.regex.replace("_", NAMED[key] or key, "-"))
    elseif value == false and (key == "verify" or key == "run_hooks" or key == "hooks") then
      table.insert(args, "--no-verify")
    end
  end
  fields.args = fields.args or not sub and fields.command or nil
  for _, key in LINES do
    for at, word in if fields[key] == nil or type(fields[key]) == "boolean" then {} else texts(fields[key], true) do
      if at > 1 or word ~= "git" then
        table.insert(args, word)
      end
    end
  end
  for _, key in WORDS do
    for _, word in if fields[key] == nil or type(fields[key]) == "boolean" then {} else texts(fields[key], false) do
      table.insert(words, word)
    end
  end
  if #words > 0 and fields.remote == nil and (sub == "push" or sub == "pull" or sub == "fetch") then
    table.insert(words, 1, "origin")
  end
  if type(fields.path) == "string" and sub and ON_FILES[sub] then
    table.insert(words, fields.path)
  end
  table.move(words, 1, #words, #args + 1, args)
  for _, key in FOLDERS do
    if type(fields[key]) == "string" and not (key == "path" and sub and ON_FILES[sub]) then
      args = table.move(args, 1, #args, 3, { "-C", fields[key] })
      break
    end
  end
  if #args == 0 or not sub and not (fields.args or fields.arguments) then
    return nil
  end
  return { name = "git", args = args, via = {}, redirects = {}, dynamic = false, assignments = {}, text = `{event.tool}: git {table.concat(args, " ")}` }
end

return { command = command }
