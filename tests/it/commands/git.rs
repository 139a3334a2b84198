//! `snaphook git` with real repositories: what a commit comes to, whose hooks are kept. Where the script is is `places`.

mod places;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{executable, program};
use crate::needs;
use crate::support::{CommandOutput, Sandbox};

/// A project in a repository; `folder` is where commands run.
struct Repo {
    place: Sandbox,
    folder: PathBuf,
}

/// Refuses a commit that has the word `bad` in a staged file.
const NO_BAD: &str = r#"-----
-- grants:
--   exec: [git]
-----
on("pre_commit", function(event, ctx)
  local found = ctx.exec("git", { "grep", "--cached", "-l", "bad" })
  if found.code == 0 then return { fail = true, reason = "bad word in " .. found.stdout } end
end)"#;

/// Says which files it sees, as a failure.
const TELLS: &str = r#"on("pre_commit", function(event)
  return { fail = true, reason = "sees [" .. table.concat(event.files, " ") .. "]" }
end)"#;

const PASSES: &str = r#"on("pre_commit", function() end)"#;

impl Repo {
    fn new() -> Self {
        Self::named("project")
    }

    /// A repository in a folder of this name.
    fn named(name: &str) -> Self {
        let place = Sandbox::new();
        let folder = place.path(name);
        std::fs::create_dir_all(&folder).unwrap();
        let repo = Repo { place, folder };
        assert_eq!(repo.git(&["init", "-q", "-b", "main"]).code, 0);
        repo
    }

