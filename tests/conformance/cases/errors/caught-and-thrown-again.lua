on("tool_call", function(event)
  local ok, problem = pcall(error, "boom", 0)
  error("again: " .. problem)
end)
