on("user_prompt", function(event)
  error("boom")
end)
