//! The trust store as a file: whole or not at all, and never where a project could write it.

use insta::assert_snapshot;
use snaphook_discovery::Directories;
use snaphook_discovery::trust::TrustStore;

use crate::sandbox::Sandbox;

const STORE: &str = "home/.local/state/snaphook/trust/decisions.json";

#[test]
fn a_broken_store_denies_and_stays_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    sandbox.discover();
    let whole = std::fs::read_to_string(sandbox.path(STORE)).unwrap();
    let twice = whole.replacen("\"decisions\": [", "\"decisions\": [@again@,", 1);
    let record = &whole[whole.find("    {").unwrap()..=whole.find("    }").unwrap() + 4];
    for (text, why) in [
        ("", "is damaged: "),
        ("{}", "is damaged: "),
        (&whole[..whole.len() / 2], "is damaged: "),
        (&whole.replace("trusted", "welcome"), "is damaged: "),
        (&whole.replace("\"hook\"", "\"hoook\""), "is damaged: "),
        (&twice.replace("@again@", record), "two decisions for one place"),
        (&whole.replace("\"format\": 1", "\"format\": 2"), "has format 2; this version of snaphook knows 1"),
        ("{\"format\": 3, \"other\": []}", "has format 3"),
    ] {
        sandbox.file(STORE, text);
        let found = sandbox.discover_as_it_is(&[]);
        assert!(found.hooks.is_empty(), "{text}");
        assert_eq!(found.problems.len(), 2, "the hook and the store: {:?}", found.problems);
        let told = found.problems[1].to_string();
        assert!(told.contains(why) && told.contains("no project hook is trusted"), "{text}: {told}");
        let hooks = found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw));
        assert!(sandbox.store().trust(hooks).is_err(), "{text}");
        assert_eq!(std::fs::read_to_string(sandbox.path(STORE)).unwrap(), text, "nothing is overwritten");
    }
    sandbox.file(STORE, &whole);
    assert_eq!(sandbox.discover_as_it_is(&[]).hooks.len(), 1);
}

/// It would say which hooks are missing.
#[test]
fn a_damaged_one_denies_without_project_hooks_too() {
    let sandbox = Sandbox::new();
    sandbox.user("mine.lua", "x()");
    assert_eq!(sandbox.report_all_as_it_is(), "hook mine (user) ~/.config/snaphook/hooks/mine.lua\n");
    sandbox.file(STORE, "broken");
    let report = sandbox.report_all_as_it_is();
    assert!(
        report.contains("Error ~/.local/state/snaphook/trust/decisions.json: the trust store is damaged"),
        "{report}"
    );
}

#[test]
fn many_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let names: Vec<_> = (0..20).map(|number| format!("hook{number}.lua")).collect();
    for name in &names {
        sandbox.project(name, format!("-- {name}"));
    }
    let found = sandbox.discover_as_it_is(&[]);
    let store = sandbox.store();
    std::thread::scope(|scope| {
        for hook in &found.project {
            scope.spawn(|| store.trust([(&hook.key, &hook.candidate.raw)]).unwrap());
        }
    });
    assert_eq!(sandbox.discover_as_it_is(&[]).hooks.len(), 20);
}

/// Versions that are not compared with any more are not kept.
#[test]
fn what_is_superseded_is_forgotten() {
    let sandbox = Sandbox::new();
    let kept = || std::fs::read_dir(sandbox.path(STORE).with_file_name("contents")).unwrap().count();
    for text in ["one()", "two()", "three()"] {
        sandbox.project("guard.lua", text);
        sandbox.discover();
        assert_eq!(kept(), 1, "{text}");
    }
}

/// A kept version is for comparing: one that was changed is not shown as what was trusted.
#[test]
fn a_changed_copy_is_none() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "one()");
    let hash = sandbox.discover().project[0].hash;
    let file = sandbox.path(STORE).with_file_name("contents").join(format!("{}.json", hash.hex()));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(sandbox.store().kept(hash).is_some());
    std::fs::write(&file, text.replace("one", "two")).unwrap();
    assert_eq!(sandbox.store().kept(hash), None);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(sandbox.store().kept(hash), None);
}

#[test]
fn a_project_cannot_bring_its_own() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    let found = sandbox.discover();
    // What would be a store, a configuration and a state folder, if they were used here.
    for folder in ["home/code", "home/code/.snaphook"] {
        for below in [".local/state/snaphook/trust", "state/trust", "trust"] {
            let from = sandbox.path(STORE);
            let text = std::fs::read(from).unwrap();
            sandbox.file(&format!("{folder}/{below}/decisions.json"), text);
        }
    }
    sandbox.file("home/code/.snaphook/config.toml", "trust = true\nstate = \"state\"\n");
    sandbox.store().withdraw([(&found.project[0].key, found.project[0].hash)]).unwrap();
    assert!(sandbox.discover_as_it_is(&[]).hooks.is_empty());

    let mut environment = sandbox.environment();
    environment.snaphook_state_dir = Some("state".into());
    let directories = Directories::locate(&environment);
    let refused = TrustStore::locate(&directories, sandbox.trust().owners).unwrap_err().to_string();
    assert_snapshot!(refused, @"~/code/state/trust: is in the project, which must not decide about itself, so no project hook is trusted (name a folder outside of the project with SNAPHOOK_STATE_DIR)");
    let found = snaphook_discovery::discover_with(&directories, &[], &sandbox.trust());
    assert!(found.hooks.is_empty() && found.problems.len() == 2, "{:?}", found.problems);

    environment.snaphook_state_dir = None;
    environment.home = None;
    let refused = TrustStore::locate(&Directories::locate(&environment), sandbox.trust().owners).unwrap_err();
    assert!(refused.to_string().contains("set HOME or SNAPHOOK_STATE_DIR"), "{refused}");
}

#[test]
fn the_home_folder_may_be_the_project() {
    let sandbox = Sandbox::new();
    sandbox.file("home/.snaphook/hooks/guard.lua", "x()");
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home");
    let directories = Directories::locate(&environment);
    let found = || snaphook_discovery::discover_with(&directories, &[], &sandbox.trust());
    let store = TrustStore::locate(&directories, sandbox.trust().owners).unwrap();
    store.trust(found().project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
    assert_eq!(found().hooks.len(), 1);
}

#[cfg(unix)]
#[test]
fn it_is_its_owners_alone() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    let hash = sandbox.discover().project[0].hash.hex();
    let folder = sandbox.path(STORE).parent().unwrap().to_owned();
    let mode = |path: &str| std::fs::metadata(folder.join(path)).unwrap().mode() & 0o777;
    let contents = format!("contents/{hash}.json");
    assert_eq!([mode("decisions.json"), mode("decisions.lock"), mode(&contents)], [0o600; 3]);
    assert_eq!([mode("."), mode("contents")], [0o700; 2]);

    for path in ["decisions.json", "."] {
        let path = folder.join(path);
        let before = std::fs::metadata(&path).unwrap().permissions();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(before.mode() | 0o020)).unwrap();
        let found = sandbox.discover_as_it_is(&[]);
        assert!(found.hooks.is_empty(), "{}", path.display());
        assert!(found.problems[1].to_string().contains("can be changed by others than you"));
        std::fs::set_permissions(&path, before).unwrap();
    }
    assert_eq!(sandbox.discover_as_it_is(&[]).hooks.len(), 1);
}
