//! The scripts that we hand out do what they say: `hooks-examples/`, and every Lua block of the guide and the README.
//! What they should do is in `tests/examples/*.cases` and, for documents, in comments behind the blocks.

mod bed;
mod cases;
mod documents;
mod shipped;
mod tour;
mod twins;
mod typos;
