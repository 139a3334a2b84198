on("tool_call", { tool = "write" }, function(event)
  return { path = "safe/" .. event.paths[1], content = event.content .. "\n" }
end)

on("tool_call", { tool = "web_fetch" }, function(event)
  return { url = (event.url:gsub("^http:", "https:")) }
end)
