test("a folder is one hook, and its files are modules", function(t)
  local r = t.tool_call{ tool = "bash", command = "curl x" }
  expect(r).denied("^curl is not for this project$")
  expect(r.reasons[1].hook).eq("module")
  expect(r.reasons[1].file).matches("module/init\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(3)
  expect(t.tool_call{ tool = "bash", command = "wget x" }).denied("wget")
  expect(t.tool_call{ tool = "bash", command = "ls" }).allowed()
end)
