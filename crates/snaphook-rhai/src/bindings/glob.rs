//! `snaphook::glob`: gitignore-style patterns over paths.

use std::sync::LazyLock;

use rhai::{Dynamic, EvalAltResult, Module};
use snaphook_script::glob::Cache;

use crate::bindings::{Member, args, define, for_all_hooks};
use crate::raise::raise;

pub(crate) const MEMBERS: &[Member] = &[("matches", matches)];

/// Compiled lists are the same for every hook, and kept outside of all of them.
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

fn matches(module: &mut Module, name: &'static str) {
    define(module, name, |patterns: Dynamic, path: Dynamic| {
        let patterns = list(&patterns)?;
        let path = args::path("snaphook::glob::matches", &path)?;
        for_all_hooks(|| CACHE.is_match(&patterns, &path))
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
