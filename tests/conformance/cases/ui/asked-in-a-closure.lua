local function ask_each(ctx, words)
  for _, word in words do
    if not ctx.ui.confirm(word .. "?") then
      return word
    end
  end
  return nil
end

on("tool_call", function(event, ctx)
  local check = function(words)
    return ask_each(ctx, words)
  end
  local refused = check({ "one", "two", "three" })
  return { block = refused ~= nil, reason = "refused " .. tostring(refused) }
end)
