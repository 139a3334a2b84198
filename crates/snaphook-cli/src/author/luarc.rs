//! `.luarc.json`, the settings of the Lua language server and of EmmyLua: made, or extended by the one entry that is
//! missing. What is there stays as it is, comments included. Not here: writing it (`types`).

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};

/// The names under which the setting is found, in the order in which they are looked for.
const NAMES: [&str; 2] = ["workspace.library", "Lua.workspace.library"];
/// Symbols of Luau's that plain Lua has not.
const SYMBOLS: &str = r#"["`", "+=", "-=", "*=", "/=", "%=", "^=", "//=", "continue"]"#;

/// The change to the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It names the folder already.
    None,
    /// This is the text to write.
    Write(String),
}

/// A new file that names `folder`.
pub(crate) fn fresh(folder: &str) -> String {
    let folder = serde_json::Value::from(folder);
    format!("{{\n  \"workspace.library\": [{folder}],\n  \"runtime.nonstandardSymbol\": {SYMBOLS}\n}}\n")
}

/// The file's text with `folder` named in it.
///
/// # Errors
/// The reason why only a person can add it.
pub(crate) fn extend(text: &str, folder: &str) -> Result<Change, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is not JSON: {error}"))?;
    if root.value().is_none() {
        return Ok(Change::Write(fresh(folder)));
    }
    let object = root.object_value().ok_or("it is no object")?;
    if let Some(list) = library(&object)? {
        if names(&list, folder) {
            return Ok(Change::None);
        }
        list.append(CstInputValue::String(folder.to_owned()));
    } else {
        object.append(NAMES[0], CstInputValue::Array(vec![CstInputValue::String(folder.to_owned())]));
    }
    Ok(Change::Write(root.to_string()))
}

/// The list of folders, under whichever of its names.
fn library(object: &CstObject) -> Result<Option<CstArray>, String> {
    for name in NAMES {
        if let Some(found) = object.get(name) {
            return found.array_value().map(Some).ok_or(format!("`{name}` is no list"));
        }
    }
    let nested = ["Lua", ""].iter().find_map(|outer| {
        let within = if outer.is_empty() { Some(object.clone()) } else { object.object_value(outer) };
        within
            .and_then(|within| within.object_value("workspace"))
            .and_then(|workspace| workspace.get("library"))
    });
    nested.map(|found| found.array_value().ok_or("`workspace.library` is no list".to_owned())).transpose()
}

fn names(list: &CstArray, folder: &str) -> bool {
    let plain = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
    list.elements().iter().any(|element| {
        let text = element.as_string_lit().and_then(|text| text.decoded_value().ok());
        text.is_some_and(|text| plain(&text) == plain(folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = ".snaphook/types";

    #[test]
    fn a_fresh_file_names_the_folder() {
        let text = fresh(FOLDER);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["workspace.library"][0], FOLDER);
        assert_eq!(extend(&text, FOLDER), Ok(Change::None));
        assert_eq!(extend("", FOLDER), Ok(Change::Write(text)));
    }

    #[test]
    fn what_is_there_stays() {
        for (before, after) in [
            ("{}", "{\n  \"workspace.library\": [\".snaphook/types\"]\n}"),
            (
                "{\n  // mine\n  \"diagnostics.globals\": [\"vim\"], /* all */\n}\n",
                "{\n  // mine\n  \"diagnostics.globals\": [\"vim\"], /* all */\n  \"workspace.library\": [\".snaphook/types\"],\n}\n",
            ),
            (
                "{\n  \"workspace.library\": [\n    \"lib\" // theirs\n  ]\n}\n",
                "{\n  \"workspace.library\": [\n    \"lib\", // theirs\n    \".snaphook/types\"\n  ]\n}\n",
            ),
            (
                "{ \"Lua.workspace.library\": [\"a\"] }",
                "{ \"Lua.workspace.library\": [\"a\", \".snaphook/types\"] }",
            ),
            (
                "{ \"workspace\": { \"library\": [\"a\"] } }",
                "{ \"workspace\": { \"library\": [\"a\", \".snaphook/types\"] } }",
            ),
            (
                "{ \"Lua\": { \"workspace\": { \"library\": [] } } }",
                "{ \"Lua\": { \"workspace\": { \"library\": [\".snaphook/types\"] } } }",
            ),
        ] {
            assert_eq!(extend(before, FOLDER), Ok(Change::Write(after.to_owned())), "{before}");
            assert_eq!(extend(after, FOLDER), Ok(Change::None), "a second time changes nothing: {after}");
        }
        assert_eq!(extend("{ \"workspace.library\": [\"./.snaphook/types/\"] }", FOLDER), Ok(Change::None));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for text in
            ["[]", "{", "{ \"workspace.library\": \"a\" }", "{ \"workspace\": { \"library\": {} } }", "5"]
        {
            assert!(extend(text, FOLDER).is_err(), "{text}: {:?}", extend(text, FOLDER));
        }
    }
}
