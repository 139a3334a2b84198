-- Line 2 is where it goes wrong.
on("tool_call", { tols = "bash" }, function(event)
  return { allow = true }
end)
