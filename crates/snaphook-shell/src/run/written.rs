//! Files that a text writes, downloads or makes executable, and the commands that run them. Compared by the last
//! component: a path through another folder or a variable is not followed.

use std::collections::HashSet;

use super::environment::Environment;
use super::{Call, Item, OpaqueKind, basename, variables};
use crate::programs::{self, Makes, Program, Role, Runs, words};
use crate::{Command, Opaque, Redirect, Word};

/// Files that shells run when they start.
const STARTUP: &[&str] = words!(
    ".bash_profile .bash_login .profile .bashrc .zshenv .zprofile .zshrc .zlogin .kshrc .mkshrc .shrc .bash_logout"
);

/// Languages, and the ends of the names of files that their interpreters load by themselves, or by code that nobody sees: a
/// module of the library may load another one, and the folder of the script or of the shell comes first.
const MODULES: [(&str, &[&str]); 8] = [
    ("python", &[".py", ".pth", ".pyc", ".pyd", ".so", ".egg", "._pth", "pyvenv.cfg"]),
    (
        "node",
        &[
            ".js",
            ".mjs",
            ".cjs",
            ".jsx",
            ".ts",
            ".mts",
            ".cts",
            ".tsx",
            ".node",
            "package.json",
            "bunfig.toml",
            "deno.json",
            "deno.jsonc",
            "tsconfig.json",
        ],
    ),
    ("perl", &[".pl", ".pm", ".ph", ".al", ".so"]),
    ("ruby", &[".rb", ".so", ".irbrc", ".pryrc"]),
    ("php", &[".php", ".inc", ".ini", ".phar", ".so"]),
    ("lua", &[".lua", ".luac", ".so"]),
    ("julia", &[".jl", "Project.toml"]),
    ("r", &[".R", ".Rprofile", ".Renviron", ".RData"]),
];

/// Programs that make files tidy or look at them: what they name is what was there.
const TIDY: &[&str] = words!(
    "ruff black isort yapf autopep8 autoflake pyright basedpyright bandit prettier eslint biome tsc standard rubocop standardrb stylua luacheck
    perltidy perlcritic php-cs-fixer phpcs phpcbf phpstan psalm codespell pre-commit shfmt mkdir rmdir rm unlink kubectl systemctl ssh"
);

/// Words with which an interpreter looks for the files of a folder.
const LOOKS: [&str; 3] = [".", "./", "--test"];

/// The names of files that the text makes.
#[derive(Debug, Default)]
pub(crate) struct WrittenFiles {
    names: HashSet<String>,
    /// The source texts of targets that are not known.
    unknown: HashSet<String>,
    /// The names that stand in the arguments of commands that may change files.
    named: HashSet<String>,
    /// The same without their endings, by commands of which an archive or a copy may come.
    stems: HashSet<String>,
    /// True if `split` and the like made files of names that do not stand here.
    any: bool,
    /// True if an archive, a patch, a repository or a whole folder brings files into folders that interpreters may look in.
    brings: bool,
}

impl WrittenFiles {
    fn add(&mut self, word: &Word) {
        match word {
            Word::Known(path) if path.starts_with("/dev/") => {}
            Word::Known(path) => {
                let path = path.trim_end_matches('/');
                self.names.insert(basename(path).to_owned());
            }
            Word::Unknown { text, .. } => {
                let plain: String = text.chars().filter(|c| *c != '"').collect();
                // `"$dir/run.sh"` ends in a name that is certain
                if let Some((_, name)) = plain.rsplit_once('/')
                    && !name.contains(['$', '`', '*', '?', '{'])
                {
                    self.names.insert(name.to_owned());
                }
                self.unknown.insert(plain);
            }
        }
    }

    fn has(&self, word: &Word) -> bool {
        match word {
            Word::Known(path) => self.names.contains(basename(path)),
            Word::Unknown { text, .. } => {
                let plain: String = text.chars().filter(|c| *c != '"').collect();
                self.unknown.contains(&plain)
                    || plain.rsplit_once('/').is_some_and(|(_, name)| self.names.contains(name))
            }
        }
    }

