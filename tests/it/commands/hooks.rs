//! Executables in hooks folders: what they are given, what their end means, trust, and that a gate fails closed.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{executable, program};
use crate::support::{Sandbox, causes};

const GATE: &str = "event: tool_call";

/// A place with one gate of the user's.
fn gate(shell: &str) -> Sandbox {
    let place = Sandbox::new();
    executable(&place, "config/hooks/gate.sh", GATE, shell);
    place
}

#[test]
fn a_gate_answers_by_exit_code_or_as_a_script_would() {
    for (shell, code, reason) in [
        ("exit 0", 0, ""),
        ("cat > /dev/null", 0, ""),
        ("echo '{}'", 0, ""),
        ("echo \"not today\" >&2; exit 2", 2, "not today"),
        ("exit 2", 2, "blocked by the hook \"gate\", which gave no reason"),
        ("echo '{\"block\": true, \"reason\": \"no\"}'", 2, "no"),
        ("echo '{\"allow\": true}'", 0, ""),
        ("echo '{\"ask\": \"sure?\"}'", 2, "sure?"),
        ("echo talk >&2; exit 0", 0, ""),
        // Exit 2 denies, whatever is on standard output.
        ("echo '{\"allow\": true}'; echo but >&2; exit 2", 2, "but"),
    ] {
        let place = gate(shell);
        let (exit, document) = place.gate("ls", &["--ui", "headless"]);
        assert_eq!(exit, code, "{shell}: {document}");
        let text = document["reasons"].to_string();
        assert!(text.contains(&reason.replace('"', "\\\"")), "{shell}: {text}");
    }
}

#[test]
fn a_gate_rewrites_and_adds_context() {
    let place = gate("echo '{\"command\": \"ls -l\", \"context\": \"mind the gap\"}'");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, &document["input"]["command"]), (0, &json!("ls -l")), "{document}");
    assert_eq!(document["context"][0]["text"], "mind the gap");
}

/// Each row is a way in which a gate can fail: none of them lets a call through.
#[test]
fn a_gate_fails_closed_in_every_way_it_can_fail() {
    for (what, matter, shell, cause, says) in [
        ("exit 1", "", "echo why >&2; exit 1", "error", "exited with code 1: why"),
        ("exit 3", "", "exit 3", "error", "exited with code 3"),
        ("exit 127", "", "no-such-program-here", "error", "exited with code 127"),
        ("signal", "", "kill -SEGV $$", "error", "was ended by signal 11"),
        ("KILL", "", "kill -KILL $$", "error", "was ended by signal 9"),
        ("time", "timeout: 300ms", "sleep 1000", "timeout", "ran longer than 0.3 s"),
        ("deaf to TERM", "timeout: 300ms", "trap '' TERM; sleep 1000 & wait; wait", "timeout", "ran longer"),
        (
            "TERM answered by 0",
            "timeout: 300ms",
            "trap 'exit 0' TERM; sleep 1000 & wait",
            "timeout",
            "ran longer",
        ),
        ("text", "", "echo all is well", "malformed", "no JSON object"),
        ("half a document", "", "printf '{\"allow\": tr'", "malformed", "no JSON object"),
        ("two documents", "", "echo '{}'; echo '{}'", "malformed", "no JSON object"),
        ("a list", "", "echo '[]'", "malformed", "no JSON object"),
        ("a key twice", "", "echo '{\"block\": true, \"block\": false}'", "malformed", "duplicate key"),
        ("an unknown key", "", "echo '{\"blok\": true}'", "malformed", "unknown key"),
        ("not UTF-8", "", "printf '{\"allow\": true, \"reason\": \"\\377\"}'", "malformed", "not UTF-8"),
        ("10 MB", "", "head -c 10000000 /dev/zero | tr '\\0' ' '; echo '{}'", "malformed", "10000003 bytes"),
        (
            "a grandchild that holds the pipe",
            "",
            "(sleep 1000; echo '{\"block\": true}') & exit 0",
            "error",
            "left a process behind",
        ),
    ] {
        let place = Sandbox::new();
        executable(&place, "config/hooks/gate.sh", &format!("{GATE}\n{matter}"), shell);
        let began = std::time::Instant::now();
        let (code, document) = place.gate("ls", &[]);
        assert_eq!((code, causes(&document)), (2, cause.to_owned()), "{what}: {document}");
        assert!(
            document["reasons"][0]["reason"].to_string().contains(&says.replace('"', "\\\"")),
            "{what}: {document}"
        );
        assert!(began.elapsed().as_secs() < 500, "{what}: it waited for the sleeper");
    }
}

