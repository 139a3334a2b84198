local function list(t, path)
  return t.tool_call{ tool = "bash", command = path }
end

test("names come in order, without what was taken back", function(t)
  t.fs{ ["docs/b"] = "", ["docs/a"] = "", ["docs/.c"] = "", ["docs/d/e"] = "", ["docs/x.key"] = "", ["docs/X.KEY"] = "" }
  expect(snaphook.json.decode(list(t, "docs").context[1].text)).eq{ ".c", "a", "b", "d" }
end)

test("an empty folder has no names", function(t)
  t.fs{ ["src/"] = "" }
  expect(list(t, "src").context[1].text).eq("[]")
end)

test("what is no folder, not there or not granted is an error", function(t)
  t.fs{ ["docs/a"] = "" }
  expect(list(t, "docs/a")).denied("failed to list docs/a: it is no folder")
  expect(list(t, "docs/none")).denied("failed to list docs/none: it is not there")
  expect(list(t, ".")).denied("listing . is not granted")
end)
