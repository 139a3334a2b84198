---@meta

--- One test. Only test files (`guard.test.lua`, `guard.test.rhai`) have it; `snaphook test` runs them.
---@param name string What the test is about.
---@param body fun(t: Test) The test. It passes unless it raises an error.
function test(name, body) end

--- What a test drives hooks with. Each test has a host, state, a session and a clock of its own. Its functions are called with
--- a dot.
---@class Test
local t = {}

--- Loads a hook. Without it the hook beside the test file is loaded at the first event.
---@param path string A file or a folder, relative to the test file. Without an extension the test file's own language comes first.
function t.load(path) end

--- Puts a tool call through the gates.
---@param call TestCall
---@return Outcome outcome
function t.tool_call(call) end

--- Puts a tool's result through the hooks.
---@param result TestResult
---@return Outcome outcome
function t.tool_result(result) end

--- Tells the hooks of an event.
---@param event string The event's name: a lifecycle event, or one of your own with a dot.
---@param payload? table<string, any> Its fields.
---@return Outcome outcome
function t.emit(event, payload) end

--- Queues the answers of a person who is there. Each list is used up in order.
---@param answers TestAnswers
function t.ui(answers) end

--- Nobody is there to be asked. So it is unless a test says otherwise.
function t.headless() end

--- Says what a process comes to, without running it. The longest command that fits decides; `ctx.exec` of a program that has
--- no stub is an error.
---@param cmd string A program, or a whole command line like `"git status"`.
---@param result ExecStub
function t.exec_stub(cmd, result) end

--- Makes a scratch project with these files; it is the working directory from then on.
---@param files table<string, string> Texts by path.
---@return string folder Where it is.
function t.fs(files) end

--- Sets the clock.
---@param seconds number Seconds since 1970.
function t.clock(seconds) end

--- A tool call of a test: a tool, and its input or one of the portable fields.
---@class TestCall
---@field tool string The canonical name, like `"bash"`.
---@field command? string The command line.
---@field path? string The file.
---@field content? string The text to write.
---@field url? string The address.
---@field input? table<string, any> The whole input, in place of the portable fields.
---@field agent? string The agent that makes the call.
---@field subagent? string The subagent that makes the call.
---@field id? string The call's id.

--- A tool's result in a test.
---@class TestResult: TestCall
---@field details? any What the tool says beside the text.
---@field is_error? boolean Whether the tool failed.

--- What a person says in a test.
---@class TestAnswers
---@field confirm? boolean[] Answers to `ctx.ui.confirm`, and to a gate's `ask`.
---@field select? string[] Answers to `ctx.ui.select`.
---@field input? string[] Answers to `ctx.ui.input` and `ctx.ui.editor`.

--- What a stubbed process comes to.
---@class ExecStub
---@field stdout? string What it writes to standard output.
---@field stderr? string What it writes to standard error.
---@field code? integer Its exit code, 0 unless told.
---@field real? boolean True lets the real program run.

--- What hooks made of an event.
---@class Outcome
---@field outcome integer The number of this outcome in its test, for `expect`.
---@field event string The event's name.
---@field decision? "allow"|"ask"|"deny" What was decided, where the event is gated.
---@field reasons? OutcomeReason[] Every reason, in the order of the hooks.
---@field input? table<string, any> The input that would run.
---@field original_input? table<string, any> The input as it came.
---@field content? string The result's text as the model sees it.
---@field details? any The result's details.
---@field is_error? boolean Whether the result counts as a failure.
---@field context? string[] Texts for the model.
---@field terminate? boolean Whether the agent is told to stop altogether.
---@field asked? string[] What the person was asked.
---@field notified? string[] What the person was told.
---@field sent? string[] Texts that were handed to the agent.
---@field failures? OutcomeReason[] Handlers that failed.

--- What one hook said.
---@class OutcomeReason
---@field hook string The hook's id.
---@field file? string The file of the handler.
---@field line? integer The line of the handler.
---@field verdict? string What the handler said.
---@field reason string Why.
---@field cause? string What kind of failure it was, where it was one.

--- Begins an expectation about an outcome or any other value. What does not hold is an error with both sides.
---@param subject any The outcome, or a value.
---@return Expectation expectation
function expect(subject) end

--- What `expect` gives. Patterns are regular expressions as in `snaphook.regex`, looked for anywhere in the text.
---@class Expectation
local expectation = {}

--- The call may run, and nobody was asked in vain.
function expectation.allowed() end

--- The call is denied.
---@param reason? string A pattern that one of the reasons matches.
function expectation.denied(reason) end

--- The person was asked.
---@param question? string A pattern that one of the questions matches.
function expectation.asked(question) end

--- The input has these values under these keys; it may have others.
---@param values table<string, any>
function expectation.input(values) end

--- The result's text matches.
---@param pattern string The pattern.
function expectation.content(pattern) end

--- The person was told something.
---@param text? string A pattern that one of the notices matches.
function expectation.notified(text) end

--- A text was handed to the agent.
---@param text? string A pattern that one of the texts matches.
function expectation.sent(text) end

--- The value equals another, with all that is in it.
---@param value any The other value.
function expectation.eq(value) end

--- The text matches.
---@param pattern string The pattern.
function expectation.matches(pattern) end
