test("lets other commands through", function(t)
  expect(t.tool_call{ tool = "bash", command = "rm notes.txt && ls" }).allowed()
  expect(t.tool_call{ tool = "bash", command = "echo 'rm -r build'" }).allowed()
end)

test("asks before a recursive delete, and does as the person says", function(t)
  t.ui{ confirm = { true, false } }
  local approved = t.tool_call{ tool = "bash", command = "sudo rm -fr build" }
  expect(approved).asked("rm -fr build")
  expect(approved).allowed()
  local refused = t.tool_call{ tool = "bash", command = "sudo rm -fr build" }
  expect(refused).denied("deletes a folder")
end)

test("denies where nobody can be asked", function(t)
  t.headless()
  expect(t.tool_call{ tool = "bash", command = "rm -r build" }).denied("deletes a folder")
  expect(t.tool_call{ tool = "bash", command = "$CMD build" }).denied("not known")
end)

test("blocks what cannot be read", function(t)
  expect(t.tool_call{ tool = "bash", command = "rm -r 'build" }).denied("cannot be read")
end)
