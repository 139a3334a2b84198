//! The parts of a profile that are the same on every machine. Not here: its name ([`HoldProfile`]), and the places that
//! self-protection guards (`snaphook-guard`), which the caller gives.

use std::path::{Path, PathBuf};

use snaphook_core::{Hold, HoldProfile, Net};

/// Caches below the home folder that tools write while they build and test; no folder of it is one of programs.
const CACHES: &[&str] = &[
    ".cache",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    ".rustup/tmp",
    ".npm",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".yarn/berry",
    ".bun/install/cache",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/native",
    ".gradle/workers",
    ".gradle/wrapper",
    ".gradle/.tmp",
    ".m2/repository",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt/boot",
    "go/pkg",
    ".nuget/packages",
    ".bundle/cache",
    ".composer/cache",
    ".hex/packages",
    ".ccache",
    "Library/Caches",
];

/// The part of a profile that is a directive. Places and walls are the surroundings'.
pub fn profile_hold(profile: HoldProfile) -> Hold {
    let net = (profile == HoldProfile::Offline).then_some(Net::None);
    Hold { net, ..Hold::default() }
}

/// The only places that may be written under a profile, if it has walls: the project, temporary folders, caches of common
/// tools, and those of the settings.
pub fn profile_walls(
    profile: HoldProfile,
    project: &Path,
    home: Option<&Path>,
    temporary: &[PathBuf],
    caches: &[PathBuf],
) -> Option<Vec<PathBuf>> {
    if profile != HoldProfile::Project {
        return None;
    }
    let mut walls = vec![project.to_owned()];
    walls.extend_from_slice(temporary);
    walls.extend(home.iter().flat_map(|home| CACHES.iter().map(|cache| home.join(cache))));
    walls.extend_from_slice(caches);
    Some(walls)
}
