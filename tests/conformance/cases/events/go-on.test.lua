test("the agent is sent on three times a prompt", function(t)
  for i = 1, 3 do
    expect(t.emit("agent_end", { last_message = "step " .. i }).continue_with).eq{ { hook = "go-on", text = "go on with step " .. i } }
  end
  expect(t.emit("agent_end", { last_message = "step 4" }).continue_with).eq{}
  t.emit("user_prompt", { prompt = "again" })
  expect(t.emit("subagent_end", { subagent = "scout" }).continue_with).eq{ { hook = "go-on", text = "scout goes on" } }
end)
