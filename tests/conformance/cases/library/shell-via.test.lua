test("what runs through another program", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "rm",
    { "sudo" },
    "rm",
    { "bash" },
  }
end)
