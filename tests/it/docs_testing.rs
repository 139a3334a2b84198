//! Each block of `docs/testing.md` that has a file's name is written and run: hooks with examples and tests have to pass,
//! and a test with a `text` block behind it has to fail in those words.

use crate::support::Sandbox;
use crate::tree::text;

struct Block {
    /// The language and the name of the file.
    kind: String,
    source: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let source: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push(Block { kind: kind.to_owned(), source: source.join("\n") + "\n" });
        }
    }
    found
}

/// The file of a block.
fn file(block: &Block) -> Option<&str> {
    block.kind.split_once(' ').map(|(_, file)| file)
}

#[test]
fn what_the_page_on_testing_shows_is_so() {
    let page = text("docs/testing.md");
    let place = Sandbox::new();
    let all = blocks(&page);
    for block in all.iter().filter(|block| file(block).is_some()) {
        place.write(&format!("project/{}", file(block).unwrap()), &block.source);
    }
    let (mut ran, mut failed) = (0, 0);
    for (at, block) in all.iter().enumerate() {
        let Some(file) = file(block) else { continue };
        if !file.contains(".test.") && !block.source.contains("examples:") {
            continue;
        }
        ran += 1;
        let said = place.run(&["test", file]);
        match all.get(at + 1).filter(|next| next.kind == "text") {
            Some(next) => {
                failed += 1;
                let shown = said.stdout.rsplit_once(" (").map_or(said.stdout.as_str(), |(shown, _)| shown);
                assert_eq!(format!("{shown}\n"), next.source, "{file}");
                assert_eq!(said.code, 1);
            }
            None => assert_eq!(said.code, 0, "{file}: {said:?}"),
        }
    }
    assert!(ran >= 10 && failed == 1, "{ran} {failed}");
}

/// The page's text about the first test is the command's output.
#[test]
fn the_first_run_looks_like_that() {
    let page = text("docs/testing.md");
    let all = blocks(&page);
    let place = Sandbox::new();
    for block in &all[..2] {
        place.write(&format!("project/{}", file(block).unwrap()), &block.source);
    }
    let said = place.run(&["test"]);
    let shown = |text: &str| text.rsplit_once(" (").map(|(shown, _)| shown.to_owned());
    assert_eq!(
        Some(shown(&said.stdout).unwrap()),
        shown(all[2].source.trim_start_matches("$ snaphook test\n"))
    );
}

/// The page names every function that there is.
#[test]
fn every_function_of_tests_is_on_the_page() {
    let page = text("docs/testing.md");
    for name in snaphook::testing::T_MEMBERS {
        assert!(page.contains(&format!("t.{name}")), "t.{name}");
    }
    for name in snaphook::testing::EXPECT_MEMBERS {
        assert!(page.contains(&format!(").{name}")), "expect(…).{name}");
    }
}

/// The guide's test holds for the guide's first hook, and its examples for the hooks that have them.
#[test]
fn the_tests_of_the_guide_pass() {
    let page = text("docs/guide.md");
    let all = blocks(&page);
    let place = Sandbox::new();
    let first = all.iter().find(|block| block.kind == "lua hook").unwrap();
    place.write("project/no-forced-push.lua", &first.source);
    let mut ran = 0;
    for block in &all {
        let name = match block.kind.as_str() {
            "lua test" => "guide.test.lua",
            "lua hook" if block.source.contains("examples:") => "example.lua",
            _ => continue,
        };
        place.write(&format!("project/{name}"), &block.source);
        let said = place.run(&["test", name]);
        assert_eq!(said.code, 0, "{said:?}");
        ran += 1;
    }
    assert_eq!(ran, 2);
}
