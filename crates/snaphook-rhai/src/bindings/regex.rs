//! `snaphook::regex`: regular expressions in linear time.

use std::sync::LazyLock;

use rhai::{Dynamic, EvalAltResult, Map, Module};
use snaphook_script::regex::{self, Cache, Match};

use crate::bindings::record::{self, Record};
use crate::bindings::{Member, args, define, for_all_hooks};
use crate::natives::limits;

/// The default number of matches that `find_all` gives.
const DEFAULT_MATCHES: usize = 1000;

pub(crate) const MEMBERS: &[Member] =
    &[("matches", matches), ("find", find), ("find_all", find_all), ("replace", replace), ("escape", escape)];

/// Compiled patterns are the same for every hook, and kept outside of all of them.
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

fn matches(module: &mut Module, name: &'static str) {
    define(module, name, |pattern: Dynamic, text: Dynamic| {
        let (pattern, text) = both("matches", &pattern, &text)?;
        for_all_hooks(|| CACHE.matches(&pattern, &text))
    });
}

fn find(module: &mut Module, name: &'static str) {
    define(module, name, |pattern: Dynamic, text: Dynamic| {
        let (pattern, text) = both("find", &pattern, &text)?;
        let found = for_all_hooks(|| CACHE.find(&pattern, &text))?;
        Ok(found.map_or(Dynamic::UNIT, |found| Dynamic::from(FoundMatch::from(found))))
    });
}

fn find_all(module: &mut Module, name: &'static str) {
    define(module, name, |pattern: Dynamic, text: Dynamic| all(&pattern, &text, DEFAULT_MATCHES));
    define(module, name, |pattern: Dynamic, text: Dynamic, limit: Dynamic| {
        if limit.is_unit() {
            return all(&pattern, &text, DEFAULT_MATCHES);
        }
        let wrong = || args::wrong("snaphook::regex::find_all", "a number of matches", &limit);
        let limit = limit.as_int().ok().and_then(|limit| usize::try_from(limit).ok()).ok_or_else(wrong)?;
        all(&pattern, &text, limit)
    });
}

fn all(pattern: &Dynamic, text: &Dynamic, limit: usize) -> Result<Dynamic, Box<EvalAltResult>> {
    let (pattern, text) = both("find_all", pattern, text)?;
    let found = for_all_hooks(|| CACHE.find_all(&pattern, &text, limit))?;
    let found = found.into_iter().map(|found| Dynamic::from(FoundMatch::from(found)));
    Ok(Dynamic::from_array(found.collect()))
}

fn replace(module: &mut Module, name: &'static str) {
    define(module, name, |pattern: Dynamic, text: Dynamic, by: Dynamic| {
        let (pattern, text) = both("replace", &pattern, &text)?;
        let by = args::text("snaphook::regex::replace", &by)?;
        for_all_hooks(|| CACHE.replace(&pattern, &text, &by, limits::TEXT))
    });
}

fn escape(module: &mut Module, name: &'static str) {
    define(module, name, |text: Dynamic| {
        let text = args::text("snaphook::regex::escape", &text)?;
        let escaped = regex::escape(&text);
        limits::text("snaphook::regex::escape", escaped.len())?;
        Ok(escaped)
    });
}

type Text = rhai::ImmutableString;

fn both(name: &str, pattern: &Dynamic, text: &Dynamic) -> Result<(Text, Text), Box<EvalAltResult>> {
    let function = format!("snaphook::regex::{name}");
    Ok((args::text(&function, pattern)?, args::text(&function, text)?))
}

/// A match as scripts see it. A group that took no part is `false`, as in Lua.
#[derive(Clone)]
pub(crate) struct FoundMatch {
    text: Dynamic,
    groups: Dynamic,
    names: Dynamic,
}

impl From<Match> for FoundMatch {
    fn from(found: Match) -> Self {
        let groups = found.groups.into_iter().map(|group| group.map_or(Dynamic::FALSE, Dynamic::from));
        let names: Map = found.names.into_iter().map(|(name, text)| (name.into(), text.into())).collect();
        FoundMatch {
            text: found.text.into(),
            groups: Dynamic::from_array(groups.collect()),
            names: names.into(),
        }
    }
}

impl Record for FoundMatch {
    const NAME: &'static str = "a match";
    const TYPE: &'static str = "match";
    const FIELDS: &'static [&'static str] = &["text", "groups", "names"];

    fn field(&self, name: &str) -> Dynamic {
        match name {
            "text" => self.text.clone(),
            "groups" => self.groups.clone(),
            _ => self.names.clone(),
        }
    }
}

/// Registers what a match can do.
pub(crate) fn types(library: &mut Module) {
    record::register::<FoundMatch>(library);
}

/// A match as a map, for its JSON form.
pub(crate) fn plain(value: &Dynamic) -> Option<Dynamic> {
    value.read_lock::<FoundMatch>().map(|found| record::as_map(&*found))
}

/// The message about a method that a value of this type does not have.
pub(crate) fn no_method(this: &str, name: &str) -> Option<String> {
    (this == FoundMatch::TYPE).then(|| FoundMatch::no_such(name))
}
