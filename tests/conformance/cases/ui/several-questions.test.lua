test("questions are answered in the order in which they are put", function(t)
  t.ui{ confirm = { true, false }, select = { "y" } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context).eq{ { hook = "several-questions", text = "true false y" } }
  local titles = {}
  for _, question in r.asked do
    table.insert(titles, question.title)
  end
  expect(titles).eq{ "one?", "two?", "three?" }
end)
