//! Soundness against the real bash: whatever bash runs, `commands` has reported.
//!
//! Each script runs in an empty folder with a PATH of stubs that log how they were called. A call must be among the
//! reported commands, with equal arguments where they are known.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use proptest::prelude::*;
use snaphook_shell::{Command, Word, commands};

const BASH: &str = "/bin/bash";
/// Stubs that log, and programs that are what they are.
const STUBS: [&str; 8] = ["rm", "mv", "ls", "git", "foo", "bar", "tee", "cc"];
const REAL: [&str; 12] =
    ["env", "nice", "nohup", "timeout", "xargs", "find", "stdbuf", "setsid", "cat", "true", "false", "sleep"];

struct Sandbox {
    dir: tempfile::TempDir,
    runs: Cell<u32>,
}

impl Sandbox {
    fn new() -> Self {
        assert!(Path::new(BASH).exists(), "this test needs {BASH}");
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::create_dir(dir.path().join("cwd")).unwrap();
        script(&bin.join("rm"), "printf '%s\\0' \"${0##*/}\" \"$@\" $'\\x01' >>\"$SNAP_LOG\"");
        for stub in &STUBS[1..] {
            symlink(bin.join("rm"), bin.join(stub)).unwrap();
        }
        script(
            &bin.join("sudo"),
            "while [[ $1 == -* || $1 == *=* ]]; do case $1 in -u|-g) shift 2;; --) shift; break;; *=*) export \"$1\"; shift;; *) shift;; esac; done; exec \"$@\"",
        );
        for real in REAL {
            let path =
                ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(real)).find(|path| path.exists());
            symlink(path.unwrap(), bin.join(real)).unwrap();
        }
        for shell in ["bash", "sh"] {
            symlink(BASH, bin.join(shell)).unwrap();
        }
        Self { dir, runs: Cell::new(0) }
    }

    /// The calls that bash makes for `text`: name and arguments.
    fn run(&self, text: &str) -> Vec<Vec<String>> {
        let root = self.dir.path();
        // a job that outlives its script must not write into the next one's log
        self.runs.set(self.runs.get() + 1);
        let log = root.join(format!("log{}", self.runs.get()));
        fs::write(&log, "").unwrap();
        let cwd: PathBuf = root.join("cwd");
        for entry in fs::read_dir(&cwd).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        fs::write(cwd.join("one.txt"), "").unwrap();
        fs::write(cwd.join("two.txt"), "").unwrap();
        Process::new("/usr/bin/timeout")
            .args(["2", BASH, "--norc", "--noprofile", "-c", text])
            .env_clear()
            .env("PATH", root.join("bin"))
            .env("HOME", "/nowhere")
            .env("FUNCNEST", "6")
            .env("ENVVAR", "rm -rf env")
            .env("SNAP_LOG", &log)
            .current_dir(&cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        // a background job may outlive its shell
        if text.contains('&') || text.contains("coproc") || text.contains(">(") {
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        let log = fs::read(&log).unwrap();
        let mut calls = vec![Vec::new()];
        for field in String::from_utf8_lossy(&log).split_terminator('\0') {
            if field == "\x01" {
                calls.push(Vec::new());
            } else {
                calls.last_mut().unwrap().push(field.to_owned());
            }
        }
        calls.retain(|call| !call.is_empty());
        calls
    }
}

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!{BASH}\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn args_match(words: &[Word], args: &[String]) -> bool {
    match words.split_first() {
        None => args.is_empty(),
        Some((Word::Known(text), rest)) => args.first() == Some(text) && args_match(rest, &args[1..]),
        Some((Word::Unknown { prefix, many, .. }, rest)) => {
            if *many {
                (0..=args.len()).any(|taken| args_match(rest, &args[taken..]))
            } else {
                args.first().is_some_and(|arg| arg.starts_with(prefix.as_str()))
                    && args_match(rest, &args[1..])
            }
        }
    }
}

fn reported(found: &[Command], call: &[String], dynamic: bool) -> bool {
    found.iter().any(|command| {
        (dynamic && command.dynamic)
            || (command.name == *call[0].as_str() && args_match(&command.args, &call[1..]))
    })
}

fn show(found: &[Command]) -> String {
    found.iter().map(|command| format!("  {command}\n")).collect()
}

/// One script a paragraph, between lines of `%`. `?` in front: a command that cannot be known may stand for a call.
/// `!` in front: the text must be refused although bash runs it. A number says how many calls bash makes at least.
#[test]
fn whatever_bash_runs_is_reported() {
    let sandbox = Sandbox::new();
    let mut failures = String::new();
    let mut count = 0;
    for entry in include_str!("shell_scripts.txt").split("\n%\n") {
        let (marks, text) = entry.split_once(' ').unwrap();
        count += 1;
        let least: usize = marks.trim_start_matches(['?', '!']).parse().unwrap();
        let calls = sandbox.run(text);
        if calls.len() < least {
            failures += &format!("bash made {} calls, not {least}: {text:?} {calls:?}\n", calls.len());
        }
        match commands(text) {
            Err(error) if !marks.starts_with('!') => failures += &format!("refused: {text:?}: {error}\n"),
            Err(_) => {}
            Ok(found) => {
                if marks.starts_with('!') {
                    failures += &format!("not refused: {text:?}\n{}", show(&found));
                }
                for call in calls.iter().filter(|call| !reported(&found, call, marks.starts_with('?'))) {
                    failures += &format!("missed {call:?} in {text:?}\n{}", show(&found));
                }
            }
        }
    }
    assert!(count >= 150, "only {count} scripts");
    assert!(failures.is_empty(), "{failures}");
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn leaf() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "a",
        "'b c'",
        "\"$X\"",
        "$X",
        "$Y",
        "{p,q}r",
        "{1..3}",
        "*.txt",
        "~",
        "$'\\x41'",
        "\\d",
        "a\\\nb",
        "\"x${Z:-y}\"",
        "$((1+2))",
        "$(echo hi)",
        "`echo \\`ls in\\``",
        "'#'",
        "#c",
        "<(ls p)",
        "${X}z",
        "\"$@\"",
        "$ENVVAR",
        "-rf",
        "{",
        "}",
        "!",
        "a=b",
        "2>&1",
        ">out",
        "${#X}",
        "\"\"",
        "\"`ls bq`\"",
        "${X:-d}",
        "${Q:-$(ls def)}",
        "in",
        "do",
        "${Y:+w}",
        "{a,{b,c}}",
        "a{b}c",
        "{a,b}{c,d}",
        "{a..c..2}",
        "{}",
        "{a}b,c}",
    ]);
    let name = prop::sample::select(vec![
        "rm",
        "mv",
        "r\\m",
        "'l's",
        "$X",
        "\"$X\"",
        "${X}",
        "{ls,g}",
        "sudo -u u rm",
        "env A=1 mv",
        "command ls",
        "exec rm",
        "nice -n 1 git",
        "xargs rm",
        "A=1 ls",
        "$'r\\155'",
        "eval rm",
        "timeout 4 mv",
        "\"\"ls",
        "$NONE rm",
        "builtin eval ls",
        "time rm",
        "! ls",
        ">o rm",
        "2>&1 mv",
        "nohup ls",
        "X=ls eval '$X'",
        "$ENVVAR",
    ]);
    let assign = prop::sample::select(vec![
        "X=rm",
        "X='mv -f'",
        "Y='a b'",
        "X=$Y",
        "X+=s",
        "unset X",
        "export X=ls",
        "read X <<< git",
        "IFS=m",
        "declare X=ls",
        "Y=*",
        "X=$(echo ls)",
        "set -- rm q",
        "shift",
        "X=${X/m/n}",
        "local X=1",
        "((Y=3))",
        "let Y=4",
        "printf -v X %s ls",
        "X=\"$X $Y\"",
        "X=",
        "f",
        "f() { ls f; X=git; }",
        "trap 'ls trap; X=mv' EXIT",
        "g() (rm \"$@\")",
        "g h",
        "declare -n X=Y",
        "readonly Y",
        "a=(1 $(ls arr))",
        "a[$(ls sub)]=2",
        "X=ls read Z <<< 1",
        ": ${X:=mv}",
    ]);
    prop_oneof![
        4 => (name, prop::collection::vec(words, 0..3)).prop_map(|(name, words)| format!("{name} {}", words.join(" "))),
        3 => assign.prop_map(str::to_owned),
    ]
}

