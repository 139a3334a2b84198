//! The lines of hooks that ran, over all tests. Not here: counting (the engines).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snaphook::HookSummary;

/// The number of times that each line that can run did, by file.
pub(crate) type Lines = BTreeMap<PathBuf, FileLines>;

/// The lines of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLines {
    /// The file as people see it.
    pub shown: PathBuf,
    /// By line, from 1: how often it ran. `None` where the engine of its language cannot count.
    pub lines: Option<BTreeMap<u32, u64>>,
}

impl FileLines {
    /// Returns how many lines can run.
    pub fn total(&self) -> usize {
        self.lines.as_ref().map_or(0, BTreeMap::len)
    }

    /// Returns how many of them ran.
    pub fn covered(&self) -> usize {
        self.lines.iter().flatten().filter(|(_, count)| **count > 0).count()
    }

    /// Runs of lines that did not run: the first and the last of each. Lines between two of them that cannot run (blank
    /// ones, comments) do not end a run.
    pub fn uncovered(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut open = false;
        for (line, count) in self.lines.iter().flatten() {
            match ranges.last_mut().filter(|_| open && *count == 0) {
                Some(range) => range.1 = *line,
                None if *count == 0 => ranges.push((*line, *line)),
                None => {}
            }
            open = *count == 0;
        }
        ranges
    }

    /// As a document.
    pub fn document(&self) -> Value {
        let file = self.shown.display().to_string();
        match &self.lines {
            None => json!({ "file": file, "available": false }),
            Some(lines) => json!({
                "file": file,
                "available": true,
                "lines": self.total(),
                "covered": self.covered(),
                "uncovered": self.uncovered().iter().map(|(from, to)| json!([from, to])).collect::<Vec<_>>(),
                "counts": lines.iter().map(|(line, count)| json!([line, count])).collect::<Vec<_>>(),
            }),
        }
    }
}

/// Adds what the hooks of a host ran. Call it once for each VM, before it goes.
pub(crate) fn collect(into: &mut Lines, hooks: &[HookSummary], folder: &Path, shown: &Path) {
    for hook in hooks.iter().filter(|hook| hook.loaded) {
        let Some(coverage) = &hook.coverage else {
            note(into, folder, shown, &hook.hook.file);
            continue;
        };
        for file in coverage() {
            let lines = note(into, folder, shown, &file.file).lines.get_or_insert_default();
            for (line, count) in file.lines {
                let sum = lines.entry(line).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }
}

fn note<'a>(into: &'a mut Lines, folder: &Path, shown: &Path, file: &Path) -> &'a mut FileLines {
    let path = folder.join(file);
    let path = path.canonicalize().unwrap_or(path);
    let shown = crate::outcome::below(shown, &file.display().to_string());
    into.entry(path).or_insert_with(|| FileLines { shown: shown.into(), lines: None })
}

/// Adds one test's lines to those of all.
pub(crate) fn merge(into: &mut Lines, from: Lines) {
    for (path, file) in from {
        let known = into.entry(path).or_insert_with(|| FileLines { shown: file.shown, lines: None });
        for (line, count) in file.lines.into_iter().flatten() {
            let sum = known.lines.get_or_insert_default().entry(line).or_default();
            *sum = sum.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_span_what_cannot_run() {
        let file = |counts: &[(u32, u64)]| FileLines {
            shown: PathBuf::from("a.lua"),
            lines: Some(counts.iter().copied().collect()),
        };
        assert_eq!(file(&[(1, 1), (2, 0), (5, 0), (6, 3), (8, 0)]).uncovered(), [(2, 5), (8, 8)]);
        assert_eq!(file(&[]).uncovered(), []);
        let mut all = Lines::default();
        merge(&mut all, Lines::from([("a".into(), file(&[(1, 0), (2, 1)]))]));
        merge(&mut all, Lines::from([("a".into(), file(&[(1, 2), (2, 0)]))]));
        let sum = all.values().next().unwrap();
        assert_eq!((sum.covered(), sum.total()), (2, 2));
    }
}
