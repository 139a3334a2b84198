test("of a rewrite it changes nothing, and is reported", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "as it was" }
  expect(r).content("^as it was$")
  expect(#r.failures).eq(3)
  local said = snaphook.json.encode(r.failures)
  expect(said).matches("`content` must be text, not a number")
  expect(said).matches("unknown key `isError`; did you mean `is_error`")
  expect(said).matches("tool_result handler returned a text")
end)
