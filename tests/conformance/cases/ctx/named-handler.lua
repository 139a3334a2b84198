local function judge(event, ctx)
  return { block = event.command == "rm", reason = "named" }
end

on("tool_call", judge)
