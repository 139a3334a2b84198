-- Reads a git command line as git does: options before the subcommand, bundled letters, abbreviated long options, values.

local function set(words)
  local members = {}
  for word in string.gmatch(words, "%S+") do
    members[word] = true
  end
  return members
end

-- Options that take the next word: before the subcommand, long ones behind it, and letters by subcommand.
local GLOBAL_VALUES = set("-C -c --git-dir --work-tree --namespace --config-env --attr-source")
local LONG_VALUES = set("message file author date push-option source exclude type blob")
local VALUE_LETTERS = { commit = "mFCct", push = "o", clean = "e", merge = "mFsX", config = "f", restore = "s", tag = "mFu", stash = "m", checkout = "bB", switch = "cC", log = "SGLn", diff = "SG", show = "SG", grep = "efmABC", blame = "L", shortlog = "n" }
-- Options of which even a value may be a program or a place to write to.
local REACHES = "^--(op|ou|up|exec|rece|conf|temp)"

-- A misspelt field must not be a silent nil: the gate would open.
local function no_field(_, key) error(`a git command has no field {key}`, 2) end
local STRICT = { __index = no_field, __newindex = no_field }

-- `sub` is the subcommand, `words` are the rest without options, `dirs` and `settings` are the values of `-C` and `-c`.
-- `unknown` is the text of a word that is known only when the command runs, and could be any option; `vague` is one that
-- cannot, because its beginning is known.
local function read(cmd)
  local call = setmetatable({
    sub = string.match(cmd.name, "^git%-(.+)") or false,
    unknown = false,
    vague = false,
    letters = {},
    longs = {},
    words = {},
    dirs = {},
    settings = {},
  }, STRICT)
  local value_of, only_words = nil, false
  local function take(value)
    local list = value_of == "-C" and call.dirs or (value_of == "-c" or value_of == "--config-env") and call.settings
    if list then
      table.insert(list, value)
    end
    value_of = nil
  end
  for _, word in cmd.args do
    -- Behind `--author=` and `-m` nothing becomes another option, whatever it is.
    local arg = word
    if type(word) ~= "string" and call.sub and not value_of and not word.many and not snaphook.regex.matches(REACHES, word.prefix)
      and snaphook.regex.matches(`^(--[a-z][a-z-]*=|-[a-zA-Z]*[{VALUE_LETTERS[call.sub] or "-"}].*$)`, word.prefix) then
      arg = if string.find(word.prefix, "^%-%-") then word.prefix else word.prefix .. "…"
    end
    local known = type(arg) == "string"
    if value_of and (known or not arg.many) then
      -- A word that is one whatever is in it is a value: `commit -m "$(cat notes)"`.
      take(if known then arg else arg.text)
    elseif not known and call.sub and string.find(arg.prefix, "^[^-]") and not (arg.many and string.find(arg.text, "[$`‹]")) then
      call.vague = arg.text
      table.insert(call.words, arg.text)
    elseif not known then
      call.unknown, call.sub = call.unknown or arg.text, call.sub or ""
    elseif not call.sub and GLOBAL_VALUES[arg] then
      value_of = arg
    elseif arg == "--" then
      only_words = true
    elseif not only_words and string.find(arg, "^%-%-") then
      local name, value = string.match(arg, "^%-%-([^=]*)(.*)$")
      table.insert(call.longs, name)
      if name == "config-env" then
        table.insert(call.settings, string.sub(value, 2))
      end
      value_of = if LONG_VALUES[name] and value == "" then arg else nil
    elseif not only_words and string.find(arg, "^%-.") then
      -- `-am` is `-a -m`, and behind a letter with a value nothing is an option: `-mnew` has no `n`.
      local letters, rest = string.match(arg, `^%-([^{VALUE_LETTERS[call.sub] or "-"}]*)(.*)$`)
      for letter in string.gmatch(letters, ".") do
        call.letters[letter] = true
      end
      if rest ~= "" then
        call.letters[string.sub(rest, 1, 1)] = true
      end
      value_of = if #rest == 1 then arg else nil
    elseif not call.sub then
      call.sub = arg
    else
      table.insert(call.words, arg)
    end
  end
  return call
end

-- The folders that a line may be in behind a `cd`, the likeliest last; nil where that is not known. A `cd` may fail, or change
-- the folder of a subshell only.
local function enter(dirs, word)
  if not dirs or #dirs > 8 or type(word) ~= "string" or string.find(word, "^-") then
    return nil
  end
  local entered = table.clone(dirs)
  for _, dir in dirs do
    table.insert(entered, snaphook.path.resolve(dir, word))
  end
  return entered
end

-- The folder that git works in, or nil where that is not known.
local function folder(call, dir)
  for _, option in call.dirs do
    dir = dir and snaphook.path.resolve(dir, option)
  end
  return dir
end

-- Whether an option is there: to git, `--forc` is `--force`, and `--force-with-lease` is not.
local function has(call, letter, ...)
  for _, long in { ... } do
    for _, given in call.longs do
      if given ~= "" and string.sub(long, 1, #given) == given then
        return true
      end
    end
  end
  return letter ~= nil and call.letters[letter] == true
end

return { read = read, enter = enter, folder = folder, has = has, set = set }
