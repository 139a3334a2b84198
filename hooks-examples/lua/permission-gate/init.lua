-----
-- name: permission-gate
-- description: Asks before commands that delete, overwrite or take over more than they say, and denies what cannot be read
-----
-- Asks rather than blocks, so that a person can still say yes; without a person the answer is no and the agent is told why.
-- Only what nobody says yes to (deleting the home folder, a fork bomb) is blocked outright.

local words = require("words")
local code = require("code")
local removals = require("removals")
local services = require("services")
local folders = require("folders")
local set, any, text_of, is_unknown, name_of = words.set, words.any, words.text_of, words.is_unknown, words.name_of

-- Set this to true to be asked about everything that does what its words do not show: all code in arguments, each script
-- that is run, each changed PATH.
local STRICT = false

local BECOMES_ROOT = set("sudo sudo-rs sudoedit doas dzdo su ksu pkexec pfexec run0 runuser machinectl gosu su-exec gsudo")
local WIPES = set("wipefs fdisk sfdisk cfdisk parted gdisk sgdisk cgdisk blkdiscard mkswap badblocks mke2fs mkntfs mkdosfs mkexfatfs mkudffs")
local ENDS_SESSION = set("shutdown reboot halt poweroff killall5")
local FETCHES = set("curl wget fetch aria2c nc ncat scp sftp rsync")
local UNPACKS = set("unzip 7z 7za 7zr unrar cpio ar")
local ARCHIVES = set("tar gtar bsdtar")
local COMPILES = set("gcc g++ cc c++ clang clang++ tcc rustc go zig nim ghc javac swiftc dmd fpc")
local WRITES = set("tee cp mv ln install dd touch sed gsed mkdir chmod git patch curl wget tar unzip")
local BUILDS = set("make gmake npm pnpm yarn npx bunx cargo go pip pip3 uv poetry bundle rake gradle mvn cmake just task composer tox")
local HOMES = "^(~|\\$HOME|\\$\\{HOME\\})(/+(\\.|\\.?\\*)?)*$|^/+(\\./*)*\\.?\\*$"
local HARMLESS_DEVICE = "^/dev/(null|zero|full|u?random|tty|std(in|out|err)|fd/[0-9]+|shm/.+|tcp/.+|udp/.+)$"
-- Options of perl in which no code can be.
local LETTERS = "^-([plnaiw0]*e|[plnaiw0]+|i\\.\\w+)$"
-- Variables that hold code or options for an interpreter.
local HOLDS_CODE = "^(PERL5DB|PERL5OPT|RUBYOPT|NODE_OPTIONS|LUA_INIT\\w*|PHPRC|PHP_INI_SCAN_DIR|PYTHON(BREAKPOINT|STARTUP|HOME|INSPECT))$"
local OPENS_TO_EVERYBODY = "^[+=]?[0-7]*[0-7]{2}[2367]$|(?:^|,)[ugoa]*[oa][ugoa]*(?:[-+=][rwxXst]*)*[+=](?:[rwxXst]*w|[ug])"
-- A number of one or two digits is a mode only where it stands first.
local SHORT_MODE = "^(-\\S* )*[+=]?[0-7]?[2367] "
-- What ends all: `systemctl reboot`, `init 6`, `crontab -ir`.
local ENDS = "^(systemctl (-\\S+ )*(reboot|halt|poweroff|kexec|soft-reboot)|(init|telinit) [06]|crontab (-\\S+ )*-\\w*r|kill (-\\S+ )*-1) "
-- Folders of PATH that a line does not fill: the system's, the home folder's, and PATH as it was.
local SYSTEM_FOLDER = "^(/(usr|bin|sbin|opt|nix|snap|Library|Applications)(/[\\w.@+-]+)*/?|\\$PATH|\\$\\{PATH\\})$"
local OWN_FOLDER = "^(~|\\$HOME|\\$\\{HOME\\}|/home/\\w+|/root|/Users/\\w+)(/[\\w.@+-]+)+/?$"

-- `dd of=/dev/sda`, `cp image /dev/sda`, `cat image > /dev/sda`: one rule for whatever names a device.
local function names_device(word)
  for part in string.gmatch(text_of(word), "[^=]+") do
    local path = string.lower(snaphook.path.normalize(part))
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

