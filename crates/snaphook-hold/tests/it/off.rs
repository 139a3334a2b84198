//! Facilities that are switched off: each is a clear denial, or the weaker form that was allowed. Not here: the plan for a machine
//! that is only imagined, which is the same code (`plans`).

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use snaphook_core::Hold;
use snaphook_hold::{
    By, Facility, Landlock, Part, Plan, PlanError, Policy, Strictness, Support, Surroundings, plan,
};

use crate::bed::{Bed, Programs, User, open_folder};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Plans for a machine with this support.
fn planned(
    hold: Value,
    walls: Option<&[PathBuf]>,
    support: &Support,
    strictness: Strictness,
) -> Result<Plan, PlanError> {
    let folder = open_folder();
    let cwd = folder.path().join("p");
    std::fs::create_dir_all(&cwd).unwrap();
    std::fs::write(cwd.join("f"), "").unwrap();
    let hold = if hold.is_null() { Hold::default() } else { Hold::parse(&hold).unwrap() };
    let around = Surroundings { cwd: &cwd, walls, ..Surroundings::default() };
    plan(&Policy::resolve(&hold, &around).unwrap(), support, strictness)
}

#[test]
fn what_is_missing_is_said() {
    let off = |what: &str| Facility::Missing(what.to_owned());
    let full = Support::full;
    let no_mounts =
        Support { mounts: off("no user namespaces"), network: off("no user namespaces"), ..full() };
    let no_network = Support { network: off("no network namespaces"), ..full() };
    let no_landlock = Support { landlock: Landlock::Missing("no Landlock".to_owned()), ..full() };
    let old_landlock = Support { landlock: Landlock::Version(3), ..full() };
    let no_filter = Support { seccomp: off("no filter"), ..full() };
    let write = || json!({"deny_write": ["f"]});
    let read = || json!({"deny_read": ["f"]});
    let walls = || json!({"only_write": ["."]});
    for (hold, support, expected) in [
        (write(), &full(), "DenyWrite Mounts"),
        (write(), &no_mounts, "cannot make"),
        (write(), &no_landlock, "cannot keep the command from other processes: no Landlock"),
        (write(), &old_landlock, "cannot keep the command from sending signals"),
        (write(), &no_filter, "cannot filter system calls: no filter"),
        (read(), &full(), "DenyRead Mounts"),
        (read(), &no_mounts, "cannot hide"),
        (json!({"deny_exec": ["./f"]}), &full(), "DenyExec Mounts"),
        (json!({"deny_exec": ["./f"]}), &no_mounts, "cannot hide"),
        (walls(), &full(), "OnlyWrite Mounts"),
        (walls(), &no_mounts, "without mounts modes, owners"),
        (json!({"net": "none"}), &full(), "Net NetworkNamespace"),
        (json!({"net": "none"}), &no_network, "Net Seccomp"),
        (json!({"net": "loopback"}), &full(), "Net NetworkNamespace"),
        (json!({"net": "loopback"}), &no_network, "cannot restrict the network: no network namespaces"),
        (json!({"net": ["a.org"]}), &full(), "Net Proxy"),
        (json!({"net": ["a.org"]}), &no_network, "cannot restrict the network"),
        (json!({"env": []}), &full(), "Env Withheld"),
        (json!({"env": []}), &full(), "Signals Landlock"),
    ] {
        // This machine's own sockets are not what the case is about, but hiding them needs mounts as well.
        let said = match planned(hold.clone(), None, support, Strictness::AsAsked) {
            Ok(plan) => plan.parts.iter().map(|part| format!("{:?} {:?}, ", part.part, part.by)).collect(),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(expected), "{hold}: {said}");
    }
    let weaker = planned(Value::Null, None, &old_landlock, Strictness::AllowWeaker).unwrap();
    assert_eq!(weaker.by(Part::Signals), Some(By::Nothing));
    assert!(weaker.parts.iter().any(|part| part.weaker.is_some_and(|text| text.contains("signals"))));
}

