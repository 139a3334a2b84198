local function says(t, command)
  return t.tool_call{ tool = "bash", command = command }
end

local function set(t)
  t.env("CI", "true")
  t.env("REGION", "eu")
  t.env("HIDDEN", "secret")
  t.exec_stub("sh", { real = true })
end

test("granted variables are seen, also while the hook loads", function(t)
  set(t)
  expect(says(t, "get").context[1].text).eq("true true eu true other")
end)

test("processes get what is granted, and what is set", function(t)
  set(t)
  expect(says(t, "see").context[1].text).eq("true mine\n")
end)

test("in a test nothing is set but what the test sets", function(t)
  t.env("CI", "true")
  t.env("CI")
  t.env("REGION", "")
  expect(says(t, "get").context[1].text).eq("no no  true other")
end)

test("what is not granted is an error that names the missing line, whatever the default", function(t)
  set(t)
  local line = "the environment variable HIDDEN is not granted; the hook's front matter needs `env: \\[HIDDEN\\]` under `grants`"
  expect(says(t, "caught").context[1].text).matches("^false .*" .. line)
  local r = says(t, "missing")
  expect(r).denied(line)
  expect(r.reasons[1].cause).eq("error")
  expect(says(t, "set")).denied("needs `env: \\[PATH\\]` under `grants`")
end)

test("a misspelt name of the module is an error", function(t)
  expect(says(t, "misspelt").reasons[1].cause).eq("error")
end)
