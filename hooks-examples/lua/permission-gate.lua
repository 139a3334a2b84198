-----
-- name: permission-gate
-- description: Asks before commands that delete, overwrite or take over more than they say, and denies what cannot be read
-----
-- Asks rather than blocks, so that a person can still say yes; without a person the answer is no and the agent is told why.
-- Only what nobody says yes to (deleting the home folder, a fork bomb) is blocked outright.

-- Set this to true to be asked about everything that does what its words do not show: all code in arguments, each script
-- that is run, each changed PATH.
local STRICT = false

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

local BECOMES_ROOT = set("sudo doas su pkexec run0 runuser machinectl")
local WIPES = set("wipefs fdisk sfdisk parted sgdisk blkdiscard mkswap badblocks")
local REMOVES = set("unlink shred truncate srm wipe scrub rimraf trash trash-put dropdb dropuser tmpreaper tmpwatch fallocate")
local ENDS_SESSION = set("shutdown reboot halt poweroff")
local FETCHES = set("curl wget fetch aria2c nc ncat scp sftp rsync")
local UNPACKS = set("unzip 7z 7za 7zr unrar cpio ar")
local ARCHIVES = set("tar gtar bsdtar")
local COMPILES = set("gcc g++ cc c++ clang clang++ tcc rustc go zig nim ghc javac swiftc dmd fpc")
local WRITES = set("tee cp mv ln install dd touch sed gsed mkdir chmod git patch curl wget tar unzip")
local INTERPRETS = set("python python2 python3 perl ruby node deno bun php lua osascript pwsh fish csh tcsh java Rscript julia")
local BUILDS = set("make gmake npm pnpm yarn npx bunx cargo go pip pip3 uv poetry bundle rake gradle mvn cmake just task composer tox")
local SQL = set("sqlite3 sqlite psql mysql mariadb")
-- Flags and words with which a program removes files or what it keeps. A word that is not known counts as a flag.
local REMOVING_FLAGS = rows({
  "tar: remove-files recursive-unlink", "gtar: remove-files recursive-unlink", "zip: m move", "7z: sdel", "7za: sdel",
  "rsync: del delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args remove-source-files",
  "virtualenv: clear", "ncdu: delete", "fdupes: d delete N", "jdupes: d delete N", "gsutil: d",
})
local REMOVING_WORDS = rows({
  "docker: rm rmi prune down", "docker-compose: rm down", "podman-compose: rm down", "podman: rm rmi prune down", "nerdctl: rm rmi prune down", "kubectl: delete drain", "oc: delete drain",
  "helm: uninstall delete", "terraform: destroy", "tofu: destroy", "pulumi: destroy",
  "aws: rm rb sync delete-object delete-objects delete-bucket delete-stack delete-table delete-db-instance terminate-instances",
  "gsutil: rm rb", "gcloud: delete rm", "az: delete", "gh: delete", "rclone: delete deletefile purge rmdir rmdirs sync move cleanup", "zfs: destroy rollback",
  "zpool: destroy", "btrfs: delete", "redis-cli: flushall flushdb del unlink", "mysqladmin: drop", "heroku: apps:destroy pg:reset",
  "vagrant: destroy", "gio: remove trash", "npx: rimraf del-cli trash-cli", "bunx: rimraf del-cli trash-cli", "pnpm: rimraf del-cli", "yarn: rimraf del-cli",
  "python: --clear", "pypy: --clear", "uv: --clear", "git: clean filter-branch filter-repo",
})
-- Options with which `find` overwrites a file that they name.
local FIND_WRITES = { "fprint", "fprint0", "fprintf", "fls" }
-- Options with which git throws files or changes away, by subcommand: letters as a pattern, then long ones.
local GIT_LOSES = rows({
  "checkout: [dlmpqt]*f force", "switch: [dlmpqt]*f force discard-changes", "rm: [nq]*f force", "stash: [kqpS]*[ua] include-untracked all",
  "read-tree: [imnv]*u reset", "checkout-index: [aqnu]*f force",
})
local GNU = set("rm find unlink shred truncate chmod dd sort tar")
local HOMES = set("~ ~/ ~/* $HOME $HOME/ $HOME/* ${HOME} ${HOME}/ ${HOME}/* /*")
local HARMLESS_DEVICE = "^/dev/(null|zero|full|u?random|tty|std(in|out|err)|fd/[0-9]+|shm/.+|tcp/.+|udp/.+)$"
-- Options of perl in which no code can be.
local LETTERS = "^-([plnaiw0]*e|[plnaiw0]+|i\\.\\w+)$"
-- Variables that hold code or options for an interpreter.
local HOLDS_CODE = "^(PERL5DB|PERL5OPT|RUBYOPT|NODE_OPTIONS|LUA_INIT\\w*|PHPRC|PHP_INI_SCAN_DIR|PYTHON(BREAKPOINT|STARTUP|HOME|INSPECT))$"
local OPENS_TO_EVERYBODY = "^0*[0-7]?[0-7]{2}[2367]$|(?:^|,)[ugoa]*[oa][ugoa]*(?:[-+=][rwxXst]*)*[+=](?:[rwxXst]*w|[ug])"
-- Folders of PATH that a line does not fill: the system's, the home folder's, and PATH as it was.
local SYSTEM_FOLDER = "^(/(usr|bin|sbin|opt|nix|snap|Library|Applications)(/[\\w.@+-]+)*/?|\\$PATH|\\$\\{PATH\\})$"
local OWN_FOLDER = "^(~|\\$HOME|\\$\\{HOME\\}|/home/\\w+|/root|/Users/\\w+)(/[\\w.@+-]+)+/?$"

