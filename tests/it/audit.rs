//! `snaphook audit`, and that `check` and `run` write it with `--record`: many processes at once, killed ones, no place, no room.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Sandbox, causes, repository};

const GATE: &str = r#"on("tool_call", function(event)
  if event.command and event.command:find("rm") then return { block = true, reason = "no rm" } end
  if event.command == "x" then return { command = "y" } end
end)
on("tool_result", function(event)
  if event.content == "secret" then return { content = "***" } end
end)
"#;

fn place() -> Sandbox {
    let place = Sandbox::new();
    place.write("config/hooks/gate.lua", GATE);
    place
}

fn file(place: &Sandbox) -> PathBuf {
    place.path("state/audit/check.jsonl")
}

fn lines(place: &Sandbox, more: &[&str]) -> Vec<Value> {
    let said = place.run(&[&["audit", "show", "--json", "--limit", "0"], more].concat());
    assert_eq!(said.code, 0, "{said:?}");
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verify(place: &Sandbox) -> (i32, String) {
    let said = place.run(&["audit", "verify"]);
    (said.code, said.stdout)
}

#[test]
fn what_was_decided_is_shown_counted_and_holds() {
    let place = place();
    let empty = place.run(&["audit", "show"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (0, "nothing in [place]/state/audit\n"));
    assert_eq!(verify(&place), (0, "nothing in [place]/state/audit\n".to_owned()));

    assert_eq!(place.gate("ls", &[]).0, 0);
    assert_eq!(place.gate("rm a", &["--session", "s/1"]).0, 2);
    assert_eq!(place.gate("x", &["--session", "s/1"]).0, 0);
    let result = place.check("bash", &json!({"command": "cat"}), &["--result", "secret"]);
    assert_eq!(result.code, 0, "{result:?}");

    let all = lines(&place, &[]);
    let decisions: Vec<_> = all.iter().map(|line| line["decision"].as_str().unwrap_or("-")).collect();
    assert_eq!(decisions, ["allow", "deny", "allow", "-"]);
    assert_eq!(lines(&place, &["--denied"]).len(), 1);
    assert_eq!(lines(&place, &["--session", "s/1"]).len(), 2);
    let last = place.run(&["audit", "show", "--json", "--session", "s/1", "--limit", "1"]).document();
    assert_eq!(last["original_input"], json!({"command": "x"}));
    let hooks = all[0]["hooks"].as_array().unwrap();
    let gate = hooks.iter().find(|hook| hook["id"] == "gate").unwrap();
    let hash = gate["hash"].as_str().unwrap();
    assert!(hash.starts_with("sha256:") && hash.len() == 71, "{hash}");
    assert_eq!(all[3]["result"]["rewritten_by"], json!(["gate"]));

    let shown = place.run(&["audit", "show"]).stdout;
    for part in ["deny  bash [s/1]", "no rm", "was {\"command\":\"x\"}", "6 bytes became 3"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let stats = place.run(&["audit", "stats", "--json"]).document();
    assert_eq!(
        (&stats["decisions"], &stats["denied"], &stats["rewritten_results"]),
        (&json!(3), &json!(1), &json!(1))
    );
    let hook = &stats["hooks"][0];
    assert_eq!((&hook["hook"], &hook["calls"], &hook["denials"]), (&json!("gate"), &json!(4), &json!(1)));
    assert_eq!(hook["hashes"], json!([hash]));
    assert!(place.run(&["audit", "stats"]).stdout.contains("3 decisions, 1 denied, 1 results rewritten"));

    let (code, text) = verify(&place);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("holds  check: 2 lines in 1 file") && text.contains("holds  s/1: 2 lines in 1 file"),
        "{text}"
    );
    let unknown = place.run(&["audit", "verify", "--session", "nobody"]);
    assert_eq!(unknown.code, 64);
    assert!(unknown.stderr.contains("there is no audit of a session \"nobody\""), "{unknown:?}");
}

/// The word of an earlier verify on all sessions is held to one alone, without the ends of others.
#[test]
fn what_is_expected_of_other_sessions_is_left_out() {
    let place = place();
    for (command, session) in [("ls", "a"), ("ls", "b"), ("cat x", "b"), ("ls", "a: b")] {
        assert_eq!(place.gate(command, &["--session", session]).0, 0);
    }
    for (name, args) in
        [("noted.txt", &["audit", "verify"][..]), ("noted.json", &["audit", "verify", "--json"])]
    {
        place.write(&format!("project/{name}"), place.run(args).stdout);
    }
    let end = lines(&place, &["--session", "b"]).pop().unwrap()["hash"].as_str().unwrap().to_owned();
    place.write("project/bare.txt", format!("{end}\n"));
    let verify = |session: &str, expect: &str| {
        place.run(&["audit", "verify", "--session", session, "--expect", expect])
    };
    let notes = ["noted.txt", "noted.json", "bare.txt", end.as_str()];
    for session in ["a", "b", "a: b"] {
        for expect in notes {
            let said = verify(session, expect);
            assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{session} {expect}: {said:?}");
            assert!(!said.stdout.contains("MISSING"), "{session} {expect}: {said:?}");
        }
    }
    // The end of b is cut off: that is b's matter, unless it is not known whose line it was.
    let file = place.path("state/audit/b.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.lines().next().unwrap().to_owned() + "\n").unwrap();
    for (session, codes) in [("a", [0, 0, 1, 1]), ("b", [1, 1, 1, 1])] {
        for (expect, code) in notes.iter().zip(codes) {
            assert_eq!(verify(session, expect).code, code, "{session} {expect}");
        }
    }
    place
        .write("project/other.txt", format!("holds  c: 1 line in 1 file\n      the last line is 1: {end}\n"));
    let said = verify("a", "other.txt");
    assert!(said.code == 64 && said.stderr.contains("no hash of the session"), "{said:?}");
}

/// Of each hook what it used of its grants, and what it asked for in vain.
#[test]
fn grants_that_were_used_or_missed_are_shown() {
    let place = Sandbox::new();
    place.write(
        "config/hooks/reads.lua",
        r#"-----
-- grants:
--   exec: [echo]
--   env: [CI]
-----
on("tool_call", function(event, ctx)
  ctx.exec("echo", { "a" })
  ctx.exec("echo", { "b" })
  snaphook.env.get("CI")
  if event.command == "both" then snaphook.env.get("TOKEN") end
end)
"#,
    );
    place.write("config/hooks/quiet.lua", "on(\"tool_call\", function() end)\n");
    place.gate("one", &[]);
    place.gate("both", &[]);
    let said = place.run(&["audit", "show"]);
    assert_eq!(said.code, 0, "{said:?}");
    // The time is first in a line about a call.
    let lines = said
        .stdout
        .lines()
        .map(|line| if line.starts_with(' ') { line } else { line.get(20..).unwrap_or(line) });
    let expected = r#"allow bash [check]
      input {"command":"one"}
      used reads: exec:echo (2 times), env:CI
deny  bash [check]
      input {"command":"both"}
      deny reads [place]/config/hooks/reads.lua:10 (error): the hook "reads" failed: the environment variable TOKEN is not granted; the hook's front matter needs `env: [TOKEN]` under `grants`
      used reads: exec:echo (2 times), env:CI
      not granted reads: env:TOKEN"#;
    assert_eq!(lines.collect::<Vec<_>>().join("\n"), expected, "{}", said.stdout);
}

#[test]
fn a_changed_line_is_named() {
    let place = place();
    for command in ["ls", "rm a", "ls b"] {
        place.gate(command, &[]);
    }
    let text = std::fs::read_to_string(file(&place)).unwrap();
    std::fs::write(file(&place), text.replace("\"deny\",\"rewritten\"", "\"allow\",\"rewritten\"")).unwrap();
    let (code, said) = verify(&place);
    assert_eq!(code, 1, "{said}");
    let expected = "BROKEN check: [place]/state/audit/check.jsonl:2: it was changed: its hash is not that of its content";
    assert!(said.contains(expected), "{said}");
}

/// Changes that the heads show, too, as long as they are there: lines cut off at the end, a file that is gone; and what only a note shows, a
/// chain that was written anew.
#[test]
fn a_line_that_was_noted_is_missed_when_it_is_cut_off() {
    let place = place();
    for command in ["ls", "ls a", "ls b"] {
        place.gate(command, &[]);
    }
    place.gate("ls", &["--session", "other"]);
    let verify = |args: &[&str]| {
        let said = place.run(&[&["audit", "verify"], args].concat());
        (said.code, said.stdout, said.stderr)
    };
    let document = place.run(&["audit", "verify", "--json", "--session", "check"]).document();
    assert_eq!((&document["holds"], &document["sessions"][0]["last"]["seq"]), (&json!(true), &json!(3)));
    let last = document["sessions"][0]["last"]["hash"].as_str().unwrap().to_owned();
    assert_eq!(lines(&place, &["--session", "check"])[2]["hash"], json!(last));
    // A CI keeps the output, in either form.
    let (_, text, _) = verify(&[]);
    let notes = [place.write("notes.txt", &text), place.write("notes.json", document.to_string())];
    let notes = notes.map(|path| path.to_str().unwrap().to_owned());
    let expectations = [last.as_str(), &notes[0], &notes[1]];
    for expect in expectations {
        let (code, text, _) = verify(&["--expect", expect]);
        assert_eq!(
            (code, text.contains("line 3, which was expected, is there")),
            (0, true),
            "{expect}: {text}"
        );
    }
    // What came since is no fault.
    place.gate("ls c", &[]);
    assert_eq!(verify(&["--expect", &notes[0]]).0, 0);
    let whole = std::fs::read_to_string(file(&place)).unwrap();
    let cut: String = whole.split_inclusive('\n').take(2).collect();
    std::fs::write(file(&place), cut).unwrap();
    let (code, text, _) = verify(&[]);
    assert!(code == 1 && text.contains("2 lines after this are missing: heads.chain noted 4"), "{text}");
    for expect in expectations {
        let (code, text, _) = verify(&["--expect", expect]);
        assert_eq!(code, 1, "{expect}: {text}");
        assert!(text.contains(&format!("MISSING {last}")) && text.contains("lines were cut off"), "{text}");
    }
    let document = place.run(&["audit", "verify", "--json", "--expect", &last]).document();
    assert_eq!((&document["holds"], &document["missing"]), (&json!(false), &json!([last])));
    std::fs::remove_dir_all(place.path("state/audit")).unwrap();
    assert_eq!(verify(&["--expect", &last]).0, 1, "all of it is gone");
    // A chain that was written anew.
    place.gate("ls", &[]);
    assert_eq!((verify(&[]).0, verify(&["--expect", &last]).0), (0, 1));
    let empty = place.write("empty.txt", "sha256:short");
    for (expect, part) in [
        ("sha256:abc", "is no hash"),
        ("/nowhere", "name a hash"),
        (empty.to_str().unwrap(), "there is no hash in it"),
    ] {
        let (code, _, said) = verify(&["--expect", expect]);
        assert!(code == 64 && said.contains(part), "{expect}: {said}");
    }
}

#[test]
fn settings_say_what_is_written() {
    let place = place();
    place.write("config/config.toml", "[audit]\nenabled = false\n");
    place.gate("ls", &[]);
    assert!(!file(&place).exists());
    place.write("config/config.toml", "[audit]\ninputs = \"hash\"\nmax_bytes = 4096\nkeep = 2\n");
    for _ in 0..30 {
        place.gate("ls secret-thing", &[]);
    }
    let lines = lines(&place, &[]);
    assert!(lines.len() < 30 && lines.iter().all(|line| line["input_hash"]["bytes"] == 29), "{lines:?}");
    let (code, text) = verify(&place);
    assert!(
        code == 0 && text.contains("in 3 files") && text.contains("were removed, as `keep` asks"),
        "{text}"
    );
    // A project must not silence it.
    place.write("config/config.toml", "");
    place.write("project/.snaphook/config.toml", "[audit]\nenabled = false\n");
    assert_eq!(place.gate("ls", &[]).0, 2);
}

fn spawn(place: &Sandbox, args: &[&str]) -> Child {
    place.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn two_hundred_processes_at_once_lose_no_line() {
    const PROCESSES: usize = 200;
    let place = place();
    let start = |index: usize| {
        let input = json!({"command": format!("echo {index}")}).to_string();
        spawn(&place, &["check", "--record", "--tool", "bash", "--input", &input])
    };
    let children: Vec<Child> = (0..PROCESSES).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (code, text) = verify(&place);
    assert!(code == 0 && text.contains("holds  check: 200 lines"), "{text}");
    let mut seen: Vec<usize> = lines(&place, &[])
        .iter()
        .map(|line| line["gen_ai.tool.call.arguments"]["command"].as_str().unwrap()[5..].parse().unwrap())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..PROCESSES).collect::<Vec<_>>());
}

/// A session of so many calls.
fn replay(place: &Sandbox, calls: usize) -> PathBuf {
    let mut text = String::from(
        "{\"type\":\"session\",\"version\":1,\"name\":\"many\"}\n{\"type\":\"prompt\",\"text\":\"go\"}\n",
    );
    for index in 0..calls {
        let call = json!({"id": format!("c{index}"), "tool": "glob", "input": {"pattern": "*"}});
        text += &format!("{}\n", json!({"type": "turn", "calls": [call]}));
    }
    text += "{\"type\":\"turn\",\"text\":\"done\"}\n";
    place.write("many.jsonl", text)
}

#[test]
fn a_run_is_audited_and_one_that_is_killed_leaves_a_chain_that_holds() {
    let place = place();
    let file = replay(&place, 100);
    let args = ["run", "--record", "--headless", "--replay", file.to_str().unwrap()];
    let count = || {
        let entries = std::fs::read_dir(place.path("state/audit")).into_iter().flatten();
        let files = entries.map(|entry| entry.unwrap().path());
        let sessions = files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        let texts = sessions.map(|path| std::fs::read(path).unwrap_or_default());
        texts.map(|text| text.iter().filter(|byte| **byte == b'\n').count()).sum::<usize>()
    };
    for wanted in [1, 20, 60] {
        let before = count();
        let mut child = spawn(&place, &args);
        let until = Instant::now() + Duration::from_secs(60);
        while count() < before + wanted && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "it wrote nothing");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (code, text) = verify(&place);
        assert_eq!(code, 0, "{text}");
    }
    // One that is left alone writes a line for the prompt and for each call.
    let before = count();
    assert!(spawn(&place, &args).wait().unwrap().success());
    assert_eq!(count() - before, 101);
    assert_eq!(verify(&place).0, 0);
}

#[test]
fn a_torn_line_is_told_and_the_next_append_heals_it() {
    let place = place();
    for _ in 0..3 {
        place.gate("ls", &[]);
    }
    let text = std::fs::read(file(&place)).unwrap();
    std::fs::write(file(&place), &text[..text.len() - 100]).unwrap();
    // Who is killed within a line writes no head of it.
    let heads = std::fs::read_to_string(place.path("state/audit/heads.chain")).unwrap();
    let before: String = heads.split_inclusive('\n').take(2).collect();
    place.write("state/audit/heads.chain", before);
    let (code, said) = verify(&place);
    assert!(code == 0 && said.contains("check: 2 lines") && said.contains("check.jsonl:3 is torn"), "{said}");
    place.gate("ls", &[]);
    let (code, said) = verify(&place);
    assert!(
        code == 0 && said.contains("check: 4 lines") && said.contains("as the line after it says"),
        "{said}"
    );
}

#[test]
fn without_a_place_every_call_is_denied() {
    let place = place();
    place.write("other/audit", "");
    let mut command =
        place.command(&["check", "--record", "--json", "--tool", "bash", "--input", "{\"command\": \"ls\"}"]);
    let output = command.env("SNAPHOOK_STATE_DIR", place.path("other")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(causes(&document), "audit");
    let reason = document["reasons"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("check.jsonl: ") && reason.contains("`enabled = false` under `[audit]`"),
        "{reason}"
    );

    let mut command =
        place.command(&["check", "--record", "--json", "--tool", "bash", "--input", "{\"command\": \"ls\"}"]);
    let output = command.env_remove("SNAPHOOK_STATE_DIR").env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("set HOME or SNAPHOOK_STATE_DIR"));
}

/// A limit on the size of files stands in for a full disk: a write is refused half way.
#[cfg(unix)]
#[test]
fn without_room_every_call_is_denied_and_nothing_is_torn() {
    let place = place();
    let limited = |command: &str| {
        let binary = env!("CARGO_BIN_EXE_snaphook");
        // POSIX counts in 512 bytes, bash in 1024: the third line has no room either way.
        let script = format!(
            "trap '' XFSZ; ulimit -f 2; exec '{binary}' check --record --json --tool bash --input '{{\"command\": \"{command}\"}}'"
        );
        let mut shell = std::process::Command::new("/bin/sh");
        let plain = place.command(&[]);
        shell.arg("-c").arg(script).current_dir(place.path("project")).env_clear();
        shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = shell.output().unwrap();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default())
    };
    let mut codes = Vec::new();
    for _ in 0..5 {
        let (code, document) = limited("ls");
        if code == Some(2) {
            assert_eq!(causes(&document), "audit", "{document}");
        }
        codes.push(code);
    }
    assert_eq!((codes.first(), codes.last()), (Some(&Some(0)), Some(&Some(2))), "{codes:?}");
    let (code, text) = verify(&place);
    assert!(code == 0 && !text.contains("torn"), "{text}");
    // With room again it goes on.
    assert_eq!(place.gate("ls", &[]).0, 0);
    assert_eq!(verify(&place).0, 0);
}

