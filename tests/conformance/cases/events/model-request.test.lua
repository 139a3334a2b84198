test("model, system prompt and parameters are replaced, the rest stays", function(t)
  local r = t.emit("model_request", { model = "large", system = "You help.", messages = { "m" }, params = { top_p = 1, temperature = 1 } })
  expect(r).input{ model = "small", system = "You help. Be kind.", messages = { "m" }, params = { top_p = 1, temperature = 0.5 } }
  r = t.emit("model_request", { model = "other", messages = { "m" } })
  expect(r.input).eq{ model = "other", messages = { "m" } }
end)
