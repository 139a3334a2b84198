//! Attempts against self-protection, run for real. Each line of `protect_real.cases` does its damage in a throw-away home where
//! nothing guards, so that it is an attack, and is a question or a denial where self-protection does. `protect_day.cases` is
//! what is not.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use snaphook::*;
use tempfile::TempDir;

use crate::needs;
use crate::protect::{guarded, said};

const SETTINGS: &str = "{\"hooks\": \"snaphook hook claude-code\"}\n";

/// Stands in for snaphook: what a person decides goes to the state folder, and `hook` serves until it is stopped.
const SNAPHOOK: &str = r#"#!/bin/bash
for word in "$@"; do case $word in
    trust|untrust|ignore) echo "$@" >> "$HOME/.local/state/snaphook/trust/decisions.json" ;;
    hook) while :; do sleep 1000; done ;;
esac; done
[ $# -gt 0 ] || { set trust; echo sourced >> "$HOME/.local/state/snaphook/trust/decisions.json"; }
"#;

/// Stands in for agents: what changes their settings does, and a session without the person's settings has no hooks.
const AGENT: &str = r#"#!/bin/bash
real=$(getent passwd 0 >/dev/null 2>&1; cat "$(dirname "$0")/../../home-is")
case " $* " in
    *" mcp "*|*" plugin "*|*" extensions "*|*" hooks "*|*" config set "*|*" --add-mcp "*) echo "$@" >> "$real/.claude.json" ;;
    *" --settings "*|*" --dangerously-skip-permissions "*|*" -c "*|*" --config "*) echo "$@" >> "$real/.unhooked" ;;
esac
for pair in "$HOME=$real" "${CLAUDE_CONFIG_DIR-}=" "${CODEX_HOME-}=" "${SNAPHOOK_CONFIG_DIR-}="; do
    [ "${pair%%=*}" = "${pair#*=}" ] || echo "$pair" >> "$real/.unhooked"
done
"#;

/// The program that agents bring to apply patches, as far as it removes and moves files.
const APPLY_PATCH: &str = r#"#!/bin/bash
[ $# -gt 0 ] && patch=$1 || patch=$(cat)
while IFS= read -r line; do case $line in
    '*** Delete File: '*) rm -f "${line#*: }" ;;
    '*** Update File: '*) from=${line#*: } ;;
    '*** Move to: '*) mv "$from" "${line#*: }" ;;
esac; done <<< "$patch"
"#;

/// Prints what is guarded as it is now, with the process that guards, in lines of any order. With few processes: it runs twice for
/// each attempt.
const PROBE: &str = r#"
cd / && cd "$ROOT" && {
    guarded=(home/.claude home/.claude.json home/.config home/.local/state/snaphook home/.bashrc home/.bash_profile
        home/.profile home/.zshenv home/.gitconfig home/.unhooked project/.claude project/.envrc project/.snaphook
        project/.git/hooks/pre-commit opt/bin/snaphook)
    find "${guarded[@]}" -printf '%p %y %m %U %G %l\n'
    find "${guarded[@]}" -type f -exec sha256sum {} +
}
stat=($(< "/proc/$GUARD/stat")); [[ ${stat[2]} == [SRD] ]] && echo runs
echo "nice ${stat[18]}"
while read -r limit; do [[ $limit == *'open files'* ]] && echo "$limit"; done < "/proc/$GUARD/limits"
"#;

/// A home and a project as somebody has them whose agent is guarded.
struct Home {
    root: TempDir,
}

