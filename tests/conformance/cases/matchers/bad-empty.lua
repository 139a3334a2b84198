-- Line 2 is where it goes wrong.
on("tool_call", { command = "" }, function(event)
  return { allow = true }
end)
