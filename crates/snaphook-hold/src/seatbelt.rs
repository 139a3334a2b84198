//! Profiles for `sandbox-exec` of macOS, as text. They are made and tested on every system, and were not run on macOS yet. Not
//! here: Linux (`linux`).

use std::fmt::Write;
use std::path::Path;

use snaphook_core::Net;

use crate::plan::PlanError;
use crate::policy::Policy;

/// The profile that holds a policy.
///
/// # Errors
/// A part of it has no form on macOS: hosts by name.
pub fn profile(policy: &Policy) -> Result<String, PlanError> {
    let mut text = "(version 1)\n(allow default)\n".to_owned();
    if let Some(walls) = &policy.walls {
        rule(&mut text, "deny", "file-write*", ["(subpath \"/\")".to_owned()]);
        // What any program writes: its terminal, and nothing.
        let devices =
            ["/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx"].map(|device| literal(Path::new(device)));
        let terminals = ["(regex #\"^/dev/ttys[0-9]+$\")".to_owned()];
        let walls = walls.iter().map(|wall| subpath(wall));
        rule(&mut text, "allow", "file-write*", walls.chain(devices).chain(terminals));
    }
    if !(policy.read_only.is_empty() && policy.links.is_empty()) {
        let links = policy.links.iter().map(|link| literal(link));
        rule(
            &mut text,
            "deny",
            "file-write*",
            policy.read_only.iter().map(|path| subpath(path)).chain(links),
        );
    }
    let fixed = || policy.read_only.iter().chain(&policy.hidden).chain(&policy.links);
    if fixed().next().is_some() {
        // A folder above that is renamed takes the guarded path away.
        let above = fixed().flat_map(|path| path.ancestors().skip(1));
        let above: std::collections::BTreeSet<_> = above.filter(|path| path.parent().is_some()).collect();
        if !above.is_empty() {
            rule(&mut text, "deny", "file-write-unlink", above.into_iter().map(literal));
        }
    }
    if !policy.inside.is_empty() {
        rule(&mut text, "allow", "file-write*", policy.inside.iter().map(|path| subpath(path)));
    }
    if !policy.hidden.is_empty() {
        for what in ["file-read* file-write* process-exec*", "network-outbound"] {
            rule(&mut text, "deny", what, policy.hidden.iter().map(|path| subpath(path)));
        }
    }
    match &policy.net {
        None => {}
        Some(Net::None) => text += "(deny network*)\n(deny system-socket)\n",
        Some(Net::Loopback) => {
            text += "(deny network*)\n";
            for what in ["network-bind", "network-inbound"] {
                let _ = writeln!(text, "(allow {what} (local ip \"localhost:*\"))");
            }
            text += "(allow network-outbound (remote ip \"localhost:*\"))\n";
        }
        Some(Net::Hosts(_)) => {
            let reason = "macOS holds the network by addresses only, not by names".to_owned();
            return Err(PlanError::Net { reason });
        }
    }
    text += "(deny signal)\n(allow signal (target self) (target pgrp) (target same-sandbox))\n";
    text +=
        "(deny process-info-setcontrol)\n(deny mach-priv-task-port)\n(deny appleevent-send)\n(deny lsopen)\n";
    Ok(text)
}

fn rule(text: &mut String, action: &str, what: &str, filters: impl IntoIterator<Item = String>) {
    let _ = write!(text, "({action} {what}");
    for filter in filters {
        let _ = write!(text, "\n  {filter}");
    }
    text.push_str(")\n");
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quoted(path))
}

fn literal(path: &Path) -> String {
    format!("(literal {})", quoted(path))
}

