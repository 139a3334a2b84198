//! The own hooks of an ACP agent, set to snaphook for one session: by variables of its process and a folder that is removed with
//! the session. No settings of the person's are changed. Not here: setting an agent up for good (`snaphook install`).

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::{Map, Value, json};
use snaphook::DefaultVerdict;
use snaphook_adapters::install::{Edit, FileContent, Launcher, Reach, Setup};
use snaphook_adapters::{Row, agent};
use tempfile::TempDir;

use crate::env::Env;
use crate::exit::Failure;

/// An agent whose hooks can be set for a session.
struct Known {
    /// Its id in snaphook.
    id: &'static str,
    title: &'static str,
    /// The names of its programs and packages.
    programs: &'static [&'static str],
    /// The way its hooks are set; `None` where there is none yet.
    how: Option<How>,
    /// Variables that make it ask for permission, where it is not told otherwise.
    asks: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy)]
enum How {
    /// A list of plugins in the settings that a variable has.
    OpenCode,
}

const KNOWN: &[Known] = &[
    Known {
        id: "opencode",
        title: "OpenCode",
        programs: &["opencode", "opencode-ai"],
        how: Some(How::OpenCode),
        asks: &[],
    },
    Known {
        id: "gemini",
        title: "Gemini CLI",
        programs: &["gemini", "gemini-cli"],
        // The file of settings that a variable can name has to be in a folder that only the system's administrator can write.
        how: None,
        asks: &[],
    },
    Known {
        id: "codex",
        title: "Codex",
        programs: &["codex-acp"],
        how: None,
        asks: &[("INITIAL_AGENT_MODE", "read-only")],
    },
];

/// The gates of a session with an agent, and what they need as long as it runs.
pub(super) struct OwnHooks {
    /// What is covered and what is not, a line each.
    pub(super) told: Vec<String>,
    /// True if nothing that the agent does is known to pass a gate.
    pub(super) is_blind: bool,
    /// The environment of the agent.
    pub(super) vars: Vec<(OsString, OsString)>,
    _folder: Option<TempDir>,
}

impl OwnHooks {
    /// Sets the hooks of the agent that a command line starts.
    pub(super) fn set(
        env: &Env,
        words: &[OsString],
        default: Option<DefaultVerdict>,
    ) -> Result<OwnHooks, Failure> {
        let vars = env.vars.to_vec();
        let own = "what the agent does without asking (commands, files, its MCP servers) passes no gate of this session";
        let asked = "covered: what the agent asks permission for, and the files and terminals that it uses through snaphook";
        let Some(known) = KNOWN.iter().find(|known| names(words, known.programs)) else {
            return Ok(OwnHooks {
                told: vec![
                    asked.to_owned(),
                    format!("not covered: this agent is not known, so its own hooks are not set; {own}"),
                ],
                is_blind: true,
                vars,
                _folder: None,
            });
        };
        let mut hooks = OwnHooks { told: vec![asked.to_owned()], is_blind: false, vars, _folder: None };
        for (name, value) in known.asks {
            if env.var(name).is_none() {
                hooks.vars.push((name.into(), value.into()));
                hooks.told.push(format!("{} is made to ask: {name}={value}", known.title));
            }
        }
        let Some(how) = known.how else {
            hooks.told.push(format!(
                "not covered: the own hooks of {} are not set for a session (`snaphook install {}` sets them for good); else {own}",
                known.title, known.id
            ));
            return Ok(hooks);
        };
        match how.set(env, known, default) {
            Ok((folder, name, value)) => {
                hooks.vars.retain(|(other, _)| other != name);
                hooks.vars.push((name.into(), value));
                hooks.told.push(format!(
                    "covered: all tool calls of {}, by its own hooks, which call snaphook in this session",
                    known.title
                ));
                hooks._folder = Some(folder);
            }
            Err(NotSet(why)) => {
                hooks
                    .told
                    .push(format!("not covered: the own hooks of {} are not set: {why}; {own}", known.title));
                hooks.is_blind = true;
            }
        }
        Ok(hooks)
    }
}

/// Returns whether a command line names one of these programs or packages.
fn names(words: &[OsString], programs: &[&str]) -> bool {
    let parts = words.iter().filter_map(|word| word.to_str()).flat_map(|word| word.split(['/', '\\']));
    parts.map(|part| part.split('@').next().unwrap_or(part)).any(|part| {
        let stem = Path::new(part).file_stem().and_then(OsStr::to_str).unwrap_or(part);
        programs.contains(&part) || programs.contains(&stem)
    })
}

/// The reason why hooks are not set, for the person.
struct NotSet(String);

