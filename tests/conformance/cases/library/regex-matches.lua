on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.regex.matches("^rm\\b", "rm x"),
    snaphook.regex.matches("^rm\\b", "rmdir x"),
    snaphook.regex.matches("(?i)ÄPFEL", "fünf äpfel"),
    snaphook.regex.matches("", ""),
  }) }
end)
