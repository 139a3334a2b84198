//! Settings files: what they set, and the problems that are reported.

use std::fmt::Write as _;

use snaphook_core::{DefaultVerdict, HoldPath};
use snaphook_discovery::{AuditInputs, Directories, Settings};

use crate::sandbox::Sandbox;

/// The settings and the problems, as one text.
fn load(user: Option<&str>, project: Option<&str>) -> String {
    let sandbox = Sandbox::new();
    if let Some(text) = user {
        sandbox.file("home/.config/snaphook/config.toml", text);
    }
    if let Some(text) = project {
        sandbox.file("home/code/.snaphook/config.toml", text);
    }
    let (settings, problems) = Settings::load(&Directories::locate(&sandbox.environment()));
    let mut text = settings.default.verdict.as_str().to_owned();
    if !settings.default.source.is_empty() {
        write!(text, " by {}", settings.default.source).unwrap();
    }
    if !settings.self_protection {
        text += ", unprotected";
    }
    if settings.audit != Settings::default().audit {
        let audit = &settings.audit;
        let hash = audit.inputs == AuditInputs::Hash;
        write!(text, ", audit {} hash={hash} {} {}", audit.enabled, audit.max_bytes, audit.keep).unwrap();
    }
    if settings.mcp != Settings::default().mcp {
        let mcp = &settings.mcp;
        write!(text, ", mcp {:?} {:?} {:?}", mcp.denied, mcp.changed_tools, mcp.unseen).unwrap();
    }
    if settings.limits != Settings::default().limits {
        let limits = &settings.limits;
        let times = (limits.handler_cpu, limits.load_cpu, limits.event_cpu);
        write!(text, ", limits {times:?} {} MiB", limits.memory >> 20).unwrap();
    }
    if settings.hold != Settings::default().hold {
        let hold = &settings.hold;
        let tools = hold.tools.map_or("unset", |tools| tools.as_str());
        let profile =
            hold.profile.iter().flatten().map(|profile| profile.as_str()).collect::<Vec<_>>().join("+");
        let paths = |list: &[HoldPath]| list.iter().map(HoldPath::to_string).collect::<Vec<_>>().join(" ");
        write!(text, ", hold {tools} [{profile}] {} | {}", paths(&hold.protected), paths(&hold.caches))
            .unwrap();
        write!(text, " {:?}", hold.unsupported.unwrap_or_default()).unwrap();
    }
    for problem in problems {
        write!(text, "\n{:?} {problem}", problem.severity).unwrap();
    }
    text
}