/// The audit masks what the example hook redacts, with the same marks.
#[test]
fn the_masks_are_those_of_the_example_hook() {
    let place = Sandbox::with_hook();
    let hook = repository("hooks-examples/lua/redact-secrets.lua");
    let long = "a1B2c3D4".repeat(6);
    for secret in [
        format!("ghp_{}", &long[..36]),
        format!("github_pat_{}", &long[..30]),
        format!("glpat-{}", &long[..20]),
        format!("sk-{}", &long[..24]),
        format!("sk_live_{}", &long[..20]),
        format!("xoxb-{}", &long[..20]),
        format!("AIza{}", &long[..35]),
        format!("npm_{}", &long[..36]),
        format!("eyJ{}.eyJ{}.{}", &long[..12], &long[..12], &long[..12]),
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        "postgres://me:hunter2@db/x".to_owned(),
        format!("Authorization: Bearer {}", &long[..24]),
        "postgres://me:hun@ter2@db/x and http://localhost:3000,admin@example.com".to_owned(),
        "curl -u ada:hunter2hunter2 https://x".to_owned(),
        "PASSWORD=correcthorsebattery".to_owned(),
        "export API_TOKEN=abc123def456".to_owned(),
        "\"client_secret\": \"correct horse battery\"".to_owned(),
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nrest".to_owned(),
        "nothing to see here: token = lexer.next()".to_owned(),
    ] {
        let args = ["--json", "--hook", hook.to_str().unwrap(), "--result", &secret];
        let said = place.check("bash", &json!({}), &args).document();
        assert_eq!(said["content"], json!(snaphook_audit::mask_text(&secret)), "{secret}");
        let call = place.check("write", &json!({"file_path": "notes", "content": secret}), &[]);
        assert_eq!(call.code, 0);
    }
    let written = std::fs::read_to_string(file(&place)).unwrap();
    for part in [&long[..12], "hunter2", "AKIAIOSFODNN7EXAMPLE", "abc123def456", "correct horse", "MIIE"] {
        assert!(!written.contains(part), "{part}");
    }
    assert!(written.contains("[redacted: GitHub token]"));
}
