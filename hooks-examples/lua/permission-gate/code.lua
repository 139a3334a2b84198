-- Code in arguments: whether it may do more than look and compute.
local words = require("words")
local set = words.set

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
  sql = {
    plain = "(?m)^[ \\t]*\\.(tables|schema|fullschema|index(es)?|indices|databases|dbinfo|headers?|mode|show|help|version|timer|stats|quit|exit)([ \\t][^\\n|;]*)?$",
    words = "constructor drop delete truncate alter update replace attach detach vacuum copy load outfile dumpfile load_extension readfile writefile "
      .. "edit fts3_tokenizer lo_import lo_export program do call exec execute system source shell pager tee import require process spawn eval "
      .. "function remove deletemany deleteone dropdatabase runcommand admincommand fetch grant revoke kill shutdown",
    signs = "\\\\|(^|\\n)\\s*\\.|\\bxp_|\\bpg_",
    names = NONE,
    known = "",
  },
}
-- Awk code, in every way in which it may be read. A `/` divides where a value has ended, and begins a regular expression where one
-- may begin; behind words like `print`, and behind `)` where that may end a condition, both are tried. So it is with a `/` within
-- brackets. What any reading shows outside of texts, comments and regular expressions counts.
local AWK_BLANK = "[ \\t\\r]|\\\\\\r?\\n"
local AWK_TEXT = "\"(?:[^\"\\\\]|\\\\[\\s\\S])*\""
local AWK_BRACKETS = "\\[\\^?\\]?(?:\\[[:=.][^\\n/]{0,12}?[:=.]\\]|\\\\[^\\n]|[^\\]\\\\\\n])*\\]"
local AWK_REGEX = "/(?:[^/\\\\\\n]|\\\\[^\\n]|" .. AWK_BRACKETS .. ")*/"
local AWK_VALUE = AWK_TEXT .. "|[A-Za-z0-9_.]+|[)\\]]|\\+\\+|--"
local AWK_SIGN = "[^\\sA-Za-z0-9_.\"#/|@\\\\)\\]]|\\|\\||\\n|#[^\\n]*(?:\\n|\\z)|(?-u:\\b)(?:print|printf|return|in|else|do|getline|delete|exit|case)(?-u:\\b)"
local AWK_REACHES = "\\|(?:[^|]|\\z)|@|(?-u:\\b)(?:[0-9][0-9A-Fa-fxX.]*)?(?:system|ENVIRON|PROCINFO)(?-u:\\b)"
local AWK_FILES = "\"/dev/(?:null|tty|u?random|std(?:in|out|err)|fd/[0-9]+)\""

-- Whether awk code may run programs or use the network, in one of the ways in which it may be read.
local function awk_reaches(code)
  local sign = AWK_SIGN .. (if snaphook.regex.matches("\\b(if|while|for)\\b", code) then "|\\)" else "")
  local value = `(?:{AWK_REGEX}|{AWK_VALUE})(?:{AWK_BLANK}|{AWK_VALUE})*`
  local read = `^(?:{AWK_BLANK}|{sign})*(?:{value}(?:/|{sign})(?:{AWK_BLANK}|{sign})*)*(?:{value})?`
  -- What cannot be read to its end is looked at as it is.
  local whole = snaphook.regex.matches(read .. "\\z", code)
  return snaphook.regex.matches((if whole then read else "") .. `(?:{AWK_REACHES})`, if whole then code else snaphook.regex.replace("\\|\\|", code, " "))
    or snaphook.regex.matches("\"/(dev|inet[46]?)/", snaphook.regex.replace(AWK_FILES, code, " "))
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
  if language == "awk" then
    return awk_reaches(code)
  end
  local rule = CODE[language]
  if not rule then
    return true
  end
  local words = (if language == "sql" or language == "php" then "(?i)\\b(" else "\\b(") .. snaphook.regex.replace(" +", rule.words, "|") .. ")\\b"
  if names_others(rule, code) then
    return true
  end
  if rule.plain then
    code = snaphook.regex.replace(rule.plain, code, " ")
  end
  return snaphook.regex.matches(words, code) or snaphook.regex.matches(rule.signs, code)
end

return { reaches = reaches }
