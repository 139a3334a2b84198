//! Texts that may name a file as an address (`file:///a%2Eb`): each path that some reader takes one for. Not here: where a path
//! leads (`paths`).

/// The number of schemes that are looked behind, as in `jar:file:…`.
const MAX_SCHEMES: usize = 3;

/// Addresses that no reader takes for a file's.
const WEB: &[&str] = &["http", "https"];

/// The paths that a text may stand for: itself, and what it is as an address. Readers of these differ. Some take the scheme off and
/// leave the rest; some drop the host, too, cut at `?` and `#`, or decode what is left; those that follow the standard for addresses
/// (<https://url.spec.whatwg.org>) ignore tabs and line breaks, and take `\` for `/`.
pub(crate) fn readings(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    if !text.contains([':', '%', '?', '#']) {
        return all;
    }
    let plain: String = text.chars().filter(|c| !is_ignored(*c)).collect();
    let mut rest = plain.trim_matches(|c: char| c <= ' ');
    read(rest, &mut all);
    for _ in 0..MAX_SCHEMES {
        let Some(behind) = behind_scheme(rest) else { break };
        rest = behind;
        read(rest, &mut all);
        let slashes = rest.replace('\\', "/");
        if let Some(host) = slashes.strip_prefix("//") {
            read(host, &mut all);
            read(host.find('/').and_then(|at| host.get(at..)).unwrap_or_default(), &mut all);
        }
        read(&slashes, &mut all);
        // `file:///C:/a`, and who takes off one slash too many.
        read(slashes.trim_start_matches('/'), &mut all);
    }
    all
}

/// Returns whether a text begins as an address: then line breaks in it say nothing.
pub(crate) fn is_one(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !is_ignored(*c)).take(100).collect();
    behind_scheme(plain.trim_start_matches(|c: char| c <= ' ')).is_some()
}

fn is_ignored(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r')
}

/// Returns what stands behind `scheme:`. A single letter is a drive's.
fn behind_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_web = WEB.iter().any(|web| scheme.eq_ignore_ascii_case(web));
    (is_scheme && !is_web).then_some(rest)
}

/// A path as it is, without what an address has behind it, and each decoded.
fn read(path: &str, all: &mut Vec<String>) {
    let cut = path.find(['?', '#']).and_then(|at| path.get(..at)).unwrap_or(path);
    for written in [path, cut] {
        for reading in [written.to_owned(), decoded(written)] {
            if !reading.is_empty() && !all.contains(&reading) {
                all.push(reading);
            }
        }
    }
}

/// With `%2E` as what it stands for. For many a path ends at a zero.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((&byte, tail)) = left.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                left = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                left = tail;
            }
        }
    }
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_each_reader_would() {
        for (text, path) in [
            ("/a/b", "/a/b"),
            ("file:///a/b", "/a/b"),
            ("FILE:///a/b", "/a/b"),
            ("file:/a/b", "/a/b"),
            ("file:a/b", "a/b"),
            ("file://a/b", "a/b"),
            ("file://a/b", "/b"),
            ("file://LOCALHOST/a/b", "/a/b"),
            ("file://me@host:80/a/b", "/a/b"),
            ("file:///a/b?c#d", "/a/b"),
            ("file:///a/b#c", "/a/b"),
            ("file:///a/b#c", "/a/b#c"),
            ("/a/b?c", "/a/b"),
            ("file:///a/%62", "/a/b"),
            ("file:///a/%62?c", "/a/b"),
            ("file:///a/%62?c", "/a/%62"),
            ("file:///a/b%3Fc", "/a/b?c"),
            ("file:///a/b%00.txt", "/a/b"),
            ("file:%2Fa%2Fb", "/a/b"),
            (" \u{1}file:///a/b\u{1f} ", "/a/b"),
            ("fi\tle:///a\n/b", "/a/b"),
            ("file:\\a\\b", "/a/b"),
            ("file:\\\\\\a\\b", "/a/b"),
            ("file://\\a\\b", "/a/b"),
            ("file:///C:/a", "C:/a"),
            ("vscode://file/a/b", "/a/b"),
            ("jar:file:///a/b", "/a/b"),
        ] {
            let readings = readings(text);
            assert!(readings.iter().any(|reading| reading == path), "{text}: {readings:?}");
        }
        for text in ["", "a/b", "C:\\a", "a.b~c", "https://host/a/b", "HTTP://host/a"] {
            assert_eq!(readings(text), [text]);
        }
        let many = "ab:".repeat(1000) + "/a?b%20c";
        assert!(readings(&many).len() < 50);
    }

    #[test]
    fn what_begins_with_a_scheme_is_an_address() {
        for (text, is_address) in [
            ("file:///a", true),
            (" f\nile:a", true),
            ("/a:b", false),
            ("c:\\a", false),
            ("https://a", false),
            ("", false),
        ] {
            assert_eq!(is_one(text), is_address, "{text}");
        }
    }
}
