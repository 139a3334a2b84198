//! The texts that are masked, and those that are not.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn every_pattern_compiles_and_names_its_needles_in_small_letters() {
    for (mask, (pattern, ascii)) in MASKS.iter().zip(PATTERNS.iter().zip(&ASCII)) {
        assert!(pattern.is_some() && ascii.is_some() && mask.with.is_ascii(), "{}", mask.what);
        assert!(mask.with.contains(&format!("[redacted: {}]", mask.what)), "{}", mask.what);
        assert!(mask.needles.iter().all(|needle| needle.to_lowercase() == **needle), "{}", mask.what);
    }
    for (mask, kept) in MASKS.iter().zip(&KEPT) {
        assert_eq!(kept.is_some(), mask.needles == NAMES && mask.with.starts_with("${1}"), "{}", mask.what);
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

/// Every pattern as it is written, one after the other over the whole text.
fn by_the_patterns(text: &str) -> String {
    MASKS.iter().zip(&PATTERNS).fold(text.to_owned(), |text, (mask, pattern)| {
        let pattern = pattern.as_ref().unwrap();
        pattern.replace_all(&text, mask.with).into_owned()
    })
}

/// Returns what secrets are made of, in any order, between anything.
fn parts() -> impl Strategy<Value = String> {
    let telling = [
        "password",
        "passwd",
        "Passphrase",
        "SECRET",
        "token",
        "tokens",
        "API_KEY",
        "api-key",
        "access_key",
        "PrivateKey",
        "auth-key",
        "credential",
        "Credentials",
        "key",
    ];
    prop_oneof![
        4 => prop::sample::select(telling.to_vec()).prop_map(str::to_owned),
        4 => "[\"']?[ \t\x0b\x0c\x1c\n]{0,2}(=|:|:=|=>|--|-|: |= | = )[ \n]{0,2}[\"'`$(]?",
        4 => "[A-Za-z0-9_.~+/=-]{0,24}",
        2 => "(ghp_|github_pat_|glpat-|sk-|sk_live_|xoxb-|AIza|npm_|AKIA|ASIA|eyJ|://|Bearer |basic |-----BEGIN |PRIVATE KEY-----)",
        2 => "[\\x00-\\x7f]{0,4}",
        1 => "[äß日\u{a0}\u{85}]{1,2}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_text_is_masked_as_the_patterns_say(parts in prop::collection::vec(parts(), 1..12)) {
        let text = parts.concat();
        prop_assert_eq!(mask_text(&text), by_the_patterns(&text));
    }

    #[test]
    fn both_searches_for_needles_find_the_same(parts in prop::collection::vec(parts(), 0..12)) {
        let text = parts.concat();
        let finder = FINDER.as_ref().unwrap();
        prop_assert_eq!(needle_by_needle(&text), finder.worth_trying(&text));
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
