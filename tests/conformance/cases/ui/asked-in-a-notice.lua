on("agent_end", function(event, ctx)
  if ctx.ui.confirm("Once more?") then
    return { continue_with = "Do it once more." }
  end
end)
