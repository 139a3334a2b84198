//! Addresses under grants: as a table, and the targets of redirects.

use std::net::IpAddr;

use super::Reach;

fn reach(granted: &str) -> Reach {
    let list: Vec<_> = granted.split_whitespace().map(str::to_owned).collect();
    Reach::new(&list)
}

fn show(read: Result<url::Url, snaphook_core::ServiceError>) -> String {
    match read {
        Ok(url) => url.into(),
        Err(error) => format!("! {error}"),
    }
}

#[test]
fn addresses_are_what_the_grants_name() {
    let needs = |entry: &str| format!("is not granted; the hook's front matter needs `net: [{entry}]`");
    let cases: &[(&str, &str, &str)] = &[
        // The host alone: 80 and 443, and nothing below it, above it or beside it.
        ("example.org", "https://example.org", "https://example.org/"),
        ("example.org", "http://example.org/a?b#c", "http://example.org/a?b"),
        ("example.org", "https://example.org:80/", "https://example.org:80/"),
        ("example.org", "HTTPS://EXAMPLE.org./x", "https://example.org/x"),
        ("EXAMPLE.org.", "https://example.org/", "https://example.org/"),
        ("example.org", "https://example.org:8443/", &needs("\"example.org:8443\"")),
        ("example.org:8443", "https://example.org:8443/", "https://example.org:8443/"),
        ("example.org:8443", "https://example.org/", &needs("example.org")),
        ("example.org", "https://a.example.org/", &needs("a.example.org")),
        ("a.example.org", "https://example.org/", &needs("example.org")),
        ("example.org", "https://example.org.evil.test/", &needs("example.org.evil.test")),
        ("example.org", "https://evilexample.org/", &needs("evilexample.org")),
        ("", "https://example.org/secret?token=1", "! https://example.org/secret is not granted"),
        // What is no host grants nothing.
        ("*", "https://example.org/", &needs("example.org")),
        ("*.example.org", "https://a.example.org/", &needs("a.example.org")),
        ("example.org/x", "https://example.org/x", &needs("example.org")),
        ("0x7f.1 2130706433 127.1 0177.0.0.1", "http://127.0.0.1/", &needs("\"127.0.0.1\"")),
        // Names in front of the host.
        ("good.test", "http://good.test@evil.test/", "before the host is not taken"),
        ("good.test evil.test", "http://good.test@evil.test/", "before the host is not taken"),
        ("good.test evil.test", "http://good.test:x@evil.test/", "before the host is not taken"),
        ("good.test evil.test", "http://:x@evil.test/", "before the host is not taken"),
        ("good.test", "http://good.test%40evil.test/", "is no address"),
        ("good.test", "http://good.test#@evil.test/", "http://good.test/"),
        ("good.test", "http://evil.test#@good.test/", &needs("evil.test")),
        ("good.test", "http://evil.test?@good.test/", &needs("evil.test")),
        ("good.test", "http://evil.test/@good.test/", &needs("evil.test")),
        ("good.test", "http://evil.test;good.test/", &needs("\"evil.test;good.test\"")),
        ("good.test", "http://good.test&evil.test/", &needs("\"good.test&evil.test\"")),
        // What parsers read in ways of their own.
        ("good.test", "http://evil.test\\@good.test/", "has a '\\\\' in it"),
        ("good.test", "http://good.test\\@evil.test/", "has a '\\\\' in it"),
        ("good.test", "http:\\\\good.test/", "has a '\\\\' in it"),
        ("good.test", " http://good.test/", "has a ' ' in it"),
        ("good.test", "http://good.test/\r\nx: y", "has a '\\r' in it"),
        ("good.test", "http://go\tod.test/", "has a '\\t' in it"),
        ("good.test", "http://good.test/\0", "has a '\\0' in it"),
        ("good.test", "http://good.test/\u{2028}", "in it"),
        ("good.test", "http:good.test/", "http://good.test/"),
        ("good.test", "http:///good.test/", "http://good.test/"),
        ("good.test", "//good.test/", "is no address"),
        ("good.test", "good.test", "is no address"),
        ("good.test", "", "is no address"),
        ("good.test", "http://", "is no address"),
        ("good.test", "http://:80/", "is no address"),
        ("good.test", "http://./", "has no host"),
        // Ports.
        ("good.test", "http://good.test:0/", "there is no port 0"),
        ("good.test", "http://good.test:/", "http://good.test/"),
        ("good.test", "http://good.test:65536/", "is no address"),
        ("good.test", "http://good.test:080/", "http://good.test/"),
        ("good.test", "http://good.test:-1/", "is no address"),
        // Schemes.
        ("good.test", "file:///etc/passwd", "only https and http"),
        ("good.test", "file://good.test/etc/passwd", "only https and http"),
        ("good.test", "ftp://good.test/", "only https and http"),
        ("good.test", "ws://good.test/", "only https and http"),
        ("good.test", "gopher://good.test:80/", "only https and http"),
        ("good.test", "data:text/plain,good.test", "only https and http"),
        ("good.test", "javascript:alert(1)", "only https and http"),
        ("good.test", "view-source:http://good.test/", "only https and http"),
        // Numbers in every notation.
        ("localhost", "http://127.0.0.1/", &needs("\"127.0.0.1\"")),
        ("localhost", "http://[::1]/", &needs("\"::1\"")),
        ("127.0.0.1", "http://localhost/", &needs("localhost")),
        ("localhost", "http://localhost./", "http://localhost/"),
        ("localhost", "http://LOCALHOST:8080/", &needs("\"localhost:8080\"")),
        ("localhost", "http://a.localhost/", &needs("a.localhost")),
        ("localhost:8080", "http://localhost:8080/", "http://localhost:8080/"),
        ("good.test", "http://2130706433/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://0x7f.1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://0177.0.0.1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://127.1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://127.0.0.1./", &needs("\"127.0.0.1\"")),
        ("good.test", "http://0/", &needs("\"0.0.0.0\"")),
        ("good.test", "http://0x7f.0.0.0x1:8080/", &needs("\"127.0.0.1:8080\"")),
        ("good.test", "http://127。0。0。1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://①②⑦.0.0.1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://%31%32%37.0.0.1/", &needs("\"127.0.0.1\"")),
        ("good.test", "http://127.0.0.256/", "is no address"),
        ("good.test", "http://1.2.3.4.5/", "is no address"),
        ("good.test", "http://0xfffffffff/", "is no address"),
        ("127.0.0.1", "http://0x7f.1/", "http://127.0.0.1/"),
        ("10.0.0.5:8080", "http://10.0.0.5:8080/", "http://10.0.0.5:8080/"),
        ("10.0.0.5:8080", "http://10.0.0.6:8080/", &needs("\"10.0.0.6:8080\"")),
        // IPv6, and IPv4 in it.
        ("::1", "http://[::1]/", "http://[::1]/"),
        ("[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/", "http://[::1]:8080/"),
        ("0:0:0:0:0:0:0:1", "http://[::1]/", "http://[::1]/"),
        ("127.0.0.1 ::1", "http://[::ffff:127.0.0.1]/", &needs("\"::ffff:127.0.0.1\"")),
        ("127.0.0.1 ::1", "http://[::ffff:7f00:1]:9/", &needs("\"[::ffff:7f00:1]:9\"")),
        ("fe80::1", "http://[fe80::1%25eth0]/", "is no address"),
        ("fe80::1", "http://[fe80::1%eth0]/", "is no address"),
        ("::1", "http://[::1/", "is no address"),
        ("::1", "http://::1/", "is no address"),
        // Letters that look like others.
        ("example.org", "https://ex\u{430}mple.org/", &needs("xn--exmple-4nf.org")),
        ("xn--exmple-4nf.org", "https://ex\u{430}mple.org/", "https://xn--exmple-4nf.org/"),
        ("example.org", "https://ｅｘａｍｐｌｅ．ｏｒｇ/", "https://example.org/"),
        ("example.org", "https://ex\u{ad}ample.org/", "https://example.org/"),
        ("example.org", "https://example.org\u{2044}.evil.test/", ""),
        ("example.org", "https://example.org\u{ff0f}.evil.test/", "is no address"),
        ("example.org", "https://xn--a.evil.test/", ""),
    ];
    for (granted, address, expected) in cases {
        let came = show(reach(granted).address(address));
        let fits = if expected.starts_with("http") {
            came == *expected
        } else {
            came.starts_with("! ") && came.contains(expected)
        };
        assert!(fits, "{granted:?} {address:?}: {came}");
    }
}

