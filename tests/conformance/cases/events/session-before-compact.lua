on("session_before_compact", function(event, ctx)
  if event.trigger == "auto" then
    return { block = true, reason = "not before the work is saved" }
  end
  return { context = "keep: " .. (event.instructions or "everything") }
end)
