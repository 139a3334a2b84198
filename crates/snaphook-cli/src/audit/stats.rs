//! Statistics of hooks, from the audit: calls, denials, time.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use snaphook_audit::StoredLine;

use super::text::list;
use crate::print::{self, Paint};

/// Everything that is counted.
pub(super) struct Stats {
    decisions: u64,
    denied: u64,
    rewritten_results: u64,
    /// By id. Two projects' hooks of one id are counted together.
    hooks: BTreeMap<String, Hook>,
}

#[derive(Default)]
struct Hook {
    calls: u64,
    denials: u64,
    failures: u64,
    time_us: u64,
    rewritten_results: u64,
    hashes: Vec<String>,
}

impl Stats {
    pub(super) fn of(lines: &[StoredLine]) -> Self {
        let mut stats = Stats { decisions: 0, denied: 0, rewritten_results: 0, hooks: BTreeMap::new() };
        for line in lines {
            stats.take(line);
        }
        stats
    }

    fn take(&mut self, line: &StoredLine) {
        match line.text_of("decision") {
            "" => {
                self.rewritten_results += u64::from(line.fields.get("rewritten") == Some(&Value::Bool(true)))
            }
            decision => {
                self.decisions += 1;
                self.denied += u64::from(decision == "deny");
            }
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for one in list(line, "hooks") {
            let hook = self.hooks.entry(text(&one["id"])).or_default();
            hook.calls += one["calls"].as_u64().unwrap_or_default();
            hook.time_us += one["duration_us"].as_u64().unwrap_or_default();
            let hash = text(&one["hash"]);
            if !hash.is_empty() && !hook.hashes.contains(&hash) {
                hook.hashes.push(hash);
            }
        }
        let mut denied_by: Vec<&str> = Vec::new();
        for reason in list(line, "reasons").filter(|reason| reason["verdict"] == "deny") {
            let Some(id) = reason["hook"].as_str() else { continue };
            let hook = self.hooks.entry(id.to_owned()).or_default();
            hook.failures += u64::from(!reason["cause"].is_null());
            if !denied_by.contains(&id) {
                denied_by.push(id);
                hook.denials += 1;
            }
        }
        let result = line.fields.get("result").and_then(|result| result["rewritten_by"].as_array());
        for id in result.into_iter().flatten().filter_map(Value::as_str) {
            self.hooks.entry(id.to_owned()).or_default().rewritten_results += 1;
        }
    }

    pub(super) fn document(&self) -> Value {
        let hook = |(id, hook): (&String, &Hook)| {
            json!({
                "hook": id,
                "calls": hook.calls,
                "denials": hook.denials,
                "failures": hook.failures,
                "rewritten_results": hook.rewritten_results,
                "duration_us": hook.time_us,
                "hashes": hook.hashes,
            })
        };
        json!({
            "decisions": self.decisions,
            "denied": self.denied,
            "rewritten_results": self.rewritten_results,
            "hooks": self.hooks.iter().map(hook).collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self, paint: Paint) -> String {
        let mut text = format!(
            "{} decisions, {} denied, {} results rewritten\n",
            self.decisions, self.denied, self.rewritten_results
        );
        if self.hooks.is_empty() {
            return text;
        }
        let head = format!(
            "{:<32} {:>8} {:>8} {:>8} {:>9} {:>12}",
            "hook", "calls", "denials", "failures", "rewritten", "time"
        );
        text += &format!("{}\n", paint.bold(&head));
        for (id, hook) in &self.hooks {
            text += &format!(
                "{:<32} {:>8} {:>8} {:>8} {:>9} {:>12}\n",
                print::brief(id, 32),
                hook.calls,
                hook.denials,
                hook.failures,
                hook.rewritten_results,
                time(hook.time_us)
            );
        }
        text
    }
}

fn time(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} µs"),
        10_000..10_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{} s", micros / 1_000_000),
    }
}
