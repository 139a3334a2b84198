//! `snaphook new`: each template in each language has a test that passes, and fails when the hook is broken.

use crate::support::{CommandOutput, Sandbox};

const TEMPLATES: [&str; 4] = ["gate", "rewrite", "notify", "check"];
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

#[test]
fn a_new_hook_passes_its_test_at_once() {
    for template in TEMPLATES {
        for language in LANGUAGES {
            let place = project();
            let said = place.run(&["new", "fresh", "--lang", language, "--template", template]);
            let hook = format!(".snaphook/hooks/fresh.{language}");
            let test = format!(".snaphook/hooks/fresh.test.{language}");
            assert_eq!(written(&said), [&hook, &test]);
            assert!(said.stdout.contains(&format!("\n    snaphook test {hook}\n")), "{said:?}");

            let listed = place.run(&["list", "--json"]).document();
            assert_eq!(listed["problems"].as_array().unwrap().len(), 0, "{template} {language}: {listed}");
            let known = &listed["hooks"][1];
            assert_eq!((known["name"].as_str(), known["loaded"].as_bool()), (Some("fresh"), Some(true)));

            let tested = place.run(&["test"]);
            assert_eq!(tested.code, 0, "{template} {language}: {}", tested.stdout);
            assert!(
                tested.stdout.contains(", 0 failed") && !tested.stdout.contains("\n0 passed"),
                "{tested:?}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn an_executable_gates_at_once() {
    use std::os::unix::fs::PermissionsExt as _;
    for (scope, folder) in [("--project", "project/.snaphook/hooks"), ("--user", "config/hooks")] {
        let place = project();
        let said = place.run(&["new", "guard", "--lang", "sh", scope]);
        assert_eq!(written(&said).len(), 1, "{said:?}");
        let hook = place.path(&format!("{folder}/guard.sh"));
        let mode = hook.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{scope}: {mode:o}");
        assert_eq!(
            scope == "--user",
            mode & 0o022 == 0 && !said.stdout.contains("trusted guard"),
            "{mode:o}"
        );
        let listed = place.run(&["list", "--json"]).document();
        assert_eq!(listed["problems"], serde_json::json!([]), "{scope}: {listed}");
        let trial = said.stdout.lines().last().unwrap().trim();
        assert_eq!(trial, r#"snaphook check --tool read --input '{"path": "production.env"}'"#);
        for (path, code) in [("production.env", 2), ("development.env", 0)] {
            let input = serde_json::json!({ "path": path }).to_string();
            let checked = place.run(&["check", "--tool", "read", "--input", &input]);
            assert_eq!(checked.code, code, "{scope} {path}: {checked:?}");
            assert_eq!(checked.stdout.contains("use development.env"), code == 2, "{checked:?}");
        }
        let again = place.run(&["new", "guard", scope]);
        assert!(again.code == 64 && again.stderr.contains("guard.sh is there already"), "{again:?}");
    }
    let place = project();
    let document = place.run(&["new", "guard", "--lang", "sh", "--json"]).document();
    assert_eq!((&document["language"], &document["test"]), (&"sh".into(), &serde_json::Value::Null));
    let other = place.run(&["new", "x", "--lang", "sh", "--template", "notify"]);
    assert!(other.code == 64 && other.stderr.contains("there is no template notify in sh"), "{other:?}");
}

/// The changes in a hook so that it does its work no more.
const BREAKS: [(&str, &str, &str); 4] = [
    ("gate", "has_flags(\"r\")", "has_flags(\"v\")"),
    ("rewrite", "content", "contents"),
    ("notify", "ctx.ui.notify", "ctx.log"),
    ("check", "fail", "failed"),
];

#[test]
fn a_broken_hook_fails_its_test_with_the_place() {
    for (template, right, wrong) in BREAKS {
        for language in LANGUAGES {
            let place = project();
            written(&place.run(&["new", "fresh", "--lang", language, "--template", template]));
            let hook = place.path(&format!("project/.snaphook/hooks/fresh.{language}"));
            let text = std::fs::read_to_string(&hook).unwrap();
            assert!(text.contains(right), "{template} {language}");
            std::fs::write(&hook, text.replace(right, wrong)).unwrap();
            let tested = place.run(&["test"]);
            assert_eq!(tested.code, 1, "{template} {language}: {}", tested.stdout);
            let place_told = format!(".snaphook/hooks/fresh.test.{language}:");
            assert!(tested.stdout.contains("  failed ") && tested.stdout.contains(&place_told), "{tested:?}");
        }
    }
}

#[test]
fn the_folder_is_the_projects_or_ones_own() {
    let place = project();
    assert_eq!(written(&place.run(&["new", "a"]))[0], ".snaphook/hooks/a.lua");
    assert_eq!(written(&place.run(&["new", "b", "--user"]))[0], "[place]/config/hooks/b.lua");

    let elsewhere = Sandbox::new();
    assert_eq!(written(&elsewhere.run(&["new", "a"]))[0], "[place]/config/hooks/a.lua");
    assert_eq!(written(&elsewhere.run(&["new", "b", "--project"]))[0], ".snaphook/hooks/b.lua");
    // Now it is a project.
    assert_eq!(written(&elsewhere.run(&["new", "c"]))[0], ".snaphook/hooks/c.lua");
    assert_eq!(elsewhere.run(&["new", "d", "--project", "--user"]).code, 64);
}

#[test]
fn the_guide_shows_what_it_says() {
    let said = project().run(&["new", "guard"]);
    let shown = format!("$ snaphook new guard\n{}```", said.stdout);
    assert!(crate::tree::text("docs/guide.md").contains(&shown), "{shown}");
}

#[test]
fn nothing_is_overwritten() {
    for taken in ["guard.lua", "guard.luau", "guard.rhai", "guard.test.rhai", "guard/init.lua"] {
        let place = project();
        let path = place.write(&format!("project/.snaphook/hooks/{taken}"), "-- mine\n");
        let said = place.run(&["new", "guard", "--lang", "rhai"]);
        assert_eq!(said.code, 64, "{taken}: {said:?}");
        assert!(said.stderr.contains("is there already; nothing was written"), "{said:?}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "-- mine\n");
        let left = std::fs::read_dir(place.path("project/.snaphook/hooks")).unwrap().count();
        assert_eq!(left, 1, "{taken}");
    }
}

#[test]
fn bad_names_are_told() {
    let place = project();
    for (name, why) in [
        ("a b", "letters, digits, - and _"),
        ("../escape", "letters, digits, - and _"),
        ("guard.rhai", "leave the extension out: snaphook new guard --lang rhai"),
        ("init", "first file of a folder hook"),
        ("", "it is empty"),
    ] {
        let said = place.run(&["new", name]);
        assert_eq!(said.code, 64, "{name}: {said:?}");
        assert!(said.stderr.contains(why), "{name}: {said:?}");
    }
    assert_eq!(place.run(&["new", "x", "--lang", "python"]).code, 64);
    assert_eq!(place.run(&["new", "x", "--template", "nothing"]).code, 64);
    assert!(!place.path("project/.snaphook").exists(), "nothing was made");
}

#[test]
fn json_tells_what_was_written() {
    let place = project();
    let document = place.run(&["new", "true", "--json", "--lang", "rhai", "--template", "check"]).document();
    assert_eq!(document["hook"], "[place]/project/.snaphook/hooks/true.rhai");
    assert_eq!(document["test"], "[place]/project/.snaphook/hooks/true.test.rhai");
    let more = ["scope", "language", "template"].map(|key| document[key].as_str().unwrap());
    assert_eq!(more, ["project", "rhai", "check"]);
    assert_eq!(document["next"][0], "snaphook test .snaphook/hooks/true.rhai");
    // A name that YAML would take for something else.
    assert_eq!(place.run(&["test"]).code, 0);
}
