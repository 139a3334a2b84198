//! Holding on Linux, in an order that matters: each step needs what later ones take away. Not here: what is held (`policy`)
//! and by what (`plan`).

mod filter;
pub(crate) mod held;
mod host_proxy;
mod mounts;
mod namespaces;
mod owners;
mod privileges;
mod probe;
mod start;
mod streams;
mod walls;

use std::convert::Infallible;
use std::path::Path;

use snaphook_core::Net;

use crate::command::{Command, Failure};
use crate::ffi;
use crate::plan::{By, Part, Strictness, plan};
use crate::policy::Policy;

pub(crate) use probe::probe;

pub(crate) fn exec_held(policy: &Policy, command: &Command, strictness: Strictness) -> Failure {
    match hold(policy, command, strictness) {
        Ok(never) => match never {},
        Err(failure) => failure,
    }
}

fn hold(policy: &Policy, command: &Command, strictness: Strictness) -> Result<Infallible, Failure> {
    let streams = streams::look(policy)?;
    let cwd = streams::Identity::of(&policy.cwd)
        .map_err(|error| Failure::step("open the working directory", error))?;
    // While this process can still leave its namespaces' ancestors alone: the proxy stays outside.
    let proxy = match &policy.net {
        Some(Net::Hosts(hosts)) => Some(host_proxy::fork(hosts)?),
        _ => None,
    };
    let support = namespaces::enter(policy.net.is_some())?;
    let plan = plan(policy, &support, strictness)?;
    if support.mounts.missing().is_none() {
        mounts::arrange(policy)?;
    }
    let mut env = start::variables(policy, command);
    if support.network.missing().is_none() {
        match (&policy.net, proxy) {
            (Some(Net::Hosts(hosts)), Some(proxy)) => {
                namespaces::loopback_up()?;
                env.extend(proxy.hand_over(hosts)?);
            }
            (Some(Net::Loopback), _) => namespaces::loopback_up()?,
            _ => {}
        }
    }
    enter_folder(&policy.cwd, cwd)?;
    streams.open_anew()?;
    privileges::drop_all()?;
    walls::restrict(policy, &plan, support.landlock.version())?;
    let without_internet = plan.by(Part::Net) == Some(By::Seccomp);
    ffi::filter_calls(&mut filter::program(without_internet))
        .map_err(|error| Failure::step("filter system calls", error))?;
    ffi::close_at_exec(3).map_err(|error| Failure::step("close descriptors", error))?;
    ffi::as_at_start();
    Err(start::execute(command, &env))
}

/// Goes into the working directory again: the mounts that guard what is in it are not on the way of the old one.
fn enter_folder(cwd: &Path, before: streams::Identity) -> Result<(), Failure> {
    let failed = |error| Failure::step(format!("enter {}", cwd.display()), error);
    rustix::process::chdir(cwd).map_err(|error| failed(error.into()))?;
    let after = streams::Identity::of(Path::new(".")).map_err(failed)?;
    if after == before {
        Ok(())
    } else {
        Err(failed(std::io::Error::other("it was replaced by another folder")))
    }
}
