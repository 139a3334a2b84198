//! Programs that run code, files or other programs by rules of their own, and how their words tell it: interpreters,
//! build tools, archivers. What they do is opaque; where nothing is certain it is dynamic.

use super::{Call, Item, Opaque, OpaqueKind, Reader, Res, code, config, emit, file, start, wrappers};
use crate::Word;

/// An interpreter: what its options mean.
struct Interpreter {
    names: &'static [&'static str],
    language: &'static str,
    /// Short options, alone or last in a bundle, and long ones, whose value is code.
    code: &'static [&'static str],
    /// Options whose value is skipped.
    valued: &'static [&'static str],
    /// Options whose value is a file or module that is run.
    files: &'static [&'static str],
    /// Options with which nothing runs.
    inert: &'static [&'static str],
    /// Commands of its own that take code or a file.
    commands: &'static [&'static str],
    /// Whether it reads code from input where there is no file.
    input: bool,
}

const BASIC: Interpreter = Interpreter {
    names: &[],
    language: "",
    code: &[],
    valued: &[],
    files: &[],
    inert: &["--version", "--help", "-V", "-h"],
    commands: &[],
    input: true,
};

#[rustfmt::skip]
const INTERPRETERS: &[Interpreter] = &[
    Interpreter { names: &["python", "python2", "python3", "pypy", "pypy3", "python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "ipython", "micropython"],
        language: "python", code: &["-c"], valued: &["-W", "-X", "--check-hash-based-pycs"], ..BASIC },
    Interpreter { names: &["perl", "perl5"], language: "perl", code: &["-e", "-E"], valued: &["-I"], files: &["-M", "-m"], inert: &["-v", "-V", "--version", "--help"], ..BASIC },
    Interpreter { names: &["ruby", "jruby", "irb"], language: "ruby", code: &["-e"], valued: &["-I", "-C", "-E"], files: &["-r"], inert: &["-v", "--version", "--help", "-h"], ..BASIC },
    Interpreter { names: &["node", "nodejs"], language: "node", code: &["-e", "--eval", "-p", "--print", "-pe"], valued: &["-C", "--conditions"],
        files: &["-r", "--require", "--import", "--loader", "--experimental-loader"], inert: &["-v", "--version", "-h", "--help", "-c", "--check", "--test"], ..BASIC },
    Interpreter { names: &["deno"], language: "node", code: &["-e", "--eval"], commands: &["eval"], input: false, ..BASIC },
    Interpreter { names: &["bun"], language: "node", code: &["-e", "--eval", "-p", "--print"], input: false, ..BASIC },
    Interpreter { names: &["ts-node", "tsx", "esno"], language: "node", code: &["-e", "--eval", "-p", "--print", "-pe"], ..BASIC },
    Interpreter { names: &["php", "php8"], language: "php", code: &["-r", "-B", "-R", "-E"], valued: &["-d", "-c", "-t", "-S"], files: &["-f", "-F"], inert: &["-v", "--version", "-i", "-m", "--help", "-h", "--ini", "-l", "-a"], ..BASIC },
    Interpreter { names: &["lua", "lua5.1", "lua5.3", "lua5.4", "luajit", "luau"], language: "lua", code: &["-e"], files: &["-l"], inert: &["-v"], ..BASIC },
    Interpreter { names: &["Rscript", "R", "littler"], language: "r", code: &["-e"], inert: &["--version", "--help"], files: &["-f"], ..BASIC },
    Interpreter { names: &["julia"], language: "julia", code: &["-e", "-E", "--eval", "--print"], files: &["-L", "--load"], valued: &["--project", "-t", "-p"], ..BASIC },
    Interpreter { names: &["rename", "prename", "perl-rename", "file-rename"], language: "perl", code: &["-e"], ..BASIC },
    Interpreter { names: &["tclsh", "wish", "tclsh8.6"], language: "tcl", ..BASIC },
    Interpreter { names: &["gnuplot"], language: "other", code: &["-e"], input: false, ..BASIC },
    Interpreter { names: &["guile", "racket", "sbcl", "clisp", "ecl", "gosh", "chez", "scheme", "csi"], language: "lisp", code: &["-c", "-e", "--eval", "-x", "--non-interactive"], files: &["-l", "--load", "-s", "--script"], input: false, ..BASIC },
    Interpreter { names: &["emacs", "emacsclient"], language: "lisp", code: &["--eval", "-eval", "--execute", "-e"], files: &["-l", "--load", "--script", "-f"], input: false, ..BASIC },
    Interpreter { names: &["vim", "vi", "nvim", "ex", "view", "gvim", "vimdiff"], language: "vim", code: &["-c", "--cmd"], files: &["-S", "-s", "-u", "-w", "-W"], input: false, ..BASIC },
    Interpreter { names: &["ed", "red"], language: "ed", ..BASIC },
    Interpreter { names: &["gawk", "awk", "mawk", "nawk", "original-awk"], language: "awk", ..BASIC },
    Interpreter { names: &["sqlite3", "sqlite"], language: "sql", code: &["-cmd", "--cmd", "-c"], files: &["-init", "--init"], ..BASIC },
    Interpreter { names: &["psql", "mysql", "mariadb", "sqlplus", "mongosh", "mongo", "isql"], language: "sql", code: &["-c", "--command", "-e", "--execute", "--eval", "--query", "-q"], files: &["-f", "--file"], valued: &["-h", "-p", "-U", "-u", "-d", "-P", "-v"], inert: &["--version", "--help", "-V", "-l", "--list"], ..BASIC },
    Interpreter { names: &["dc", "m4", "octave", "octave-cli", "maxima", "gp", "ocaml", "swipl", "gprolog", "erl", "iex", "elixir", "scala", "groovy", "jshell", "kotlin", "clojure", "clj", "bb", "gforth", "forth", "raku", "perl6", "awkp", "jq-run", "yaegi", "gomacro", "evcxr", "nodejs-repl", "janet", "fennel", "hy"],
        language: "other", code: &["-e", "--eval", "-c", "-eval", "-E"], ..BASIC },
];

/// Options with which a program runs another, and the files that a build tool reads.
#[rustfmt::skip]
const RUNNING: &[(&str, &[&str])] = &[
    ("tar", &["--to-command", "--checkpoint-action", "--use-compress-program", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command", "-I", "-F"]),
    ("gtar", &["--to-command", "--checkpoint-action", "--use-compress-program", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command", "-I", "-F"]),
    ("bsdtar", &["--use-compress-program"]), ("rsync", &["-e", "--rsh", "--rsync-path"]), ("scp", &["-S", "-o", "-F"]), ("sftp", &["-S", "-o", "-F", "-b", "-D"]), ("split", &["--filter"]), ("sort", &["--compress-program"]),
    ("zip", &["-T", "-TT", "--unzip-command"]), ("curl", &["-K", "--config"]), ("wget", &["--use-askpass", "--config", "-e", "--execute"]), ("man", &["-P", "--pager", "-H", "--html"]), ("less", &["+", "-k", "--lesskey-content", "--lesskey-src"]), ("rg", &["--pre", "--hostname-bin"]), ("ag", &["--pager"]),
    ("ctags", &["--options"]), ("gcc", &["-wrapper", "-fplugin", "-B", "-specs"]), ("g++", &["-wrapper", "-fplugin", "-B", "-specs"]), ("cc", &["-wrapper", "-fplugin", "-B", "-specs"]), ("ld", &["-plugin"]),
    ("pip", &["--python"]), ("pip3", &["--python"]), ("npx", &["-c", "--call"]), ("npm", &["-c", "--call", "--script-shell", "--node-options", "--git"]), ("cargo", &["--config"]), ("go", &["-exec", "-toolexec", "-overlay", "-vettool"]), ("ansible", &["-a", "--args", "-m"]),
    ("capistrano", &[]), ("nc", &["-e", "-c", "--exec", "--sh-exec"]), ("netcat", &["-e", "-c"]), ("nmap", &["--script"]), ("tcpdump", &["-z"]), ("crontab", &[]), ("systemctl", &["edit"]), ("openssl", &["-engine", "-provider"]), ("pytest", &["-p", "-c", "--rootdir"]),
    ("dd", &[]), ("nix-shell", &["--run", "--command"]), ("konsole", &["-e"]), ("fzf", &["--preview", "--bind", "--listen"]), ("more", &["+"]), ("lftp", &["-c", "-e", "-f"]), ("mutt", &["-e", "-F"]), ("neomutt", &["-e", "-F"]),
    ("xdg-open", &[]), ("pkgutil", &[]), ("hg", &["--config"]), ("svn", &["--config-option", "--editor-cmd", "--diff-cmd"]), ("gpg", &["--exec-path", "--photo-viewer"]), ("ssh-keygen", &["-D"]), ("ssh-add", &["-s", "-S"]), ("git-lfs", &[]), ("cmake", &["-P", "-E"]), ("ninja", &["-f"]),
    ("parallel-ssh", &[]), ("gulp", &[]), ("mvn", &["-Dexec"]), ("dotnet", &[]), ("terraform", &[]), ("pv", &[]), ("column", &[]), ("awk-run", &[]), ("exiftool", &["-if", "-execute", "-config"]), ("ffmpeg", &[]), ("convert", &[]), ("gnuplot-run", &[]), ("zless", &[]), ("logrotate", &[]),
];

/// Build tools and the files that they run.
#[rustfmt::skip]
const BUILDS: &[(&str, &[&str])] = &[
    ("make", &["Makefile", "makefile", "GNUmakefile"]), ("gmake", &["Makefile", "makefile", "GNUmakefile"]), ("just", &["justfile", "Justfile", ".justfile"]), ("task", &["Taskfile.yml", "Taskfile.yaml"]), ("npm", &["package.json", ".npmrc"]),
    ("pnpm", &["package.json", ".npmrc"]), ("yarn", &["package.json", ".yarnrc", ".yarnrc.yml"]), ("bun", &["package.json", "bunfig.toml"]), ("npx", &["package.json"]), ("node", &["package.json"]), ("cargo", &["Cargo.toml", "build.rs", "config.toml"]), ("go", &["main.go", "go.mod"]), ("pytest", &["conftest.py", "pytest.ini", "setup.cfg", "pyproject.toml"]),
    ("tox", &["tox.ini"]), ("nox", &["noxfile.py"]), ("pip", &["setup.py", "pyproject.toml"]), ("pip3", &["setup.py", "pyproject.toml"]), ("uv", &["pyproject.toml", "setup.py"]), ("poetry", &["pyproject.toml"]), ("rake", &["Rakefile"]), ("bundle", &["Gemfile"]), ("gradle", &["build.gradle", "build.gradle.kts", "settings.gradle"]), ("mvn", &["pom.xml"]), ("ant", &["build.xml"]), ("cmake", &["CMakeLists.txt"]),
    ("ninja", &["build.ninja"]), ("meson", &["meson.build"]), ("scons", &["SConstruct"]), ("bazel", &["BUILD", "WORKSPACE"]), ("docker", &["Dockerfile", "compose.yml", "docker-compose.yml"]), ("vagrant", &["Vagrantfile"]), ("composer", &["composer.json"]), ("mix", &["mix.exs"]), ("sbt", &["build.sbt"]), ("stack", &["Setup.hs"]), ("cabal", &["Setup.hs"]), ("tsc", &[]), ("jest", &["jest.config.js"]), ("vitest", &["vitest.config.ts"]), ("eslint", &["eslint.config.js", ".eslintrc.js"]), ("webpack", &["webpack.config.js"]), ("crontab", &[]),
];

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&name))
}

fn running(name: &str) -> Option<&'static [&'static str]> {
    RUNNING.iter().find(|(other, _)| *other == name).map(|(_, options)| *options)
}

/// The files that a build tool of this name runs.
pub(super) fn builds(name: &str) -> &'static [&'static str] {
    BUILDS.iter().find(|(other, _)| *other == name).map_or(&[], |(_, files)| files)
}

