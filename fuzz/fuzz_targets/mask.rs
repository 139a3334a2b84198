//! Secrets in the audit: a token between any two texts is masked, and masking a masked text masks nothing more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_audit::mask_text;
use snaphook_fuzz::parts;

const TOKENS: &[&str] = &[
    "ghp_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2",
    "glpat-a1B2c3D4a1B2c3D4a1B2",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-a1B2c3D4a1B2c3D4a1B2",
    "npm_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4a1B2",
];

fuzz_target!(|data: &[u8]| {
    let Some([before, behind]) = parts::<2>(data) else { return };
    let plain = format!("{before}\n{behind}");
    let masked = mask_text(&plain);
    let _ = mask_text(&masked);
    for token in TOKENS {
        let text = format!("{before} {token} {behind}");
        let masked = mask_text(&text);
        assert!(!masked.contains(token) || plain.contains(token), "{masked}");
    }
});
