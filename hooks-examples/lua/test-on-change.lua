-----
-- name: test-on-change
-- description: Runs the project's tests when the agent has changed source files, and gives it the end of the output if they fail
-- grants:
--   exec: [ls, "bash:tests/run.sh", "cargo:test", "npm:run", "go:test", "python3:-m"]
--   env: [CI]
-----
-- Runs what the project brings along, with your rights, as the agent's own `npm test` would.

local SECONDS = 300
local MOST_LINES, MOST_BYTES = 25, 3000

-- In this order, the first file that is there decides. Each command is quiet about what passes.
local RUNNERS = {
  { file = "tests/run.sh", command = { "bash", "tests/run.sh" } },
  { file = "Cargo.toml", command = { "cargo", "test", "--quiet", "--color", "never" } },
  { file = "package.json", command = { "npm", "run", "test", "--silent", "--if-present" } },
  { file = "go.mod", command = { "go", "test", "./..." } },
  -- pytest leaves with 5 where there is no test at all.
  { file = "pyproject.toml", command = { "python3", "-m", "pytest", "--quiet", "--no-header" }, none = 5 },
}

-- Documents and pictures change no test. The matcher is data: for them the script is not even entered.
local SOURCES = { "*.{rs,toml,js,jsx,ts,tsx,mjs,cjs,json,py,go,mod,rb,java,kt,c,h,cc,cpp,hpp,cs,swift,php,lua,sh,bash,sql,html,css,scss,vue,svelte,yml,yaml}", "Makefile", "Dockerfile" }

local function runner(ctx)
  local files = { "-d" }
  for _, one in RUNNERS do
    table.insert(files, one.file)
  end
  -- `ls` prints those that are there, and complains about the others on stderr.
  local found = ctx.exec("ls", files, { cwd = ctx.project_root, timeout = 5 }).stdout
  for _, one in RUNNERS do
    for line in string.gmatch(found, "[^\n]+") do
      if line == one.file then
        return one
      end
    end
  end
  return nil
end

local function ending(text)
  local lines = string.split(string.gsub(text, "%s+$", ""), "\n")
  local last = table.concat(lines, "\n", math.max(1, #lines - MOST_LINES + 1))
  return if #last > MOST_BYTES then "…" .. string.sub(last, -MOST_BYTES) else last
end

on("files_changed", { path = SOURCES }, function(event, ctx)
  local run = runner(ctx)
  if not run then
    return nil
  end
  local args = table.move(run.command, 2, #run.command, 1, {})
  local line = table.concat(run.command, " ")
  -- CI=1 keeps test runners from watching files or asking questions.
  local started, result = pcall(ctx.exec, run.command[1], args, { cwd = ctx.project_root, timeout = SECONDS, env = { CI = "1" } })
  if not started then
    return { fail = true, reason = `the tests could not be started: {result}` }
  elseif result.timed_out then
    return { fail = true, reason = `{line} took longer than {SECONDS} seconds` }
  end
  -- A process that was killed has a signal and no code, and has not passed.
  local passed = result.code ~= nil and (result.code == 0 or result.code == run.none)
  if not passed then
    local how = if result.code then `exit code {result.code}` else `signal {result.signal}`
    return { fail = true, reason = `{line} failed ({how}):\n{ending(result.stdout .. "\n" .. result.stderr)}` }
  end
end)
