//! Which files are hooks, in which order, under which ids.

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
#[test]
fn executables() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    let front_matter = "#!/bin/bash\n#---\n# name: Go format check\n# type: file\n#---\n";
    for (name, content, mode) in [
        ("fmt.sh", front_matter, 0o755),
        ("fmt", front_matter, 0o755),
        ("unclosed.sh", "#!/bin/sh\n#---\n# type: file\n", 0o755),
        ("forgotten.sh", front_matter, 0o644),
        ("plain.sh", "#!/bin/sh\necho\n", 0o755),
        ("tool.bin", "\u{7f}ELF\0\0", 0o755),
    ] {
        let path = sandbox.project(name, content);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    assert_snapshot!(sandbox.report_all(), @"
    Error .snaphook/hooks/fmt: is an executable hook, which this version of snaphook cannot run (write it as a script, or move it out of the hooks folder)
    Error .snaphook/hooks/fmt.sh: is an executable hook, which this version of snaphook cannot run (write it as a script, or move it out of the hooks folder)
    Warning .snaphook/hooks/forgotten.sh: has front matter but is not executable, so it is no hook (make it executable, or move it out of the hooks folder)
    Note .snaphook/hooks/plain.sh: is not a hook file
    Note .snaphook/hooks/tool.bin: is not a hook file
    Error .snaphook/hooks/unclosed.sh: is an executable hook, which this version of snaphook cannot run (write it as a script, or move it out of the hooks folder)
    ");
}
