-----
-- name: git-guard
-- description: Keeps history, uncommitted work and the repository's own hooks; asks before a push to a shared branch
-- grants:
--   exec: [git]
-----
local command = require("command")
local has, set = command.has, command.set

local SHARED = set("main master trunk production release")
local GUARDED = set("push reset clean checkout restore switch branch commit config stash merge rebase cherry-pick am revert")
local LOSES = set("stash/drop stash/clear reflog/expire reflog/delete filter-branch filter-repo update-ref")
-- Variables that switch hooks off, or bring settings of their own.
local BYPASS = "^(GIT_CONFIG.*|HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|SKIP|PRE_COMMIT_ALLOW_NO_CONFIG|OVERCOMMIT_DISABLE)(=|$)"

local function deny(reason) return { block = true, reason = reason } end
local function ask(what) return { ask = `{what}. Go on?` } end

-- A setting that makes git do something else than it says, as `name` or `name=value`.
local function judge_setting(text)
  local name = string.lower(string.match(text, "^[^=]*"))
  if string.find(name, "core.hookspath", 1, true) then
    return deny("core.hooksPath would switch the repository's own hooks off")
  elseif string.find(name, "^alias%.") or string.find(name, "^include") or string.find(name, '^["$]') then
    return ask(`The git setting {name} can hide what a command does`)
  end
end

-- `.`, `..`, `:/`, `*`, an absolute path: more than a person would list.
local function is_wide(word)
  local path = snaphook.path.normalize((string.gsub(string.gsub(word, "^:%b()", ""), "^:[/!^]*", "")))
  return string.find(path, "^[%.%*/]*$") ~= nil or snaphook.path.is_absolute(path)
end

-- Whether the command would work on a shared branch; also where that cannot be told.
local function on_shared_branch(call, dir, ctx)
  for _, option in call.dirs do
    dir = dir and snaphook.path.resolve(dir, option)
  end
  if not dir or has(call, nil, "git-dir") then
    return true
  end
  local ok, shown = pcall(ctx.exec, "git", { "-C", dir, "branch", "--show-current" }, { timeout = 5 })
  return not ok or shown.code ~= 0 or SHARED[string.match(shown.stdout, "%S*")] == true
end

local function judge_push(call, dir, ctx)
  local refs = table.move(call.words, 2, #call.words, 1, {}) -- the first word is the remote
  for _, ref in refs do
    local target = string.gsub(string.match(ref, "[^:]*$"), "^refs/heads/", "")
    if string.sub(ref, 1, 1) == "+" then
      return deny(`{ref} is a forced push, which overwrites what others have pushed`)
    elseif string.find(ref, "^:") or string.find(ref, "*", 1, true) then
      return ask(`This push deletes or replaces branches that others see: {ref}`)
    elseif SHARED[target] or (target == "HEAD" or target == "@") and on_shared_branch(call, dir, ctx) then
      return ask(`This push publishes to {target}, which others build on`)
    end
  end
  if has(call, "d", "delete", "all", "branches", "prune", "force-with-lease", "force-if-includes") then
    return ask("This push deletes, replaces or publishes more than one new branch")
  elseif #refs == 0 and on_shared_branch(call, dir, ctx) then
    return ask("This push publishes a branch that others build on")
  end
end

local function judge(call, dir, ctx)
  local sub, words = call.sub, call.words
  local sets = sub == "config" and (#words > 1 or has(call, "e", "edit", "unset")) and not has(call, "l", "get", "list")
  local cuts = sub == "config" and (has(call, nil, "remove-section", "rename-section") or string.find(words[1] or "", "%-section$"))
  local restores = sub == "checkout" or sub == "restore" and (has(call, "W", "worktree") or not has(call, "S", "staged"))
  local wide, answer = false, nil
  for _, text in call.settings do
    answer = answer or judge_setting(text)
  end
  for _, word in words do
    wide = wide or is_wide(word)
    answer = answer or sets and judge_setting(word)
    answer = answer or cuts and string.lower(word) == "core" and judge_setting("core.hooksPath")
  end
  if answer then
    return answer
  elseif has(call, nil, "no-verify") or (sub == "commit" or sub == "am") and call.letters.n then
    return deny("--no-verify skips the repository's own hooks; mend what they complain about")
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
  elseif restores and wide then
    return deny("this throws all uncommitted work away; name the files")
  elseif sub == "commit-tree" or sub == "config" and (has(call, "e", "edit") or words[1] == "edit") then
    return ask(`git {sub} can get past the repository's own hooks`)
  elseif LOSES[sub] or LOSES[`{sub}/{words[1]}`] then
    return ask(`git {sub} {words[1] or ""} can lose commits`)
  elseif call.unknown and (GUARDED[sub] or sub == "") then
    return ask(`{if sub == "" then "git" else `git {sub}`} with {call.unknown}, which could be any option`)
  elseif sub == "push" then
    return judge_push(call, dir, ctx)
  end
end

local function may_be_git(cmd, line)
  local found = string.find(string.lower(line), "git", 1, true) ~= nil
  for _, arg in cmd.args do
    found = found or type(arg) == "string" and GUARDED[arg] == true
  end
  return found
end

on("tool_call", { command = "\\S" }, function(event, ctx)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then
    return deny(`this command line cannot be read, so it cannot be checked (not understood: {problem}); write it more simply`)
  end
  local dir, asked = ctx.cwd, nil
  for _, cmd in commands do
    local name = if type(cmd.name) == "string" then cmd.name else ""
    local is_git = name == "git" or string.find(name, "^git%-") ~= nil
    local settings = table.clone(cmd.args)
    for variable in cmd.assignments do
      table.insert(settings, variable)
    end
    for _, text in if is_git or name == "" or name == "export" then settings else {} do
      if type(text) == "string" and snaphook.regex.matches(BYPASS, text) then
        return deny(`{text} switches the repository's own hooks off, or brings settings that nobody has seen`)
      end
    end
    local answer = nil
    if cmd.dynamic and may_be_git(cmd, event.command) then
      answer = ask(`This may run git in a way that cannot be known before: {cmd.text}`)
    elseif is_git then
      local call = command.read(cmd)
      answer = judge(call, dir, ctx)
      -- A later push in this line works in another folder, or on another branch.
      dir = if call.sub == "checkout" or call.sub == "switch" then nil else dir
    elseif name == "cd" or name == "pushd" or name == "popd" then
      dir = if dir and type(cmd.args[1]) == "string" then snaphook.path.resolve(dir, cmd.args[1]) else nil
    end
    if answer and answer.block then
      return answer
    end
    asked = asked or answer
  end
  return asked
end)