pub(super) fn is_tabled(name: &str) -> bool {
    interpreter(name).is_some()
        || running(name).is_some()
        || wrappers::is_unmodelled(name)
        || wrappers::runner(name).is_some()
        || !builds(name).is_empty()
        || matches!(name, "tmux" | "screen")
}

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str, by_path: Option<Opaque>) -> Res<()> {
    if matches!(name, "tmux" | "screen") {
        return emit(reader, call.clone(), !only_shows(name, call.args()), by_path);
    }
    if wrappers::is_unmodelled(name) {
        // with nothing to run it only prints
        let alone = call.words.len() == 1
            && !matches!(name, "su" | "newgrp" | "batch" | "expect" | "unshare" | "gdb" | "lldb");
        let prints = matches!(call.args(), [one] if matches!(one.word.known(), Some("--version" | "--help" | "-V" | "-h")));
        let crontab = name == "flock" && call.args().iter().all(Item::is_number);
        return emit(reader, call, !alone && !prints && !crontab, by_path);
    }
    if name == "uv"
        && let Some(at) = call.words.iter().position(|item| item.word == "run").filter(|at| *at == 1)
        && let Some(command) = uv_command(&call.words, at + 1)
    {
        return behind(reader, call, name, command - 1);
    }
    if let Some(commands) = wrappers::runner(name)
        && let Some(at) =
            call.words.iter().position(|item| item.word.known().is_some_and(|text| commands.contains(&text)))
    {
        return behind(reader, call, name, at);
    }
    let opaque = match interpreter(name) {
        Some(interpreter) if interpreter.language == "awk" => awk(call.args()),
        Some(interpreter) => match interpret(interpreter, &call) {
            Some(found) => found,
            None => return emit(reader, call, true, by_path),
        },
        None => None,
    };
    let options = running(name).unwrap_or_default();
    // tar takes its first word for options without a dash
    let bare = matches!(name, "tar" | "gtar" | "bsdtar")
        && call.args().first().is_some_and(|item| {
            !item.word.prefix().starts_with('-') && item.word.text().contains(['I', 'F'])
        });
    let opaque = opaque.or_else(|| bare.then(|| config(None, None)));
    let opaque =
        opaque.or_else(|| option(call.args(), options)).or_else(|| building(name, call.args())).or(by_path);
    let input = matches!(&opaque, Some(Opaque { kind: OpaqueKind::Code, code: None, file: None, .. }));
    emit(reader, call, false, opaque)?;
    if input {
        reader.out.reads_code = reader.out.last();
    }
    Ok(())
}

