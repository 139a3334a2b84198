---@meta

-- Written by `snaphook types`. Do not edit; run it again after an update of Snaphook.

--- Which calls a handler wants to see; all keys have to match. It is looked at before the script is entered.
---@class ToolMatcher
---@field tool? Tool|Tool[] The canonical name, or a pattern like `"mcp__github__*"`. `"mcp"` is every MCP tool.
---@field path? string|string[] Files that the call names, as in `.gitignore`.
---@field writes? string|string[] The same, for files that the call may write.
---@field command? string The command line, as a regular expression.

--- Which changes a handler wants to see.
---@class PathMatcher
---@field path? string|string[] Files, as in `.gitignore`.

--- A tool's canonical name, the same in every agent: `bash`, `read`, `write`, `edit`, `glob`, `grep`, `web_fetch`, `web_search`, `task`,
--- `todo`, `notebook`, `mcp__SERVER__TOOL`.
---@alias Tool string

--- The second argument of every handler: where and for whom it runs, and its ways to the world.
---@class ctx
---@field state Keep Values that are kept for this session.
---@field store Keep Values that are kept on disk.
---@field cwd string The working directory of the session.
---@field project_root string The project's folder.
---@field session_id string The session's id.
---@field session_path? string The session's file, where the agent keeps one.
---@field agent string The agent's name.
---@field scope "managed"|"user"|"project"|"adhoc" Where this hook was installed.
---@field hook string This hook's id.
---@field has_ui boolean Whether somebody can be asked.
---@field cancelled boolean Whether the answer is still wanted. Only a script that computes for long has to look.
local ctx = {}

--- Hands a text to the agent.
---@param text string The text, at most 64 KiB.
---@param options? SendOptions
function ctx.send(text, options) end

--- The options of `ctx.send`.
---@class SendOptions
---@field deliver? "now"|"next_turn"|"follow_up" When the agent gets the text: after the running tool calls, with the next turn (the default), or as a prompt of its own when it has ended its work.

--- Tells all hooks of an event of your own, and waits for their handlers.
---@param name string A name with a dot, like `"build.finished"`.
---@param fields? table<string, any> What the event carries.
function ctx.emit(name, fields) end

--- Writes to the log, never to the agent's terminal.
---@param text string The text, of which the first 16 KiB are kept.
---@param level? Level How much it matters. Default: `"info"`.
function ctx.log(text, level) end

--- How much a text matters.
---@alias Level "debug"|"info"|"warn"|"error"

--- Runs a process, without a shell, and waits for it. The waiting costs the script none of its time. A program that is not
--- granted, or not there, is an error.
---@param program string The program's name or path, as under `exec` in the hook's grants. A path is meant from the project's root.
---@param args? (string|number)[] Its arguments, each one word.
---@param options? ExecOptions
---@return ExecResult result
function ctx.exec(program, args, options) end

--- The options of `ctx.exec`.
---@class ExecOptions
---@field timeout? number Seconds after which it is ended. Default: 60.
---@field cwd? string Its working directory. Default: `ctx.cwd`.
---@field env? table<string, string|number> Variables that are added to its environment. Each has to stand under `env` in the grants.
---@field stdin? string What it reads. Default: nothing.

--- What a process came to.
---@class ExecResult
---@field stdout string What it wrote to standard output.
---@field stderr string What it wrote to standard error.
---@field code? integer Its exit code; nothing where it was ended by a signal.
---@field signal? integer The signal that ended it.
---@field timed_out boolean Whether the time was up.
---@field truncated boolean Whether it wrote more than is kept.

--- Asks and tells the person. Where nobody is, questions get no answer and notices go to the log, so the same script runs
--- with and without a person. `docs/guide.md` has the table.
---@class ctx.ui
ctx.ui = {}

--- Asks for a yes.
---@param title string The question.
---@param message? string More about it.
---@return boolean yes False also where nobody is there.
function ctx.ui.confirm(title, message) end

--- Lets the person choose.
---@param title string The question.
---@param options string[] What to choose from, at least one.
---@return string? choice The option; nothing where none was chosen or nobody is there.
function ctx.ui.select(title, options) end

--- Asks for a line of text.
---@param title string The question.
---@param initial? string What stands there to begin with.
---@return string? text Nothing where the person gave none or nobody is there.
function ctx.ui.input(title, initial) end