#[test]
fn redirects_lead_to_what_is_granted_and_never_out_of_https() {
    let reach = reach("good.test other.test:8080 localhost:9");
    for (from, to, expected) in [
        ("https://good.test/a/b", "c", "https://good.test/a/c"),
        ("https://good.test/a/b", "/c?d#e", "https://good.test/c?d"),
        ("https://good.test/", "//good.test/x", "https://good.test/x"),
        ("http://good.test/", "https://good.test/", "https://good.test/"),
        ("http://good.test/", "http://other.test:8080/", "http://other.test:8080/"),
        ("https://good.test/", "http://good.test/", "! https does not lead on to http (good.test)"),
        ("https://good.test/", "//evil.test/x", "! https://evil.test/x is not granted"),
        ("https://good.test/", "http:x", "! https does not lead on to http"),
        ("http://good.test/", "http://other.test/", "! http://other.test/ is not granted"),
        ("http://good.test/", "http://localhost/", "! http://localhost/ is not granted"),
        ("http://good.test/", "http://127.0.0.1:9/", "! http://127.0.0.1:9/ is not granted"),
        (
            "http://good.test/",
            "http://169.254.169.254/latest",
            "! http://169.254.169.254/latest is not granted",
        ),
        ("http://good.test/", "file:///etc/passwd", "! file:///etc/passwd is refused"),
        ("http://good.test/", "http://good.test@evil.test/", "before the host is not taken"),
        ("http://good.test/", "\\\\evil.test/", "has a '\\\\' in it"),
        ("http://good.test/", "http://good.test:0/", "no port 0"),
        ("http://good.test/", "", "http://good.test/"),
    ] {
        let from = url::Url::parse(from).unwrap();
        let came = show(reach.redirected(&from, to));
        let fits = if expected.starts_with("http") { came == expected } else { came.contains(expected) };
        assert!(fits, "{from} to {to:?}: {came}");
    }
}

