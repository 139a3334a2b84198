-----
-- grants:
--   exec: ["true"]
-----
-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do ctx.exec('true') end
end)