--- Asks for a longer text, in an editor.
---@param title string The question.
---@param initial? string What stands there to begin with.
---@return string? text Nothing where the person gave none or nobody is there.
function ctx.ui.editor(title, initial) end

--- Tells the person something.
---@param text string The text, at most 64 KiB.
---@param level? Level How much it matters. Default: `"info"`.
function ctx.ui.notify(text, level) end

--- Shows a short text for as long as it is true. A later text under the same key replaces it.
---@param key string What the text is about.
---@param text? string The text; nothing takes it away.
function ctx.ui.set_status(key, text) end

--- Values by key, each hook its own: `ctx.state` for the session, `ctx.store` on disk for good. Values are copies: change
--- one, then `set` it again. Each of the two holds 1 MiB.
---@class Keep
local Keep = {}

--- The value of a key.
---@param key string The key.
---@param default? any What to give where the key has no value.
---@return any value
function Keep.get(key, default) end

--- Sets the value of a key.
---@param key string The key.
---@param value any What can be written as JSON. Nothing deletes the key.
function Keep.set(key, value) end

--- Takes a key away.
---@param key string The key.
function Keep.delete(key) end

--- The keys that have values.
---@return string[] keys
function Keep.keys() end

--- What every script has, while it loads and in handlers.
---@class snaphook
---@field version string The version of Snaphook, as in `0.1.0`.
snaphook = {}

--- Environment variables. Each has to stand under `env` in the hook's grants; any other is an error.
---@class snaphook.env
snaphook.env = {}

--- The value of a variable; the default, or nothing, where it is not set.
---@param name string The variable's name.
---@param default? string What is given where it is not set.
---@return string? value
function snaphook.env.get(name, default) end

--- Files. What is read has to stand under `read` in the hook's grants, what is changed under `write`; both count where the path
--- leads when links are followed, too. A path is meant from the project's root; `~/…` and absolute ones work. Snaphook's own
--- files (hooks, settings, trust, state) cannot be changed. What fails is an error with the path and the reason.
---@class snaphook.fs
snaphook.fs = {}

--- What stands at a path.
---@class FileStat
---@field kind string `file`, `folder`, or `other` for what is neither.
---@field size integer The size in bytes.
---@field modified number When it was changed last, in seconds since 1970.

--- The text of a file, up to 4 MiB. Other than UTF-8 is an error.
---@param path string The file.
---@return string text
function snaphook.fs.read(path) end

--- Whether there is something. A link that leads nowhere is nothing. Needs `read`.
---@param path string The file or folder.
---@return boolean exists
function snaphook.fs.exists(path) end

--- What is there. Needs `read`.
---@param path string The file or folder.
---@return FileStat? stat Nothing where there is nothing.
function snaphook.fs.stat(path) end

--- The names in a folder, in order, up to 10000. The folder has to be granted itself (`docs/`) or with all in it (`docs/**`); names that
--- are not granted are left out.
---@param path string The folder.
---@return string[] names
function snaphook.fs.list(path) end

--- Replaces the text of a file, or makes the file. Others see the old text or the new one, never a part; the mode is kept. Up to 4 MiB.
---@param path string The file, in a folder that is there.
---@param text string The text.
function snaphook.fs.write(path, text) end

--- Adds to the text of a file, or makes the file. One with a second name (a hard link) is an error.
---@param path string The file.
---@param text string What is added, up to 4 MiB.
function snaphook.fs.append(path, text) end

--- Takes away a file or an empty folder. Of a link, the link.
---@param path string The file or folder.
function snaphook.fs.remove(path) end

--- Makes a folder, with those above it. One that is there already is fine.
---@param path string The folder. Each that is made has to be granted.
function snaphook.fs.make_dir(path) end

--- Patterns over paths, as in `.gitignore`.
---@class snaphook.glob
snaphook.glob = {}

--- Whether a path matches. A pattern without a slash matches at any depth, one with a slash from the project's root, one that
--- ends in a slash a folder with all in it. `!` takes back what earlier patterns matched, and the last one that matches decides.
---@param patterns string|string[] One pattern or several, like `"*.sql"`, `"/src/**"`, `"secrets/"`, `"!public.pem"`.
---@param path string The path.
---@return boolean matches
function snaphook.glob.matches(patterns, path) end