    fn started(&self, mut command: Command) -> CommandOutput {
        command
            .current_dir(&self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "T")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "t@example.com")));
        self.place.finish(command.spawn().unwrap())
    }

    fn git(&self, args: &[&str]) -> CommandOutput {
        self.started(self.place.program("git", args))
    }

    fn snaphook(&self, args: &[&str]) -> CommandOutput {
        self.started(self.place.command(args))
    }

    fn fine(&self, args: &[&str]) -> CommandOutput {
        let said = self.snaphook(args);
        assert_eq!(said.code, 0, "{said:?}");
        said
    }

    /// Writes a file beside the others, and stages it.
    fn stage(&self, name: &str, text: &str) {
        self.write(name, text);
        let said = self.git(&["add", "--", name]);
        assert_eq!(said.code, 0, "{said:?}");
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn commit(&self, more: &[&str]) -> CommandOutput {
        let said = self.git(&[&["commit", "-q", "-m", "x"], more].concat());
        // An agent that is refused would do just that.
        assert!(!said.stderr.contains("no-verify"), "{said:?}");
        said
    }

    /// A commit that is made.
    fn commits(&self, more: &[&str]) -> CommandOutput {
        let said = self.commit(more);
        assert_eq!(said.code, 0, "{said:?}");
        said
    }

    fn user_hook(&self, name: &str, text: &str) -> PathBuf {
        self.place.write(&format!("config/hooks/{name}"), text)
    }

    fn script(&self) -> PathBuf {
        self.folder.join(".git/hooks/pre-commit")
    }

    fn original(&self) -> PathBuf {
        self.folder.join(".git/hooks/pre-commit.original")
    }

    /// Puts another program's hook there.
    fn foreign(&self, text: &str, mode: u32) {
        std::fs::create_dir_all(self.script().parent().unwrap()).unwrap();
        std::fs::write(self.script(), text).unwrap();
        std::fs::set_permissions(self.script(), PermissionsExt::from_mode(mode)).unwrap();
    }

    fn count(&self) -> String {
        self.git(&["rev-list", "--count", "--all"]).stdout.trim().to_owned()
    }

    fn status(&self) -> serde_json::Value {
        self.fine(&["git", "status", "--json"]).document()
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_failing_hook_refuses_the_commit_and_says_why() {
    let repo = Repo::new();
    repo.user_hook("1-words.lua", NO_BAD);
    repo.user_hook("2-after.lua", TELLS);
    let said = repo.fine(&["git", "install"]);
    assert!(said.stdout.contains(".git/hooks/pre-commit is written"), "{said:?}");
    repo.stage("a.txt", "bad\n");
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    for part in [
        "the pre_commit hook \"1-words\" ([place]/config/hooks/1-words.lua:5) refused this commit",
        "bad word in a.txt",
        "Not run: 2-after",
        "Fix what it says and commit again.",
    ] {
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
    }
    assert!(!said.stderr.contains("sees ["), "the first failure ends it");
    assert_eq!(repo.count(), "0");
    assert_eq!(repo.commit(&["--no-verify"]).code, 0);
    repo.stage("a.txt", "good\n");
    std::fs::remove_file(repo.place.path("config/hooks/2-after.lua")).unwrap();
    repo.commits(&[]);
    assert_eq!(repo.count(), "2");
}

/// Git's own handling of an index: each way of committing shows the hooks what will be committed.
#[test]
fn hooks_see_what_is_about_to_be_committed() {
    let repo = Repo::new();
    repo.stage("first.txt", "1");
    let hook = repo.user_hook("tells.lua", TELLS);
    repo.fine(&["git", "install"]);
    let sees = |said: CommandOutput, files: &str| {
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.stderr.contains(&format!("sees [{files}]\n")), "{files}: {}", said.stderr);
    };
    sees(repo.commit(&[]), "first.txt");
    repo.commits(&["--no-verify"]);

    repo.write("first.txt", "2");
    repo.stage("staged \"odd\" ü\n$(x).txt", "1");
    sees(repo.commit(&["-a"]), "first.txt staged \"odd\" ü\n$(x).txt");
    // A partial commit has an index of its own.
    sees(repo.commit(&["first.txt"]), "first.txt");
    repo.commits(&["--no-verify", "-a"]);

    repo.stage("more.txt", "1");
    sees(repo.commit(&["--amend"]), "more.txt");
    assert_eq!(repo.git(&["mv", "first.txt", "moved.txt"]).code, 0);
    assert_eq!(repo.git(&["rm", "-q", "--cached", "more.txt"]).code, 0);
    sees(repo.commit(&[]), "moved.txt");
    repo.commits(&["--no-verify"]);
    sees(repo.commit(&["--allow-empty"]), "");

    // Merging: what the other branch brings.
    repo.git(&["switch", "-q", "-c", "side", "HEAD~1"]);
    repo.stage("side.txt", "1");
    repo.commits(&["--no-verify"]);
    repo.git(&["switch", "-q", "main"]);
    assert_eq!(repo.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]).code, 0);
    sees(repo.commit(&[]), "side.txt");

    // Whatever a person's settings make of `git diff`.
    for (name, value) in [
        ("diff.relative", "true"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
        ("core.quotePath", "true"),
        ("diff.noprefix", "true"),
    ] {
        assert_eq!(repo.git(&["config", name, value]).code, 0);
    }
    sees(repo.commit(&[]), "side.txt");
    std::fs::write(hook, PASSES).unwrap();
    repo.commits(&[]);
}

#[test]
fn what_git_set_for_its_hook_reaches_ours() {
    let repo = Repo::new();
    repo.user_hook("words.lua", NO_BAD);
    repo.fine(&["git", "install"]);
    repo.stage("a.txt", "fine");
    repo.stage("b.txt", "bad");
    // The index of this commit has no bad word, the repository's own has.
    repo.commits(&["a.txt"]);
    assert_eq!(repo.commit(&[]).code, 1);
}

