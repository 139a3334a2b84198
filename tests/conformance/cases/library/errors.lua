local calls = {
  json_decode = function() return snaphook.json.decode("{") end,
  json_encode = function() return snaphook.json.encode({ f = function() end }) end,
  glob = function() return snaphook.glob.matches("a[", "x") end,
  glob_of_nothing = function() return snaphook.glob.matches({ 1 }, "x") end,
  regex = function() return snaphook.regex.find("(", "x") end,
  regex_size = function() return snaphook.regex.matches("\\w{1000}{1000}", "x") end,
  time_parse = function() return snaphook.time.parse("tomorrow") end,
  time_iso = function() return snaphook.time.iso(1e300) end,
  command_field = function() return snaphook.shell.commands("ls")[1].cmd end,
  redirect_field = function() return snaphook.shell.commands("a > b")[1].redirects[1].writes end,
  match_field = function() return snaphook.regex.find("a", "a").txt end,
  unknown_word = function() return snaphook.shell.commands("cat $F")[1].args[1].length end,
}

on("tool_call", function(event, ctx)
  calls[event.command]()
end)
