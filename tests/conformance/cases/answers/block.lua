-- A policy's no.
on("tool_call", function(event)
  return { block = true, reason = "not on Fridays" }
end)
