-----
-- grants:
--   exec: ["true"]
-----
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
  for i = 1, 300 do
    hog[#hog] = nil
    local many = select(2, pcall(table.create, 3000, "x"))
    if type(many) == "table" then
      pcall(snaphook.path.join, table.unpack(many))
      pcall(on, table.unpack(many))
      pcall(ctx.exec, "true", many)
      pcall(ctx.ui.select, "t", many)
    end
  end
  return { allow = true }
end)
