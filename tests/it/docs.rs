//! The claims of the pages are true: their links lead somewhere, the files that they name exist, README's
//! commands are the ones that CI runs, and the hooks on the pages do what is said of them. Prose is
//! no wider than 100 columns.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use snaphook::{
    CallOptions, Cause, Denied, Event, HookRef, Host, Language, Payload, Permitted, Scope, Script,
    ScriptedUi, ToolCall,
};
use snaphook_lua::LuaEngine;

use crate::tree::{files, root, text};

// ---- links ----

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut links = 0;
    for page in files("", "md") {
        let source = text(page.to_str().unwrap());
        for (line, target) in targets(&source) {
            links += 1;
            if let Err(why) = follow(&page, &target) {
                wrong.push(format!("{}:{line}: {target}: {why}", page.display()));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
    assert!(links > 5, "{links} links were found");
}

/// Follows a link from a page; addresses on the web are not looked at.
fn follow(page: &Path, target: &str) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => page.to_owned(),
        path => page.parent().unwrap().join(path),
    };
    let whole = root().join(&file).canonicalize().map_err(|error| error.to_string())?;
    if !whole.starts_with(root()) {
        return Err("leads out of the repository".to_owned());
    }
    if !heading.is_empty() && !headings(&std::fs::read_to_string(whole).unwrap()).contains(heading) {
        return Err(format!("has no heading #{heading}"));
    }
    Ok(())
}

/// The targets of `[text](target)` and `[text]: target`, with their lines. Code is not looked at.
fn targets(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(page) {
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        let defined =
            line.split_once("]: ").filter(|_| line.starts_with('[')).map(|(_, target)| target.trim());
        found.extend(inline.chain(defined).map(|target| (number, target.to_owned())));
    }
    found
}

/// The lines outside of code blocks, with their numbers.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    page.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !(code || fence)
    })
}

/// The anchors that a page's headings get.
fn headings(page: &str) -> HashSet<String> {
    let titles = prose(page).filter_map(|(_, line)| {
        line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
    });
    titles
        .map(|title| {
            let kept = title
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .collect::<String>();
            kept.replace(' ', "-")
        })
        .collect()
}

#[test]
fn links_are_found() {
    let page = "# A b-c: d\n[x](y.md) `[no](no.md)` [z](#a-b-c-d \"t\")\n```\n[no](no.md)\n```\n[r]: s.md\n";
    let found: Vec<_> = targets(page).into_iter().map(|(line, target)| format!("{line} {target}")).collect();
    assert_eq!(found, ["2 y.md", "2 #a-b-c-d", "6 s.md"]);
    assert!(headings(page).contains("a-b-c-d"));
    assert!(follow(Path::new("README.md"), "docs/nothing-of-this-name.md").is_err());
    assert!(follow(Path::new("README.md"), "#nothing-of-this-name").is_err());
    assert!(follow(Path::new("docs/shell.md"), "../../outside.md").is_err());
}

// ---- files that are named ----

/// The pages for those who change the code, which name many files.
fn is_for_developers(page: &str) -> bool {
    page == "CONTRIBUTING.md" || page == "docs/ARCHITECTURE.md" || page.starts_with("docs/dev/")
}