#[test]
fn what_is_set_is_in_force() {
    let user = "~/.config/snaphook/config.toml";
    for (mine, theirs, want) in [
        (None, None, "allow".to_owned()),
        (Some(""), Some("# nothing\n"), "allow".to_owned()),
        (Some("default = \"deny\""), None, format!("deny by `default = \"deny\"` in {user}")),
        (
            Some("mode = \"deny-unless-allowed\""),
            None,
            format!("deny by `mode = \"deny-unless-allowed\"` in {user}"),
        ),
        (
            Some(
                "[hold]\ntools = \"always\"\nprofile = \"offline\"\nprotected = [\"~/.ssh\"]\ncaches = [\"~/.npm\"]\nunsupported = \"ask\"",
            ),
            Some("[hold]\ntools = \"off\"\nprofile = \"guarded\"\nprotected = [\"secrets\", \"/etc/x\"]"),
            "allow, hold always [guarded+offline] ~/.ssh secrets /etc/x | ~/.npm Ask".to_owned(),
        ),
        (Some("hold.unsupported = \"weaker\""), None, "allow, hold unset []  |  Weaker".to_owned()),
        (None, Some("hold.tools = \"when-asked\""), "allow, hold when-asked []  |  Deny".to_owned()),
        // A project tightens, and never loosens.
        (
            Some("default = \"deny\""),
            Some("default = \"allow\""),
            format!("deny by `default = \"deny\"` in {user}"),
        ),
        (
            Some("default = \"ask\""),
            Some("default = \"ask\""),
            format!("ask by `default = \"ask\"` in {user}"),
        ),
        (
            Some("default = \"ask\""),
            Some("default = \"deny\""),
            "deny by `default = \"deny\"` in .snaphook/config.toml".to_owned(),
        ),
        (Some("self_protection = false"), None, "allow, unprotected".to_owned()),
        (
            Some("[audit]\nenabled = false\ninputs = \"hash\"\nmax_bytes = 0x10_000\nkeep = 2"),
            None,
            "allow, audit false hash=true 65536 2".to_owned(),
        ),
        (Some("[mcp]\ndenied = \"error\""), None, "allow, mcp Error Report Pass".to_owned()),
        (Some("mcp = { denied = \"result\", changed_tools = \"report\" }"), None, "allow".to_owned()),
        (
            Some("mcp.denied = \"error\""),
            Some("mcp.changed_tools = \"deny\""),
            "allow, mcp Error Deny Pass".to_owned(),
        ),
        (
            Some("mcp.changed_tools = \"deny\""),
            Some("[mcp]\nchanged_tools = \"report\""),
            "allow, mcp Result Deny Pass".to_owned(),
        ),
        (
            Some(
                "[limits]\nhandler_cpu_ms = 200\nload_cpu_ms = 300\nevent_cpu_ms = 10_000\nmemory_mib = 128",
            ),
            None,
            "allow, limits (200ms, 300ms, 10s) 128 MiB".to_owned(),
        ),
        (Some("[limits]\nmemory_mib = 64"), None, "allow".to_owned()),
        (Some("[mcp]\nunseen = \"pass\""), None, "allow".to_owned()),
        (None, Some("[mcp]\nunseen = \"withhold\""), "allow, mcp Result Report Withhold".to_owned()),
        (
            Some("[mcp]\nunseen = \"withhold\""),
            Some("[mcp]\nunseen = \"pass\""),
            "allow, mcp Result Report Withhold".to_owned(),
        ),
    ] {
        assert_eq!(load(mine, theirs), want, "{mine:?} {theirs:?}");
    }
}

#[test]
fn what_is_wrong_is_an_error_with_its_line() {
    for (text, want) in [
        (
            "\ndefalt = \"deny\"",
            "2|unknown setting `defalt`; did you mean `default`? (settings are default, mode,",
        ),
        ("default = true", "1|`default` is \"allow\", \"ask\", \"deny\", not of the type boolean"),
        ("default = \"no\"", "1|`default` is \"no\" (it may be \"allow\", \"ask\", \"deny\")"),
        ("mode = \"strict\"", "1|`mode` is \"strict\" (it may be \"deny-unless-allowed\")"),
        ("default = \"deny\"\nmode = \"deny-unless-allowed\"", "2|`default` and `mode` are one setting"),
        ("default = \"deny\"\ndefault = \"allow\"", "2|invalid TOML: "),
        ("self_protection = \"off\"", "1|`self_protection` is true or false, not of the type string"),
        ("audit = true", "1|`audit` is a table like [audit], not of the type boolean"),
        ("[audit]\nkeep = -1", "2|`keep` is -1 (at least 0, at most 10000)"),
        ("[audit]\nmax_bytes = 1", "2|`max_bytes` is 1 (at least 4096"),
        ("[audit]\n\nsize = 1", "3|unknown setting `size` (settings are enabled, inputs, max_bytes, keep)"),
        ("default = deny", "1|invalid TOML: "),
        ("[limits]\nhandler_cpu_ms = 0", "2|`handler_cpu_ms` is 0 (at least 10, at most 60000)"),
        ("[limits]\nmemory_mib = \"1G\"", "2|`memory_mib` is a whole number, not of the type string"),
        (
            "[hold]\ntool = \"always\"",
            "2|unknown setting `tool`; did you mean `tools`? (settings are tools, profile,",
        ),
        (
            "[hold]\ntools = \"asked\"",
            "2|`tools` is \"asked\" (it may be \"off\", \"when-asked\", \"always\")",
        ),
        (
            "[hold]\nprofile = \"gaurded\"",
            "2|`profile` is \"gaurded\" (it may be \"guarded\", \"project\", \"offline\")",
        ),
        ("[hold]\nprotected = \"~/.ssh\"", "2|`protected` is a list of paths, not of the type string"),
        ("[hold]\nprotected = [\"*.md\"]", "2|`protected`: `*.md` is a pattern; the kernel holds paths"),
        ("[limits]\nhandler_cpu = 1", "2|unknown setting `handler_cpu`; did you mean `handler_cpu_ms`?"),
        ("mcp = 1", "1|`mcp` is a table like [mcp], not of the type integer"),
        ("[mcp]\nunseen = true", "2|`unseen` is \"pass\", \"withhold\", not of the type boolean"),
        ("[mcp]\ndenied = \"no\"", "2|`denied` is \"no\" (it may be \"result\", \"error\")"),
        (
            "[mcp]\n\nchanged_tool = \"deny\"",
            "3|unknown setting `changed_tool`; did you mean `changed_tools`?",
        ),
    ] {
        let said = load(Some(text), None);
        let (line, want) = want.split_once('|').unwrap();
        let want =
            format!("\nError ~/.config/snaphook/config.toml:{line}: the configuration file is wrong: {want}");
        assert!(said.contains(&want), "{text}: {said}");
        assert!(
            said.lines().all(|line| !line.starts_with("Error") || line.ends_with(')')),
            "a remedy: {said}"
        );
    }
}

