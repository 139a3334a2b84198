on("user_prompt", function(event)
  return { block = event.command == "x", reason = "x" }
end)
