//! The ways in which a hook fails before any of its handlers runs.

use super::cases::{Case, How, Twist, case, twisted};
use super::scene::Language;
use crate::support::Sandbox;

const GOOD: (&str, &str) = ("on('tool_call', function() end)\n", "on(\"tool_call\", |event| {});\n");

pub const LOAD_CASES: &[Case] = &[
    #[cfg(unix)]
    case(
        "cannot be read",
        How::Files(|place, language| {
            std::os::unix::fs::symlink("nowhere", place.path(&hook("config/hooks", language))).unwrap();
        }),
    ),
    case("is not UTF-8", How::Files(|place, language| mine(place, language, b"\xff\xfe"))),
    case(
        "is larger than 1 MiB",
        How::Files(|place, language| {
            mine(place, language, [good(language).into_bytes(), vec![b'\n'; 1 << 20]].concat());
        }),
    ),
    case("does not parse", How::Files(|place, language| mine(place, language, language.of("on(", "on(")))),
    case(
        "has front matter with a fault",
        How::Files(|place, language| {
            mine(place, language, language.with_front(&["grant: {}"], &good(language)));
        }),
    ),
    case(
        "needs a newer `api`",
        How::Files(|place, language| {
            mine(place, language, language.with_front(&["api: 2"], &good(language)));
        }),
    ),
    case(
        "raises an error while it loads",
        How::Files(|place, language| {
            mine(place, language, language.of("error('oops')", "throw \"oops\";"));
        }),
    ),
    twisted(
        "computes for longer than its budget while it loads",
        Twist::LoadBudget,
        How::Files(|place, language| {
            mine(place, language, language.of("while true do end", "while true {}"));
        }),
    ),
    case(
        "takes more memory than it may while it loads",
        How::Files(|place, language| {
            let eats =
                "local t = {} pcall(function() while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end)\n";
            let also = "let t = []; try { while true { t.push([]); } } catch {}\n";
            mine(place, language, format!("{}{}", language.of(eats, also), good(language)));
        }),
    ),
    case(
        "names an event that does not exist",
        How::Files(|place, language| {
            mine(place, language, good(language).replace("tool_call", "tool_cal"));
        }),
    ),
    case(
        "has a matcher with a fault",
        How::Files(|place, language| {
            let text = language.of(
                "on('tool_call', { tools = 'bash' }, function() end)",
                "on(\"tool_call\", #{ tools: \"bash\" }, |event| {});",
            );
            mine(place, language, text);
        }),
    ),
    case(
        "registers no handler",
        How::Files(|place, language| mine(place, language, language.of("local x = 1", "let x = 1;"))),
    ),
    twisted(
        "is in a language that the program does not run",
        Twist::NoEngine,
        How::Files(|place, language| {
            mine(place, language, good(language));
        }),
    ),
    #[cfg(unix)]
    case(
        "can be written by others",
        How::Files(|place, language| {
            use std::os::unix::fs::PermissionsExt as _;
            let path = place.write(&hook("config/hooks", language), good(language));
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
        }),
    ),
    #[cfg(unix)]
    case(
        "is a project's, and a link out of the project",
        How::Files(|place, language| {
            let elsewhere = place.write(&hook("elsewhere", language), good(language));
            std::fs::create_dir_all(place.path("project/.snaphook/hooks")).unwrap();
            std::os::unix::fs::symlink(elsewhere, place.path(&hook("project/.snaphook/hooks", language)))
                .unwrap();
        }),
    ),
    case("is a project's, and not trusted", How::Files(|place, language| drop(projects(place, language)))),
    case(
        "is a project's, and changed since it was trusted",
        How::Files(|place, language| {
            let path = projects(place, language);
            place.trust_all();
            std::fs::write(path, format!("{}\n", good(language))).unwrap();
        }),
    ),
    case(
        "is a project's, and the store of decisions is damaged",
        How::Files(|place, language| {
            projects(place, language);
            place.trust_all();
            place.write("state/trust/decisions.json", "{");
        }),
    ),
    case(
        "is beside settings with a fault",
        How::Files(|place, language| {
            mine(place, language, good(language));
            place.write("config/config.toml", "defualt = \"deny\"\n");
        }),
    ),
];

fn good(language: Language) -> String {
    language.of(GOOD.0, GOOD.1).to_owned()
}

fn hook(folder: &str, language: Language) -> String {
    format!("{folder}/bad.{}", language.extension)
}

/// A hook of the user's.
fn mine(place: &Sandbox, language: Language, text: impl AsRef<[u8]>) {
    place.write(&hook("config/hooks", language), text);
}

/// A hook of the project's.
fn projects(place: &Sandbox, language: Language) -> std::path::PathBuf {
    place.write(&hook("project/.snaphook/hooks", language), good(language))
}
