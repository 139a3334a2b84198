on("agent_end", function(event)
  return { context = "remember this" }
end)
