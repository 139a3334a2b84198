-- What takes uncommitted work or the repository's own hooks away although no option says so.
local command = require("command")
local judged = require("refuse")
local has, set, ask = command.has, command.set, judged.ask

-- The repository's hooks, the settings that say where they are, and what git keeps beside them: as a path and in any text; and
-- the whole of it. Locks that stayed, messages and the list of what is ignored here are everybody's.
local HOOKS = "(^|/)(\\.git/(.*/)?(hooks|config(\\.worktree)?|refs|packed-refs|objects|head|orig_head|index|logs|info|modules|worktrees)|\\.husky)(/|$)"
local IN_TEXT = "\\.git/+([\\w./-]*/)?(hooks|config|refs|packed-refs|objects)\\b|\\.husky/|git\\b.*\\bhooks\\b|\\.g\\w*[*?\\[{]|\\.git/+h?\\w*[*?\\[{$`\"]"
local INSIDE = "(^|/)\\.git/+[^/]"
local ANYBODYS = "^\\S*(\\.lock|/info/exclude|\\.git/+[a-z_]*_?(editmsg|msg))$"
local IN_LINE = "\\.git/+(hooks|refs|objects)|\\.husky/"
-- Behind a variable: `$D/hooks/x`, where the line names `.git`.
local BEHIND = "[$`})].*(hooks|refs|packed-refs)(/|$)"
local WHOLE = "(^|/)\\.git$"
-- Programs that leave the files that they name as they are, and those that take them away.
local LOOKS = set("ls cat head tail less more bat wc cut nl tac stat file test [ [[ grep egrep fgrep rg tree du diff cmp md5sum sha1sum sha256sum readlink realpath basename "
  .. "dirname echo printf cd pushd popd pwd which type od xxd hexdump strings true false : mkdir touch sh bash dash zsh source . shellcheck find sed")
local REMOVES = set("rm mv unlink rmdir shred trash trash-put find")
-- What runs a command in the folder of the line.
local STAYS = set("bash sh zsh ksh dash ash eval command builtin exec nohup nice ionice time timeout stdbuf setsid trap")
-- Options of programs that look by which they write, and programs that take a place to write to as an option or last.
local OUTPUT = "^(git(-.*)?: (-o|--out).*|less: -\\w*[oO].*|tree: -\\w*o.*|diff: --output.*|xxd: -\\w*r.*|file: -\\w*C.*)$"
local UNPACKS = "^(tar|gtar|bsdtar|unzip|7z): (-\\w*[Cd]|--directory)$"
local COPIES = set("cp rsync install ln scp ditto")
-- What makes `find` and `sed` do more than look, and what `chmod` may do: hooks only run if they may be executed.
local WRITES = "^-(delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$|^-[nErsz]*i|^--in"
local ENABLES = "^([ugoa]*\\+[rx]+|0?7[0-7]{2})$"

local function any(words, test)
  for _, word in words do
    if test(word) then
      return true
    end
  end
  return false
end

-- Whether a path, seen from any of these folders, has a pattern.
local function is_within(pattern, word, dirs)
  local path = snaphook.path.normalize(string.match(if type(word) == "string" then word else word.text, "[^=]*$"))
  if snaphook.regex.matches(ANYBODYS, string.lower(path)) then
    return false
  end
  return snaphook.regex.matches(pattern, string.lower(path))
    or any(dirs or {}, function(dir) return snaphook.regex.matches(pattern, string.lower(snaphook.path.resolve(dir, path))) end)
end

-- A question about a command that may change the repository's own hooks, or nil. `dirs` are the folders that it may run in; a
-- word of which nothing is known may be any that the whole line names.
local function of_hooks(cmd, dirs, line)
  local name = if type(cmd.name) == "string" then cmd.name else ""
  local changes = not LOOKS[name] and not string.find(name, "^git")
  if name == "find" or name == "sed" then
    changes = any(cmd.args, function(arg) return type(arg) ~= "string" or snaphook.regex.matches(WRITES, arg) end)
  elseif name == "chmod" then
    changes = not any(cmd.args, function(arg) return type(arg) == "string" and snaphook.regex.matches(ENABLES, arg) end)
  end
  local function is_kept(word)
    return is_within(INSIDE, word, nil) or is_within(HOOKS, word, dirs)
  end
  local found = any(cmd.redirects, function(redirect) return redirect.write and is_kept(redirect.target) end)
  local operands = 0
  for at, arg in cmd.args do
    local text = if type(arg) == "string" then arg else arg.text
    changes = changes or snaphook.regex.matches(OUTPUT, `{name}: {text}`)
    operands += if string.find(text, "^-") then 0 else 1
    local target = cmd.args[at + 1]
    found = found or target ~= nil and snaphook.regex.matches(UNPACKS, `{name}: {text}`) and is_within(WHOLE, target, dirs)
      or COPIES[name] and target == nil and operands > 1 and is_within(WHOLE, arg, dirs)
  end
  changes = changes or name == "xxd" and operands > 1
  found = found or changes and any(cmd.args, function(arg)
    local text = if type(arg) == "string" then arg else arg.text
    return is_kept(arg) or REMOVES[name] and is_within(WHOLE, arg, dirs) or snaphook.regex.matches(IN_TEXT, string.lower(text)) and not snaphook.regex.matches(ANYBODYS, string.lower(text))
      or type(arg) ~= "string" and arg.prefix == "" and (snaphook.regex.matches(IN_LINE, string.lower(line))
        or snaphook.regex.matches(BEHIND, string.lower(text)) and string.find(line, ".git", 1, true) ~= nil)
  end)
  return found and ask(`This may change the repository's own hooks or settings: {cmd.text}`) or nil
end

-- A question about a command that would throw uncommitted work in the files away that it names, or nil. Git is asked, so a
-- branch and a file without changes are no question; what git cannot tell is one, but for what the line itself has cloned.
local function of_work(call, cmd, dirs, cloned, ctx)
  if not judged.restores(call) or #call.words == 0 then
    return nil
  end
  -- Files of another commit replace those that git does not know, too.
  local other = call.sub == "checkout" and #call.words > 1 or has(call, "s", "source")
  local args = { "-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain", "--ignore-submodules=dirty" }
  table.insert(args, if other then "--untracked-files=normal" else "--untracked-files=no")
  table.insert(args, "--")
  table.move(call.words, 1, #call.words, #args + 1, args)
  local told = not any(cmd.via, function(wrapper) return not STAYS[wrapper] end)
  local changed = false
  for at, dir in dirs or {} do
    local ok, shown = pcall(ctx.exec, "git", { "-C", command.folder(call, dir), table.unpack(args) }, { timeout = 5 })
    changed = changed or ok and shown.stdout ~= ""
    -- Where there is no repository, there is no work; only the likeliest folder may get one within the line.
    told = told and (at < #dirs or cloned or ok and shown.code == 0)
  end
  if changed then
    return ask(`git {call.sub} throws uncommitted work in {table.concat(call.words, ", ")} away`)
  elseif not (told and dirs) then
    return ask(`git {call.sub} {table.concat(call.words, " ")} may throw uncommitted work away`)
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
