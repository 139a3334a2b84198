on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    #snaphook.shell.commands("sort < a > b 2>> c")[1].redirects,
    snaphook.shell.commands("sort < a")[1].redirects[1].target,
    snaphook.shell.commands("sort < a")[1].redirects[1].read,
    snaphook.shell.commands("sort > b")[1].redirects[1].write,
    snaphook.shell.commands("sort > b")[1].redirects[1].append,
    snaphook.shell.commands("sort 2>> c")[1].redirects[1].append,
    snaphook.shell.commands("sort 2>> c")[1].redirects[1].fd,
  }) }
end)
