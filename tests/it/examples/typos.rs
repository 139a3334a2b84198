//! A slip of the pen must not open a gate: in every gate among the examples, each name of the API and each key of an
//! answer is misspelt in turn. What was stopped before is stopped still, or the hook says that it is broken.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use snaphook::{CallOptions, Discovery, ToolCall};

use super::bed::{builder, find};
use super::cases::{Act, Case, Expected};
use super::shipped::{Example, examples};

/// The calls that a gate stops, without setup and in one step: of those that are stopped for the same reason the first and the
/// last, since the same lines stop them, and each slip is tried with each call.
fn stopped(cases: &[Case]) -> Vec<ToolCall> {
    let alone = cases.iter().filter_map(|case| match case.steps.as_slice() {
        [step] => Some(step),
        _ => None,
    });
    let mut reasons: BTreeMap<&str, Vec<ToolCall>> = BTreeMap::new();
    for step in alone {
        let (Act::Call { tool, input }, Some(Expected::Deny(why) | Expected::Ask(why))) =
            (&step.act, step.expected.first())
        else {
            continue;
        };
        let input = input.to_string().replace("{project}", "/p").replace("{home}", "/home/ada");
        let call = ToolCall::new("1", tool.as_str(), serde_json::from_str(&input).unwrap());
        let calls = reasons.entry(why).or_default();
        calls.truncate(1);
        calls.push(call);
    }
    reasons.into_values().flatten().collect()
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

/// The calls that one slip is tried with.
const MAX_CALLS: usize = 5;

/// Returns the slips that let a call through, and how many were tried.
async fn slips_of(example: &Example) -> (Vec<String>, usize) {
    let (name, calls) = (example.title(), stopped(&example.cases));
    let (mut opened, mut tried) = (Vec::new(), 0);
    if calls.is_empty() {
        return (opened, tried);
    }
    let discovery = find(std::slice::from_ref(&example.path));
    let hook = discovery.hooks.first().unwrap();
    let mut scripts = vec![(None, hook.source.clone())];
    scripts.extend(hook.modules.iter().flatten().map(|(file, source)| (Some(file.as_str()), source.clone())));
    for (file, source) in scripts {
        for at in names(&source) {
            let host = builder(misspelt(&discovery, file, at)).build();
            // All calls with all slips would be hundreds of thousands; neighbouring slips, which mostly are in one function, get
            // different calls.
            let some =
                calls.iter().cycle().skip(tried * MAX_CALLS % calls.len()).take(calls.len().min(MAX_CALLS));
            tried += 1;
            for call in some {
                if let ControlFlow::Continue(_) = host.gate(call.clone(), &CallOptions::default()).await {
                    let line = source[..at.0].lines().count();
                    let word = &source[at.0..at.1];
                    let file = file.unwrap_or_default();
                    opened.push(format!("{name} {file}:{line}: {word} lets {} through", call.input));
                    break;
                }
            }
        }
    }
    (opened, tried)
}

#[test]
fn no_slip_of_the_pen_opens_a_gate() {
    let examples = examples();
    let tried_with = |example: &Example| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(slips_of(example))
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = examples.iter().map(|one| scope.spawn(|| tried_with(one))).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let tried: usize = found.iter().map(|(_, tried)| tried).sum();
    let opened: Vec<&String> = found.iter().flat_map(|(opened, _)| opened).collect();
    assert!(tried > 100, "{tried}");
    assert!(
        opened.is_empty(),
        "{} of {tried}\n{}",
        opened.len(),
        opened.iter().map(|one| one.as_str()).collect::<Vec<_>>().join("\n")
    );
}
