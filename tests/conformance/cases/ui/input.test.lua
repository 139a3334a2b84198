test("text is typed, also long and odd text, or none", function(t)
  t.ui{ input = { "ABC-1 äß🎉" }, editor = { "two\nlines" } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context).eq{ { hook = "input", text = "ABC-1 äß🎉|two\nlines" } }
  expect(r.asked[1].initial).eq("ABC-")
  expect(r.asked[2].kind).eq("editor")
  t.ui{ input = { false }, editor = { "" } }
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "input", text = "nil|" } }
end)
