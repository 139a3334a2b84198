//! Entries of `exec` and `net` in front matter. A grant that was read says of itself what it grants: printed and read again it is
//! the same one, and it is never a pattern.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_core::{ExecGrant, NetGrant};

fuzz_target!(|text: &str| {
    if let Ok(grant) = ExecGrant::parse(text) {
        let printed = grant.to_string();
        assert_eq!(ExecGrant::parse(&printed).as_ref(), Ok(&grant), "{printed:?}");
        assert!(!grant.program.is_empty() && !grant.program.contains(['*', '?', '[']), "{grant:?}");
        assert!(grant.first.iter().all(|word| !word.trim().is_empty()), "{grant:?}");
    }
    if let Ok(grant) = NetGrant::parse(text) {
        let printed = grant.to_string();
        assert_eq!(NetGrant::parse(&printed).as_ref(), Ok(&grant), "{printed:?}");
        assert!(!grant.host.is_empty() && grant.host == grant.host.to_ascii_lowercase(), "{grant:?}");
        assert!(grant.port != Some(0) && !grant.host.contains(['*', '/', '@', '%', '[', ' ']), "{grant:?}");
        let v6 = grant.host.contains(':');
        assert!(!v6 || grant.host.parse::<std::net::Ipv6Addr>().is_ok(), "{grant:?} is no address");
    }
});
