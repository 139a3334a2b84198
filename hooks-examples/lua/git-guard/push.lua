-- What a push publishes, replaces or deletes where others see it.
local command = require("command")
local judged = require("refuse")
local has, set, deny, ask = command.has, command.set, judged.deny, judged.ask

-- Branches that others build on.
local SHARED = set("main master trunk production release")

-- Whether the command would work on a shared branch; also where that cannot be told.
local function on_shared_branch(call, dir, ctx)
  dir = command.folder(call, dir)
  if not dir or has(call, nil, "git-dir") then
    return true
  end
  local ok, shown = pcall(ctx.exec, "git", { "-C", dir, "branch", "--show-current" }, { timeout = 5 })
  return not ok or shown.code ~= 0 or SHARED[string.match(shown.stdout, "%S*")] == true
end

local function judge(call, dir, ctx)
  local refs = table.move(call.words, 2, #call.words, 1, {}) -- the first word is the remote
  for _, ref in refs do
    local target = string.gsub(string.gsub(string.gsub(string.match(ref, "[^:]*$"), "/+", "/"), "^refs/", ""), "^heads/", "")
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

return { judge = judge, SHARED = SHARED }
