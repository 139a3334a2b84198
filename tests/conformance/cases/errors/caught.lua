on("tool_call", function(event)
  local ok, problem = pcall(function()
    error("boom", 0)
  end)
  return { block = true, reason = "caught: " .. tostring(problem) }
end)
