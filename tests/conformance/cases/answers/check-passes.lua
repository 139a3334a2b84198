on("pre_commit", function(event)
  return { fail = false, reason = "would be told" }
end)

on("pre_commit", function(event)
  return {}
end)
