-----
-- name: rewrite-command
-- description: Rewrites commands that would wait for a person, and package installs that would run strangers' scripts
-----
-- Only a line that is exactly one simple command is touched: no pipe, no redirect, no variable, nothing around it. The
-- gates see the command as rewritten, and a second look at it finds nothing left to do.

local function set(words)
  local members = {}
  for word in string.gmatch(words, "%S+") do
    members[word] = true
  end
  return members
end

local PAGES = set("log diff show branch tag stash reflog blame grep")
local CONTINUES = set("rebase merge cherry-pick revert")
local INSTALLS = { npm = set("install i add ci update"), pnpm = set("install i add update"), yarn = set("install add") }

-- Puts options behind the command's name, where no comment can hide them; the rest stays as it was written.
local function insert(command, words)
  local first, rest = string.match(command, "^(%S+)(.*)$")
  return `{first} {words}{rest}`
end

local function rewrite(cmd, line)
  local first, second = cmd.args[1], cmd.args[2]
  -- Git starts a pager on anything that looks like a terminal, and the pager waits for a key.
  if cmd.name == "git" and PAGES[first] then
    return insert(line, "--no-pager")
  end
  -- Git opens an editor for a message that is there already, and the editor waits for ever.
  if cmd.name == "git" and CONTINUES[first] and second == "--continue" then
    return insert(line, "-c core.editor=true")
  end
  -- A package that the agent made up may exist, with an install script of somebody who waited for that.
  if INSTALLS[cmd.name] and INSTALLS[cmd.name][first] and not table.find(cmd.args, "--ignore-scripts") then
    return insert(line, "--ignore-scripts"), "Install scripts were left out (--ignore-scripts). If a package needs its own, name it to the person, who can run `npm rebuild`."
  end
  return nil
end

-- One command, as bash would start it from these very words.
local function is_simple(cmd, line)
  local known = type(cmd.name) == "string" and cmd.path == cmd.name and not cmd.dynamic
  for _, arg in cmd.args do
    known = known and type(arg) == "string" and arg ~= "--"
  end
  local alone = #cmd.via == 0 and #cmd.redirects == 0 and next(cmd.assignments) == nil
  -- What stands around the command, as in `(…)`, `… &` or `… | …`, is in the line and not in its text.
  return known and alone and cmd.text == line and string.sub(line, 1, #cmd.name + 1) == cmd.name .. " "
end

on("tool_call", { tool = "bash", command = "^\\s*(git|npm|pnpm|yarn)\\s" }, function(event)
  local commands = snaphook.shell.commands(event.command)
  local line = string.match(event.command, "^%s*(.-)%s*$")
  -- This is no gate: what cannot be read is left as it is.
  if not commands or #commands ~= 1 or not is_simple(commands[1], line) then
    return nil
  end
  local better, note = rewrite(commands[1], line)
  if better then
    return { command = better, context = note }
  end
end)