/// As a shell check sees it: the files, and the index that is committed. Its output is what the commit is refused with, and
/// `snaphook status` knows of it.
#[test]
fn an_executable_checks_what_is_staged() {
    let repo = Repo::new();
    executable(
        &repo.place,
        "config/hooks/check.sh",
        "name: No bad\ntype: pre-commit\npattern: \"*.txt\"",
        "echo \"sees $SNAPHOOK_CHANGED_FILES in $(git diff --cached --name-only | tr '\\n' ' ')\"; exit 3",
    );
    repo.fine(&["git", "install"]);
    repo.stage("a.rs", "1");
    repo.commits(&[]);
    repo.stage("b.txt", "1");
    repo.stage("c.txt", "1");
    let said = repo.commit(&["b.txt"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("sees b.txt in b.txt\n"), "{}", said.stderr);
    assert!(said.stderr.contains("the pre_commit hook \"No bad\""), "{}", said.stderr);
    // A name that a program would take for an option.
    repo.stage("--output=d.txt", "1");
    let said = repo.commit(&["--", "--output=d.txt"]);
    assert!(said.stderr.contains("sees ./--output=d.txt in --output=d.txt"), "{}", said.stderr);
    let status = repo.fine(&["status", "--json"]).document();
    let check = status["git"]["hooks"]["check"].clone();
    assert_eq!((&check["type"], &check["lastExitCode"]), (&"pre-commit".into(), &3.into()), "{status}");
}

/// A hook that is given another name finds no file.
#[cfg(unix)]
#[test]
fn a_staged_name_that_is_no_text_refuses_the_commit() {
    use std::os::unix::ffi::OsStrExt as _;
    let repo = Repo::new();
    std::fs::write(repo.folder.join(std::ffi::OsStr::from_bytes(b"key\xff.txt")), "1").unwrap();
    assert_eq!(repo.git(&["add", "-A"]).code, 0);
    let passes = "for file in $SNAPHOOK_CHANGED_FILES; do [ -f \"$file\" ] || continue; exit 3; done";
    executable(&repo.place, "config/hooks/check.sh", "type: pre-commit", passes);
    repo.fine(&["git", "install"]);
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("not UTF-8") && said.stderr.contains("commit again"), "{}", said.stderr);
    repo.commits(&["--no-verify"]);
}

/// Discobot's, where they lie: with `[compat]`, the script runs them, too.
#[test]
fn a_hook_of_discobot_s_is_run_where_it_lies() {
    let repo = Repo::new();
    repo.place.write("config/config.toml", "[compat]\nproducts = [\"discobot\"]\n");
    let file = executable(
        &repo.place,
        "project/.discobot/hooks/check.sh",
        "type: pre-commit",
        "echo \"$DISCOBOT_HOOK_TYPE here\"; exit 1",
    );
    repo.place.trust_all();
    repo.fine(&["git", "install"]);
    repo.stage("a.txt", "1");
    let said = repo.commit(&[]);
    assert!(said.code == 1 && said.stderr.contains("pre-commit here"), "{said:?}");
    // Trusted and gone is refused until the person says that it is not wanted.
    std::fs::remove_file(file).unwrap();
    let said = repo.commit(&[]);
    assert!(said.code == 1 && said.stderr.contains("snaphook untrust .discobot/hooks/check.sh"), "{said:?}");
    repo.fine(&["untrust", ".discobot/hooks/check.sh"]);
    repo.commits(&[]);
    assert!(!repo.script().exists());
}

#[test]
fn a_pattern_without_a_staged_file_skips_its_hook() {
    let repo = Repo::new();
    repo.user_hook("go.lua", &TELLS.replace("\"pre_commit\", ", "\"pre_commit\", { path = \"*.go\" }, "));
    repo.fine(&["git", "install"]);
    repo.stage("a.txt", "1");
    repo.commits(&[]);
    repo.stage("sub/a.go", "1");
    assert_eq!(repo.commit(&[]).code, 1);
}

#[test]
fn hooks_that_cannot_run_refuse_and_say_what_to_do() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.fine(&["git", "install"]);
    repo.write(".snaphook/hooks/theirs.lua", PASSES);
    repo.stage("a.txt", "1");
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.stderr.contains("snaphook trust") && said.stderr.contains("commit again"),
        "{}",
        said.stderr
    );
    repo.place.trust_all();
    repo.commits(&[]);
    repo.user_hook("broken.lua", "on(");
    repo.stage("b.txt", "1");
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("broken.lua:1"), "{}", said.stderr);
    std::fs::remove_file(repo.place.path("config/hooks/broken.lua")).unwrap();
    repo.user_hook("throws.lua", "on(\"pre_commit\", function() error(\"oh\") end)");
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains("because it cannot be run (error)"), "{}", said.stderr);
}