-- Whether a command unpacks or fetches a whole folder of files that nobody has read.
local function unpacks(cmd)
  local extracts = function(arg) return is_unknown(arg) or snaphook.regex.matches("^-[A-Za-z]*x|^--ex|^--get|^[A-Za-z]*x[A-Za-z]*$", arg) end
  return UNPACKS[cmd.name] or ARCHIVES[cmd.name] and any(cmd.args, extracts) or cmd.name == "git" and table.find(cmd.args, "clone")
end

-- What the line as a whole does that matters to a command of it: "unpacks", "brings" files that nobody has read, "writes"; and
-- what it sets, as `NAME=value`.
local function survey(commands)
  local line = {}
  for _, cmd in commands do
    local codes = cmd.opaque and cmd.opaque.kind == "code" or cmd.name == "patch" or cmd.name == "git" and table.find(cmd.args, "apply")
    local writes = function(redirect) return redirect.write and string.sub(text_of(redirect.target), 1, 5) ~= "/dev/" end
    for variable, value in if cmd.name == "" then cmd.assignments else {} do
      table.insert(line, `{variable}={text_of(value)}`)
    end
    for _, arg in cmd.args do
      table.insert(line, string.match(text_of(arg), "^[%a_]+=.*"))
    end
    if unpacks(cmd) then
      table.insert(line, "unpacks")
    end
    if unpacks(cmd) or codes or FETCHES[cmd.name] then
      table.insert(line, "brings")
    end
    -- `x86_64-linux-gnu-gcc-13` is `gcc`.
    if COMPILES[string.match(snaphook.regex.replace("-?[0-9.]+$", name_of(cmd), ""), "[^-]*$")] then
      table.insert(line, "compiles")
    end
    if unpacks(cmd) or codes or WRITES[cmd.name] or any(cmd.redirects, writes) then
      table.insert(line, "writes")
    end
  end
  return line
end

-- Whether a value of PATH puts a folder in front that this line may fill, or that depends on where it runs.
local function leads_astray(value, line)
  for folder in string.gmatch(text_of(value) .. ":", "([^:]*):") do
    if not snaphook.regex.matches(SYSTEM_FOLDER, folder) and (table.find(line, "writes") or not snaphook.regex.matches(OWN_FOLDER, folder)) then
      return true
    end
  end
  return false
end

local function changes_path(cmd, line)
  if cmd.assignments.PATH then
    return leads_astray(cmd.assignments.PATH, line)
  end
  for _, arg in cmd.args do
    local value = string.match(text_of(arg), "^PATH=(.*)$")
    if value then
      return leads_astray(value, line)
    end
  end
  return true
end

-- Whether a command sets a variable that holds code or options for an interpreter.
local function holds_code(cmd)
  for variable in cmd.assignments do
    if snaphook.regex.matches(HOLDS_CODE, variable) then
      return true
    end
  end
  return false
end

-- What a command does that its words do not show, or nil where that is harmless.
local function hidden(cmd, line)
  local opaque = cmd.opaque
  if opaque.written then
    return "a file that the same line writes or downloads, run unseen"
  elseif opaque.kind == "config" or opaque.kind == "code" and holds_code(cmd) then
    return "a program that an option, a setting or a variable names"
  elseif opaque.kind == "path" then
    return (STRICT or changes_path(cmd, line)) and "a changed PATH, by which names may mean other programs" or nil
  elseif opaque.kind == "file" then
    if table.find(line, "brings") or table.find(line, "compiles") and table.find(line, "writes") then
      return "a file that the same line may bring, run unseen"
    end
    return STRICT and "a script, run unseen" or nil
  elseif not opaque.code then
    return "code that cannot be known before it runs"
  end
  -- Other arguments may be code, too: a second `-e`, a file to perl that is a command.
  local source, language = opaque.code, opaque.language
  local unseen = STRICT
  for _, arg in cmd.args do
    local text = if type(arg) == "string" then arg else arg.text
    if language == "awk" then
      -- A separator is no code: `-F '|'`.
      unseen = unseen or not snaphook.regex.matches("^-F|^[^\\w\\s]{0,3}$", text) and code.reaches(language, text)
    else
      source ..= "\n" .. (if snaphook.regex.matches(LETTERS, text) then "" else text)
    end
    unseen = unseen or language == "perl" and arg ~= opaque.code and string.find(text_of(arg), "|", 1, true) ~= nil
  end
  return (unseen or code.reaches(language, source)) and `{language or "unknown"} code that may delete, run programs or use the network` or nil
