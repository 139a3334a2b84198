on("context", function(event, ctx)
  local last = event.messages[#event.messages]
  return { messages = { { role = "system", text = "be brief" }, last }, context = tostring(#event.messages) .. " messages" }
end)