#[test]
fn a_foreign_hook_is_kept_and_runs_first() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    let foreign = "#!/bin/sh\necho \"foreign $# $1\" >> ran\ncat >> ran\n[ ! -e refuse ]\n";
    repo.foreign(foreign, 0o750);
    let said = repo.fine(&["git", "install"]);
    assert!(
        said.stdout.contains("the hook that was there is now .git/hooks/pre-commit.original"),
        "{said:?}"
    );
    assert_eq!((text(&repo.original()).as_str(), mode(&repo.original())), (foreign, 0o750));
    assert_eq!(repo.git(&["hook", "run", "pre-commit", "--", "one two"]).code, 0);
    assert_eq!(text(&repo.folder.join("ran")), "foreign 1 one two\n");

    // Its failure refuses, and ours does not run then.
    repo.user_hook("passes.lua", TELLS);
    repo.write("refuse", "");
    repo.stage("a.txt", "1");
    let said = repo.commit(&[]);
    assert!(said.code == 1 && !said.stderr.contains("sees ["), "{said:?}");
    std::fs::remove_file(repo.folder.join("refuse")).unwrap();
    assert!(repo.commit(&[]).stderr.contains("sees [a.txt]"));

    // Its arguments and input are the script's.
    let mut command = repo.place.program(repo.script().to_str().unwrap(), &["x"]);
    let input = repo.place.write("input", "from stdin\n");
    command.stdin(std::fs::File::open(input).unwrap());
    repo.started(command);
    assert!(text(&repo.folder.join("ran")).ends_with("foreign 1 x\nfrom stdin\n"));
}

#[test]
fn uninstall_gives_back_byte_for_byte() {
    for keep_mode in [0o755, 0o700, 0o644] {
        let repo = Repo::new();
        repo.user_hook("tells.lua", TELLS);
        let foreign = "#!/bin/sh\r\necho \u{fffd} no line end";
        repo.foreign(foreign, keep_mode);
        repo.fine(&["git", "install"]);
        repo.stage("a.txt", "1");
        assert_eq!(repo.commit(&[]).code, 1, "a hook that git would not have run does not run");
        let said = repo.fine(&["git", "uninstall"]);
        assert!(said.stdout.contains("restored to what it was before"), "{said:?}");
        assert_eq!((text(&repo.script()).as_str(), mode(&repo.script())), (foreign, keep_mode));
        assert!(!repo.original().exists());
    }
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.fine(&["git", "install"]);
    assert!(repo.fine(&["git", "uninstall"]).stdout.contains("is removed"));
    assert!(!repo.script().exists());
    assert!(repo.fine(&["git", "uninstall"]).stdout.contains("nothing to remove"));
    repo.foreign("#!/bin/sh\n", 0o755);
    assert!(repo.fine(&["git", "uninstall"]).stdout.contains("is not snaphook's"));
    assert_eq!(text(&repo.script()), "#!/bin/sh\n");
}

#[test]
fn a_link_stays_a_link() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    program(&repo.place, "project/tools/check.sh", "#!/bin/sh\necho linked > ran\n");
    std::fs::create_dir_all(repo.script().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../../tools/check.sh", repo.script()).unwrap();
    repo.fine(&["git", "install"]);
    assert_eq!(std::fs::read_link(repo.original()).unwrap(), Path::new("../../tools/check.sh"));
    assert!(!text(&repo.folder.join("tools/check.sh")).contains("snaphook"), "it was not written through");
    repo.stage("a.txt", "1");
    repo.commits(&[]);
    assert_eq!(text(&repo.folder.join("ran")), "linked\n");
    repo.fine(&["git", "uninstall"]);
    assert_eq!(std::fs::read_link(repo.script()).unwrap(), Path::new("../../tools/check.sh"));
}

