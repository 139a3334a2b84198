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
---@param options? LoadOptions
function t.load(path, options) end

--- The options of `t.load`.
---@class LoadOptions
---@field scope? "managed"|"user"|"project"|"adhoc" Where the hook is installed.

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

--- Says what a web server answers, without asking it. The longest address that fits decides; `snaphook.http` of an address that
--- has no stub is an error. The hook needs its grant all the same.
---@param url string An address, or the beginning of some: up to a `/`, a `?` or the end.
---@param response HttpStub
function t.http_stub(url, response) end

--- Sets an environment variable of the test. Hooks under test see no others, and these as far as they are granted.
---@param name string The variable's name.
---@param value? string Its value; nothing takes it away.
function t.env(name, value) end

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

--- What a person says in a test. Each list is used up in order; `false` stands for no answer.
---@class TestAnswers
---@field confirm? boolean[] Answers to `ctx.ui.confirm`, and to a gate's `ask`.
---@field select? (string|integer|false)[] Answers to `ctx.ui.select`: the text of a choice, or its number from 1.
---@field input? (string|false)[] Answers to `ctx.ui.input`.
---@field editor? (string|false)[] Answers to `ctx.ui.editor`.
---@field defer? boolean True leaves every question to somebody outside, as `snaphook check --ui defer` does.

--- What a stubbed process comes to.
---@class ExecStub
---@field stdout? string What it writes to standard output.
---@field stderr? string What it writes to standard error.
---@field code? integer Its exit code. Default: 0.
---@field signal? integer The signal that ends it.
---@field timed_out? boolean Whether the time was up.
---@field error? string Why it cannot be started.
---@field real? boolean True lets the real program run.

--- What a stubbed web server answers.
---@class HttpStub
---@field status? integer The status. Default: 200.
---@field headers? table<string, string> Header fields.
---@field body? string The text. Default: empty.
---@field error? string Why it cannot be reached.

--- What hooks made of an event. What does not belong to the event is nothing, like the `content` of a tool call.
---@class Outcome
---@field outcome integer The number of this outcome in its test.
---@field event string The event's name.
---@field decision "allow"|"ask"|"deny" What was decided, where the event is gated.
---@field reasons OutcomeReason[] Every reason, in the order of the hooks.
---@field input any The input that would run, or the fields of another event.
---@field original_input any The same as it came.
---@field content string The result's text as the model sees it.
---@field details? any The result's details.
---@field is_error boolean Whether the result counts as a failure.
---@field rewritten boolean Whether a hook changed what the event carries.
---@field hold? table<string, any> What the command may touch while it runs: the directives of all hooks, combined.
---@field withheld? string Why nothing of a result, or of what a server said, is shown.
---@field context OutcomeText[] Texts for the model.
---@field continue_with OutcomeText[] Texts to go on with.
---@field terminate boolean Whether the agent is told to stop altogether.
---@field asked OutcomeQuestion[] What the person was asked.
---@field notified OutcomeText[] What the person was told.
---@field sent OutcomeText[] Texts that were handed to the agent.
---@field ran string[] The command lines of the processes that hooks ran.
---@field fetched OutcomeFetch[] What hooks asked web servers for.
---@field checks OutcomeChecks What became of the checks.
---@field failures OutcomeFailure[] Handlers that failed.

--- What one hook said.
---@class OutcomeReason
---@field hook? string The hook's id; nothing where the host itself says it.
---@field file? string The file of the handler.
---@field line? integer The line of the handler.
---@field verdict string What the handler said: `"allow"`, `"ask"` or `"deny"`.
---@field reason string Why.
---@field cause? string What kind of failure it was, where it was one.

--- A text from a hook.
---@class OutcomeText
---@field hook string The hook's id.
---@field text string The text.
---@field level? string How much it matters, of a notice.
---@field status? string What it is about, of a status.
---@field deliver? string When the agent gets it, of a text that was handed to it.

--- A question to the person.
---@class OutcomeQuestion
---@field hook? string The hook's id; nothing where the host asks.
---@field kind string What was asked for: `"confirm"`, `"select"`, `"input"` or `"editor"`.
---@field title string The question.
---@field message? string More about it.
---@field options? string[] What there was to choose from.
---@field initial? string What stood there to begin with.
---@field answer? any What the person said.
---@field problem? string Why there was no answer.

--- A request to a web server.
---@class OutcomeFetch
---@field method string `"GET"` or `"POST"`.
---@field url string The address.
---@field headers table<string, string> Header fields, names in lower case.
---@field body? string What was sent.

--- What became of the checks of `files_changed` or `pre_commit`.
---@class OutcomeChecks
---@field passed string[] The ids of the hooks that passed.
---@field failed OutcomeReason The one that failed; nothing where none did.
---@field pending string[] The ids of the hooks that did not run any more.

--- A handler that failed.
---@class OutcomeFailure
---@field hook? string The hook's id.
---@field file? string The file of the handler.
---@field line? integer The line.
---@field event? string The event's name.
---@field cause? string What kind of failure it was.
---@field message string What happened.
---@field traceback? string The script's call stack.

--- Begins an expectation about an outcome or any other value. What does not hold is an error with both sides.
---@param subject any The outcome, or a value.
---@return Expectation expectation
function expect(subject) end

--- What `expect` gives. Patterns are regular expressions as in `snaphook.regex`, looked for anywhere in the text.
---@class Expectation
local expectation = {}

--- The call may run.
function expectation.allowed() end

--- The call is denied.
---@param reason? string A pattern that a reason of the denial matches.
function expectation.denied(reason) end

--- The person was asked.
---@param question? string A pattern that a question matches.
function expectation.asked(question) end

--- The input has these values under these keys; it may have others.
---@param values table<string, any>
function expectation.input(values) end

--- The result's text matches.
---@param pattern string The pattern.
function expectation.content(pattern) end

--- The person was told something.
---@param text? string A pattern that a notice matches.
function expectation.notified(text) end

--- A text was handed to the agent.
---@param text? string A pattern that a text matches.
function expectation.sent(text) end

--- The value equals another, with all that is in it.
---@param value any The other value.
function expectation.eq(value) end

--- The text matches.
---@param pattern string The pattern.
function expectation.matches(pattern) end
