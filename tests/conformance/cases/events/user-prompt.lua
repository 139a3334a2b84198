on("user_prompt", function(event, ctx)
  if event.prompt == "secret" then
    return { block = true, reason = "not that" }
  elseif event.prompt == "unsure" then
    return { ask = "Send it?" }
  end
  return { prompt = event.prompt .. " Please.", context = "it is polite now" }
end)
