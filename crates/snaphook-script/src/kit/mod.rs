//! The kit that script engines are made of: a hook and its VM, its registrations, a handler's waits and budgets, tests,
//! errors. An engine implements [`Vm`] (and [`TestVm`], if it runs tests) and keeps what its language needs.
//!
//! | file | contents |
//! |---|---|
//! | `vm` | [`Vm`], which an engine implements, and what a VM is made from |
//! | `hook_vm` | a hook with its present VM, loaded now or when it is first needed |
//! | `handler` | registrations as the host's handlers |
//! | `registration` | what `on` registers |
//! | `run` | one handler at work: what it waits for, how much it has said |
//! | `budget` | computing time, and the texts about used-up budgets |
//! | `test_file` | scripts of tests |
//! | `error` | what is known of a script's error |
//! | `hints`, `members` | remedies by table, names that an object does not have |
//!
//! Everything is generic, so that a call of a handler goes through no table of functions and allocates nothing that an
//! engine of its own would not.
//!
//! Not here: what the functions of the API do (the other modules of this crate), and VMs themselves (the engines).

mod budget;
mod error;
mod handler;
pub mod hints;
mod hook_vm;
mod members;
mod registration;
mod run;
mod test_file;
mod vm;

pub use budget::{Meter, Turn, out_of_memory};
pub use error::{MAX_TEXT_BYTES, ScriptError, bounded, call_stack};
pub use handler::{ScriptHandler, load, load_known};
pub use hook_vm::HookVm;
pub use members::{is_function, no_such};
pub use registration::{OnError, Prepared, Registered, Registration, Registrations};
pub use run::{MAX_LOG_BYTES, Run, TooManyWaits};
pub use test_file::{TestEnd, TestVm, Tests, load_tests};
pub use vm::{Vm, VmSource};
