for command, message in pairs{
  unknown = "did you mean `deny_write`?",
  pattern = "is a pattern; the kernel holds paths",
  empty = "`hold` is empty",
  text = "`hold` must be",
  block = "`block` and `hold` contradict each other",
} do
  test(command .. " denies", function(t)
    local r = t.tool_call{ tool = "bash", command = command }
    expect(r).denied(message)
    expect(r.reasons[1].cause).eq("malformed")
  end)
end
