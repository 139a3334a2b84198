local function each(list, f)
  for _, item in list do
    f(item)
  end
end

on("tool_call", function(event)
  each({ 1, 2, 3 }, function(item)
    if item == 2 then
      error("item " .. item)
    end
  end)
end)
