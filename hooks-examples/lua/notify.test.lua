local function work(t, seconds)
  t.ui{}
  t.exec_stub("notify-send", {})
  t.clock(1000)
  t.emit("agent_start", {})
  t.clock(1000 + seconds)
end

test("long work is announced, on the desktop as well", function(t)
  work(t, 60)
  local told = t.emit("agent_end", { last_message = "All tests pass now." })
  expect(told).notified("^The agent is done: All tests pass now\\.$")
  expect(told.ran).eq{ "notify-send -- The agent is done All tests pass now." }
end)

test("short work is not", function(t)
  work(t, 5)
  expect(t.emit("agent_end", { last_message = "done" }).notified).eq{}
end)

test("a failure and a question are announced, too", function(t)
  work(t, 60)
  local told = t.emit("agent_error", { error = "no\nnetwork" })
  expect(told).notified("^The agent has stopped: no network$")
  expect(told.notified[1].level).eq("error")
  expect(t.emit("notification", { message = "May I?" })).notified("^The agent waits for you: May I\\?$")
  expect(t.emit("notification", { message = "May I?", title = "Codex" })).notified("^Codex: May I\\?$")
end)

test("a machine without a desktop is no fault", function(t)
  work(t, 60)
  t.exec_stub("notify-send", { error = "not there" })
  t.exec_stub("osascript", { error = "not there" })
  local told = t.emit("agent_end", {})
  expect(told).notified("^The agent is done$")
  expect(told.failures).eq{}
end)

test("text from elsewhere is neither markup nor endless", function(t)
  work(t, 60)
  local told = t.emit("agent_end", { last_message = "<b>" .. string.rep("x", 1000) })
  expect(told).notified("^The agent is done: <b>x{197}…$")
  expect(told.ran[1]).matches("^notify-send -- The agent is done &lt;b&gt;xxx")
end)
