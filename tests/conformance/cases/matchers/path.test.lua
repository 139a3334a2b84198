test("files by patterns as in .gitignore", function(t)
  for path, stopped in { ["a.sql"] = true, ["deep/in/a.sql"] = true, ["config/x"] = true, ["lib/config/x"] = false, ["public.sql"] = false,
    ["a.sql.txt"] = false, ["lib/../b.sql"] = true } do
    local r = t.tool_call{ tool = "read", path = path }
    expect(path .. " " .. r.decision).eq(path .. (if stopped then " deny" else " allow"))
  end
end)

test("and the files of a command line", function(t)
  expect(t.tool_call{ tool = "bash", command = "cat a.sql" }).denied("matched")
  expect(t.tool_call{ tool = "bash", command = "cat $FILE" }).denied("matched")
  expect(t.tool_call{ tool = "bash", command = "cat a.txt" }).allowed()
end)
