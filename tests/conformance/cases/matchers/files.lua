on("files_changed", { path = "*.go" }, function(event)
  return { fail = true, reason = "go" }
end)
