//! What an outsider got past a hold, each by its class. Not here: the battery of attempts, and the traps of the prototype.

use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Output;

use serde_json::{Value, json};

use crate::bed::{Bed, Programs, User};
use crate::servers::Servers;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn run(bed: &Bed, policy: &Value, script: &str) -> Output {
    bed.run(Some(policy), &["sh", "-c", script].map(str::to_owned))
}

fn each_user(test: impl Fn(&Bed)) {
    for user in User::all() {
        test(&Bed::new(user));
    }
}

/// A mount over `/` covers nothing, and it swallowed the other guards.
#[test]
fn everything_read_only_is_everything() {
    each_user(|bed| {
        let mut policy = bed.policy("guarded");
        policy["hold"] = json!({"deny_write": ["/"]});
        let script =
            "echo new > $G; echo new > $P/x; echo new > /dev/shm/$M; cat /dev/shm/$M; cat $G; : > /dev/null";
        let output = run(bed, &policy, script);
        assert_eq!(said(&output).matches("Read-only").count(), 2, "{}", said(&output));
        assert!(said(&output).contains("new\nold\n"), "{}", said(&output));
        assert!(!bed.path("h/project/x").exists());
        assert!(!std::path::Path::new("/dev/shm").join(&bed.names["M"]).exists(), "memory is its own");
        // And walls around everything are none.
        let output = run(bed, &json!({"hold": {"only_write": ["/"]}}), "echo new > $P/x && cat $P/x");
        assert_eq!(said(&output), "new\n");
    });
}

/// What is hidden is found by its path; a later call looks there again.
#[test]
fn a_folder_above_what_is_hidden_cannot_be_renamed() {
    each_user(|bed| {
        fs::create_dir_all(bed.path("h/a/b")).unwrap();
        fs::write(bed.path("h/a/b/file"), "SECRET-MARK\n").unwrap();
        bed.user.owns(bed.root());
        let policy = json!({"home": bed.names["H"], "hold": {"deny_read": ["~/a/b"]}});
        let output = run(bed, &policy, "mv $H/a $H/c; cat $H/c/b/file");
        assert!(said(&output).contains("busy"), "{}", said(&output));
        let output = run(bed, &policy, "cat $H/c/b/file $H/a/b/file");
        assert!(!said(&output).contains("SECRET-MARK"), "{}", said(&output));
    });
}

/// Sockets of services stand where their variables say.
#[test]
fn sockets_that_variables_name_are_hidden() {
    each_user(|bed| {
        let path = bed.path("h/outside/socket");
        let _listener = UnixListener::bind(&path).unwrap();
        bed.user.owns(bed.root());
        let connect = "import os, socket; s = socket.socket(socket.AF_UNIX); s.connect(os.environ['O'] + '/socket'); print('REACHED')";
        let words = ["/usr/bin/python3", "-c", connect].map(str::to_owned);
        let policy = json!({"home": bed.names["H"]});
        let reached = |variable: Option<&str>| {
            let mut command = bed.command(Some(&policy), &words);
            if let Some(name) = variable {
                command.env(name, format!("unix:path={}", path.display()));
            }
            said(&command.output().unwrap()).contains("REACHED")
        };
        assert!(reached(None) && reached(Some("SSH_AUTH_SOCK")));
        assert!(!reached(Some("SOME_ADDRESS")));
    });
}

/// Memory and queues of System V have numbers and no paths.
#[test]
fn shared_memory_is_its_own() {
    let make = "import ctypes, os; c = ctypes.CDLL(None, use_errno=True)\n\
        i = c.shmget(int(os.environ['V']) + 0x51000000, 4096, 0o1600); print('made' if i >= 0 else os.strerror(ctypes.get_errno()))";
    let find = "import ctypes, os; c = ctypes.CDLL(None)\n\
        print('FOUND' if c.shmget(int(os.environ['V']) + 0x51000000, 4096, 0o600) >= 0 else 'none')";
    let remove = "import ctypes, os; c = ctypes.CDLL(None)\n\
        c.shmctl(c.shmget(int(os.environ['V']) + 0x51000000, 4096, 0o600), 0, None)";
    each_user(|bed| {
        let python = |policy: Option<&Value>, code: &str| {
            said(&bed.run(policy, &["/usr/bin/python3", "-c", code].map(str::to_owned)))
        };
        assert_eq!(python(None, make), "made\n");
        assert_eq!(python(None, find), "FOUND\n", "the control");
        assert_eq!(python(Some(&bed.policy("guarded")), find), "none\n");
        python(None, remove);
    });
}

/// A connection that is open is not taken back by a network namespace.
#[test]
fn no_stream_is_a_socket_of_the_network() {
    each_user(|bed| {
        let servers = Servers::start(&bed.path("run/socket"), &bed.path("h/.tool/settings.json"));
        let stream = std::net::TcpStream::connect(("127.0.0.1", servers.port)).unwrap();
        let (local, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        let words = ["sh", "-c", "true"].map(str::to_owned);
        let code = |policy: &str, stdin: std::os::fd::OwnedFd| {
            let mut command = bed.command(Some(&bed.policy(policy)), &words);
            command.stdin(stdin).output().unwrap().status.code()
        };
        assert_eq!(code("guarded", stream.try_clone().unwrap().into()), Some(0));
        assert_eq!(code("offline", stream.into()), Some(125));
        assert_eq!(code("offline", local.into()), Some(0));
    });
}

/// In a user namespace root's files belong to nobody, and ssh takes no settings of others.
#[test]
fn settings_of_ssh_belong_to_who_runs_it() {
    if !User::all().contains(&User::Root) || !std::path::Path::new("/etc/ssh/ssh_config.d").is_dir() {
        return;
    }
    let bed = Bed::new(User::Root);
    let held = Programs::get().held().display().to_string();
    let script = format!(
        "mount -t tmpfs t /etc/ssh/ssh_config.d; chmod 755 /etc/ssh/ssh_config.d; echo 'Host x' > /etc/ssh/ssh_config.d/a.conf; cd /; \
         exec setpriv --reuid 12345 --regid 12345 --clear-groups {held} '{{}}' sh -c \
         'stat -c %u /etc/ssh/ssh_config.d/a.conf; cat /etc/ssh/ssh_config.d/a.conf; echo > /etc/ssh/ssh_config.d/a.conf'"
    );
    let output = bed.run(None, &["unshare", "-m", "sh", "-c", &script].map(str::to_owned));
    assert!(said(&output).starts_with("12345\nHost x\n"), "{}", said(&output));
    assert!(said(&output).contains("Read-only"), "{}", said(&output));
}

/// The machine's own servers, where the policy names them: not those of the command's loopback.
#[test]
fn a_host_that_is_this_machine_is_reached_through_the_proxy() {
    each_user(|bed| {
        let without = |host: &str| {
            let policy = json!({"hold": {"net": [host]}});
            said(&run(bed, &policy, "echo $no_proxy"))
        };
        assert_eq!(without("a.org"), "localhost,127.0.0.1,::1\n");
        assert_eq!(without("localhost:8080"), "127.0.0.1,::1\n");
    });
}
