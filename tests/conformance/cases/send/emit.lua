on("tool_result", function(event, ctx)
  ctx.emit("tests.finished", { passed = 3, names = { "a", "b" } })
  ctx.emit("tests.cleaned")
  return { context = "after" }
end)

on("tests.finished", function(event, ctx)
  ctx.send(`{event.passed} passed, {#event.names} names`)
end)

on("tests.cleaned", function(event, ctx)
  return { context = event.name }
end)
