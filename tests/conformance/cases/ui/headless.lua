on("tool_call", function(event, ctx)
  local answers = {
    confirm = ctx.ui.confirm("Go on?", "It deletes"),
    selected = ctx.ui.select("Which?", { "a", "b" }) == nil,
    typed = ctx.ui.input("Name?") == nil,
    edited = ctx.ui.editor("Text?", "initial") == nil,
    has_ui = ctx.has_ui,
  }
  return { context = snaphook.json.encode(answers) }
end)