-- A pattern that nothing matches.
local NONE = "[^\\s\\S]"

-- Code in arguments, by language: words and signs of what removes or overwrites files, runs programs or uses the network, or
-- hides what is called; `plain` is taken out first. `names` finds the modules that code loads (in PHP, the functions that it
-- calls), and those that are not `known` count, too. A language that is not here is always asked about, and so is code whose
-- text is not known.
local CODE = {
  python = {
    plain = "\\b__(name|main|version|doc)__\\b|['\"](os|open)['\"]|"
      -- Files that are opened, also to be written: `>` is no question either.
      .. "(^|[^.\\w])((gzip|io|codecs)\\s*\\.\\s*)?open\\s*\\(\\s*[^,()*]*(\\(([^()]|\\([^()]*\\))*\\)[^,()*]*)*(,\\s*(mode\\s*=\\s*)?['\"][rwxabtU+]*['\"]\\s*)?"
      .. "(,\\s*(encoding|errors|newline)\\s*=\\s*[^,()]*)*\\)|\\.\\s*open\\s*\\(\\s*((mode\\s*=\\s*)?['\"][rwxabtU+]*['\"]\\s*)?(,?\\s*(encoding|errors|newline)\\s*=\\s*[^,()]*)*\\)|"
      -- What of `os` only looks.
      .. "\\bimport\\s+([\\w.]+\\s*,\\s*)*os\\b(\\s*,\\s*[\\w.]+)*\\s*(;|#|\\n|$)|\\bfrom\\s+os\\s+import\\s+(path|getcwd|listdir|environ|walk|sep|getenv)\\s*(;|#|\\n|$)|"
      .. "(^|[^.\\w])os\\s*\\.\\s*(path|getcwd|listdir|environ|getenv|walk|scandir|stat|lstat|sep|linesep|name|cpu_count|getpid|getuid|makedirs|mkdir|uname|"
      .. "access|fspath|urandom|get_terminal_size|curdir|pardir|chdir|isatty|[FRWX]_OK)\\b",
    words = "system popen exec eval execfile fork forkpty remove rename renames move kill killpg urlopen urlretrieve getattr setattr delattr vars globals "
      .. "locals breakpoint attrgetter methodcaller Formatter make_dataclass FunctionType CodeType unsafe_load full_load read_pickle TemporaryDirectory "
      .. "copyfile copytree copy2 make_archive unpack_archive FileIO GzipFile savetxt savez tofile memmap meta_path path_hooks find_spec load_module",
    signs = "\\w*(spawn|popen|pager|startfile|rmtree|rmdir|removedirs|remove_tree|unlink|truncate)\\w*|\\bexec[lv]\\w*|(^|[^.\\w])compile\\b|"
      .. "\\bopen[ \\t]*([^ \\t\\w'\"]|$)|(^|[^\\w'\"])os\\b([^'\"]|$)|\\bfrom\\s+shutil|\\bshutil[ \\t]*([^ \\t.,;\\n]|\\.\\s*copy)|=\\s*shutil\\b\\s*(;|\\n|$)|"
      -- `replace` of a path takes one argument, that of a text two.
      .. "\\.\\s*replace[ \\t]*([^ \\t(]|$)|\\.\\s*replace\\s*\\((\\s*target\\s*=|[^,()=]*(\\(([^()]|\\([^()]*\\))*\\)[^,()=]*)*\\))|"
      .. "\\.\\s*(to_[a-z]+\\s*\\(\\s*[^)\\s]|save\\b)|((import|from)\\b[^\\n;]*|\\.\\s*)\\b(subprocess|pty|popen2|commands|ctypes|cffi|multiprocessing|asyncio|"
      .. "concurrent|socket|socketserver|urllib|http|requests|pickle|marshal|shelve|runpy|importlib|imp|modules|builtins|sqlite3|inspect|pdb|timeit|code|"
      .. "codeop|trace|gc|posix|nt|sh|types|operator|f2py|distutils)\\b|__|\\._\\w|\\b_os\\b|\\bimport\\s*[*(_\\\\]|yaml\\.load|#[^\\n]*coding[:=]|"
      .. "[\\p{Lm}\\x{aa}\\x{ba}\\x{17f}\\x{2070}-\\x{218b}\\x{fb00}-\\x{fdff}\\x{fe30}-\\x{feff}\\x{ff00}-\\x{ffef}\\x{1d400}-\\x{1d7ff}]",
    names = "(?:^|[\\n\\r\\f;:])\\s*(?:import\\b([^;#\\n\\r]*)|from\\b\\s*([\\w.]*))",
    known = "json sys re math cmath datetime time calendar zoneinfo collections itertools functools os pathlib glob fnmatch shutil string textwrap random "
      .. "secrets statistics decimal fractions numbers csv io codecs base64 binascii hashlib hmac uuid zlib gzip pprint difflib typing dataclasses enum abc "
      .. "argparse platform struct array copy bisect heapq queue threading unicodedata html xml tomllib toml tomli yaml configparser locale ast tokenize "
      .. "keyword tempfile traceback warnings contextlib errno stat shlex ipaddress sysconfig email numpy pandas __future__",
  },
  node = {
    words = "child_process net http https http2 dgram tls promises "
      .. "dns fetch WebSocket EventSource XMLHttpRequest vm worker_threads Worker cluster repl inspector wasi WebAssembly eval Function "
      .. "AsyncFunction GeneratorFunction constructor globalThis global window self this module Reflect Proxy Deno Bun with kill binding dlopen "
      .. "mainModule getBuiltinModule createRequire execPath report",
    signs = "\\bexec|\\bspawn|\\bfork\\b|\\b(rm|rmdir|unlink|rename|f?truncate|open|copyFile|cp|link|symlink)(Sync)?\\b|"
      .. "(require|import)\\s*\\((\\s*[^'\"\\s]|\\s*['\"][^'\"]*['\"]\\s*[^)\\s])|(require|import)\\s*[^\\s('\"\\w{*]|"
      .. "Object\\s*\\.\\s*get|Descriptor|PrototypeOf|__|\\._|\\\\[ux]|[\\w$)\\]'\"`]\\s*(\\?\\.)?\\[\\s*([^\\]\\d\\s'\"]|"
      .. "['\"][^'\"]*['\"]\\s*[^\\]\\s]|\\d+\\s*[^\\]\\d\\s])|[{,]\\s*\\[[^\\]]*\\]\\s*[:(]",
    names = "\\b(?:require|import|from)\\s*\\(?\\s*['\"](?:node:)?([^'\"]*)",
    known = "fs path os util assert url querystring crypto zlib string_decoder events buffer readline perf_hooks process timers console stream punycode "
      .. "lodash semver yaml js-yaml typescript",
  },
  perl = {
    words = "system exec qx readpipe rename open opendir sysopen pipe fork kill connect bind listen accept shutdown send recv eval evalbytes require "
      .. "use no do syscall chmod chown chroot link symlink mkdir dbmopen dump CORE IO File Path POSIX IPC Net LWP HTTP can AUTOLOAD DESTROY tie "
      .. "bless UNIVERSAL main ARGV INC ENV",
    signs = "`|->|::|(^|[^&])&(\\s*[{$\\\\]|\\w)|\\*\\{|(^|[\\s;(=])\\*\\w|\\(\\?\\??\\{|\\$\\^|[^\\w\\s][gimsxorcn]*e[gimsxorcn]*e[gimsxorcne]*(\\W|$)|"
      .. "\\w*(unlink|truncate|rmdir|rmtree|spawn|sock)\\w*|\\b([gs]et|end)(host|net|proto|serv)\\w*|\\b(shm|msg|sem)(get|ctl|op|read|write|snd|rcv)|"
      -- Names in texts.
      .. "[$@%]\\s*\\{\\s*(\\w+\\s*[^\\w\\s}]|\\w+\\s+\\w|[^\\w\\s^}\\[])|@\\s*\\$|(^|[\\s;({=,])%\\$\\w|(^|[;({=,])\\s*\\*\\s*\\$|\\$\\$\\w+\\s*[\\[{]|(^|\\n)-[a-z]*d",
    names = "(?:^|\\n)-[a-zA-Z]*[mM]-?([^\\s=]*)",
    known = "strict warnings utf8 integer bigint bignum feature json cwd",
  },
  ruby = {
    plain = "\\bFile\\s*\\.\\s*(read|readlines|foreach|exist\\?|file\\?|directory\\?|basename|dirname|extname|join|size|expand_path|mtime|stat)(\\W|$)",
    words = "system exec fork syscall IO File Open3 PTY FileUtils Dir Pathname Tempfile Kernel Process ObjectSpace Signal "
      .. "Gem Bundler Net Socket TCPSocket UDPSocket TCPServer OpenURI HTTP Fiddle RubyVM Psych Marshal Binding Shell Rake delete rename "
      .. "eval instance_eval class_eval module_eval instance_exec class_exec send public_send __send__ method instance_method public_method "
      .. "define_method const_get binding trap autoload require_relative load open to_sym intern to_proc callcc select sysopen reopen",
    signs = "`|%[xsiI]\\W|:[\"']|&[^&\\s]|\\\\[ux]|::|\\brm_|\\w*(spawn|popen|unlink|truncate|rmtree|rmdir)\\w*|\\brequire\\s*\\(?\\s*[^\"'\\s(]",
    names = "\\brequire\\b\\s*\\(?\\s*[\"']([^\"']*)|(?:^|\\n)-[A-Za-z]*r([^\\s\"]*)",
    known = "json set date time yaml csv pp digest securerandom optparse bigdecimal matrix prime benchmark strscan stringio english uri base64 zlib",
  },
  php = {
    words = "include include_once require require_once new goto assert",
    signs = "\\bcurl_|\\bstream_|\\bsocket_|\\bftp_|['\"\\])}$]\\s*\\(|\\$\\w+\\s*\\(|`|::|->|\\$\\$|\\$\\{|&|\\\\[ux0-7]|://|\\*/\\s*\\(|(#|//)[^\\n]*\\n\\s*\\(|"
      .. "(?i)file_get_contents\\s*\\(\\s*([^'\"\\s]|['\"][^'\"]*['\"]\\s*[^)\\s])",
    names = "([\\w\\x{80}-\\x{10ffff}]+)\\s*\\(",
    known = "if elseif while for foreach switch match and or not return echo print exit die function fn array list isset unset empty count sizeof strlen "
      .. "str_repeat str_replace str_pad strrev strtolower strtoupper ucfirst ucwords trim ltrim rtrim explode implode join substr strpos str_contains sprintf printf "
      .. "number_format json_encode json_decode serialize var_dump var_export print_r phpversion php_uname php_sapi_name php_ini_loaded_file zend_version date "
      .. "time microtime hrtime mktime strtotime checkdate round floor ceil abs min max intdiv pow sqrt pi array_sum array_keys array_values array_merge "
      .. "array_slice array_unique array_flip array_reverse array_column array_combine in_array range sort rsort ksort asort is_array is_string is_int is_null is_numeric "
      .. "gettype intval floatval strval boolval md5 sha1 crc32 hash base64_encode base64_decode bin2hex hex2bin urlencode urldecode rawurlencode htmlspecialchars "
      .. "rand mt_rand random_int random_bytes uniqid password_hash password_verify file_exists is_file is_dir filesize basename dirname pathinfo realpath "
      .. "file_get_contents getcwd getenv extension_loaded get_loaded_extensions ini_get function_exists class_exists defined memory_get_usage memory_get_peak_usage",
  },
  lua = {
    plain = "\\bos\\s*\\.\\s*(time|date|clock|difftime|getenv)\\b|\\bio\\s*\\.\\s*(read|write|lines|type|stdin|stdout|stderr)\\b",
    words = "os io execute popen remove rename tmpname exit load loadstring loadfile loadlib dofile require _G _ENV package debug getfenv setfenv ffi jit "
      .. "getmetatable dump vim lfs socket",
    signs = "__|\\\\[uxz0-9]",
    names = NONE,
    known = "",
  },
  awk = {
    plain = "\\|\\|",
    words = "system ENVIRON PROCINFO",
    signs = "\\||@|/inet|/dev/",
    names = NONE,
    known = "",
  },
  sql = {
    words = "constructor drop delete truncate alter update replace attach detach vacuum copy load outfile dumpfile load_extension readfile writefile "
      .. "edit fts3_tokenizer lo_import lo_export program do call exec execute system source shell pager tee import require process spawn eval "
      .. "function remove deletemany deleteone dropdatabase runcommand admincommand fetch grant revoke kill shutdown",
    signs = "\\\\|(^|\\n)\\s*\\.|\\bxp_|\\bpg_",
    names = NONE,
    known = "",
  },
}
-- Texts, comments and regular expressions in awk code. A `/` begins one only where a value may begin, and where one has ended it
-- divides; where neither is certain, nothing may be taken out.
local AWK_TOKEN = "(\")(?:[^\"\\\\\\n]|\\\\[\\s\\S])*(\")|#[^\\n]*|\\\\\\n|((?:^|[(,;{!&|~=\\n])[ \\t]*)"
  .. "/(?:[^/\\\\\\n\"\\[\\]]|\\\\[^\\n\"]|\\[\\^?(?:\\]|\\[:\\w+:\\]|[^/\\\\\\n\"\\[\\]])(?:\\[:\\w+:\\]|[^/\\\\\\n\"\\[\\]])*\\])*/"