end

-- What is wrong with one command, in words that read before the command itself; nil if nothing is.
local function concern(cmd, line)
  local name, args = name_of(cmd), cmd.args
  local what = cmd.opaque and hidden(cmd, line)
  local language, source = services.given(cmd)
  local said = ""
  for _, arg in args do
    said ..= text_of(arg) .. " "
  end
  if BECOMES_ROOT[name] or any(cmd.via, function(wrapper) return BECOMES_ROOT[wrapper] end) then
    return "a command with another user's rights"
  elseif cmd.dynamic then
    return "something that cannot be known before it runs"
  elseif name == "rm" and removals.deletes_folders(cmd) then
    return "a recursive delete"
  elseif name == "rm" and any(args, is_unknown) then
    return "a delete of what only the shell will know"
  elseif name == "find" and cmd:has_flags("delete") then
    return "a delete of all that is found"
  elseif removals.removes(cmd) then
    return "a command that removes"
  elseif folders.empties(cmd, line) then
    return "a command that empties a folder"
  elseif folders.escapes(cmd) then
    return "a container that reaches the whole machine"
  elseif removals.overwrites(cmd) then
    return "a command that overwrites a file"
  elseif WIPES[name] or snaphook.regex.matches("^(mk|new)fs", name) then
    return "a command that wipes disks or files"
  elseif ENDS_SESSION[name] or snaphook.regex.matches(ENDS, `{name} {said}`) then
    return "the end of more than one program"
  elseif name == "chmod" and (snaphook.regex.matches(SHORT_MODE, said) or any(args, function(arg) return snaphook.regex.matches(OPENS_TO_EVERYBODY, text_of(arg)) end)) then
    return "write access for everybody"
  elseif any(args, names_device) or any(cmd.redirects, function(redirect) return names_device(redirect.target) end) then
    return "access to a device"
  elseif what then
    return what
  elseif language and (is_unknown(source) or code.reaches(language, source)) then
    return `{if language == "other" then "" else language .. " "}code that may delete, run programs or use the network`
  elseif (name == "dd" or words.INTERPRETS[name]) and any(args, is_unknown) then
    return "a program or a place that cannot be known before it runs"
  elseif table.find(line, "unpacks") and (words.INTERPRETS[name] or BUILDS[name]) then
    return "a file that the same line may bring, run unseen"
  end
end

-- Every tool that carries a command line, not only `bash`: an MCP server's shell is a shell, too.
on("tool_call", { command = "\\S" }, function(event, ctx)
  if is_fork_bomb(event.command) then
    return { block = true, reason = "this starts itself without end (a fork bomb)" }
  end
  local commands, problem = snaphook.shell.commands(event.command, { shell = event.shell })
  if not commands then
    return { block = true, reason = `this command line cannot be read, so it cannot be checked (not understood: {problem}); write it more simply` }
  end
  local line, concerns = survey(commands), {}
  for _, cmd in commands do
    -- The home folder, the project itself, or a folder that it lies in.
    local function is_everything(arg)
      local known = type(arg) == "string" and snaphook.path.is_absolute(arg)
      return snaphook.regex.matches(HOMES, text_of(arg)) or known and snaphook.path.is_inside(ctx.project_root, arg)
    end
    if name_of(cmd) == "rm" and removals.deletes_folders(cmd) and any(cmd.args, is_everything) then
      return { block = true, reason = `this deletes the home folder, or the project and more: {cmd.text}` }
    end
    local what = concern(cmd, line)
    local said = what and `{what}: {cmd.text}`
    if said and not table.find(concerns, said) then
      table.insert(concerns, said)
    end
  end
  if #concerns > 0 then
    return { ask = `This is {table.concat(concerns, "; and ")}. Run it?` }
  end
end)