    pub(super) fn by_redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects.iter().filter(|redirect| redirect.write) {
            self.add(&redirect.target);
        }
    }

    /// Notes the files that a command makes by its arguments.
    pub(super) fn by_command(&mut self, call: &Call) {
        let Some(name) = call.words.first().and_then(|item| item.word.known()).map(basename) else { return };
        let args = call.args();
        let program = programs::find(name);
        self.by_name(name, program, args);
        self.brings |= brings(name, program, args);
        let words: Vec<&str> = args.iter().take(2).filter_map(|item| item.word.known()).collect();
        if matches!(name, "npm" | "pnpm" | "yarn" | "bun") && words == ["pkg", "set"] {
            self.add(&Word::Known("package.json".to_owned()));
        }
        let plain = || args.iter().map(|item| &item.word).filter(|word| !word.prefix().starts_with('-'));
        match program.map_or(Makes::Nothing, |program| program.makes) {
            Makes::Nothing => {}
            Makes::Operands => plain().for_each(|word| self.add(word)),
            Makes::LaterOperands => plain().skip(1).for_each(|word| self.add(word)),
            Makes::Downloads => args.iter().for_each(|item| {
                let word = &item.word;
                match word
                    .known()
                    .and_then(|text| text.split_once('='))
                    .filter(|_| word.prefix().starts_with("--"))
                {
                    Some((_, value)) => self.add(&Word::Known(value.to_owned())),
                    None => match word
                        .known()
                        .and_then(|text| text.strip_prefix("-o").or(text.strip_prefix("-O")))
                    {
                        Some(value) if !value.is_empty() => self.add(&Word::Known(value.to_owned())),
                        _ => self.add(word),
                    },
                }
            }),
            Makes::InPlace => {
                let told = |item: &Item| {
                    item.word.prefix().starts_with("-i") || item.word.prefix().starts_with("--in-place")
                };
                if args.iter().any(told) {
                    plain().skip(1).for_each(|word| self.add(word));
                }
            }
            // what is compiled of a source that the text makes
            Makes::Compiled if !args.iter().any(|item| self.has(&item.word)) => {}
            Makes::Compiled => {
                self.add(&Word::Known("a.out".to_owned()));
                for (at, item) in args.iter().enumerate() {
                    let text = item.word.text();
                    if text == "-o" {
                        args.get(at + 1).into_iter().for_each(|item| self.add(&item.word));
                    } else if let Some((stem, _)) = basename(text).rsplit_once('.') {
                        self.add(&Word::Known(stem.to_owned()));
                    }
                }
            }
            // by its own rules it makes `r` of `r.c`
            Makes::Targets => {
                for target in args.iter().filter_map(|item| item.word.known()) {
                    let source = format!("{}.", basename(target));
                    if self.names.iter().any(|name| name.starts_with(&source)) {
                        self.add(&Word::Known(target.to_owned()));
                    }
                }
            }
            Makes::Output => {
                for value in args.iter().filter_map(|item| item.word.known()?.strip_prefix("of=")) {
                    self.add(&Word::Known(value.to_owned()));
                }
            }
            Makes::Parts => self.any = true,
        }
    }

    /// Notes the names in the arguments of a command that may change files.
    fn by_name(&mut self, name: &str, program: Option<&Program>, args: &[Item]) {
        let git = name == "git"
            && git_command(args).is_some_and(|command| !programs::git_keeps_working_tree(command));
        if !git && program.is_some_and(|program| program.runs_files() || program.is(Role::KeepsOperands)) {
            return;
        }
        for text in args.iter().filter_map(|item| item.word.known()) {
            let value = text.rsplit('=').next().unwrap_or(text);
            // names of branches are no files
            if git && !value.contains(['.', '/']) {
                continue;
            }
            // `gunzip r.gz` makes `r`, `sort -or` as well
            let stem = basename(value).split('.').next().unwrap_or_default();
            let glued = text.strip_prefix('-').and_then(|rest| rest.get(1..)).unwrap_or_default();
            for one in [basename(value), stem, glued] {
                self.named.insert(one.to_owned());
            }
            if !TIDY.contains(&name) && !program.is_some_and(|program| program.is(Role::OnlyReads)) {
                let plain = basename(value);
                self.stems
                    .extend([plain, stem].into_iter().filter(|text| !text.is_empty()).map(str::to_owned));
            }
        }
    }

    /// Returns the file of this name, or with this end of a name.
    fn named_so(&self, name: &str) -> Option<&str> {
        let ends = || self.names.iter().find(|file| name.starts_with('.') && file.ends_with(name));
        self.names.get(name).or_else(ends).map(String::as_str)
    }

    /// Returns whether a command other than the one that runs it names a file.
    fn is_named(&self, word: &Word) -> bool {
        word.known().is_some_and(|path| self.named.contains(basename(path)) || self.may_come_of(path))
    }

    /// Returns whether an earlier command names this file, or one of its name with another ending, and does not only read.
    fn may_come_of(&self, path: &str) -> bool {
        let name = basename(path.trim_end_matches('/'));
        let stem = name.split('.').next().unwrap_or_default();
        self.stems.contains(name) || !stem.is_empty() && self.stems.contains(stem)
    }

    /// Returns whether a target that is not known may be any file: by a variable of the text, or what another command says.
    fn may_be_any(&self, assigned: impl Fn(&str) -> bool) -> bool {
        let open = |text: &String| {
            text.contains(['`', '{', '('])
                || text.split('$').skip(1).any(|rest| {
                    let end =
                        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                    rest.get(..end).is_some_and(&assigned)
                })
        };
        self.any
            || self.unknown.iter().any(|text| {
                open(&text.replace("${", "$").replace('}', "")) || text.contains(",") && text.contains('{')
            })
    }

    /// Returns whether an interpreter may load a module that the text makes: whatever it is given, its library may look for
    /// other modules in the folder where it runs.
    fn loads(&self, command: &Command, language: &str, environment: &Environment, coded: &[String]) -> bool {
        let Some((_, ends)) = MODULES.iter().find(|(other, _)| *other == language) else { return false };
        let prints = command.args.len() == 1
            && matches!(
                command.args.first().and_then(Word::known),
                Some("--version" | "-V" | "-v" | "--help" | "-h")
            );
        // what it prints into a module is there once it has ended
        let own = |name: &str| {
            let mut written = command.redirects.iter().filter(|redirect| redirect.write);
            written.any(|redirect| redirect.target.known().is_some_and(|path| basename(path) == name))
        };
        let module = |name: &String| ends.iter().any(|end| name.ends_with(end)) && !own(name);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let code = command.opaque.as_ref().and_then(|opaque| opaque.code.as_deref());
        let data = || self.names.iter().filter(|name| name.ends_with(".json") && language == "node");
        !prints
            && (self.brings
                || self.names.iter().any(module)
                || self.stems.iter().any(module)
                || coded.iter().any(module)
                || self.unknown.iter().any(|text| environment.may_end(text, ends, 8))
                || data().any(|name| code.is_some_and(|code| code.contains(&stem(name))))
                || command.args.iter().filter_map(Word::known).any(|arg| {
                    LOOKS.contains(&arg)
                        && self.names.iter().any(|name| name.ends_with(".json"))
                        && language == "node"
                }))
    }

    /// Returns the argument that names a file or a module of the text.
    fn argument<'a>(&self, command: &'a Command, python: bool, interprets: bool) -> Option<&'a Word> {
        let module = |word: &Word| {
            let last = word.known().and_then(|text| text.rsplit('.').next());
            python && last.is_some_and(|last| self.names.contains(&format!("{last}.py")))
        };
        let script = || {
            let mut operands =
                command.args.iter().filter(|word| interprets && !word.prefix().starts_with('-'));
            operands.next().filter(|word| word.known().is_some_and(|path| self.may_come_of(path)))
        };
        command.args.iter().find(|word| self.has(word) || module(word)).or_else(script)
    }

    /// Marks the commands that run what the text makes.
    pub(crate) fn mark(
        &self,
        commands: &mut [Command],
        environment: &Environment,
        assigned: impl Fn(&str) -> bool,
    ) {
        let any = self.may_be_any(assigned);
        let codes: Vec<String> =
            commands.iter().filter_map(|command| command.opaque.as_ref()?.code.clone()).collect();
        let coded = coded(commands);
        for command in commands {
            let program = command.name.known().and_then(programs::find);
            let loads = program
                .and_then(Program::language)
                .is_some_and(|language| self.loads(command, language, environment, &coded));
            let input = command.redirects.iter().any(|redirect| redirect.read && self.has(&redirect.target));
            if let Some(opaque) = &mut command.opaque {
                opaque.written |= loads || input;
                if let Some(file) = &opaque.file {
                    opaque.written |=
                        any || self.has(file) || self.is_named(file) || is_in_code(file, &codes);
                }
                continue;
            }
            let Some(name) = command.name.known() else { continue };
            let builds = program.map_or(&[][..], |program| program.builds);
            let is_shell = |via: &String| {
                programs::find(via).is_some_and(|program| matches!(program.runs, Runs::Shell(_)))
            };
            let starts =
                || command.via.iter().any(is_shell) && STARTUP.iter().any(|file| self.names.contains(*file));
            let told = command.assignments.iter().find(|(name, value)| {
                let module = value.known().is_some_and(|value| self.names.contains(&format!("{value}.py")));
                variables::names_file(name) && value.known() != Some("") && (module || self.has(value))
            });
            let told = told.filter(|_| !name.is_empty()).map(|(_, value)| value.clone());
            let file = if told.is_some() {
                told
            } else if self.has(&command.path) && !matches!(name, "" | "[" | "." | "..") {
                Some(command.path.clone())
            } else if program.is_some_and(Program::runs_files) {
                let made = || {
                    let file = builds.iter().find_map(|file| self.named_so(file));
                    file.map(|file| Word::Known(file.to_owned()))
                };
                // to a build tool the first word is a command of its own
                let interprets = name == "java"
                    || program.is_some_and(|program| matches!(program.runs, Runs::Code(_) | Runs::Shell(_)));
                self.argument(command, name.starts_with("py"), interprets).cloned().or_else(made)
            } else {
                None
            };
            let reads = input && program.and_then(Program::language).is_some();
            let file = file.or_else(|| (loads || reads).then(|| Word::unknown("a file of this text", false)));
            let file = file.or_else(|| starts().then(|| Word::unknown("a start-up file", false)));
            if let Some(file) = file {
                let opaque = Opaque {
                    kind: OpaqueKind::File,
                    language: None,
                    code: None,
                    file: Some(file),
                    written: true,
                };
                command.opaque = Some(opaque);
            }
        }
    }
}

