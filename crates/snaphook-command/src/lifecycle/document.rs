//! The findings about a lifecycle file that is not YAML. Not here: reading YAML (`snaphook_discovery::yaml`), and which keys there are.

use snaphook_discovery::yaml::{self, Node, Unread};

use super::{Finding, Weight};

/// The most values of a file.
const MAX_NODES: usize = 16_384;

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Node, Finding> {
    yaml::read(text, MAX_NODES).map_err(|(why, position)| {
        let (message, help) = match why {
            Unread::Alias => {
                ("anchors (`&`) and aliases (`*`) are not read".to_owned(), "write the value out")
            }
            Unread::TooMuch => ("it is nested too deeply or has too many values".to_owned(), "keep it short"),
            Unread::Invalid(message) => {
                (format!("it is not valid YAML: {message}"), "put values with special characters in quotes")
            }
        };
        Finding { weight: Weight::Warning, position, message, help: Some(help.to_owned()) }
    })
}
