on("build.finished", function(event, ctx)
  return { context = event.name .. ": " .. snaphook.json.encode(event.result) .. " " .. tostring(event.absent == nil) }
end)
