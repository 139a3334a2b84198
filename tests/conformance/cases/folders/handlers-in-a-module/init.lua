require("gates")

on("tool_call", { command = "second" }, function(event)
  return { block = true, reason = "from init" }
end)
