test("a script can list what an event has", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("command id input name native_tool paths shell tool")
end)
