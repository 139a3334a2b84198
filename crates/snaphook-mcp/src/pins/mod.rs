//! Pinned tools: what a server said of each tool when it was first seen, and whether it says something else now. A server that
//! was harmless when it was reviewed must not change unnoticed.
//!
//! The first whole list of a server is what it is held to. After that a tool that changed, is new or is gone is a [`Change`],
//! until a person accepts it. `gate` denies calls to such a tool where a setting says so, `store` keeps what was seen.

mod definition;
mod gate;
mod store;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use definition::Definition;
pub use gate::{PINNED_TOOLS, PinGate};
pub use store::{PinFault, PinStore, Pinned};

/// The number of lists that a client may have begun and not read to their end. Of more, the pages that follow are
/// part of no list.
const MAX_LISTS: usize = 256;

/// The identity of a server: the name that it has here, and what is started or called. Another command is another
/// server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// By which hooks know it.
    pub name: String,
    /// The command with its arguments, or an address alone.
    pub target: Vec<String>,
}

/// A page of an answer to `tools/list`.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The cursor that the request asked to go on from.
    pub cursor: Option<&'a str>,
    /// The tools on it.
    pub tools: &'a [Value],
    /// The place where it goes on.
    pub next: Option<&'a str>,
}

/// A tool that is not as it was first seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Change {
    /// The server's name for it.
    pub tool: String,
    /// The way it differs.
    pub kind: ChangeKind,
}

/// The way a tool differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It was not there.
    New,
    /// It is defined in another way. The names of the fields, where definitions are short enough to be kept.
    Changed {
        /// Sorted.
        fields: Vec<String>,
    },
    /// It is not there any more.
    Gone,
    /// One list has it twice, so that it is not known which definition counts.
    Twice,
}

impl Change {
    /// Returns whether a call to the tool is a call to something that was not reviewed.
    pub fn is_unseen(&self) -> bool {
        self.kind != ChangeKind::Gone
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = Value::from(self.tool.as_str());
        match &self.kind {
            ChangeKind::New => write!(f, "the tool {tool} is new"),
            ChangeKind::Changed { fields } if fields.is_empty() => write!(f, "the tool {tool} was changed"),
            ChangeKind::Changed { fields } => write!(f, "the tool {tool} was changed: {}", fields.join(", ")),
            ChangeKind::Gone => write!(f, "the tool {tool} is gone"),
            ChangeKind::Twice => write!(f, "the tool {tool} is defined twice"),
        }
    }
}

/// The pins of one server in one session.
#[derive(Debug)]
pub struct Pins {
    server: Server,
    /// `None`: they are kept as long as the session lasts.
    store: Option<PinStore>,
    session: Mutex<Session>,
}

#[derive(Debug, Default)]
struct Session {
    /// The pins that are kept, where there is no store.
    pinned: Option<Pinned>,
    /// Lists that go on, by the cursor that goes on with them.
    lists: HashMap<String, List>,
    /// The changes that were reported already, with the definition that each was about.
    told: HashSet<(Change, String)>,
    /// Tools that are not as they were, and the hash of what they are.
    unseen: BTreeMap<String, (Change, String)>,
    /// The reason why nothing is known.
    fault: Option<PinFault>,
}

/// The tools of a list so far.
#[derive(Debug, Clone, Default)]
struct List {
    tools: BTreeSet<String>,
    /// It was seen from its first page on.
    whole: bool,
}

impl Pins {
    /// The pins of a server; without a state folder they are kept for this session only.
    pub fn new(state: Option<&Path>, server: Server) -> Self {
        let store = state.map(PinStore::new);
        let mut session = Session::default();
        match store.as_ref().map(|store| store.read(&server)) {
            Some(Ok(Some(pinned))) => {
                // A tool that changed in an earlier session can be called before it is listed.
                for change in pinned.changes().into_iter().filter(Change::is_unseen) {
                    let hash = pinned.pending.get(&change.tool).map(|now| now.hash.clone());
                    session.unseen.insert(change.tool.clone(), (change, hash.unwrap_or_default()));
                }
            }
            Some(Err(fault)) => session.fault = Some(fault),
            Some(Ok(None)) | None => {}
        }
        Pins { server, store, session: Mutex::new(session) }
    }

