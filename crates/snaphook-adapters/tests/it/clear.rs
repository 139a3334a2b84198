//! Inputs that a model could send so that a hook sees one call and the agent makes another: each is refused, or hooks see all of it.

use serde_json::{Value, json};
use snaphook_adapters::{Refused, agent, read};

use crate::support::{object, seen};

/// Makes what an agent sends before this tool runs.
fn payload(id: &str, tool: &str, input: &Value) -> (&'static str, Value) {
    match id {
        "cline" => (
            "PreToolUse",
            json!({"hookName": "PreToolUse", "taskId": "k", "workspaceRoots": ["/p"], "preToolUse": {"toolName": tool, "parameters": input}}),
        ),
        "pi" => (
            "tool_call",
            json!({"event": "tool_call", "directory": "/p", "session": "s", "data": {"toolName": tool, "toolCallId": "c", "input": input}}),
        ),
        "opencode" => (
            "tool.execute.before",
            json!({"hook": "tool.execute.before", "directory": "/p", "input": {"tool": tool, "sessionID": "s", "callID": "c"}, "output": {"args": input}}),
        ),
        "crush" => (
            "PreToolUse",
            json!({"event": "PreToolUse", "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": input}),
        ),
        _ => {
            let event = if id == "gemini" { "BeforeTool" } else { "PreToolUse" };
            (
                event,
                json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "permission_mode": "default", "hook_event_name": event, "tool_name": tool, "tool_input": input, "tool_use_id": "c"}),
            )
        }
    }
}

/// Reads it as hooks see it; the error where it cannot be judged.
fn look(id: &str, tool: &str, input: &Value) -> Result<Value, Refused> {
    let (native, payload) = payload(id, tool, input);
    let incoming = read(agent(id).unwrap(), Some(native), &object(&payload), &|_| None);
    incoming.map(|incoming| seen(&incoming))
}

#[test]
fn a_call_that_says_two_things_is_refused() {
    for (id, tool, input) in [
        ("cline", "run_commands", json!({"commands": [{"shell_command": "rm -rf x"}]})),
        ("cline", "run_commands", json!({"commands": [{"script": "rm -rf x"}]})),
        ("cline", "run_commands", json!({"commands": [["rm", {}]]})),
        ("cline", "run_commands", json!({"command": "ls", "commands": [{"script": "rm -rf x"}]})),
        ("cline", "run_commands", json!({"command": null})),
        ("cline", "read_files", json!({"path": "a", "Paths": ["b"]})),
        ("crush", "bash", json!({"command": "ls", "Command": "rm -rf x"})),
        ("crush", "bash", json!({"Command": "rm -rf x"})),
        ("crush", "bash", json!({"command": "ls", "COMMAND": "s"})),
        ("crush", "view", json!({"file_path": "a", "FILE_PATH": ".env"})),
        ("crush", "write", json!({"file_path": "a", "File_Path": "b", "content": "x"})),
        ("crush", "fetch", json!({"url": "https://a.example/", "URL": "https://b.example/"})),
        ("claude-code", "Bash", json!({"description": "nothing"})),
        ("claude-code", "Bash", json!({"command": {"line": "rm"}})),
        ("claude-code", "Bash", json!({"cmd": "ls", "co\u{6d}and": 1, "commandLine": ["rm", {"x": "y"}]})),
        ("claude-code", "WebFetch", json!({"url": "https://a.example/", "urls": ["https://b.example/"]})),
        (
            "gemini",
            "web_fetch",
            json!({"url": "https://docs.example/", "prompt": "read http://other.example/"}),
        ),
        ("gemini", "web_fetch", json!({"prompt": "https://docs.example/\u{feff}https://other.example/"})),
        (
            "cline",
            "fetch_web_content",
            json!({"url": "https://a.example/", "requests": [{"url": "https://b.example/"}]}),
        ),
        ("copilot", "fetch_webpage", json!({"url": "https://a.example/", "urls": ["https://b.example/"]})),
        (
            "copilot",
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: .env\n+x\n*** End Patch"}),
        ),
        (
            "copilot",
            "apply_patch",
            json!({"input": "nothing", "explanation": "\u{feff}*** Begin Patch\n*** Add File: .env\n+x"}),
        ),
        (
            "droid",
            "ApplyPatch",
            json!({"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", "patch": "*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch"}),
        ),
        (
            "opencode",
            "batch",
            json!({"tool_calls": [{"tool": "bash", "parameters": {"command": "rm -rf x"}}]}),
        ),
    ] {
        let found = look(id, tool, &input);
        assert!(found.is_err(), "{id} {tool} {input}: {found:?}");
    }
}

