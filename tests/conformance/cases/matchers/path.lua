on("tool_call", { path = { "*.sql", "/config/", "!public.sql" } }, function(event)
  return { block = true, reason = "matched" }
end)