#[test]
fn without_user_namespaces_it_is_denied_and_walls_are_landlocks() {
    if !User::all().contains(&User::Root) {
        return;
    }
    let bed = Bed::new(User::Nobody);
    let refused = r"
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def ins(code, jt, jf, k): return struct.pack('HBBI', code, jt, jf, k)
calls = [int(n) for n in sys.argv[1].split(',')]
code = ins(0x20, 0, 0, 0)
for n in calls: code += ins(0x15, 0, 1, n) + ins(6, 0, 0, 0x50000 | int(sys.argv[2]))
code += ins(6, 0, 0, 0x7fff0000)
buffer = ctypes.create_string_buffer(code)
class Prog(ctypes.Structure): _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(Prog(len(code) // 8, ctypes.addressof(buffer)))) == 0
os.execvp(sys.argv[3], sys.argv[3:])
";
    let filtered = |calls: &str, error: &str, policy: &Value, script: &str| {
        let held = Programs::get().held().display().to_string();
        let words =
            ["/usr/bin/python3", "-c", refused, calls, error, &held, &policy.to_string(), "sh", "-c", script];
        bed.run(None, &words.map(str::to_owned))
    };
    let unshare = libc_number("unshare");
    // ENOSPC: as `max_user_namespaces = 0`.
    let output = filtered(&unshare, "28", &bed.policy("guarded"), "echo ran");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(125), "{text}");
    assert!(text.contains("max_user_namespaces is 0") && !text.contains("ran\n"), "{text}");
    let output = filtered(&unshare, "1", &bed.policy("guarded"), "echo ran");
    assert!(said(&output).contains("a container, a chroot or a hold"), "{}", said(&output));
    // Walls: only if less is allowed, and then Landlock's.
    let mut walls = bed.policy("walls");
    let output = filtered(&unshare, "1", &walls, "echo ran");
    assert!(said(&output).contains("without mounts modes, owners"), "{}", said(&output));
    walls["weaker"] = json!(true);
    let output = filtered(&unshare, "1", &walls, "echo new > $W; echo new > x && cat x");
    assert!(
        said(&output).contains("Permission denied") && said(&output).contains("new\n"),
        "{}",
        said(&output)
    );
    assert_eq!(std::fs::read_to_string(bed.path("h/outside/wall")).unwrap(), "old\n");
    // No network: the filter refuses its sockets.
    let output = filtered(
        &unshare,
        "1",
        &json!({"weaker": true, "hold": {"net": "none"}}),
        "bash -c \"exec 3<>/dev/udp/127.0.0.1/9\"; echo $?",
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n", "{}", said(&output));
    let output = filtered(&unshare, "1", &json!({"hold": {"net": "loopback"}}), "echo ran");
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    // No Landlock, and none of its rules.
    let output = filtered(&libc_number("landlock_create_ruleset"), "38", &bed.policy("guarded"), "echo ran");
    assert!(output.status.code() == Some(125) && said(&output).contains("no Landlock"), "{}", said(&output));
    // No mounts, although there is a namespace, as under AppArmor's rule.
    let output = filtered(&libc_number("open_tree"), "13", &bed.policy("guarded"), "echo ran");
    assert!(
        output.status.code() == Some(125) && said(&output).contains("failed to bind"),
        "{}",
        said(&output)
    );
}

/// The number of a call on this machine, for a filter.
fn libc_number(name: &str) -> String {
    let numbers = if cfg!(target_arch = "x86_64") { [272, 444, 428] } else { [97, 444, 428] };
    let names = ["unshare", "landlock_create_ruleset", "open_tree"];
    numbers[names.iter().position(|known| *known == name).unwrap()].to_string()
}

#[test]
fn in_a_chroot_it_is_denied() {
    if !User::all().contains(&User::Root) {
        return;
    }
    for user in User::all() {
        let bed = Bed::new(user);
        // The same files below another root, which is no mount.
        let prepare = "mkdir -p $R/c/d; mount --rbind / $R/c/d; exec 3</dev/null";
        let held = Programs::get().held().display().to_string();
        let person =
            if user == User::Nobody { "setpriv --reuid 65534 --regid 65534 --clear-groups" } else { "" };
        let script = format!(
            "{prepare}; mkdir $R/c/tmp $R/c/usr $R/c/proc; for d in tmp usr proc; do mount --rbind /$d $R/c/$d; done; \
             for l in bin lib lib64 sbin; do ln -s usr/$l $R/c/$l; done; \
             exec chroot $R/c {person} {held} '{}' true",
            json!({"cwd": "/tmp", "hold": {"deny_write": [bed.names["G"]]}})
        );
        let mut command = std::process::Command::new("unshare");
        command
            .args(["-m", "bash", "-c", &script])
            .env_clear()
            .env("PATH", crate::bed::PATH)
            .envs(&bed.names);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}", said(&output));
        assert!(said(&output).contains("chroot"), "{}", said(&output));
    }
}

#[test]
fn without_network_namespaces_only_none_is_held() {
    for user in User::all() {
        let bed = Bed::new(user);
        // In a namespace below, so that the rest of this machine keeps them.
        let off = |net: &str, script: &str| {
            let held = Programs::get().held().display().to_string();
            let policy = json!({"home": bed.names["H"], "hold": {"net": net}});
            let text = format!("echo 0 > /proc/sys/user/max_net_namespaces; exec {held} '{policy}' {script}");
            bed.run(None, &["unshare", "-Ur", "bash", "-c", &text].map(str::to_owned))
        };
        let output = off("none", "bash -c 'exec 3<>/dev/udp/127.0.0.1/9; echo $?'");
        assert!(
            said(&output).contains("not permitted") && said(&output).starts_with("1\n"),
            "{}",
            said(&output)
        );
        let output = off("loopback", "true");
        assert!(
            output.status.code() == Some(125) && said(&output).contains("network namespace"),
            "{}",
            said(&output)
        );
    }
}

/// What this machine can hold, tried for real.
#[test]
fn this_machine_can_hold_everything() {
    let words = ["true".to_owned()];
    for user in User::all() {
        let bed = Bed::new(user);
        for policy in ["guarded", "hidden", "offline", "walls"] {
            if policy == "offline" {
                std::fs::write(bed.path("run/socket"), "").unwrap();
            }
            let output = bed.run(Some(&bed.policy(policy)), &words);
            assert_eq!(output.status.code(), Some(0), "{policy}: {}", said(&output));
        }
    }
}