#[test]
fn hooks_see_all_that_an_agent_could_take() {
    for (id, tool, input, field, want) in [
        (
            "cline",
            "run_commands",
            json!({"command": "ls", "commands": ["rm -rf x"]}),
            "command",
            json!("ls\nrm -rf x"),
        ),
        (
            "cline",
            "run_commands",
            json!({"command": null, "commands": ["rm -rf x"]}),
            "command",
            json!("rm -rf x"),
        ),
        (
            "cline",
            "run_commands",
            json!({"cmd": "", "commands": ["rm -rf x"]}),
            "command",
            json!("\nrm -rf x"),
        ),
        (
            "cline",
            "run_commands",
            json!({"command": "rm", "args": ["-rf", "x y"]}),
            "command",
            json!("rm\nrm -rf 'x y'"),
        ),
        (
            "cline",
            "run_commands",
            json!({"command": "rm", "args": "-rf x"}),
            "command",
            json!("rm\nrm -rf x"),
        ),
        (
            "cline",
            "run_commands",
            json!({"commands": [["rm", "-rf"], {"cmd": "ls"}]}),
            "command",
            json!("rm -rf\nls"),
        ),
        ("cline", "read_files", json!({"paths": {"path": ".env"}}), "paths", json!([".env"])),
        ("cline", "read_files", json!({"paths": [{"path": ".env"}]}), "paths", json!([".env"])),
        ("cline", "read_file", json!({"path": "@proj:.env"}), "paths", json!(["@proj:.env", ".env"])),
        (
            "pi",
            "bash",
            json!({"command": "git clean -fdx", "args": "-n"}),
            "command",
            json!("git clean -fdx\ngit clean -fdx -n"),
        ),
        ("pi", "read", json!({"path": "@.env"}), "paths", json!(["@.env", ".env"])),
        (
            "pi",
            "write",
            json!({"path": "@~/.bashrc", "content": "x"}),
            "paths",
            json!(["@~/.bashrc", "~/.bashrc"]),
        ),
        ("pi", "write", json!({"path": "a\u{a0}b", "content": "x"}), "paths", json!(["a\u{a0}b", "a b"])),
        (
            "pi",
            "edit",
            json!({"path": "a", "newText": "one", "edits": [{"newText": "two"}]}),
            "content",
            json!("one\ntwo"),
        ),
        ("gemini", "read_file", json!({"file_path": ".e\u{0}nv"}), "paths", json!([".e\u{0}nv", ".env"])),
        (
            "gemini",
            "write_file",
            json!({"file_path": "@.gemini/settings.json", "content": ""}),
            "paths",
            json!(["@.gemini/settings.json", ".gemini/settings.json"]),
        ),
        (
            "gemini",
            "replace",
            json!({"file_path": "/p/a", "new_string": "SECRET", "content": ""}),
            "content",
            json!("\nSECRET"),
        ),
        (
            "opencode",
            "edit",
            json!({"filePath": "a", "newString": "SECRET", "content": "decoy"}),
            "content",
            json!("decoy\nSECRET"),
        ),
        (
            "copilot",
            "edit",
            json!({"path": "a", "new_str": "one", "file_text": "two"}),
            "content",
            json!("one\ntwo"),
        ),
        (
            "opencode",
            "apply_patch",
            json!({"patchText": "*** Begin Patch\n*** Add File:\t .env \n+x\n*** End Patch"}),
            "paths",
            json!(["\t .env", ".env"]),
        ),
        ("claude-code", "Monitor", json!({"command": "tail -f x"}), "tool", json!("bash")),
        ("claude-code", "Monitor", json!({"task": "7"}), "tool", json!("Monitor")),
        ("qwen", "monitor", json!({"command": "tail -f x"}), "tool", json!("bash")),
        // A text that only mentions a patch is not a patch.
        (
            "claude-code",
            "Write",
            json!({"file_path": "a.md", "content": "*** Begin Patch\n*** Add File: b\n"}),
            "paths",
            json!(["a.md"]),
        ),
        (
            "claude-code",
            "Edit",
            json!({"file_path": "a.md", "old_string": "*** Begin Patch\n*** Add File: b\n", "new_string": "x"}),
            "paths",
            json!(["a.md"]),
        ),
    ] {
        let found = look(id, tool, &input);
        assert_eq!(found.as_ref().map(|seen| &seen[field]), Ok(&want), "{id} {tool} {input}: {found:?}");
    }
}
