//! Measures how much of real texts the reader refuses and flags, and why.

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;

use snaphook_shell::{Command, Dialect, OpaqueKind, Word};

use crate::sound::judge::Reading;

const MAX_REASONS: usize = 25;
const MAX_EXAMPLES: usize = 3;

/// Reads JSON strings, one a line, from each file and prints its share of refused and flagged texts.
pub fn show(files: &[String]) -> ExitCode {
    for file in files {
        let lines = match fs::read_to_string(file) {
            Ok(lines) => lines,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(66);
            }
        };
        let texts: Vec<String> = match lines.lines().map(serde_json::from_str).collect() {
            Ok(texts) => texts,
            Err(error) => {
                eprintln!("{file}: expected a JSON string on each line: {error}");
                return ExitCode::from(65);
            }
        };
        show_one(file, &texts);
    }
    ExitCode::SUCCESS
}

#[derive(Default)]
struct Reasons<'a>(BTreeMap<String, Vec<&'a str>>);

impl<'a> Reasons<'a> {
    fn add(&mut self, reason: String, text: &'a str) {
        self.0.entry(reason).or_default().push(text);
    }

    fn show(&self, title: &str) {
        let mut reasons: Vec<_> = self.0.iter().collect();
        reasons.sort_by_key(|(_, texts)| std::cmp::Reverse(texts.len()));
        println!("  {title}:");
        for (reason, texts) in reasons.into_iter().take(MAX_REASONS) {
            println!("  {:5} {reason}", texts.len());
            for text in texts.iter().take(MAX_EXAMPLES) {
                let start: String = text.chars().take(160).collect();
                println!("          {start:?}");
            }
        }
    }
}

fn show_one(file: &str, texts: &[String]) {
    let (mut refused, mut dynamic, mut opaque, mut named) = (0, 0, 0, 0);
    let (mut refusals, mut flags) = (Reasons::default(), Reasons::default());
    for text in texts {
        match Reading::of(text, Dialect::Bash) {
            Reading::Refused(error) => {
                refused += 1;
                refusals.add(without_quotes(&error.message), text);
            }
            Reading::Flagged(list) => {
                if list.iter().any(|command| command.dynamic) {
                    dynamic += 1;
                } else if list.iter().all(runs_named_file) {
                    named += 1;
                } else {
                    opaque += 1;
                }
                let mut reasons: Vec<String> = list
                    .iter()
                    .filter(|command| !runs_named_file(command) || command.dynamic)
                    .filter_map(reason)
                    .collect();
                reasons.sort();
                reasons.dedup();
                for reason in reasons {
                    flags.add(reason, text);
                }
            }
            Reading::Listed(_) => {}
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / texts.len().max(1) as f64;
    println!(
        "{file}: {} texts, {:.2} % refused, {:.2} % flagged ({:.2} % dynamic, {:.2} % opaque, {:.2} % only by files that \
         stand there by name)",
        texts.len(),
        percent(refused),
        percent(dynamic + opaque + named),
        percent(dynamic),
        percent(opaque),
        percent(named),
    );
    refusals.show("refused");
    flags.show("flagged");
}

/// Returns whether nothing of a command is hidden but what is in a file of a known name, which the text does not write (`./x`, `sh s`).
fn runs_named_file(command: &Command) -> bool {
    command.opaque.as_ref().is_none_or(|opaque| {
        opaque.kind == OpaqueKind::File && !opaque.written && matches!(opaque.file, Some(Word::Known(_)))
    })
}

fn reason(command: &Command) -> Option<String> {
    let name = match &command.name {
        Word::Known(name) => name.as_str(),
        Word::Unknown { .. } => "(unknown name)",
    };
    let via = command.via.join(" ");
    match &command.opaque {
        _ if command.dynamic => Some(format!("dynamic: {name} via [{via}]")),
        Some(opaque) => {
            Some(format!("opaque {}: {name}, {}", opaque.kind.as_str(), opaque.language.unwrap_or("-")))
        }
        None => None,
    }
}

/// A message without what it quotes, so that equal reasons are counted together.
fn without_quotes(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("…")
}
