on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.shell.commands("cat $FILE")[1].args[1] == "$FILE",
    type(snaphook.shell.commands("cat $FILE")[1].args[1]) == "string",
    type(snaphook.shell.commands("cat file")[1].args[1]) == "string",
    snaphook.shell.commands("cat a/$FILE")[1].args[1].text,
    snaphook.shell.commands("cat a/$FILE")[1].args[1].prefix,
    snaphook.shell.commands("cat $FILE")[1].args[1].many,
    snaphook.shell.commands("cat \"$FILE\"")[1].args[1].many,
    snaphook.shell.commands("X=a; cat $X")[2].args[1].unknown,
    snaphook.shell.commands("$CMD")[1].dynamic,
    snaphook.shell.commands("ls x")[1].dynamic,
  }) }
end)
