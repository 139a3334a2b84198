-- Line 2 is where it goes wrong.
on("tool_call", { tool = 5 }, function(event)
  return { allow = true }
end)
