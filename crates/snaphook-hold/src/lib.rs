//! Holds a command by the kernel: what it may write, read, run and reach, whatever its text says. A [`Policy`] is a directive
//! ([`snaphook_core::Hold`]) with the paths of this machine, [`plan`] says what each part is held by or what is missing, and
//! [`exec_held`] becomes the command.
//!
//! Not here: which hooks ask for a hold, and the command line (`snaphook-cli`); which places self-protection guards
//! (`snaphook-guard`).
//!
//! ```
//! use std::path::Path;
//!
//! use snaphook_core::Hold;
//! use snaphook_hold::{Policy, Strictness, Support, Surroundings, plan};
//!
//! let hold = Hold { net: Some(snaphook_core::Net::None), ..Hold::default() };
//! let around = Surroundings { cwd: Path::new("/"), ..Surroundings::default() };
//! let policy = Policy::resolve(&hold, &around).unwrap();
//! let old_kernel = Support::none("this kernel is too old");
//! let error = plan(&policy, &old_kernel, Strictness::AsAsked).unwrap_err();
//! assert!(error.to_string().contains("this kernel is too old"));
//! ```

mod command;
mod ffi;
#[cfg(target_os = "linux")]
mod linux;
mod paths;
mod person;
mod plan;
mod policy;
mod probe;
mod profile;
mod proxy;
pub mod seatbelt;
mod sockets;
mod support;

pub use command::{Command, Failure};
pub use plan::{By, Part, PartPlan, Plan, PlanError, Strictness, plan};
pub use policy::{LeftOpen, OpenReason, Policy, PolicyError, Surroundings};
pub use profile::{CacheFolders, profile_hold, profile_walls};
pub use support::{Facility, Landlock, Support};

/// Becomes the command, held. It returns only if that failed, and nothing of the command has run then. The process has to have
/// one thread only.
///
/// Standard streams, process id, process group, terminal and signals stay as they are; other descriptors are closed.
pub fn exec_held(policy: &Policy, command: &Command, strictness: Strictness) -> Failure {
    #[cfg(target_os = "linux")]
    return linux::exec_held(policy, command, strictness);
    #[cfg(target_os = "macos")]
    return seatbelt::exec_held(policy, command, strictness);
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    match plan(policy, &Support::probe(), strictness) {
        Ok(_) => Failure::Unsupported,
        Err(error) => Failure::Plan(error),
    }
}
