//! The folders that are searched.

use std::path::Path;

#[cfg(unix)]
use snaphook_core::Scope;
use snaphook_core::Severity;
use snaphook_discovery::{Directories, Environment};

use crate::sandbox::Sandbox;

fn environment() -> Environment {
    let mut environment = Environment::new("/nowhere/project");
    environment.home = Some("/home/me".into());
    environment.platform_config_home = None;
    environment.platform_state_home = None;
    environment
}

#[cfg(unix)]
fn path(text: &str) -> Option<&Path> {
    Some(Path::new(text))
}

#[cfg(unix)]
#[test]
fn defaults() {
    let found = Directories::locate(&environment());
    assert_eq!(found.managed.as_deref(), path("/etc/snaphook/hooks"));
    assert_eq!(found.user_hooks.as_deref(), path("/home/me/.config/snaphook/hooks"));
    assert_eq!(found.user_config.as_deref(), path("/home/me/.config/snaphook/config.toml"));
    assert_eq!(found.state.as_deref(), path("/home/me/.local/state/snaphook"));
    assert_eq!(found.project_root, Path::new("/nowhere/project"));
    assert_eq!(found.project_hooks, Path::new("/nowhere/project/.snaphook/hooks"));
    assert_eq!(found.problems, []);
}

#[cfg(unix)]
#[test]
fn variables_in_their_order() {
    let mut environment = environment();
    environment.platform_config_home = Some("/platform".into());
    assert_eq!(Directories::locate(&environment).user_hooks.as_deref(), path("/platform/snaphook/hooks"));
    environment.xdg_config_home = Some("/xdg".into());
    environment.xdg_state_home = Some("/xdg-state".into());
    let found = Directories::locate(&environment);
    assert_eq!(found.user_hooks.as_deref(), path("/xdg/snaphook/hooks"));
    assert_eq!(found.state.as_deref(), path("/xdg-state/snaphook"));
    environment.snaphook_config_dir = Some("/".into());
    environment.snaphook_state_dir = Some("/mine-state".into());
    let found = Directories::locate(&environment);
    assert_eq!(found.user_hooks.as_deref(), path("/hooks"));
    assert_eq!(found.state.as_deref(), path("/mine-state"));
    assert_eq!(found.problems, []);
}

#[cfg(unix)]
#[test]
fn empty_is_unset_and_relative_xdg_is_ignored() {
    let mut environment = environment();
    environment.snaphook_config_dir = Some("".into());
    environment.snaphook_state_dir = Some("".into());
    environment.xdg_config_home = Some("relative".into());
    environment.xdg_state_home = Some("".into());
    let found = Directories::locate(&environment);
    assert_eq!(found.user_hooks.as_deref(), path("/home/me/.config/snaphook/hooks"));
    assert_eq!(found.state.as_deref(), path("/home/me/.local/state/snaphook"));
    let problems = found.problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    insta::assert_snapshot!(problems.join("\n"), @"relative: XDG_CONFIG_HOME is not an absolute path and is ignored (the XDG specification asks for an absolute path)");
}

#[test]
fn no_home_is_an_error_and_not_silence() {
    for home in [None, Some("".into()), Some("relative".into())] {
        let mut environment = environment();
        environment.home = home;
        let found = Directories::locate(&environment);
        assert_eq!((found.user_hooks, found.state), (None, None));
        assert_eq!(found.problems[0].severity, Severity::Error);
    }
}

/// Another folder would be tried in vain: the hooks there are not those that were meant.
#[test]
fn a_named_config_folder_that_cannot_be_the_users_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.file("home/file", "");
    let mut environment = sandbox.environment();
    let absolute = |name: &str| sandbox.path(name).display().to_string();
    for (value, is, found) in [
        (absolute("home/typo"), "names no folder", true),
        (absolute("home/file"), "names no folder", true),
        ("code".to_owned(), "is a relative path", false),
        ("~/code".to_owned(), "begins with a `~`", false),
        ("~".to_owned(), "begins with a `~`", false),
    ] {
        environment.snaphook_config_dir = Some(value.clone().into());
        let directories = Directories::locate(&environment);
        let hooks = found.then(|| Path::new(&value).join("hooks"));
        assert_eq!(directories.user_hooks, hooks, "{value}");
        let [problem] = &directories.problems[..] else { panic!("{value}: {:?}", directories.problems) };
        assert_eq!(problem.severity, Severity::Error, "{value}");
        assert!(problem.message.contains(is) && problem.help.is_some(), "{value}: {problem}");
    }
    std::fs::create_dir_all(sandbox.path("home/mine")).unwrap();
    environment.snaphook_config_dir = Some(absolute("home/mine").into());
    assert_eq!(Directories::locate(&environment).problems, []);
}

