-----
-- name: redact-secrets
-- description: Replaces tokens, passwords and private keys in what tools say, before the model or a transcript sees them
-- on_failure: withhold
-----
-- The key's name stays, so that the agent can still reason about it: `API_TOKEN=[redacted: value]`.

-- A value is worth hiding if it is long or holds a digit; `[` never starts one, so nothing is redacted twice.
local VALUE = "(?:(?:[^\\s\"'`$\\[\\](){}<>,;\\\\]|\\\\+[^\\s\"'\\\\]){5,}[0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\])*|(?:[^\\s\"'`$\\[\\](){}<>,;\\\\]|\\\\+[^\\s\"'\\\\]){0,5}[0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\]){5,})"
-- In quotes: eight characters of anything, or four with a digit.
local QUOTED = "(?:(?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\])(?:[^\"'\\n\\\\]|\\\\+[^\"'\\n\\\\]){7,}|(?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\]){3,7}[0-9](?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\])*|(?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\]){2}[0-9](?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\])+|(?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\])[0-9](?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\]){2,}|[0-9](?:[^\"'\\s$\\[{<\\\\]|\\\\+[^\\s\"'\\\\]){3,})"
local NAME = "[\\w.-]*(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|private|auth|account|signing|encryption|master)[_-]?key|credentials?)[\\w-]*"
-- Words that mean a password only where they stand alone or behind a sign: `DB_PASS`, `pwd`.
local SHORT = "(?:[\\w.-]*[_.-])?(?:pass|pwd|pw)"
-- Tokens that are known by how they begin.
local TOKENS = "hf_[A-Za-z0-9]{30,}|SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"
  .. "|whsec_[A-Za-z0-9+/=]{24,}|pypi-[A-Za-z0-9_-]{50,}|hv[sb]\\.[A-Za-z0-9_-]{20,}"
  .. "|do[opr]_v1_[a-f0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
  .. "|dckr_pat_[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}"
  .. "|nvapi-[A-Za-z0-9_-]{40,}|lin_api_[A-Za-z0-9]{32,}|rubygems_[a-f0-9]{48}"
  .. "|glsa_[A-Za-z0-9_]{32,}|dapi[a-f0-9]{32}|PMAK-[a-f0-9-]{40,}|NRAK-[A-Z0-9]{20,}"
  .. "|pscale_tkn_[A-Za-z0-9_-]{30,}|ATATT3x[A-Za-z0-9_=-]{40,}|figd_[A-Za-z0-9_-]{30,}"
  .. "|sntrys_[A-Za-z0-9_=+/-]{40,}|r8_[A-Za-z0-9]{37}"

