on("agent_end", function(event, ctx)
  return { continue_with = "go on with " .. event.last_message }
end)

on("subagent_end", function(event, ctx)
  return { continue_with = event.subagent .. " goes on" }
end)
