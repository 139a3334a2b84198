//! What is masked and what is not.

use serde_json::json;

use super::*;

#[test]
fn every_pattern_compiles_and_names_its_needles_in_small_letters() {
    for (mask, pattern) in MASKS.iter().zip(&PATTERNS) {
        assert!(pattern.is_some(), "{}", mask.what);
        assert!(mask.with.contains(&format!("[redacted: {}]", mask.what)), "{}", mask.what);
        assert!(mask.needles.iter().all(|needle| needle.to_lowercase() == **needle), "{}", mask.what);
    }
    assert!(FIELD.is_some() && FINDER.is_some());
}

#[test]
fn secrets_are_masked_and_the_rest_stays() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for (text, masked) in [
        (format!("git push https://x:{token}@github.com/a"), "[redacted: "),
        (format!("echo {token}"), "echo [redacted: GitHub token]"),
        ("export API_TOKEN=abc123def456".into(), "export API_TOKEN=[redacted: value]"),
        ("login --password hunter2hunter2 -v".into(), "login --password [redacted: value] -v"),
        (
            "curl -H 'Authorization: Bearer abcdefghij0123456789'".into(),
            "curl -H 'Authorization: Bearer [redacted: credential]'",
        ),
        ("x AKIAIOSFODNN7EXAMPLE y".into(), "x [redacted: AWS key id] y"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest".into(),
            "[redacted: private key]\nrest",
        ),
        (
            "naïve ünïcode password=\"härter als ström\" ende".into(),
            "naïve ünïcode password=\"[redacted: value]\" ende",
        ),
    ] {
        let clean = mask_text(&text);
        assert!(clean.contains(masked), "{text} became {clean}");
        assert!(!clean.contains(&token), "{clean}");
        // What is masked stays as it is.
        assert_eq!(mask_text(&clean), clean);
    }
    for plain in [
        "ls -la",
        "cargo test --token-count 5",
        "grep -n token src/lexer.rs",
        "the key is under the mat",
        "password: $PASSWORD",
        "git log --oneline",
        "https://example.org/a?b=c",
        "",
    ] {
        assert!(matches!(mask_text(plain), Cow::Borrowed(_)), "{plain} became {}", mask_text(plain));
    }
}

#[test]
fn fields_with_a_telling_name_are_masked_whole() {
    let value = Arc::new(json!({
        "password": "x", "nested": [{"api_key": {"id": 1}}], "max_tokens": 5, "token": "", "access_token": 7,
        "Authorization": "anything", "key": "F5", "secret": null, "tokens": ["a"], "command": "ls",
    }));
    let mut masked = 0;
    let clean = shared(&value, &mut masked);
    let mark = "[redacted: value]";
    assert_eq!(
        *clean,
        json!({
            "password": mark, "nested": [{"api_key": mark}], "max_tokens": 5, "token": "", "access_token": mark,
            "Authorization": mark, "key": "F5", "secret": null, "tokens": ["a"], "command": "ls",
        })
    );
    assert_eq!(masked, 4);
    let plain = Arc::new(json!({"command": "ls", "path": "a/b"}));
    assert!(Arc::ptr_eq(&plain, &shared(&plain, &mut masked)));
}
