on("tool_call", function(event, ctx)
  local where = ctx.ui.select("Where?", { "staging", "production" })
  if where == nil then
    return { block = true, reason = "no place" }
  end
  return { command = event.command .. " " .. where }
end)
