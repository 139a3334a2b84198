test("a prompt is blocked, asked about, rewritten", function(t)
  expect(t.emit("user_prompt", { prompt = "secret" })).denied("^not that$")
  expect(t.emit("user_prompt", { prompt = "unsure" })).asked("^Send it\\?$")
  local r = t.emit("user_prompt", { prompt = "Go on." })
  expect(r).allowed()
  expect(r).input{ prompt = "Go on. Please." }
  expect(r.original_input).eq{ prompt = "Go on." }
  expect(r.context).eq{ { hook = "user-prompt", text = "it is polite now" } }
end)
