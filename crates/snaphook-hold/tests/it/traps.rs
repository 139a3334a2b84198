//! The eleven traps that a prototype found, a test for each, and what they taught. Not here: the battery of attempts.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::bed::{Bed, Programs, User};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn sh(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

fn each_user(test: impl Fn(&Bed)) {
    for user in User::all() {
        test(&Bed::new(user));
    }
}

#[test]
fn a_folder_above_a_guard_cannot_be_renamed() {
    each_user(|bed| {
        let script = "mv $H/.tool $H/x; mv $H $R/x; mv $P/.git $P/x; mkdir $H/new && mv $H/new $H/renamed";
        let output = bed.run(Some(&bed.policy("guarded")), &sh(script));
        assert_eq!(output.status.code(), Some(0), "what is no guard can be renamed: {}", said(&output));
        assert_eq!(said(&output).matches("busy").count(), 3, "{}", said(&output));
        assert!(bed.path("h/.tool/settings.json").exists() && bed.path("h/renamed").exists());
    });
}

/// A file that is replaced outside takes its guard with it; a whole folder that is guarded keeps it.
#[test]
fn a_replacement_outside_is_seen_in_a_guarded_folder() {
    each_user(|bed| {
        let script = "read go; echo new > $D/a.lua; echo new > $D/b.lua; cat $D/a.lua";
        let mut command = bed.command(Some(&bed.policy("guarded")), &sh(script));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // It is held once the shell is what runs.
        let name = format!("/proc/{}/comm", child.id());
        while fs::read_to_string(&name).unwrap() != "sh\n" {
            std::thread::yield_now();
        }
        fs::write(bed.path("h/replacement"), "from outside\n").unwrap();
        fs::rename(bed.path("h/replacement"), bed.path("h/.tool/hooks/a.lua")).unwrap();
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"go\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "from outside\n");
        assert!(!bed.path("h/.tool/hooks/b.lua").exists());
    });
}

#[test]
fn absent_paths_are_guarded_by_their_folder_or_refused() {
    each_user(|bed| {
        let make = "mkdir -p $H/.tool/deep/er; echo new > $H/.tool/deep/er/file; echo new > $H/.tool/other2";
        let named = |path: &str| json!({"home": bed.names["H"], "hold": {"deny_write": [path]}});
        // Its folder is not in use: nothing can be made there.
        let output =
            bed.run(Some(&named(&bed.path("h/.tool/deep/er/file").display().to_string())), &sh(make));
        assert!(
            !bed.path("h/.tool/deep").exists() && !bed.path("h/.tool/other2").exists(),
            "{}",
            said(&output)
        );
        // The home and the working directory have to stay writable.
        for path in ["h/absent", "h/project/absent"] {
            let output = bed.run(Some(&named(&bed.path(path).display().to_string())), &sh("true"));
            assert_eq!(output.status.code(), Some(125), "{path}");
            assert!(said(&output).contains("it does not exist, and"), "{}", said(&output));
        }
        // Nothing is left behind.
        assert!(!bed.path("h/absent").exists());
    });
}

#[test]
fn descriptors_lead_nowhere() {
    each_user(|bed| {
        let policy = bed.policy("guarded");
        let folder = fs::File::open(bed.path("h")).unwrap();
        let output = bed.command(Some(&policy), &sh("true")).stdin(folder).output().unwrap();
        assert_eq!(output.status.code(), Some(125));
        assert!(said(&output).contains("standard input is a folder"), "{}", said(&output));
        // A guarded file that is open for reading can be read, and not opened again for writing.
        let file = fs::File::open(bed.path("h/.tool/settings.json")).unwrap();
        let script = "cat; echo new > /proc/self/fd/0";
        let output = bed.command(Some(&policy), &sh(script)).stdin(file).output().unwrap();
        assert!(
            said(&output).starts_with("old\n") && said(&output).contains("Read-only"),
            "{}",
            said(&output)
        );
        let file = fs::File::options().append(true).open(bed.path("h/.tool/settings.json")).unwrap();
        let output = bed.command(Some(&policy), &sh("echo new")).stdout(file).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        // Others are closed.
        let held =
            format!("exec 5<$H 6<>$G; exec {} '{policy}' ls /proc/self/fd", Programs::get().held().display());
        let output = bed.run(None, &["bash".to_owned(), "-c".to_owned(), held]);
        assert_eq!(said(&output), "0\n1\n2\n3\n", "3 is the folder that is listed");
        // A file that is hidden.
        let file = fs::File::open(bed.path("h/secret")).unwrap();
        let output = bed.command(Some(&bed.policy("hidden")), &sh("cat")).stdin(file).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert_eq!(fs::read_to_string(bed.path("h/.tool/settings.json")).unwrap(), "old\n");
    });
}

