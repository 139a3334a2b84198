local function becomes(t, command, expected)
  local r = t.tool_call{ tool = "bash", command = command }
  expect(r).allowed()
  expect(r.input.command).eq(expected)
  return r
end

test("git starts no pager and no editor", function(t)
  becomes(t, "git log --oneline -3", "git --no-pager log --oneline -3")
  becomes(t, "  git rebase --continue", "git -c core.editor=true rebase --continue")
  becomes(t, "git status", "git status")
end)

test("packages come without their install scripts, and the agent is told", function(t)
  local r = becomes(t, "npm install left-pad", "npm --ignore-scripts install left-pad")
  expect(r.context[1].text).matches("Install scripts were left out")
  becomes(t, "npm install --ignore-scripts left-pad", "npm install --ignore-scripts left-pad")
  becomes(t, "yarn run build", "yarn run build")
end)

test("only a line that is one simple command is touched", function(t)
  for _, command in { "git log | head", "git log > log.txt", "cd x && git log", "git log $BRANCH", "(git log)", "git log 'x" } do
    becomes(t, command, command)
  end
end)
