//! A slip of the pen must not open a gate: in every gate among the examples, each name of the API and each key of an
//! answer is misspelt in turn. What was stopped before is stopped still, or the hook says that it is broken.

use std::ops::ControlFlow;
use std::sync::Arc;

use snaphook::{CallOptions, Discovery, ToolCall};

use super::bed::{builder, find};
use super::cases::{Act, Case, Expected};
use super::shipped::examples;

/// The calls that a gate stops, without setup and in one step.
fn stopped(cases: &[Case]) -> Vec<ToolCall> {
    let alone = cases.iter().filter_map(|case| match case.steps.as_slice() {
        [step] => Some(step),
        _ => None,
    });
    let stopped = alone.filter_map(|step| match (&step.act, step.expected.first()) {
        (Act::Call { tool, input }, Some(Expected::Deny(_) | Expected::Ask(_))) => {
            let input = input.to_string().replace("{project}", "/p").replace("{home}", "/home/ada");
            Some(ToolCall::new("1", tool.as_str(), serde_json::from_str(&input).unwrap()))
        }
        _ => None,
    });
    stopped.collect()
}

/// The places of names that follow a dot or a colon, and of keys of tables: `cmd.name`, `cmd:has_flags`, `{ block = true }`,
/// `shell::commands`, `#{ block: true }`. Comments and texts are left out.
fn names(source: &str) -> Vec<(usize, usize)> {
    let pattern = regex::Regex::new(
        r#"(?m)(?:--|//).*$|"(?:\\.|[^"\\\n])*"|(?:[A-Za-z_)\]][.:]:?|[{,]\s*)([a-z_]{3,})\b(?:\s*=[^=]|[^\w=]|$)"#,
    )
    .unwrap();
    pattern
        .captures_iter(source)
        .filter_map(|found| found.get(1))
        .map(|name| (name.start(), name.end()))
        .collect()
}

fn misspelt(discovery: &Discovery, file: Option<&str>, at: (usize, usize)) -> Discovery {
    let mut changed = discovery.clone();
    let hook = changed.hooks.first_mut().unwrap();
    let change = |source: &str| -> Arc<str> {
        let (start, end) = at;
        let name: String = source[start..end].to_owned();
        format!("{}{}x{}", &source[..start], &name[..name.len() - 1], &source[end..]).into()
    };
    match file {
        None => hook.source = change(&hook.source),
        Some(file) => {
            let module = hook.modules.as_mut().unwrap().get_mut(file).unwrap();
            *module = change(module);
        }
    }
    changed
}

#[tokio::test]
async fn no_slip_of_the_pen_opens_a_gate() {
    let mut opened = Vec::new();
    let mut tried = 0;
    for example in examples() {
        let (name, calls) = (example.title(), stopped(&example.cases));
        if calls.is_empty() {
            continue;
        }
        let discovery = find(std::slice::from_ref(&example.path));
        let hook = discovery.hooks.first().unwrap();
        let mut scripts = vec![(None, hook.source.clone())];
        scripts.extend(
            hook.modules.iter().flatten().map(|(file, source)| (Some(file.as_str()), source.clone())),
        );
        for (file, source) in scripts {
            for at in names(&source) {
                let host = builder(misspelt(&discovery, file, at)).build();
                tried += 1;
                for call in &calls {
                    if let ControlFlow::Continue(_) = host.gate(call.clone(), &CallOptions::default()).await {
                        let line = source[..at.0].lines().count();
                        let word = &source[at.0..at.1];
                        opened.push(format!(
                            "{name} {}:{line}: {word} lets {} through",
                            file.unwrap_or_default(),
                            call.input
                        ));
                        break;
                    }
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
    assert!(opened.is_empty(), "{} of {tried}\n{}", opened.len(), opened.join("\n"));
}
