//! Keys get their types here, each error with its line. Not here: reading the block or its YAML.

use snaphook_core::{ExecGrant, GrantError, NetGrant, OnFailure, PathGrant, Product, env_name, nearest};
use snaphook_script::glob::{BadGlob, Globs};

use super::block::FileKind;
use super::executable::Keys;
use super::faults::{duplicates, text, unknown_key, wrong_type};
use super::keys::{EXECUTABLE_KEYS, KNOWN_KEYS, ON_FAILURE, SCRIPT_KEYS};
use super::values::{Entry, Node, TextPosition, Value};
use super::{API_VERSION, FrontMatter, GRANT_KINDS, Grants, examples};
use crate::diagnostic::Diagnostic;
use crate::display::quoted;

const MAX_NAME_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 1000;
/// Told about one file at a time; a hostile one could have tens of thousands.
const MAX_FAULTS: usize = 20;

/// Types the keys of a file's front matter; collects every fault. What another product has and we pass over is a remark.
pub(super) fn check(
    entries: Vec<Entry>,
    kind: FileKind,
    product: Product,
) -> Result<(FrontMatter, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut front_matter = FrontMatter::default();
    let mut keys = Keys::default();
    let mut remarks = Vec::new();
    let mut diagnostics = duplicates(&entries, "");
    let mut withholds = None;
    for entry in entries {
        let key = entry.key.as_str();
        let known = KNOWN_KEYS.contains(&key) && !SCRIPT_KEYS.contains(&key);
        if product == Product::Discobot && !known {
            let message = format!("`{}` is no key that snaphook knows, and has no effect", quoted(key));
            remarks.push(Diagnostic::at(entry.position.line, message));
            continue;
        }
        if entry.key == ON_FAILURE {
            withholds = Some(entry.position.line);
        }
        if let Err(found) = check_entry(&mut front_matter, &mut keys, entry, (kind, product), &mut remarks) {
            diagnostics.extend(found);
        }
    }
    if diagnostics.is_empty() {
        match keys.finish(product, &mut remarks) {
            Ok(executable) => front_matter.executable = executable,
            Err(found) => diagnostics = found,
        }
    }
    let event = front_matter.executable.as_ref().map(|executable| &executable.event);
    let other = event.filter(|event| !event.can_be_withheld());
    if let Some((line, event)) = withholds.zip(other) {
        let message = format!(
            "`{ON_FAILURE}` is a key of hooks for `tool_result` and `mcp.server_message`, and this is for `{event}`"
        );
        diagnostics.push(Diagnostic::at(line, message).help("remove it"));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    if let Some(more) = diagnostics.len().checked_sub(MAX_FAULTS).filter(|more| *more > 0) {
        diagnostics.truncate(MAX_FAULTS);
        if let Some(last) = diagnostics.last_mut() {
            last.message.push_str(&format!("; and {more} more faults below"));
        }
    }
    if diagnostics.is_empty() { Ok((front_matter, remarks)) } else { Err(diagnostics) }
}

fn check_entry(
    front_matter: &mut FrontMatter,
    keys: &mut Keys,
    entry: Entry,
    (kind, product): (FileKind, Product),
    remarks: &mut Vec<Diagnostic>,
) -> Result<(), Vec<Diagnostic>> {
    let Entry { key, position, node } = entry;
    let line = position.line;
    match key.as_str() {
        "name" => front_matter.name = Some(text(&key, line, &node, MAX_NAME_CHARS)?),
        "description" => front_matter.description = Some(text(&key, line, &node, MAX_DESCRIPTION_CHARS)?),
        "api" => front_matter.api = Some(api(line, &node)?),
        "grants" => front_matter.grants = grants(line, node)?,
        ON_FAILURE => front_matter.on_failure = on_failure(line, &node)?,
        "examples" => front_matter.examples = examples::read(line, node)?,
        executable if EXECUTABLE_KEYS.contains(&executable) => {
            if kind != FileKind::Executable {
                return Err(vec![
                    Diagnostic::at(line, format!("`{key}` is a key of executable hooks, not of scripts"))
                        .help("a script names its events and filters in its `on(…)` calls"),
                ]);
            }
            keys.take(Entry { key, position, node }, product, remarks)?;
        }
        unknown => return Err(vec![unknown_key(unknown, "key", &keys_for(kind), line)]),
    }
    Ok(())
}

fn keys_for(kind: FileKind) -> Vec<&'static str> {
    let legal = |key: &&str| kind == FileKind::Executable || !EXECUTABLE_KEYS.contains(key);
    KNOWN_KEYS.into_iter().filter(legal).collect()
}

