//! The grants that were used while an event was handled, for the audit. Noting costs nothing where no grant is used. Not here:
//! whether a grant allows something, which the host knows.

use std::sync::{Mutex, MutexGuard};

use crate::hook::HookRef;
use crate::sync::lock;

/// The number of different uses that are kept apart for one event. A script may try any number of paths.
const MAX_USES: usize = 64;
/// The longest entry that is kept, in bytes.
const MAX_ENTRY_BYTES: usize = 256;

/// One grant that a hook used, or missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantUse {
    /// The hook.
    pub hook: HookRef,
    /// The kind with the entry as front matter has it, or would need it: `exec:git`. `kind:…` stands for all beyond the
    /// first 64.
    pub grant: String,
    /// True if the hook has no such grant, so that it got an error.
    pub denied: bool,
    /// The number of times.
    pub count: u32,
}

/// The uses of one event's handlers, in the order of the first of each.
#[derive(Debug, Default)]
pub struct GrantUses(Mutex<Vec<GrantUse>>);

impl GrantUses {
    /// Counts one use of `kind: [entry]`; `denied` where the hook does not have it.
    pub fn note(&self, hook: &HookRef, kind: &str, entry: &str, denied: bool) {
        let mut uses = self.list();
        let short = entry.get(..entry.floor_char_boundary(MAX_ENTRY_BYTES)).unwrap_or(entry);
        let dots = if short.len() < entry.len() { "…" } else { "" };
        count(&mut uses, hook, format!("{kind}:{short}{dots}"), kind, denied, 1);
    }

    /// Adds what the handlers of an event used that one of this event's handlers caused.
    pub fn add(&self, other: &GrantUses) {
        let others = other.take();
        if others.is_empty() {
            return;
        }
        let mut uses = self.list();
        for GrantUse { hook, grant, denied, count: times } in others {
            let kind = grant.split(':').next().unwrap_or_default().to_owned();
            count(&mut uses, &hook, grant, &kind, denied, times);
        }
    }

    /// Takes all out.
    pub fn take(&self) -> Vec<GrantUse> {
        std::mem::take(&mut self.list())
    }

    fn list(&self) -> MutexGuard<'_, Vec<GrantUse>> {
        lock(&self.0)
    }
}

fn count(uses: &mut Vec<GrantUse>, hook: &HookRef, grant: String, kind: &str, denied: bool, times: u32) {
    let same =
        |one: &&mut GrantUse, grant: &str| one.hook == *hook && one.denied == denied && one.grant == grant;
    if let Some(known) = uses.iter_mut().find(|one| same(one, &grant)) {
        known.count = known.count.saturating_add(times);
        return;
    }
    if uses.len() < MAX_USES {
        uses.push(GrantUse { hook: hook.clone(), grant, denied, count: times });
        return;
    }
    let rest = format!("{kind}:…");
    match uses.iter_mut().find(|one| same(one, &rest)) {
        Some(known) => known.count = known.count.saturating_add(times),
        None => uses.push(GrantUse { hook: hook.clone(), grant: rest, denied, count: times }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Scope;

    fn hook(id: &str) -> HookRef {
        HookRef::new(id, id, Scope::User, format!("{id}.lua"))
    }

    fn shown(uses: &GrantUses) -> Vec<String> {
        let show = |one: GrantUse| {
            format!("{} {} {}{}", one.hook.id, one.grant, one.count, if one.denied { " denied" } else { "" })
        };
        uses.take().into_iter().map(show).collect()
    }

    #[test]
    fn uses_are_counted_by_hook_and_outcome() {
        let uses = GrantUses::default();
        uses.note(&hook("a"), "exec", "git", false);
        uses.note(&hook("a"), "exec", "git", false);
        uses.note(&hook("a"), "exec", "git", true);
        uses.note(&hook("b"), "exec", "git", false);
        let nested = GrantUses::default();
        nested.note(&hook("b"), "exec", "git", false);
        nested.note(&hook("b"), "exec", "cargo:test", false);
        uses.add(&nested);
        let expected = ["a exec:git 2", "a exec:git 1 denied", "b exec:git 2", "b exec:cargo:test 1"];
        assert_eq!(shown(&uses), expected);
        assert!(shown(&uses).is_empty() && shown(&nested).is_empty());
    }

    #[test]
    fn a_script_that_tries_everything_fills_nothing() {
        let uses = GrantUses::default();
        for number in 0..1000 {
            uses.note(&hook("a"), "read", &format!("{number}"), true);
        }
        uses.note(&hook("a"), "env", &"ü".repeat(1000), true);
        let shown = shown(&uses);
        assert_eq!(shown.len(), MAX_USES + 2);
        assert_eq!(shown[MAX_USES], "a read:… 936 denied");
        assert_eq!(shown[MAX_USES + 1], "a env:… 1 denied");
        uses.note(&hook("a"), "env", &"ü".repeat(1000), true);
        assert_eq!(uses.take()[0].grant, format!("env:{}…", "ü".repeat(128)));
    }
}
