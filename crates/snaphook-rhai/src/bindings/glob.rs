//! `snaphook::glob`: gitignore-style patterns over paths.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;
use rhai::{Dynamic, EvalAltResult, Module};
use snaphook_script::glob::{BadGlob, Globs};

use crate::bindings::{Member, args, define, for_all_hooks, raise};

/// The number of compiled lists of patterns that are kept. Scripts pass the same lists over and over.
const MAX_KEPT: usize = 64;
/// The length that the patterns of one list may be together to be kept, in bytes.
const MAX_KEPT_BYTES: usize = 64 << 10;

pub(crate) const MEMBERS: &[Member] = &[("matches", matches)];

fn matches(module: &mut Module, name: &'static str) {
    define(module, name, |patterns: Dynamic, path: Dynamic| {
        let patterns = list(&patterns)?;
        let path = args::path("snaphook::glob::matches", &path)?;
        for_all_hooks(|| compiled(&patterns).map(|globs| globs.is_match(&path)))
    });
}

fn list(patterns: &Dynamic) -> Result<Vec<String>, Box<EvalAltResult>> {
    let wrong = || raise("snaphook::glob::matches takes a pattern or a list of patterns");
    if let Ok(one) = patterns.as_immutable_string_ref() {
        return Ok(vec![one.to_string()]);
    }
    let several = patterns.as_array_ref().map_err(|_| wrong())?;
    let text = |item: &Dynamic| item.as_immutable_string_ref().map(|text| text.to_string()).ok();
    several.iter().map(text).collect::<Option<_>>().ok_or_else(wrong)
}

fn compiled(patterns: &[String]) -> Result<Globs, BadGlob> {
    static LISTS: LazyLock<Mutex<HashMap<Vec<String>, Globs>>> = LazyLock::new(Mutex::default);
    if let Some(globs) = LISTS.lock().get(patterns) {
        return Ok(globs.clone());
    }
    // Not under the lock: another hook shall not wait for this one's patterns.
    let globs = Globs::new(patterns.iter().map(String::as_str))?;
    if patterns.iter().map(String::len).sum::<usize>() <= MAX_KEPT_BYTES {
        let mut lists = LISTS.lock();
        if lists.len() >= MAX_KEPT {
            lists.clear();
        }
        lists.insert(patterns.to_vec(), globs.clone());
    }
    Ok(globs)
}