/// Returns the names in code of the text that may write files: `awk '{ print > "json.py" }'`, `sed 'w json.py'`.
fn coded(commands: &[Command]) -> Vec<String> {
    let mut names = Vec::new();
    for command in commands {
        let program = command.name.known().and_then(programs::find);
        let sed = program.is_some_and(|program| matches!(program.runs, Runs::Sed));
        let args = command.args.iter().filter_map(Word::known);
        let args = args.filter(|_| sed || program.and_then(Program::language) == Some("awk"));
        let code = command.opaque.as_ref().and_then(|opaque| opaque.code.as_deref());
        let writes = |text: &&str| {
            if sed {
                text.contains('w')
            } else {
                ["write", "'w", "\"w", ">", "cp", "copy", "rename"].iter().any(|sign| text.contains(sign))
            }
        };
        for text in args.chain(code).filter(writes) {
            let apart = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '-');
            names.extend(text.split(apart).filter(|name| name.contains('.')).map(str::to_owned));
        }
    }
    names
}

/// Returns git's own command, behind options with which it runs elsewhere.
fn git_command(args: &[Item]) -> Option<&str> {
    let mut at = 0;
    while let Some(text) = args.get(at)?.word.known() {
        match text {
            "-C" | "-c" | "--git-dir" | "--work-tree" => at += 2,
            _ if text.starts_with('-') => at += 1,
            _ => return Some(text),
        }
    }
    None
}

