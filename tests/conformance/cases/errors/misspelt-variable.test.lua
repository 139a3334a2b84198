test("a variable that nobody set denies; Rhai finds it while it loads", function(t)
  pcall(t.load, "misspelt-variable")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("comand")
  expect(r.reasons[1].cause).matches("^(error|load)$")
  expect(r.reasons[1].line).eq(3)
end)
