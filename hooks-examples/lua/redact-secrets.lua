-----
-- name: redact-secrets
-- description: Replaces tokens, passwords and private keys in what tools say, before the model or a transcript sees them
-- on_failure: withhold
-----
-- The key's name stays, so that the agent can still reason about it: `API_TOKEN=[redacted: value]`.

-- Is put before what only looks like a secret: a call, a count, an address. Unicode reserves it, so no text has it.
local KEEP = "\u{FDD0}"

-- Pieces of patterns: blanks; a quote, which may be escaped; what assigns; and a value that is worth hiding, which has a digit
-- and six characters. `[` never starts one, so nothing is redacted twice. Only words ignore case: all else would be slow to compile.
local BLANKS = "[ \\t\\x{a0}]*"
local QUOTE = "\\\\*[\"'`]"
local ASSIGNS = "(?:" .. BLANKS .. "[:?+]?=" .. BLANKS .. "|" .. BLANKS .. ":[ \\t\\x{a0}]+(?:[|>][+-]?\\s+)?|[ \\t\\x{a0}]+:" .. BLANKS .. "|%3[AaDd])"
local FIRST = "[^\\s\"'`$\\[\\](){}<>,;=~:\\\\" .. KEEP .. "]"
local MORE = "(?:[^\\s\"'`$\\[\\](){}<>,;\\\\]|\\\\[^\\s\"'`\\\\nrt])"
local REST = "(?:[^\\s\"'`,;)}\\]\\\\]|\\\\[^\\s\"'`\\\\nrt])"
local VALUE = "(?:" .. FIRST .. MORE .. "{4,}[0-9]" .. REST .. "*|" .. FIRST .. MORE .. "{0,3}[0-9]" .. REST .. "{4,}|[0-9]" .. REST .. "{5,})"
local TEXT = "[^\\s\"'`$\\[\\](){}<\\\\,;=" .. KEEP .. "]"
local HEADER = "(?:[A-Za-z._~+/=-]{7,}[0-9][A-Za-z0-9._~+/=-]*|[A-Za-z._~+/=-]{0,6}[0-9][A-Za-z0-9._~+/=-]{7,})"
local USER = "[^\\s:/@?#\"'<>`\\[]"

-- Names whose value is a secret: words with anything behind them, and short ones, which stand alone or end a name.
local WORD = "(?i:passw(?:or)?d|passphrase|passcode|secret|token|credential|(?:api|access|private|auth|account|master|signing|encryption)[_-]?key)"
local START = "(?:(?-u:\\b)|[^A-Za-z])"
local NAME = "(?:" .. WORD .. "[A-Za-z0-9_-]*|(?:" .. START .. "|(?i:db|user|root|admin|smtp|mail|ftp|my|pg|sql|key|store))(?i:pass)[0-9]*|(?i:pwd)[0-9]*|" .. START .. "(?i:pw))"
local NAMED = NAME .. "(?:" .. QUOTE .. ")?\\]?"
local CAPITALS = "(?-u:\\b)(?:[A-Z0-9_]*(?:PASSW(?:OR)?D|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|(?:API|ACCESS|PRIVATE|AUTH|ACCOUNT|MASTER|SIGNING|ENCRYPTION)_?KEY)[A-Z0-9_]*|(?:[A-Z0-9]+_)*(?:PASS|PWD|PW))"
local KEY = "(?i:PRIVATE KEY)[A-Z0-9 a-z]*-{4,}"

