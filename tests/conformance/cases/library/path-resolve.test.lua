test("a path as seen from another", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "/p/x",
    "/y",
    "q/x",
    "../x",
    true,
    false,
    false,
  }
end)
