-- Test files.
test("asks before a recursive delete", function(t)
  t.load("guard.lua")
  t.ui({ confirm = { false } })
  t.exec_stub("git status", { stdout = "clean", code = 0 })
  t.clock(0)
  local r = t.tool_call({ tool = "bash", command = "rm -rf build" })
  expect(r).asked("Recursive delete")
  expect(r).denied("not approved")
  expect(r.context).eq({ "x" })
  expect(r.decison).eq("deny") --> both: decison
  expect(r).alowed() --> both: alowed
  t.tool_call({ command = "ls" }) --> both: tool
  t.headles() --> both: headles
end)
