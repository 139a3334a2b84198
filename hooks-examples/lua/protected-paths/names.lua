-- The names that are out of bounds, and whether a text names one. Yours to edit: gitignore's patterns, in small letters,
-- because where the disk ignores case `.ENV` is `.env`.

local SECRET = {
  ".env", ".env.*", ".envrc", "!.env.example", "!.env.sample", "!.env.template", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore",
  "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".ssh/", ".gnupg/", "**/.aws/credentials", "**/.kube/config", "**/.docker/config.json",
  "**/gh/hosts.yml", ".netrc", ".pypirc", ".git-credentials", "/proc/*/environ",
}
local LOCKED = {
  ".git/", ".snaphook/", "**/.config/snaphook/", ".claude/settings*.json", ".github/", ".circleci/", ".buildkite/", ".husky/",
  ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".pre-commit-config.yaml",
  "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "cargo.lock", "poetry.lock", "uv.lock", "gemfile.lock",
  "composer.lock", "go.sum", "flake.lock",
}
-- Names that a pattern of the shell's may stand for: `cat .e*`, `rm *.lock`. A bare `*` names no hidden file.
local SAMPLES = { ".env", ".env.local", ".envrc", "id_rsa", "id_ed25519", "server.pem", "server.key", ".netrc", ".ssh", ".aws", ".gnupg", ".git-credentials" }
local LOCKED_SAMPLES = { ".git", ".github", ".snaphook", ".husky", "Cargo.lock", "package-lock.json", "pnpm-lock.yaml", "go.sum" }

-- `file:///a/%2Eenv?x` is `/a/.env`. Readers of addresses ignore line breaks in them, and take `\` for `/`.
local function as_path(file)
  local address = string.match((string.gsub(file, "[\t\r\n]", "")), "^[%c ]*[Ff][Ii][Ll][Ee]:([^?#]*)")
  local plain = if address then string.gsub(string.gsub(address, "\\", "/"), "^//%w*", "") else file
  return (string.gsub(plain, "%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- Why this file is out of bounds, or nil.
local function judge_file(file, writes, ctx)
  local plain = as_path(file)
  local path = snaphook.path.resolve(ctx.cwd, plain)
  if snaphook.path.is_inside(path, ctx.project_root) then
    path = snaphook.path.relative(path, ctx.project_root)
  end
  if snaphook.glob.matches(SECRET, string.lower(path)) then
    return `{file} holds secrets, which are neither read nor written here; ask the person for what you need from it`
  elseif writes and snaphook.glob.matches(LOCKED, string.lower(path)) then
    return `{file} is not changed by hand here; use the tool that owns it, or ask the person`
  end
end

-- A text with the parts that may be paths of their own: `--file=x`, `if=x`, `@x`, `HEAD:x`, `open('x')`.
local function judge_text(text, signs, writes, ctx)
  local reason = judge_file(text, writes, ctx)
  for part in string.gmatch(text, signs) do
    reason = reason or judge_file(part, writes, ctx)
  end
  return reason
end

-- A text with `*` for each expansion, which may be anything: `${PWD%/*}` is no pattern.
local function as_pattern(text)
  local plain, before = string.gsub(text, "[\"'\\]", ""), nil
  while plain ~= before do
    before = plain
    plain = snaphook.regex.replace("[$<>]\\([^()]*\\)|`[^`]*`|\\$\\{[^{}]*\\}|\\$(\\w+|[@*#?$!-])", plain, "*")
  end
  return plain
end

-- Whether a pattern may stand for a name. Brackets and braces without their other half may be anything, too.
local function may_be(pattern, name)
  local is_glob, found = pcall(snaphook.glob.matches, pattern, name)
  return if is_glob then found else snaphook.glob.matches(snaphook.regex.replace("[\\[\\]{}]", pattern, "*"), name)
end

-- Whether a pattern of the shell's may stand for a protected name.
local function is_near(pattern, samples)
  for part in string.gmatch(as_pattern(pattern), "[^/]+") do
    for _, sample in if string.find(part, "[%*%?%[]") and part ~= "*" and part ~= "**" then samples else {} do
      -- Hidden files are named by patterns that begin with a dot only.
      if (string.sub(part, 1, 1) == ".") == (string.sub(sample, 1, 1) == ".") and may_be(part, sample) then
        return true
      end
    end
  end
  return false
end

-- A word that only the shell will know: true if it may be a protected file.
local function may_be_protected(word, writes)
  if is_near(word.text, SAMPLES) or writes and is_near(word.text, LOCKED_SAMPLES) then
    return true
  end
  local is_pattern = string.find(word.text, "[%*%?%[~]") and not string.find(word.text, "[$`<]")
  local ending = string.match(word.text, "%.(%a%w*)[\"']?$") -- `"$name.rs"` is none of ours
  return not is_pattern and (not ending or is_near(`*.{ending}`, SAMPLES) or writes and is_near(`*.{ending}`, LOCKED_SAMPLES))
end

return { judge_file = judge_file, judge_text = judge_text, is_near = is_near, may_be_protected = may_be_protected, SAMPLES = SAMPLES }
