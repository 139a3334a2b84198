//! The texts that are kept: attacks, scripts, what agents write. Each file says on its own what it is.

use crate::attacks::Attack;

const SCRIPTS: &str = include_str!("scripts.txt");
const AGENT_CORPUS: &str = include_str!("agent_corpus.txt");

/// Scripts with one corner of the language each.
pub fn scripts() -> Vec<String> {
    split(SCRIPTS)
}

/// Command lines as agents write them.
pub fn agent_corpus() -> Vec<String> {
    split(AGENT_CORPUS)
}

/// All of them, as seeds for mutation.
pub fn all() -> Vec<String> {
    let attacks = Attack::table().into_iter().map(|row| row.text);
    attacks.chain(scripts()).chain(agent_corpus()).collect()
}

/// Texts with a line `%` between them.
fn split(table: &str) -> Vec<String> {
    table.trim_end_matches('\n').split("\n%\n").map(str::to_owned).collect()
}
