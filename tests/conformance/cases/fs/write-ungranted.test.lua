local function write(t, path)
  return t.tool_call{ tool = "bash", command = path }
end

test("reading is not writing", function(t)
  t.fs{ ["a.txt"] = "" }
  expect(write(t, "a.txt")).denied("writing a.txt is not granted; the hook's front matter needs `write: \\[./a.txt\\]` under `grants`")
  expect(write(t, "out/../a.txt")).denied("not granted")
  expect(write(t, "../a.txt")).denied("not granted")
end)

test("a folder has to be there", function(t)
  expect(write(t, "out/a/b")).denied("make it with make_dir")
end)
