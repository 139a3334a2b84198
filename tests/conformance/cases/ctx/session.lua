on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    cwd = ctx.cwd, root = ctx.project_root, id = ctx.session_id, path = ctx.session_path == nil, agent = ctx.agent, scope = ctx.scope,
    hook = ctx.hook, cancelled = ctx.cancelled, has_ui = ctx.has_ui,
  }) }
end)
