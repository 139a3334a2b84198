//! A directive with the paths of this machine: real, absolute, and checked for what a mount cannot guard. Not here: what each
//! part is held by (`plan`), and how (`linux`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use snaphook_core::{Hold, HoldBase, HoldPath, HoldProgram, Net};

use crate::paths::{Walker, Way, common, is_in, outermost, within};
use crate::person::{is_root, may_change, uid};
use crate::sockets;

/// The surroundings in which a directive is resolved. Nothing of it is read from the process.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The working directory of the call.
    pub cwd: &'a Path,
    /// The person's home folder.
    pub home: Option<&'a Path>,
    /// The person's folder for sockets, `$XDG_RUNTIME_DIR`.
    pub runtime: Option<&'a Path>,
    /// The variables of the call: they name sockets of services.
    pub variables: &'a [(OsString, OsString)],
    /// Folders for temporary files.
    pub temporary: &'a [PathBuf],
    /// The folders in which programs are looked up.
    pub program_folders: &'a [PathBuf],
    /// Places that a profile guards. Those that cannot be guarded are named by [`Policy::left_open`].
    pub places: &'a [PathBuf],
    /// Folders that hold such places and little else. They become read-only where a place in them does not exist.
    pub dedicated: &'a [PathBuf],
    /// Folders that may be written although they are in a place that is guarded.
    pub writable_inside: &'a [PathBuf],
    /// The walls of a profile: the only places that may be written. Those that do not exist are left out.
    pub walls: Option<&'a [PathBuf]>,
}

impl Default for Surroundings<'_> {
    fn default() -> Self {
        Surroundings {
            cwd: Path::new("/"),
            home: None,
            runtime: None,
            variables: &[],
            temporary: &[],
            program_folders: &[],
            places: &[],
            dedicated: &[],
            writable_inside: &[],
            walls: None,
        }
    }
}

/// A directive, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub(crate) cwd: PathBuf,
    /// Read-only, with all that is below. None is in another.
    pub(crate) read_only: Vec<PathBuf>,
    /// Links that lead to what is guarded or hidden: they stay as they are.
    pub(crate) links: Vec<PathBuf>,
    /// The same for sockets of services.
    pub(crate) service_links: Vec<PathBuf>,
    /// Writable, although in one of `read_only`.
    pub(crate) inside: Vec<PathBuf>,
    /// The only places that may be written.
    pub(crate) walls: Option<Vec<PathBuf>>,
    /// True if memory that programs share is the command's own: a directive says what it may write.
    pub(crate) own_memory: bool,
    /// Secrets, programs, and sockets of services that would act for the command.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) net: Option<Net>,
    pub(crate) env: Option<Vec<String>>,
    pub(crate) hides_programs: bool,
    pub(crate) hides_files: bool,
    /// Those of `hidden` that a directive names; the others are sockets of services.
    pub(crate) named: Vec<PathBuf>,
    left_open: Vec<LeftOpen>,
}

/// A place of a profile that the kernel does not guard here. Compare it afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOpen {
    /// The place.
    pub path: PathBuf,
    /// The reason.
    pub reason: OpenReason,
}

/// The reason why a place is not guarded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenReason {
    /// Nothing is there that a mount could cover, and the folder that it would be in is in use.
    #[error("it does not exist, and {} has to stay writable", .0.display())]
    Absent(PathBuf),
    /// The same file has other names, which stay writable.
    #[error("the file has {0} names (hard links)")]
    HardLinks(u64),
}

/// The reason why a directive cannot be held on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A path below `~`, and no home folder is known.
    #[error("cannot hold {0}: no home folder is known")]
    NoHome(String),
    /// The working directory is not there.
    #[error("the working directory {} does not exist", .0.display())]
    NoCwd(PathBuf),
    /// The working directory would be hidden.
    #[error("cannot hide {}: the command runs in it", .0.display())]
    HidesCwd(PathBuf),
    /// A path that is to be guarded is not guarded.
    #[error("cannot hold {} against writing: {reason}", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: OpenReason,
    },
    /// A wall around what does not exist.
    #[error("cannot restrict writing to {}: it does not exist; make it first", .0.display())]
    AbsentWall(PathBuf),
}

