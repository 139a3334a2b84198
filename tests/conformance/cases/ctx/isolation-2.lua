on("tool_call", function(event)
  return { context = "second sees " .. tostring(rawget(_G, "marker")) }
end)
