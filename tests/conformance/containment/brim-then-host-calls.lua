-- expect: memory|budget
-- Fill the memory to the brim, with big pieces first and small ones last, and keep it.
local hog = {}
local function fill()
  for _, size in { 1e6, 1e4, 100, 1 } do
    pcall(function()
      local n = 0
      while true do
        n += 1
        hog[#hog + 1] = ("x"):rep(size) .. n
      end
    end)
  end
  pcall(function()
    while true do
      hog[#hog + 1] = {}
    end
  end)
end

on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  fill()
  for i = 1, 2000 do
    hog[#hog] = nil
    pcall(snaphook.path.basename, "a/b")
    pcall(snaphook.json.encode, { a = { b = { c = i } } })
    pcall(snaphook.json.decode, '{"a":[1,2,{"b":null}]}')
    pcall(snaphook.regex.find_all, "(a)(b)?", ("ab"):rep(50))
    pcall(snaphook.shell.commands, "sudo rm -rf x; echo $Y {a,b,c} > z")
    pcall(snaphook.glob.matches, { "*.rs", "b" }, "x")
    pcall(ctx.state.set, "k", { 1, 2, i })
    pcall(ctx.state.get, "k")
    pcall(function() return ctx.misspelt end)
    pcall(function() return event.misspelt end)
    pcall(error, { i })
    pcall(coroutine.wrap(function() return ctx.ui.confirm("x") end))
  end
  return { allow = true }
end)
