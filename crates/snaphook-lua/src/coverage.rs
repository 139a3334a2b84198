//! The lines of a script that ran, by Luau's own counters. Not here: adding up over hooks and tests (`snaphook-testing`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use mlua::chunk::Compiler;
use mlua::{Function, Lua};
use parking_lot::Mutex;
use snaphook_core::FileCoverage;

/// The chunks of a VM that counts, by the names of their files.
#[derive(Default)]
struct CountedChunks(Mutex<Vec<(String, Function)>>);

/// Makes every chunk that is compiled from now on count its lines.
pub(crate) fn count(lua: &Lua) {
    // Statements, and the parts of expressions that may be left out.
    lua.set_compiler(Compiler::new().set_coverage_level(2));
    lua.set_app_data(CountedChunks::default());
}

/// Remembers a chunk that was compiled from a file, if the VM counts.
pub(crate) fn note(lua: &Lua, file: &str, chunk: &Function) {
    if let Some(chunks) = lua.app_data_ref::<CountedChunks>() {
        chunks.0.lock().push((file.to_owned(), chunk.clone()));
    }
}

/// The lines that can run, with how often they did.
pub(crate) fn read(lua: &Lua) -> Vec<FileCoverage> {
    let chunks = match lua.app_data_ref::<CountedChunks>() {
        Some(chunks) => chunks.0.lock().clone(),
        None => return Vec::new(),
    };
    let mut files: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    for (file, chunk) in chunks {
        let lines = files.entry(file).or_default();
        chunk.coverage(|info| {
            // By line from 0; what cannot run has a negative count.
            for (line, hits) in info.hits.iter().enumerate() {
                let (Ok(line), Ok(hits)) = (u32::try_from(line), u64::try_from(*hits)) else { continue };
                if line > 0 {
                    let count = lines.entry(line).or_default();
                    *count = (*count).max(hits);
                }
            }
        });
    }
    let one = |(file, lines): (String, BTreeMap<u32, u64>)| FileCoverage {
        file: PathBuf::from(file),
        lines: lines.into_iter().collect(),
    };
    files.into_iter().map(one).collect()
}