/// The working directory is entered again, so that a relative path meets the guards.
#[test]
fn relative_paths_meet_the_guards() {
    each_user(|bed| {
        let script = "echo new > .git/config; echo new > ../.tool/settings.json; cd ..; echo new > .tool/settings.json; pwd";
        let before = bed.guarded("guarded");
        let output = bed.run(Some(&bed.policy("guarded")), &sh(script));
        assert_eq!(said(&output).matches("Read-only file system").count(), 3, "{}", said(&output));
        assert!(said(&output).starts_with(&bed.names["H"]));
        assert_eq!(before, bed.guarded("guarded"));
    });
}

#[test]
fn the_kernels_files_are_read_only() {
    each_user(|bed| {
        let script = "echo 0 > /proc/self/oom_score_adj; mkdir /sys/fs/cgroup/x; cat /proc/self/comm";
        let output = bed.run(Some(&bed.policy("guarded")), &sh(script));
        assert_eq!(said(&output).matches("Read-only file system").count(), 2, "{}", said(&output));
        assert!(said(&output).contains("cat\n"));
    });
}

#[test]
fn links_are_guarded_with_their_targets() {
    each_user(|bed| {
        let link = bed.path("h/.tool/link");
        symlink(bed.path("h/outside/wall"), &link).unwrap();
        let policy = json!({"home": bed.names["H"], "hold": {"deny_write": [link.display().to_string()]}});
        let script = "echo new > $H/.tool/link; rm $H/.tool/link; ln -sf $N $H/.tool/link; echo new > $W";
        let output = bed.run(Some(&policy), &sh(script));
        assert_eq!(fs::read_link(&link).unwrap(), bed.path("h/outside/wall"), "{}", said(&output));
        assert_eq!(fs::read_to_string(bed.path("h/outside/wall")).unwrap(), "old\n");
        // Also in a folder that is in use, of a folder, and one that leads to another one.
        symlink(bed.path("h/outside"), bed.path("h/folder")).unwrap();
        symlink("folder/wall", bed.path("h/again")).unwrap();
        bed.user.owns(bed.root());
        let policy = json!({"home": bed.names["H"], "hold": {"deny_write": ["~/again"]}});
        let script = "cd $H; rm again; mv again x; ln -sf $N again; rm folder; mv folder x; mv outside x; echo new > again; \
                      cat again; readlink again; echo new > folder/free && cat outside/free";
        let output = bed.run(Some(&policy), &sh(script));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "old\nfolder/wall\nnew\n", "{}", said(&output));
        assert_eq!(said(&output).matches("busy").count(), 6, "{}", said(&output));
        assert_eq!(fs::read_link(bed.path("h/folder")).unwrap(), bed.path("h/outside"));
        // What is hidden is not shown by another link in its place.
        let policy = json!({"home": bed.names["H"], "hold": {"deny_read": ["~/again"]}});
        let output = bed.run(Some(&policy), &sh("rm $H/folder; cat $H/again $W"));
        assert!(said(&output).contains("busy") && !said(&output).contains("old\n"), "{}", said(&output));
        // A second name of the file stays writable.
        fs::hard_link(bed.path("h/outside/new"), bed.path("h/outside/second")).unwrap();
        let policy = json!({"home": bed.names["H"], "hold": {"deny_write": [bed.names["N"]]}});
        let output = bed.run(Some(&policy), &sh("true"));
        assert!(output.status.code() == Some(125) && said(&output).contains("2 names"), "{}", said(&output));
    });
}

#[test]
fn root_keeps_what_root_needs_and_nothing_of_the_system() {
    if !User::all().contains(&User::Root) {
        return;
    }
    let bed = Bed::new(User::Root);
    let script = "touch $P/f && chown 65534 $P/f && chmod 600 $P/f && su -s /bin/sh nobody -c 'id -u' && \
                  ! touch /etc/x && ! mkdir -p /var/spool/cron/x && ! ls /dev/loop0 && echo fine";
    let output = bed.run(Some(&bed.policy("guarded")), &sh(script));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "65534\nfine\n", "{}", said(&output));
}

