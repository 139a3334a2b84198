-- expect: memory|budget|stuck
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
  local t = {}
  while true do
    t[#t + 1] = snaphook.regex.find_all("(a)", ("a"):rep(2e5), 1e9)
    t[#t + 1] = snaphook.shell.commands(("a b c;"):rep(3000))
    t[#t + 1] = snaphook.json.decode("[" .. ("[],"):rep(1e5) .. "0]")
  end
end)