/// The host starts the bytes that it has loaded, or nothing: between its look at the hooks and the call something happened.
#[test]
fn a_gate_that_is_not_what_was_read_denies() {
    let first = |then: &str| {
        let place = Sandbox::new();
        // Runs before the gate, and does something to it.
        let text = then.replace("GATE", &place.path("config/hooks/gate.sh").display().to_string());
        executable(&place, "config/hooks/a.sh", GATE, &text);
        executable(&place, "config/hooks/gate.sh", GATE, "exit 0");
        let (code, document) = place.gate("ls", &[]);
        (code, causes(&document), document["reasons"].to_string())
    };
    for (then, cause, says) in [
        ("echo '#' >> GATE", "untrusted", "changed since it was read"),
        ("rm GATE", "error", "does not exist"),
        ("rm GATE; mkdir GATE", "error", "is a folder"),
        ("chmod a-x GATE", "error", "is not an executable file"),
    ] {
        let (code, found, reasons) = first(then);
        assert_eq!((code, found.as_str()), (2, cause), "{then}: {reasons}");
        assert!(reasons.contains(says), "{then}: {reasons}");
    }
    assert_eq!(first("exit 0").0, 0);
}

#[test]
fn a_gate_whose_interpreter_is_missing_denies() {
    let place = Sandbox::new();
    program(&place, "config/hooks/gate.sh", "#!/no/such/interpreter\n#---\n# event: tool_call\n#---\n");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document)), (2, "error".to_owned()), "{document}");
    assert!(document["reasons"].to_string().contains("interpreter"), "{document}");
}

#[test]
fn the_event_is_on_standard_input_and_the_surroundings_in_variables() {
    let place = Sandbox::new();
    let out = place.path("out");
    let shell = format!(
        "cat > {0}/event; env > {0}/env; pwd -P > {0}/cwd; echo \"$0\" > {0}/name; [ -t 0 ] || exit 0",
        out.display()
    );
    std::fs::create_dir_all(&out).unwrap();
    executable(&place, "config/hooks/see.sh", GATE, &shell);
    let args = ["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#, "--session", "s1"];
    // As where a check's own program calls snaphook: the list is not about this event.
    let child = place.command(&args).env("SNAPHOOK_CHANGED_FILES", "a.txt").spawn().unwrap();
    let said = place.finish(child);
    assert_eq!(said.code, 0, "{said:?}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let event: Value = serde_json::from_str(&read("event")).unwrap();
    let root = std::fs::canonicalize(place.path("project")).unwrap();
    for (field, value) in [
        ("name", json!("tool_call")),
        ("tool", json!("bash")),
        ("command", json!("ls")),
        ("input", json!({"command": "ls"})),
        ("paths", json!([])),
        ("session", json!("s1")),
        ("agent", json!("check")),
        ("cwd", json!(root)),
        ("project_root", json!(root)),
    ] {
        assert_eq!(event[field], value, "{field}: {event}");
    }
    let env = read("env");
    let has = |line: String| assert!(env.lines().any(|known| known == line), "{line}: {env}");
    has("SNAPHOOK_EVENT=tool_call".to_owned());
    has("SNAPHOOK_HOOK_ID=see".to_owned());
    has("SNAPHOOK_SESSION_ID=s1".to_owned());
    has("SNAPHOOK_AGENT=check".to_owned());
    has(format!("SNAPHOOK_PROJECT_ROOT={}", root.display()));
    // Arbitrary code with the user's rights: it has all of the user's environment.
    has(format!("HOME={}", place.path("home").display()));
    assert!(!env.contains("CHANGED_FILES") && !env.contains("DISCOBOT"), "{env}");
    assert_eq!(read("cwd").trim(), root.display().to_string());
    let file = std::fs::canonicalize(place.path("config/hooks/see.sh")).unwrap();
    has(format!("SNAPHOOK_HOOK_FILE={}", file.display()));
    assert_eq!(std::fs::canonicalize(read("name").trim()).unwrap(), file, "`$0` is the file in its place");
}

#[test]
fn it_has_neither_our_terminal_nor_our_standard_error() {
    let place = gate("echo noise >&2; echo noise > /dev/tty; exit 0");
    let said = place.check("bash", &json!({"command": "ls"}), &[]);
    assert_eq!((said.code, said.stdout.trim()), (0, "allowed"), "{said:?}");
    assert!(!said.stderr.contains("noise"), "{said:?}");
}

#[test]
fn handlers_run_in_order_with_those_of_scripts() {
    let place = Sandbox::new();
    let order = place.path("order");
    for name in ["9", "10"] {
        let shell = format!("echo {name} >> {}; exit 0", order.display());
        executable(&place, &format!("config/hooks/{name}.sh"), GATE, &shell);
    }
    place.write(
        "config/hooks/9b.lua",
        "on(\"tool_call\", function(event) return { command = event.command .. \" -l\" } end)",
    );
    executable(
        &place,
        "config/hooks/11.sh",
        GATE,
        &format!("grep -o '\"command\":\"[^\"]*\"' | head -n 1 >> {}", order.display()),
    );
    assert_eq!(place.gate("ls", &[]).0, 0);
    let said = std::fs::read_to_string(order).unwrap();
    // Those before the rewrite see the final input once more.
    assert_eq!(said.lines().collect::<Vec<_>>(), ["9", "10", "\"command\":\"ls -l\"", "9"], "{said}");
}

#[test]
fn trust_comes_before_bytes_and_the_prompt_says_what_it_is_about() {
    let place = Sandbox::new();
    let ran = place.path("ran");
    let shell = format!("touch {}", ran.display());
    let matter = "event: tool_call\nname: Gate\ntimeout: 5s";
    let path = executable(&place, "project/.snaphook/hooks/gate.sh", matter, &shell);
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document)), (2, "untrusted".to_owned()), "{document}");
    assert!(!ran.exists(), "nothing of it ran");

    let shown = place.run(&["trust"]);
    assert_eq!(shown.code, 64);
    for text in [
        "an executable: arbitrary code that can do whatever you can; no grants hold it",
        "the interpreter, and what the program reads or calls, are not part of what you trust",
        "event tool_call",
        "timeout 5s",
        "file gate.sh",
    ] {
        assert!(shown.stdout.contains(text), "{text}: {shown:?}");
    }
    let list = place.run(&["list"]).stdout;
    assert!(
        list.contains("an executable: it can do whatever you can") && list.contains("event tool_call"),
        "{list}"
    );

    place.trust_all();
    assert_eq!(place.gate("ls", &[]).0, 0);
    assert!(ran.exists());
    let hooks = place.run(&["list", "--json"]).document();
    let hook = hooks["hooks"].as_array().unwrap().iter().find(|hook| hook["id"] == "gate").unwrap();
    assert_eq!(
        (&hook["language"], &hook["trust"], &hook["handlers"][0]["event"]),
        (&json!("executable"), &json!("trusted"), &json!("tool_call")),
        "{hook}"
    );

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}echo more\n")).unwrap();
    assert_eq!(causes(&place.gate("ls", &[]).1), "untrusted");
    let shown = place.run(&["trust"]).stdout;
    assert!(shown.contains("+echo more"), "{shown}");
}