/// Whether a terminal multiplexer is only asked what there is, or to attach.
fn only_shows(name: &str, args: &[Item]) -> bool {
    const TMUX: [&str; 24] = [
        "ls",
        "list-sessions",
        "list-windows",
        "lsw",
        "list-panes",
        "lsp",
        "list-clients",
        "lsc",
        "list-keys",
        "attach",
        "attach-session",
        "a",
        "kill-session",
        "kill-server",
        "kill-window",
        "kill-pane",
        "has-session",
        "has",
        "capture-pane",
        "capturep",
        "detach",
        "detach-client",
        "rename-session",
        "select-window",
    ];
    let first = args.first().and_then(|item| item.word.known());
    match name {
        "tmux" => {
            first.is_none_or(|first| TMUX.contains(&first) || first == "-V")
                && (first.is_some() || args.is_empty())
        }
        _ => {
            matches!(first, Some("-ls" | "-list" | "-r" | "-x" | "-wipe" | "-v" | "--version"))
                || args.is_empty()
        }
    }
}

/// Returns where the command of `uv run` begins, behind its options; `None` where an option is not known.
fn uv_command(words: &[Item], from: usize) -> Option<usize> {
    const PLAIN: [&str; 22] = [
        "--no-project",
        "--isolated",
        "--no-sync",
        "--frozen",
        "--locked",
        "--active",
        "--all-extras",
        "--all-groups",
        "--no-dev",
        "--dev",
        "--exact",
        "-q",
        "--quiet",
        "-v",
        "--verbose",
        "--offline",
        "--no-cache",
        "-n",
        "--no-config",
        "--all-packages",
        "--no-default-groups",
        "--only-dev",
    ];
    const VALUED: [&str; 20] = [
        "--with",
        "-w",
        "--with-requirements",
        "--with-editable",
        "--python",
        "-p",
        "--extra",
        "--group",
        "--only-group",
        "--no-group",
        "--project",
        "--directory",
        "--package",
        "--env-file",
        "--index",
        "--index-url",
        "--refresh-package",
        "--upgrade-package",
        "--resolution",
        "--color",
    ];
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
fn behind(reader: &mut Reader<'_, '_>, call: Call, name: &str, at: usize) -> Res<()> {
    let next = call.words.get(at + 1).map(|item| item.word.clone());
    let dashes = usize::from(next.as_ref().is_some_and(|word| word == "--"));
    let first = call.words.get(at + 1 + dashes).map(|item| item.word.clone());
    let plain = !matches!(
        name,
        "tmux"
            | "screen"
            | "perf"
            | "nix"
            | "gcloud"
            | "vagrant"
            | "direnv"
            | "conda"
            | "lxc"
            | "op"
            | "dotenv"
            | "rustup"
            | "asdf"
            | "nix-shell"
            | "npm"
            | "heroku"
            | "aws-vault"
            | "chezmoi"
            | "flatpak"
            | "snap"
            | "dotnet"
    ) && (at == 1 || name == "uv")
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

/// How an interpreter runs code: `Some(None)` not at all, `None` cannot be told.
fn interpret(interpreter: &Interpreter, call: &Call) -> Option<Option<Opaque>> {
    let args = call.args();
    let language = interpreter.language;
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += 1;
        let Word::Known(text) = &item.word else {
            let plain = item.word.prefix().chars().next().is_some_and(|c| c != '-');
            // a word that may be an option or a file; what it is, it runs
            return Some(Some(if plain && !item.process {
                file(Some(language), &item.word)
            } else {
                code(language, None)
            }));
        };
        if interpreter.inert.contains(&text.as_str()) && args.len() == 1 {
            return Some(None);
        }
        if interpreter.commands.contains(&text.as_str()) {
            let script =
                args.iter().skip(at).find_map(|item| item.word.known().filter(|text| !text.starts_with('-')));
            return Some(Some(code(language, script)));
        }
        if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            return Some(Some(code(language, None)));
        }
        if let Some((option, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
            if interpreter.code.contains(&option) {
                return Some(Some(code(language, Some(value))));
            }
            if interpreter.files.contains(&option) {
                return Some(Some(file(Some(language), &Word::Known(value.to_owned()))));
            }
            continue;
        }
        if text.starts_with('-') {
            if language == "python" && text == "-m" {
                let module = args.get(at).and_then(|item| item.word.known());
                let runs =
                    ["timeit", "pdb", "profile", "cProfile", "trace", "code", "runpy", "doctest", "IPython"];
                return Some(
                    module.is_none_or(|module| runs.contains(&module)).then(|| code(language, None)),
                );
            }
            if let Some(glued) = code_option(interpreter, text) {
                return Some(Some(code(language, script(interpreter, &args[at..], glued).as_deref())));
            }
            if interpreter.files.iter().any(|option| text.starts_with(option)) {
                let inline = interpreter
                    .files
                    .iter()
                    .find_map(|option| text.strip_prefix(option))
                    .filter(|rest| !rest.is_empty());
                let word = inline
                    .map(|rest| Word::Known(rest.to_owned()))
                    .or_else(|| args.get(at).map(|item| item.word.clone()));
                return Some(Some(Opaque { language: Some(language), file: word, ..config(None, None) }));
            }
            at += usize::from(interpreter.valued.contains(&text.as_str()));
            continue;
        }
        if language == "vim" && text.starts_with('+') {
            return Some(Some(code(language, text.get(1..))));
        }
        if language == "sql" {
            return Some(args.iter().skip(at).any(client_runs).then(|| code(language, None)));
        }
        if language == "ed" {
            return Some(Some(code(language, None)));
        }
        if matches!(interpreter.names, ["rename", ..]) {
            return Some(Some(code(language, Some(text))));
        }
        // a script: its file is run, as the caller can see; `written` says whether this text made it
        return Some(None);
    }
    let input = interpreter.input
        && (args.is_empty() || !args.iter().any(|item| interpreter.inert.contains(&item.word.text())));
    Some(input.then(|| code(language, None)))
}

/// `awk`: programs that neither start programs nor read code from files run nothing.
fn awk(args: &[Item]) -> Option<Opaque> {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        at += 1;
        let Some(text) = item.word.known() else { return Some(code("awk", None)) };
        match text {
            "-F" | "-v" => at += 1,
            "--" => {}
            "--version" | "--help" | "-W" => return None,
            _ if (text.starts_with("-F") || text.starts_with("-v")) && !text.starts_with("--") => {}
            "-f" | "--file" => return args.get(at).map(|item| file(Some("awk"), &item.word)),
            _ if text.starts_with('-') && text.len() > 1 => return Some(code("awk", None)),
            program => {
                let runs = program.replace("||", "").contains('|')
                    || ["system", "getline", "@", "ENVIRON[\"_"].iter().any(|word| program.contains(word));
                return runs.then(|| code("awk", Some(program)));
            }
        }
        if args.get(at.saturating_sub(1)).is_some_and(|item| item.word.many()) {
            return Some(code("awk", None));
        }
    }
    None
}

