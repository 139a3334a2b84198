-- What the event carries goes back to the agent, as text.
on("iteration_error", function(event, ctx)
  return { context = snaphook.json.encode(event) }
end)
