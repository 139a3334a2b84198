//! Landlock: processes outside cannot be signalled or looked into, and writing stays within walls where there are no mounts. Not
//! here: walls by mounts (`mounts`).

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};

use crate::command::Failure;
use crate::plan::{By, Part, Plan};
use crate::policy::Policy;
use crate::support::SCOPES;

/// Devices that any program may write.
const DEVICES: [&str; 8] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm", "/dev/mqueue"];

pub(crate) fn restrict(policy: &Policy, plan: &Plan, version: u32) -> Result<(), Failure> {
    let walls = match (&policy.walls, plan.by(Part::OnlyWrite)) {
        (Some(walls), Some(By::Landlock)) => Some(walls),
        _ => None,
    };
    let enforced = apply(walls.map(Vec::as_slice), version)
        .map_err(|error| Failure::step("restrict by Landlock", std::io::Error::other(error)))?;
    match enforced {
        RulesetStatus::NotEnforced => {
            Err(Failure::step("restrict by Landlock", std::io::Error::other("the kernel did not enforce it")))
        }
        _ => Ok(()),
    }
}

fn apply(walls: Option<&[std::path::PathBuf]>, version: u32) -> Result<RulesetStatus, RulesetError> {
    let writing = AccessFs::from_write(ABI::V4);
    let mut ruleset = Ruleset::default();
    if version >= SCOPES {
        ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
    }
    // Without any right there is no domain, and it is the domain that keeps processes apart. No program makes disks.
    let handled = if walls.is_some() { writing } else { BitFlags::from(AccessFs::MakeBlock) };
    if walls.is_some() || version < SCOPES {
        ruleset = ruleset.handle_access(handled)?;
    }
    let mut created = ruleset.create()?;
    if let Some(walls) = walls {
        let places = walls.iter().map(std::path::PathBuf::as_path).chain(DEVICES.iter().map(Path::new));
        for place in places {
            let Ok(fd) = PathFd::new(place) else { continue };
            let rights = if place.is_dir() { writing } else { writing & AccessFs::from_file(ABI::V4) };
            created = created.add_rule(PathBeneath::new(fd, rights))?;
        }
    }
    Ok(created.restrict_self()?.ruleset)
}
