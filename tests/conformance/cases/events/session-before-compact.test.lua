test("compacting can be refused", function(t)
  expect(t.emit("session_before_compact", { trigger = "auto" })).denied("^not before the work is saved$")
  local r = t.emit("session_before_compact", { trigger = "manual", instructions = "the plan" })
  expect(r).allowed()
  expect(r.context).eq{ { hook = "session-before-compact", text = "keep: the plan" } }
  expect(t.emit("session_before_compact", {}).context).eq{ { hook = "session-before-compact", text = "keep: everything" } }
end)
