test("what is not granted does not run, stubbed or not, and the error names the missing line", function(t)
  t.exec_stub("make", {})
  t.exec_stub("cargo", {})
  local function says(command)
    return t.tool_call{ tool = "bash", command = command }
  end
  local made = says("make")
  expect(made).denied("the program make is not granted; the hook's front matter needs `exec: \\[\"make:all\"\\]` under `grants`, or `exec: \\[make\\]`")
  expect(made.reasons[1].line).eq(6)
  expect(made.reasons[1].cause).eq("error")
  expect(made.ran).eq{}
  expect(says("first")).denied("`cargo --config` is not granted: the first argument of cargo has to be test or build")
  expect(says("caught").context[1].text).matches("^false .*the program make is not granted; .*`exec: \\[make\\]`")
end)