#[test]
fn a_project_has_no_say_in_anything_else() {
    for (key, line) in [
        ("self_protection = false", 1),
        ("[limits]\nmemory_mib = 8", 1),
        ("[audit]\nenabled = false", 1),
        ("[mcp]\ndenied = \"error\"", 2),
    ] {
        let said = load(None, Some(key));
        assert!(
            said.starts_with(&format!(
                "allow\nError .snaphook/config.toml:{line}: the configuration file is wrong: `"
            )),
            "{said}"
        );
        assert!(said.contains("in the user's config.toml only"), "{said}");
    }
}

/// One bad line does not undo the good ones.
#[test]
fn what_is_right_counts_beside_what_is_wrong() {
    let said = load(Some("nonsense = 1\ndefault = \"deny\""), None);
    assert!(said.starts_with("deny by `default = \"deny\"`"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.link("home/.config/snaphook/config.toml", "nowhere");
    std::fs::create_dir_all(sandbox.path("home/code/.snaphook/config.toml")).unwrap();
    let (settings, problems) = Settings::load(&Directories::locate(&sandbox.environment()));
    assert_eq!(settings, Settings::default());
    let said: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert!(
        said[0].starts_with(
            "~/.config/snaphook/config.toml: the configuration file cannot be used: it does not exist"
        ),
        "{said:?}"
    );
    assert!(
        said[1].starts_with(
            ".snaphook/config.toml: the configuration file cannot be used: it is a folder, not a regular file"
        ),
        "{said:?}"
    );
}

#[test]
fn a_rule_for_one_run_stands_in_for_the_users_not_the_projects() {
    use DefaultVerdict::{Allow, Ask, Deny};
    let rule = |user, project, named| {
        let default = snaphook_core::DefaultRule::new(user, "user");
        let project_default = snaphook_core::DefaultRule::new(project, "project");
        let settings = Settings { default, project_default, ..Settings::default() };
        settings.default_for(Some(named)).verdict
    };
    for (user, project, named, want) in [
        (Deny, Allow, Allow, Allow),
        (Allow, Ask, Allow, Ask),
        (Allow, Allow, Deny, Deny),
        (Ask, Ask, Deny, Deny),
    ] {
        assert_eq!(rule(user, project, named), want, "{user:?} {project:?} {named:?}");
    }
}
