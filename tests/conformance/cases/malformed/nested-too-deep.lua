on("tool_call", function(event)
  local deep = {}
  for _ = 1, 200 do
    deep = { deep }
  end
  return { input = { deep = deep } }
end)