fn quoted(path: &Path) -> String {
    let mut text = "\"".to_owned();
    for c in path.to_string_lossy().chars() {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text + "\""
}

/// Becomes the command in its sandbox.
#[cfg(target_os = "macos")]
pub(crate) fn exec_held(policy: &Policy, command: &crate::Command, _: crate::Strictness) -> crate::Failure {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    use crate::{Failure, ffi};

    let text = match profile(policy) {
        Ok(text) => text,
        Err(error) => return error.into(),
    };
    let Some(program) = command.words.first() else { return Failure::Nothing };
    let file = if program.as_bytes().contains(&b'/') {
        Some(program.into())
    } else {
        command.program_folders.iter().map(|folder| folder.join(program)).find(|file| file.is_file())
    };
    let Some(file): Option<std::path::PathBuf> = file.filter(|file: &std::path::PathBuf| file.exists())
    else {
        return Failure::NotFound(program.clone());
    };
    if let Err(error) = rustix::process::chdir(&policy.cwd) {
        return Failure::step("enter the working directory", error);
    }
    let is_kept = |name: &std::ffi::OsString| {
        policy.env.as_ref().is_none_or(|names| names.iter().any(|kept| name == kept.as_str()))
    };
    let kept = command.env.iter().filter(|(name, _)| is_kept(name));
    let env = kept.map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()));
    let words =
        [b"sandbox-exec".to_vec(), b"-p".to_vec(), text.into_bytes(), file.as_os_str().as_bytes().to_vec()];
    let rest = command.words.iter().skip(1).map(|word| word.as_bytes().to_vec());
    let words = words.into_iter().chain(rest).map(CString::new);
    match (words.collect::<Result<Vec<_>, _>>(), env.collect::<Result<Vec<_>, _>>()) {
        (Ok(words), Ok(env)) => {
            Failure::step("start sandbox-exec", ffi::execve(c"/usr/bin/sandbox-exec", &words, &env))
        }
        (Err(error), _) | (_, Err(error)) => {
            Failure::step("pass the command on", std::io::Error::from(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn policy(net: Option<Net>) -> Policy {
        let around = crate::Surroundings { cwd: Path::new("/"), ..crate::Surroundings::default() };
        let mut policy =
            Policy::resolve(&snaphook_core::Hold { net, ..Default::default() }, &around).unwrap();
        policy.hidden.clear();
        policy
    }

    #[test]
    fn everything_is_in_the_profile() {
        let mut policy = policy(Some(Net::Loopback));
        policy.read_only = vec!["/Users/me/.claude/settings.json".into(), "/Users/me/p/.git/a\"b\\".into()];
        policy.inside = vec!["/Users/me/p/.git/open".into()];
        policy.walls = Some(vec!["/Users/me/p".into(), "/private/tmp".into()]);
        policy.hidden = vec![PathBuf::from("/Users/me/.ssh")];
        insta::assert_snapshot!(profile(&policy).unwrap(), @r##"
        (version 1)
        (allow default)
        (deny file-write*
          (subpath "/"))
        (allow file-write*
          (subpath "/Users/me/p")
          (subpath "/private/tmp")
          (literal "/dev/null")
          (literal "/dev/zero")
          (literal "/dev/tty")
          (literal "/dev/ptmx")
          (regex #"^/dev/ttys[0-9]+$"))
        (deny file-write*
          (subpath "/Users/me/.claude/settings.json")
          (subpath "/Users/me/p/.git/a\"b\\"))
        (deny file-write-unlink
          (literal "/Users")
          (literal "/Users/me")
          (literal "/Users/me/.claude")
          (literal "/Users/me/p")
          (literal "/Users/me/p/.git"))
        (allow file-write*
          (subpath "/Users/me/p/.git/open"))
        (deny file-read* file-write* process-exec*
          (subpath "/Users/me/.ssh"))
        (deny network-outbound
          (subpath "/Users/me/.ssh"))
        (deny network*)
        (allow network-bind (local ip "localhost:*"))
        (allow network-inbound (local ip "localhost:*"))
        (allow network-outbound (remote ip "localhost:*"))
        (deny signal)
        (allow signal (target self) (target pgrp) (target same-sandbox))
        (deny process-info-setcontrol)
        (deny mach-priv-task-port)
        (deny appleevent-send)
        (deny lsopen)
        "##);
    }

    #[test]
    fn little_is_in_the_profile_of_little() {
        insta::assert_snapshot!(profile(&policy(Some(Net::None))).unwrap(), @r##"
        (version 1)
        (allow default)
        (deny network*)
        (deny system-socket)
        (deny signal)
        (allow signal (target self) (target pgrp) (target same-sandbox))
        (deny process-info-setcontrol)
        (deny mach-priv-task-port)
        (deny appleevent-send)
        (deny lsopen)
        "##);
        let hosts = Net::hosts([snaphook_core::NetGrant::parse("a.org").unwrap()]);
        assert!(profile(&policy(Some(hosts))).unwrap_err().to_string().contains("not by names"));
    }
}
