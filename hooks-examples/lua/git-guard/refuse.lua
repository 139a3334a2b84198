-- What is denied, whatever else there is to ask about; and which settings and variables change what git does.
local command = require("command")
local rules = require("rules")
local has, set = command.has, command.set

-- Variables that switch hooks off, or bring settings of their own, and those that say where git finds its settings.
local BYPASS = "^(GIT_CONFIG.*|HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|LEFTHOOK_(EXCLUDE|BIN|CONFIG)|SKIP|SKIP_SIMPLE_GIT_HOOKS|SIMPLE_GIT_HOOKS_RC|PRE_COMMIT_ALLOW_NO_CONFIG|OVERCOMMIT_DISABLE)(\\+?=|$)"
local ELSEWHERE = "^(HOME|XDG_CONFIG_HOME|GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|EXEC_PATH|TEMPLATE_DIR))(\\+?=|$)"
-- Builtins that set variables, and those of them whose every word names one.
local SETTERS = set("export declare typeset readonly local read printf mapfile readarray getopts")
local DECLARES = set("export declare typeset readonly local read")

local function deny(reason) return { block = true, reason = reason } end
local function ask(what) return { ask = `{what}. Go on?` } end

-- A setting that makes git do something else than it says, as `name` or `name=value`.
local function judge_setting(text)
  if string.find(string.lower(text), "core.hookspath", 1, true) then
    return deny("core.hooksPath would switch the repository's own hooks off")
  elseif not rules.is_plain_setting(text) then
    return ask(`The git setting {string.lower(string.match(text, "^[^=]*"))} can hide what a command does`)
  end
end

-- `.`, `..`, `src/`, `:/`, `:!x`, `*`, an absolute path: more than a person would list.
local function is_wide(word)
  local path = snaphook.path.normalize(word)
  return string.find(word, "[%*%?%[]") ~= nil or string.find(word, "^:") ~= nil or string.find(word, "/$") ~= nil
    or string.find(path, "^[%./]*$") ~= nil or snaphook.path.is_absolute(path)
end

-- Whether files of the working tree are replaced by others.
local function restores(call)
  return call.sub == "checkout" or call.sub == "restore" and (has(call, "W", "worktree") or not has(call, "S", "staged"))
end

-- What is denied, whatever else there is to ask about.
local function refuse(call)
  local sub, words = call.sub, call.words
  local wide, hooks = false, nil
  for _, text in call.settings do
    hooks = hooks or string.find(string.lower(text), "core.hookspath", 1, true)
  end
  local reads = has(call, nil, "get", "get-all", "list") or words[1] == "get" or words[1] == "list" or #words < 2 and not has(call, nil, "unset", "edit")
  for _, word in words do
    wide = wide or is_wide(word)
    local cuts = string.lower(word) == "core" and (has(call, nil, "remove-section", "rename-section") or string.find(words[1], "%-section$"))
    hooks = hooks or sub == "config" and (cuts or not reads and string.find(string.lower(word), "core.hookspath", 1, true))
  end
  if hooks then
    return deny("core.hooksPath would switch the repository's own hooks off")
  elseif has(call, nil, "no-verify") or (sub == "commit" or sub == "am") and call.letters.n then
    return deny("--no-verify skips the repository's own hooks; fix what they complain about")
  elseif sub == "push" and has(call, "f", "force", "mirror") then
    return deny("a forced push overwrites what others have pushed; --force-with-lease is asked about instead")
  elseif sub == "reset" and has(call, nil, "hard") then
    return deny("reset --hard throws uncommitted work away; commit or stash it first")
  elseif sub == "clean" and not has(call, "n", "dry-run") then
    return deny("clean deletes files that git cannot bring back; list them with --dry-run and remove them by name")
  elseif sub == "branch" and (call.letters.D or has(call, "d", "delete") and has(call, "f", "force")) then
    return deny("this deletes a branch even if it was never merged; use -d")
  elseif (sub == "checkout" or sub == "switch") and has(call, "f", "force", "discard-changes") then
    return deny("this throws uncommitted work away; commit or stash it first")
  elseif restores(call) and wide then
    return deny("this throws all uncommitted work away; name the files")
  elseif sub == "rm" and wide then
    return deny("this removes more than it names; name the files")
  end
end

-- Why variables that a command sets matter to git, now or later in the line; a denial or a question, or nil.
local function judge_variables(cmd)
  local names = if SETTERS[cmd.name] then table.clone(cmd.args) else {}
  for variable in cmd.assignments do
    table.insert(names, variable)
  end
  local answer = nil
  for _, word in names do
    local text = if type(word) == "string" then word else word.prefix
    if snaphook.regex.matches(BYPASS, text) then
      return deny(`{text} switches the repository's own hooks off, or brings settings that nobody has seen`)
    elseif snaphook.regex.matches(ELSEWHERE, text) or type(word) ~= "string" and DECLARES[cmd.name] and not string.find(text, "=") then
      answer = ask(`{if text == "" then word.text else text} may send git elsewhere, to other settings or another program`)
    end
  end
  return answer or (cmd.opaque and cmd.opaque.kind == "config" and ask(`This sets what git may run: {cmd.text}`) or nil)
end

return { deny = deny, ask = ask, restores = restores, setting = judge_setting, refuse = refuse, variables = judge_variables, SETTERS = SETTERS }
