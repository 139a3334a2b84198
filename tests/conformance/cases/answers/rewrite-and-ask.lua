on("tool_call", function(event)
  return { command = "ls -l", ask = "With more words?" }
end)
