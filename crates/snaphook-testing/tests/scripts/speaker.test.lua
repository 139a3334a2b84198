-- Every function of `t`, in the hands of a test. Run by tests/it/scripts.rs: all of them pass.

local function bash(t, command)
  return t.tool_call{ tool = "bash", command = command }
end

-- The error that a call raises.
local function fails(f, ...)
  local ok, err = pcall(f, ...)
  expect(ok).eq(false)
  return expect(err)
end

test("the hook beside the test is loaded at the first event", function(t)
  expect(bash(t, "block no")).denied("^no$")
  expect(bash(t, "hello")).allowed()
end)

test("a hook is loaded by its name, in its folder or above", function(t)
  t.load("parts/gate")
  expect(bash(t, "block no")).allowed()
  expect(bash(t, "gate")).denied("part of it")
  t.load("parts/../speaker.lua")
  expect(bash(t, "block no")).denied("no")
end)

test("a folder of hooks is loaded", function(t)
  t.load("parts")
  expect(bash(t, "gate")).denied("part of it")
end)

test("what a hook says of itself is in the outcome", function(t)
  local r = bash(t, "block all")
  expect(r.event).eq("tool_call")
  expect(r.decision).eq("deny")
  expect(r.terminate).eq(true)
  expect(#r.reasons).eq(1)
  local reason = r.reasons[1]
  expect(reason).eq{ hook = "speaker", file = "speaker.lua", line = 7, verdict = "deny", reason = "all" }
end)

test("a failing gate denies, with its cause", function(t)
  local r = bash(t, "fail badly")
  expect(r).denied("badly")
  expect(r.reasons[1].cause).eq("error")
  expect(r.failures[1].message).eq("badly")
  expect(r.failures[1].line).eq(44)
end)

test("a call is told by its portable fields or by its input", function(t)
  local written = t.tool_call{ tool = "write", path = "a.txt", content = "x" }
  expect(written).denied("^a.txt x nil$")
  expect(t.tool_call{ tool = "edit", path = "a.txt", content = "y" }).denied("^a.txt y nil$")
  expect(t.tool_call{ tool = "edit", input = { file_path = "b", new_string = "z" } }).denied("^b z nil$")
  expect(t.tool_call{ tool = "web_fetch", url = "https://example.com" }).denied("https://example.com$")
  expect(t.tool_call{ tool = "grep" }).allowed()
end)

test("a call that is none is an error", function(t)
  fails(t.tool_call).matches("t.tool_call needs the field `tool`")
  fails(t.tool_call, { tool = "Bash", command = "ls" }).matches("the canonical name is \"bash\"")
  fails(t.tool_call, { tool = "bash", comand = "ls" }).matches("did you mean `command`")
  fails(t.tool_call, { tool = "bash", command = 7 }).matches("has to be text, not the number 7")
  fails(t.tool_call, { tool = "bash", command = "ls", input = { a = 1 } }).matches("cannot be given as well")
  fails(t.tool_call, "bash").matches("takes named fields")
  fails(t.tool_call, {}, {}).matches("at most 1 argument")
end)

test("who calls, and where", function(t)
  local project = t.fs{}
  local r = t.tool_call{ tool = "bash", command = "where", agent = "cursor", subagent = "s", id = "c7" }
  expect(r.context[1].text).eq(`cursor adhoc c7 s {project} {project}`)
  expect(bash(t, "where").context[1].text).matches("^test adhoc test-call nil")
  t.load("speaker", { scope = "user" })
  expect(bash(t, "where").context[1].text).matches("^test user ")
  fails(t.load, "speaker", { scope = "mine" }).matches("there is no scope \"mine\"")
end)

test("a result is rewritten", function(t)
  local r = t.tool_result{ tool = "bash", command = "cat x", content = "a secret" }
  expect(r).content("^a \\*\\*\\*$")
  expect(r.is_error).eq(false)
  expect(r.rewritten).eq(true)
  local failed = t.tool_result{ tool = "bash", content = "x", is_error = true, details = { code = 2 } }
  expect(failed).content("^failed: x$")
  expect(failed.is_error).eq(false)
  expect(failed.details).eq{ seen = { code = 2 } }
end)

test("a rewrite of a call is its input", function(t)
  local r = bash(t, "rewrite it")
  expect(r).allowed()
  expect(r).input{ command = "rewritten" }
  expect(r).input{ deep = { list = { 1, 2 } } }
  expect(r.original_input).eq{ command = "rewrite it" }
  expect(r.rewritten).eq(true)
  expect(bash(t, "hello").rewritten).eq(false)
end)

test("any event can be emitted", function(t)
  local prompt = t.emit("user_prompt", { prompt = "hi" })
  expect(prompt).input{ prompt = "hi!" }
  expect(prompt.rewritten).eq(true)
  expect(t.emit("permission_request", { tool = "bash", command = "ls" })).denied("permission ls")
  expect(t.emit("tool_call", { tool = "bash", command = "block x" })).denied("x")
  local ended = t.emit("agent_end")
  expect(ended.continue_with[1].text).eq("go on")
  expect(ended).sent("noted")
  expect(ended.context).eq{ { hook = "speaker", text = "noted" } }
  local checks = t.emit("files_changed", { files = { "a", "b" } }).checks
  expect(checks.failed.reason).eq("too many")
  expect(checks.pending).eq{ "speaker" }
  expect(t.emit("files_changed", { files = { "a" } }).checks.passed).eq{ "speaker", "speaker" }
  expect(t.emit("speaker.said", { text = "x" })).notified("heard x")
  local boom = t.emit("speaker.said", { text = "boom" })
  expect(boom.failures[1].cause).eq("error")
end)

test("an event that is none is an error", function(t)
  fails(t.emit, "tool_cal").matches("did you mean \"tool_call\"")
  fails(t.emit, "user_prompt").matches("needs the field `prompt`")
  fails(t.emit).matches("needs the name of an event")
  fails(t.emit, "turn_end", 3).matches("a map of fields, not the number 3")
end)

test("nobody is there unless the test says so", function(t)
  expect(bash(t, "confirm x")).denied("not sure")
  expect(#bash(t, "confirm x").asked).eq(0)
  local r = bash(t, "ask Really?")
  expect(r).asked("Really")
  expect(r).denied("headless")
  expect(r.reasons[2].cause).eq("headless")
end)

test("a person answers in order, by the kind of question", function(t)
  t.ui{ confirm = { true, false }, select = { "green", 1, false }, input = { "me" }, editor = { "long" } }
  local yes = bash(t, "confirm this")
  expect(yes).allowed()
  expect(yes).asked("this")
  expect(yes.asked[1]).eq{ hook = "speaker", kind = "confirm", title = "Sure?", message = "this", answer = true }
  expect(bash(t, "ask Go on?")).denied("declined by the person: Go on")
  expect(bash(t, "select").context[1].text).eq("green")
  expect(bash(t, "select").context[1].text).eq("red")
  expect(bash(t, "select").context[1].text).eq("nil")
  expect(bash(t, "input").context[1].text).eq("me/long")
  local left = bash(t, "confirm more")
  expect(left).denied()
  expect(left.asked[1].problem).matches("no `confirm` is left")
  t.ui{ confirm = true }
  expect(bash(t, "ask Now?")).allowed()
  t.headless()
  expect(bash(t, "confirm x")).denied("not sure")
end)

test("a question can be left to somebody outside", function(t)
  t.ui{ defer = true }
  local r = bash(t, "confirm x")
  expect(r.decision).eq("ask")
  expect(r).asked("Sure")
  expect(bash(t, "ask Who?").decision).eq("ask")
end)

test("answers that are none are errors", function(t)
  fails(t.ui, { confirm = { "yes" } }).matches("is true or false, not the text \"yes\"")
  fails(t.ui, { select = { 0 } }).matches("its number from 1")
  fails(t.ui, { confirms = { true } }).matches("did you mean `confirm`")
  fails(t.ui, { defer = true, confirm = { true } }).matches("from outside")
  t.ui{ select = { "blue" } }
  expect(bash(t, "select").asked[1].problem).matches("\"blue\" of t.ui is not among the choices red, green")
end)

test("what hooks tell and send", function(t)
  local r = bash(t, "notify look")
  expect(r).notified("^look$")
  expect(r.notified[1]).eq{ hook = "speaker", text = "look", level = "warn" }
  expect(r.notified[2]).eq{ hook = "speaker", text = "running", status = "build" }
  local sent = bash(t, "send word")
  expect(sent).sent("^word$")
  expect(sent.sent[2]).eq{ hook = "speaker", text = "later word", deliver = "follow_up" }
  expect(#bash(t, "hello").sent).eq(0)
  expect(bash(t, "emit x")).notified("heard x")
end)

test("processes are stubbed, the longest command line wins", function(t)
  t.exec_stub("git", { stdout = "any" })
  t.exec_stub("git status", { stdout = "clean" })
  t.exec_stub("git status --short", { code = 3, stderr = "bad" })
  expect(bash(t, "exec git log").context[1].text).eq("0 false any")
  expect(bash(t, "exec git status").context[1].text).eq("0 false clean")
  expect(bash(t, "exec git status -v").context[1].text).eq("0 false clean")
  expect(bash(t, "exec git status --short -b").context[1].text).eq("3 false bad")
  expect(bash(t, "exec /usr/bin/git log").context[1].text).eq("0 false any")
  expect(bash(t, "exec git statusx").context[1].text).eq("0 false any")
  -- What the hook was not granted is not answered, stubbed or not.
  t.exec_stub("make", {})
  t.exec_stub("cargo", {})
  local refused = bash(t, "exec make all")
  expect(refused).denied("the program make is not granted; the hook's front matter needs `exec: \\[\"make:all\"\\]` under `grants`")
  expect(refused.ran).eq{}
  expect(bash(t, "exec cargo test").context[1].text).eq("0 false ")
  expect(bash(t, "exec cargo publish")).denied("`cargo publish` is not granted")
  t.exec_stub("git", { timed_out = true })
  expect(bash(t, "exec git log").context[1].text).eq("nil true ")
  t.exec_stub("rg", { error = "it is not there" })
  expect(bash(t, "exec rg x")).denied("failed to run rg: it is not there")
  local r = bash(t, "exec gitk x")
  expect(r).denied("the test has no stub for \"gitk x\"")
  expect(r.ran).eq{ "gitk x" }
  fails(t.exec_stub, "").matches("needs a program")
  fails(t.exec_stub, "x", { real = true, stdout = "y" }).matches("take no other keys")
  fails(t.exec_stub, "x", { stdot = "y" }).matches("did you mean `stdout`")
end)

test("a process may be real", function(t)
  t.fs{ ["a/b.txt"] = "from the file" }
  t.exec_stub("cat", { real = true })
  expect(bash(t, "exec cat a/b.txt").context[1].text).eq("0 false from the file")
end)

test("files are of the test's own project", function(t)
  expect(t.fs{ ["x/y/"] = "", ["x/z.txt"] = "1" }).matches("project$")
  fails(t.fs, { ["../x"] = "1" }).matches("not a path inside")
  fails(t.fs, { ["/etc/x"] = "1" }).matches("not a path inside")
  fails(t.fs, { [""] = "1" }).matches("not a path inside")
  fails(t.fs, { ["x/"] = "1" }).matches("is a folder and has no text")
  fails(t.fs, { x = 1 }).matches("is text, not the number 1")
end)

test("the clock is the test's", function(t)
  t.clock(1790000000)
  expect(bash(t, "time").context[1].text).eq("1790000000")
  expect(snaphook.time.now()).eq(1790000000)
  fails(t.clock, "noon").matches("seconds since 1970")
end)

for _, time in { "first", "second" } do
  test(`what hooks keep begins anew in each test, {time}`, function(t)
    expect(bash(t, "count").context[1].text).eq("1 1")
    expect(bash(t, "count").context[1].text).eq("2 2")
    t.load("speaker")
    expect(bash(t, "count").context[1].text).eq("3 3")
  end)
end

test("a hook that does not load is an error, and denies", function(t)
  fails(t.load, "other/broken.luau").matches("other/broken.luau:\\d+: ")
  local r = bash(t, "hello")
  expect(r).denied("did not load")
  expect(r.reasons[1].cause).eq("load")
end)

test("what is not there cannot be loaded", function(t)
  fails(t.load, "nowhere").matches("no hook \"nowhere\" \\(looked for nowhere.lua, nowhere.luau, nowhere.rhai, nowhere\\)")
  fails(t.load, "/etc/passwd.lua").matches("relative to the test file")
  fails(t.load, "../../../../../../../../../../etc/passwd").matches("no hook|leads out of")
  fails(t.load, "speaker.test.lua").matches("is a test, not a hook")
  fails(t.load).matches("needs the path of a hook")
end)

test("values are compared by what they are", function(t)
  expect({ a = { 1, 2, { b = "x" } } }).eq{ a = { 1, 2, { b = "x" } } }
  expect(1).eq(1.0)
  expect({}).eq({})
  expect(nil).eq(nil)
  expect("text 12").matches("\\d+$")
  expect(12).matches("^12$")
  fails(function() expect(1).eq(2) end).matches("expected: 2\n     got: 1")
  fails(function() expect({ 1 }).eq({ 1, 2 }) end).matches("expected: \\[1,2\\]")
  fails(function() expect("a").matches("b") end).matches("text matching /b/")
  fails(function() expect({}).matches("b") end).matches("looks at text, not at a map")
  fails(function() expect("a").matches("(") end).matches("is not a regular expression")
  fails(function() expect(1).allowed() end).matches("is about what an event came to")
  fails(function() expect(1).equals(1) end).matches("expect\\(…\\) has no `equals`")
  fails(function() expect(print) end).matches("is a function")
end)

test("modules of the own folder can be required", function(t)
  expect(require("lib.words").hello).eq("hello")
  fails(require, "../outside").matches("leads out")
end)
