//! The tools that a model may call, by name, and what it is told of them. Not here: running the built-in ones (`tools`).

use std::collections::BTreeMap;
use std::sync::Arc;

use snaphook_core::Tool;

use crate::tools::{ToolSpec, Toolbox, built_in};

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
