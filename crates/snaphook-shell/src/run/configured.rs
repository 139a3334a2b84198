//! Programs that run files or other programs by rules of their own, and how their words tell it: build tools, archivers, and
//! whatever has an option for it. What they do is opaque; where nothing is certain it is dynamic.

use super::{
    Call, Item, Opaque, OpaqueKind, Reader, Res, code, config, emit, file, hidden, interpreters, make, start,
};
use crate::Word;
use crate::programs::{self, Program, Role, Runs, words};

pub(super) fn run(
    reader: &mut Reader<'_, '_>,
    call: Call,
    name: &str,
    program: &Program,
    by_path: Option<Opaque>,
) -> Res<()> {
    if matches!(name, "tmux" | "screen") {
        return emit(reader, call.clone(), !only_shows(name, call.args()), by_path);
    }
    if let Runs::Unmodelled(_) = program.runs {
        let prints = matches!(call.args(), [one] if matches!(one.word.known(), Some("--version" | "--help" | "-V" | "-h")));
        let descriptor = name == "flock" && call.args().iter().all(Item::is_number);
        // with nothing to run many of them run a shell, or the lines of their input
        return emit(reader, call, !prints && !descriptor, by_path);
    }
    if name == "uv"
        && let Some(at) = call.words.iter().position(|item| item.word == "run").filter(|at| *at == 1)
        && let Some(command) = uv_command(&call.words, at + 1)
    {
        return behind(reader, call, name, program, command - 1);
    }
    if program.is(Role::StartsPackages)
        && let Some(inner) = package(&call, name)
    {
        return reader.nested(|reader| start(reader, inner.through(name, 0)));
    }
    let prefix = |item: &Item| item.word.known().is_some_and(|text| program.prefixes.contains(&text));
    if let Some(at) = call.words.iter().position(prefix) {
        return behind(reader, call, name, program, at);
    }
    let opaque = match program.runs {
        Runs::Code(interpreter) => match interpreters::judge(interpreter, &call, reader.out.feeds) {
            Some(found) => found,
            None => return emit(reader, call, true, by_path),
        },
        _ => None,
    };
    // tar takes its first word for options without a dash
    let bare = matches!(name, "tar" | "gtar" | "bsdtar")
        && call.args().first().is_some_and(|item| {
            !item.word.prefix().starts_with('-') && item.word.text().contains(['I', 'F'])
        });
    let opaque = opaque.or_else(|| bare.then(|| config(None, None)));
    let opaque = opaque
        .or_else(|| remote(name, program, call.args()))
        .or_else(|| option(call.args(), program.starts))
        .or_else(|| building(name, call.args()))
        .or_else(|| make::environment(name, &call))
        .or_else(|| defining(name, call.args()))
        .or_else(|| setting(program, call.args()))
        .or(by_path);
    let input = matches!(&opaque, Some(Opaque { kind: OpaqueKind::Code, code: None, file: None, .. }));
    let configured = matches!(program.runs, Runs::Configured) && !program.builds.is_empty();
    if configured || program.is(Role::StartsPackages) && !program.is(Role::RunsTexts) {
        return hidden::run(reader, call, name, opaque);
    }
    emit(reader, call, false, opaque)?;
    if input {
        reader.out.reads_code = reader.out.last();
    }
    Ok(())
}

/// Returns the interpreter or shell that a package's name is: `npx tsx -e code`, `pnpm dlx tsx@4 -e code`.
fn package(call: &Call, name: &str) -> Option<Call> {
    let mut operands =
        call.words.iter().enumerate().skip(1).filter(|(_, item)| !item.word.prefix().starts_with('-'));
    let (mut at, mut item) = operands.next()?;
    if matches!(item.word.known(), Some("dlx" | "exec" | "x")) {
        (at, item) = operands.next()?;
    } else if !matches!(name, "npx" | "bunx" | "pnpx" | "uvx") {
        return None;
    }
    let text = item.word.known()?;
    let name = text.rsplit_once('@').map_or(text, |(name, _)| name);
    let runs =
        programs::find(name).is_some_and(|program| program.runs_files() && !program.is(Role::StartsPackages));
    runs.then(|| {
        let mut inner = call.clone();
        inner.words.drain(..at);
        if let Some(first) = inner.words.first_mut() {
            *first = Item::known(name);
        }
        inner
    })
}

/// Returns whether a terminal multiplexer is only asked what there is, or to attach.
fn only_shows(name: &str, args: &[Item]) -> bool {
    const TMUX: &[&str] = words!(
        "ls list-sessions list-windows lsw list-panes lsp list-clients lsc list-keys attach attach-session a
        kill-session kill-server kill-window kill-pane has-session has capture-pane capturep detach
        detach-client rename-session select-window"
    );
    let first = args.first().and_then(|item| item.word.known());
    match name {
        "tmux" if matches!(first, Some("new" | "new-session" | "neww" | "new-window")) => {
            opens_only(&args[1..])
        }
        "tmux" => {
            first.is_none_or(|first| TMUX.contains(&first) || first == "-V")
                && (first.is_some() || args.is_empty())
        }
        _ => {
            let known: Vec<&str> = args.iter().filter_map(|item| item.word.known()).collect();
            let quits =
                matches!(known[..], ["-X", "-S", _, "quit"] | ["-S", _, "-X", "quit"]) && args.len() == 4;
            matches!(first, Some("-ls" | "-list" | "-r" | "-x" | "-wipe" | "-v" | "--version"))
                || args.is_empty()
                || quits
        }
    }
}

