//! `snaphook run` with a model, as a user and as CI have it: a scripted model on loopback, real processes, real files. The driver's own
//! tests, with every bad stream, are in `snaphook-agent`.

use std::process::{Child, Stdio};

use serde_json::{Value, json};
use snaphook_testing::model::{Call, Exchange, ScriptedModel, Wire};
use tokio::runtime::Runtime;

use crate::support::{CommandOutput, Sandbox};

pub const KEY: &str = "sk-test-0123456789abcdef";

/// A place with a model.
pub struct Place {
    pub sandbox: Sandbox,
    pub model: ScriptedModel,
    _runtime: Runtime,
}

impl Place {
    /// A model that answers this, and a hook that allows what is not `bad`.
    pub fn new(script: impl IntoIterator<Item = Exchange>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let model = runtime.block_on(ScriptedModel::start(script)).unwrap();
        let sandbox = Sandbox::new();
        sandbox.write(
            "config/hooks/gate.lua",
            r#"on("tool_call", function(event)
                if event.command and event.command:find("bad") then return { block = true, reason = "not bad things" } end
                if event.command and event.command:find("stop") then return { block = true, reason = "enough", terminate = true } end
                if event.command and event.command:find("maybe") then return { ask = "Really?" } end
                if not (event.command and event.command:find("unknown")) then return { allow = true } end
            end)"#,
        );
        sandbox.write(
            "config/config.toml",
            format!(
                "[model]\nname = \"openai-chat/test-1\"\nbase_url = \"{}\"\n",
                model.url(Wire::OpenAiChat)
            ),
        );
        Place { sandbox, model, _runtime: runtime }
    }

    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.sandbox.command(&[&["run"], args].concat());
        command.env("OPENAI_API_KEY", KEY).env("ANTHROPIC_API_KEY", KEY).stdin(Stdio::null()).spawn().unwrap()
    }

    pub fn run(&self, args: &[&str]) -> CommandOutput {
        self.sandbox.finish(self.spawn(args))
    }

    fn ran(&self) -> String {
        std::fs::read_to_string(self.sandbox.path("project/ran")).unwrap_or_default()
    }

    /// The lines of the newest session's file.
    fn session(&self) -> Vec<Value> {
        let mut files: Vec<_> = std::fs::read_dir(self.sandbox.path("state/runs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let text = std::fs::read_to_string(files.last().unwrap()).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn bash(command: &str) -> Exchange {
    Exchange::calls([Call::new("bash", json!({ "command": command }))])
}

pub fn steps(said: &CommandOutput) -> Vec<Value> {
    said.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn an_agent_works_in_the_folder_and_its_session_is_kept() {
    let place = Place::new([
        bash("echo one >> ran"),
        bash("echo bad >> ran"),
        Exchange::text("Done."),
        Exchange::text("More."),
    ]);
    let said = place.run(&["make it so"]);
    assert_eq!((said.code, place.ran().as_str()), (0, "one\n"), "{said:?}");
    for part in [
        "> make it so",
        "allowed bash echo one >> ran",
        "held: -p guarded",
        "not bad things",
        "Done.",
        "3 turns, 108 tokens",
        "go on: snaphook run --resume ",
    ] {
        assert!(said.stdout.contains(part), "{part} in {}", said.stdout);
    }
    // What the model heard of the denial.
    assert!(place.model.requests()[2].body.to_string().contains("not bad things"));
    let listed = place.sandbox.run(&["sessions", "--json"]).document();
    assert_eq!(listed["sessions"][0]["prompt"], "make it so");
    let said = place.run(&["--continue", "and now?"]);
    assert_eq!(said.code, 0, "{said:?}");
    let body = place.model.requests().last().unwrap().body.to_string();
    assert!(body.contains("echo one >> ran") && body.contains("and now?"), "{body}");
}

#[test]
fn without_any_hook_nothing_is_let_through() {
    let place = Place::new([bash("echo one >> ran"), Exchange::text("Done.")]);
    std::fs::remove_file(place.sandbox.path("config/hooks/gate.lua")).unwrap();
    let said = place.run(&["go"]);
    // Not even the prompt.
    assert_eq!((said.code, place.ran().as_str()), (2, ""), "{said:?}");
    assert!(said.stdout.contains("prompt blocked") && said.stdout.contains("`snaphook add`"), "{said:?}");
    assert!(place.model.requests().is_empty());
}

#[test]
fn in_ci_what_no_hook_allows_is_denied_and_the_run_goes_on() {
    let place = Place::new([
        bash("echo unknown >> ran"),
        bash("echo maybe >> ran"),
        bash("echo fine >> ran"),
        Exchange::text("Done."),
    ]);
    let said = place.run(&["--ci", "--summary", "summary.md", "go"]);
    assert_eq!((said.code, place.ran().as_str()), (0, "fine\n"), "{said:?}");
    let steps = steps(&said);
    let last = steps.last().unwrap();
    assert_eq!(
        (last["step"].as_str(), last["summary"]["ending"].as_str()),
        (Some("summary"), Some("completed"))
    );
    assert_eq!((last["summary"]["calls"].as_u64(), last["summary"]["denied"].as_u64()), (Some(3), Some(2)));
    let summary = std::fs::read_to_string(place.sandbox.path("project/summary.md")).unwrap();
    for part in [
        "# snaphook run: completed",
        "3 calls (2 denied)",
        "> go",
        "> Done.",
        "| `bash echo unknown >> ran` |",
    ] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
    // Nobody watches, so that answers come whole.
    assert!(place.model.requests().iter().all(|request| !request.streamed));
}

#[test]
fn exit_codes_say_how_it_ended() {
    let cases: Vec<(Vec<Exchange>, &[&str], i32, &str)> = vec![
        (vec![Exchange::text("hi")], &["go"], 0, "hi"),
        (vec![Exchange::status(400)], &["go"], 1, "the model cannot be asked: 400"),
        (vec![bash("stop")], &["go"], 2, "terminated:"),
        (
            vec![bash("true"), bash("true")],
            &["--max-turns", "1", "go"],
            4,
            "the limit of turns is reached (`--max-turns`)",
        ),
        (
            vec![Exchange::text("x").hold("never")],
            &["--timeout", "1s", "go"],
            4,
            "the time is over (`--timeout`)",
        ),
        (
            vec![Exchange::text("x")],
            &["--iterations", "1", "--until", "DONE", "go"],
            4,
            "the limit of iterations",
        ),
        (
            vec![Exchange::text("x")],
            &["--iterations", "5", "go"],
            1,
            "no further iteration: the agent made no tool call",
        ),
    ];
    for (script, args, code, text) in cases {
        let place = Place::new(script);
        let said = place.run(args);
        assert_eq!(said.code, code, "{args:?} {said:?}");
        assert!(said.stdout.contains(text), "{args:?}: {text} in {}", said.stdout);
    }
}

#[test]
fn what_is_wrong_with_the_command_line_is_said_before_anything_runs() {
    let place = Place::new([]);
    let cases: &[(&[&str], &str)] = &[
        (&["--model", "gpt-5", "go"], "\"gpt-5\" names no provider; write PROVIDER/NAME"),
        (&["--model", "antropic/x", "go"], "did you mean \"anthropic\"?"),
        (&["--base-url", "localhost:1", "go"], "`--base-url` localhost:1"),
        (&["--model", "openai-chat/x"], "and no task"),
        (&[" "], "the prompt is empty"),
        (&["--resume", "nope", "go"], "there is no session nope; `snaphook sessions` lists them"),
        (&["--continue", "go"], "there is no session of this project to go on with"),
        (&["--system", "missing.txt", "go"], "missing.txt"),
        (&["--timeout", "soon", "go"], "such as 90s, 15m or 2h"),
        (&["--until", "x", "go"], "--iterations"),
        (&["--replay", "x.jsonl", "go"], "cannot be used with"),
    ];
    for (args, text) in cases {
        let said = place.run(args);
        assert_eq!(said.code, 64, "{args:?} {said:?}");
        assert!(said.stderr.contains(text), "{args:?}: {text} in {}", said.stderr);
    }
    assert!(place.model.requests().is_empty());
    place.sandbox.write("config/config.toml", "");
    let said = place.run(&["go"]);
    assert!(
        said.code == 64 && said.stderr.contains("no model is named: `--model PROVIDER/NAME`"),
        "{said:?}"
    );
    let said = place.sandbox.run(&["run", "--model", "anthropic/x", "go"]);
    assert!(
        said.code == 64
            && said.stderr.contains("anthropic needs a key: set ANTHROPIC_API_KEY in the environment"),
        "{said:?}"
    );
    // A project cannot say where the conversation goes.
    place.sandbox.write(
        "project/.snaphook/config.toml",
        "[model]\nname = \"openai-chat/x\"\nbase_url = \"http://127.0.0.1:9\"\n",
    );
    let said = place.sandbox.run(&["list"]);
    assert!(said.stdout.contains("`model` can be set in the user's config.toml only"), "{said:?}");
}

#[test]
fn lifecycle_commands_and_checks_run_around_iterations() {
    let place = Place::new([
        bash("echo a >> work; echo one >> ran"),
        Exchange::text("one"),
        bash("echo b >> work; touch ../home/ok"),
        Exchange::text("two DONE"),
        // What waits when the loop is over is given to the agent once more.
        Exchange::text("I see."),
    ]);
    place.sandbox.write(
        "project/.snaphook/lifecycle.yml",
        "version: 1\nhooks:\n  session_start:\n    - command: echo started\n      pipe_output: true\n  pre_iteration:\n    - command: echo \
         before {{iteration}}\n      pipe_output: true\n  post_iteration:\n    - command: echo after {{iteration}}\n      pipe_output: \
         true\n  session_end:\n    - command: echo ended > ended\n",
    );
    place.sandbox.trust_all();
    let said = place.run(&["--headless", "--iterations", "5", "--until", "DONE", "go"]);
    assert_eq!(said.code, 0, "{said:?}");
    let asked: Vec<String> =
        place.model.requests().iter().map(|request| request.body["messages"].to_string()).collect();
    assert!(asked[0].contains("started") && asked[0].contains("before 1"), "{}", asked[0]);
    assert!(asked[2].contains("after 1") && asked[2].contains("before 2"), "{}", asked[2]);
    assert!(asked.len() == 5 && asked[4].contains("after 2"), "{asked:?}");
    assert_eq!(std::fs::read_to_string(place.sandbox.path("project/ended")).unwrap(), "ended\n");
}

/// The workflow of docs/run.md is YAML, and its command runs as it stands there.
#[cfg(unix)]
#[test]
fn the_workflow_of_the_page_runs() {
    let page = std::fs::read_to_string(crate::support::repository("docs/run.md")).unwrap();
    let yaml = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let workflow: Value = serde_saphyr::from_str(yaml).unwrap();
    let step = &workflow["jobs"]["mend"]["steps"][1];
    assert!(step["env"]["ANTHROPIC_API_KEY"].is_string(), "{step}");
    let command = step["run"].as_str().unwrap();
    let place = Place::new([bash("echo fine >> ran"), Exchange::text("Done.")]);
    place.sandbox.write(
        "config/config.toml",
        format!("[model]\nname = \"anthropic/x\"\nbase_url = \"{}\"\n", place.model.url(Wire::Anthropic)),
    );
    place
        .sandbox
        .write("project/ci/hooks/ci.lua", "on(\"tool_call\", function() return { allow = true } end)\n");
    let summary = place.sandbox.path("summary.md");
    let mut shell = place.sandbox.program("sh", &["-c", command]);
    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_snaphook")).parent().unwrap();
    let path = std::env::join_paths(
        [programs.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    shell.env("PATH", path.unwrap()).env("ANTHROPIC_API_KEY", KEY).env("GITHUB_STEP_SUMMARY", &summary);
    let said = place.sandbox.finish(shell.spawn().unwrap());
    assert_eq!((said.code, place.ran().as_str()), (0, "fine\n"), "{said:?}");
    assert!(std::fs::read_to_string(summary).unwrap().starts_with("# snaphook run: completed"));
    // Of another provider the address is its own, and no key goes to that of the settings.
    let mut command = place.sandbox.command(&["run", "--model", "openai/x", "go"]);
    let said = place.sandbox.finish(command.spawn().unwrap());
    assert!(said.code == 64 && said.stderr.contains("openai needs a key"), "{said:?}");
}

/// A session that does all it can to get at the key: tools, hooks, lifecycle commands and the command that ends it.
#[test]
fn the_key_is_in_nothing_that_is_written_and_in_no_child() {
    let place = Place::new([
        bash(
            "env > env-of-tool; cat /proc/$PPID/environ /proc/self/environ >> env-of-tool 2>/dev/null; true",
        ),
        Exchange::text(format!("not the key {}", &KEY[..6])),
    ]);
    place.sandbox.write(
        "config/hooks/env.lua",
        "-----\n-- name: env\n-- description: tries to read the key\n-- grants:\n--   exec: [sh]\n--   env: [OPENAI_API_KEY, ANTHROPIC_API_KEY]\n-----\n\
         on(\"tool_call\", function(event, ctx)\n  local said = ctx.exec(\"sh\", {\"-c\", \"env > env-of-hook\"})\n  ctx.log(tostring(snaphook.env.get(\"OPENAI_API_KEY\")))\n  return { allow = true }\nend)\n",
    );
    let args = [
        "--headless",
        "--json",
        "--iterations",
        "1",
        "--until-command",
        "env > env-of-until",
        "--summary",
        "summary.md",
        "go",
    ];
    let mut command = place.sandbox.command(&[&["run"], &args[..]].concat());
    // The most that can be logged.
    let command =
        command.env("OPENAI_API_KEY", KEY).env("ANTHROPIC_API_KEY", KEY).env("SNAPHOOK_LOG", "trace");
    let said = place.sandbox.finish(command.spawn().unwrap());
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!format!("{said:?}").contains(KEY));
    let mut looked_at = 0;
    for folder in ["project", "state", "home", "config"] {
        for entry in walk(&place.sandbox.path(folder)) {
            let bytes = std::fs::read(&entry).unwrap();
            looked_at += 1;
            assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()), "{}", entry.display());
        }
    }
    assert!(looked_at > 6, "{looked_at}");
    for file in ["env-of-tool", "env-of-hook", "env-of-until"] {
        let text = std::fs::read_to_string(place.sandbox.path("project").join(file)).unwrap_or_default();
        assert!(text.contains("PATH="), "{file}: {text}");
    }
    // It went where it should.
    assert!(
        place
            .model
            .requests()
            .iter()
            .all(|request| request.header("authorization") == Some(&format!("Bearer {KEY}")))
    );
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files.extend(walk(&entry.path()));
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files
}

/// Killed at many moments, a session goes on with what was said, and no call runs twice.
#[cfg(unix)]
#[test]
fn a_session_that_is_killed_goes_on_and_no_call_runs_twice() {
    // `SNAPHOOK_TEST_KILLS=200` for the count that was asked for.
    let kills: u32 =
        std::env::var("SNAPHOOK_TEST_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(12);
    let calls = |turn: u32| {
        let call = |part: u32| {
            Call::new("bash", json!({ "command": format!("echo t{turn}c{part} >> ran; sleep 0.05") }))
        };
        Exchange::text(format!("turn {turn}")).and_call(call(1)).and_call(call(2))
    };
    for kill in 0..kills {
        let mut script: Vec<Exchange> = (0..4).map(calls).collect();
        script.push(Exchange::text("Done."));
        // What the second process asks for begins where the first was.
        let place = Place::new(script);
        let mut child = place.spawn(&["--headless", "--json", "go"]);
        // Spread over the life of the process, which is half a second or so.
        let moment = std::time::Duration::from_millis(u64::from(kill) * 700 / u64::from(kills));
        std::thread::sleep(moment);
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        let ended = output.status.success();
        let said_before: Vec<String> = if place.sandbox.path("state/runs").exists() {
            place
                .session()
                .iter()
                .filter(|line| line["type"] == "turn")
                .map(|line| line["text"].to_string())
                .collect()
        } else {
            // Not even begun.
            continue;
        };
        if ended || place.session().is_empty() {
            continue;
        }
        for _ in 0..6 {
            place.model.push(Exchange::text("I go on."));
        }
        let said = place.run(&["--headless", "--json", "--continue", "go on"]);
        assert_eq!(said.code, 0, "kill {kill}: {said:?}");
        let lines = place.session();
        let turns: Vec<String> =
            lines.iter().filter(|line| line["type"] == "turn").map(|line| line["text"].to_string()).collect();
        assert!(turns.starts_with(&said_before), "kill {kill}: {turns:?} {said_before:?}");
        let ran = place.ran();
        let mut once: Vec<&str> = ran.lines().collect();
        once.sort_unstable();
        let all = once.len();
        once.dedup();
        assert_eq!(once.len(), all, "kill {kill}: {ran}");
    }
}

/// Ctrl-C, and the request to end: the tool ends, the session is whole, and the exit code says so.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_session_in_the_midst_of_a_tool() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let place = Place::new([bash("echo begun > ran; sleep 600")]);
        let child = place.spawn(&["--headless", "go"]);
        while place.ran().is_empty() {
            std::thread::yield_now();
        }
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        let said = place.sandbox.finish(child);
        assert_eq!(said.code, 130, "{said:?}");
        assert!(said.stdout.contains("(interrupted)"), "{said:?}");
        let lines = place.session();
        assert!(lines.iter().any(|line| line["type"] == "started"), "{lines:?}");
    }
}
