test("JSON of 127 levels is read, of 128 it is an error", function(t)
  for _, depth in { 1, 100, 127 } do
    expect(t.tool_call{ tool = "bash", command = tostring(depth) }.context[1].text).eq("depth " .. depth)
  end
  for _, depth in { 128, 129, 5000 } do
    expect(t.tool_call{ tool = "bash", command = tostring(depth) }.context[1].text).matches("not JSON: recursion limit exceeded")
  end
end)
