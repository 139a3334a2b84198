on("session_before_compact", function(event)
  return { terminate = true }
end)