local AWK_UNSURE = "(?:^|[^\\w\\]\"\\s])\\s*/|\\b(?:print|printf|return|in|else|do|getline|delete|exit|case)\\s*/|\""

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

-- Awk code without texts, comments and regular expressions, as far as it is certain what they are.
local function bare_awk(code)
  local bare = snaphook.regex.replace(AWK_TOKEN, code, "$1$2$3")
  return if snaphook.regex.matches(AWK_UNSURE, snaphook.regex.replace('""', bare, "0")) then code else bare
end

-- Whether code loads or calls by name what is not known to be harmless.
local function names_others(rule, code)
  local known = set(rule.known)
  for _, found in snaphook.regex.find_all(rule.names, code) do
    for part in string.gmatch((found.groups[1] or found.groups[2]) .. ",", "([^,]*),") do
      local name = string.lower(string.match(part, "^%s*([%w_/.:-]*)"))
      -- `./x` is a file of the project, which is a script like any other.
      if not known[name] and not known[string.match(name, "^[^./]*")] and not string.find(name, "^%.") then
        return true
      end
    end
  end
  return false
end

-- Whether code of a language may do more than look and compute.
local function reaches(language, code)
  local rule = CODE[language]
  if not rule then
    return true
  end
  local words = (if language == "sql" or language == "php" then "(?i)\\b(" else "\\b(") .. snaphook.regex.replace(" +", rule.words, "|") .. ")\\b"
  if names_others(rule, code) then
    return true
  end
  if language == "awk" then
    code = bare_awk(code)
  end
  if rule.plain then
    code = snaphook.regex.replace(rule.plain, code, " ")
  end
  return snaphook.regex.matches(words, code) or snaphook.regex.matches(rule.signs, code)
