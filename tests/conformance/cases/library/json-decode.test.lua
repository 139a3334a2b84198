test("JSON text becomes values", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    { 1, 2.5, true, "x" },
    { b = {} },
    "ä",
    8,
    true,
  }
end)
