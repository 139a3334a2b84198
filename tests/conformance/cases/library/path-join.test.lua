test("paths are put together and put in order", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "a/b/../c",
    "/b",
    "a",
    "a/c/d",
    "..",
  }
end)
