//! Switches: settings of an agent that keep it from running hooks which are registered. The adapters know them
//! (`Agent::switched_off`); here their files are found and read.

use std::path::Path;

use serde_json::Value;
use snaphook_adapters::SettingsFile;
use snaphook_adapters::install::Reach;

use crate::doctor::Check;
use crate::doctor::settings::SettingsText;
use crate::install::{SettingsTarget, json, toml};
use crate::{EditError, files};

/// Finds what switches hooks off that are registered in `known`.
pub(super) fn checks(target: &SettingsTarget<'_>, known: &[SettingsText], about: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut files: Vec<SettingsFile> = Vec::new();
    for file in known {
        if let Ok(text) = &file.text {
            files.push(read(target.reach, &file.edit.file, &file.path, text.clone()).0);
        }
    }
    for (reach, name) in target.agent.profile().switch_files {
        let Ok(path) = (SettingsTarget { reach: *reach, ..*target }).path(name) else { continue };
        // In the home folder the person's settings are the project's.
        if files.iter().any(|file| Path::new(&file.path) == path) {
            continue;
        }
        let text = match files::read(&path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                checks.push(unreadable(target, &path, &error.to_string(), about));
                continue;
            }
        };
        let (file, wrong) = read(*reach, name, &path, text);
        if let Some(wrong) = wrong {
            checks.push(unreadable(target, &path, &wrong.to_string(), about));
        }
        files.push(file);
    }
    let agent = target.agent;
    checks.extend(agent.switched_off(target.reach, &files).into_iter().map(|off| {
        let file = target.directories.relative(Path::new(&off.path));
        Check::wrong(
            about,
            format!("{} runs no hook of snaphook: {} in {file}", agent.title(), off.what),
            off.remedy,
        )
    }));
    checks
}

fn unreadable(target: &SettingsTarget<'_>, path: &Path, error: &str, about: &str) -> Check {
    let text =
        format!("{} cannot be read, so it may switch hooks off: {error}", target.directories.relative(path));
    Check::wrong(about, text, "fix the file")
}

/// Returns the file with its document, and the error of one whose document cannot be read.
fn read(reach: Reach, name: &str, path: &Path, text: String) -> (SettingsFile, Option<EditError>) {
    let parsed = match name.rsplit('.').next() {
        _ if text.trim().is_empty() => Ok(Value::Null),
        Some("json") => json::value(&text),
        Some("toml") => toml::document(&text),
        _ => Ok(Value::Null),
    };
    let (document, wrong) = match parsed {
        Ok(document) => (document, None),
        Err(error) => (Value::Null, Some(error)),
    };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = SettingsFile {
        reach,
        file: name.to_owned(),
        path: path.to_string_lossy().into_owned(),
        real: real.to_string_lossy().into_owned(),
        text,
        document,
    };
    (file, wrong)
}