--- Web servers that the hook's grants name under `net`: https and http, at their own ports unless the grant has another. Waiting for
--- an answer costs the script none of its time. Only handlers can ask.
---@class snaphook.http
snaphook.http = {}

--- Asks for an address. A server that cannot be reached, an answer of more than 4 MiB and one that is not there in time are
--- errors; a status like 404 is none. At most 5 redirects are followed, each to what is granted as well.
---@param url string The address.
---@param options? HttpOptions
---@return HttpResponse response
function snaphook.http.get(url, options) end

--- Sends a text to an address; for other values there is `snaphook.json.encode`. The rest is as for `get`.
---@param url string The address.
---@param body string What is sent, at most 4 MiB.
---@param options? HttpOptions
---@return HttpResponse response
function snaphook.http.post(url, body, options) end

--- The options of `snaphook.http`.
---@class HttpOptions
---@field headers? table<string, string|number> Header fields. The default content type of a body is `text/plain; charset=utf-8`.
---@field timeout? number Seconds for the whole exchange, at most 300. Default: 30.

--- What a web server answered.
---@class HttpResponse
---@field status integer The status, like 200.
---@field headers table<string, string> Header fields, names in lower case; repeated ones are joined by `, `.
---@field body string The text. What is not UTF-8 is replaced by U+FFFD.
---@field url string The address that answered, after redirects.

--- JSON text to values and back.
---@class snaphook.json
---@field null Null JSON's null. A field that holds it is there, a field that holds nothing is not.
snaphook.json = {}

--- JSON's null: `snaphook.json.null` in Lua; `snaphook::json::null` in Rhai is `()`.
---@class Null

--- Writes a value as JSON. A function, a cycle or more than 128 levels are errors.
---@param value any What to write.
---@param pretty? boolean True for indented lines.
---@return string text The JSON.
function snaphook.json.encode(value, pretty) end

--- Reads JSON. Text that is none, or more than 4 MiB of it, is an error.
---@param text string The JSON.
---@return any value What it says.
function snaphook.json.decode(text) end

--- Marks a list as one, so that an empty one is written `[]` and not `{}`.
---@param list any[] The list.
---@return any[] list The same list.
function snaphook.json.array(list) end

--- Paths as text. Nothing is looked up on disk, so links are not followed.
---@class snaphook.path
snaphook.path = {}

--- Puts parts together, with one `/` between them. An absolute part starts afresh.
---@param ... string The parts.
---@return string path
function snaphook.path.join(...) end

--- Removes `.`, `..` and doubled slashes, as far as the text alone allows.
---@param path string The path.
---@return string path
function snaphook.path.normalize(path) end

--- The file that a path means, seen from a folder; normalized.
---@param base string The folder, for example `ctx.cwd`.
---@param path string The path. An absolute one is kept.
---@return string path
function snaphook.path.resolve(base, path) end

--- The way from a folder to a path.
---@param path string The path.
---@param base string The folder.
---@return string? path Nothing where there is no way, as from a relative path to an absolute one.
function snaphook.path.relative(path, base) end

--- Whether a path is a folder or lies below it. Compare resolved paths.
---@param path string The path.
---@param folder string The folder.
---@return boolean inside
function snaphook.path.is_inside(path, folder) end

--- Whether a path starts at a root.
---@param path string The path.
---@return boolean absolute
function snaphook.path.is_absolute(path) end

--- The last part of a path; empty for the root.
---@param path string The path.
---@return string name
function snaphook.path.basename(path) end

--- A path without its last part.
---@param path string The path.
---@return string folder
function snaphook.path.dirname(path) end

--- What stands behind the last dot of the last part, without the dot; empty if there is none.
---@param path string The path.
---@return string extension
function snaphook.path.extension(path) end

--- Regular expressions that take linear time, in the syntax of Rust's crate `regex`: no look-around, no back-references. They
--- match anywhere in the text unless `^` and `$` say otherwise. A pattern that is not valid is an error.
---@class snaphook.regex
snaphook.regex = {}