-- What is known by its form: what the text must hold, in small letters, for it to be worth trying, the pattern, what stands for
-- the match. A needle is searched as plain text, which costs next to nothing; only what is found pays for a pattern.
local FORMS = {
  -- A private key, to its end or that of the text. Where its first line stands in quotes, code speaks of it.
  { { "private key" }, "-{4,} ?(?i:BEGIN) [A-Za-z0-9 ]*" .. KEY .. "(?:[^-\"'`\\\\)]|\\\\+[a-z]|" .. QUOTE .. "[\\s,+.\\\\]*" .. QUOTE .. "(?:\\\\n|[A-Za-z0-9+/]{16}))[\\s\\S]*?(?:-{4,} ?(?i:END) [A-Za-z0-9 ]*" .. KEY .. "|\\z)", "[redacted: private key]" },
  { { "private key" }, "(?:[A-Za-z0-9+/]{40,}={0,2}(?:\\s|\\\\[nr]|[0-9]{1,6}[\\t:|-])+)+[A-Za-z0-9+/=]*\\s*-----END [A-Z0-9 ]*" .. KEY, "[redacted: private key]" },
  { { "private-lines:" }, "(Private-Lines: *[0-9]+\\r?\\n)(?:[A-Za-z0-9+/=]+(?:\\r?\\n|\\z))+", "${1}[redacted: private key]\n" },
  { { "age-secret-key-1" }, "(?:AGE-SECRET-KEY|age-secret-key)-1[0-9A-Za-z]{40,}", "[redacted: private key]" },
  -- Keys and tokens that are known by their first letters.
  { { "akia", "asia" }, "A(?:KIA|SIA)[0-9A-Z]{16}([^A-Za-z0-9+/]|\\z)", "[redacted: AWS key id]$1" },
  { { "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_" }, "gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}", "[redacted: GitHub token]" },
  { { "gl", "gr1348941" }, "gl(?:pat|dt|rt|rtr|ptt|cbt|ft|soat|imt|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{20,}|GR1348941[A-Za-z0-9_-]{20}", "[redacted: GitLab token]" },
  -- Behind a small letter it may be the end of a word: `task-`, `disk_test_`.
  { { "sk-", "sk_", "rk_" }, "((?-u:\\b)|[^a-z])(?:sk-[A-Za-z0-9_-]{20,}|[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,})|sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test|prod)_[A-Za-z0-9]{24,}", "${1}[redacted: API key]" },
  { { "xox", "xapp-", "hooks.slack.com" }, "xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[A-Za-z0-9]+|hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}", "[redacted: Slack token]" },
  { { "aiza", "gocspx-", "ya29." }, "AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\\.[A-Za-z0-9_-]{16,}", "[redacted: Google key]" },
  { { "npm_" }, "npm_[A-Za-z0-9]{36,}", "[redacted: npm token]" },
  { { "hf_", "gsk_", "sg.", "whsec_", "pypi-", "hvs.", "hvb.", "hvr.", "_v1_", "shp", "dckr_pat_", "lin_api_", "glsa_", "glc_", "dapi", "tskey-", "xai-", "nvapi-", "rubygems_", "pmak-",
    "nrak-", "pscale_tkn_", "atatt3x", "figd_", "sntrys_", "r8_" },
    "(?:hf|gsk|lin_api|glsa|glc)_[A-Za-z0-9]{30,}|SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{20,}|whsec_[A-Za-z0-9+/=]{20,}|pypi-(?:AgE[A-Za-z0-9_-]{16,}|[A-Za-z0-9_-]{50,})|hv[sbr]\\.[A-Za-z0-9_-]{24,}|do[opr]_v1_[A-Za-z0-9]{32,}"
      .. "|shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{32}|dckr_pat_[A-Za-z0-9_-]{20,}|dapi[a-f0-9]{32}|tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"
      .. "|xai-[A-Za-z0-9]{40,}|nvapi-[A-Za-z0-9_-]{40,}|rubygems_[a-f0-9]{48}|PMAK-[a-f0-9-]{40,}|NRAK-[A-Z0-9]{20,}|pscale_tkn_[A-Za-z0-9_-]{30,}|ATATT3x[A-Za-z0-9_=-]{40,}"
      .. "|figd_[A-Za-z0-9_-]{30,}|sntrys_[A-Za-z0-9_=+/-]{40,}|r8_[A-Za-z0-9]{37}", "[redacted: API key]" },
  { { "eyj" }, "eyJ[A-Za-z0-9_-]{8,}\\.(?:eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]{4,}){3})", "[redacted: JWT]" },
  -- In addresses, headers and files of programs. A digest or a port before `@` is no password.
  { { "://" }, "(://)([^\\s@]+@sha[0-9]+:|[^\\s:/@\"']+:[0-9]{2,5}[,;])", "$1" .. KEEP .. "$2" },
  { { "://" }, "(://[^\\s:/@\"'<>" .. KEEP .. "]*:)[^\\s/@\\[\"'<>`${][^\\s/\"'<>`]*@", "${1}[redacted: password]@" },
  { { "://" }, "(://)(?:" .. USER .. "{10,}[0-9]" .. USER .. "{5,}|" .. USER .. "{0,9}[0-9]" .. USER .. "{15,})@", "${1}[redacted: credential]@" },
  { { "authorization" }, "((?i:authorization)(?:" .. QUOTE .. ")?\\]?\\s*(?::\\s*|=\\s*(?:" .. QUOTE .. "))(?:" .. QUOTE .. ")?(?:[A-Za-z][A-Za-z0-9_-]*\\s+)?)" .. HEADER .. "|((?i:authorization)(?:" .. QUOTE .. ")?:\\s*[A-Za-z]+ +)[A-Za-z0-9._~+/=-]{16,}", "${1}${2}[redacted: credential]" },
  { { "bearer", "basic" }, "(?-u:\\b)(?:((?i:bearer)(?:\\s+|%20))[A-Za-z0-9._~+/=-]{16,}|((?i:basic)(?:\\s+|%20))[A-Za-z0-9+/]{7,}(?:[0-9=]|[a-z][A-Z])[A-Za-z0-9+/=]{4,})", "${1}${2}[redacted: credential]" },
  { { "digest" }, "((?i:digest)\\s[^\\n]*?(?i:response)=\\\\*[\"']?)[0-9a-fA-F]{16,}", "${1}[redacted: credential]" },
  { { "signature=", "sig=" }, "((?:X-(?:Amz|Goog)-Signature|[?&]sig|, ?Signature)=)[A-Za-z0-9%+/=_-]{20,}", "${1}[redacted: signature]" },
  { { "cookie" }, "((?:(?i:cookie)2?(?:" .. QUOTE .. ")?:\\s*(?:" .. QUOTE .. ")?|;\\s*)[A-Za-z0-9_.$-]+=)(?:[A-Za-z%._~+/=-]{8,}[0-9][A-Za-z0-9%._~+/:=-]*|[A-Za-z%._~+/=-]{0,7}[0-9][A-Za-z0-9%._~+/:=-]{8,})", "${1}[redacted: cookie]" },
  { { "password" }, "((?m:^)" .. BLANKS .. "(?:machine\\s+\\S+\\s+|default\\s+login\\s+\\S+\\s+)|machine\\s+\\S*[.:]\\S*\\s+)((?:(?:login|account)\\s+\\S+\\s+)*password\\s+)[^\\s\\[]\\S*", "$1$2[redacted: password]" },
  { { "curl", "wget" }, "((?:curl|wget)(?-u:\\b)[^\\n]*?\\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\\s:\"'$]+:)" .. VALUE, "${1}[redacted: password]" },
  { { "auth" }, "((?:_auth|(?-u:\\b)auth[\"'])" .. BLANKS .. "[:=]" .. BLANKS .. "[\"']?)(?:[A-Za-z0-9+/]{11,}=|[A-Za-z+/]{0,11}[0-9][A-Za-z0-9+/]{8,})=*", "${1}[redacted: credential]" },
  { { "</" }, "(<[A-Za-z0-9_.:-]*(?i:passw(?:or)?d|passphrase|secret|(?:api|access|private)[_-]?key)(?:\\s[^<>]*[^<>/])?>\\s*)[^<\\s$\\[{][^<]{3,}(</)", "${1}[redacted: value]$2" },
}

