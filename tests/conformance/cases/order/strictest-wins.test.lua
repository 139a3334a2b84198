test("the strictest verdict wins, and every reason is kept", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^no$")
  local verdicts = {}
  for _, reason in r.reasons do
    table.insert(verdicts, reason.verdict .. ":" .. reason.line .. ":" .. reason.reason)
  end
  expect(verdicts).eq{ "ask:1:sure?", "deny:2:no", "allow:3:fine by me" }
  expect(r.asked).eq{}
end)
