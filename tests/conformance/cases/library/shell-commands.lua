on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    #snaphook.shell.commands("a && b | c; d"),
    snaphook.shell.commands("/usr/bin/git push -f")[1].name,
    snaphook.shell.commands("/usr/bin/git push -f")[1].path,
    snaphook.shell.commands("git commit -m 'two words'")[1].args,
    snaphook.shell.commands("x=rm; $x -r a")[1].text,
    snaphook.shell.commands("x=rm; $x -r a")[2].dynamic,
    snaphook.shell.commands("A=1 B=two make")[1].assignments,
    snaphook.shell.commands("true\n  ls")[2].line,
    snaphook.shell.commands("true\n  ls")[2].column,
    #snaphook.shell.commands(""),
  }) }
end)