--- What a pattern matched.
---@class RegexMatch
---@field text string The text that matched.
---@field groups (string|false)[] The texts of the pattern's groups, in order; false for one that took no part.
---@field names table<string, string> The texts of the groups that have names and took part.

--- Whether a pattern matches.
---@param pattern string The regular expression.
---@param text string Where to look.
---@return boolean matches
function snaphook.regex.matches(pattern, text) end

--- The first match.
---@param pattern string The regular expression.
---@param text string Where to look.
---@return RegexMatch? match Nothing where the pattern does not match.
function snaphook.regex.find(pattern, text) end

--- All matches, from left to right, without overlaps.
---@param pattern string The regular expression.
---@param text string Where to look.
---@param limit? integer How many at most. Default: 1000.
---@return RegexMatch[] matches
function snaphook.regex.find_all(pattern, text, limit) end

--- The text with each match replaced.
---@param pattern string The regular expression.
---@param text string Where to look.
---@param by string What stands for a match: `$1` or `${name}` is a group, `$$` a dollar.
---@return string text
function snaphook.regex.replace(pattern, text, by) end

--- A pattern that matches exactly this text.
---@param text string The text.
---@return string pattern
function snaphook.regex.escape(text) end

--- Shell text, understood where every shell reads it alike. `docs/shell.md` says what is understood, refused, flagged and opaque.
---@class snaphook.shell
snaphook.shell = {}

--- The commands that a shell text would run, also those inside of substitutions, functions, `bash -c`, `sudo`, `xargs`.
--- Block where there is no list: what you cannot read you cannot check.
---@param text string The command line.
---@param options? ShellOptions The shell that reads it; give `event.shell`.
---@return ShellCommand[]? commands The commands in the order of the text; nothing where the text cannot be understood.
---@return string problem Why the text cannot be understood.
function snaphook.shell.commands(text, options) end

--- Options of `snaphook.shell.commands`.
---@class ShellOptions
---@field shell? "bash"|"sh" `"bash"` (the default) for an agent's own shell, which is bash, zsh or ksh; `"sh"` for `/bin/sh`.

--- A word as a shell text that stands for exactly it.
---@param word string The word.
---@return string text
function snaphook.shell.quote(word) end

--- One command that would run.
---@class ShellCommand
---@field name Word The program's name without its folder, like `rm` for `/bin/rm`.
---@field path Word The program as it was written.
---@field args Word[] The arguments, without quotes.
---@field assignments table<string, Word> Variables that are set for this command, like `X` in `X=1 make`.
---@field redirects Redirect[] Where input comes from and output goes.
---@field via string[] The wrappers around it, outermost first, like `sudo` and `xargs`.
---@field dynamic boolean What runs is not known before it runs, as with `$X` or `curl … | sh`. Ask or block.
---@field opaque? Opaque Set where the command does what its words do not show: it runs code, a file, or what a setting names.
---@field text string The command as it was written.
---@field line integer Its line in the text, from 1.
---@field column integer Its column in the line, from 1.
local ShellCommand = {}

--- Whether all of these flags are given, alone or bundled (`-rf`), short or long (`r` also means `--recursive` where it is known).
---@param ... string Flags without dashes.
---@return boolean given
function ShellCommand:has_flags(...) end

--- A word of a command. One whose value is known is a text; one that depends on something outside (`$FILE`, `*.rs`, `~`) is not.
---@alias Word string|UnknownWord

--- A word whose value is known only when the command runs. It equals no text.
---@class UnknownWord
---@field unknown true Always true.
---@field text string The word as it was written.
---@field prefix string What is known of its beginning.
---@field many boolean Whether it may become no word, or several: `$FILES` without quotes, `*.rs`, `"$@"`.

--- How a command does what its words do not show.
---@class Opaque
---@field kind "code"|"file"|"config"|"path" Code (`python3 -c`, `awk`), a file that is run (`sh s`, `./x`), what an option, a setting or a variable names (`git -c`, `EDITOR=…`), a changed `PATH`.
---@field language? string The code's language, like `python`, `perl`, `node`, `awk`, `sed`, `shell`, `make`, `sql`; nothing where it is not known.
---@field code? string The code; nothing where the text does not hold it or its value is not known.
---@field file? Word The file that is run, where the text names one.
---@field written boolean Whether the same text writes, downloads or makes executable what is run.