end

-- Whether a command unpacks or fetches a whole folder of files that nobody has read.
local function unpacks(cmd)
  local extracts = function(arg) return is_unknown(arg) or snaphook.regex.matches("^-[A-Za-z]*x|^--ex|^--get|^[A-Za-z]*x[A-Za-z]*$", arg) end
  return UNPACKS[cmd.name] or ARCHIVES[cmd.name] and any(cmd.args, extracts) or cmd.name == "git" and table.find(cmd.args, "clone")
end

-- What the line as a whole does that matters to a command of it: "unpacks", "brings" files that nobody has read, "writes".
local function survey(commands)
  local line = {}
  for _, cmd in commands do
    local codes = cmd.opaque and cmd.opaque.kind == "code" or cmd.name == "patch" or cmd.name == "git" and table.find(cmd.args, "apply")
    local writes = function(redirect) return redirect.write and string.sub(text_of(redirect.target), 1, 5) ~= "/dev/" end
    if unpacks(cmd) then
      table.insert(line, "unpacks")
    end
    if unpacks(cmd) or codes or FETCHES[cmd.name] then
      table.insert(line, "brings")
    end
    if COMPILES[cmd.name] then
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
  local code, language = opaque.code, opaque.language
  local unseen = STRICT
  for _, arg in cmd.args do
    local text = if type(arg) == "string" then arg else arg.text
    if language == "awk" then
      -- A separator is no code: `-F '|'`.
      unseen = unseen or not snaphook.regex.matches("^-F|^[^\\w\\s]{0,3}$", text) and reaches(language, text)
    else
      code ..= "\n" .. (if snaphook.regex.matches(LETTERS, text) then "" else text)
    end
    unseen = unseen or language == "perl" and arg ~= opaque.code and string.find(text_of(arg), "|", 1, true) ~= nil
  end
  return (unseen or reaches(language, code)) and `{language or "unknown"} code that may delete, run programs or use the network` or nil
