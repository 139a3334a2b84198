on("tool_call", function(event, ctx)
  local text = string.rep("x", 1048576)
  return { input = { a = string.rep(text, 17) } }
end)
