test("what one event began has in another what the hook was granted, and no more", function(t)
  t.exec_stub("make", { stdout = "made" })
  t.exec_stub("git", { stdout = "no" })
  local function says(command)
    return t.tool_call{ tool = "bash", command = command }
  end
  says("keep")
  expect(says("use make").context[1].text).eq("true made")
  says("keep")
  local r = says("use git")
  expect(r.context[1].text).matches("^false .*the program git is not granted; .*`exec: \\[\"git:all\"\\]` under `grants`")
  expect(r.ran).eq{}
end)