/// Agents take variables from files that come with a project.
#[cfg(unix)]
#[test]
fn a_config_folder_that_the_project_could_have_brought_is_an_error() {
    let sandbox = Sandbox::new();
    for folder in [
        "project/.git",
        "project/.evil/snaphook/hooks",
        "project/.evil/.config/snaphook/hooks",
        "home/.config/snaphook/hooks",
        "project/deep",
    ] {
        std::fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    let link = sandbox.path("home/link");
    std::os::unix::fs::symlink(sandbox.path("project/.evil"), &link).unwrap();
    let at = |folder: &str| Some(sandbox.path(folder));
    let mut evil = Environment::new(sandbox.path("project/deep"));
    evil.home = at("home");
    evil.platform_config_home = None;
    let found = |environment: &Environment| {
        let problems = Directories::locate(environment).problems;
        problems
            .iter()
            .any(|one| one.severity == Severity::Error && one.message.contains("inside the project"))
    };
    assert!(!found(&evil), "the home folder's is the user's");
    let named = |folder| Environment { snaphook_config_dir: folder, ..evil.clone() };
    assert!(found(&named(at("project/.evil"))));
    assert!(found(&named(Some(link))), "by a link from outside");
    assert!(!found(&named(at("home/.config/snaphook"))));
    assert!(found(&Environment { xdg_config_home: at("project/.evil"), ..evil.clone() }));
    assert!(found(&Environment { home: at("project/.evil"), ..evil.clone() }));
    // A home folder that is under version control, and dotfiles to which the folder is a link.
    std::fs::create_dir_all(sandbox.path("home/.git")).unwrap();
    std::fs::create_dir_all(sandbox.path("home/work")).unwrap();
    assert!(!found(&Environment { cwd: sandbox.path("home/work"), ..evil.clone() }));
    assert!(!found(&Environment { cwd: sandbox.path("home/.config/snaphook/hooks"), ..evil.clone() }));
    assert!(found(&Environment {
        cwd: sandbox.path("home/work"),
        snaphook_config_dir: at("home/.config"),
        ..evil.clone()
    }));
}

#[test]
fn project_root() {
    let sandbox = Sandbox::new();
    let root_of = |cwd: &str| {
        std::fs::create_dir_all(sandbox.path(cwd)).unwrap();
        let mut environment = sandbox.environment();
        environment.cwd = sandbox.path(cwd);
        Directories::locate(&environment).project_root
    };
    assert_eq!(root_of("home/code/src/deep"), sandbox.path("home/code"));
    sandbox.file("home/other/.git/config", "");
    assert_eq!(root_of("home/other/src"), sandbox.path("home/other"));
    sandbox.file("home/tree/.git", "gitdir: elsewhere\n");
    assert_eq!(root_of("home/tree/src"), sandbox.path("home/tree"));
    assert_eq!(root_of("plain/src"), sandbox.path("plain/src"));
    // `.snaphook` further up beats `.git` nearby.
    sandbox.file("home/code/vendor/.git/config", "");
    assert_eq!(root_of("home/code/vendor/src"), sandbox.path("home/code"));
    std::fs::create_dir_all(sandbox.path("home/code/vendor/.snaphook")).unwrap();
    assert_eq!(root_of("home/code/vendor/src"), sandbox.path("home/code/vendor"));
}

#[test]
fn a_file_named_snaphook_is_no_project() {
    let sandbox = Sandbox::new();
    sandbox.file("home/code/src/.snaphook", "");
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home/code/src");
    let found = Directories::locate(&environment);
    assert_eq!(found.project_root, sandbox.path("home/code"));
    assert_eq!(found.problems[0].severity, Severity::Warning);
}

#[test]
fn a_project_in_the_home_folder_is_named() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("home/.snaphook/hooks")).unwrap();
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home/.config");
    let found = Directories::locate(&environment);
    assert_eq!(found.project_root, sandbox.path("home"));
    assert_eq!(found.problems[0].severity, Severity::Note);
    environment.cwd = sandbox.path("home");
    assert_eq!(Directories::locate(&environment).problems, []);
}

#[cfg(unix)]
#[test]
fn shown_paths() {
    let found = Directories::locate(&environment());
    for (scope, real, shown) in [
        (Scope::Project, "/nowhere/project/.snaphook/hooks/a.lua", ".snaphook/hooks/a.lua"),
        (Scope::User, "/home/me/.config/a.lua", "~/.config/a.lua"),
        (Scope::Managed, "/etc/snaphook/hooks/a.lua", "/etc/snaphook/hooks/a.lua"),
        (Scope::User, "/etc/a\u{7}\u{9b}\u{202e}.lua", "/etc/a\\u{7}\\u{9b}\\u{202e}.lua"),
        (Scope::Adhoc, "/home/me/a.lua", "/home/me/a.lua"),
    ] {
        assert_eq!(found.display_path(Path::new(real), scope), Path::new(shown));
    }
}