fn program() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            2 => three.clone().prop_map(|(a, b, c)| format!("{a} || {b} && {c}")),
            1 => three.prop_map(|(a, b, c)| format!("{a} && {b} || {c} && {a}")),
            4 => pair.clone().prop_map(|(a, b)| format!("{a}\n{b}")),
            2 => pair.clone().prop_map(|(a, b)| format!("{a} && {b}")),
            2 => pair.clone().prop_map(|(a, b)| format!("{a} || {b}")),
            1 => pair.clone().prop_map(|(a, b)| format!("{a} | {b}")),
            1 => pair.clone().prop_map(|(a, b)| format!("if {a}\nthen {b}\nelse {a}\nfi")),
            1 => pair.clone().prop_map(|(a, b)| format!("for i in 1 2; do {a}\n{b}\ndone")),
            1 => pair.clone().prop_map(|(a, b)| format!("case x in y) {a};; (x) {b}\n;; esac")),
            1 => pair.prop_map(|(a, b)| format!("n=; while [ \"$n\" != xx ]; do n=x$n; {a}\n{b}\ndone")),
            1 => inner.clone().prop_map(|a| format!("( {a}\n)")),
            1 => inner.clone().prop_map(|a| format!("{{ {a}\n}} >out")),
            1 => inner.clone().prop_map(|a| format!("ls \"$( {a}\n)\" x")),
            1 => inner.clone().prop_map(|a| format!("eval {}", quote(&a))),
            1 => inner.clone().prop_map(|a| format!("bash -c {} n rm two", quote(&a))),
            1 => inner.clone().prop_map(|a| format!("bash <<'EOT'\n{a}\nEOT\n")),
            1 => inner.clone().prop_map(|a| format!("echo {} | sh", quote(&a))),
            1 => inner.clone().prop_map(|a| format!("cat <(ls p\n{a}\n) <<EOT\n$(ls doc)\nEOT\n")),
            1 => inner.clone().prop_map(|a| format!("f() {{ {a}\n}}\nf arg")),
            1 => inner.clone().prop_map(|a| format!("X={}; eval \"$X\"", quote(&a))),
            1 => inner.prop_map(|a| format!("[[ -n $( {a}\n) && x == x ]]")),
        ]
    })
}

#[test]
fn composed_scripts_are_reported() {
    let sandbox = Sandbox::new();
    let cases = std::option_env!("SNAP_CASES").and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    proptest!(config, |(text in program())| {
        let Ok(found) = commands(&text) else { return Ok(()) };
        for call in sandbox.run(&text) {
            prop_assert!(reported(&found, &call, true), "missed {call:?} in\n{text}\n{}", show(&found));
        }
    });
}
