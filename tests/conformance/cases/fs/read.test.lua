local function read(t, path)
  return t.tool_call{ tool = "bash", command = path }
end

test("a file that is granted is read, however it is written", function(t)
  local root = t.fs{ ["docs/deep/a.txt"] = "grüße\n", ["b.md"] = "b" }
  for _, path in { "docs/deep/a.txt", "./docs/deep/a.txt", "docs/../docs/deep/a.txt", root .. "/docs/deep/a.txt" } do
    expect(read(t, path).context).eq{ { hook = "read", text = "grüße\n" } }
  end
  expect(read(t, "b.md").context[1].text).eq("b")
end)

test("an empty file is an empty text", function(t)
  t.fs{ ["docs/empty"] = "" }
  expect(read(t, "docs/empty").decision).eq("allow")
end)

test("what is not granted names the line that is missing", function(t)
  t.fs{ ["src/a.rs"] = "secret", ["docs/b.md"] = "" }
  local r = read(t, "src/a.rs")
  expect(r).denied("reading src/a.rs is not granted; the hook's front matter needs `read: \\[src/a.rs\\]` under `grants`")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(6)
  expect(read(t, "docs/../src/a.rs")).denied("not granted")
  expect(read(t, "/etc/passwd")).denied("needs `read: \\[/etc/passwd\\]`")
  expect(read(t, "deep/x.md")).denied("needs `read: \\[deep/x.md\\]`")
  expect(read(t, "~root/x")).denied("another person's home")
end)

test("a file that cannot be read says why", function(t)
  t.fs{ ["docs/folder/"] = "" }
  expect(read(t, "docs/none")).denied("failed to read docs/none: it is not there")
  expect(read(t, "docs/folder")).denied("failed to read docs/folder: it is a folder")
end)
