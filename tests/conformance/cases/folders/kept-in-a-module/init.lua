local count = require("count")

on("tool_call", function(event, ctx)
  return { context = count.next(ctx) }
end)

on("tool_result", function(event, ctx)
  return { context = count.next(ctx) }
end)