#[test]
fn a_name_leads_to_public_numbers_or_to_granted_ones() {
    for (granted, address, number, fine) in [
        ("a.test", "http://a.test/", "1.1.1.1", true),
        ("a.test", "http://a.test/", "2606:4700::1111", true),
        ("a.test", "http://a.test/", "127.0.0.1", false),
        ("a.test", "http://a.test/", "::1", false),
        ("a.test", "http://a.test/", "10.1.2.3", false),
        ("a.test", "http://a.test/", "169.254.169.254", false),
        ("a.test", "http://a.test/", "::ffff:127.0.0.1", false),
        ("a.test", "http://a.test/", "64:ff9b::a00:1", false),
        ("a.test localhost", "http://a.test/", "127.0.0.1", false),
        ("a.test 127.0.0.1", "http://a.test/", "127.0.0.1", true),
        ("a.test 127.0.0.1:8080", "http://a.test/", "127.0.0.1", false),
        ("a.test:8080 127.0.0.1", "http://a.test:8080/", "127.0.0.1", false),
        ("a.test:8080 127.0.0.1:8080", "http://a.test:8080/", "127.0.0.1", true),
        ("a.test 127.0.0.1", "http://a.test/", "::ffff:127.0.0.1", false),
        ("localhost", "http://localhost/", "127.0.0.1", true),
        ("localhost", "http://localhost/", "::1", true),
        ("localhost", "http://localhost/", "10.0.0.1", false),
    ] {
        let reach = reach(granted);
        let url = reach.address(address).unwrap();
        let number: IpAddr = number.parse().unwrap();
        let came = reach.allows(&url, number);
        assert_eq!(came.is_ok(), fine, "{granted}: {address} at {number}: {came:?}");
    }
    let reach = reach("a.test:8080");
    let refused = reach.allows(&reach.address("http://a.test:8080/x").unwrap(), "10.0.0.7".parse().unwrap());
    assert_eq!(
        refused.unwrap_err().0,
        "a.test:8080 leads to 10.0.0.7, a private address, which is not granted; the hook's front matter needs `net: [\"10.0.0.7:8080\"]` under `grants`"
    );
}
