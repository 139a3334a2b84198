-----
-- name: git-guard
-- description: Keeps history, uncommitted work and the repository's own hooks; asks before a push to a shared branch
-- grants:
--   exec: [git]
-----
local command = require("command")
local rules = require("rules")
local judged = require("refuse")
local losses = require("losses")
local push = require("push")
local tools = require("tools")
local elsewhere = require("elsewhere")
local has, set, deny, ask = command.has, command.set, judged.deny, judged.ask

local LOSES = set("stash/drop stash/clear reflog/expire reflog/delete filter-branch filter-repo update-ref")
local GUARDED = set("push reset clean checkout restore switch branch commit config stash merge rebase cherry-pick am revert")
local MAY_BE_VAGUE = set("add commit merge stash tag branch cherry-pick revert apply")
local OF_CONFIG = set("set get list unset remove-section rename-section edit")
local function judge(call, cmd, dir, ctx)
  local sub, words = call.sub, call.words
  local first, answer = words[if sub == "config" and OF_CONFIG[words[1] or ""] then 2 else 1], judged.refuse(call)
  for _, text in call.settings do
    answer = answer or judged.setting(text)
  end
  local sets = sub == "config" and (#words > 1 or has(call, "e", "edit", "unset", "unset-all")) and not has(call, "l", "get", "get-all", "get-regexp", "list") and words[1] ~= "get" and words[1] ~= "list"
  if answer then
    return answer
  elseif sub == "commit-tree" or sub == "config" and (has(call, "e", "edit") or words[1] == "edit") then
    return ask(`git {sub} can get past the repository's own hooks`)
  elseif LOSES[sub] or LOSES[`{sub}/{words[1]}`] then
    return ask(`git {sub} {words[1] or ""} can lose commits`)
  elseif call.unknown and sub ~= "add" then
    return ask(`{if sub == "" then "git" else `git {sub}`} with {call.unknown}, which could be any option`)
  elseif call.vague and not rules.READS[sub] and not MAY_BE_VAGUE[sub] then
    return ask(`git {sub} with {call.vague}, which is known only when it runs`)
  elseif sets and has(call, "f", "file", "blob") then
    answer = ask("git config writes to a file that is named")
  elseif sets then
    answer = judged.setting(first or "")
  elseif sub == "fetch" or sub == "pull" then
    for _, word in words do
      answer = answer or (string.find(word, "^%+") or string.find(word, ":[^/]")) and ask(`git {sub} of {word} overwrites a branch`) or nil
    end
  elseif sub == "push" then
    answer = push.judge(call, dir, ctx)
  end
  local what = not answer and rules.unknown(call, cmd)
  return answer or (what and ask(`This runs git {what}`) or nil)
end

local function may_be_git(cmd, line)
  local found = string.find(string.lower(line), "git", 1, true) ~= nil
  for _, arg in cmd.args do
    found = found or type(arg) ~= "string" or GUARDED[arg] == true
  end
  return found
end

on("tool_call", { command = "\\S" }, function(event, ctx)
  local commands, problem = snaphook.shell.commands(event.command, { shell = event.shell })
  if not commands then
    return deny(`this command line cannot be read, so it cannot be checked (not understood: {problem}); write it more simply`)
  end
  local dirs, asked = { ctx.cwd }, nil
  -- Variables may be given beside the line, too.
  local env = event.input.env
  local before = if type(env) == "table" then judged.variables({ name = "", args = {}, assignments = env }) else nil
  -- What the line has done so far: another branch, files moved, a new clone, changes shown the wrong way round.
  local switched, moved, cloned, backwards = false, false, false, false
  for _, cmd in commands do
    local name = if type(cmd.name) == "string" then cmd.name else ""
    local is_git = name == "git" or name == "hub" or string.find(name, "^git%-") ~= nil
    local sets = name == "" or judged.SETTERS[name] or is_git
    local variables = if sets and not cmd.dynamic then judged.variables(cmd) elseif sets and judged.SETTERS[name] then ask(`This may send git elsewhere: {cmd.text}`) else nil
    if variables and variables.block then
      return variables
    end
    before = before or variables
    local answer = nil
    if is_git and before and before.block then
      return before
    elseif is_git then
      local call = command.read(cmd)
      answer = judge(call, cmd, if switched or not dirs then nil else dirs[#dirs], ctx)
        or losses.work(call, cmd, if moved then nil else dirs, cloned, ctx)
      answer = answer or call.sub == "apply" and losses.patch(cmd, backwards) or before or (cmd.dynamic or cmd.opaque) and ask(`This may run more than git: {cmd.text}`) or nil
      switched = switched or call.sub == "checkout" or call.sub == "switch"
      moved = moved or call.sub == "mv" or call.sub == "stash" and call.words[1] == "pop"
      cloned = cloned or call.sub == "clone"
      backwards = backwards or call.letters.R == true
    elseif cmd.dynamic and may_be_git(cmd, event.command) then
      answer = ask(`This may run git in a way that cannot be known before: {cmd.text}`)
    elseif name == "patch" then
      answer = losses.patch(cmd, backwards)
    elseif name == "cd" or name == "pushd" or name == "popd" then
      dirs = command.enter(dirs, cmd.args[1])
    end
    moved = moved or name == "mv"
    answer = answer or losses.hooks(cmd, dirs, event.command) or elsewhere.program(cmd)
    if answer and answer.block then
      return answer
    end
    asked = asked or answer
  end
  return asked
end)

-- A tool of a server may be git by another name, or work on a repository that others see.
on("tool_call", { tool = "mcp" }, function(event, ctx)
  local cmd = tools.command(event)
  if not cmd then
    return elsewhere.tool(event, push.SHARED)
  end
  local call = command.read(cmd)
  return judge(call, cmd, ctx.cwd, ctx) or losses.work(call, cmd, { ctx.cwd }, false, ctx)
end)