/// Returns whether a new session or window of `tmux` has nothing but a shell in it.
fn opens_only(args: &[Item]) -> bool {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += match item.word.known() {
            Some("-d" | "-A" | "-D" | "-P" | "-X") => 1,
            Some("-s" | "-n" | "-c" | "-x" | "-y" | "-t")
                if args.get(at + 1).is_some_and(|value| !value.word.many()) =>
            {
                2
            }
            _ => return false,
        };
    }
    true
}

/// Returns where the command of `uv run` begins, behind its options; `None` where an option is not known.
fn uv_command(words: &[Item], from: usize) -> Option<usize> {
    const PLAIN: &[&str] = words!(
        "--no-build --no-binary --script -s --no-project --isolated --no-sync --frozen --locked --active
        --all-extras --all-groups --no-dev --dev --exact -q --quiet -v --verbose --offline --no-cache -n
        --no-config --all-packages --no-default-groups --only-dev"
    );
    const VALUED: &[&str] = words!(
        "--with -w --with-requirements --with-editable --python -p --extra --group --only-group --no-group
        --project --directory --package --env-file --index --index-url --refresh-package --upgrade-package
        --resolution --color"
    );
    let mut at = from;
    while let Some(text) =
        words.get(at).and_then(|item| item.word.known()).filter(|text| text.starts_with('-'))
    {
        let (option, inline) = text.split_once('=').map_or((text, false), |(option, _)| (option, true));
        at += 1;
        if VALUED.contains(&option) {
            if !inline && words.get(at).is_none_or(|value| value.word.many()) {
                return None;
            }
            at += usize::from(!inline);
        } else if inline || !PLAIN.contains(&option) {
            return None;
        }
    }
    words.get(at).is_some_and(|item| item.word.known().is_some()).then_some(at)
}

/// `poetry run cmd`: the command behind one of the program's own.
fn behind(reader: &mut Reader<'_, '_>, call: Call, name: &str, program: &Program, at: usize) -> Res<()> {
    let next = call.words.get(at + 1).map(|item| item.word.clone());
    let dashes = usize::from(next.as_ref().is_some_and(|word| word == "--"));
    let first = call.words.get(at + 1 + dashes).map(|item| item.word.clone());
    let plain = !program.is(Role::UnclearCommand)
        && (at == 1 || name == "uv")
        && first.as_ref().and_then(Word::known).is_some_and(|text| !text.starts_with('-'));
    if first.is_none() {
        return emit(reader, call, false, None);
    }
    if !plain {
        return emit(reader, call, true, None);
    }
    let script = first.as_ref().and_then(Word::known).is_some_and(|text| text.ends_with(".py"));
    if script {
        let opaque = first.map(|word| file(Some("python"), &word));
        return emit(reader, call, false, opaque);
    }
    let inner = call.through(name, at + 1 + dashes);
    reader.nested(|reader| start(reader, inner))
}

/// The beginnings of addresses of code, beside those with a scheme.
const HOSTS: [&str; 9] =
    ["data:", "git+", "github:", "gitlab:", "bitbucket:", "gist:", "npm:", "jsr:", "git@"];

/// `deno run https://…`, `go run host/x@v1`, `npx github:a/b`: code of an address, which this command brings. A package's plain name
/// is not one: it is mostly what the project has installed.
fn remote(name: &str, program: &Program, args: &[Item]) -> Option<Opaque> {
    let commands = program.fetches?;
    let begins = |item: &Item| item.word.known().is_some_and(|text| commands.contains(&text));
    if !commands.is_empty() && !args.iter().any(begins) {
        return None;
    }
    let found = args.iter().find(|item| {
        let text = item.word.text();
        let value = text.split_once('=').filter(|_| text.starts_with('-')).map_or(text, |(_, value)| value);
        value.contains("://")
            || HOSTS.iter().any(|host| value.starts_with(host))
            || name == "go" && !text.starts_with('-') && value.contains('@')
    })?;
    Some(Opaque { written: true, ..file(None, &found.word) })
}

/// Programs that other programs are told to use, and that run nothing themselves.
const HELPERS: [&str; 9] = ["ssh", "zstd", "pigz", "gzip", "xz", "bzip2", "lz4", "pbzip2", "zstdmt"];

/// Returns whether a word is a short option, or a bundle of such with its letter: `-O` in `-nOrm`.
pub(super) fn has_letter(text: &str, option: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.zip(option.strip_prefix('-')).is_some_and(|(letters, letter)| letters.contains(letter))
}

