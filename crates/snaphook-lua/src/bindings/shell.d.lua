---@meta

--- Shell text, understood where every shell reads it alike. `docs/shell.md` says what is understood, refused, flagged and opaque.
---@class snaphook.shell
snaphook.shell = {}

-- Rhai: raises an error, `not understood: …`, where Lua gives no list; there is no second result.
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

-- Rhai: up to eight flags, or one array of them.
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