impl Policy {
    /// Resolves a directive.
    ///
    /// # Errors
    /// A part of it cannot be held on any kernel; the error names the path.
    pub fn resolve(hold: &Hold, around: &Surroundings<'_>) -> Result<Self, PolicyError> {
        let walker = Walker::default();
        let cwd = walker.follow(around.cwd);
        if !cwd.is_there() {
            return Err(PolicyError::NoCwd(around.cwd.to_owned()));
        }
        let mut walls = walls(hold, around, &walker)?;
        let mut guards = Guards::new(&walker, around, &cwd.real, walls.as_deref());
        for path in hold.deny_write.iter().flatten() {
            let path = absolute(path, around)?;
            if let Some(reason) = guards.add(&path, |guards, folder| !guards.is_in_use(folder)) {
                return Err(PolicyError::Open { path, reason });
            }
        }
        // Nothing can be mounted over everything: walls around nothing say the same.
        let root = Path::new("/");
        if guards.places.iter().any(|place| place == root) {
            guards.places.retain(|place| place != root);
            walls = Some(Vec::new());
        }
        let mut left_open = Vec::new();
        let dedicated: Vec<_> = around.dedicated.iter().map(|folder| walker.follow(folder).real).collect();
        for path in around.places {
            if is_the_systems(path) {
                continue;
            }
            let may_close =
                |guards: &Guards<'_>, folder: &Path| is_in(&dedicated, folder) && !guards.is_in_use(folder);
            if let Some(reason) = guards.add(path, may_close) {
                left_open.push(LeftOpen { path: path.clone(), reason });
            }
        }
        if !around.places.is_empty() && is_root() {
            // What the system runs later as root, whoever asked for it.
            guards
                .places
                .extend(["/etc", "/var/spool"].map(PathBuf::from).into_iter().filter(|path| path.exists()));
        }
        let (read_only, mut links) = (outermost(guards.places), guards.links);
        // What something else holds needs no guard: nothing can be made there.
        left_open.retain(|open| match &open.reason {
            OpenReason::Absent(folder) => {
                let is_walled = walls.as_ref().is_some_and(|walls| !is_in(walls, folder));
                !(is_walled || is_in(&read_only, folder))
            }
            OpenReason::HardLinks(_) => true,
        });
        let mut hidden = Vec::new();
        let hide = |hidden: &mut Vec<PathBuf>, links: &mut Vec<PathBuf>, path: &Path| {
            let way = walker.follow(path);
            if way.is_there() {
                links.extend(way.links.into_iter().filter(|link| may_replace(link)));
                hidden.push(way.real);
            }
        };
        for path in hold.deny_read.iter().flatten() {
            hide(&mut hidden, &mut links, &absolute(path, around)?);
        }
        for program in hold.deny_exec.iter().flatten() {
            match program {
                HoldProgram::Path(path) => hide(&mut hidden, &mut links, &absolute(path, around)?),
                HoldProgram::Name(name) => {
                    let folders = around.program_folders.iter();
                    folders.for_each(|folder| hide(&mut hidden, &mut links, &folder.join(name)));
                }
            }
        }
        let (named, mut service_links) = (hidden.clone(), Vec::new());
        for socket in sockets::that_act_for_others(around, uid(), hold.net.is_some()) {
            hide(&mut hidden, &mut service_links, &socket);
        }
        let hidden = outermost(hidden);
        if let Some(hidden) = hidden.iter().find(|hidden| within(&cwd.real, hidden)) {
            return Err(PolicyError::HidesCwd(hidden.clone()));
        }
        // What is hidden has no link in it any more.
        for links in [&mut links, &mut service_links] {
            links.retain(|link| !is_in(&hidden, link) && !link.starts_with("/proc"));
            links.sort_unstable();
            links.dedup();
        }
        service_links.retain(|link| !links.contains(link));
        let inside = around.writable_inside.iter().map(|path| walker.follow(path));
        let inside = inside.filter(|way| way.is_there() && is_in(&read_only, &way.real)).map(|way| way.real);
        let own_memory = walls.is_some() && (around.walls.is_none() || hold.only_write.is_some());
        Ok(Policy {
            inside: outermost(inside.collect()),
            own_memory,
            cwd: cwd.real,
            read_only,
            links,
            service_links,
            walls,
            hidden,
            net: hold.net.clone(),
            env: hold.env.clone(),
            hides_programs: hold.deny_exec.as_ref().is_some_and(|list| !list.is_empty()),
            hides_files: hold.deny_read.as_ref().is_some_and(|list| !list.is_empty()),
            named,
            left_open,
        })
    }

    /// Places of the profile that are not guarded, with the reason.
    pub fn left_open(&self) -> &[LeftOpen] {
        &self.left_open
    }

