on("pre_commit", function(event)
  error("boom")
end)
