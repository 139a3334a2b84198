-----
-- grants:
--   exec: [make]
-----
local kept

on("tool_call", { command = "^keep" }, function(event, ctx)
  kept = coroutine.create(function(program)
    program = coroutine.yield()
    return ctx.exec(program, { "all" }).stdout
  end)
  coroutine.resume(kept)
end)

on("tool_call", { command = "^use " }, function(event, ctx)
  local ok, out = coroutine.resume(kept, event.command:sub(5))
  return { context = `{ok} {out}` }
end)