end

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
  for flag in REMOVING_FLAGS[name] or {} do
    if cmd:has_flags(flag) then
      return true
    end
  end
  -- `python3.11` is `python`.
  local words = REMOVING_WORDS[string.match(name, "^(.-)[%d.]*$")]
  -- `--cl` is `--clear`, `rimraf@5` a version, and redis reads its commands in any case.
  local function is_word(arg)
    local plain = if name == "redis-cli" then string.lower(text_of(arg)) else string.match(text_of(arg), "^(.+)@") or arg
    return words[plain] or words[arg] or words["--clear"] and type(arg) == "string" and snaphook.regex.matches("^--cle?a?r?$", arg)
  end
  if words and (any(cmd.args, is_word) or not INTERPRETS[name] and #cmd.args > 0 and is_unknown(cmd.args[1])) then
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
    or SQL[name] and any(cmd.args, function(arg) return is_unknown(arg) or reaches("sql", arg) end)
end

-- Whether `rm` goes into folders; of `RM` the reader does not know that `-R` is the same.
local function deletes_folders(cmd) return cmd:has_flags("r") or cmd:has_flags("R") or cmd:has_flags("recursive") end

-- What is wrong with one command, in words that read before the command itself; nil if nothing is.
local function concern(cmd, line)
  local name, args = name_of(cmd), cmd.args
  local what = cmd.opaque and hidden(cmd, line)
  if BECOMES_ROOT[name] or any(cmd.via, function(wrapper) return BECOMES_ROOT[wrapper] end) then
    return "a command with another user's rights"
  elseif cmd.dynamic then
    return "something that cannot be known before it runs"
  elseif name == "rm" and deletes_folders(cmd) then
    return "a recursive delete"
  elseif name == "rm" and any(args, is_unknown) then
    return "a delete of what only the shell will know"
  elseif name == "find" and cmd:has_flags("delete") then
    return "a delete of all that is found"
  elseif REMOVES[name] or removes(cmd) then
    return "a command that removes"
  elseif overwrites(cmd) then
    return "a command that overwrites a file"
  elseif WIPES[name] or string.find(name, "^mkfs") then
    return "a command that wipes disks or files"
  elseif ENDS_SESSION[name] or name == "kill" and table.find(args, "-1") or name == "crontab" and table.find(args, "-r") then
    return "the end of more than one program"
  elseif name == "chmod" and any(args, function(arg) return snaphook.regex.matches(OPENS_TO_EVERYBODY, text_of(arg)) end) then
    return "write access for everybody"
  elseif any(args, names_device) or any(cmd.redirects, function(redirect) return names_device(redirect.target) end) then
    return "access to a device"
  elseif what then
    return what
  elseif (name == "dd" or INTERPRETS[name]) and any(args, is_unknown) then
    return "a program or a place that cannot be known before it runs"
  elseif table.find(line, "unpacks") and (INTERPRETS[name] or BUILDS[name]) then
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
      return HOMES[text_of(arg)] or known and snaphook.path.is_inside(ctx.project_root, arg)
    end
    if name_of(cmd) == "rm" and deletes_folders(cmd) and any(cmd.args, is_everything) then
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
