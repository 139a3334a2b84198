//! The tools that a model may call, by name, and what it is told of them. Not here: running the built-in ones (`tools`).

use std::collections::BTreeMap;
use std::sync::Arc;

use snaphook_core::{BoxFuture, Tool};

use crate::tools::{ToolSpec, Toolbox, built_in};

/// Tools that may change while a session runs.
pub trait ToolSource: Send + Sync {
    /// Returns all its tools, where there is something new since this was last asked; the first time there is.
    fn changed(&self) -> BoxFuture<'_, Option<Listing>>;

    /// Ends what the tools need, once the session is over.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The tools of a source.
#[derive(Default)]
pub struct Listing {
    /// All of them.
    pub tools: Vec<(ToolSpec, Arc<dyn Tool>)>,
    /// Lines for the person.
    pub news: Vec<String>,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|(spec, _)| &spec.name).collect();
        f.debug_struct("Listing").field("tools", &names).field("news", &self.news).finish()
    }
}

/// Tools by name.
#[derive(Clone, Default)]
pub struct Toolset {
    tools: BTreeMap<String, Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
}

impl Toolset {
    /// The built-in tools of a toolbox.
    pub fn of(toolbox: &Toolbox) -> Self {
        let mut set = Toolset::default();
        for spec in built_in() {
            if let Some(tool) = toolbox.get(&spec.name, None) {
                set.add(spec, tool);
            }
        }
        set
    }

    /// Adds a tool; one of the same name is replaced.
    pub fn add(&mut self, spec: ToolSpec, tool: Arc<dyn Tool>) {
        self.specs.retain(|known| known.name != spec.name);
        self.tools.insert(spec.name.clone(), tool);
        self.specs.push(spec);
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).cloned()
    }

    /// The names, in the order in which the model is told of them.
    pub fn names(&self) -> Vec<&str> {
        self.specs.iter().map(|spec| spec.name.as_str()).collect()
    }

    /// What the model is told.
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.as_slice().into()
    }
}

impl std::fmt::Debug for Toolset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Toolset").field(&self.names()).finish()
    }
}
