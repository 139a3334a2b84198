//! Front matter: what a file says about itself in a block at its top. One parser for scripts, executables and
//! templates. Not here: what the grants permit, and what becomes of executables.
//!
//! Three steps, one file each: `block` cuts the lines out, `values` reads them as YAML or leniently, `check` gives
//! every key its type (`examples` those of the key that has keys of its own, `executable` those that only
//! executables have). All of them know the names in `keys`, and say the same of a wrong one (`faults`). Files
//! of Discobot are read as Discobot does (`theirs`).

mod block;
mod check;
mod examples;
mod executable;
mod faults;
mod keys;
mod theirs;
mod values;

use snaphook_core::{Executable, OnFailure, Product};

use crate::diagnostic::Diagnostic;

pub use block::{Block, FileKind, Style, blank, misplaced, split};
pub use examples::Example;
pub use keys::{EXECUTABLE_KEYS, KNOWN_KEYS};
pub use snaphook_core::{GRANT_KINDS, Grants};
pub(crate) use theirs::{Legible, legible, may_be_hook};
pub use values::{Entry, Node, Value, read};

/// The version of the script API that this crate knows (`api: 1`).
pub const API_VERSION: u32 = 1;

/// The description that a file gives of itself. The default is a file without front matter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrontMatter {
    /// The name that people call the hook.
    pub name: Option<String>,
    /// The purpose of it.
    pub description: Option<String>,
    /// The script API that it was written for.
    pub api: Option<u32>,
    /// The grants that it asks for.
    pub grants: Grants,
    /// The treatment of results where its `tool_result` handlers fail.
    pub on_failure: OnFailure,
    /// Calls with the decisions that their author expects.
    pub examples: Vec<Example>,
    /// The meaning of the keys that only executables have; `None` where it names no event.
    pub executable: Option<Executable>,
}

/// Reads the front matter of a file's text. `None` when it has none; every fault when it has, and is wrong.
pub fn parse(text: &str, kind: FileKind) -> Result<Option<FrontMatter>, Vec<Diagnostic>> {
    split(text, kind)
        .map_err(|diagnostic| vec![diagnostic])?
        .map(|block| parse_block(&block, kind))
        .transpose()
}

/// Reads a block that was cut out already.
pub fn parse_block(block: &Block, kind: FileKind) -> Result<FrontMatter, Vec<Diagnostic>> {
    parse_for(block, kind, Product::Snaphook).map(|(front_matter, _)| front_matter)
}

/// Reads a block of another product's file, with remarks on what has no effect here.
pub fn parse_for(
    block: &Block,
    kind: FileKind,
    product: Product,
) -> Result<(FrontMatter, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (entries, mut said) = match product {
        Product::Discobot => theirs::read(block),
        _ => (read(block)?, Vec::new()),
    };
    let (front_matter, remarks) = check::check(entries, kind, product)?;
    said.extend(remarks);
    Ok((front_matter, said))
}
