local function stat(t, path)
  return t.tool_call{ tool = "bash", command = path }.context[1].text
end

test("what is there has a kind, a size and a time", function(t)
  t.fs{ ["docs/a.txt"] = "12345" }
  expect(snaphook.json.decode(stat(t, "docs/a.txt"))).eq{ true, "file", 5, true }
  local kind = snaphook.json.decode(stat(t, "docs"))
  expect(kind[2]).eq("folder")
  expect(snaphook.json.decode(stat(t, "."))[2]).eq("folder")
end)

test("what is not there is nothing", function(t)
  expect(stat(t, "none")).eq("false")
  expect(stat(t, "none/deeper")).eq("false")
end)
