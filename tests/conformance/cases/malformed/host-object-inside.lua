on("tool_call", function(event, ctx)
  return { input = { first = 1, second = { ctx } } }
end)
