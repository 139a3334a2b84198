on("pre_commit", function(event)
  return { reason = "alone" }
end)

on("files_changed", function(event)
  return { block = true, reason = "a gate's word" }
end)
