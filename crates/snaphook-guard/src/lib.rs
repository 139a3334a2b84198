//! Self-protection: a gate written in Rust that keeps an agent from changing what guards it: hooks,
//! settings, trust, the files that register snaphook in agents, and snaphook itself.
//!
//! It reads what a call says. What a program does inside (`make`, `./x.sh`) it cannot see; trust by
//! content covers that. `docs/security.md` says what it decides and where it ends. Not here: the
//! host that asks it, and where the program and the folders are (the CLI).
//!
//! | module | content |
//! |---|---|
//! | `places`, `git`, `guarded_files` | guarded paths, hooks of a repository, files guarded by their names |
//! | `paths`, `names`, `address` | comparing paths, listing folders, reading addresses |
//! | `shell` | command lines |
//! | `path_pattern`, `glob`, `parts` | the paths that words of command lines can stand for |
//! | `free_text`, `typed`, `inputs`, `patches`, `tools` | command lines and paths in the input of any tool, and what its name says it does |
//! | `finding` | what a look comes to |
//!
//! ```
//! use std::sync::Arc;
//!
//! use snaphook::{CallOptions, Directories, Environment, Host, ToolCall};
//! use snaphook_guard::{Places, SelfProtection};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut environment = Environment::new("/home/me/project");
//! environment.home = Some("/home/me".into());
//! let places = Places::of(&Directories::locate(&environment), [], []);
//! let host = Host::builder().handler(Arc::new(SelfProtection::new(places))).build();
//!
//! let bash = |line: &str| ToolCall::new("1", "bash", serde_json::json!({"command": line}));
//! let options = CallOptions::default();
//! assert!(host.gate(bash("cargo test"), &options).await.is_continue());
//! assert!(host.gate(bash("rm ~/.claude/settings.json"), &options).await.is_break());
//! # }
//! ```

mod address;
mod finding;
mod free_text;
mod git;
mod glob;
mod guarded_files;
mod inputs;
mod names;
mod on_disk;
mod parts;
mod patches;
mod path_pattern;
mod paths;
mod places;
mod shell;
mod tools;
mod typed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use snaphook_core::{
    Access, Answer, BoxFuture, CANONICAL_TOOLS, CallContext, Event, Handler, HandlerError, HandlerInfo,
    HookRef, Lifecycle, Scope, ToolCall, Verdict,
};
use snaphook_script::path::fold;

use finding::{Finding, REGISTERED, finding};
use inputs::Named;
pub use on_disk::OnDisk;
use paths::Ways;
pub use places::Places;
use places::Touch;
use tools::Does;

/// The name and id of the hook.
pub const SELF_PROTECTION: &str = "snaphook-self-protection";

/// In how many folders a call may stand.
const MAX_FOLDERS: usize = 8;

/// The gate, to be added to a host as a handler.
#[derive(Debug)]
pub struct SelfProtection {
    info: HandlerInfo,
    places: Places,
}

impl SelfProtection {
    /// A gate that guards these places.
    pub fn new(places: Places) -> Self {
        let hook = HookRef::new(SELF_PROTECTION, SELF_PROTECTION, Scope::Managed, "(built in)");
        let info =
            HandlerInfo { hook, event: Lifecycle::ToolCall.into(), line: None, file: None, matcher: None };
        SelfProtection { info, places }
    }

