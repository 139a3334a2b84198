test("a real process: arguments, environment, input, folder, code and both outputs", function(t)
  t.fs{ ["sub/here.txt"] = "" }
  t.exec_stub("sh", { real = true })
  local r = t.tool_call{ tool = "bash", command = 'echo "$1|$2|$GREETING|$(cat)|$(ls)"; echo oops >&2; exit 4' }
  expect(snaphook.json.decode(r.context[1].text)).eq{ 4, "one two|3|hi|given|here.txt\n", "oops\n", false }
end)
