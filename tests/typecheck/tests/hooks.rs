//! The hooks that we hand out have no mistake that a checker can find.

use snaphook_typecheck::{Finding, LUAU, luau, root};

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The Lua files below a folder.
fn lua_files(below: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.ends_with(".lua") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

// ---- pages and templates: strict, without exception ----

/// A Lua block of a page.
struct Block<'a> {
    /// Its code.
    code: &'a str,
    /// True if the page shows it for the mistake in it.
    is_mistaken: bool,
}

/// The Lua blocks of a page. A mistake is marked by the word `broken` behind the fence, or by what is expected of the hook in
/// the comment behind the block.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let found = page.split("```lua").skip(1).filter_map(|rest| {
        let (words, rest) = rest.split_once('\n')?;
        let (code, rest) = rest.split_once("\n```")?;
        let behind = rest.split("```").next().unwrap_or_default();
        Some(Block { code, is_mistaken: words.contains("broken") || behind.contains("=> broken") })
    });
    found.collect()
}

/// A thing that no checker can know: which names of tools are those of agents.
const ONLY_WE_KNOW: &str = "tool = \"Bash\"";

#[test]
fn every_hook_on_a_page_is_fine_in_strict_mode() {
    let mut wrong = Vec::new();
    let (mut fine, mut mistakes) = (0, 0);
    for page in ["README.md", "docs/guide.md"] {
        let source = text(page);
        for Block { code, is_mistaken } in blocks(&source) {
            let found = luau(code);
            match (is_mistaken && !code.contains(ONLY_WE_KNOW), found.is_empty()) {
                (false, true) => fine += 1,
                (true, false) => mistakes += 1,
                (true, true) => wrong.push(format!("{page}: not flagged: {code}")),
                (false, false) => wrong.push(format!("{page}: {found:?}: {code}")),
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0], "\n{}", wrong.join("\n"));
    assert!(fine >= 12 && mistakes >= 5, "{fine} blocks without and {mistakes} with a mistake were checked");
}

#[test]
fn every_template_is_fine_in_strict_mode() {
    let files = lua_files("crates/snaphook-cli/templates");
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        assert_eq!(luau(&text(&file)), [], "{file}");
    }
}

// ---- examples: what is said about our API ----

/// Strict mode wants types on every parameter of a script's own functions, which a hook does without. Of what it says of
/// the examples, this is about our API or cannot be right in any reading: a name that is not there, an event, a key of an
/// answer or a matcher, a text where a number has to be.
fn is_about_the_api(finding: &Finding, ours: &[String]) -> bool {
    let message = finding.message.as_str();
    if message.starts_with("Unknown global") || message.starts_with("Unknown type") {
        return true;
    }
    if let Some(rest) = message.strip_prefix("Key '") {
        return ours.iter().any(|name| rest.ends_with(&format!("' not found in table '{name}'")));
    }
    let Some(rest) = message.strip_prefix("Expected this to be ") else {
        // Syntax: `Expected identifier when parsing …`.
        return message.starts_with("Expected ") && !message.starts_with("Expected type ");
    };
    if rest.starts_with("'\"")
        || rest.starts_with("unreachable, but got '")
        || rest.contains("{ read writes: ")
    {
        return true;
    }
    let plain = |text: &str| {
        ["string", "number", "boolean"].into_iter().find(|kind| text.trim_end_matches('?') == *kind)
    };
    let mut quoted = rest.split('\'').skip(1).step_by(2);
    let (wanted, got) = (quoted.next().and_then(plain), quoted.next().and_then(plain));
    wanted.zip(got).is_some_and(|(wanted, got)| wanted != got)
}

fn about_the_api(source: &str) -> Vec<Finding> {
    let names = LUAU.lines().filter_map(|line| line.strip_prefix("export type ")?.split(' ').next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    luau(source).into_iter().filter(|finding| is_about_the_api(finding, &names)).collect()
}

#[test]
fn the_examples_use_the_api_as_it_is() {
    let files = lua_files("hooks-examples");
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        assert_eq!(about_the_api(&text(&file)), [], "{file}");
    }
}

#[test]
fn the_page_about_tests_uses_the_api_as_it_is() {
    let page = text("docs/testing.md");
    let blocks = blocks(&page);
    assert!(blocks.len() >= 8, "{}", blocks.len());
    for block in blocks {
        assert_eq!(about_the_api(block.code), [], "{}", block.code);
    }
}

#[test]
fn a_mistake_in_an_example_would_be_found() {
    for (file, right, wrong) in [
        ("permission-gate/init.lua", "event.command)", "event.comand)"),
        ("permission-gate/init.lua", "\"tool_call\"", "\"tool_cal\""),
        ("permission-gate/init.lua", "ctx.project_root", "ctx.projectroot"),
        ("permission-gate/init.lua", "{ block = true, reason = \"this", "{ blok = true, reason = \"this"),
        ("permission-gate/init.lua", "{ command = \"\\\\S\" }", "{ comand = \"\\\\S\" }"),
        ("redact-secrets.lua", "event.content", "event.contents"),
        ("redact-secrets.lua", "snaphook.regex.replace", "snaphook.regex.replce"),
        ("git-guard/init.lua", "ctx.cwd", "ctx.cdw"),
        ("test-on-change.lua", "\"files_changed\"", "\"file_changed\""),
    ] {
        let source = text(&format!("hooks-examples/lua/{file}"));
        assert!(source.contains(right), "{file}: {right}");
        let found = about_the_api(&source.replace(right, wrong));
        assert!(!found.is_empty(), "{file}: {wrong}");
    }
}
