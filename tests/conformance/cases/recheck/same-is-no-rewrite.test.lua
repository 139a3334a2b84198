test("returning what came changes nothing, down to the form of its numbers", function(t)
  local input = snaphook.json.decode('{"command":"ls","a":1.0,"b":1,"c":[],"d":{},"e":null,"f":1e300}')
  local r = t.tool_call{ tool = "bash", input = input }
  expect(r).allowed()
  expect(r.input).eq(r.original_input)
end)
