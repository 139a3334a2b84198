test("an error can be caught, and says what is missing", function(t)
  t.fs{ ["a.txt"] = "secret" }
  local text = t.tool_call{ tool = "bash", command = "ls" }.context[1].text
  expect(text).matches("^false .*reading a.txt is not granted; the hook's front matter needs `read: .*a.txt.` under `grants`")
end)