--- A redirect of a command.
---@class Redirect
---@field fd? integer The descriptor, where the redirect names or implies one.
---@field target Word The file.
---@field read boolean Whether the file is read.
---@field write boolean Whether it is written.
---@field append boolean Whether it is only written at its end.

--- The host's clock. Times are seconds since 1970-01-01 00:00 UTC, with fractions.
---@class snaphook.time
snaphook.time = {}

--- The time.
---@return number seconds
function snaphook.time.now() end

--- A time as text, like `2026-02-03T04:05:06Z`, in UTC.
---@param seconds? number The time. Default: now.
---@return string text
function snaphook.time.iso(seconds) end

--- Reads a time with its zone, like `2026-02-03T04:05:06+01:00`. Anything else is an error.
---@param text string The text.
---@return number seconds
function snaphook.time.parse(text) end

--- Writes to the log, as `ctx.log` does.
---@param ... any The values, parted by tabs.
function print(...) end

--- Runs another file of the same folder hook, once, and gives what it returns. Nothing outside of the folder can be reached.
---@param name string The file without its extension, like `"words"`, `"./words"` or `"lib/words"`.
---@return any module
function require(name) end

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

--- The host has loaded its hooks.
---@class StartupEvent
---@field name "startup" The event's name.

--- What a handler of `startup` may return.
---@class NoticeAnswer
---@field context? string Text for the model.

--- A session starts, is switched to, or is cleared.
---@class SessionEvent
---@field name "session" The event's name.
---@field reason "start"|"switch"|"clear" What happened.
---@field session_path? string The session's file.
---@field previous_session_path? string The file of the session that was left.

--- A session starts.
---@class SessionStartEvent
---@field name "session_start" The event's name.
---@field session_path? string The session's file.

--- A session ends.
---@class SessionEndEvent
---@field name "session_end" The event's name.
---@field session_path? string The session's file.
---@field reason? string Why it ends.

--- The conversation is about to be compacted.
---@class SessionBeforeCompactEvent
---@field name "session_before_compact" The event's name.
---@field trigger? "manual"|"auto" Who asked for it.
---@field instructions? string What the person asked the summary to keep.

--- What a handler of `session_before_compact` may return.
---@class SessionBeforeCompactAnswer
---@field block? boolean True denies.
---@field reason? string Why, for the model and the person.
---@field ask? string A question for the person; a no denies.
---@field allow? boolean True: no objection from this hook.
---@field context? string Text for the model.

--- The conversation was compacted.
---@class SessionCompactEvent
---@field name "session_compact" The event's name.
---@field trigger? "manual"|"auto" Who asked for it.
---@field summary? string The summary.

--- The person sent a prompt.
---@class UserPromptEvent
---@field name "user_prompt" The event's name.
---@field prompt string What the person wrote.

--- What a handler of `user_prompt` may return.
---@class UserPromptAnswer
---@field block? boolean True denies.
---@field reason? string Why, for the model and the person.
---@field ask? string A question for the person; a no denies.
---@field allow? boolean True: no objection from this hook.
---@field prompt? string The prompt, rewritten.
---@field context? string Text for the model.

--- The agent begins to work on a prompt.
---@class AgentStartEvent
---@field name "agent_start" The event's name.
---@field prompt? string What the person wrote.

--- The agent has ended its work on a prompt.
---@class AgentEndEvent
---@field name "agent_end" The event's name.
---@field last_message? string The last text of the agent.

--- What a handler of `agent_end` may return.
---@class EndAnswer
---@field context? string Text for the model.
---@field continue_with? string Go on working, with this text; three times a prompt at most.

--- The agent's work on a prompt failed.
---@class AgentErrorEvent
---@field name "agent_error" The event's name.
---@field error string What failed.

--- A model turn begins.
---@class TurnStartEvent
---@field name "turn_start" The event's name.
---@field turn_index integer The turn's number in the session, from 0.

--- A model turn, with its tool calls, has ended.
---@class TurnEndEvent
---@field name "turn_end" The event's name.
---@field turn_index integer The turn's number in the session, from 0.

--- The messages that go to the model are complete.
---@class ContextEvent
---@field name "context" The event's name.
---@field messages any[] The messages, in the agent's own form.

