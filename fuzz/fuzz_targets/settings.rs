//! Both `config.toml`, the user's and, behind a line of `====`, the project's. Whatever the project writes, nothing is looser than
//! without it, and nothing but the default rule and that for changed tools is another; a file with a fault says so with a line of its own.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use snaphook_discovery::{Directories, Environment, Settings};
use snaphook_fuzz::parts;
use tempfile::TempDir;

struct Place {
    folder: TempDir,
    directories: Directories,
}

static PLACE: LazyLock<Place> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let project = folder.path().join("project");
    for folder in [project.join(".snaphook"), folder.path().join("config")] {
        std::fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{error}"));
    }
    let environment = Environment {
        home: Some(folder.path().to_owned()),
        managed_dir: None,
        snaphook_config_dir: Some(folder.path().join("config")),
        ..Environment::new(project)
    };
    Place { directories: Directories::locate(&environment), folder }
});

fn load(user: &str, project: Option<&str>) -> (Settings, Vec<Option<u32>>) {
    let write =
        |path: &Path, text: &str| std::fs::write(path, text).unwrap_or_else(|error| panic!("{error}"));
    write(&PLACE.folder.path().join("config/config.toml"), user);
    let of_project = &PLACE.directories.project_config;
    match project {
        Some(text) => write(of_project, text),
        None => drop(std::fs::remove_file(of_project)),
    }
    let (settings, problems) = Settings::load(&PLACE.directories);
    for problem in &problems {
        assert!(!problem.message.is_empty() && !problem.message.chars().any(char::is_control), "{problem:?}");
    }
    (settings, problems.into_iter().map(|problem| problem.line).collect())
}

fuzz_target!(|data: &[u8]| {
    let Some([user, project]) = parts::<2>(data) else { return };
    let (alone, faults) = load(user, None);
    for line in faults.iter().flatten() {
        assert!((1..=user.lines().count().max(1) as u32 + 1).contains(line), "line {line}");
    }
    let (both, more) = load(user, Some(project));
    assert!(more.len() >= faults.len(), "the project's file hides a fault of the user's");
    assert!(both.default.verdict >= alone.default.verdict, "{alone:?} became {both:?}");
    assert!(both.default_for(None).verdict >= alone.default.verdict);
    assert!(both.mcp.changed_tools >= alone.mcp.changed_tools, "{alone:?} became {both:?}");
    assert!(both.mcp.unseen >= alone.mcp.unseen, "{alone:?} became {both:?}");
    let others =
        |settings: &Settings| (settings.self_protection, settings.audit.clone(), settings.mcp.denied);
    assert_eq!(others(&both), others(&alone));
});
