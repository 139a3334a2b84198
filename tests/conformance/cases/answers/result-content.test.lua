test("a result's text is replaced", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "abc", details = { keep = true } }
  expect(r).content("^ABC$")
  expect(r.details).eq{ keep = true }
  expect(r.context).eq{ { hook = "result-content", text = "it was louder" } }
end)