--- What a handler of `context` may return.
---@class ContextAnswer
---@field messages? any[] The messages, rewritten.
---@field context? string Text for the model.

--- A request is about to go to the model.
---@class ModelRequestEvent
---@field name "model_request" The event's name.
---@field model? string The model's name.
---@field system? string The system prompt.
---@field messages any[] The messages, in the agent's own form.
---@field params? table<string, any> Sampling parameters, in the agent's own form.

--- What a handler of `model_request` may return.
---@class ModelRequestAnswer
---@field model? string The model's name.
---@field system? string The system prompt.
---@field messages? any[] The messages, rewritten.
---@field params? table<string, any> Sampling parameters, in the agent's own form.

--- The model has answered.
---@class ModelResponseEvent
---@field name "model_response" The event's name.
---@field model? string The model's name.
---@field content? any What the model said.
---@field usage? table<string, any> Tokens used.

--- A tool is about to run.
---@class ToolCallEvent
---@field name "tool_call" The event's name.
---@field id string The call's id.
---@field tool string Canonical tool name.
---@field native_tool string The agent's own tool name.
---@field input any The agent's own input, as rewritten so far.
---@field command? string The shell command line.
---@field shell? "bash"|"sh" The shell that reads the command line, for snaphook.shell.commands.
---@field paths string[] Every file that the call names, as written.
---@field content? string The text that would be written.
---@field url? string The address that would be fetched.
---@field subagent? string The subagent that makes the call.

--- The same behind a matcher, which says what the call has.
---@class MatchedToolCallEvent: ToolCallEvent
---@field command string The shell command line.
---@field content string The text that would be written.
---@field url string The address that would be fetched.

--- What a handler of `tool_call` may return.
---@class CallAnswer
---@field block? boolean True denies.
---@field reason? string Why, for the model and the person.
---@field ask? string A question for the person; a no denies.
---@field allow? boolean True: no objection from this hook.
---@field input? table<string, any> The whole input, rewritten.
---@field command? string The command line, rewritten.
---@field path? string The one path, rewritten.
---@field content? string The text to write, rewritten.
---@field url? string The address, rewritten.
---@field hold? table<string, any> What the command may touch while it runs, held by the kernel.
---@field context? string Text for the model.
---@field terminate? boolean With a block: the agent should stop altogether.

--- A tool has run, well or not. With `on_failure: withhold` in its front matter, a hook that fails keeps the result back.
---@class ToolResultEvent
---@field name "tool_result" The event's name.
---@field id string The call's id.
---@field tool string Canonical tool name.
---@field native_tool string The agent's own tool name.
---@field input any The input that ran.
---@field original_input any The input as the agent sent it.
---@field command? string The shell command line.
---@field shell? "bash"|"sh" The shell that reads the command line, for snaphook.shell.commands.
---@field paths string[] Every file that the call names, as written.
---@field url? string The address that was fetched.
---@field subagent? string The subagent that made the call.
---@field content string The result's text, as rewritten so far.
---@field details? any What the tool says beside the text.
---@field is_error boolean Whether the tool failed.

--- The same behind a matcher, which says what the call has.
---@class MatchedToolResultEvent: ToolResultEvent
---@field command string The shell command line.
---@field url string The address that was fetched.

--- What a handler of `tool_result` may return.
---@class ToolResultAnswer
---@field content? string The result's text, rewritten.
---@field details? any The details, rewritten.
---@field is_error? boolean Whether the result counts as a failure.
---@field context? string Text for the model.

--- The agent itself wants to ask its person about a tool call.
---@class PermissionRequestEvent
---@field name "permission_request" The event's name.
---@field id string The call's id.
---@field tool string Canonical tool name.
---@field native_tool string The agent's own tool name.
---@field input any The agent's own input, as rewritten so far.
---@field command? string The shell command line.
---@field shell? "bash"|"sh" The shell that reads the command line, for snaphook.shell.commands.
---@field paths string[] Every file that the call names, as written.
---@field content? string The text that would be written.
---@field url? string The address that would be fetched.
---@field subagent? string The subagent that makes the call.

--- The same behind a matcher, which says what the call has.
---@class MatchedPermissionRequestEvent: PermissionRequestEvent
---@field command string The shell command line.
---@field content string The text that would be written.
---@field url string The address that would be fetched.

