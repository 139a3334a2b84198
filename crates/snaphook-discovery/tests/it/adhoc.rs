//! `--hook PATH`: it was asked for, so it is there or there is an error.

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, ids};

#[test]
fn files_and_folders_in_the_order_given() {
    let sandbox = Sandbox::new();
    sandbox.file("home/code/z.lua", "x()");
    sandbox.file("home/code/a-test.lua", "x()");
    sandbox.file("home/code/.hidden.rhai", "x()");
    sandbox.file("home/code/one/init.lua", "x()");
    sandbox.file("home/code/one/bad.lua", "x()");
    sandbox.file("home/code/many/2.lua", "x()");
    sandbox.file("home/code/many/1.lua", "x()");
    sandbox.file("elsewhere/far.lua", "x()");
    let far = sandbox.path("elsewhere/far.lua");
    let discovery = sandbox.discover_with(&[
        "z.lua",
        "a-test.lua",
        ".hidden.rhai",
        "./one",
        "many/",
        far.to_str().unwrap(),
    ]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook z (adhoc) z.lua
    hook a-test (adhoc) a-test.lua
    hook hidden (adhoc) .hidden.rhai
    hook one (adhoc) ./one/init.lua
    hook 1 (adhoc) many/1.lua
    hook 2 (adhoc) many/2.lua
    hook far (adhoc) [root]/elsewhere/far.lua
    ");
}

#[test]
fn what_is_not_there() {
    let sandbox = Sandbox::new();
    sandbox.file("home/code/readme.md", "");
    sandbox.file("home/code/guard.sh", "#!/bin/sh\n");
    sandbox.file("home/code/docs/guide.md", "");
    sandbox.file("home/code/guard.test.lua", "");
    sandbox.file("home/code/types.d.luau", "");
    sandbox.file("home/code/bad/x.lua", [0xff]);
    #[cfg(unix)]
    sandbox.link("home/code/broken.lua", "gone.lua");
    let discovery = sandbox.discover_with(&[
        "gone.lua",
        "broken.lua",
        "readme.md",
        "guard.sh",
        "guard.test.lua",
        "types.d.luau",
        "docs",
        "bad",
        "",
        "bad/x.lua/y",
    ]);
    assert!(ids(&discovery).is_empty());
    assert_snapshot!(sandbox.report(&discovery), @"
    Error gone.lua: does not exist (check the path)
    Error broken.lua: is a broken link (fix the link)
    Error readme.md: is not a hook file (a hook ends in .lua, .luau or .rhai, or is an executable with front matter)
    Error guard.sh: is not a hook file (a hook ends in .lua, .luau or .rhai, or is an executable with front matter)
    Error guard.test.lua: is a test, not a hook (run it with `snaphook test`)
    Error types.d.luau: is a type stub, not a hook (name the hook)
    Error docs: holds no hook (check the path)
    Error bad/x.lua:1: is not UTF-8: byte 0xff (save it as UTF-8)
    Error --hook: names no file (give it a path)
    Error bad/x.lua/y: cannot be read: not a directory (check the path and its permissions)
    ");
}

#[test]
fn a_fault_in_a_module_is_shown_under_the_path_that_was_given() {
    let sandbox = Sandbox::new();
    sandbox.file("home/code/one/init.lua", "x()");
    sandbox.file("home/code/one/lib/bad.lua", [b'\n', 0xff]);
    sandbox.file("home/code/one/lib/init.rhai/x", "");
    assert_snapshot!(sandbox.report(&sandbox.discover_with(&["../code/one"])), @"Error ../code/one/lib/bad.lua:2: is not UTF-8: byte 0xff (save it as UTF-8)");
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home/code/one");
    let directories = snaphook_discovery::Directories::locate(&environment);
    std::fs::remove_file(sandbox.path("home/code/one/lib/bad.lua")).unwrap();
    let discovery = snaphook_discovery::discover(&directories, &[".".into()]);
    assert_snapshot!(sandbox.report(&discovery), @"hook one (adhoc) ./init.lua");
}

#[test]
fn the_same_path_twice_is_one_hook() {
    let sandbox = Sandbox::new();
    sandbox.project("guard.lua", "x()");
    let discovery = sandbox.discover_with(&[".snaphook/hooks/guard.lua", ".snaphook/hooks"]);
    assert_snapshot!(sandbox.report(&discovery), @"
    hook guard (project) .snaphook/hooks/guard.lua
    Note .snaphook/hooks/guard.lua: is found twice and counts once
    Note .snaphook/hooks/guard.lua: is found twice and counts once
    ");
}
