//! The tools: what they answer, what they change, and that they stay inside.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use snaphook_agent::scratch::Base;
use snaphook_agent::tools::{MAX_RESULT, Recorded, Toolbox, Workspace};
use snaphook_core::{Tool, ToolCall, ToolOutput};

use crate::support::{Project, project};

fn toolbox(project: &Project) -> Toolbox {
    let workspace = Workspace::new(project.path()).unwrap();
    Toolbox::new(Arc::new(workspace), project.scratch.env().to_vec())
}

async fn run(tools: &Toolbox, tool: &str, input: Value) -> ToolOutput {
    let call = ToolCall::new("1", tool, input);
    tools.get(tool, None).unwrap().run(&call, None).await
}

/// Runs cases in order over one project: what a tool answers to an input. A `!` in front marks a failure.
async fn check(tools: &Toolbox, cases: &[(&str, Value, &str)]) {
    for (tool, input, expected) in cases {
        let output = run(tools, tool, input.clone()).await;
        let mark = if output.is_error { "!" } else { "" };
        assert_eq!(format!("{mark}{}", output.content), *expected, "{tool} {input}");
    }
}

#[tokio::test]
async fn the_file_tools_answer_as_agents_expect() {
    let project = project(Base::Empty).await;
    let tools = toolbox(&project);
    let root = project.path().display();
    check(
        &tools,
        &[
            (
                "write",
                json!({"file_path": "a/b.txt", "content": "one\ntwo\none\n"}),
                "created a/b.txt (12 bytes)",
            ),
            ("write", json!({"path": "a/b.txt", "content": "one\ntwo\none\n"}), "updated a/b.txt (12 bytes)"),
            ("write", json!({"path": "a", "content": ""}), "!a is a folder"),
            ("write", json!({"path": "x"}), "!write needs `content`"),
            ("write", json!({"path": 7, "content": ""}), "!write: `path` must be text"),
            ("read", json!({"path": "a/b.txt"}), "     1\tone\n     2\ttwo\n     3\tone\n"),
            ("read", json!({"file_path": format!("{root}/a/b.txt"), "offset": 3.0}), "     3\tone\n"),
            (
                "read",
                json!({"path": "./a/../a/b.txt", "offset": 2, "limit": 1}),
                "     2\ttwo\n[lines 2 to 2 of 3; go on with `offset` 3]\n",
            ),
            ("read", json!({"path": "a/b.txt", "offset": 9}), "!a/b.txt has 3 lines; `offset` is 9"),
            (
                "read",
                json!({"path": "a/b.txt", "limit": -1}),
                "!read: `limit` must be a whole number, 0 or more",
            ),
            ("read", json!({"path": "a/none.txt"}), "!a/none.txt does not exist"),
            ("read", json!({"path": "a"}), "!a is a folder"),
            ("read", json!({"path": "a/b.txt", "limit": 0, "offset": 3}), "     3\tone\n"),
            ("bash", json!({"command": "printf 'a\\0b' > blob; : > empty; printf '\\377' > latin"}), ""),
            ("read", json!({"path": "blob"}), "!blob is a binary file of 3 bytes"),
            ("read", json!({"path": "empty"}), "[empty is empty]"),
            ("read", json!({"path": "latin"}), "     1\t\u{fffd}\n"),
            (
                "edit",
                json!({"path": "latin", "old_string": "a", "new_string": "b"}),
                "!latin is not UTF-8 text",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "two", "new_string": "2"}),
                "updated a/b.txt (1 place)",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "one", "new_string": "1"}),
                "!`old_string` is 2 times in a/b.txt; give more of the text around it, or set `replace_all`",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "one", "new_string": "1", "replace_all": true}),
                "updated a/b.txt (2 places)",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "x", "new_string": "y"}),
                "!`old_string` is not in a/b.txt",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "1", "new_string": "1"}),
                "!`old_string` and `new_string` are the same",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "old_string": "", "new_string": "1"}),
                "!`old_string` is empty; the write tool makes a new file",
            ),
            (
                "edit",
                json!({"path": "a/b.txt", "edits": [
                    {"old_string": "2", "new_string": "two"}, {"old_string": "zzz", "new_string": "y"}]}),
                "!edit 2: `old_string` is not in a/b.txt",
            ),
            ("bash", json!({"command": "cat a/b.txt"}), "1\n2\n1"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_found_is_in_order_and_ignored_files_are_left_out() {
    let project = project(Base::Sample).await;
    let tools = toolbox(&project);
    run(&tools, "bash", json!({"command": "bash build.sh; printf 'x\\0TODO' > blob.sh"})).await;
    let root = project.path().display();
    check(
        &tools,
        &[
            ("glob", json!({"pattern": "**/*.sh"}), "blob.sh\nbuild.sh\nsrc/greet.sh\nsrc/lib.sh\ntests/run.sh"),
            ("glob", json!({"pattern": "*.sh", "path": "src"}), "src/greet.sh\nsrc/lib.sh"),
            ("glob", json!({"pattern": format!("{root}/src/*")}), "src/greet.sh\nsrc/lib.sh"),
            ("glob", json!({"pattern": "src/l*"}), "src/lib.sh"),
            ("glob", json!({"pattern": "**/.git/**"}), "No files found"),
            ("glob", json!({"pattern": "build/*"}), "No files found"),
            ("glob", json!({"pattern": "*", "path": "nowhere"}), "!nowhere does not exist"),
            ("glob", json!({"pattern": "a{"}), "!error parsing glob 'a{': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"),
            ("grep", json!({"pattern": "TODO"}), "config/settings.toml"),
            (
                "grep",
                json!({"pattern": "^todo|^# todo", "-i": true, "output_mode": "content"}),
                "config/settings.toml:5:# TODO: read the token from the environment instead",
            ),
            ("grep", json!({"pattern": "greet", "output_mode": "count", "glob": "*.md"}), "README.md:4"),
            ("grep", json!({"pattern": "trim", "type": "sh", "path": "src"}), "src/greet.sh\nsrc/lib.sh"),
            (
                "grep",
                json!({"pattern": "^url", "path": "config/settings.toml", "output_mode": "content", "-n": false, "-C": 1}),
                "config/settings.toml-# TODO: read the token from the environment instead\n\
                 config/settings.toml:url = \"https://reports.example.com/v1\"\n\
                 config/settings.toml-token = \"sk-FAKE00000000000000000000NOTREAL\"",
            ),
            (
                "grep",
                json!({"pattern": "e", "head_limit": 1}),
                ".gitignore\n[more was found; 1 shown]",
            ),
            ("grep", json!({"pattern": "zzzz"}), "No matches found"),
            ("grep", json!({"pattern": "x", "type": "klingon"}), "!grep: unrecognized file type: klingon"),
        ],
    )
    .await;
    let wrong = run(&tools, "grep", json!({"pattern": "("})).await;
    assert!(wrong.is_error && wrong.content.contains("unclosed group"), "{wrong:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_outside_the_project_is_touched() {
    let project = project(Base::Empty).await;
    let tools = toolbox(&project);
    let outside = project.under.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "treasure").unwrap();
    std::os::unix::fs::symlink(&outside, project.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), project.path().join("file")).unwrap();
    std::os::unix::fs::symlink(outside.join("new"), project.path().join("dangling")).unwrap();
    let absolute = outside.join("secret").display().to_string();
    for path in [
        absolute.as_str(),
        "../../outside/secret",
        "/",
        "..",
        "file",
        "folder/secret",
        "folder/new",
        "dangling",
    ] {
        for (tool, rest) in [
            ("read", json!({})),
            ("write", json!({"content": "mine"})),
            ("edit", json!({"old_string": "treasure", "new_string": "mine"})),
            ("glob", json!({"pattern": "*"})),
            ("grep", json!({"pattern": "treasure"})),
        ] {
            let mut input = rest;
            input["path"] = path.into();
            let output = run(&tools, tool, input).await;
            assert!(output.is_error, "{tool} {path}: {output:?}");
            let refused = ["outside the session's scratch project", "No such file"];
            assert!(refused.iter().any(|why| output.content.contains(why)), "{tool} {path}: {output:?}");
        }
    }
    let found = run(&tools, "grep", json!({"pattern": "treasure"})).await;
    assert_eq!(found.content, "No matches found");
    assert_eq!(std::fs::read_to_string(outside.join("secret")).unwrap(), "treasure");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_stays_inside_is_followed_and_a_pipe_is_not_read() {
    let project = project(Base::Sample).await;
    let tools = toolbox(&project);
    std::os::unix::fs::symlink("CHANGELOG.md", project.path().join("news")).unwrap();
    let read = run(&tools, "read", json!({"path": "news", "limit": 1})).await;
    assert!(read.content.starts_with("     1\t# Changelog\n"), "{read:?}");
    run(&tools, "bash", json!({"command": "mkfifo pipe"})).await;
    check(
        &tools,
        &[
            ("read", json!({"path": "pipe"}), "!pipe is not a regular file"),
            ("write", json!({"path": "pipe", "content": "x"}), "!pipe is not a regular file"),
        ],
    )
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_project_may_be_named_through_a_link() {
    let project = project(Base::Sample).await;
    let link = project.under.path().join("link");
    std::os::unix::fs::symlink(project.path(), &link).unwrap();
    let tools = Toolbox::new(Arc::new(Workspace::new(&link).unwrap()), project.scratch.env().to_vec());
    for path in [link.join("CHANGELOG.md"), project.path().join("CHANGELOG.md")] {
        let read = run(&tools, "read", json!({"path": path, "limit": 1})).await;
        assert!(!read.is_error, "{read:?}");
    }
    let outside = run(&tools, "read", json!({"path": link.join("../outside")})).await;
    assert!(outside.is_error, "{outside:?}");
}

#[tokio::test]
async fn bash_is_a_real_shell() {
    let project = project(Base::Sample).await;
    let tools = toolbox(&project);
    let home = project.path().with_file_name("home");
    check(
        &tools,
        &[
            ("bash", json!({"command": "echo out; echo err >&2; echo more"}), "out\nerr\nmore"),
            ("bash", json!({"command": "echo out; echo err >&2; exit 3"}), "!Exit code 3\nout\nerr"),
            ("bash", json!({"command": "exit 1"}), "!Exit code 1"),
            (
                "bash",
                json!({"command": "echo \"$0 $# ${SECRET-unset} ${GIT_DIR-unset}\""}),
                "bash 0 unset unset",
            ),
            ("bash", json!({"command": "echo $HOME"}), home.to_str().unwrap()),
            (
                "bash",
                json!({"command": "nothing_of_that_name"}),
                "!Exit code 127\nbash: line 1: nothing_of_that_name: command not found",
            ),
            ("bash", json!({"command": "read -r line; echo \"<$line>\""}), "<>"),
            ("bash", json!({"command": "kill -9 $$"}), "!The command was ended by signal 9"),
            ("bash", json!({"cmd": "pwd"}), project.path().to_str().unwrap()),
            ("bash", json!({}), "!bash needs `command`"),
        ],
    )
    .await;
    let call = ToolCall::new("1", "bash", json!({"command": "pwd"}));
    let below = tools.get("bash", Some(Path::new("src"))).unwrap().run(&call, None).await;
    assert_eq!(below.content, project.path().join("src").to_str().unwrap());
    let outside = tools.get("bash", Some(Path::new("../.."))).unwrap().run(&call, None).await;
    assert!(outside.is_error, "{outside:?}");
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended() {
    let project = project(Base::Empty).await;
    let tools = toolbox(&project);
    let output = run(&tools, "bash", json!({"command": "echo begun; sleep 60", "timeout": 200})).await;
    assert_eq!((output.content.as_str(), output.is_error), ("Command timed out after 0 s\nbegun", true));
    assert_eq!(output.details, json!({"timed_out": true}));
}

#[tokio::test]
async fn long_results_are_cut_with_a_note() {
    let project = project(Base::Empty).await;
    let tools = toolbox(&project);
    let command = "for i in {1..70000}; do echo 0123456789; done | tee long.txt";
    for (tool, input) in [
        ("bash", json!({"command": command})),
        ("read", json!({"path": "long.txt", "limit": 70000})),
        ("grep", json!({"pattern": "0", "output_mode": "content"})),
    ] {
        let output = run(&tools, tool, input).await;
        assert!(!output.is_error, "{tool}");
        assert!(output.content.len() > MAX_RESULT / 2 && output.content.len() < MAX_RESULT + 100, "{tool}");
        let note = output.content.lines().last().unwrap_or_default();
        assert!(note.starts_with("[cut: ") || note.starts_with("[more was found"), "{tool}: {note}");
    }
}

#[tokio::test]
async fn output_is_shown_while_it_comes() {
    let project = project(Base::Empty).await;
    let tools = toolbox(&project);
    // The command ends only after a reaction to its first output.
    let command = "echo first; until [ -e go ]; do sleep 0.01; done; echo second";
    let call = ToolCall::new("1", "bash", json!({"command": command}));
    let seen = Arc::new(Mutex::new(String::new()));
    let (shown, go) = (Arc::clone(&seen), project.path().join("go"));
    let show = move |text: &str| {
        shown.lock().unwrap().push_str(text);
        std::fs::write(&go, "").unwrap();
    };
    let output = tools.get("bash", None).unwrap().run(&call, Some(Arc::new(show))).await;
    assert_eq!(output.content, "first\nsecond");
    assert_eq!(*seen.lock().unwrap(), "first\nsecond\n");
}

#[tokio::test]
async fn a_tool_that_is_not_here_repeats_what_was_recorded() {
    let call = ToolCall::new("1", "mcp__echo__echo", json!({}));
    let said = Recorded::new("mcp__echo__echo", Some(ToolOutput::text("hello"))).run(&call, None).await;
    assert_eq!(said, ToolOutput::text("hello"));
    let nothing = Recorded::new("mcp__echo__echo", None).run(&call, None).await;
    assert_eq!(
        (nothing.content.as_str(), nothing.is_error),
        ("there is no tool \"mcp__echo__echo\" here, and no result of this call was recorded", true)
    );
}
