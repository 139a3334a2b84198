//! Lists of MCP servers that were put behind the gate: whether each server still is. Not here: changing them (`wrap`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use snaphook_discovery::Directories;

use crate::doctor::Check;
use crate::files;
use crate::wrap::{GateState, states, wrapped};

/// Lists that may have servers behind the gate although this machine's `wrap` did not put them there.
const OF_PROJECT: &[&str] = &[".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"];

/// Checks the lists.
pub(super) fn checks(directories: &Directories, program: &str) -> Vec<Check> {
    let wrapped: BTreeSet<PathBuf> = wrapped(directories).into_iter().collect();
    let known = |file: &&str| directories.project_root.join(file).canonicalize().ok();
    let mut files = wrapped.clone();
    files.extend(OF_PROJECT.iter().filter_map(known));
    let mut checks = Vec::new();
    for path in files {
        let about = format!("MCP servers in {}", directories.relative(&path));
        let wrap = format!("snaphook mcp wrap {}", directories.relative(&path));
        let is_ours = wrapped.contains(&path);
        let servers = match files::read(&path).map(|text| text.map(|text| states(&path, &text, program))) {
            Ok(Some(Ok(servers))) => servers,
            // That one is not behind the gate.
            _ if !is_ours => continue,
            Ok(None) => {
                checks.push(Check::note(&about, "the file is gone"));
                continue;
            }
            Ok(Some(Err(why))) => {
                checks.push(Check::wrong(&about, why.to_string(), "fix it"));
                continue;
            }
            Err(failure) => {
                checks.push(Check::wrong(&about, failure.to_string(), "fix it"));
                continue;
            }
        };
        let of = |wanted: GateState| {
            let names = servers.iter().filter(|(_, state)| *state == wanted).map(|(name, _)| name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let (gated, lost, bare) = (of(GateState::Gated), of(GateState::Lost), of(GateState::Bare));
        if gated.is_empty() && lost.is_empty() && !is_ours {
            continue;
        }
        if !gated.is_empty() {
            checks.push(Check::fine(&about, format!("behind the gate: {gated}")));
        }
        if !lost.is_empty() {
            let text = format!("behind a gate whose program does not exist, so they do not start: {lost}");
            checks.push(Check::wrong(&about, text, &wrap));
        }
        if !bare.is_empty() {
            checks.push(Check::wrong(&about, format!("without the gate: {bare}"), &wrap));
        }
    }
    checks
}
