-- Line 2 is where it goes wrong.
on("tool_call", { tool = "Bash" }, function(event)
  return { allow = true }
end)
