on("agent_start", function(event)
  error("boom")
end)

on("agent_start", function(event)
  return { context = "still here" }
end)
