//! The input of an executable: variables, the list of files, the event as a document. Not here: what it is as a hook.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};
use snaphook_core::{
    Event, EventName, Executable, FieldValue, HookRef, Lifecycle, Product, ReplyClass, Session,
};
use tempfile::NamedTempFile;

use super::World;
use crate::process::Identity;

/// The longest list of files that is put into a variable, in bytes: systems bound what one may hold.
const MAX_LIST_BYTES: usize = 100 * 1024;

/// The files of a check that a program is for.
#[derive(Debug)]
pub(super) struct Files {
    names: Vec<String>,
    /// All of them, each with a NUL behind it; gone when this is dropped.
    list: NamedTempFile,
}

impl Files {
    /// Writes the list. Where the program runs as another user, it belongs to that user.
    pub(super) fn write(
        names: Vec<String>,
        world: &World,
        identity: Option<&Identity>,
    ) -> std::io::Result<Self> {
        // A program would take a name like `--output=x` for an option; its path means the same and is not an option.
        let names: Vec<_> = names
            .into_iter()
            .map(|name| if name.starts_with('-') { format!("./{name}") } else { name })
            .collect();
        let mut list = tempfile::Builder::new().prefix("snaphook-files-").tempfile_in(&world.scratch)?;
        let mut text = Vec::new();
        for name in &names {
            text.extend_from_slice(name.as_bytes());
            text.push(0);
        }
        list.write_all(&text)?;
        list.flush()?;
        hand_over(list.path(), identity)?;
        Ok(Files { names, list })
    }
}

#[cfg(unix)]
fn hand_over(path: &Path, identity: Option<&Identity>) -> std::io::Result<()> {
    match identity {
        Some(identity) => std::os::unix::fs::chown(path, Some(identity.uid), Some(identity.gid)),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
fn hand_over(_: &Path, _: Option<&Identity>) -> std::io::Result<()> {
    Ok(())
}

/// The variables of one run.
pub(super) fn variables(
    world: &World,
    hook: &HookRef,
    (executable, path): (&Executable, &Path),
    session: &Session,
    files: Option<&Files>,
    identity: Option<&Identity>,
) -> Vec<(OsString, OsString)> {
    // A list of another check, where one of its programs called snaphook, is not this one's.
    let of_another = |name: &OsString| {
        name.to_str()
            .is_some_and(|name| name.ends_with("_CHANGED_FILES") || name.ends_with("_CHANGED_FILES_FILE"))
    };
    let mut env: Vec<_> = world.env.iter().filter(|(name, _)| !of_another(name)).cloned().collect();
    let mut set = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        env.push((name.into(), value.as_ref().to_owned()));
    };
    if let Some(identity) = identity {
        set("HOME", &identity.home);
        set("USER", &identity.name);
        set("LOGNAME", &identity.name);
    }
    set("SNAPHOOK_EVENT", &executable.event.as_str());
    set("SNAPHOOK_HOOK_ID", &hook.id);
    set("SNAPHOOK_HOOK_FILE", &path);
    set("SNAPHOOK_SESSION_ID", &session.id);
    set("SNAPHOOK_PROJECT_ROOT", &session.project_root);
    set("SNAPHOOK_AGENT", &session.agent);
    let discobot = executable.product == Product::Discobot;
    if discobot {
        set("DISCOBOT_SESSION_ID", &session.id);
        set("DISCOBOT_WORKSPACE", &session.project_root);
        set("DISCOBOT_HOOK_TYPE", &type_name(&executable.event));
    }
    if let Some(Files { names, list }) = files {
        set("SNAPHOOK_CHANGED_FILES_FILE", &list.path());
        let joined = names.join(" ");
        if joined.len() <= MAX_LIST_BYTES {
            set("SNAPHOOK_CHANGED_FILES", &joined);
            if discobot {
                set("DISCOBOT_CHANGED_FILES", &joined);
            }
        }
    }
    // What no system can pass on is not passed on, rather than that the hook does not run.
    env.retain(|(name, value)| {
        let (name, value) = (name.as_encoded_bytes(), value.as_encoded_bytes());
        !name.is_empty() && !name.contains(&b'=') && !name.contains(&0) && !value.contains(&0)
    });
    env
}

/// The name of an event as a `type`.
fn type_name(event: &EventName) -> &str {
    match event {
        EventName::Lifecycle(Lifecycle::Startup) => "session",
        EventName::Lifecycle(Lifecycle::FilesChanged) => "file",
        EventName::Lifecycle(Lifecycle::PreCommit) => "pre-commit",
        other => other.as_str(),
    }
}

/// The event as an executable reads it: the fields that scripts see, and where it happens.
pub(super) fn document(event: &Event, session: &Session) -> String {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), event.name().as_str().into());
    event.visit(&mut |name, value| {
        let value = match value {
            FieldValue::Text(text) => text.into_owned().into(),
            FieldValue::Texts(texts) => texts.into_iter().map(|text| text.into_owned()).collect(),
            FieldValue::Bool(flag) => flag.into(),
            FieldValue::Json(value) => value.clone(),
        };
        fields.insert(name.to_owned(), value);
    });
    let shown = |path: &Path| path.display().to_string();
    for (name, value) in [
        ("session", json!(session.id)),
        ("agent", json!(session.agent)),
        ("cwd", json!(shown(&session.cwd))),
        ("project_root", json!(shown(&session.project_root))),
    ] {
        fields.insert(name.to_owned(), value);
    }
    Value::Object(fields).to_string()
}

/// The files of a check; `None` for every other event.
pub(super) fn files_of(event: &Event) -> Option<Vec<String>> {
    let mut files = Vec::new();
    event.visit(&mut |name, value| {
        if name == "files"
            && let FieldValue::Json(Value::Array(list)) = value
        {
            files.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
        }
    });
    (event.name().class() == ReplyClass::Check).then_some(files)
}
