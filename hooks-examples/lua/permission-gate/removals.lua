-- What removes files, or what a program keeps.
local words = require("words")
local code = require("code")
local services = require("services")
local set, rows, any, text_of, is_unknown, name_of = words.set, words.rows, words.any, words.text_of, words.is_unknown, words.name_of

local REMOVES = set("unlink shred truncate srm wipe scrub rimraf premove del-cli rmtrash trash trash-put trash-rm trash-empty trash-cli gvfs-rm gvfs-trash dropdb dropuser tmpreaper tmpwatch fallocate lvremove vgremove pvremove lvreduce")
local SQL = set("sqlite3 sqlite sqlcipher litecli psql pgcli mysql mycli mysqlsh mariadb duckdb clickhouse-client usql sqlcmd")
-- Flags and words with which a program removes files or what it keeps. A word that is not known counts as a flag.
local REMOVING_FLAGS = rows({
  "tar: remove-files recursive-unlink", "gtar: remove-files recursive-unlink", "zip: m move", "7z: sdel", "7za: sdel", "7zr: sdel", "7zz: sdel",
  "rsync: del delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args remove-source-files remove-sent-files",
  "virtualenv: clear", "ncdu: delete", "fdupes: d delete N", "jdupes: d delete N", "gsutil: d",
})
local REMOVING_WORDS = rows({
  "docker: rm rmi remove prune", "docker-compose: rm", "podman-compose: rm", "podman: rm rmi remove prune reset", "nerdctl: rm rmi remove prune", "kubectl: delete drain", "oc: delete drain",
  "aws: rm rb sync", "gcloud: delete rm", "az: delete", "gh: delete delete-asset", "rclone: delete deletefile purge rmdir rmdirs sync move cleanup", "zfs: destroy rollback",
  "zpool: destroy labelclear", "btrfs: delete delet dele del", "redis-cli: flushall flushdb del unlink getdel", "valkey-cli: flushall flushdb del unlink getdel", "keydb-cli: flushall flushdb del unlink getdel",
  "gio: remove trash", "npx: rimraf del-cli trash-cli premove", "bunx: rimraf del-cli trash-cli premove", "pnpx: rimraf del-cli trash-cli premove",
  "pnpm: rimraf del-cli trash-cli premove", "yarn: rimraf del-cli trash-cli premove", "shx: rm", "kioclient: rm remove",
  "python: --clear", "pypy: --clear", "uv: --clear", "git: clean filter-branch filter-repo",
})
-- Options with which `find` overwrites a file that they name.
local FIND_WRITES = { "fprint", "fprint0", "fprintf", "fls" }
-- Options with which git throws files or changes away, by subcommand: letters as a pattern, then long ones.
local GIT_LOSES = rows({
  "checkout: [dlmpqt]*f force", "switch: [dlmpqt]*f force discard-changes", "rm: [nq]*f force", "stash: [kqpS]*[ua] include-untracked all",
  "read-tree: [imnv]*u reset", "checkout-index: [aqnu]*f force",
})

-- Whether a word is one of these long options, or begins like one: `--disc` is `--discard-changes`.
local function is_long(arg, longs)
  for long in longs do
    if #arg > 2 and string.sub("--" .. long, 1, #arg) == arg then
      return true
    end
  end
  return false
end

-- Whether git is told to throw files or changes away.
local function git_loses(args)
  local sub, of_option = nil, false
  for _, arg in args do
    if not sub and not of_option and type(arg) == "string" and string.sub(arg, 1, 1) ~= "-" then
      sub = arg
    end
    of_option = not of_option and (arg == "-C" or arg == "-c" or arg == "--git-dir" or arg == "--work-tree")
  end
  local options = GIT_LOSES[sub]
  if not options or sub == "stash" and (table.find(args, "show") or table.find(args, "list")) then
    return false
  end
  return any(args, function(arg)
    if type(arg) ~= "string" then
      return false
    end
    for option in options do
      if string.find(option, "[", 1, true) and snaphook.regex.matches("^-" .. option, arg) then
        return true
      end
    end
    return is_long(arg, options)
  end)
end

-- Whether a program writes over a file that one of its options names; what is sorted in place stays.
local function overwrites(cmd)
  if name_of(cmd) == "find" then
    return any(FIND_WRITES, function(option) return cmd:has_flags(option) end)
  end
  for at, arg in if name_of(cmd) == "sort" then cmd.args else {} do
    local found = snaphook.regex.find("^(?:-[bdfghinMRrVcCmsuz]*o|--o[utp]*(?:=|$))(.*)$", text_of(arg))
    if found then
      local target = if found.groups[1] == "" then text_of(cmd.args[at + 1] or "") else found.groups[1]
      local read = 0
      for _, word in cmd.args do
        read += if text_of(word) == target then 1 else 0
      end
      return read < (if found.groups[1] == "" then 2 else 1)
    end
  end
  return false
end

-- Whether a command removes files, or what a program keeps.
local function removes(cmd)
  local name = name_of(cmd)
  if REMOVES[name] or services.takes(cmd) then
    return true
  end
  for flag in REMOVING_FLAGS[name] or {} do
    if cmd:has_flags(flag) then
      return true
    end
  end
  -- `python3.11` is `python`, `bun x` is `bunx`.
  local own = REMOVING_WORDS[if name == "bun" and cmd.args[1] == "x" then "bunx" else string.match(name, "^(.-)[%d.]*$")]
  -- `--cl` is `--clear`, `rimraf@5` a version, and redis reads its commands in any case.
  local function is_word(arg)
    local plain = if string.find(name, "^%l+%-cli$") then string.lower(text_of(arg)) else string.match(text_of(arg), "^(.+)@") or arg
    return own[plain] or own[arg] or own["--clear"] and type(arg) == "string" and snaphook.regex.matches("^--cle?a?r?$", arg)
  end
  if own and (any(cmd.args, is_word) or not words.INTERPRETS[name] and #cmd.args > 0 and is_unknown(cmd.args[1])) then
    -- Only a list of what `git clean` would remove.
    local dry = name == "git" and cmd.args[1] == "clean" and #cmd.args > 1
    for at, arg in cmd.args do
      dry = dry and (at == 1 or type(arg) == "string" and snaphook.regex.matches("^(-[dxXq]*n[dxXqn]*|--dry-run|-[dxXq]+)$", arg))
    end
    return not (dry and (cmd:has_flags("n") or cmd:has_flags("dry-run")))
  end
  local git = name == "git"
  return git and git_loses(cmd.args)
    or git and table.find(cmd.args, "rm") and cmd:has_flags("r")
    or git and table.find(cmd.args, "reset") and cmd:has_flags("hard")
    or git and table.find(cmd.args, "worktree") and table.find(cmd.args, "remove")
    -- What a here-document feeds a client is in no word: not known, unless it is the code that the reader found.
    or SQL[name] and string.find(cmd.text, "<<", 1, true) and not any(cmd.args, function(arg) return string.find(text_of(arg), "<<", 1, true) ~= nil end)
    or SQL[name] and any(cmd.args, function(arg) return is_unknown(arg) or code.reaches("sql", arg) end)
end

-- Whether `rm` goes into folders; of `RM` the reader does not know that `-R` is the same.
local function deletes_folders(cmd) return cmd:has_flags("r") or cmd:has_flags("R") or cmd:has_flags("recursive") end

return { removes = removes, overwrites = overwrites, deletes_folders = deletes_folders }
