local function numbered(count)
  local text = "line 1"
  for number = 2, count do
    text ..= `\nline {number}`
  end
  return text
end

test("keeps the beginning and the end of long output", function(t)
  local outcome = t.tool_result{ tool = "bash", command = "make", content = numbered(500) }
  expect(outcome).content("^line 1\n")
  expect(outcome).content("line 40\n\\[… 380 lines left out …\\]\nline 421\n")
  expect(outcome).content("line 500$")
end)

test("leaves short output as it is", function(t)
  local text = numbered(120)
  expect(t.tool_result{ tool = "bash", command = "make", content = text }.content).eq(text)
end)

test("looks at commands only", function(t)
  local text = numbered(500)
  expect(t.tool_result{ tool = "read", path = "notes.txt", content = text }.content).eq(text)
end)