impl How {
    /// Writes the files. Gives their folder, and the variable that leads the agent there.
    fn set(
        self,
        env: &Env,
        known: &Known,
        default: Option<DefaultVerdict>,
    ) -> Result<(TempDir, &'static str, OsString), NotSet> {
        let failed = |error: &dyn std::fmt::Display| NotSet(error.to_string());
        let program = crate::install::program(env).map_err(|error| failed(&error))?;
        let edits = edits(known.id, program)?;
        let folder =
            tempfile::Builder::new().prefix("snaphook-acp-").tempdir().map_err(|error| failed(&error))?;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map(|()| path).map_err(|error| NotSet(error.to_string()))
        };
        match self {
            How::OpenCode => {
                const VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";
                let text = edits.iter().find_map(|edit| match &edit.content {
                    FileContent::Own { text, .. } => Some(text.as_str()),
                    FileContent::Json(_) | FileContent::Toml(_) => None,
                });
                let text = text.ok_or_else(|| NotSet("snaphook has no plugin for it".to_owned()))?;
                let text = with_default(text, default)?;
                let plugin = write("snaphook.js", &text)?;
                let mut content = object(env.var(VARIABLE).map(|text| text.to_string_lossy().into_owned()))?;
                let plugins = content.entry("plugin").or_insert_with(|| json!([]));
                let list = plugins.as_array_mut();
                list.ok_or_else(|| NotSet(format!("`plugin` in {VARIABLE} is not a list")))?
                    .push(format!("file://{}", plugin.display()).into());
                Ok((folder, VARIABLE, Value::Object(content).to_string().into()))
            }
        }
    }
}

/// The call of snaphook in a plugin.
const CALL: &str = r#""serve", "--stdio""#;

/// The text of a plugin, with the rule of this session for what no hook allows.
fn with_default(text: &str, default: Option<DefaultVerdict>) -> Result<String, NotSet> {
    let Some(verdict) = default.map(name_of) else { return Ok(text.to_owned()) };
    if !text.contains(CALL) {
        return Err(NotSet("its hooks take no `--default`".to_owned()));
    }
    Ok(text.replace(CALL, &format!(r#"{CALL}, "--default", "{verdict}""#)))
}

fn name_of(verdict: DefaultVerdict) -> &'static str {
    match verdict {
        DefaultVerdict::Allow => "allow",
        DefaultVerdict::Ask => "ask",
        DefaultVerdict::Deny => "deny",
    }
}

/// What `snaphook install` would write for all events that are registered.
fn edits(id: &str, program: &str) -> Result<Vec<Edit>, NotSet> {
    let agent = agent(id).ok_or_else(|| NotSet("snaphook has no adapter for it".to_owned()))?;
    let rows: Vec<&'static Row> = agent
        .rows()
        .iter()
        .filter(|row| !row.events.is_empty() && agent.registers(row) && !row.is_frequent())
        .collect();
    let launcher = Launcher { program: program.to_owned(), agent: agent.id() };
    let setup = Setup { reach: Reach::User, launcher: &launcher, rows: &rows };
    agent.install(&setup).map_err(|error| NotSet(error.to_string()))
}

/// An object that is written here, or an empty one.
fn object(text: Option<String>) -> Result<Map<String, Value>, NotSet> {
    match text.as_deref().map(serde_json::from_str::<Value>) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(object))) => Ok(object),
        Some(Ok(_)) => Err(NotSet("its settings are not a JSON object".to_owned())),
        Some(Err(error)) => Err(NotSet(format!("its settings are not JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_their_programs() {
        for (line, id) in [
            ("opencode acp", Some("opencode")),
            ("/opt/bin/opencode acp", Some("opencode")),
            ("npx opencode-ai@1.18.33 acp", Some("opencode")),
            ("node /x/@google/gemini-cli/bundle/gemini.js --acp", Some("gemini")),
            ("npx @agentclientprotocol/codex-acp", Some("codex")),
            ("my-agent --acp", None),
            ("sh -c geminis", None),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let known = KNOWN.iter().find(|known| names(&words, known.programs));
            assert_eq!(known.map(|known| known.id), id, "{line}");
        }
    }

    #[test]
    fn a_plugin_carries_the_rule_of_the_session() {
        let Ok(edits) = edits("opencode", "/bin/snaphook") else { panic!("no edits") };
        let [Edit { content: FileContent::Own { text, .. }, .. }] = &edits[..] else { panic!("{edits:?}") };
        let Ok(same) = with_default(text, None) else { panic!("refused") };
        assert_eq!(same, *text);
        let Ok(strict) = with_default(text, Some(DefaultVerdict::Deny)) else { panic!("refused") };
        assert!(strict.contains(r#""serve", "--stdio", "--default", "deny""#), "{strict}");
        assert!(with_default("other", Some(DefaultVerdict::Deny)).is_err());
    }
}