#[test]
fn what_is_wrong_with_an_executable_denies_and_names_its_line() {
    let place = Sandbox::new();
    executable(&place, "config/hooks/gate.sh", "event: tool_cal", "exit 0");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document)), (2, "load".to_owned()), "{document}");
    assert!(document["reasons"].to_string().contains("gate.sh:3: unknown event"), "{document}");
    // Many ways to copy a file lose the bit. What was a gate must not be gone by that.
    let path = executable(&place, "config/hooks/gate.sh", GATE, "exit 0");
    assert_eq!(place.gate("ls", &[]).0, 0);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let (code, document) = place.gate("ls", &[]);
    assert_eq!((code, causes(&document)), (2, "load".to_owned()), "{document}");
    assert!(document["reasons"].to_string().contains("is not executable, so it cannot run"), "{document}");
}

#[test]
fn an_executable_can_be_named_for_one_run() {
    let place = Sandbox::with_hook();
    let path = executable(&place, "elsewhere/gate.sh", GATE, "exit 2");
    assert_eq!(place.gate("ls", &["--hook", path.to_str().unwrap()]).0, 2);
    assert_eq!(place.gate("ls", &[]).0, 0);
}

#[test]
fn a_result_is_rewritten_and_a_failing_rewriter_changes_nothing() {
    let place = Sandbox::new();
    executable(&place, "config/hooks/r.sh", "event: tool_result", "echo '{\"content\": \"masked\"}'");
    let rewrite = |place: &Sandbox| {
        let input = json!({"command": "ls"});
        place.check("bash", &input, &["--result", "secret", "--json"]).document()
    };
    assert_eq!(rewrite(&place)["content"], "masked");
    for (shell, says) in [("exit 1", "code 1"), ("exit 2", "cannot be denied"), ("echo no", "no JSON object")]
    {
        executable(&place, "config/hooks/r.sh", "event: tool_result", shell);
        let document = rewrite(&place);
        assert_eq!(document["content"], "secret", "{shell}");
        assert!(document["reports"].to_string().contains(says), "{shell}: {document}");
    }
}
