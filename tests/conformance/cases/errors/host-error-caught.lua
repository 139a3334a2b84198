on("tool_call", function(event, ctx)
  local ok, problem = pcall(function()
    return snaphook.regex.matches("(", "x")
  end)
  return { block = not ok, reason = tostring(problem) }
end)
