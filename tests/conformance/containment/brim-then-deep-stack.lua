-- expect: memory|budget|error
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
  local function deep(n)
    pcall(snaphook.path.basename, "a")
    return 1 + deep(n + 1)
  end
  for i = 1, 50 do
    for _ = 1, 20 do
      hog[#hog] = nil
    end
    pcall(deep, 1)
    pcall(coroutine.wrap(deep), 1)
  end
  return { allow = true }
end)