-- What is known by a name beside it. There may be none where this does not match.
local NAMES = WORD .. "|(?i:pass|pwd|pw)(?:[0-9\"'`\\\\\\]\\s>]*[:=%]|[ >])"
-- Fields of machines with such a name, and those whose value is none: pages are asked for by tokens, too.
local FIELD = "^[A-Za-z0-9_.-]*?" .. NAME .. "$"
local NO_SECRET = "(?i)next|page|cursor|continu|sync|progress|type|name|path|file|ur[il]|count"
-- What stays as it is, as two patterns: between what they match, KEEP is put.
local KEPT = {
  -- Names that say that there is no secret: `token_count`, `secretName`, `tokenizer`; files, also by their paths.
  { WORD .. "s?", "[_-]?(?i:count|type|ur[il]|endpoint|path|file|filename|dir|folder|name|length|len|limit|size|index|offset|position|expir[a-z]*|ttl|version|iz[a-z0-9_]*|ary|less|stream|budget|usage|used|provider|policy|arn|field|label|regex|pattern|header|enabled|required|class)(?-u:\\b)" },
  { "/[A-Za-z0-9_.-]*" .. NAME, "[\"'`]?\\]?\\s*:" },
  -- Numbers of tokens, a number in JSON, a path, what is below in a list.
  { "(?i:tokens)[A-Za-z0-9_-]*(?:" .. QUOTE .. ")?" .. ASSIGNS, "[0-9][0-9.,_]*(?:[^0-9A-Za-z]|\\z)" },
  { NAME .. "[\"']" .. BLANKS .. ":" .. BLANKS, "[0-9]+\\s*[,}\\]\\r\\n]" },
  { "(?i:pwd|pass)(?:" .. QUOTE .. ")?" .. ASSIGNS, "[/~.]|[A-Za-z]:[\\\\/]" },
  { NAME .. "[\"']?:\\s*\\n\\s+(?:- )?", "[A-Za-z0-9_.-]+[\"']?:\\s" },
  -- What code computes, or is typed as; versions and colours.
  { NAMED .. ASSIGNS, "(?:\\*(?:const|mut) )?[A-Za-z_][A-Za-z0-9_]*::|(?:[A-Za-z_][A-Za-z0-9_]*\\.)+[A-Za-z_][A-Za-z0-9_]*[!?]?\\(|(?:sha|md|uuid|argon|blake|crc|base)[0-9][A-Za-z0-9_]*\\(|1\\*<|https?://|Some\\(|String::from\\("
      .. "|(?:self|this|ctx|cfg|config|conf|req|request|res|response|settings|process|os|env|args|opts|options|params|data|event|secrets|var|local|module)\\." },
  { "(?:const|static|pub|let|var|val|mut) +[A-Za-z0-9_]*" .. NAME .. ":" .. BLANKS, "[A-Za-z_&]" },
  { NAMED .. "(?:=|:" .. BLANKS .. ")", "(?:" .. QUOTE .. ")?(?:[~^=<>v]*[0-9]+\\.[0-9]+\\.[0-9]|#[0-9A-Fa-f]{3,8}[\"',;\\s])" },
}
local QUOTED = NAMED .. "(?::" .. BLANKS .. "[A-Za-z_&" .. KEEP .. "][A-Za-z0-9_&'<>.?\\[\\] ]{0,40}=| +string *=|\\s*(?:[:?+]?=|:|=>|%3[AaDd]))(?:" .. BLANKS .. "[BRUFbruf]?\"\"|\\s*(?:[BRUFbruf]|@|" .. KEEP .. "(?:Some|String::from)\\()?)"
-- What goes, between what stays.
local VALUES = {
  -- `password = "…"`, `"token": "…"`: whatever is quoted, unless it is a variable or a few letters.
  { QUOTED .. "\"", TEXT .. "(?:[^\"\\\\\\n]|\\\\.){7,}", "" },
  { QUOTED .. "'", TEXT .. "(?:[^'\\\\\\n]|\\\\.){7,}", "" },
  { QUOTED .. QUOTE, TEXT .. "(?:[^\"'\\\\\\n]|\\\\+[^\"'\\\\\\n]){7,}|" .. VALUE, "" },
  -- On a line of its own, or in capitals, it needs no digit; else `API_TOKEN=…`, `token: …`, `password:…`, or on the next line.
  { "(?mR:^)(?:[ \\t]*[0-9]+[\\t:|-])?(?: *(?:export|set|setx|ENV|ARG|-) +)?[A-Za-z0-9_.]*" .. NAME .. "=", TEXT .. "[^\\s(),]{7,}(?mR:$)|" .. VALUE, "" },
  { CAPITALS .. "=", TEXT .. "[^\\s()\"'`;&|$]{7,}", "[\\s\"'`;&|]|\\z" },
  { NAMED .. ASSIGNS .. "|(?:^|[\\s\"'{,;(])[A-Za-z0-9_.-]*(?i:passw(?:or)?d|api[_-]?key)[\"']?:", VALUE, "" },
  { NAMED .. ":[ \\t]*\\r?\\n[ \\t]+", VALUE .. "(?mR:$)", "" },
  -- `--password …`, `ENV API_KEY …`, `<password>…`, `<key>password</key><string>…`, and pairs of a name and a value.
  { "(?:(?:[\\s\"'`(\\[]|\\A)--?|(?:ENV|ARG|setx?(?: -[a-z]+)*|setenv) +)[A-Za-z0-9_-]*(?:" .. WORD .. "[A-Za-z0-9_-]*|pass|pwd|PASS|PWD)[ \\t]+[\"']?", VALUE, "" },
  { "<(?:[A-Za-z0-9_.:-]*(?:" .. WORD .. "|(?i:pass|pwd))(?:\\s[^<>]*[^<>/])?>|key>[^<>]*" .. NAME .. "</key>\\s*<string>)\\s*", "[^<\\s$\\[{](?:[^<\\s]{7,}|[^<\\s0-9]{2,6}[0-9][^<\\s]*)", "\\s*</" },
  { "(?i:name|key)(?:" .. QUOTE .. ")?\\s*[:=]\\s*(?:" .. QUOTE .. ")?[A-Za-z0-9_.-]*" .. NAMED .. "[\\s,]*(?:" .. QUOTE .. ")?(?i:parameter)?(?i:value)(?:" .. QUOTE .. ")?\\s*[:=]\\s*(?:" .. QUOTE .. ")?", "[^\\s\"'$\\[{<\\\\][^\\s\"',}\\\\]{5,}", "" },
}

