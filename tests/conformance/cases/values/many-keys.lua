on("tool_call", function(event, ctx)
  local count, sum = 0, 0
  for key, value in event.input do
    count += 1
    sum += value
  end
  local input = event.input
  for i = 1, 100 do
    input["new" .. i] = i
  end
  return { input = input, context = `{count} {sum}` }
end)