/// An option with which a program runs another.
pub(super) fn option(args: &[Item], options: &[&str]) -> Option<Opaque> {
    for (at, item) in args.iter().enumerate() {
        let text = item.word.prefix();
        for option in options {
            let long = option.starts_with("--");
            let name = text.split('=').next().unwrap_or_default();
            // GNU programs take a start of a long option, others bundle short ones
            let hit = if let Some(exact) = option.strip_prefix('=') {
                text == exact
            } else if let Some(start) = option.strip_prefix('^') {
                text.starts_with(start)
            } else if long {
                name.len() > 2 && option.starts_with(name) && name.starts_with("--")
            } else if option.len() == 2 {
                has_letter(text, option)
            } else {
                text.starts_with(option)
            };
            // `more +7` only shows from that line on
            let line = option == &"+"
                && text.get(1..).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            if hit && !line {
                let inline = item.word.known().and_then(|text| text.split_once('=')).map(|(_, value)| value);
                let value = inline.or_else(|| args.get(at + 1).and_then(|next| next.word.known()));
                if !(text == *option || inline.is_some())
                    || !value.is_some_and(|value| HELPERS.contains(&value))
                {
                    return Some(config(None, value));
                }
            }
        }
    }
    None
}

/// `npm config set script-shell x`: what a package manager is told to run from now on.
fn setting(program: &Program, args: &[Item]) -> Option<Opaque> {
    let known = || args.iter().filter_map(|item| item.word.known());
    let sets = program.is(Role::StartsPackages) && known().any(|text| text == "set");
    let runs = |text: &str| {
        let name = text.split('=').next().unwrap_or_default();
        ["script-shell", "node-options", "shell", "editor", "git", "viewer"].contains(&name)
            || name.ends_with("config")
    };
    // `npm config set` itself is no name of a setting
    (sets && known().skip_while(|text| *text != "set").any(runs)).then(|| config(None, None))
}

/// `cmake -DCMAKE_C_COMPILER=./x`: a program that a cache entry names, or a file of commands of its own.
fn defining(name: &str, args: &[Item]) -> Option<Opaque> {
    if name != "cmake" {
        return None;
    }
    const RUN: &[&str] = words!(
        "COMPILER LAUNCHER LINKER TIDY CPPCHECK CPPLINT WHAT_YOU_USE MAKE_PROGRAM EMULATOR RULE COMMAND _AR RANLIB EXECUTABLE"
    );
    const FILES: &[&str] = words!("TOOLCHAIN_FILE CMAKE_PROJECT_ INITIAL_CACHE MODULE_PATH");
    args.iter().enumerate().find_map(|(at, item)| {
        let rest = item.word.prefix().strip_prefix("-D")?;
        let text = if rest.is_empty() { args.get(at + 1)?.word.prefix() } else { rest };
        let (entry, value) = text.split_once('=')?;
        let entry = entry.split(':').next().unwrap_or_default();
        if FILES.iter().any(|part| entry.contains(part)) {
            return Some(file(None, &Word::Known(value.to_owned())));
        }
        let known = item.word.known();
        let harmless = known.is_some() && (value.is_empty() || super::variables::is_tool(value));
        (RUN.iter().any(|part| entry.contains(part)) && !harmless).then(|| config(None, known))
    })
}

/// `make --eval`, `make -f -`, `make CC=…`: what a build tool is told to run.
fn building(name: &str, args: &[Item]) -> Option<Opaque> {
    if !make::NAMES.contains(&name) && !matches!(name, "just" | "task" | "rake" | "crontab" | "scons" | "waf")
    {
        return None;
    }
    if name == "crontab" {
        let prints = matches!(args, [one] if matches!(one.word.known(), Some("-l" | "-r" | "-e")));
        return (!prints).then(|| config(None, None));
    }
    for (at, item) in args.iter().enumerate() {
        let text = item.word.prefix();
        let (option, inline) =
            text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)));
        let next = || inline.or_else(|| args.get(at + 1).and_then(|next| next.word.known()));
        if name == "rake" {
            let takes = |letter: &str| text.starts_with(letter);
            if takes("-e") || takes("-E") || takes("-p") || text.starts_with("--e") {
                return Some(code("ruby", next()));
            }
        } else if text.starts_with("-E") || option.len() > 3 && "--eval".starts_with(option) {
            return Some(code("make", next()));
        }
        let file_of = match text {
            "-f" | "--file" | "--makefile" | "--justfile" => args.get(at + 1).map(|next| next.word.clone()),
            _ if option.len() > 3 && ["--file", "--makefile"].iter().any(|long| long.starts_with(option)) => {
                inline.map(|value| Word::Known(value.to_owned()))
            }
            _ if name.ends_with("make") => text.strip_prefix("-f").map(|glued| Word::Known(glued.to_owned())),
            _ => None,
        };
        if let Some(word) = file_of {
            let input = word.known().is_some_and(super::shells::is_device);
            return Some(if input { code("make", None) } else { file(Some("make"), &word) });
        }
        if let Some(found) = make::argument(item) {
            return Some(found);
        }
    }
    None
}