#[test]
fn installing_twice_is_the_same_as_once() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.foreign("#!/bin/sh\n", 0o755);
    repo.fine(&["git", "install"]);
    let (first, kept) = (text(&repo.script()), text(&repo.original()));
    let said = repo.fine(&["git", "install"]);
    assert!(said.stdout.contains("nothing to change"), "{said:?}");
    assert_eq!((text(&repo.script()), text(&repo.original())), (first.clone(), kept.clone()));

    // An outdated script of snaphook's is written anew, and never taken for a user's hook.
    repo.foreign(&first.replace("git run pre-commit", "git run pre-commit --old"), 0o644);
    assert!(repo.fine(&["git", "install"]).stdout.contains("is updated"));
    assert_eq!((text(&repo.script()), text(&repo.original())), (first.clone(), kept.clone()));
    assert_eq!(mode(&repo.script()), 0o755);

    // Two hooks of others: none is overwritten.
    repo.foreign("#!/bin/sh\necho second\n", 0o755);
    let said = repo.snaphook(&["git", "install"]);
    assert!(said.code == 64 && said.stderr.contains("neither is overwritten"), "{said:?}");
    assert_eq!(text(&repo.script()), "#!/bin/sh\necho second\n");
    assert_eq!(text(&repo.original()), kept);
    std::fs::remove_file(repo.script()).unwrap();
    assert!(repo.fine(&["git", "install"]).stdout.contains("was there, and runs first"));
    let mut left: Vec<_> = std::fs::read_dir(repo.script().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".sample"))
        .collect();
    left.sort();
    assert_eq!(left, ["pre-commit", "pre-commit.original"], "nothing else is left behind");
}

#[test]
fn discobot_s_own_script_is_replaced() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.foreign(
        "#!/bin/bash\n# Auto-generated by discobot hooks system\n# discobot:managed\nexit 1\n",
        0o755,
    );
    assert_eq!(repo.status()["state"], "discobot");
    repo.fine(&["git", "install"]);
    assert!(!repo.original().exists());
    repo.stage("a.txt", "1");
    repo.commits(&[]);
}

#[test]
fn the_script_says_whose_it_is() {
    let repo = Repo::new();
    repo.user_hook("passes.lua", PASSES);
    repo.fine(&["git", "install"]);
    let script = text(&repo.script());
    let lines: Vec<&str> = script.lines().collect();
    assert_eq!(lines[0], "#!/bin/sh");
    assert!(lines[1].starts_with("# Auto-generated by snaphook"));
    for line in ["# Source: .snaphook/hooks", "# snaphook:managed", "# snaphook:project \".\""] {
        assert!(lines.contains(&line), "{line}: {script}");
    }
    assert!(script.ends_with("git run pre-commit \"$@\"\n"));
    assert!(!script.contains("passes"), "no hook is named in it");
    // Any shell that a system has for `sh`.
    let shells = ["sh", "dash", "bash", "busybox"];
    for shell in shells.into_iter().filter(|shell| needs::program(shell)) {
        let mut command = repo.place.program(shell, &[]);
        if shell == "busybox" {
            command.arg("sh");
        }
        let output = command.arg("-n").arg(repo.script()).output().unwrap();
        assert!(output.status.success(), "{shell}: {output:?}");
    }
}

#[test]
fn a_program_that_is_gone_refuses_the_commit() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    repo.fine(&["git", "install"]);
    repo.stage("a.txt", "1");
    let ours = env!("CARGO_BIN_EXE_snaphook");
    let gone = text(&repo.script()).replace(&format!("'{ours}'"), "'/nowhere/snaphook'");
    assert_ne!(gone, text(&repo.script()));
    repo.foreign(&gone, 0o755);
    let said = repo.commit(&[]);
    assert_eq!(said.code, 1, "{said:?}");
    for part in ["snaphook is gone", "snaphook git install", ".git/hooks/pre-commit"] {
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
    }
    // Another one in PATH will do, but not one that a relative entry finds in the project.
    let path = std::env::var("PATH").unwrap();
    let with = |folder: &str| {
        let mut command = repo.place.program("git", &["commit", "-qm", "x"]);
        command.env("PATH", format!("{folder}:{path}"));
        repo.started(command)
    };
    program(&repo.place, "project/snaphook", "#!/bin/sh\necho slipped in >&2\nexit 0\n");
    let said = with(".");
    assert!(said.code == 1 && !said.stderr.contains("slipped in"), "{said:?}");
    std::fs::create_dir_all(repo.place.path("bin")).unwrap();
    std::os::unix::fs::symlink(ours, repo.place.path("bin/snaphook")).unwrap();
    let said = with(repo.place.path("bin").to_str().unwrap());
    assert!(said.code == 1 && said.stderr.contains("sees [a.txt]"), "{said:?}");
}

