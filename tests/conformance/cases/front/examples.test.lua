test("examples of front matter stand beside a test", function(t)
  expect(t.tool_call{ tool = "bash", command = "rm -rf build" }).denied("^a recursive delete$")
  expect(t.tool_call{ tool = "bash", command = "rm x" }).asked("^Delete it\\?$")
end)
