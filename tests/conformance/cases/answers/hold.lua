on("tool_call", { tool = "bash" }, function(event)
  if event.command == "ls" then return end
  return { hold = { profile = "guarded", deny_write = { "~/.ssh", "secrets" }, env = {} } }
end)

on("tool_call", { tool = "bash" }, function(event)
  return { hold = { net = { "crates.io" }, deny_write = { "a" } }, context = "no network" }
end)

on("tool_call", { tool = "bash", command = "test" }, function(event)
  return { ask = "run the tests?", hold = { net = "none" } }
end)

on("tool_call", { tool = "read" }, function(event)
  return { hold = { deny_write = { "a" } } }
end)
