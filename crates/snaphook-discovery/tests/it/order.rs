//! The files that are hooks, their order and their ids.

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, ids};

#[test]
fn scopes_then_natural_names() {
    let sandbox = Sandbox::new();
    for name in ["10-x.lua", "2-x.luau", "Alpha.rhai", "beta.lua", "02-y.lua"] {
        sandbox.user(name, "x()");
    }
    sandbox.file("managed/z.lua", "x()");
    sandbox.project("a.lua", "x()");
    sandbox.file("home/code/tools/extra.lua", "x()");
    sandbox.file("home/code/tools/earlier.lua", "x()");
    let discovery = sandbox.discover_with(&["tools/extra.lua", "tools/earlier.lua"]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook z (managed) [root]/managed/z.lua
    hook 2-x (user) ~/.config/snaphook/hooks/2-x.luau
    hook 02-y (user) ~/.config/snaphook/hooks/02-y.lua
    hook 10-x (user) ~/.config/snaphook/hooks/10-x.lua
    hook alpha (user) ~/.config/snaphook/hooks/Alpha.rhai
    hook beta (user) ~/.config/snaphook/hooks/beta.lua
    hook a (project) .snaphook/hooks/a.lua
    hook extra (adhoc) tools/extra.lua
    hook earlier (adhoc) tools/earlier.lua
    ");
}

#[test]
fn what_is_no_hook() {
    let sandbox = Sandbox::new();
    for silent in [
        "guard.test.lua",
        "guard.test.luau",
        "guard.test.rhai",
        "types.d.lua",
        "types.d.luau",
        "README",
        "README.md",
        "LICENSE",
        "LICENSE-MIT",
        "data.json",
        "config.toml",
        "list.txt",
        ".luarc.json",
        ".gitignore",
        "guard.lua~",
        "guard.lua.bak",
        "guard.lua.orig",
        ".guard.lua.swp",
        "#guard.lua#",
        "guard.lua.tmp",
    ] {
        sandbox.user(silent, "---\nname: x\n");
    }
    assert_eq!(sandbox.report_all(), "");
    for noted in [
        ".hidden.lua",
        "picture.png",
        "hooks.yaml",
        "guard.lau",
        "guard.lua.txt",
        "guard.lua.off",
        "guard.rai",
    ] {
        sandbox.user(noted, "---\nname: x\n");
    }
    sandbox.user("lib/helper.lua", "x()");
    sandbox.user("data/file.bin", "x");
    sandbox.user(".git/hook.lua", "x()");
    assert_snapshot!(sandbox.report_all(), @"
    Note ~/.config/snaphook/hooks/.hidden.lua: is hidden by its leading dot and not loaded
    Warning ~/.config/snaphook/hooks/guard.lau: is not loaded: its name does not end like a hook's (did you mean `.lua`?)
    Warning ~/.config/snaphook/hooks/guard.lua.off: is not loaded: its name does not end like a hook's (did you mean `.lua`?)
    Warning ~/.config/snaphook/hooks/guard.lua.txt: is not loaded: its name does not end like a hook's (did you mean `.lua`?)
    Warning ~/.config/snaphook/hooks/guard.rai: is not loaded: its name does not end like a hook's (did you mean `.rhai`?)
    Note ~/.config/snaphook/hooks/hooks.yaml: is not a hook file
    Note ~/.config/snaphook/hooks/lib: holds scripts but no init script, so none of them is a hook (folders are not searched: move the scripts up, or add an init script)
    Warning ~/.config/snaphook/hooks/picture.png: has front matter but is not executable, so it is no hook (make it executable, or move it out of the hooks folder)
    ");
}

#[test]
fn a_name_that_shouts_is_loaded() {
    let sandbox = Sandbox::new();
    sandbox.user("GUARD.LUA", "x()");
    sandbox.user("Other.Rhai", "x()");
    assert_snapshot!(sandbox.report_all(), @"
    hook guard (user) ~/.config/snaphook/hooks/GUARD.LUA
    hook other (user) ~/.config/snaphook/hooks/Other.Rhai
    ");
}

#[test]
fn git_ignored_hooks_do_not_vanish() {
    let sandbox = Sandbox::new();
    sandbox.file("home/code/.git/config", "");
    for ignore in [
        ".gitignore",
        ".ignore",
        ".snaphook/.gitignore",
        ".snaphook/hooks/.gitignore",
        ".snaphook/hooks/.ignore",
    ] {
        sandbox.file(&format!("home/code/{ignore}"), "*\n");
    }
    sandbox.project("guard.lua", "x()");
    assert_eq!(ids(&sandbox.discover()), ["guard"]);
}

#[test]
fn ids_stay_unique_and_an_earlier_scope_keeps_its_own() {
    let sandbox = Sandbox::new();
    sandbox.user("guard.lua", "x()");
    sandbox.user("guard.rhai", "x()");
    sandbox.user("guard/init.lua", "x()");
    sandbox.user("Gu ard!.lua", "x()");
    sandbox.user("проверка №1.lua", "x()");
    sandbox.user("---.lua", "x()");
    sandbox.project("guard.lua", "x()");
    sandbox.project("guard.luau", "x()");
    sandbox.file("home/code/more/guard.lua", "x()");
    sandbox.file("home/code/most/guard.lua", "x()");
    let discovery = sandbox.discover_with(&["more/guard.lua", "most/guard.lua"]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook hook (user) ~/.config/snaphook/hooks/---.lua
    hook gu-ard (user) ~/.config/snaphook/hooks/Gu ard!.lua
    hook guard (user) ~/.config/snaphook/hooks/guard/init.lua
    hook guard-lua (user) ~/.config/snaphook/hooks/guard.lua
    hook guard-rhai (user) ~/.config/snaphook/hooks/guard.rhai
    hook проверка-1 (user) ~/.config/snaphook/hooks/проверка №1.lua
    hook guard-lua-project (project) .snaphook/hooks/guard.lua
    hook guard-luau (project) .snaphook/hooks/guard.luau
    hook guard-lua-adhoc (adhoc) more/guard.lua
    hook guard-lua-adhoc-2 (adhoc) most/guard.lua
    ");
}

#[test]
fn a_hook_that_fails_to_load_keeps_its_id() {
    let sandbox = Sandbox::new();
    sandbox.user("guard.lua", "-----\n-- nope: 1\n-----\n");
    sandbox.project("guard.lua", "x()");
    assert_eq!(ids(&sandbox.discover()), ["guard-lua"]);
}

#[test]
fn a_thousand_files() {
    let sandbox = Sandbox::new();
    for number in (1..=1000).rev() {
        sandbox.project(&format!("{number}-hook.lua"), format!("-- {number}\n"));
    }
    let discovery = sandbox.discover();
    let expected = (1..=1000).map(|number| format!("{number}-hook")).collect::<Vec<_>>();
    assert_eq!(ids(&discovery), expected);
    assert!(discovery.problems.is_empty());
}

#[cfg(unix)]
#[test]
fn one_file_by_many_paths_is_one_hook() {
    let sandbox = Sandbox::new();
    let guard = sandbox.user("guard.lua", "x()");
    sandbox.link("home/.config/snaphook/hooks/zz.lua", "guard.lua");
    sandbox.link("home/code/.snaphook/hooks/mine.lua", &guard);
    sandbox.user("folder/init.lua", "x()");
    sandbox.link("home/code/.snaphook/hooks/linked", sandbox.path("home/.config/snaphook/hooks/folder"));
    let discovery = sandbox.discover_with(&["../.config/snaphook/hooks/guard.lua", guard.to_str().unwrap()]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook folder (user) ~/.config/snaphook/hooks/folder/init.lua
    hook guard (user) ~/.config/snaphook/hooks/guard.lua
    Note ~/.config/snaphook/hooks/zz.lua: is the same file as ~/.config/snaphook/hooks/guard.lua and counts once
    Note .snaphook/hooks/linked/init.lua: is the same file as ~/.config/snaphook/hooks/folder/init.lua and counts once
    Note .snaphook/hooks/mine.lua: is the same file as ~/.config/snaphook/hooks/guard.lua and counts once
    Note ../.config/snaphook/hooks/guard.lua: is the same file as ~/.config/snaphook/hooks/guard.lua and counts once
    Note [root]/home/.config/snaphook/hooks/guard.lua: is the same file as ~/.config/snaphook/hooks/guard.lua and counts once
    ");
}

#[cfg(unix)]
#[test]
fn a_hooks_folder_behind_a_link_is_read() {
    let sandbox = Sandbox::new();
    std::fs::remove_dir(sandbox.path("home/code/.snaphook/hooks")).unwrap();
    sandbox.file("home/code/tools/guard.lua", "x()");
    sandbox.link("home/code/.snaphook/hooks", sandbox.path("home/code/tools"));
    assert_snapshot!(sandbox.report_all(), @"hook guard (project) .snaphook/hooks/guard.lua");
}

#[test]
fn working_in_the_users_hooks_folder_finds_nothing_twice() {
    let sandbox = Sandbox::new();
    sandbox.user("guard.lua", "x()");
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home/.config/snaphook/hooks");
    let directories = snaphook_discovery::Directories::locate(&environment);
    let discovery = snaphook_discovery::discover(&directories, &[".".into()]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook guard (user) ~/.config/snaphook/hooks/guard.lua
    Note ./guard.lua: is the same file as ~/.config/snaphook/hooks/guard.lua and counts once
    ");
}

#[cfg(unix)]
fn with_mode(path: std::path::PathBuf, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn executables() {
    let sandbox = Sandbox::new();
    let front_matter =
        "#!/bin/bash\n#---\n# name: Go format check\n# type: file\n# pattern: \"*.go\"\n#---\n";
    for (name, content, mode) in [
        ("fmt.sh", front_matter, 0o755),
        ("fmt", front_matter, 0o755),
        ("license-check", front_matter, 0o755),
        ("notes.md", front_matter, 0o644),
        ("slashes.js", "#!/usr/bin/env node\n//---\n// event: agent_end\n//---\n", 0o755),
        ("bare", "#!/bin/sh\n---\ntype: session\n---\n", 0o755),
        ("unclosed.sh", "#!/bin/sh\n#---\n# type: file\n", 0o755),
        ("forgotten.sh", front_matter, 0o644),
        ("no_shebang.sh", "#---\n# type: session\n#---\n", 0o755),
        ("no_event.sh", "#!/bin/sh\n#---\n# name: x\n#---\n", 0o755),
        ("granted.sh", "#!/bin/sh\n#---\n# event: agent_end\n# grants:\n#   exec: [git]\n#---\n", 0o755),
        ("plain.sh", "#!/bin/sh\necho\n", 0o755),
        ("tool.bin", "\u{7f}ELF\0\0", 0o755),
        (".hidden.sh", front_matter, 0o755),
        ("fmt.sh~", front_matter, 0o755),
        ("fmt.sh.bak", front_matter, 0o755),
    ] {
        with_mode(sandbox.project(name, content), mode);
    }
    assert_snapshot!(sandbox.report_all(), @"
    hook bare (project) .snaphook/hooks/bare
    hook fmt (project) .snaphook/hooks/fmt
    hook fmt-sh (project) .snaphook/hooks/fmt.sh
    hook license-check (project) .snaphook/hooks/license-check
    hook slashes (project) .snaphook/hooks/slashes.js
    Error .snaphook/hooks/forgotten.sh: has a `#!` line and front matter but is not executable, so it cannot run (make it executable (`chmod +x`), or move it out of the hooks folder)
    Error .snaphook/hooks/granted.sh:2: `grants` are for scripts: nothing holds an executable to them (remove them: an executable can do whatever you can)
    Error .snaphook/hooks/no_event.sh:2: says of no event that it is for it (name one: `event: tool_call`, or `type: session`, `type: file` with a `pattern`, `type: pre-commit`)
    Error .snaphook/hooks/no_shebang.sh: is executable and has front matter, but no `#!` line, so it is no hook (begin it with `#!` and its interpreter, or move it out of the hooks folder)
    Note .snaphook/hooks/plain.sh: is not a hook file
    Note .snaphook/hooks/tool.bin: is not a hook file
    Error .snaphook/hooks/unclosed.sh:2: front matter is opened here and never closed (close it with a line `#---`; if this line is only a comment, use another number of dashes)
    ");
    let found = sandbox.discover();
    let fmt = found.hooks.iter().find(|hook| hook.hook.id == "fmt").unwrap();
    assert_eq!(fmt.language, snaphook_discovery::Language::Executable);
    assert_eq!(fmt.hook.name, "Go format check");
    assert_eq!(fmt.executable.as_ref().unwrap().patterns, ["*.go"]);
    // What runs is compared with it.
    assert_eq!(&*fmt.source, front_matter);
}

/// With the conventions of Discobot's folder: what is not a hook there is not a hook here, and unknown keys have no effect.
#[cfg(unix)]
#[test]
fn hooks_of_other_products() {
    let sandbox = Sandbox::new();
    with_mode(sandbox.project("b.sh", "#!/bin/sh\n#---\n# type: session\n#---\n"), 0o755);
    sandbox.user("own.lua", "x()");
    for (name, content, mode) in [
        ("10-a.sh", "#!/bin/sh\n#---\n# type: session\n# blocking: false\n#---\n", 0o755),
        ("9-b.sh", "#!/bin/sh\n#---\n# type: file\n# pattern: *.go\n# run_as: root\n#---\n", 0o755),
        ("no-type.sh", "#!/bin/sh\n#---\n# name: x\n#---\n", 0o755),
        ("other.sh", "#!/bin/sh\n#---\n# type: other\n#---\n", 0o755),
        ("patternless.sh", "#!/bin/sh\n#---\n# type: file\n#---\n", 0o755),
        ("not-executable.sh", "#!/bin/sh\n#---\n# type: session\n#---\n", 0o644),
        ("no-shebang.sh", "#---\n# type: session\n#---\n", 0o755),
        ("plain.sh", "#!/bin/sh\n", 0o755),
        (".hidden.sh", "#!/bin/sh\n#---\n# type: session\n#---\n", 0o755),
        ("folder/inside.sh", "#!/bin/sh\n#---\n# type: session\n#---\n", 0o755),
    ] {
        with_mode(sandbox.file(&format!("home/code/.discobot/hooks/{name}"), content), mode);
    }
    sandbox.file("home/code/.marvin/hooks/gate.lua", "x()");
    sandbox.file("home/code/.marvin/hooks/old.ts", "export default 1");
    sandbox.file("home/.config/marvin/hooks/mine.rhai", "x()");
    sandbox.file("home/.config/marvin/hooks/lib/deep.rhai", "x()");

    let alone = sandbox.report_all();
    let find = |products: &[snaphook_core::Product]| {
        let mut directories = sandbox.directories();
        directories.add_compat(products.iter().copied());
        let trust = sandbox.trust();
        let found = snaphook_discovery::discover_with(&directories, &[], &trust);
        sandbox.store().trust(found.project.iter().map(|hook| (&hook.key, &hook.candidate.raw))).unwrap();
        snaphook_discovery::discover_with(&directories, &[], &trust)
    };
    let all = find(&snaphook_core::Product::OTHERS);
    assert_snapshot!(sandbox.report(&all), @r#"
    hook own (user) ~/.config/snaphook/hooks/own.lua
    hook mine (user) ~/.config/marvin/hooks/mine.rhai
    hook b (project) .snaphook/hooks/b.sh
    hook 9-b (project) .discobot/hooks/9-b.sh
    hook 10-a (project) .discobot/hooks/10-a.sh
    hook gate (project) .marvin/hooks/gate.lua
    Note ~/.config/marvin/hooks/lib: holds scripts but no init script, so none of them is a hook (folders are not searched: move the scripts up, or add an init script)
    Note .discobot/hooks/9-b.sh:5: `run_as` is a key of what runs at the start, and this is for `files_changed` (it has no effect here)
    Note .discobot/hooks/10-a.sh:4: `blocking` is no key that snaphook knows, and has no effect
    Warning .discobot/hooks/no-shebang.sh: is executable and has front matter, but no `#!` line, so it is no hook
    Warning .discobot/hooks/no-type.sh: has front matter without a `type` of session, file or pre-commit, so it is no hook
    Warning .discobot/hooks/not-executable.sh: has front matter but is not executable, so it is no hook
    Warning .discobot/hooks/other.sh: has front matter without a `type` of session, file or pre-commit, so it is no hook
    Warning .discobot/hooks/patternless.sh:3: `type: file` needs a `pattern`; until it is fixed, this check fails (name the files that it checks: `pattern: "*.go"`, or `pattern: "*"` for all)
    Note .discobot/hooks/plain.sh: is not a hook file
    Warning .marvin/hooks/old.ts: is a hook in TypeScript, which snaphook does not run (port it: `marvin.on("tool_call", …)` becomes `on("tool_call", …)` in Lua or Rhai; see docs/commands.md)
    "#);
    let names: Vec<_> = all.project.iter().map(|hook| format!("{} {}", hook.name, hook.key.hook)).collect();
    assert_snapshot!(names.join("\n"), @"
    b b.sh
    9-b .discobot/hooks/9-b.sh
    10-a .discobot/hooks/10-a.sh
    gate .marvin/hooks/gate.lua
    ");
    assert_eq!(sandbox.report_all(), alone, "only who asks for them gets them");
    assert!(!alone.contains(".discobot") && !alone.contains("marvin"), "{alone}");
}
