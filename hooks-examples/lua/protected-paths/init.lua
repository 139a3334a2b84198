-----
-- name: protected-paths
-- description: Keeps secrets from being read or written, and .git, lock files, CI and the hooks themselves from being written
-----
-- Which names are protected stands in names.lua, to be edited. A link to a protected file is not seen, and neither is
-- what a program reads without naming it (`grep -r x .`, `tar c .`): install redact-secrets beside this.
local names = require("names")

local function set(words)
  local members = {}
  for word in string.gmatch(words, "%S+") do
    members[word] = true
  end
  return members
end

-- What commands do to the files they name; whatever is not listed may write. Of git, the subcommand decides.
local TOUCHES_NOTHING = set("echo printf test [ true false pwd ls stat file du df which type basename dirname export kill sleep seq expr date exit return set read")
local READS = set("cat bat head tail less more nl tac wc cut diff cmp comm grep egrep fgrep rg ag jq od hexdump strings base64 md5sum sha256sum shasum find fd")
local GIT_READS = set("add blame commit describe diff grep log ls-files rev-parse show stash status")
local INTERPRETS = set("python python2 python3 node deno bun ruby perl php lua awk gawk mawk sed osascript")
local KNOWN_TOOLS = set("bash read write edit glob grep web_fetch web_search task todo notebook")
local READING_TOOLS = set("read glob grep web_fetch web_search")
local ANY_SIGN, ADDRESS_SIGNS, PATH_SIGNS = "[^=:@,]+", "[^=:@,?#]+", "[%w%._%-/~]+"

local function use_of(cmd)
  if TOUCHES_NOTHING[cmd.name] then
    return "nothing"
  elseif cmd.name == "git" then
    local at = 1
    while cmd.args[at] == "-C" or cmd.args[at] == "-c" or cmd.args[at] == "--no-pager" do
      at += if cmd.args[at] == "--no-pager" then 1 else 2
    end
    return if GIT_READS[cmd.args[at]] then "reads" else "writes"
  end
  return if READS[cmd.name] then "reads" else "writes"
end

on("tool_call", function(event, ctx)
  local reason, question = nil, nil
  local function look(word, writes, signs)
    if type(word) == "string" then
      reason = reason or names.judge_text(word, signs or ANY_SIGN, writes, ctx)
    else
      reason = reason or names.judge_text(word.text, PATH_SIGNS, writes, ctx)
      question = question or names.may_be_protected(word, writes) and word.text
    end
  end
  local function look_inside(value, writes)
    if type(value) == "table" then
      for _, part in value do
        look_inside(part, writes)
      end
    elseif type(value) == "string" and #value < 1000 then
      look(value, writes, ADDRESS_SIGNS)
    end
  end

  for _, path in event.paths do
    reason = reason or names.judge_file(path, not READING_TOOLS[event.tool], ctx)
  end
  if event.url then
    look(event.url, false)
  end
  if event.tool == "grep" and type(event.input.glob) == "string" and names.is_near(event.input.glob .. "*", names.SAMPLES) then
    question = event.input.glob
  elseif not KNOWN_TOOLS[event.tool] then
    -- An MCP server's tool may call its paths anything.
    look_inside(event.input, not string.find(string.lower(event.tool), "read") and not string.find(string.lower(event.tool), "search"))
  end

  local commands, problem = snaphook.shell.commands(event.command or "", { shell = event.shell })
  if not commands then
    return { block = true, reason = `this command line cannot be read, so it cannot be checked (not understood: {problem}); write it more simply` }
  end
  local filtered = event.command ~= nil and string.find(event.command, "-name ", 1, true) ~= nil
  for _, cmd in commands do
    local use = use_of(cmd)
    -- `find -name '*.rs' | xargs grep x`: the pattern, which is looked at as well, says what comes.
    local listed = filtered and use == "reads" and (table.find(cmd.via, "xargs") or table.find(cmd.via, "find"))
    for _, arg in if use == "nothing" then {} else cmd.args do
      if type(arg) == "string" and names.is_near(arg, names.SAMPLES) and (cmd.name == "find" or cmd.name == "fd") then
        question = question or arg
      elseif type(arg) == "string" or not listed then
        look(arg, use == "writes", INTERPRETS[cmd.name] and PATH_SIGNS)
      end
    end
    -- Code in a here-document is in no argument.
    if cmd.opaque and cmd.opaque.code then
      look(cmd.opaque.code, use == "writes", PATH_SIGNS)
    end
    for _, value in cmd.assignments do
      if type(value) == "string" then
        look(value, false)
      else
        -- What it comes to is asked about where it is used.
        reason = reason or names.judge_text(value.text, PATH_SIGNS, false, ctx)
      end
    end
    for _, redirect in cmd.redirects do
      look(redirect.target, redirect.write)
    end
  end
  if reason then
    return { block = true, reason = reason }
  elseif question then
    return { ask = `{question} may stand for a protected file; name the files instead. Go on?` }
  end
end)
