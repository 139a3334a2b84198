on("user_prompt", function(event)
  return { command = "ls" }
end)
