-- What the event carries goes back to the agent, as text.
on("subagent_start", function(event, ctx)
  return { context = snaphook.json.encode(event) }
end)
