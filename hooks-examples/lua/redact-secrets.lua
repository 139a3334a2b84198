-----
-- name: redact-secrets
-- description: Replaces tokens, passwords and private keys in what tools say, before the model or a transcript sees them
-- on_failure: withhold
-----
-- The key's name stays, so that the agent can still reason about it: `API_TOKEN=[redacted: value]`.

-- A value is worth hiding if it is long or holds a digit; `[` never starts one, so nothing is redacted twice.
local VALUE = "(?:[^\\s\"'`$\\[\\](){}<>,;]{5,}[0-9][^\\s\"'`,;)}\\]]*|[^\\s\"'`$\\[\\](){}<>,;]{0,5}[0-9][^\\s\"'`,;)}\\]]{5,})"
local NAME = "[\\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credentials?)[\\w-]*"

-- Each rule: what the text must hold for it to be worth trying, the pattern, what stands for the match.
-- A needle is searched as plain text, which costs next to nothing; only what is found pays for a pattern.
local RULES = {
  { { "PRIVATE KEY" }, "-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)", "[redacted: private key]" },
  { { "AKIA", "ASIA" }, "\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b", "[redacted: AWS key id]" },
  { { "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_" }, "\\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})", "[redacted: GitHub token]" },
  { { "glpat-" }, "\\bglpat-[A-Za-z0-9_-]{20,}", "[redacted: GitLab token]" },
  { { "sk-", "sk_", "rk_" }, "\\b(?:sk-[A-Za-z0-9_-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,})", "[redacted: API key]" },
  { { "xox" }, "\\bxox[a-z]-[A-Za-z0-9-]{10,}", "[redacted: Slack token]" },
  { { "AIza" }, "\\bAIza[A-Za-z0-9_-]{35}", "[redacted: Google key]" },
  { { "npm_" }, "\\bnpm_[A-Za-z0-9]{36}\\b", "[redacted: npm token]" },
  { { "eyJ" }, "\\beyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]+", "[redacted: JWT]" },
  { { "://" }, "(://[^\\s:/@]+:)[^\\s/@\\[]+@", "${1}[redacted: password]@" },
  { { "earer", "asic" }, "\\b([Bb]earer|[Bb]asic)\\s+[A-Za-z0-9._~+/=-]{16,}", "$1 [redacted: credential]" },
  -- `password = "…"`, `"token": "…"`: whatever is quoted, unless it is a variable or a few letters.
  { { "=", ":" }, "(?i)\\b(" .. NAME .. "[\"']?\\s*(?:[:=]|=>|:=)\\s*[\"'])[^\"'\\s$\\[{<][^\"'\\n]{7,}", "${1}[redacted: value]" },
  -- `API_TOKEN=…`, `token: …` without quotes.
  { { "=", ":" }, "(?i)\\b(" .. NAME .. "(?:=|:\\s+|\\s=\\s))" .. VALUE, "${1}[redacted: value]" },
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
