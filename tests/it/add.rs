//! `snaphook add`: each bundled hook in each language, as it is in hooks-examples, gates or passes its test at once.

use std::path::Path;

use serde_json::json;

use crate::support::{CommandOutput, Sandbox, repository};

const LANGUAGES: [&str; 2] = ["lua", "rhai"];

fn project() -> Sandbox {
    let place = Sandbox::new();
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    place
}

fn written(said: &CommandOutput) -> Vec<&str> {
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    said.stdout.lines().filter_map(|line| line.strip_prefix("written ")).collect()
}

fn names(place: &Sandbox) -> Vec<String> {
    let listed = place.run(&["add", "--list", "--json"]).document();
    listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_bundled_hook_is_added_with_its_modules_and_its_test() {
    let place = project();
    let names = names(&place);
    assert!(names.len() >= 8 && names.contains(&"git-guard".to_owned()), "{names:?}");
    let listed = place.run(&["add", "--list"]).stdout;
    for language in LANGUAGES {
        let place = project();
        for name in &names {
            assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{listed}");
            let said = place.run(&["add", name, "--language", language]);
            let files = written(&said);
            for file in &files {
                let inside = Path::new(file).strip_prefix(".snaphook/hooks").unwrap();
                let original = repository("hooks-examples").join(language).join(inside);
                let there = std::fs::read(place.path("project").join(file)).unwrap();
                assert_eq!(there, std::fs::read(&original).unwrap(), "{}", original.display());
            }
            assert!(files.iter().any(|file| file.contains(".test.")), "{files:?}");
            assert!(said.stdout.contains(&format!("trusted {name} as it was written")), "{said:?}");
            assert!(said.stdout.contains(&format!("\n    snaphook test {}\n", files[0])), "{said:?}");
        }
        let listed = place.run(&["list", "--json"]).document();
        // A program that this machine lacks is worth a note only.
        let problems = listed["problems"].as_array().unwrap().iter().filter(|one| one["severity"] != "note");
        assert_eq!(problems.collect::<Vec<_>>(), [] as [&serde_json::Value; 0], "{language}");
        let loaded = listed["hooks"].as_array().unwrap().iter().filter(|hook| hook["scope"] == "project");
        assert_eq!(loaded.count(), names.len(), "{language}: {listed}");
        let tested = place.run(&["test"]);
        assert_eq!(tested.code, 0, "{language}: {}", tested.stdout);
    }
}

#[test]
fn it_goes_where_it_was_asked_for() {
    for (options, folder, trusted) in [
        (&[][..], "project/.snaphook/hooks", true),
        (&["--project"], "project/.snaphook/hooks", true),
        (&["--user"], "config/hooks", false),
    ] {
        let place = project();
        let said = place.run(&[&["add", "git-guard"], options].concat());
        assert_eq!(written(&said).len(), 9, "{said:?}");
        assert!(place.path(folder).join("git-guard/init.lua").is_file(), "{options:?}");
        assert_eq!(said.stdout.contains("trusted git-guard"), trusted, "{said:?}");
        let (code, document) = place.gate("git push -f", &[]);
        assert_eq!(code, 2, "{options:?}: {document}");
        assert_eq!(document["reasons"][0]["hook"], "git-guard", "{options:?}: {document}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(place.path(folder).join("git-guard")).unwrap().permissions().mode();
            assert_eq!(mode & 0o002, 0, "{options:?}: {mode:o}");
        }
    }
    // Without a project it is the person's own.
    let place = Sandbox::new();
    assert_eq!(place.run(&["add", "notify"]).code, 0);
    assert!(
        place.path("config/hooks/notify.lua").is_file()
            && place.path("config/hooks/notify.test.lua").is_file()
    );
}

#[test]
fn several_are_added_at_once() {
    let place = project();
    let said = place.run(&["add", "notify", "permission-gate", "notify"]);
    assert_eq!(written(&said).len(), 9, "{said:?}");
    assert_eq!(said.stdout.matches("Next:").count(), 1, "{said:?}");
    assert!(said.stdout.ends_with("permission-gate/init.lua\n    snaphook install AGENT\n"), "{said:?}");
    let said = place.run(&["add", "git-context", "git-guard", "--json"]);
    let lines = said.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert_eq!(lines.map(|one| one["hook"].clone()).collect::<Vec<_>>(), ["git-context", "git-guard"]);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let place = project();
    let hooks = "project/.snaphook/hooks";
    place.write(&format!("{hooks}/notify.test.lua"), "mine");
    for (args, code, part) in [
        (
            &["add", "notify"][..],
            64,
            ".snaphook/hooks/notify.test.lua is there already; nothing was written. --force",
        ),
        (&["add", "notify", "--language", "rhai"], 64, "is there already"),
        (&["add", "notify", "--language", "rhai", "--force"], 64, "is another hook called notify"),
        (&["add", "notify", "--force"], 0, ""),
        (&["add", "git-guard"], 0, ""),
        (&["add", "git-guard"], 64, ".snaphook/hooks/git-guard is there already"),
        (&["add", "git-guard", "--language", "rhai", "--force"], 64, "is another hook called git-guard"),
        (&["add", "git-guard", "--force"], 0, ""),
        (&["add", "git-gard"], 64, "did you mean git-guard?"),
        (&["add", "my hook"], 64, "`snaphook new NAME`"),
        (&["add"], 64, "which hook? There are git-context, git-guard,"),
        // One that is there, and one that is not: neither is written.
        (&["add", "test-on-change", "notify"], 64, "notify.lua is there already; nothing was written"),
        (&["add", "test-on-change", "git-gard"], 64, "did you mean git-guard?"),
    ] {
        let said = place.run(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        assert!(said.stderr.contains(part), "{args:?}: {said:?}");
    }
    assert!(!place.path(&format!("{hooks}/notify.rhai")).exists());
    assert!(!place.path(&format!("{hooks}/test-on-change.lua")).exists());
    assert_eq!(place.run(&["test"]).code, 0);
    let said = place.run(&["add", "redact-secrets", "--json"]).document();
    assert_eq!(
        (&said["hook"], &said["trusted"], &said["language"]),
        (&json!("redact-secrets"), &json!(true), &json!("lua"))
    );
}
