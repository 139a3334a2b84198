//! The hooks to start from, inside the binary. They are under `templates/`, each with a test, and are run there as they are,
//! but for the name.

use clap::ValueEnum;

/// The purpose of a new hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// Looks at tool calls before they run, asks or blocks
    Gate,
    /// Changes what a tool says before the model reads it
    Rewrite,
    /// Tells you when something happened
    Notify,
    /// Looks at changed files when the agent has ended its work
    Check,
}

/// The language of a new hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// Luau
    Lua,
    /// Rhai
    Rhai,
    /// A shell script: arbitrary code, not limited by grants. A gate only, without a test
    Sh,
}

impl Lang {
    /// The extension of its files, which is its name as well.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Lang::Lua => "lua",
            Lang::Rhai => "rhai",
            Lang::Sh => "sh",
        }
    }
}

/// The placeholder for the hook's name.
const NAME: &str = "__NAME__";

macro_rules! pair {
    ($name:literal, $language:literal) => {
        (
            include_str!(concat!("../../templates/", $name, ".", $language)),
            include_str!(concat!("../../templates/", $name, ".test.", $language)),
        )
    };
}

impl Template {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Template::Gate => "gate",
            Template::Rewrite => "rewrite",
            Template::Notify => "notify",
            Template::Check => "check",
        }
    }

    /// The texts of the hook and of its test. Tests run scripts only, so an executable has none; `None` where there is no such hook.
    pub(crate) fn texts(self, language: Lang, name: &str) -> Option<(String, Option<&'static str>)> {
        let (hook, test) = match (self, language) {
            (Template::Gate, Lang::Lua) => pair!("gate", "lua"),
            (Template::Gate, Lang::Rhai) => pair!("gate", "rhai"),
            (Template::Rewrite, Lang::Lua) => pair!("rewrite", "lua"),
            (Template::Rewrite, Lang::Rhai) => pair!("rewrite", "rhai"),
            (Template::Notify, Lang::Lua) => pair!("notify", "lua"),
            (Template::Notify, Lang::Rhai) => pair!("notify", "rhai"),
            (Template::Check, Lang::Lua) => pair!("check", "lua"),
            (Template::Check, Lang::Rhai) => pair!("check", "rhai"),
            (Template::Gate, Lang::Sh) => (include_str!("../../templates/gate.sh"), ""),
            (_, Lang::Sh) => return None,
        };
        Some((hook.replace(NAME, &scalar(name)), Some(test).filter(|test| !test.is_empty())))
    }

    /// A command that shows what the hook does.
    pub(crate) fn trial(self, language: Lang) -> &'static str {
        match self {
            Template::Gate if language == Lang::Sh => {
                r#"snaphook check --tool read --input '{"path": "production.env"}'"#
            }
            Template::Gate => r#"snaphook check --tool bash --input '{"command": "rm -r build"}'"#,
            Template::Rewrite => {
                r#"snaphook check --tool bash --input '{"command": "make"}' --result "$(seq 500)""#
            }
            // They answer events that only an agent brings.
            Template::Notify | Template::Check => "snaphook list",
        }
    }
}

/// A name as front matter takes it: words that mean something else in YAML are put in quotes.
fn scalar(name: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if WORDS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use snaphook_discovery::front_matter::{self, FileKind};

    use super::*;

    #[test]
    fn the_name_is_the_hooks() {
        for name in ["guard", "true", "No", "NULL", "on", "y", "e5", "nan", "inf", "x-y_1"] {
            let kinds = [FileKind::Lua, FileKind::Rhai, FileKind::Executable];
            for (language, kind) in Lang::value_variants().iter().zip(kinds) {
                for template in Template::value_variants() {
                    let Some((hook, test)) = template.texts(*language, name) else {
                        assert_eq!(*language, Lang::Sh);
                        continue;
                    };
                    let test = test.unwrap_or_default();
                    let matter = front_matter::parse(&hook, kind).unwrap().unwrap();
                    assert_eq!(matter.name.as_deref(), Some(name));
                    assert!(matter.description.is_some_and(|text| text.len() > 20), "{template:?}");
                    assert!(!(hook.contains(NAME) || test.contains(NAME)), "{template:?}");
                }
            }
        }
    }
}
