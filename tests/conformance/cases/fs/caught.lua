on("tool_call", function(event, ctx)
  local ok, problem = pcall(snaphook.fs.read, "a.txt")
  return { context = tostring(ok) .. " " .. tostring(problem) }
end)