#[test]
fn removing_the_last_hook_leaves_no_script_behind() {
    for foreign in [None, Some("#!/bin/sh\n# foreign\n")] {
        let repo = Repo::new();
        let hook = repo.user_hook("passes.lua", PASSES);
        if let Some(foreign) = foreign {
            repo.foreign(foreign, 0o750);
        }
        repo.fine(&["git", "install"]);
        repo.stage("a.txt", "1");
        repo.commits(&[]);
        assert!(text(&repo.script()).contains("snaphook:managed"), "while there is one, it stays");
        std::fs::remove_file(hook).unwrap();
        let said = repo.fine(&["git", "status"]);
        assert!(said.stdout.contains("the script removes itself at the next commit"), "{said:?}");
        repo.stage("b.txt", "1");
        let said = repo.commits(&[]);
        match foreign {
            None => {
                assert!(said.stderr.contains("snaphook git install` puts it back"), "{said:?}");
                assert!(!repo.script().exists());
            }
            Some(foreign) => {
                assert!(said.stderr.contains("restored to what it was before"), "{said:?}");
                assert_eq!((text(&repo.script()).as_str(), mode(&repo.script())), (foreign, 0o750));
                assert!(!repo.original().exists());
            }
        }
        repo.stage("c.txt", "1");
        repo.commits(&[]);
        assert_eq!(repo.count(), "3");
    }
}

/// The broken file may have been the hook: the script stays.
#[test]
fn a_hook_that_does_not_load_keeps_the_script() {
    let repo = Repo::new();
    repo.fine(&["git", "install"]);
    repo.write(".snaphook/hooks/theirs.lua", PASSES);
    repo.stage("a.txt", "1");
    assert_eq!(repo.commit(&[]).code, 1);
    assert!(repo.script().exists());
    for asked in ["status", "install"] {
        let said = repo.fine(&["git", asked]);
        assert!(said.stdout.contains("every commit is refused"), "{said:?}");
        assert!(!said.stdout.contains("no hook handles pre_commit"), "{said:?}");
    }
    assert_eq!(repo.status()["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn status_says_what_stands_there() {
    let repo = Repo::new();
    repo.user_hook("tells.lua", TELLS);
    assert_eq!(repo.status()["state"], "missing");
    assert!(repo.fine(&["git", "status"]).stdout.contains("so commits are not checked"));
    repo.foreign("#!/bin/sh\n", 0o755);
    assert_eq!(repo.status()["state"], "foreign");
    repo.fine(&["git", "install"]);
    let document = repo.status();
    assert_eq!(document["state"], "installed");
    assert_eq!(document["original_runs"], true);
    assert_eq!(document["pre_commit_hooks"][0]["id"], "tells");
    assert_eq!(document["pre_commit_hooks"][0]["line"], 1);
    std::fs::set_permissions(repo.script(), PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(repo.status()["state"], "not_executable");
}

#[test]
fn another_hook_of_git_is_a_usage_error() {
    let repo = Repo::new();
    let said = repo.snaphook(&["git", "run", "pre-push"]);
    assert!(said.code == 64 && said.stderr.contains("expected pre-commit"), "{said:?}");
    let mut outside = repo.place.command(&["git", "run", "pre-commit"]);
    outside.current_dir(repo.place.path("home"));
    let said = repo.place.finish(outside.spawn().unwrap());
    assert!(said.code == 1 && said.stderr.contains("The commit is refused"), "{said:?}");
}
