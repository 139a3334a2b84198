test("files and folders are made, changed and taken away", function(t)
  local text = t.tool_call{ tool = "bash", command = "ls" }.context[1].text
  expect(snaphook.json.decode(text)).eq{ "one\ntwo\n", "made", "second", { "a", "z" }, false }
end)

test("each test has its own files", function(t)
  local text = t.tool_call{ tool = "bash", command = "ls" }.context[1].text
  expect(snaphook.json.decode(text)[1]).eq("one\ntwo\n")
end)
