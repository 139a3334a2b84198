-----
-- name: permission-gate
-- description: Asks before commands that delete, overwrite or take over more than they say, and denies what cannot be read
-----
-- Asks rather than blocks, so that a person can still say yes; without a person the answer is no and the agent is told why.
-- Only what nobody says yes to (deleting the home folder, a fork bomb) is blocked outright.

local function set(words)
  local members = {}
  for word in string.gmatch(words, "%S+") do
    members[word] = true
  end
  return members
end

local BECOMES_ROOT = set("sudo doas su pkexec run0 runuser machinectl")
local WIPES = set("wipefs shred fdisk sfdisk parted sgdisk blkdiscard")
local ENDS_SESSION = set("shutdown reboot halt poweroff")
local FETCHES = set("curl wget fetch aria2c nc ncat")
local SHELLS = set("bash sh dash zsh ksh source .")
local INTERPRETS = set("python python2 python3 perl ruby node deno bun php lua osascript pwsh fish csh tcsh")
local HOMES = set("~ ~/ ~/* $HOME $HOME/ $HOME/* ${HOME} ${HOME}/ ${HOME}/* /*")
local HARMLESS_DEVICE = "^/dev/(null|zero|full|u?random|tty|std(in|out|err)|fd/[0-9]+|shm/.+|tcp/.+|udp/.+)$"
local OPENS_TO_EVERYBODY = "^0?[0-7]?[0-7]{2}[2367]$|^[ugoa]*[oa][ugoa]*[+=][rwxXst]*w"

-- A word is a string, or a table where its value depends on something outside of the text.
local function text_of(word)
  return (string.gsub(if type(word) == "string" then word else word.text, '"', ""))
end

local function is_unknown(word)
  return type(word) ~= "string"
end

local function any(words, test)
  for _, word in words do
    if test(word) then
      return true
    end
  end
  return false
end

-- `dd of=/dev/sda`, `cp image /dev/sda`, `cat image > /dev/sda`: one rule for whatever names a device.
local function names_device(word)
  for part in string.gmatch(text_of(word), "[^=]+") do
    local path = snaphook.path.normalize(part)
    if string.sub(path, 1, 5) == "/dev/" and not snaphook.regex.matches(HARMLESS_DEVICE, path) then
      return true
    end
  end
  return false
end

-- `:(){ :|:& };:` and the like: a function that starts itself twice over.
local function is_fork_bomb(text)
  for _, found in snaphook.regex.find_all("([^\\s(){};|&<>]+)\\s*\\(\\s*\\)|function\\s+([^\\s(){};|&<>]+)", text) do
    local name = snaphook.regex.escape(found.groups[1] or found.groups[2])
    if snaphook.regex.matches(name .. "\\s*(\\||&)\\s*" .. name .. "(\\s|[&;|}]|$)", text) then
      return true
    end
  end
  return false
end

-- The words by which a file that this line downloads may be called; nil if it downloads nothing.
local function downloads(commands)
  local files = nil
  for _, cmd in commands do
    if FETCHES[cmd.name] then
      files = files or {}
      for _, word in cmd.args do
        files[snaphook.path.basename(text_of(word))] = true
      end
      for _, redirect in cmd.redirects do
        files[snaphook.path.basename(text_of(redirect.target))] = true
      end
    end
  end
  return files
end

-- `curl … | python3` runs what comes in, `… | python3 -m json.tool` does not; `curl -o x …; sh x` runs a file.
local function runs_download(cmd, files)
  local runs = INTERPRETS[cmd.name] or SHELLS[cmd.name]
  for _, arg in if runs then cmd.args else {} do
    if is_unknown(arg) or string.find(arg, "^%-[cemr]") then
      return is_unknown(arg)
    elseif string.sub(arg, 1, 1) ~= "-" then
      return files[snaphook.path.basename(arg)] ~= nil
    end
  end
  return runs or type(cmd.path) == "string" and string.find(cmd.path, "/") and files[cmd.name]
end

-- What is wrong with one command, in words that read before the command itself; nil if nothing is.
local function concern(cmd, files)
  local name, args = cmd.name, cmd.args
  if cmd.dynamic then
    return "something that cannot be known before it runs"
  elseif BECOMES_ROOT[name] or any(cmd.via, function(wrapper) return BECOMES_ROOT[wrapper] end) then
    return "a command with another user's rights"
  elseif name == "rm" and cmd:has_flags("r") then
    return "a recursive delete"
  elseif name == "find" and table.find(args, "-delete") then
    return "a delete of all that is found"
  elseif WIPES[name] or string.find(text_of(name), "^mkfs") then
    return "a command that wipes disks or files"
  elseif ENDS_SESSION[name] or name == "kill" and table.find(args, "-1") or name == "crontab" and table.find(args, "-r") then
    return "the end of more than one program"
  elseif name == "chmod" and any(args, function(arg) return snaphook.regex.matches(OPENS_TO_EVERYBODY, text_of(arg)) end) then
    return "write access for everybody"
  elseif any(args, names_device) or any(cmd.redirects, function(redirect) return names_device(redirect.target) end) then
    return "access to a device"
  elseif (name == "dd" or INTERPRETS[name]) and any(args, is_unknown) then
    return "a program or a place that cannot be known before it runs"
  elseif files and runs_download(cmd, files) then
    return "a download that is run unseen"
  end
end

-- Every tool that carries a command line, not only `bash`: an MCP server's shell is a shell, too.
on("tool_call", { command = "\\S" }, function(event, ctx)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then
    return { block = true, reason = `this command line cannot be read, so it cannot be checked (not understood: {problem}); write it more simply` }
  elseif is_fork_bomb(event.command) then
    return { block = true, reason = "this starts itself without end (a fork bomb)" }
  end
  local files, concerns = downloads(commands), {}
  for _, cmd in commands do
    -- The home folder, the project itself, or a folder that it lies in.
    local function is_everything(arg)
      local known = type(arg) == "string" and snaphook.path.is_absolute(arg)
      return HOMES[text_of(arg)] or known and snaphook.path.is_inside(ctx.project_root, arg)
    end
    if cmd.name == "rm" and cmd:has_flags("r") and any(cmd.args, is_everything) then
      return { block = true, reason = `this deletes the home folder, or the project and more: {cmd.text}` }
    end
    local what = concern(cmd, files)
    local line = what and `{what}: {cmd.text}`
    if line and not table.find(concerns, line) then
      table.insert(concerns, line)
    end
  end
  if #concerns > 0 then
    return { ask = `This is {table.concat(concerns, "; and ")}. Run it?` }
  end
end)
