test("details and failure are replaced, the text stays", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "abc", details = { n = 1.5 } }
  expect(r.details).eq{ n = 1.5, seen = true }
  expect(r.is_error).eq(true)
  expect(r).content("^abc$")
  r = t.tool_result{ tool = "bash", command = "ls", content = "" }
  expect(r.details).eq{ seen = true }
end)
