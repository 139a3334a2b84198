-- Line 2 is where it goes wrong.
on("tool_call", { path = { "a", 1 } }, function(event)
  return { allow = true }
end)
