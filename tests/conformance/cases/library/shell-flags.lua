on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.shell.commands("rm -rf x")[1]:has_flags("r", "f"),
    snaphook.shell.commands("rm --recursive -f x")[1]:has_flags("r", "f"),
    snaphook.shell.commands("rm -r x")[1]:has_flags("r", "f"),
    snaphook.shell.commands("git push --force")[1]:has_flags("force"),
  }) }
end)