-- One pattern for a list, and what stands for its match, with a mark after the first of the parts that are kept.
local function either(list, mark)
  local patterns, first, last = {}, "", ""
  for at, parts in list do
    local before, behind = parts[1], parts[#parts]
    table.insert(patterns, `({before})` .. (if #parts == 3 then `(?:{parts[2]})` else "") .. `({behind})`)
    first ..= "${" .. 2 * at - 1 .. "}"
    last ..= "${" .. 2 * at .. "}"
  end
  return table.concat(patterns, "|"), first .. mark .. last
end

local KEPT_PATTERN, WITH_KEEP = either(KEPT, KEEP)
local VALUES_PATTERN, WITH_MARK = either(VALUES, "[redacted: value]")

local function holds_one_of(text, needles)
  for _, needle in needles do
    if string.find(text, needle, 1, true) then
      return true
    end
  end
  return false
end

local function count(text)
  return select(2, string.gsub(text, "%[redacted: ", ""))
end

-- The text without secrets, and how many there were.
local function redact(text)
  local out = string.gsub(text, KEEP, "")
  local small = string.lower(out)
  for _, rule in FORMS do
    local needles, pattern, stands_for = rule[1], rule[2], rule[3]
    if holds_one_of(small, needles) then
      out = snaphook.regex.replace(pattern, out, stands_for)
    end
  end
  if snaphook.regex.matches(NAMES, out) then
    out = snaphook.regex.replace(KEPT_PATTERN, out, WITH_KEEP)
    out = snaphook.regex.replace(VALUES_PATTERN, out, WITH_MARK)
  end
  local found = count(out) - count(text)
  return if found > 0 then string.gsub(out, KEEP, "") else text, found
end

-- Whether a field holds a secret. In a field of its own a value needs neither a digit nor eight letters.
local function is_secret(key, value)
  if type(key) ~= "string" or type(value) ~= "string" or snaphook.regex.matches(NO_SECRET, key) then
    return false
  elseif snaphook.regex.matches(FIELD, key) then
    return snaphook.regex.matches("^[^\\s$\\[{<][^\\n]{3,}", value)
  end
  return snaphook.regex.matches("(?i)authorization|cookie", key) and select(2, redact(`{key}: "{value}"`)) > 0
end

-- Details are for machines and often repeat the text: every text in them is looked at, and so are the names of fields.
local function redact_value(value)
  if type(value) == "string" then
    return redact(value)
  elseif type(value) ~= "table" then
    return value, 0
  end
  local copy, found = {}, 0
  for key, part in value do
    local name, in_name = redact_value(key)
    local clean, more = redact_value(part)
    if more == 0 and is_secret(key, part) then
      clean, more = "[redacted: value]", 1
    end
    copy[name] = clean
    found += in_name + more
  end
  return if found > 0 then copy else value, found
end

-- About a third of what a handler may compute in its second.
local MOST = 8 * 1024 * 1024

on("tool_result", function(event)
  -- Whatever fails here withholds the result: the front matter says so.
  assert(#event.content <= MOST, "the result is too long to be looked through")
  local content, in_content = redact(event.content)
  local details, in_details = redact_value(event.details)
  if in_content + in_details == 0 then
    return {}
  end
  local note = `redact-secrets: {in_content} secret value(s) in this result are shown as [redacted: …]. Do not write these marks into files.`
  return {
    content = if in_content > 0 then content else nil,
    details = if in_details > 0 then details else nil,
    context = note,
  }
end)

-- What an MCP server says beside its results: resources, prompts, lists, progress, logs, questions (docs/mcp.md).
on("mcp.server_message", function(event)
  local size = 0
  for _, text in event.texts do
    size += #text
  end
  assert(size <= MOST, "the message is too long to be looked through")
  local texts, found = redact_value(event.texts)
  return if found > 0 then { texts = texts } else {}
end)
