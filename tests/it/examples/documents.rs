//! Every Lua and Rhai block of the guide is run. The word behind the language says what a block is: `hook` a hook of its own,
//! `hook=NAME/init.lua` with `file=NAME/MODULE.lua` a folder hook, `broken` one that does not load. The comment behind a
//! block has its cases, or what is wrong with it.

use std::path::Path;

use tempfile::TempDir;

use super::bed::{EVERYBODY, SharedBed, builder, faults, find, run};
use super::cases::parse;
use crate::tree::text;

/// A block of Lua or Rhai with the comment behind it.
struct Block {
    line: usize,
    language: &'static str,
    kind: String,
    source: String,
    comment: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut fresh = false;
    while let Some((at, line)) = lines.next() {
        let starts = |language| Some((language, line.strip_prefix("```")?.strip_prefix(language)?));
        if let Some((language, kind)) = starts("lua").or_else(|| starts("rhai")) {
            let source: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let kind = kind.trim().to_owned();
            found.push(Block {
                line: at + 1,
                language,
                kind,
                source: source.join("\n") + "\n",
                comment: String::new(),
            });
            fresh = true;
        } else if line == "<!--" && fresh {
            let comment: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "-->").collect();
            found.last_mut().unwrap().comment = comment.join("\n");
        } else if !line.trim().is_empty() {
            fresh = false;
        }
    }
    found
}

fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

#[tokio::test]
async fn every_hook_of_the_guide_does_what_the_guide_says() {
    let page = text("docs/guide.md");
    let folder = TempDir::new().unwrap();
    let all = blocks(&page);
    let (mut hooks, mut broken, mut wrong) = (0, 0, Vec::new());
    for block in all.iter().filter(|block| block.kind.starts_with("file=")) {
        write(folder.path(), block.kind.trim_start_matches("file="), &block.source);
    }
    for block in &all {
        let place = format!("docs/guide.md:{}", block.line);
        let plain = format!("my-hook.{}", block.language);
        let (kind, name) = block.kind.split_once('=').unwrap_or((&block.kind, &plain));
        assert!(
            !block.comment.is_empty() || matches!(kind, "file" | "test"),
            "{place}: nothing is expected of the block"
        );
        match kind {
            // Tests are run by `docs_testing`.
            "file" | "test" => {}
            "broken" => {
                broken += 1;
                let file = write(folder.path(), name, &block.source);
                let host = builder(find(&[file])).build();
                let told: Vec<_> = host.problems().iter().map(ToString::to_string).collect();
                let expected = block.comment.trim();
                assert!(told.iter().any(|told| told.contains(expected)), "{place}: {told:?}");
            }
            "hook" => {
                hooks += 1;
                let file = write(folder.path(), name, &block.source);
                let hook = if name.ends_with("/init.lua") { file.parent().unwrap().to_owned() } else { file };
                let discovery = find(&[hook]);
                for case in parse(&place, &block.comment) {
                    for person in EVERYBODY {
                        wrong.extend(
                            run(&discovery, &case, person, &mut SharedBed::default())
                                .await
                                .err()
                                .map(|error| error.to_string()),
                        );
                    }
                }
                let broken = block.comment.contains("=> broken");
                let host = builder(discovery).build();
                assert!(broken || faults(&host).is_empty(), "{place}: {:?}", faults(&host));
            }
            other => {
                panic!("{place}: a block says what it is: hook, hook=…, file=… or broken, not {other:?}")
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(hooks >= 10 && broken >= 3, "{hooks} hooks, {broken} broken ones");
}

/// The errors that the guide shows are in its blocks of text: each line is one that a case of the page expects.
#[test]
fn what_errors_read_like_is_what_is_expected_of_them() {
    let page = text("docs/guide.md");
    let comments: Vec<_> = blocks(&page).into_iter().map(|block| block.comment).collect();
    let mut lines = 0;
    for shown in page.split("```text error\n").skip(1) {
        for line in shown.split("```").next().unwrap_or_default().lines() {
            lines += 1;
            assert!(comments.iter().any(|comment| comment.contains(line)), "no case expects {line:?}");
        }
    }
    assert!(lines >= 3, "{lines}");
}

/// The events and answers of the guide are those of the code.
#[test]
fn the_tables_of_the_guide_know_every_event_and_answer() {
    use snaphook::Lifecycle;
    let page = text("docs/guide.md");
    for event in Lifecycle::ALL {
        assert!(page.contains(&format!("`{}`", event.name())), "{} is not in the guide", event.name());
        for answer in event.spec().answers {
            assert!(page.contains(&format!("`{}", answer.name)), "{}: {}", event.name(), answer.name);
        }
    }
}
