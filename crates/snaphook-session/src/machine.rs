//! What this machine can hold, as `snaphook hold --check` finds it: trying needs forks, and those a process with one thread. Not
//! here: the trying (`snaphook_hold`).

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use snaphook::Hold;
use snaphook_hold::{Facility, Landlock, Strictness, Support};

/// As it was found when it was first asked for.
static SUPPORT: OnceLock<Support> = OnceLock::new();

/// The facility that a directive needs and this machine lacks, with the reason. `program` is snaphook's own.
pub fn missing_for(program: &Path, hold: &Hold, strictness: Strictness) -> Option<String> {
    SUPPORT.get_or_init(|| ask(program)).missing_for(hold, strictness)
}

fn ask(program: &Path) -> Support {
    let mut command = Command::new(program);
    command.args(["hold", "--check", "--json"]).env_clear().current_dir("/").stdin(Stdio::null());
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).ok().and_then(|found| read(&found));
    match command.output() {
        Err(error) => Support::none(&format!("{}: {error}", program.display())),
        Ok(output) => read(&output.stdout).unwrap_or_else(|| {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Support::none(&format!("`snaphook hold --check` failed: {said}"))
        }),
    }
}

fn read(found: &Value) -> Option<Support> {
    let facilities = found["facilities"].as_array()?;
    let named = |name: &str| facilities.iter().find(|facility| facility["name"] == name);
    let reason = |facility: &Value| facility["reason"].as_str().map(str::to_owned);
    let facility = |name: &str| {
        let facility = named(name)?;
        let missing = reason(facility).map(Facility::Missing);
        if facility["works"] == true { Some(Facility::Works) } else { missing }
    };
    let landlock = named("landlock")?;
    let version = landlock["state"].as_str().and_then(|state| state.strip_prefix("version ")?.parse().ok());
    Some(Support {
        mounts: facility("mounts")?,
        network: facility("network namespace")?,
        landlock: match version {
            Some(version) => Landlock::Version(version),
            None => Landlock::Missing(reason(landlock)?),
        },
        seccomp: facility("seccomp")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_check_prints_is_read() {
        let works = |name: &str, state: &str| json!({"name": name, "works": true, "state": state});
        let lacks = |name: &str| json!({"name": name, "works": false, "reason": format!("no {name}")});
        let full = json!({"facilities": [
            works("mounts", "works"), works("network namespace", "works"), works("landlock", "version 6"),
            works("seccomp", "works"),
        ]});
        assert_eq!(read(&full), Some(Support::full()));
        let names = ["mounts", "network namespace", "landlock", "seccomp"];
        let none = json!({ "facilities": names.map(lacks) });
        let support = read(&none).unwrap();
        assert_eq!(support.mounts, Facility::Missing("no mounts".to_owned()));
        assert_eq!(support.landlock, Landlock::Missing("no landlock".to_owned()));
        assert_eq!(read(&json!({"ok": true})), None);
    }

    #[test]
    fn a_program_that_does_not_answer_is_a_machine_that_holds_nothing() {
        let support = ask(Path::new("/nowhere/snaphook"));
        assert!(support.mounts.missing().is_some_and(|reason| reason.contains("/nowhere/snaphook")));
    }
}
