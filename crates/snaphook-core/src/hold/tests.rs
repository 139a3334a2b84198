//! Tests of directives: what is read, what is printed, and the laws of their combination.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[test]
fn directives_are_read_or_say_what_is_wrong() {
    for (value, expected) in [
        (json!({"deny_write": ["~/.ssh", "b", "b"]}), r#"{"deny_write":["~/.ssh","b"]}"#),
        (json!({"deny_write": []}), r#"{"deny_write":[]}"#),
        (json!({"only_write": []}), r#"{"only_write":[]}"#),
        (json!({"only_write": ["."]}), r#"{"only_write":["."]}"#),
        (json!({"only_write": [["a"], ["/b"], ["a"]]}), r#"{"only_write":[["/b"],["a"]]}"#),
        (json!({"only_write": [[]]}), r#"{"only_write":[]}"#),
        (json!({"net": "none"}), r#"{"net":"none"}"#),
        (json!({"net": []}), r#"{"net":"loopback"}"#),
        (json!({"net": ["b.org:8443", "a.org"]}), r#"{"net":["a.org","b.org:8443"]}"#),
        (json!({"net": ["a.org:443", "a.org:80"]}), r#"{"net":["a.org"]}"#),
        (json!({"net": ["a.org:443"]}), r#"{"net":["a.org:443"]}"#),
        (json!({"deny_exec": ["curl", "./x", "/bin/sh"]}), r#"{"deny_exec":["curl","/bin/sh","./x"]}"#),
        (json!({"env": ["PATH", "HOME"]}), r#"{"env":["HOME","PATH"]}"#),
        (json!({"profile": "guarded", "net": "none"}), r#"{"profile":"guarded","net":"none"}"#),
        (json!({"profile": ["offline", "project", "offline"]}), r#"{"profile":["project","offline"]}"#),
        (json!({"deny_write": {}}), r#"{"deny_write":[]}"#),
        (json!([1]), "`hold` is a list: expected an object"),
        (json!([]), "`hold` is empty: expected at least one of profile, deny_write, deny_read"),
        (json!({}), "`hold` is empty: expected at least one of profile, deny_write, deny_read"),
        (json!({"profile": "gaurded"}), "expected guarded, project, offline; did you mean `guarded`?"),
        (json!({"profile": []}), "`hold.profile` is a list: expected the name of a profile"),
        (json!({"profile": 1}), "`hold.profile` is a number"),
        (json!({"deny_writes": []}), "unknown key `deny_writes`; did you mean `deny_write`?"),
        (json!({"zzz": []}), "`hold` has an unknown key `zzz`"),
        (json!({"deny_write": "a"}), "`hold.deny_write` is a string: expected a list of strings"),
        (json!({"deny_write": [1]}), "`hold.deny_write` has an entry that is a number: expected a string"),
        (json!({"only_write": [["a"], "b"]}), "has an entry that is a list"),
        (json!({"deny_read": [""]}), "`hold.deny_read`: `` is not a path"),
        (json!({"deny_read": ["*.md"]}), "`*.md` is a pattern; the kernel holds paths"),
        (
            json!({"net": "lopback"}),
            "expected `none`, `loopback` or a list of hosts; did you mean `loopback`?",
        ),
        (json!({"net": 1}), "`hold.net` is a number"),
        (json!({"net": ["https://a.org"]}), "`hold.net`: `https://a.org` is no host"),
        (json!({"env": ["A*"]}), "`hold.env`: `A*` is no name"),
        (json!({"env": null}), "`hold.env` is null: expected a list of strings"),
        (json!({"deny_exec": [""]}), "`hold.deny_exec`: `` is not a path"),
    ] {
        match Hold::parse(&value) {
            Ok(hold) => assert_eq!(hold.to_json().to_string(), expected, "{value}"),
            Err(error) => assert!(error.to_string().contains(expected), "{value}: {error}"),
        }
    }
}

#[test]
fn paths_are_printed_as_they_are_read() {
    for (text, expected) in [
        ("/", "Root "),
        ("/etc/hosts", "Root etc/hosts"),
        ("//etc///hosts/", "Root etc/hosts"),
        ("~", "Home "),
        ("~/", "Home "),
        ("~/.ssh", "Home .ssh"),
        (".", "Cwd "),
        ("a/./b/", "Cwd a/b"),
        ("./~x", "Cwd ~x"),
        ("./c:", "Cwd c:"),
        ("c:x", "Cwd c:x"),
        ("pages/\\[id].tsx", "Cwd pages/[id].tsx"),
        ("a\\\\b", "Cwd a\\b"),
        ("a b", "Cwd a b"),
        ("...", "Cwd ..."),
        ("", "is not a path"),
        ("..", "climbs"),
        ("a/../b", "climbs"),
        ("\\.\\.", "climbs"),
        ("~root", "another person's"),
        ("$HOME/x", "variable, which is not looked up"),
        ("C:/x", "begins with a drive"),
        ("a?", "is a pattern"),
        ("[ab]", "is a pattern"),
        ("a\0b", "NUL"),
        ("a\\\0b", "NUL"),
        ("a\\", "ends with a single"),
    ] {
        match HoldPath::parse(text) {
            Ok(path) => {
                assert_eq!(format!("{:?} {}", path.base, path.path), expected, "{text}");
                assert_eq!(HoldPath::parse(&path.to_string()), Ok(path), "{text}");
            }
            Err(error) => assert!(error.to_string().contains(expected), "{text}: {error}"),
        }
    }
}

#[test]
fn programs_are_printed_as_they_are_read() {
    for (text, expected) in [
        ("curl", Some("curl")),
        ("\\~x", Some("~x")),
        ("\\$x", Some("$x")),
        ("\\c:", Some("c:")),
        ("a\\*", Some("a*")),
        ("./curl", None),
        ("./c:", None),
        ("~/bin/x", None),
        ("/bin/sh", None),
    ] {
        let program = HoldProgram::parse(text).unwrap();
        let name = match &program {
            HoldProgram::Name(name) => Some(name.as_str()),
            HoldProgram::Path(_) => None,
        };
        assert_eq!(name, expected, "{text}");
        assert_eq!(HoldProgram::parse(&program.to_string()), Ok(program), "{text}");
    }
}

// ---- the laws ----

fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c", "~d", "$f", "\\[e\\]"]);
    let base = prop::sample::select(vec!["", "/", "~/", "./"]);
    (base, prop::collection::vec(name, 1..4)).prop_map(|(base, names)| {
        let base = if base.is_empty() && names[0].starts_with(['~', '$']) { "./" } else { base };
        format!("{base}{}", names.join("/"))
    })
}

fn list(entry: impl Strategy<Value = String>) -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(prop::collection::vec(entry, 0..4))
}

prop_compose! {
    fn directive()(
        deny_write in list(path()),
        deny_read in list(path()),
        only_write in list(path()),
        more in list(path()),
        net in prop::option::of(prop_oneof![
            Just(json!("none")),
            Just(json!("loopback")),
            prop::collection::vec(prop::sample::select(vec!["a.org", "a.org:443", "b.org:1", "::1"]), 0..4)
                .prop_map(|list| json!(list)),
        ]),
        deny_exec in list(path()),
        env in list(prop::sample::select(vec!["A", "B", "C"]).prop_map(str::to_owned)),
    ) -> Hold {
        let walls = match (only_write, more) {
            (Some(one), Some(more)) => Some(json!([one, more])),
            (one, more) => one.or(more).map(|list| json!(list)),
        };
        let parts = [
            ("deny_write", deny_write.map(|list| json!(list))),
            ("deny_read", deny_read.map(|list| json!(list))),
            ("only_write", walls),
            ("net", net),
            ("deny_exec", deny_exec.map(|list| json!(list))),
            ("env", env.map(|list| json!(list))),
        ];
        let said: Map<String, Value> =
            parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        if said.is_empty() { Hold::default() } else { Hold::parse(&Value::Object(said)).unwrap() }
    }
}

/// Returns whether a path is at one of these or below.
fn is_in(list: &[HoldPath], path: &HoldPath) -> bool {
    list.iter().any(|above| {
        let rest = path.path.strip_prefix(&above.path);
        above.base == path.base && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn may_write(hold: &Hold, path: &HoldPath) -> bool {
    !hold.deny_write.as_ref().is_some_and(|list| is_in(list, path))
        && hold.only_write.as_ref().is_none_or(|walls| walls.iter().all(|list| is_in(list, path)))
}

fn may_read(hold: &Hold, path: &HoldPath) -> bool {
    !hold.deny_read.as_ref().is_some_and(|list| is_in(list, path))
}

fn may_run(hold: &Hold, program: &HoldProgram) -> bool {
    !hold.deny_exec.as_ref().is_some_and(|list| list.contains(program))
}

fn may_reach(hold: &Hold, host: &str, port: u16) -> bool {
    match &hold.net {
        None => true,
        Some(Net::None | Net::Loopback) => false,
        Some(Net::Hosts(hosts)) => hosts.allow(host, port),
    }
}

fn has_loopback(hold: &Hold) -> bool {
    hold.net != Some(Net::None)
}

fn may_see(hold: &Hold, name: &str) -> bool {
    hold.env.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
}

proptest! {
    #[test]
    fn combination_is_commutative_associative_and_idempotent(a in directive(), b in directive(), c in directive()) {
        prop_assert_eq!(a.clone().strictest(b.clone()), b.clone().strictest(a.clone()));
        let left = a.clone().strictest(b.clone()).strictest(c.clone());
        prop_assert_eq!(left, a.clone().strictest(b.strictest(c)));
        prop_assert_eq!(a.clone().strictest(a.clone()), a.clone());
        prop_assert_eq!(a.clone().strictest(Hold::default()), a);
    }

    /// Exactly what both allow is allowed: nothing more, and nothing less.
    #[test]
    fn combination_is_as_strict_as_both_and_no_stricter(a in directive(), b in directive(), path in path()) {
        let both = a.clone().strictest(b.clone());
        let program = HoldProgram::parse(&path).unwrap();
        let path = HoldPath::parse(&path).unwrap();
        prop_assert_eq!(may_write(&both, &path), may_write(&a, &path) && may_write(&b, &path));
        prop_assert_eq!(may_read(&both, &path), may_read(&a, &path) && may_read(&b, &path));
        prop_assert_eq!(may_run(&both, &program), may_run(&a, &program) && may_run(&b, &program));
        prop_assert_eq!(has_loopback(&both), has_loopback(&a) && has_loopback(&b));
        for (host, port) in [("a.org", 80), ("a.org", 443), ("b.org", 1), ("b.org", 80), ("::1", 443)] {
            let expected = may_reach(&a, host, port) && may_reach(&b, host, port);
            prop_assert_eq!(may_reach(&both, host, port), expected, "{}:{}", host, port);
        }
        for name in ["A", "B", "D"] {
            prop_assert_eq!(may_see(&both, name), may_see(&a, name) && may_see(&b, name));
        }
    }

    #[test]
    fn what_is_printed_is_read_back(hold in directive()) {
        prop_assume!(!hold.is_empty());
        prop_assert_eq!(Hold::parse(&hold.to_json()), Ok(hold));
    }
}