--- The agent notifies its person.
---@class NotificationEvent
---@field name "notification" The event's name.
---@field message string The text.
---@field kind? string The agent's own kind.
---@field title? string Its title.

--- A subagent starts.
---@class SubagentStartEvent
---@field name "subagent_start" The event's name.
---@field subagent string The subagent's id or name.
---@field prompt? string Its task.

--- A subagent has ended.
---@class SubagentEndEvent
---@field name "subagent_end" The event's name.
---@field subagent string The subagent's id or name.
---@field last_message? string The last text of the agent.

--- Files changed since the last check, seen after the agent's turn.
---@class FilesChangedEvent
---@field name "files_changed" The event's name.
---@field files string[] Paths, relative to the project.

--- What a handler of `files_changed` may return.
---@class CheckAnswer
---@field fail? boolean True: the check failed.
---@field reason? string Why, for the model and the person.

--- A git commit is about to be made.
---@class PreCommitEvent
---@field name "pre_commit" The event's name.
---@field files string[] Paths, relative to the project.

--- An iteration of an agent loop starts.
---@class IterationStartEvent
---@field name "iteration_start" The event's name.
---@field iteration integer The iteration's number, from 1.

--- An iteration of an agent loop has ended.
---@class IterationEndEvent
---@field name "iteration_end" The event's name.
---@field iteration integer The iteration's number, from 1.
---@field last_message? string The last text of the agent.

--- An iteration of an agent loop failed.
---@class IterationErrorEvent
---@field name "iteration_error" The event's name.
---@field iteration integer The iteration's number, from 1.
---@field error string What failed.

--- The host is about to go.
---@class ShutdownEvent
---@field name "shutdown" The event's name.
---@field reason? string Why it ends.

--- What a handler of `shutdown` may return.
---@class NoAnswer

--- An MCP server has listed its tools, or a page of them.
---@class McpToolsListEvent
---@field name "mcp.tools_list" The event's name.
---@field server string The server's name, as in `mcp__SERVER__TOOL`.
---@field tools any[] The tools as the server describes them, as rewritten so far.

--- What a handler of `mcp.tools_list` may return.
---@class McpToolsListAnswer
---@field tools? any[] The tools that the client is shown: one that is left out is hidden; of the others only `description` can be changed.

--- An MCP server says something that no `tool_result` handler is shown. With `on_failure: withhold` in its front matter, a hook that fails keeps the message back.
---@class McpServerMessageEvent
---@field name "mcp.server_message" The event's name.
---@field server string The server's name, as in `mcp__SERVER__TOOL`.
---@field method string The method of the request that is answered, or the message's own.
---@field kind "result"|"error"|"notification"|"request" An answer to the client, a notice, or a request of the server's own.
---@field texts string[] Each text of the message in order, keys that are not the protocol's own among them, as rewritten so far.
---@field binary any[] What is written in base64, as `{mime_type, bytes}`; its content cannot be read.

--- What a handler of `mcp.server_message` may return.
---@class McpServerMessageAnswer
---@field texts? string[] The texts that the client gets: as many, in the same order.
---@field block? boolean True: the client does not get the message.
---@field reason? string With a block: why, for the client and the log; may not quote the message.

--- A resource of an MCP server is about to be read.
---@class McpResourceReadEvent
---@field name "mcp.resource_read" The event's name.
---@field server string The server's name, as in `mcp__SERVER__TOOL`.
---@field uri string The resource's address.

--- What a handler of `mcp.resource_read` may return.
---@class McpResourceReadAnswer
---@field block? boolean True denies.
---@field reason? string Why, for the model and the person.
---@field ask? string A question for the person; a no denies.
---@field allow? boolean True: no objection from this hook.
---@field context? string Text for the model.

--- A prompt of an MCP server is about to be fetched.
---@class McpPromptGetEvent
---@field name "mcp.prompt_get" The event's name.
---@field server string The server's name, as in `mcp__SERVER__TOOL`.
---@field prompt string The prompt's name.
---@field arguments table<string, any> The prompt's arguments.

--- What a handler of `mcp.prompt_get` may return.
---@class McpPromptGetAnswer
---@field block? boolean True denies.
---@field reason? string Why, for the model and the person.
---@field ask? string A question for the person; a no denies.
---@field allow? boolean True: no objection from this hook.
---@field context? string Text for the model.

