//! What git says of changed files, and the status of hooks: a name that git prints is a name of the answer, an answer that is torn is
//! none; a status is the same when it was written and read again, keeps what others put there, and counts no run twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_command::changes::parse_status;
use snaphook_command::status::{HookKind, RunEnd, Status};

fuzz_target!(|data: &[u8]| {
    let cut = data.windows(6).position(|window| window == b"\n====\n");
    let (output, status) = match cut {
        Some(cut) => (&data[..cut], &data[cut + 6..]),
        None => (data, &b"{}"[..]),
    };
    if let Ok(entries) = parse_status(output) {
        for entry in &entries {
            for name in std::iter::once(&entry.name).chain(&entry.from) {
                assert!(!name.is_empty() && !name.contains(&0), "{name:?}");
                let at = output.windows(name.len()).any(|window| window == name.as_slice());
                assert!(at, "a name that git did not say: {name:?}");
            }
        }
        // One more untracked file behind all others is one more entry.
        let mut more = output.to_vec();
        if !more.is_empty() && more.last() != Some(&0) {
            more.push(0);
        }
        more.extend(b"? zzz\0");
        let more = parse_status(&more).expect("one record more");
        assert_eq!(more.len(), entries.len() + 1);
        assert_eq!(more.last().map(|entry| entry.name.as_slice()), Some(&b"zzz"[..]));
    }
    let Ok(mut status) = Status::parse(status) else { return };
    let again = Status::parse(status.to_json().as_bytes()).expect("what we wrote");
    assert_eq!(again, status);
    let (hooks, runs) = (status.hooks.len(), status.hook("zzz").map_or(0, |hook| hook.run_count));
    let known = status.hooks.contains_key("zzz");
    let end = RunEnd {
        id: "zzz",
        name: "z",
        kind: HookKind::File,
        at: std::time::UNIX_EPOCH,
        exit_code: 1,
        passed: false,
        output: std::path::Path::new("o"),
    };
    status.record(&end);
    status.add_pending(["zzz", "zzz"]);
    assert_eq!(status.hooks.len(), hooks + usize::from(!known));
    assert_eq!(status.hook("zzz").map(|hook| hook.run_count), Some(runs.saturating_add(1)));
    assert!(status.is_pending("zzz"));
    status.remove_pending("zzz");
    assert!(!status.is_pending("zzz"));
});