fn api(line: u32, node: &Node) -> Result<u32, Vec<Diagnostic>> {
    let Value::Int(number) = node.value else {
        return Err(wrong_type("api", "a whole number", line, &node.value));
    };
    match u32::try_from(number) {
        Ok(api) if (1..=API_VERSION).contains(&api) => Ok(api),
        _ if number > i64::from(API_VERSION) => Err(vec![
            Diagnostic::at(line, format!("hook needs api {number}, this snaphook offers {API_VERSION}"))
                .help("upgrade snaphook"),
        ]),
        _ => Err(vec![
            Diagnostic::at(line, format!("there is no api {number}"))
                .help(format!("write `api: {API_VERSION}`")),
        ]),
    }
}

fn on_failure(line: u32, node: &Node) -> Result<OnFailure, Vec<Diagnostic>> {
    let name = text(ON_FAILURE, line, node, MAX_NAME_CHARS)?;
    OnFailure::from_name(&name).ok_or_else(|| {
        let near = nearest(&name, OnFailure::NAMES.iter().copied())
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        let diagnostic = Diagnostic::at(line, format!("`{ON_FAILURE}` is `{}`{near}", quoted(&name)));
        vec![diagnostic.help("it may be keep or withhold")]
    })
}

fn grants(line: u32, node: Node) -> Result<Grants, Vec<Diagnostic>> {
    let entries = match node.value {
        Value::Map(entries) => entries,
        other => {
            let mut diagnostics = wrong_type("grants", "a map", line, &other);
            for diagnostic in &mut diagnostics {
                diagnostic.help = Some(format!(
                    "name each grant, for example `exec: [git]`; there are {}",
                    GRANT_KINDS.join(", ")
                ));
            }
            return Err(diagnostics);
        }
    };
    let mut grants = Grants::default();
    let mut diagnostics = duplicates(&entries, "grants.");
    for Entry { key, position: TextPosition { line, .. }, node } in entries {
        let list = match key.as_str() {
            "exec" => &mut grants.exec,
            "read" => &mut grants.read,
            "write" => &mut grants.write,
            "net" => &mut grants.net,
            "env" => &mut grants.env,
            unknown => {
                diagnostics.push(unknown_key(unknown, "grant", &GRANT_KINDS, line));
                continue;
            }
        };
        match grant_list(&key, line, node) {
            Ok(granted) => *list = granted,
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() { Ok(grants) } else { Err(diagnostics) }
}

fn grant_list(kind: &str, line: u32, node: Node) -> Result<Vec<String>, Vec<Diagnostic>> {
    let key = format!("grants.{kind}");
    match node.value {
        Value::List(nodes) => nodes.iter().map(|node| granted(kind, &key, node)).collect(),
        Value::Text(value) => Err(vec![
            Diagnostic::at(line, format!("`{key}` has to be a list, but it is text"))
                .help(format!("write `[{}]`", quoted(&value))),
        ]),
        other => Err(wrong_type(&key, "a list", line, &other)),
    }
}

/// One entry of a list of grants, which has to be one that can be held.
fn granted(kind: &str, key: &str, node: &Node) -> Result<String, Vec<Diagnostic>> {
    let entry = text(key, node.position.line, node, MAX_DESCRIPTION_CHARS)?;
    let checked = match kind {
        "exec" => ExecGrant::parse(&entry).map(drop).map_err(WrongGrant::from),
        "net" => NetGrant::parse(&entry).map(drop).map_err(WrongGrant::from),
        "read" | "write" => paths(&entry),
        "env" => env_name(&entry).map_err(WrongGrant::from),
        _ => Ok(()),
    };
    match checked {
        Ok(()) => Ok(entry),
        Err(wrong) => Err(vec![Diagnostic::at(node.position.line, format!("`{key}`: {wrong}"))]),
    }
}

/// Looks at an entry of `read` or `write` as the host will.
fn paths(entry: &str) -> Result<(), WrongGrant> {
    let grant = PathGrant::parse(entry)?;
    Globs::new([grant.pattern.as_str()])?;
    Ok(())
}

/// The reason why an entry of a list of grants cannot be held.
#[derive(Debug, thiserror::Error)]
enum WrongGrant {
    /// It is not written as its kind is.
    #[error(transparent)]
    Entry(#[from] GrantError),
    /// A path whose pattern is no glob.
    #[error(transparent)]
    Pattern(#[from] BadGlob),
}