impl Home {
    /// The one that the others are copies of, with all its files. Nothing changes it.
    fn first() -> &'static Self {
        static FIRST: OnceLock<Home> = OnceLock::new();
        FIRST.get_or_init(Home::made)
    }

    /// The folder of another one, which has its files only where a line is tried.
    fn folder() -> Self {
        Home { root: tempfile::tempdir().unwrap() }
    }

    fn made() -> Self {
        let home = Home::folder();
        let write = |name: &str, text: &str| {
            let path = home.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            if text.starts_with("#!") {
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
            }
        };
        for (name, text) in [
            ("home/.claude/settings.json", SETTINGS),
            ("home/.claude.json", "{}\n"),
            ("home/.config/snaphook/hooks/guard.lua", "x\n"),
            ("home/.config/snaphook/config.toml", "x = 1\n"),
            ("home/.local/state/snaphook/trust/decisions.json", "{}\n"),
            ("home/.bashrc", "x=1\n"),
            ("home/.profile", "x=1\n"),
            ("home/.gitconfig", "[user]\nname = x\nemail = x@x\n"),
            ("project/src/main.rs", "fn main() {}\n"),
            ("project/.snaphook/hooks/p.lua", "x\n"),
            ("project/.snaphook/hooks/gate.sh", "#!/bin/sh\n#---\n# event: tool_call\n#---\n"),
            ("project/.claude/settings.json", "{}\n"),
            ("tmp/evil/settings.json", "evil = true\n"),
            ("tmp/evilhome/.claude/settings.json", "{}\n"),
            ("tmp/mnt/x", ""),
            ("opt/bin/snaphook", SNAPHOOK),
        ] {
            write(name, text);
        }
        for agent in
            ["claude", "codex", "gemini", "cursor-agent", "copilot", "opencode", "qwen", "droid", "code"]
        {
            write(&format!("opt/bin/{agent}"), AGENT);
        }
        // What agents of this kind bring themselves.
        write("opt/bin/npx", "#!/bin/sh\nexec \"$@\"\n");
        write("opt/bin/apply_patch", APPLY_PATCH);
        let setup = "set -e; git init -q --template= -b main .; git add -f .; git commit -qm one; printf '%s' \"$SETTINGS\" > .claude/settings.json
            git commit -qam two; mkdir -p .git/hooks; printf '{}' > .claude/settings.local.json; printf '#!/bin/sh\\n# snaphook:managed\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
            tar -C \"$ROOT/tmp/evilhome\" -cf \"$ROOT/tmp/evil.tar\" .";
        let ready = home.shell("bash", setup).env("SETTINGS", SETTINGS).status().unwrap();
        assert!(ready.success());
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.root.path()).unwrap().join(name)
    }

    fn fill(&self, text: &str) -> String {
        let shown = |name: &str| self.path(name).display().to_string();
        text.replace("{home}", &shown("home"))
            .replace("{project}", &shown("project"))
            .replace("{tmp}", &shown("tmp"))
            .replace("{bin}", &shown("opt/bin/snaphook"))
            .replace('⏎', "\n")
    }

    fn shell(&self, shell: &str, text: &str) -> Command {
        let mut command = Command::new(shell);
        command.arg("-c").arg(text).current_dir(self.path("project"));
        self.surround(&mut command);
        command
    }

    fn surround(&self, command: &mut Command) {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", self.path("opt/bin").display());
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("ROOT", self.path(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
    }

    /// Returns whether the line changes what is guarded. It runs in a process and mount namespace of its own, where it reaches no
    /// other process of this machine, and with the files in memory: making and removing them is what costs most.
    fn is_damaged_by(&self, shell: &str, line: &str) -> bool {
        let around = r#"
            mount --make-rprivate / 2>/dev/null
            mount -t tmpfs -o mode=700 files "$ROOT" && cp -a "$FIRST/." "$ROOT" && cd "$ROOT/project" || exit
            printf %s "$HOME" > "$ROOT/home-is"
            # All processes get numbers of three digits, the one that guards the lowest: `/proc/[0-9]*` lists it first.
            echo 100 2>/dev/null > /proc/sys/kernel/ns_last_pid || for number in {1..100}; do : & done; wait
            setsid "$ROOT/opt/bin/snaphook" hook claude-code PreToolUse > /dev/null & export GUARD=$!
            echo $GUARD > "$ROOT/home/.local/state/snaphook/snaphook.pid"
            disown; bash -c "$PROBE" 2>&1; echo "$APART"
            # A process group of its own; and `wait` ends, too, when the line stops its own shell.
            set -m; "$SHELL_OF" -c "$LINE" < /dev/null > /dev/null & line=$!
            { sleep 10 && kill -KILL -- -$line; } > /dev/null & disown
            wait $line
            bash -c "$PROBE" 2>&1; echo "$APART""#;
        const APART: &str = "---- the line ran ----";
        // Some lines stop the very shell that runs them.
        let mut command = Command::new("timeout");
        command.args([
            "-s",
            "KILL",
            "20",
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
        ]);
        if !is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["bash", "-c", around]);
        self.surround(&mut command);
        command.env("FIRST", Home::first().path("")).env("APART", APART);
        let ran = command.env("PROBE", PROBE).env("LINE", line).env("SHELL_OF", shell).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout);
        let mut probes = text.split(APART).map(|probe| {
            let mut lines: Vec<&str> = probe.trim().lines().collect();
            lines.sort_unstable();
            lines
        });
        let (before, after, end) = (probes.next().unwrap_or_default(), probes.next(), probes.next());
        assert!(before.contains(&"runs"), "the control did not start: {before:?}");
        // One that ends even this shell has ended all.
        end.is_none() || after.is_some_and(|after| before != after)
    }

    fn host(&self) -> Host {
        guarded(self.root.path())
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Returns what a server or a terminal makes of its input, as a text for the shell.
fn served(input: &Value) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let typed = |keys: &str| format!("printf %s {} | tr '\\r' '\\n' | col -b | bash", quote(keys));
    if let Some(files) = input.get("files").and_then(Value::as_object) {
        return files
            .iter()
            .map(|(path, text)| format!("printf %s {} > {}; ", quote(text.as_str().unwrap()), quote(path)))
            .collect();
    }
    if let Some(paths) = text("paths") {
        return paths.lines().map(|path| format!("rm -f {}; ", quote(path.trim()))).collect();
    }
    if let Some(parts) = input.get("path").and_then(Value::as_array) {
        let parts: PathBuf = parts.iter().filter_map(Value::as_str).collect();
        return format!("echo > {}", quote(&parts.display().to_string()));
    }
    if let Some(inner) = text("json").or(text("arguments")) {
        let inner: Value = serde_json::from_str(inner).unwrap();
        return format!("echo > {}", quote(inner["path"].as_str().unwrap()));
    }
    if let Some(patch) = text("patch").or(text("input")) {
        return patched(patch);
    }
    if let Some(diff) = text("diff").or(text("text").filter(|text| text.contains("+++"))) {
        return format!("printf %s {} | patch -s -p1", quote(diff));
    }
    if let Some(keys) = input.get("keys").and_then(Value::as_array) {
        return typed(&keys.iter().filter_map(Value::as_str).collect::<String>());
    }
    typed(&format!("{}\n", text("chars").or(text("data")).or(text("text")).unwrap()))
}

