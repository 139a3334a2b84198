test("a hook that is loaded again keeps state and store, and no variables", function(t)
  local function call()
    return t.tool_call{ tool = "bash", command = "ls" }.context[1].text
  end
  expect(call()).eq("variable 1 state 1 store 1")
  expect(call()).eq("variable 2 state 2 store 2")
  t.load("reload")
  expect(call()).eq("variable 1 state 3 store 3")
end)