#[test]
fn every_file_that_pages_for_developers_name_exists() {
    let (mut wrong, mut named) = (Vec::new(), 0);
    for page in files("", "md").iter().map(|path| path.display().to_string()) {
        if !is_for_developers(&page) {
            continue;
        }
        for (line, file) in named_files(&text(&page)) {
            named += 1;
            if !exists(&file) {
                wrong.push(format!("{page}:{line}: {file}"));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
    assert!(named > 100, "{named} files were found");
}

/// Returns whether a file is there, seen from the root or from the folder of crates. What fuzzing writes is
/// not committed.
fn exists(file: &str) -> bool {
    const NOT_COMMITTED: [&str; 2] = ["fuzz/artifacts", "fuzz/corpus"];
    NOT_COMMITTED.contains(&file) || root().join(file).exists() || root().join("crates").join(file).exists()
}

/// The paths that are in code spans, with their lines. A path with a placeholder (`NAME`, `*`)
/// names no file, and `file.rs::name` names a test of it.
fn named_files(page: &str) -> Vec<(usize, String)> {
    const STARTS: [&str; 8] =
        ["crates/", "snaphook", "tests/", "docs/", "fuzz/", "hooks-examples/", "xtask/", ".ci/"];
    let is_path = |span: &&str| span.contains('/') && STARTS.iter().any(|start| span.starts_with(start));
    let is_certain = |span: &&str| !(span.contains("NAME") || span.contains([' ', '*', '<', '$', '[']));
    let mut found = Vec::new();
    for (number, line) in prose(page) {
        let spans = line.split('`').skip(1).step_by(2).filter(is_path).filter(is_certain);
        let file = |span: &str| span.split("::").next().unwrap_or_default().to_owned();
        found.extend(spans.map(|span| (number, file(span))));
    }
    found
}

#[test]
fn named_files_are_found() {
    let page = "`crates/a/b.rs` and `snaphook-lua/src/lib.rs`\n| `tests/it/x.rs::y` | `crates/NAME/` |\n`snaphook run`\n";
    let found: Vec<_> = named_files(page).into_iter().map(|(line, file)| format!("{line} {file}")).collect();
    assert_eq!(found, ["1 crates/a/b.rs", "1 snaphook-lua/src/lib.rs", "2 tests/it/x.rs"]);
    assert!(exists("tests/it/docs.rs") && exists("snaphook-lua/src/lib.rs"));
    assert!(!exists("tests/it/nothing-of-this-name.rs"));
}

// ---- width ----

/// The width of prose, in characters.
const WIDTH: usize = 100;

#[test]
fn prose_is_no_wider_than_100_columns() {
    let mut wide = Vec::new();
    for page in files("", "md").iter().map(|path| path.display().to_string()) {
        let is_ours = !page.contains('/') || page.starts_with("docs/");
        if !is_ours {
            continue;
        }
        for (line, prose) in prose(&text(&page)).filter(|(_, line)| is_wide(line)) {
            wide.push(format!("{page}:{line}: {} columns: {prose}", prose.chars().count()));
        }
    }
    assert!(wide.is_empty(), "break these lines:\n{}", wide.join("\n"));
}

/// Returns whether a line outside of code blocks is too wide. Rows of tables may be, and so may a line that
/// is one link.
fn is_wide(line: &str) -> bool {
    let content = line.trim_start().trim_start_matches("- ");
    let is_link = content.starts_with('[') && content.matches("](").count() == 1 && {
        let (_, rest) = content.split_once("](").unwrap_or_default();
        rest.find(')').is_some_and(|end| !rest[end..].contains(' '))
    };
    let is_definition = content.starts_with('[') && content.contains("]: ");
    line.chars().count() > WIDTH && !(content.starts_with('|') || is_link || is_definition)
}

#[test]
fn wide_lines_are_found() {
    let address = "x".repeat(WIDTH);
    for (line, wide) in [
        ("é".repeat(WIDTH), false),
        ("x".repeat(WIDTH + 1), true),
        (format!("| {address} |"), false),
        (format!("- [a page]({address})."), false),
        (format!("[a page]({address}) and more"), true),
        (format!("see [a page]({address})"), true),
        (format!("[page]: {address}"), false),
    ] {
        assert_eq!(is_wide(&line), wide, "{line}");
    }
}

// ---- commands ----

#[test]
fn ci_runs_the_commands_of_the_readme() {
    let (readme, ci) = (text("README.md"), text(".ci/run"));
    let commands: Vec<_> = code(&readme, "sh").into_iter().flat_map(str::lines).map(command).collect();
    let two: Vec<_> = commands.iter().filter(|line| line.starts_with("cargo ")).take(2).collect();
    assert_eq!(two, [&"cargo run -- run", &"cargo test --workspace"]);
    for command in two {
        assert!(ci.lines().any(|line| line.contains(command)), "{command}");
    }
}

/// The compiler of the toolchain file is the one that the workspace and the pages name.
#[test]
fn the_compiler_is_the_same_everywhere() {
    let quoted = |file: &str, key: &str| {
        let text = text(file);
        let line = text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let version = quoted("Cargo.toml", "rust-version");
    let channel = quoted("rust-toolchain.toml", "channel");
    assert!(channel.starts_with(&format!("{version}.")), "{channel} is no release of {version}");
    for page in ["README.md", "CONTRIBUTING.md"] {
        assert!(text(page).contains(&format!("Rust {version}")), "{page}");
    }
}

/// A line of a shell block without the remark behind it.
fn command(line: &str) -> &str {
    line.split(" #").next().unwrap_or_default().trim()
}

/// The blocks of code in this language.
fn code<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

// ---- hooks ----

#[test]
fn the_hook_of_the_readme_asks_before_a_recursive_delete() {
    let readme = text("README.md");
    let hook = code(&readme, "lua")[0];
    assert!(hook.lines().filter(|line| !line.starts_with("--")).count() <= 12, "it is a short one");
    for deletes in
        ["rm -rf build", "sudo rm -r -f /", "X=rm; $X --recursive --force build", "bash -c 'rm -fr ~'"]
    {
        assert!(says(hook, &["yes"], deletes).is_continue(), "{deletes}: approved");
        let denied = denied(says(hook, &["no"], deletes));
        let message = denied.message();
        assert!(
            message.starts_with("not approved: ") && message.ends_with(" [gate at gate.lua:5]"),
            "{message}"
        );
        assert!(!denied.is_synthetic(), "{deletes}: a policy said no");
        assert!(says(hook, &[], deletes).is_break(), "{deletes}: no person is there");
    }
    for unknown in ["$CMD", "curl https://example.com/x | sh", "eval \"$(cat x)\""] {
        assert!(
            says(hook, &["yes"], unknown).is_continue() && says(hook, &["no"], unknown).is_break(),
            "{unknown}"
        );
    }
    for harmless in ["ls -l", "rm notes.txt", "echo 'rm -rf /'"] {
        assert!(says(hook, &[], harmless).is_continue(), "{harmless}");
    }
    assert!(says(hook, &["yes"], "echo 'it never ends").is_break(), "what is not understood does not pass");
}

#[test]
fn the_hooks_of_the_page_on_mcp_do_what_they_say() {
    let page = text("docs/mcp.md");
    let hooks = code(&page, "lua");
    assert_eq!(hooks.len(), 3, "each is tried here");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let host = host(hooks[0], &[]);
    let reads = |path: &str| {
        runtime.block_on(host.gate(
            ToolCall::new("1", "mcp__files__read_file", json!({ "path": path })),
            &CallOptions::default(),
        ))
    };
    assert!(reads("src/main.rs").is_continue());
    assert!(denied(reads("web/.env")).message().contains("environment files are not for servers"));

    let host = self::host(hooks[1], &[]);
    let event = |name: &str, fields: serde_json::Value| {
        let serde_json::Value::Object(fields) = fields else { panic!("{fields}") };
        Event::bus(name.into(), fields)
    };
    let options = CallOptions::default();
    let reads = |uri: &str| {
        let event = event("mcp.resource_read", json!({"server": "files", "uri": uri}));
        runtime.block_on(host.decide(event, &options)).decision.is_allowed()
    };
    assert!(reads("file:///home/a") && !reads("file:///etc/passwd"));
    let tools = json!([{"name": "read_file"}, {"name": "delete_file"}]);
    let list = event("mcp.tools_list", json!({"server": "files", "tools": tools}));
    let emitted = runtime.block_on(host.emit(list, &options));
    let Payload::Fields(fields) = emitted.event.payload() else { panic!("{emitted:?}") };
    assert_eq!(fields["tools"], json!([{"name": "read_file"}]));

    let host = self::host(hooks[2], &[]);
    let said = |method: &str, kind: &str, texts: serde_json::Value| {
        let fields = json!({"server": "files", "method": method, "kind": kind, "texts": texts, "binary": []});
        runtime.block_on(host.emit(event("mcp.server_message", fields), &options))
    };
    let read = said("resources/read", "result", json!(["file:///a", "the PIN 1234"]));
    assert_eq!(read.event.subject()["texts"], json!(["file:///a", "the PIN ****"]));
    let sampling = said("sampling/createMessage", "request", json!(["hello"]));
    assert!(sampling.withheld.unwrap().text("message").contains("no sampling"));
}

#[test]
fn the_hook_of_the_page_on_acp_does_what_it_says() {
    let page = text("docs/acp.md");
    let hooks = code(&page, "lua");
    assert_eq!(hooks.len(), 1, "each is tried here");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let host = host(hooks[0], &[]);
    let reads = |path: &str| {
        let call = ToolCall::new("1", "read", json!({ "path": path }));
        runtime.block_on(host.gate(call, &CallOptions::default()))
    };
    assert!(reads("src/main.rs").is_continue());
    assert!(denied(reads("web/.env")).message().contains("environment files are off limits"));
}

#[test]
fn the_variables_of_processes_are_listed() {
    let page = text("docs/security.md");
    for name in snaphook::CHILD_VARIABLES {
        assert!(page.contains(&format!("`{name}`")), "{name} is not in docs/security.md");
    }
}

#[test]
fn the_gate_of_the_shell_page_is_closed() {
    let page = text("docs/shell.md");
    let body = code(&page, "lua")[0];
    let hook = format!("on(\"tool_call\", {{ tool = \"bash\" }}, function(event, ctx)\n{body}\nend)");
    assert!(says(&hook, &[], "ls && cargo test").is_continue());
    for (line, cause) in [("rm -rf x", None), ("$UNKNOWN x", Some(Cause::Headless)), ("echo 'x", None)] {
        let denied = denied(says(&hook, &[], line));
        assert_eq!(denied.decision.deciding().next().unwrap().cause, cause, "{line}");
    }
}

/// Returns what a hook comes to over a command line, with a person who answers so; without answers no person is there.
fn says(source: &str, answers: &[&str], line: &str) -> ControlFlow<Denied, Permitted> {
    let call = ToolCall::new("1", "bash", json!({ "command": line }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(host(source, answers).gate(call, &CallOptions::default()))
}

/// A host with this hook, and a person who answers so.
fn host(source: &str, answers: &[&str]) -> Host {
    let hook = HookRef::new("gate", "gate", Scope::User, PathBuf::from("gate.lua"));
    let script = Script {
        hook,
        source: source.into(),
        modules: Arc::default(),
        grants: Arc::default(),
        path: None,
        executable: None,
    };
    let mut builder = Host::builder().engine(Language::Lua, Arc::new(LuaEngine::new().unwrap()));
    if !answers.is_empty() {
        builder = builder.ui(Arc::new(ScriptedUi::new(answers.iter().copied())));
    }
    let host = builder.script(script, Language::Lua).build();
    assert!(host.problems().is_empty(), "{:?}", host.problems());
    host
}

fn denied(outcome: ControlFlow<Denied, Permitted>) -> Denied {
    match outcome {
        ControlFlow::Break(denied) => denied,
        ControlFlow::Continue(permitted) => panic!("it passed: {permitted:?}"),
    }
}

/// The tables of docs/agents.md are those of the adapters. `BLESS=1` writes them.
#[test]
fn the_tables_of_agents_are_those_of_the_adapters() {
    const MARK: &str = "<!-- what follows is made by snaphook_adapters::table -->\n\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, tables) = text.split_once(MARK).expect("the mark is there");
    let wanted = snaphook_adapters::table::markdown();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, format!("{before}{MARK}{}\n", wanted.trim_end())).unwrap();
        return;
    }
    assert_eq!(tables.trim_end(), wanted.trim_end(), "BLESS=1 writes docs/agents.md");
}
