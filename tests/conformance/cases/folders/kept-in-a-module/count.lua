return {
  next = function(ctx)
    local count = ctx.state.get("count", 0) + 1
    ctx.state.set("count", count)
    return tostring(count)
  end,
}
