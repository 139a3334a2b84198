//! The hooks to start from, inside the binary. They stand under `templates/`, each with a test, and are run there as they are,
//! but for the name.

use clap::ValueEnum;

/// What a new hook does.
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
}

impl Lang {
    /// The extension of its files, which is its name as well.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Lang::Lua => "lua",
            Lang::Rhai => "rhai",
        }
    }
}

/// What stands for the hook's name.
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

    /// The texts of the hook and of its test.
    pub(crate) fn texts(self, language: Lang, name: &str) -> (String, String) {
        let (hook, test) = match (self, language) {
            (Template::Gate, Lang::Lua) => pair!("gate", "lua"),
            (Template::Gate, Lang::Rhai) => pair!("gate", "rhai"),
            (Template::Rewrite, Lang::Lua) => pair!("rewrite", "lua"),
            (Template::Rewrite, Lang::Rhai) => pair!("rewrite", "rhai"),
            (Template::Notify, Lang::Lua) => pair!("notify", "lua"),
            (Template::Notify, Lang::Rhai) => pair!("notify", "rhai"),
            (Template::Check, Lang::Lua) => pair!("check", "lua"),
            (Template::Check, Lang::Rhai) => pair!("check", "rhai"),
        };
        (hook.replace(NAME, name), test.to_owned())
    }

    /// A command that shows what the hook does.
    pub(crate) fn trial(self) -> &'static str {
        match self {
            Template::Gate => r#"snaphook check --tool bash --input '{"command": "rm -r build"}'"#,
            Template::Rewrite => {
                r#"snaphook check --tool bash --input '{"command": "make"}' --result "$(seq 500)""#
            }
            // They answer events that only an agent brings.
            Template::Notify | Template::Check => "snaphook list",
        }
    }
}
