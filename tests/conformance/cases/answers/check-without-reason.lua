on("pre_commit", function(event)
  return { fail = true }
end)