/// Whether a text for a database's client may hold commands of the client, which run programs.
fn client_runs(item: &Item) -> bool {
    item.word.known().is_none_or(|text| {
        let lower = text.to_ascii_lowercase();
        text.contains('\\')
            || ["program", "load_extension", "system"].iter().any(|word| lower.contains(word))
            || text.lines().any(|line| line.trim_start().starts_with('.'))
    })
}

/// What is glued to the option that takes code, where `text` is one: `-c`, `-ne`, `-e'code'`.
fn code_option<'a>(interpreter: &Interpreter, text: &'a str) -> Option<&'a str> {
    if interpreter.code.contains(&text) {
        return Some("");
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let takes = |letter: char| {
        let mut short = interpreter.code.iter().filter(|option| option.len() == 2);
        short.any(|option| option.ends_with(letter))
    };
    let (at, letter) = letters.char_indices().find(|(_, letter)| takes(*letter))?;
    letters.get(at + letter.len_utf8()..)
}

/// Joins the code of all options that take it; `None` where some of it is not known, or operands may run, too.
fn script(interpreter: &Interpreter, args: &[Item], glued: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut next = glued.is_empty();
    if !next {
        parts.push(glued);
    }
    for item in args {
        let text = item.word.known()?;
        if std::mem::take(&mut next) {
            parts.push(text);
        } else if let Some(glued) = code_option(interpreter, text) {
            next = glued.is_empty();
            parts.extend((!next).then_some(glued));
        } else if interpreter.language == "perl" && text.contains('|') {
            // perl opens operands, and runs those with a pipe in them
            return None;
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// Programs that other programs are told to use, and that run nothing themselves.
const HELPERS: [&str; 9] = ["ssh", "zstd", "pigz", "gzip", "xz", "bzip2", "lz4", "pbzip2", "zstdmt"];

/// An option with which a program runs another.
fn option(args: &[Item], options: &[&str]) -> Option<Opaque> {
    for (at, item) in args.iter().enumerate() {
        let text = item.word.prefix();
        for option in options {
            let long = option.starts_with("--");
            let name = text.split('=').next().unwrap_or_default();
            // GNU programs take a start of a long option, others bundle short ones
            let hit = if long {
                name.len() > 3 && option.starts_with(name) && name.starts_with("--")
            } else if option.len() == 2 {
                text.starts_with('-')
                    && !text.starts_with("--")
                    && option.chars().last().is_some_and(|letter| text.contains(letter))
            } else {
                text.starts_with(option)
            };
            if hit {
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

/// `make --eval`, `make -f -`, `make CC=…`: what a build tool is told to run.
fn building(name: &str, args: &[Item]) -> Option<Opaque> {
    if !matches!(name, "make" | "gmake" | "just" | "task" | "rake" | "crontab") {
        return None;
    }
    if name == "crontab" {
        let prints = matches!(args, [one] if matches!(one.word.known(), Some("-l" | "-r" | "-e")));
        return (!prints).then(|| config(None, None));
    }
    for (at, item) in args.iter().enumerate() {
        let text = item.word.prefix();
        if text.starts_with("--eval") || text.starts_with("-E") {
            return Some(code("make", args.get(at + 1).and_then(|next| next.word.known())));
        }
        if matches!(text, "-f" | "--file" | "--makefile" | "--justfile") {
            let word = args.get(at + 1).map(|next| next.word.clone())?;
            let input = word.known().is_some_and(super::shells::is_device);
            return Some(if input { code("make", None) } else { file(Some("make"), &word) });
        }
        if let Some((variable, value)) = text.split_once('=') {
            let value = if item.word.known().is_some() {
                Word::Known(value.to_owned())
            } else {
                Word::unknown(value, false)
            };
            let shell = matches!(variable, "SHELL" | ".SHELLFLAGS" | "MAKE" | "RM" | "INSTALL");
            if let Some(found) = super::variables::opaque(variable, &value)
                .or_else(|| shell.then(|| config(None, value.known())))
            {
                return Some(found);
            }
        }
    }
    None
}

/// Whether a program of this name runs code of a language.
pub(super) fn is_interpreter(name: &str) -> bool {
    interpreter(name).is_some()
}
