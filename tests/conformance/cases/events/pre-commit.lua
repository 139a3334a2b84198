on("pre_commit", function(event, ctx)
  return { fail = #event.files > 2, reason = "too many files" }
end)
