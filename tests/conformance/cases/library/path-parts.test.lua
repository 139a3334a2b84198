test("the parts of a path", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "x.tar.gz",
    "/p/q",
    "gz",
    "",
    true,
    false,
  }
end)