    /// The places that cannot be written, with all that is below each. For comparing an error's text with them.
    pub fn read_only(&self) -> &[PathBuf] {
        &self.read_only
    }

    /// The only places that can be written, if there are walls.
    pub fn walls(&self) -> Option<&[PathBuf]> {
        self.walls.as_deref()
    }

    /// The places that cannot be read: secrets, programs, and sockets of services.
    pub fn hidden(&self) -> &[PathBuf] {
        &self.hidden
    }
}

fn absolute(path: &HoldPath, around: &Surroundings<'_>) -> Result<PathBuf, PolicyError> {
    let base = match path.base {
        HoldBase::Root => Path::new("/"),
        HoldBase::Home => around.home.ok_or_else(|| PolicyError::NoHome(path.to_string()))?,
        HoldBase::Cwd => around.cwd,
    };
    Ok(if path.path.is_empty() { base.to_owned() } else { base.join(&path.path) })
}

/// The places that all lists allow.
fn walls(
    hold: &Hold,
    around: &Surroundings<'_>,
    walker: &Walker,
) -> Result<Option<Vec<PathBuf>>, PolicyError> {
    let mut walls: Option<Vec<PathBuf>> = None;
    let mut add = |list: Vec<PathBuf>| {
        let list = outermost(list);
        walls = Some(match walls.take() {
            Some(other) => common(&other, &list),
            None => list,
        });
    };
    if let Some(list) = around.walls {
        let ways = list.iter().map(|path| walker.follow(path));
        add(ways.filter(Way::is_there).map(|way| way.real).collect());
    }
    for list in hold.only_write.iter().flatten() {
        let mut places = Vec::new();
        for path in list {
            let path = absolute(path, around)?;
            let way = walker.follow(&path);
            if !way.is_there() {
                return Err(PolicyError::AbsentWall(path));
            }
            places.push(way.real);
        }
        add(places);
    }
    // All may be written.
    Ok(walls.filter(|walls| !walls.iter().any(|wall| wall == Path::new("/"))))
}

/// The places that are made read-only, as they are found.
struct Guards<'a> {
    walker: &'a Walker,
    /// Folders that have to stay writable, as has every folder above them.
    in_use: Vec<PathBuf>,
    places: Vec<PathBuf>,
    /// The links that lead to them, in folders of this person.
    links: Vec<PathBuf>,
}

impl<'a> Guards<'a> {
    fn new(walker: &'a Walker, around: &Surroundings<'_>, cwd: &Path, walls: Option<&[PathBuf]>) -> Self {
        let mut in_use = vec![cwd.to_owned()];
        let folders = around.home.into_iter().chain(around.temporary.iter().map(PathBuf::as_path));
        in_use.extend(folders.map(|folder| walker.follow(folder).real));
        in_use.extend(walls.into_iter().flatten().cloned());
        Guards { walker, in_use, places: Vec::new(), links: Vec::new() }
    }

    /// Guards a path, or says why not. `may_close` says which folders may become read-only for it.
    fn add(&mut self, path: &Path, may_close: impl Fn(&Self, &Path) -> bool) -> Option<OpenReason> {
        let way = self.walker.follow(path);
        // Who replaces a link on the way replaces what is guarded.
        self.links.extend(way.links.iter().filter(|link| may_replace(link)).cloned());
        if way.is_there() {
            let names = names_of(&way.real);
            self.places.push(way.real);
            return (names > 1).then_some(OpenReason::HardLinks(names));
        }
        // A mount needs something to cover: the folder in which it would be made.
        if !self.walker.may_change(&way.existing) {
            return None;
        }
        if !may_close(self, &way.existing) {
            return Some(OpenReason::Absent(way.existing));
        }
        self.places.push(way.existing);
        None
    }

    fn is_in_use(&self, folder: &Path) -> bool {
        self.in_use.iter().any(|used| within(used, folder))
    }
}

fn may_replace(link: &Path) -> bool {
    may_change(link.parent().unwrap_or(Path::new("/")))
}

/// Returns whether a place is there, and the system's own permissions keep this person from it.
fn is_the_systems(path: &Path) -> bool {
    path.starts_with("/etc") && !may_change(path) && path.parent().is_some_and(|folder| !may_change(folder))
}

/// The number of names of a file; 1 for anything else.
fn names_of(path: &Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::symlink_metadata(path);
        metadata.ok().filter(std::fs::Metadata::is_file).map_or(1, |metadata| metadata.nlink())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        1
    }
}
