-- A module may register handlers of its own.
on("tool_call", { command = "first" }, function(event)
  return { block = true, reason = "from gates" }
end)
