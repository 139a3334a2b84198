on("tool_call", function(event, ctx)
  for _, cmd in snaphook.shell.commands(event.command) do
    if cmd.name == "rm" then
      return { block = true, reason = "no rm" }
    end
  end
end)
