-- Words of a command line: what they are, and lists of them.

local function set(words)
  local members = {}
  for word in string.gmatch(words, "%S+") do
    members[word] = true
  end
  return members
end

-- `name: word word`, by name.
local function rows(lines)
  local table = {}
  for _, line in lines do
    local name, words = string.match(line, "^(.-): (.*)$")
    table[name] = set(words)
  end
  return table
end

local INTERPRETS = set("python python2 python3 perl ruby node deno bun php lua osascript pwsh fish csh tcsh java Rscript julia")
local GNU = set("rm find unlink shred truncate chmod dd sort tar")

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

-- A program's name: in any case (disks), with `.exe` (Windows), with a `g` before (GNU's on a Mac).
local function name_of(cmd)
  local name = string.gsub(string.lower(text_of(cmd.name)), "%.exe$", "")
  return if string.sub(name, 1, 1) == "g" and GNU[string.sub(name, 2)] then string.sub(name, 2) else name
end

return { set = set, rows = rows, text_of = text_of, is_unknown = is_unknown, any = any, name_of = name_of, INTERPRETS = INTERPRETS }
