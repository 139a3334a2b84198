//! A scripted model: a model provider on loopback, for tests of clients. It speaks four wires as the providers do, streamed and
//! whole, and it breaks them as a script says. Behind the feature `model`.
//!
//! [`ScriptedModel::start`] takes a list of [`Exchange`]s and answers each request with the next one. The wire is found by the
//! path of the request, whatever stands before it, so that a base URL of any form works. What was asked is kept
//! ([`ScriptedModel::requests`]).
//!
//! ```
//! use serde_json::json;
//! use snaphook_testing::model::{Call, Ending, Exchange, Fault, ScriptedModel, Stop, Wire};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let model = ScriptedModel::start([
//!     Exchange::calls([Call::new("bash", json!({ "command": "ls" }))]),
//!     Exchange::text("done").usage(120, 7),
//!     Exchange::status(429).header("retry-after", "1"),
//!     Exchange::text("half").stop(Stop::TokenLimit),
//!     Exchange::text("never ends").cut(2, Ending::Clean),
//!     Exchange::text("slow").pause(1, "go").fault(Fault::Comments),
//! ])
//! .await?;
//! let base = model.url(Wire::OpenAiChat); // http://127.0.0.1:PORT/v1
//! # drop(base);
//! let first = model.request(0).await;
//! assert_eq!(first.body["model"], "gpt-test");
//! model.reached("go").await; // the stream stands after its first frame
//! model.release("go");
//! # Ok(())
//! # }
//! ```
//!
//! | file | what |
//! |---|---|
//! | `script`, `fault` | the script, as data |
//! | `wires` | how an answer looks on each wire, frame by frame |
//! | `frame` | one frame, and its bytes |
//! | `mutate` | faults of frames |
//! | `delivery` | faults of bytes and of the connection: the steps in which an answer is sent |
//! | `body` | the steps, as the body of a response |
//! | `record` | what was asked, what became of the answers, gates |
//! | `server`, `connection` | HTTP |
//!
//! Not here: the model of `tests/interop/agents`, which plays for whole agents and is in Python.

mod body;
mod connection;
mod delivery;
mod error;
mod fault;
mod frame;
mod mutate;
mod record;
mod script;
mod server;
mod wires;

pub use error::ModelError;
pub use fault::{Ending, Fault, IndexFault, LineEnd};
pub use record::{Delivery, Request};
pub use script::{ArgumentsForm, Call, Exchange, Part, Stop, Usage};
pub use server::ScriptedModel;
pub use wires::Wire;
