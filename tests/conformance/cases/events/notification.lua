-- What the event carries goes back to the agent, as text.
on("notification", function(event, ctx)
  return { context = snaphook.json.encode(event) }
end)