-- Each rule: what the text must hold for it to be worth trying, the pattern, what stands for the match.
-- A needle is searched as plain text, which costs next to nothing; only what is found pays for a pattern.
-- Borders of words are those of ASCII: others have a long text beyond ASCII take ten times as long.
local RULES = {
  { { "PRIVATE KEY" }, "-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\\z)", "[redacted: private key]" },
  { { "AGE-SECRET-KEY-" }, "AGE-SECRET-KEY-[A-Z0-9-]{20,}", "[redacted: private key]" },
  { { "AKIA", "ASIA" }, "(?:AKIA|ASIA)[0-9A-Z]{16}", "[redacted: AWS key id]" },
  { { "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_" }, "(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})", "[redacted: GitHub token]" },
  { { "gl" }, "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_-]{20,}", "[redacted: GitLab token]" },
  { { "sk-", "sk_", "rk_" }, "((?-u:\\b)|_)(?:sk-[A-Za-z0-9_-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,})", "${1}[redacted: API key]" },
  { { "xox", "xapp-" }, "(?:xox[a-z][.-][A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})", "[redacted: Slack token]" },
  { { "AIza", "GOCSPX-", "ya29." }, "(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\\.[A-Za-z0-9_-]{20,})", "[redacted: Google key]" },
  { { "npm_" }, "npm_[A-Za-z0-9]{36}", "[redacted: npm token]" },
  { { "hf_", "SG.", "whsec_", "pypi-", "hvs.", "hvb.", "dop_v1_", "doo_v1_", "dor_v1_", "shp", "dckr_pat_", "gsk_", "xai-", "nvapi-", "lin_api_", "rubygems_", "glsa_", "dapi", "PMAK-", "NRAK-", "pscale_tkn_", "ATATT3x", "figd_", "sntrys_", "r8_" }, "((?-u:\\b)|_)(?:" .. TOKENS .. ")", "${1}[redacted: API key]" },
  { { "eyJ" }, "eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]+", "[redacted: JWT]" },
  { { "://" }, "(://[^\\s:/@\\[\"'<>]*:)(?:[^\\s/\\[,;\"'<>]+|[0-9]+[^\\s/\\[0-9,;\"'<>][^\\s/\\[\"'<>]*|[^\\s/\\[0-9\"'<>][^\\s/\\[\"'<>]*)@", "${1}[redacted: password]@" },
  { { "://" }, "(://)[^\\s:/@\\[$<{]{8,}[0-9][^\\s:/@\\[$<{]{7,}@", "${1}[redacted: token]@" },
  { { "earer", "EARER" }, "(?-u:\\b)([Bb]earer|BEARER)\\s+[A-Za-z0-9._~+/=-]{16,}", "$1 [redacted: credential]" },
  { { "asic" }, "(?-u:\\b)([Bb]asic)\\s+(?:[A-Za-z0-9._~+/=-]{15,}[0-9A-Z=][A-Za-z0-9._~+/=-]*|[A-Za-z0-9._~+/=-]{0,15}[0-9A-Z=][A-Za-z0-9._~+/=-]{15,})", "$1 [redacted: credential]" },
  { { "uthorization", "UTHORIZATION" }, "(?i)((?-u:\\b)authorization\\\\*[\"']?\\s*[:=]\\s*\\\\*[\"']?(?:bearer|basic|token|digest|apikey|negotiate|ntlm|aws4-hmac-sha256)\\s+)(?:[^\\s\"'\\\\$\\[{<]{16,}|" .. VALUE .. ")", "${1}[redacted: credential]" },
  { { "uthorization", "UTHORIZATION" }, "(?i)((?-u:\\b)authorization\\\\*[\"']?\\s*[:=]\\s*\\\\*[\"']?)" .. VALUE, "${1}[redacted: credential]" },
  { { "ookie" }, "(?i)((?-u:\\b)(?:set-)?cookie:[^\\n]*?[\\w.-]*(?:sess|sid|auth|jwt)[\\w.-]*=)[^\\s;\\[]{8,}", "${1}[redacted: credential]" },
  { { "machine" }, "(?i)((?-u:\\b)machine\\s+\\S+(?:\\s+(?:login|account)\\s+\\S+)*\\s+password\\s+)[^\\s\\[]+", "${1}[redacted: password]" },
  { { "</" }, "(?i)(<[\\w.:-]*(?:passw(?:or)?d|passphrase|secret|(?:api|access|private)[_-]?key)(?:\\s[^<>]*)?>\\s*)[^<\\s$\\[{][^<]{3,}(</)", "${1}[redacted: value]${2}" },
  -- `password = "…"`, `"token": "…"`, the same in JSON within JSON: whatever is quoted, unless it is a variable or a few letters.
  { { "=", ":" }, "(?i)((?:" .. NAME .. "|(?-u:\\b)" .. SHORT .. ")\\\\*[\"']?\\s*(?:[:=]|=>|:=)\\s*\\\\*[\"'])" .. QUOTED, "${1}[redacted: value]" },
  -- `API_TOKEN=…`, `token: …` without quotes.
  { { "=", ":" }, "(?i)(" .. NAME .. "(?:[ \\t]*=[ \\t]*|[ \\t]*:\\s+|[ \\t]+:|\\?=))" .. VALUE, "${1}[redacted: value]" },
  { { "=", ":" }, "(?i)((?:^|[\\s;&?_.-])(?:pass|pwd|pw)(?:[ \\t]*=[ \\t]*|:\\s+))(?:[^\\s\\\"'`$\\[\\](){}<>,;\\\\/~.0-9](?:(?:[^\\s\"'`$\\[\\](){}<>,;\\\\]|\\\\+[^\\s\"'\\\\]){4,}[0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\])*|(?:[^\\s\"'`$\\[\\](){}<>,;\\\\]|\\\\+[^\\s\"'\\\\]){0,4}[0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\]){4,})|[0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\]){5,})", "${1}[redacted: value]" },
  -- `--password …`, `ENV API_KEY …`, `password …` of curl.
  { { "-", "ENV", "set" }, "(?i)((?:(?:^|[\\s\"'(])--?|(?:^|\\n)ENV +|set(?: -[a-z]+)* +)[\\w-]*(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|private)[_-]?key)[ \\t]+)" .. VALUE, "${1}[redacted: value]" },
  { { "curl", "wget" }, "((?:curl|wget)[^\\n]*?\\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\\s:\"'$]+:)" .. VALUE, "${1}[redacted: password]" },
  -- A line of an environment: any value, with a digit or without.
  { { "=" }, "(?m)((?:^(?:\\s*[0-9]+[:\\t→]?\\s*)?(?:export |set |declare -x |ENV |- |-e )?|[ \\t](?:-e|--env) )(?:[A-Z][A-Z0-9_]*?)?(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)=)[^\\s\\\"'`$\\[\\](){}<>,;\\\\/~.0-9](?:[^\\s\"'`,;)}\\]\\\\]|\\\\+[^\\s\"'\\\\]){5,}", "${1}[redacted: value]" },
}

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
  local out = text
  for _, rule in RULES do
    local needles, pattern, stands_for = rule[1], rule[2], rule[3]
    if holds_one_of(out, needles) then
      out = snaphook.regex.replace(pattern, out, stands_for)
    end
  end
  return out, if out == text then 0 else count(out) - count(text)
end

-- Whether a field's name says that its value is a secret. Pages and places are asked for by tokens that are none.
local function names_secret(key)
  return type(key) == "string"
    and snaphook.regex.matches("(?i)^(?:" .. NAME .. "|" .. SHORT .. ")$", key)
    and not snaphook.regex.matches("(?i)next|page|cursor|continu|sync|progress|type|name|path|file|ur[il]", key)
end

-- Whether the value of such a field is worth hiding: not short, and neither a variable nor redacted already.
local function hides(value)
  return type(value) == "string" and snaphook.regex.matches("^[^\\s$\\[{<][^\\n]{3,}", value)
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
    if more == 0 and names_secret(key) and hides(part) then
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
