//! Files that snaphook keeps for itself.
//!
//! | module | content |
//! |---|---|
//! | `layout` | the folders of the state folder |
//! | `document` | one file that is read whole, replaced whole and changed by one process at a time |
//! | `private_fs` | files and folders for their owner alone, locks |
//! | `plain_fs` | reading files that any user may have put there |
//!
//! Not here: the content of the documents (their owners), where the state folder is
//! (`snaphook-discovery`), and the audit's files, which are appended to (`snaphook-audit`).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use snaphook_state::Document;
//!
//! let folder = tempfile::tempdir()?;
//! let counter = Document::new(folder.path().join("count.json"), 1024);
//! {
//!     let _lock = counter.lock(std::time::Duration::from_secs(1))?;
//!     let count: u64 = counter.read_json()?.unwrap_or_default();
//!     counter.replace_json(&(count + 1))?;
//! }
//! assert_eq!(counter.read_json::<u64>()?, Some(1));
//! # Ok(())
//! # }
//! ```

mod document;
pub mod layout;
pub mod plain_fs;
pub mod private_fs;

pub use document::{Document, DocumentError, parse_format};
