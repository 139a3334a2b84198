test("a program that is not there is an error that can be caught", function(t)
  t.exec_stub("no-such-program-of-this-name", { real = true })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).matches("^false .*failed to run no-such-program-of-this-name: ")
end)
