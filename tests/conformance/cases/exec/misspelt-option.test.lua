test("options, arguments and results are checked", function(t)
  t.exec_stub("git", {})
  local function denial(command)
    local r = t.tool_call{ tool = "bash", command = command }
    expect(r.reasons[1].cause).eq("error")
    return r
  end
  expect(denial("option")).denied("ctx\\.exec has no option `timout`; did you mean `timeout`\\?")
  expect(denial("timeout")).denied("the option `timeout` of ctx\\.exec is a number of seconds above 0, not ")
  expect(denial("words")).denied("the arguments of ctx\\.exec are a list of texts")
  expect(denial("result")).denied("the result of ctx\\.exec has no `exit_code`")
end)
