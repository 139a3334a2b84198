//! Hooks of Discobot as they lie, in real agents' events: odd values, unreadable files, Discobot's names of files, its words.

use serde_json::{Value, json};

use super::executable;
use super::stop::{git, stop};
use crate::support::Sandbox;

/// A place whose project is a repository, with hooks of Discobot's that are trusted.
fn place(hooks: &[(&str, &str, &str)]) -> Sandbox {
    let place = Sandbox::new();
    git(&place, &["init", "-q"]);
    place.write("config/config.toml", "[compat]\nproducts = [\"discobot\"]\n");
    for (name, matter, shell) in hooks {
        executable(&place, &format!("project/.discobot/hooks/{name}"), matter, shell);
    }
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "hooks"]);
    place.trust_all();
    place
}

fn kept(place: &Sandbox, name: &str) -> String {
    let file = place.path("home/.discobot/s-1/hooks").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn status(place: &Sandbox) -> Value {
    serde_json::from_str(&kept(place, "status.json")).unwrap()
}

const GO: &str = "name: Go\ntype: file\npattern: \"*.go\"";

/// The front matter of Discobot's own tests: nothing of it closes the gate, and everything of it counts.
#[test]
fn values_that_are_no_yaml_are_read_as_discobot_reads_them() {
    let place = place(&[
        ("braces.sh", "type: file\npattern: {a,b}.go", "echo $DISCOBOT_CHANGED_FILES; exit 1"),
        ("quiet.sh", "type: file\npattern: *.txt\nnotify_llm: NO", "exit 1"),
        ("start.sh", "type: session\nrun_as: admin", "true"),
    ]);
    assert_eq!(place.gate("ls", &[]).0, 0);
    let said = place.run(&["list"]).stdout;
    assert!(said.contains("start.sh:4: `run_as` is `admin`, and the hook runs as the user"), "{said}");
    place.write("project/b.go", "1");
    place.write("project/c.go", "1");
    let said = stop(&place, "claude-code").unwrap();
    assert!(said.contains("(pattern: {a,b}.go)") && said.contains("Output:\nb.go\n"), "{said}");
    std::fs::remove_file(place.path("project/b.go")).unwrap();
    place.write("project/x.txt", "1");
    assert_eq!(stop(&place, "claude-code"), None, "it fails, and the agent is not told");
    assert_eq!(status(&place)["hooks"]["quiet"]["lastResult"], "failure");
}

/// An unreadable check is a problem that is reported, and fails where it would have run; tool calls go on. An unreadable gate denies.
#[test]
fn an_unreadable_check_is_reported_and_closes_no_gate() {
    let place = place(&[("01-odd.sh", "type: file", "true"), ("02-fine.sh", GO, "echo seen >> ../seen")]);
    assert_eq!(place.gate("ls", &[]).0, 0);
    let listed = place.run(&["list"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert!(
        listed.stdout.contains(".discobot/hooks/01-odd.sh:3: `type: file` needs a `pattern`"),
        "{listed:?}"
    );
    place.write("project/x.go", "1");
    let said = stop(&place, "claude-code").unwrap();
    assert!(said.contains("01-odd.sh:3: `type: file` needs a `pattern`"), "{said}");
    assert!(place.path("seen").exists(), "it keeps no other check from running");
    assert_eq!(status(&place)["pendingHooks"], json!([]));
    assert_eq!(stop(&place, "claude-code"), None, "told once, until files change again");

    executable(&place, "project/.discobot/hooks/03-commit.sh", "type: pre-commit\ntimeout: soon", "true");
    assert_eq!(place.gate("ls", &[]).0, 0);
    let refused = place.run(&["git", "run", "pre-commit"]);
    assert!(refused.code != 0 && refused.stderr.contains("03-commit.sh:4: `timeout`"), "{refused:?}");

    executable(&place, "project/.discobot/hooks/04-gate.sh", "event: tool_call\ntimeout: soon", "true");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!(code, 2, "{document}");
    assert!(document.to_string().contains("04-gate.sh:4: `timeout`"), "{document}");
}

/// The id names the output and the entry in `status.json`; dot files do not match `*.go`; of many files twenty are named.
#[test]
fn places_names_and_lists_are_discobots() {
    let place = place(&[("my_service.sh", GO, "echo no; exit 1")]);
    for number in 1..=25 {
        place.write(&format!("project/f{number:02}.go"), "1");
    }
    place.write("project/.hidden.go", "1");
    place.write("project/.cache/deep.go", "1");
    let said = stop(&place, "claude-code").unwrap();
    let names: Vec<_> = (1..=20).map(|number| format!("f{number:02}.go")).collect();
    assert!(said.contains(&format!("\nFiles: {}, and 5 more\n", names.join(", "))), "{said}");
    assert_eq!(kept(&place, "output/my_service.log"), "no\n");
    assert_eq!(status(&place)["hooks"]["my_service"]["hookId"], "my_service");
    assert_eq!(status(&place)["pendingHooks"], json!(["my_service"]));
}

#[test]
fn a_timeout_is_told_in_discobots_words() {
    let matter = format!("{GO}\ntimeout: 1");
    let place = place(&[("slow.sh", &matter, "echo begun; exec sleep 600")]);
    place.write("project/x.go", "1");
    let said = stop(&place, "claude-code").unwrap();
    let told = "Exit code: 124\n\nOutput:\nbegun\n\n[Hook timed out after 1s and was killed]\n\nPlease fix";
    assert!(said.contains(told), "{said}");
    assert_eq!(kept(&place, "output/slow.log"), "begun\n\n[Hook timed out after 1s and was killed]\n");
}

/// Discobot notes a run when it begins; where it never ended, its counts go on.
#[test]
fn a_run_that_discobot_began_keeps_its_counts() {
    let place = place(&[("fmt.sh", GO, "exit 1")]);
    let entry = json!({"hookId": "fmt", "hookName": "Go", "type": "file", "lastRunAt": "2024-01-01T00:00:00.000Z",
        "lastResult": "running", "lastExitCode": 1, "outputPath": "", "runCount": 5, "failCount": 2,
        "consecutiveFailures": 2});
    let all = json!({"hooks": {"fmt": entry}, "pendingHooks": null, "lastEvaluatedAt": ""});
    let folder = place.path("home/.discobot/s-1/hooks");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("status.json"), all.to_string()).unwrap();
    place.write("project/x.go", "1");
    assert!(stop(&place, "claude-code").is_some());
    let hook = &status(&place)["hooks"]["fmt"];
    assert_eq!((&hook["runCount"], &hook["consecutiveFailures"]), (&json!(6), &json!(3)), "{hook}");
}
