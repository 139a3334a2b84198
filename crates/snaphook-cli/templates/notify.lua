-----
-- name: __NAME__
-- description: Tells you when the agent is done with a prompt that took longer than a minute
-- api: 1
-----
local SECONDS = 60

on("agent_start", function(event, ctx)
  ctx.state.set("began", snaphook.time.now())
end)

on("agent_end", function(event, ctx)
  local began = ctx.state.get("began")
  if began == nil then
    return
  end
  local took = snaphook.time.now() - began
  if took >= SECONDS then
    ctx.ui.notify(`The agent is done after {math.floor(took / 60)} min.`)
  end
  ctx.state.delete("began")
end)
