//! `snaphook types`: what it writes, where, and what it leaves alone.

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

fn project() -> Sandbox {
    let place = Sandbox::new();
    std::fs::create_dir_all(place.path("project/.git")).unwrap();
    place
}

fn read(place: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn changes(said: &CommandOutput) -> String {
    let document = said.document();
    let files = document["files"].as_array().unwrap().clone();
    let one = |file: &Value| {
        let path = file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        format!("{path}: {}", file["change"].as_str().unwrap())
    };
    files.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_declarations_are_written_once() {
    let place = project();
    let said = place.run(&["types"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
    let lines: Vec<_> = said.stdout.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "written .snaphook/types/snaphook.d.lua",
            "written .snaphook/types/snaphook.d.luau",
            "written .luarc.json"
        ]
    );
    assert!(said.stdout.contains(
        "\"luau-lsp.types.definitionFiles\": { \"@snaphook\": \".snaphook/types/snaphook.d.luau\" }"
    ));
    let luals = read(&place, "project/.snaphook/types/snaphook.d.lua");
    assert!(
        luals.starts_with("---@meta\n") && luals.contains("---@overload fun(event: \"tool_call\", "),
        "{luals}"
    );
    let luau = read(&place, "project/.snaphook/types/snaphook.d.luau");
    assert!(luau.contains("declare on:") && luau.contains("export type ShellCommand = {"), "{luau}");
    let luarc: Value = serde_json::from_str(&read(&place, "project/.luarc.json")).unwrap();
    assert_eq!(luarc["workspace.library"][0], ".snaphook/types");

    let said = place.run(&["types", "--json"]);
    assert_eq!(changes(&said), "snaphook.d.lua: same, snaphook.d.luau: same, .luarc.json: same");
    // They are no hooks: the one that is there is built in.
    let said = place.run(&["list", "--json"]);
    assert_eq!((said.code, said.document()["hooks"].as_array().unwrap().len()), (0, 1));
}

#[test]
fn an_old_file_is_replaced() {
    let place = project();
    place.write("project/.snaphook/types/snaphook.d.lua", "---@meta\n-- of an old version\n");
    let said = place.run(&["types", "--json"]);
    assert_eq!(changes(&said), "snaphook.d.lua: written, snaphook.d.luau: written, .luarc.json: written");
    assert!(!read(&place, "project/.snaphook/types/snaphook.d.lua").contains("old version"));
}

#[test]
fn settings_that_are_there_stay() {
    let place = project();
    place.write("project/.luarc.json", "{\n  // vim only\n  \"diagnostics.globals\": [\"vim\"]\n}\n");
    let said = place.run(&["types"]);
    assert!(said.stdout.contains("extended .luarc.json\n"), "{said:?}");
    let text = read(&place, "project/.luarc.json");
    assert!(
        text.contains("// vim only") && text.contains("[\"vim\"]") && text.contains("[\".snaphook/types\"]"),
        "{text}"
    );
    assert!(changes(&place.run(&["types", "--json"])).ends_with(".luarc.json: same"));
}

#[test]
fn settings_that_are_not_understood_are_left_alone() {
    let place = project();
    place.write("project/.luarc.json", "{ \"workspace.library\": \"lib\" ");
    let said = place.run(&["types"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("add to it: \"workspace.library\": [\".snaphook/types\"]"), "{said:?}");
    assert_eq!(read(&place, "project/.luarc.json"), "{ \"workspace.library\": \"lib\" ");
}

#[test]
fn another_folder_has_its_settings_beside_it() {
    let place = project();
    let inside = place.run(&["types", "--dir", "editor/lua", "--json"]);
    assert_eq!(changes(&inside), "snaphook.d.lua: written, snaphook.d.luau: written, .luarc.json: written");
    assert!(read(&place, "project/.luarc.json").contains("\"editor/lua\""));

    let outside = place.run(&["types", "--dir", "../config/types", "--json"]);
    assert_eq!(outside.code, 0, "{outside:?}");
    assert!(read(&place, "config/.luarc.json").contains("[\"types\"]"));
    assert!(read(&place, "config/types/snaphook.d.luau").contains("declare on:"));
}

#[test]
fn usage_is_told() {
    let place = Sandbox::new();
    let said = place.run(&["types"]);
    assert_eq!(said.code, 64, "{said:?}");
    assert!(said.stderr.contains("is in no project") && said.stderr.contains("--dir"), "{said:?}");
    assert!(!place.path("project/.snaphook").exists(), "nothing was made");

    place.write("project/file", "");
    let said = place.run(&["types", "--dir", "file"]);
    assert_eq!(said.code, 64, "{said:?}");
    assert!(said.stderr.contains("--dir file is not a folder"), "{said:?}");
    assert_eq!(place.run(&["types", "--reference", "--json"]).code, 64);
}

#[test]
fn the_reference_is_printed() {
    let place = Sandbox::new();
    let said = place.run(&["types", "--reference"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(said.stdout, crate::tree::text("docs/reference.md"));
}
