on("files_changed", function(event, ctx)
  for _, file in event.files do
    if file == "broken.go" then
      return { fail = true, reason = file .. " does not compile" }
    end
  end
end)
