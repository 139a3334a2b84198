on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.shell.commands("sudo -u root rm -rf /x")[1].name,
    snaphook.shell.commands("sudo -u root rm -rf /x")[1].via,
    snaphook.shell.commands("bash -c 'rm x'")[1].name,
    snaphook.shell.commands("bash -c 'rm x'")[1].via,
  }) }
end)
