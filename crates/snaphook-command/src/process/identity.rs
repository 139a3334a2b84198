//! As whom a program runs, where our own process is root: the user's numbers, from the system's files of users and groups. Not
//! here: when a program is run as somebody else (`executable`).

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

impl Identity {
    /// The user of this name, as `/etc/passwd` and `/etc/group` have it. Users of a directory service are not found.
    ///
    /// # Errors
    /// There is no such user, or the files cannot be read.
    #[cfg(unix)]
    pub fn of(name: &str) -> Result<Self, String> {
        let read = |path: &str| {
            let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
            Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Self::find(name, &read("/etc/passwd")?, &read("/etc/group").unwrap_or_default())
    }

    /// There are no such users.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn of(name: &str) -> Result<Self, String> {
        Err(format!("this system cannot run a program as \"{name}\""))
    }

    #[cfg(any(unix, test))]
    fn find(name: &str, users: &str, groups: &str) -> Result<Self, String> {
        let user = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let mut user = user.filter(|fields| fields.first() == Some(&name) && fields.len() >= 6);
        let found = user.next().ok_or_else(|| format!("there is no user \"{name}\" in /etc/passwd"))?;
        let number = |at: usize| found.get(at).and_then(|text| text.parse::<u32>().ok());
        let (Some(uid), Some(gid)) = (number(2), number(3)) else {
            return Err(format!("the line of \"{name}\" in /etc/passwd cannot be read"));
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
        for (name, why) in [("eve", "there is no user"), ("bad", "cannot be read"), ("", "there is no user")]
        {
            assert!(Identity::find(name, users, groups).unwrap_err().contains(why), "{name}");
        }
    }
}