/// Returns whether a command brings files of names that do not stand in its arguments into folders where interpreters look.
fn brings(name: &str, program: Option<&Program>, args: &[Item]) -> bool {
    let known = || args.iter().filter_map(|item| item.word.known());
    let has = |words: &[&str]| known().any(|text| words.contains(&text));
    let first = args.first().and_then(|item| item.word.known()).unwrap_or_default();
    match name {
        "tar" | "gtar" | "bsdtar" => {
            let letters = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('x');
            !first.starts_with('-') && first.contains('x')
                || known()
                    .any(|text| letters(text) || ["--ex", "--get"].iter().any(|long| text.starts_with(long)))
        }
        "unzip" => {
            !known().any(|text| text.starts_with('-') && text.contains(['l', 't', 'p', 'v', 'Z', 'c']))
        }
        "7z" | "7za" | "7zr" | "7zz" | "unrar" => matches!(first, "x" | "e"),
        "ar" => first.contains('x'),
        "git" => match git_command(args) {
            Some(
                "apply" | "am" | "checkout-index" | "restore" | "read-tree" | "clone" | "submodule"
                | "worktree",
            ) => true,
            Some("stash") => has(&["pop", "apply"]),
            // of another commit only the files that are named; a branch is what the project is
            Some("checkout") => has(&["--"]) || known().any(|text| text == "."),
            _ => false,
        },
        "cp" | "mv" | "rsync" | "scp" | "ln" | "install" | "gcp" | "gmv" => {
            let into = args.last().is_some_and(|item| {
                matches!(item.word.known(), Some("." | "./" | "..")) || item.word.text().ends_with("/.")
            });
            let whole = args.iter().any(|item| {
                let text = item.word.text();
                item.word.known().is_none()
                    || text.ends_with('/')
                    || text.ends_with("/.")
                    || text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R', 'a'])
            });
            into && whole
        }
        _ if programs::find(name).and_then(Program::language) == Some("python") => {
            has(&["zipfile", "tarfile"]) && has(&["-e", "--extract"])
        }
        _ => program.is_some_and(|program| program.is(Role::Unpacks)),
    }
}

/// Returns whether code of the text has a file's name in it.
fn is_in_code(word: &Word, codes: &[String]) -> bool {
    let Some(name) = word.known().map(basename).filter(|name| !name.is_empty()) else { return false };
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    codes.iter().any(|code| {
        code.match_indices(name).any(|(at, _)| {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            let after = code.get(at + name.len()..).and_then(|text| text.chars().next());
            apart(before) && apart(after)
        })
    })
}