    /// Returns what it says about a call that is made in this folder of this project.
    fn look(&self, call: &ToolCall, cwd: &Path, project: &Path) -> Option<Finding> {
        let ways = Ways::default();
        let mut found = None;
        let cwds = self.folders(call, cwd);
        if cwds.len() > MAX_FOLDERS {
            return Some(Finding::Ask("this names more folders to work in than can be looked at".to_owned()));
        }
        if let Some(command) = call.command() {
            found = shell::look((&self.places, &ways), &command, &cwds, project, &*call.tool == "bash");
        }
        if call.access() == Access::Read {
            return found;
        }
        found = Finding::strictest(found, inputs::variables(call));
        let described = CANONICAL_TOOLS.contains(&&*call.tool);
        let values = if described { Vec::new() } else { inputs::values(&call.input) };
        for line in values
            .iter()
            .flat_map(|input| free_text::lines(&call.tool, input))
            .take(free_text::MAX_LINES + 1)
            .enumerate()
        {
            let (number, line) = line;
            if number == free_text::MAX_LINES {
                return Some(Finding::Ask("this has more command lines than can be looked at".to_owned()));
            }
            let look = if line.len() > free_text::MAX_READ_BYTES {
                line.contains("snaphook").then(|| {
                    let text = "this is too long to be read as a command line, and names snaphook";
                    Finding::Ask(text.to_owned())
                })
            } else {
                shell::look((&self.places, &ways), &line, &cwds, project, false)
            };
            found = Finding::strictest(found, look);
        }
        if !described && typed::goes_back(&call.tool, &call.input) {
            let text =
                "this goes back and forth in a line that it types, so nobody can tell what stands there";
            found = Finding::strictest(found, Some(Finding::Ask(text.to_owned())));
        }
        let known = matches!(&*call.tool, "write" | "edit" | "notebook");
        let named = |text: String| Named { text, whole: false };
        let does = if described { Does::Reads } else { tools::does(&call.tool, &call.input) };
        let mut paths: Vec<(Named, bool)> =
            call.paths().iter().map(|path| (named(path.to_string()), false)).collect();
        match call.family() {
            "bash" | "task" | "todo" => {}
            _ if known => texts(&call.input, &mut |text| {
                if text.contains("*** Begin Patch") {
                    paths.extend(
                        patches::named(text).into_iter().map(|(path, removes)| (named(path), removes)),
                    );
                }
            }),
            // Nobody described the tool: each short text of its input may be a path.
            _ => {
                let inputs = values.iter().chain(described.then_some(&*call.input));
                let all = inputs.flat_map(|input| inputs::paths(input, does == Does::Reads));
                paths.extend(all.map(|path| (path, true)));
            }
        }
        if paths.len() > inputs::MAX_PATHS {
            return Some(Finding::Ask("this names more files than can be looked at".to_owned()));
        }
        let registers = registers(&call.input);
        for (Named { text, whole }, removes) in paths {
            for path in address::readings(&text) {
                let path = self.expand(&path);
                let touch = if known { Touch::Write } else { Touch::Into };
                for cwd in &cwds {
                    let place = cwd.join(&path);
                    if registers && places::holds_prompts(&ways, &place, cwd) {
                        found = Finding::strictest(found, Some(Finding::Ask(REGISTERED.to_owned())));
                    }
                    let mut guard = self.places.look(&ways, &place, cwd, touch, removes);
                    if whole && guard.is_none() && self.is_reached(&ways, &place, (cwd, project), does) {
                        guard = self.places.look(&ways, &place, cwd, Touch::Tree, does == Does::Takes);
                    }
                    found =
                        Finding::strictest(found, guard.map(|guard| finding(guard, &path.to_string_lossy())));
                }
            }
        }
        found
    }

    /// Returns whether a tool may reach what is below a path: a folder, or one that may be put in its place. What a tool does that
    /// nobody knows is done in projects all day.
    fn is_reached(&self, ways: &Ways, path: &Path, (cwd, project): (&Path, &Path), does: Does) -> bool {
        let hidden = || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let inside = || {
            let real = |path: &Path| ways.physical(path, cwd);
            let path = real(path);
            path.parent().is_none() || path.starts_with(real(project)) || path.starts_with(real(cwd))
        };
        match does {
            Does::Reads => false,
            Does::Takes | Does::Fills => hidden() || path.is_dir(),
            Does::Unknown => (hidden() || path.is_dir()) && !inside(),
        }
    }

    /// Returns where the call may stand: in the agent's folder, or in one that it names itself.
    fn folders(&self, call: &ToolCall, cwd: &Path) -> Vec<PathBuf> {
        let mut folders = vec![cwd.to_owned()];
        for folder in free_text::folders(&call.input) {
            let folder = cwd.join(self.expand(folder));
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// Agents and servers take `~` and variables for folders in paths, too.
    fn expand(&self, path: &str) -> PathBuf {
        let folder = |start: &str| match start.strip_prefix('~') {
            // `~name` is somebody's home as well; most likely this one.
            Some(name) if name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) => {
                self.places.home.clone()
            }
            Some(_) => None,
            None => self.places.variable(start.trim_matches(['$', '{', '}', '%'])),
        };
        let expanded = path.split_once(['/', '\\']).filter(|(start, _)| start.starts_with(['~', '$', '%']));
        let expanded =
            expanded.and_then(|(start, rest)| Some(folder(start)?.join(rest.trim_start_matches('/'))));
        expanded.unwrap_or_else(|| PathBuf::from(path))
    }
}

impl Handler for SelfProtection {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, _: &CallContext) -> bool {
        event.call().is_some_and(|call| call.access() == Access::Write || call.command().is_some())
    }

    fn handle<'a>(
        &'a self,
        event: &'a Event,
        context: &'a Arc<CallContext>,
    ) -> BoxFuture<'a, Result<Answer, HandlerError>> {
        let session = &context.session;
        let found = event.call().and_then(|call| self.look(call, &session.cwd, &session.project_root));
        let answer = match found {
            None => Answer::default(),
            Some(Finding::Ask(reason)) => Answer { verdict: Verdict::Ask, reason, ..Answer::default() },
            Some(Finding::Deny(reason)) => Answer { verdict: Verdict::Deny, reason, ..Answer::default() },
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// Returns whether a text in a value registers hooks or servers.
fn registers(value: &Value) -> bool {
    let mut found = false;
    texts(value, &mut |text| {
        let text = fold(text);
        found |= guarded_files::REGISTERING.iter().any(|word| text.contains(word));
    });
    found
}

/// Every text in a value, keys left out.
pub(crate) fn texts(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, each)),
        Value::Object(map) => map.values().for_each(|item| texts(item, each)),
        _ => {}
    }
}