#[test]
fn a_hold_in_a_hold() {
    each_user(|bed| {
        let held = Programs::get().held().display().to_string();
        let policy = bed.policy("guarded");
        let nested = |inner: &Value| {
            [
                held.clone(),
                inner.to_string(),
                "sh".to_owned(),
                "-c".to_owned(),
                "echo new > $G; echo in".to_owned(),
            ]
        };
        // The same once more: the outer one holds it already.
        let output = bed.run(Some(&policy), &nested(&policy));
        assert!(said(&output).contains("in\n") && said(&output).contains("Read-only"), "{}", said(&output));
        // More than the outer one holds, which no mount can add.
        let more = json!({"home": bed.names["H"], "hold": {"deny_write": [bed.names["W"]]}});
        let output = bed.run(Some(&policy), &nested(&more));
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains("a hold around this one"), "{}", said(&output));
        // No network needs none.
        let offline = json!({"home": bed.names["H"], "hold": {"net": "none"}});
        let words = [
            held.clone(),
            offline.to_string(),
            "bash".into(),
            "-c".into(),
            "exec 3<>/dev/udp/127.0.0.1/9".into(),
        ];
        assert_ne!(bed.run(Some(&policy), &words).status.code(), Some(0));
        let words = [held.clone(), offline.to_string(), "true".into()];
        let output = bed.run(Some(&policy), &words);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    });
}

/// In a sandbox of another product, a user namespace too.
#[test]
fn a_hold_in_bubblewrap() {
    if !std::path::Path::new("/usr/bin/bwrap").exists() {
        assert!(!crate::bed::is_ci(), "bwrap is missing");
        return;
    }
    each_user(|bed| {
        let held = Programs::get().held().display().to_string();
        let words = [
            "bwrap",
            "--bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            &held,
            &bed.policy("guarded").to_string(),
            "sh",
            "-c",
            "echo new > $G; echo in",
        ];
        let output = bed.run(None, &words.map(str::to_owned));
        assert!(said(&output).contains("in\n") && said(&output).contains("Read-only"), "{}", said(&output));
    });
}

#[test]
fn new_mounts_outside_arrive_inside() {
    if !User::all().contains(&User::Root) {
        return;
    }
    let bed = Bed::new(User::Root);
    // In a namespace of its own, whose mounts are shared with those below.
    let policy = bed.policy("guarded").to_string();
    let script = format!(
        "mount --make-rshared /; mkfifo $R/go; {} '{policy}' sh -c 'read x < $R/go; cat $O/mark' & \
         while [ \"$(cat /proc/$!/comm)\" != sh ]; do :; done; \
         mount -t tmpfs none $O && echo mounted > $O/mark && echo go > $R/go; wait $!",
        Programs::get().held().display()
    );
    let output = bed.run(None, &["unshare", "-m", "bash", "-c", &script].map(str::to_owned));
    assert_eq!(said(&output), "mounted\n");
}

#[test]
fn what_cannot_be_run_has_the_codes_of_shells() {
    each_user(|bed| {
        fs::write(bed.path("h/project/text"), "echo by the shell; exit 3\n").unwrap();
        fs::write(bed.path("h/project/plain"), "").unwrap();
        fs::set_permissions(bed.path("h/project/text"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        for (word, code, text) in [
            ("no-such-command", 127, "no-such-command: command not found"),
            ("./no-such-file", 127, "command not found"),
            ("./plain/x", 127, "command not found"),
            ("./plain", 126, "Permission denied"),
            (".", 126, "Permission denied"),
            ("./text", 3, "by the shell"),
            ("", 125, "no command was given"),
        ] {
            let output = bed.run(Some(&bed.policy("guarded")), &[word.to_owned()]);
            assert_eq!(output.status.code(), Some(code), "{word}: {}", said(&output));
            assert!(said(&output).contains(text), "{word}: {}", said(&output));
        }
    });
}

#[test]
fn variables_are_those_that_are_named() {
    each_user(|bed| {
        let policy = json!({"home": bed.names["H"], "hold": {"env": ["PATH", "G"]}});
        let output = bed.run(Some(&policy), &["env".to_owned()]);
        let text = said(&output);
        let mut names: Vec<_> = text.lines().map(|line| line.split('=').next().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["G", "PATH"]);
    });
}

/// What is open in a folder that is guarded stays open.
#[test]
fn a_folder_inside_a_guard_can_stay_writable() {
    each_user(|bed| {
        let tool = bed.path("h/.tool").display().to_string();
        let policy = json!({"home": bed.names["H"], "places": [tool], "inside": [bed.names["D"]]});
        let output = bed.run(Some(&policy), &sh("echo new > $D/b.lua; echo new > $G"));
        assert!(bed.path("h/.tool/hooks/b.lua").exists(), "{}", said(&output));
        assert_eq!(fs::read_to_string(bed.path("h/.tool/settings.json")).unwrap(), "old\n");
    });
}