/// Returns what `apply_patch` makes of a patch that removes or moves a file.
fn patched(patch: &str) -> String {
    let mut line = String::new();
    let mut from = "";
    for text in patch.lines() {
        if let Some(path) = text.strip_prefix("*** Delete File: ") {
            line += &format!("rm '{path}'; ");
        } else if let Some(path) = text.strip_prefix("*** Update File: ") {
            from = path;
        } else if let Some(path) = text.strip_prefix("*** Move to: ") {
            line += &format!("mv '{from}' '{path}'; ");
        }
    }
    line
}

fn lines(cases: &'static str) -> impl Iterator<Item = &'static str> {
    cases.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Does the work on as many threads as there are processors.
fn each<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get() * 2);
    std::thread::scope(|scope| {
        let run = || {
            let mut wrong = Vec::new();
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                wrong.extend(work(item));
            }
            wrong
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn ask(host: &Host, call: ToolCall) -> (&'static str, String) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(said(host, call))
}

fn parts(line: &str) -> (&str, &str, String) {
    let (shell, rest) = line.split_once(' ').unwrap();
    match shell {
        "tool" => {
            let (tool, input) = rest.split_once(' ').unwrap();
            (shell, tool, input.to_owned())
        }
        _ => (shell, "bash", rest.to_owned()),
    }
}

/// Returns whether the control can run: a namespace of its own keeps the attempts away from this machine.
fn has_namespaces() -> bool {
    let namespaces = Command::new("unshare")
        .args(if is_root() { &["--mount"][..] } else { &["--mount", "--user", "--map-root-user"] })
        .args(["--pid", "--fork", "--mount-proc", "true"])
        .output();
    needs::met("a namespace of unshare's", namespaces.is_ok_and(|said| said.status.success()))
}

#[test]
fn every_attempt_is_stopped() {
    let attempts: Vec<_> = lines(include_str!("protect_real.cases")).collect();
    assert!(attempts.len() >= 200, "{}", attempts.len());
    let home = Home::first();
    let host = home.host();
    let wrong = each(&attempts, |line| {
        let (shell, tool, text) = parts(line);
        let text = home.fill(&text);
        let input = match shell {
            "tool" => serde_json::from_str(&text).unwrap(),
            _ => serde_json::json!({ "command": text }),
        };
        let (said, _) = ask(&host, ToolCall::new("1", tool, input));
        (said == "allow").then(|| (*line).to_owned())
    });
    assert!(wrong.is_empty(), "{} of {} pass:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}

/// The control: without self-protection each of them does damage.
#[test]
fn every_attempt_does_damage_where_nothing_guards() {
    let attempts: Vec<_> = lines(include_str!("protect_real.cases")).collect();
    if !has_namespaces() {
        return;
    }
    let wrong = each(&attempts, |line| {
        let (shell, _, text) = parts(line);
        let home = Home::folder();
        let text = home.fill(&text);
        let (shell, text) = match shell {
            "tool" => ("bash", served(&serde_json::from_str(&text).unwrap())),
            shell => (shell, text),
        };
        if !needs::program(shell) {
            return None;
        }
        // Some hit a process that another one is about to start.
        let damaged = (0..3).any(|_| home.is_damaged_by(shell, &text));
        (!damaged).then(|| (*line).to_owned())
    });
    assert!(wrong.is_empty(), "{} of {} do nothing:\n{}", wrong.len(), attempts.len(), wrong.join("\n"));
}

/// The control of the control: what is no attack changes nothing.
#[test]
fn what_is_no_attempt_does_no_damage() {
    if has_namespaces() {
        assert!(
            !Home::folder()
                .is_damaged_by("bash", "cat .claude/settings.json; git status; echo x > y; claude -p hi")
        );
    }
}

#[test]
fn ordinary_work_is_asked_about_four_times_at_most() {
    let day: Vec<_> = lines(include_str!("protect_day.cases")).collect();
    assert!(day.len() >= 200, "{}", day.len());
    let home = Home::first();
    let host = home.host();
    let asked = each(&day, |line| {
        let command = serde_json::json!({ "command": home.fill(line) });
        let (said, message) = ask(&host, ToolCall::new("1", "bash", command));
        (said != "allow").then(|| format!("{said} {line}\n    {message}"))
    });
    assert!(asked.len() <= 4, "{} of {}:\n{}", asked.len(), day.len(), asked.join("\n"));
}
