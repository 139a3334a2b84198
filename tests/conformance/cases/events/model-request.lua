on("model_request", function(event, ctx)
  if event.model == "large" then
    local params = event.params or {}
    params.temperature = 0.5
    return { model = "small", system = (event.system or "") .. " Be kind.", params = params }
  end
end)