--- Registers a handler while the script loads. The handler gets the event and `ctx`, and may return an answer; returning nothing means that it has nothing to say.
--- An event of your own is written `on("build.finished" --[[@as any]], handler)`.
---@param event "startup"
---@param handler fun(event: StartupEvent, ctx: ctx): NoticeAnswer?
---@overload fun(event: "session", handler: fun(event: SessionEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "session_start", handler: fun(event: SessionStartEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "session_end", handler: fun(event: SessionEndEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "session_before_compact", handler: fun(event: SessionBeforeCompactEvent, ctx: ctx): SessionBeforeCompactAnswer?)
---@overload fun(event: "session_compact", handler: fun(event: SessionCompactEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "user_prompt", handler: fun(event: UserPromptEvent, ctx: ctx): UserPromptAnswer?)
---@overload fun(event: "agent_start", handler: fun(event: AgentStartEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "agent_end", handler: fun(event: AgentEndEvent, ctx: ctx): EndAnswer?)
---@overload fun(event: "agent_error", handler: fun(event: AgentErrorEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "turn_start", handler: fun(event: TurnStartEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "turn_end", handler: fun(event: TurnEndEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "context", handler: fun(event: ContextEvent, ctx: ctx): ContextAnswer?)
---@overload fun(event: "model_request", handler: fun(event: ModelRequestEvent, ctx: ctx): ModelRequestAnswer?)
---@overload fun(event: "model_response", handler: fun(event: ModelResponseEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "tool_call", handler: fun(event: ToolCallEvent, ctx: ctx): CallAnswer?)
---@overload fun(event: "tool_call", matcher: ToolMatcher, handler: fun(event: MatchedToolCallEvent, ctx: ctx): CallAnswer?)
---@overload fun(event: "tool_result", handler: fun(event: ToolResultEvent, ctx: ctx): ToolResultAnswer?)
---@overload fun(event: "tool_result", matcher: ToolMatcher, handler: fun(event: MatchedToolResultEvent, ctx: ctx): ToolResultAnswer?)
---@overload fun(event: "permission_request", handler: fun(event: PermissionRequestEvent, ctx: ctx): CallAnswer?)
---@overload fun(event: "permission_request", matcher: ToolMatcher, handler: fun(event: MatchedPermissionRequestEvent, ctx: ctx): CallAnswer?)
---@overload fun(event: "notification", handler: fun(event: NotificationEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "subagent_start", handler: fun(event: SubagentStartEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "subagent_end", handler: fun(event: SubagentEndEvent, ctx: ctx): EndAnswer?)
---@overload fun(event: "files_changed", handler: fun(event: FilesChangedEvent, ctx: ctx): CheckAnswer?)
---@overload fun(event: "files_changed", matcher: PathMatcher, handler: fun(event: FilesChangedEvent, ctx: ctx): CheckAnswer?)
---@overload fun(event: "pre_commit", handler: fun(event: PreCommitEvent, ctx: ctx): CheckAnswer?)
---@overload fun(event: "pre_commit", matcher: PathMatcher, handler: fun(event: PreCommitEvent, ctx: ctx): CheckAnswer?)
---@overload fun(event: "iteration_start", handler: fun(event: IterationStartEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "iteration_end", handler: fun(event: IterationEndEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "iteration_error", handler: fun(event: IterationErrorEvent, ctx: ctx): NoticeAnswer?)
---@overload fun(event: "shutdown", handler: fun(event: ShutdownEvent, ctx: ctx))
---@overload fun(event: "mcp.tools_list", handler: fun(event: McpToolsListEvent, ctx: ctx): McpToolsListAnswer?)
---@overload fun(event: "mcp.server_message", handler: fun(event: McpServerMessageEvent, ctx: ctx): McpServerMessageAnswer?)
---@overload fun(event: "mcp.resource_read", handler: fun(event: McpResourceReadEvent, ctx: ctx): McpResourceReadAnswer?)
---@overload fun(event: "mcp.prompt_get", handler: fun(event: McpPromptGetEvent, ctx: ctx): McpPromptGetAnswer?)
function on(event, handler) end