    /// Returns whose they are.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Looks at a page of the list of tools, and gives what differs and was not told in this session yet. Waits for a lock on a
    /// file, and is for a thread that may wait.
    ///
    /// # Errors
    /// What is kept cannot be read or written. Then nothing is known of any tool.
    pub fn look(&self, page: Page<'_>) -> Result<Vec<Change>, PinFault> {
        let mut session = self.session.lock();
        let looked = self.look_at(&mut session, page);
        session.fault = looked.as_ref().err().cloned();
        looked
    }

    fn look_at(&self, session: &mut Session, page: Page<'_>) -> Result<Vec<Change>, PinFault> {
        let named = |tool: &Value| Some((tool.get("name")?.as_str()?.to_owned(), Definition::of(tool)));
        let mut list = match page.cursor {
            None => List { whole: true, ..List::default() },
            Some(cursor) => session.lists.get(cursor).cloned().unwrap_or_default(),
        };
        let mut tools = Vec::new();
        let mut twice = BTreeSet::new();
        // What has no name cannot be called.
        for (name, definition) in page.tools.iter().filter_map(named) {
            if !list.tools.insert(name.clone()) {
                twice.insert(name.clone());
            }
            tools.push((name, definition));
        }
        let seen = SeenPage { list: &list, tools: &tools, is_last: page.next.is_none() };
        let pinned = match &self.store {
            Some(store) => store.change(&self.server, |pinned| {
                seen.hold_against(pinned);
                pinned.clone()
            })?,
            None => {
                let pinned = session.pinned.get_or_insert_with(|| Pinned::new(&self.server));
                seen.hold_against(pinned);
                pinned.clone()
            }
        };
        let mut changes = pinned.changes();
        changes.extend(twice.into_iter().map(|tool| Change { tool, kind: ChangeKind::Twice }));
        for (tool, definition) in &tools {
            session.unseen.remove(tool);
            let about = changes.iter().rev().find(|change| change.tool == *tool && change.is_unseen());
            if let Some(change) = about {
                session.unseen.insert(tool.clone(), (change.clone(), definition.hash.clone()));
            }
        }
        if let Some(next) = page.next {
            if session.lists.len() >= MAX_LISTS {
                session.lists.clear();
            }
            session.lists.insert(next.to_owned(), list);
        }
        changes.retain(|change| {
            let hash = pinned.pending.get(&change.tool).map(|now| now.hash.clone()).unwrap_or_default();
            session.told.insert((change.clone(), hash))
        });
        Ok(changes)
    }

    /// Returns the reason why a call to this tool is not reviewed; `None` where the tool is as it was first seen.
    /// Cheap for those.
    ///
    /// # Errors
    /// What is kept cannot be read.
    pub fn objection(&self, tool: &str) -> Result<Option<Change>, PinFault> {
        let mut session = self.session.lock();
        if let Some(fault) = &session.fault {
            return Err(fault.clone());
        }
        let Some((change, hash)) = session.unseen.get(tool).cloned() else { return Ok(None) };
        // It may have been accepted since.
        let kept = self.store.as_ref().map(|store| store.read(&self.server)).transpose()?.flatten();
        let accepted = kept.and_then(|pinned| pinned.tools.get(tool).map(|kept| kept.hash == hash));
        if accepted == Some(true) && change.kind != ChangeKind::Twice {
            session.unseen.remove(tool);
            return Ok(None);
        }
        Ok(Some(change))
    }

    /// Returns whether [`objection`](Pins::objection) has to be asked about this tool.
    pub fn may_object(&self, tool: &str) -> bool {
        let session = self.session.lock();
        session.fault.is_some() || session.unseen.contains_key(tool)
    }
}

/// The content of a page.
struct SeenPage<'a> {
    list: &'a List,
    tools: &'a [(String, Definition)],
    is_last: bool,
}

impl SeenPage<'_> {
    fn hold_against(&self, pinned: &mut Pinned) {
        for (name, now) in self.tools {
            pinned.gone.remove(name);
            match pinned.tools.get(name) {
                Some(before) if before.hash == now.hash => drop(pinned.pending.remove(name)),
                None if !pinned.complete => drop(pinned.tools.insert(name.clone(), now.clone())),
                _ => drop(pinned.pending.insert(name.clone(), now.clone())),
            }
        }
        if self.is_last && self.list.whole {
            pinned.complete = true;
            let there = |tool: &String| self.list.tools.contains(tool);
            pinned.gone = pinned.tools.keys().filter(|tool| !there(tool)).cloned().collect();
            // What changed and is gone now is gone.
            pinned.pending.retain(|tool, _| there(tool));
        }
    }
}

#[cfg(test)]
mod tests;
