-- What takes uncommitted work or the repository's own hooks away although no option says so.
local command = require("command")
local judged = require("refuse")
local has, set, ask = command.has, command.set, judged.ask

-- The repository's hooks and the settings that say where they are, in a path and in any text; and the whole of it.
local HOOKS = "(^|/)(\\.git/(.*/)?(hooks|config(\\.worktree)?)|\\.husky)(/|$)"
local IN_TEXT = "\\.git/+([\\w./-]*/)?(hooks|config)\\b|\\.husky/|git\\b.*\\bhooks\\b|\\.g\\w*[*?\\[{]|\\.git/+h?\\w*[*?\\[{$`\"]"
local WHOLE = "(^|/)\\.git$"
-- Programs that leave the files that they name as they are, and those that take them away.
local LOOKS = set("ls cat head tail less more bat wc stat file test [ [[ grep egrep fgrep rg tree du diff cmp md5sum sha1sum sha256sum readlink realpath basename "
  .. "dirname echo printf cd pushd popd pwd which type od xxd hexdump strings true false : mkdir touch sh bash dash zsh source . shellcheck find sed")
local REMOVES = set("rm mv unlink rmdir shred trash trash-put find")
-- What makes `find` and `sed` do more than look, and what `chmod` may do: hooks only run if they may be executed.
local WRITES = "^-(delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$|^-[nErsz]*i|^--in"
local ENABLES = "^([ugoa]*\\+[rx]+|0?7[0-7]{2})$"

local function is_within(pattern, word, dir)
  local text = if type(word) == "string" then word else word.text
  local path = if dir then snaphook.path.resolve(dir, text) else snaphook.path.normalize(text)
  return snaphook.regex.matches(pattern, string.lower(path))
end

local function any(words, test)
  for _, word in words do
    if test(word) then
      return true
    end
  end
  return false
end

-- A question about a command that may change the repository's own hooks, or nil. `dir` is the folder that it runs in, if known.
local function of_hooks(cmd, dir)
  local name = if type(cmd.name) == "string" then cmd.name else ""
  local changes = not LOOKS[name] and not string.find(name, "^git")
  if name == "find" or name == "sed" then
    changes = any(cmd.args, function(arg) return type(arg) ~= "string" or snaphook.regex.matches(WRITES, arg) end)
  elseif name == "chmod" then
    changes = not any(cmd.args, function(arg) return type(arg) == "string" and snaphook.regex.matches(ENABLES, arg) end)
  end
  local found = any(cmd.redirects, function(redirect) return redirect.write and is_within(HOOKS, redirect.target, dir) end)
  found = found or changes and any(cmd.args, function(arg)
    local text = if type(arg) == "string" then arg else arg.text
    return is_within(HOOKS, arg, dir) or REMOVES[name] and is_within(WHOLE, arg, dir) or snaphook.regex.matches(IN_TEXT, string.lower(text))
  end)
  return found and ask(`This may change the repository's own hooks or settings: {cmd.text}`) or nil
end

-- A question about a command that would throw uncommitted work in the files away that it names, or nil. Git is asked, so a
-- branch and a file without changes are no question; what git cannot tell is one, but for what the line itself has cloned.
local function of_work(call, dir, cloned, ctx)
  if not judged.restores(call) or #call.words == 0 then
    return nil
  end
  dir = command.folder(call, dir)
  -- Files of another commit replace those that git does not know, too.
  local other = call.sub == "checkout" and #call.words > 1 or has(call, "s", "source")
  local args = { "-c", "core.fsmonitor=false", "--no-optional-locks", "-C", dir or ".", "status", "--porcelain", "--ignore-submodules=dirty" }
  table.insert(args, if other then "--untracked-files=normal" else "--untracked-files=no")
  table.insert(args, "--")
  table.move(call.words, 1, #call.words, #args + 1, args)
  local ok, shown = pcall(ctx.exec, "git", args, { timeout = 5 })
  local told = dir and ok and (shown.code == 0 or cloned)
  if not told then
    return ask(`git {call.sub} {table.concat(call.words, " ")} may throw uncommitted work away`)
  elseif shown.stdout ~= "" then
    return ask(`git {call.sub} throws uncommitted work in {table.concat(call.words, ", ")} away`)
  end
  return nil
end

-- A question about a program that takes changes back, or nil. `backwards` says that the line shows changes the wrong way round.
local function of_patch(cmd, backwards)
  local reverses = any(cmd.args, function(arg)
    return snaphook.regex.matches(if type(arg) == "string" then "^-[a-zA-Z0-9]*R|^--rev" else "^-|^$", if type(arg) == "string" then arg else arg.prefix)
  end)
  return (backwards or reverses) and ask(`This takes changes back, which may be uncommitted work: {cmd.text}`) or nil
end

return { hooks = of_hooks, work = of_work, patch = of_patch }
