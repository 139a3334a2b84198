//! As whom a program runs, where our own process is root: the user's numbers, from the system's files of users and groups. Not
//! here: when a program is run as another user (`executable`).

use std::path::PathBuf;

/// A user to run a program as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The user's name.
    pub name: String,
    /// The user's number.
    pub uid: u32,
    /// The number of the user's own group.
    pub gid: u32,
    /// The numbers of all groups that the user is in, the own one included.
    pub groups: Vec<u32>,
    /// The user's home folder.
    pub home: PathBuf,
}

/// The reason why a program cannot run as a user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The system's files have no such user.
    #[error("there is no user \"{0}\" in /etc/passwd")]
    NoUser(String),
    /// The user's line has no numbers.
    #[error("the line of \"{0}\" in /etc/passwd cannot be read")]
    Unreadable(String),
    /// A file of the system cannot be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The system has no such users.
    #[error("this system cannot run a program as \"{0}\"")]
    Unsupported(String),
}

impl Identity {
    /// The user of this name, as `/etc/passwd` and `/etc/group` have it. Users of a directory service are not found.
    ///
    /// # Errors
    /// There is no such user, or the files cannot be read.
    #[cfg(unix)]
    pub fn of(name: &str) -> Result<Self, IdentityError> {
        let read = |path: &str| {
            let bytes =
                std::fs::read(path).map_err(|source| IdentityError::Read { path: path.into(), source })?;
            Ok::<_, IdentityError>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Self::find(name, &read("/etc/passwd")?, &read("/etc/group").unwrap_or_default())
    }

    /// The home folder of the user of this number, as `/etc/passwd` has it; `None` where it is not there. Whoever starts a
    /// process sets its `HOME`, and this is where programs go that do not believe it.
    pub fn home_of(uid: u32) -> Option<PathBuf> {
        home_in(uid, &std::fs::read_to_string("/etc/passwd").ok()?)
    }

    /// There are no such users.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn of(name: &str) -> Result<Self, IdentityError> {
        Err(IdentityError::Unsupported(name.to_owned()))
    }

    #[cfg(any(unix, test))]
    fn find(name: &str, users: &str, groups: &str) -> Result<Self, IdentityError> {
        let user = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let mut user = user.filter(|fields| fields.first() == Some(&name) && fields.len() >= 6);
        let found = user.next().ok_or_else(|| IdentityError::NoUser(name.to_owned()))?;
        let number = |at: usize| found.get(at).and_then(|text| text.parse::<u32>().ok());
        let (Some(uid), Some(gid)) = (number(2), number(3)) else {
            return Err(IdentityError::Unreadable(name.to_owned()));
        };
        let mut all = vec![gid];
        for fields in groups.lines().map(|line| line.split(':').collect::<Vec<_>>()) {
            let [_, _, id, members] = fields[..] else { continue };
            let id = id.parse::<u32>().ok().filter(|id| !all.contains(id));
            all.extend(id.filter(|_| members.split(',').any(|member| member.trim() == name)));
        }
        let home = PathBuf::from(found.get(5).copied().unwrap_or("/"));
        Ok(Identity { name: name.to_owned(), uid, gid, groups: all, home })
    }
}

fn home_in(uid: u32, users: &str) -> Option<PathBuf> {
    let mut fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let user = fields.find(|fields| fields.get(2).and_then(|text| text.parse().ok()) == Some(uid))?;
    user.get(5).map(PathBuf::from).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_groups_are_those_of_the_files() {
        let users =
            "root:x:0:0:root:/root:/bin/sh\nann:x:1000:100:Ann,,,:/home/ann:/bin/sh\nbad:x:no:1::/:\n";
        let groups = "root:x:0:\nusers:x:100:ann\nwheel:x:10:bob,ann\nother:x:11:annie\nodd:x\n";
        let ann = Identity::find("ann", users, groups).unwrap();
        assert_eq!((ann.uid, ann.gid, ann.groups), (1000, 100, vec![100, 10]));
        assert_eq!(ann.home, PathBuf::from("/home/ann"));
        assert_eq!(home_in(1000, users), Some(PathBuf::from("/home/ann")));
        assert_eq!(home_in(1, users), None);
        for (name, why) in [("eve", "there is no user"), ("bad", "cannot be read"), ("", "there is no user")]
        {
            let error = Identity::find(name, users, groups).unwrap_err().to_string();
            assert!(error.contains(why), "{name}: {error}");
        }
    }
}
