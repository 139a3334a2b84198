-- Line 2 is where it goes wrong.
on("tool_call", { tool = {} }, function(event)
  return { allow = true }
end)
