//! `name/init.lua`: every script of the folder is read with it, and nothing from outside.

use std::collections::BTreeMap;

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, ids};

#[test]
fn every_script_of_the_folder_is_in_memory() {
    let sandbox = Sandbox::new();
    sandbox.user("guard/init.lua", "-----\n-- name: Guard\n-----\nrequire('./lib/paths')\n");
    sandbox.user("guard/rules.luau", "\u{feff}#!shebang\nreturn 1\n");
    sandbox.user("guard/lib/paths.lua", "return {}\n");
    for left_out in [
        "guard/init.test.lua",
        "guard/types.d.luau",
        "guard/.x.lua",
        "guard/.git/x.lua",
        "guard/a.json",
        "guard/x.rhai",
    ] {
        sandbox.user(left_out, "---");
    }
    let discovery = sandbox.discover();
    assert_snapshot!(sandbox.report(&discovery), @"hook guard (user) ~/.config/snaphook/hooks/guard/init.lua");
    let guard = &discovery.hooks[0];
    assert_eq!(guard.hook.name, "Guard");
    let modules = guard.modules.clone().unwrap().into_iter().map(|(name, text)| (name, text.to_string()));
    let expected = [("lib/paths.lua", "return {}\n"), ("rules.luau", "\nreturn 1\n")];
    assert_eq!(
        modules.collect::<BTreeMap<_, _>>(),
        expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into()
    );
    assert_eq!(guard.raw.keys().collect::<Vec<_>>(), ["init.lua", "lib/paths.lua", "rules.luau"]);
    assert!(guard.raw["rules.luau"].starts_with(b"\xef\xbb\xbf#!"));
}

#[test]
fn a_single_file_has_no_modules() {
    let sandbox = Sandbox::new();
    sandbox.user("guard.lua", "x()");
    sandbox.user("init.lua", "x()");
    let discovery = sandbox.discover();
    assert_eq!(ids(&discovery), ["guard", "init"]);
    assert!(discovery.hooks.iter().all(|hook| hook.modules.is_none()));
}

#[test]
fn what_stops_a_folder_hook() {
    let sandbox = Sandbox::new();
    sandbox.user("a-two/init.lua", "x()");
    sandbox.user("a-two/init.rhai", "x()");
    sandbox.user("b-bad/init.lua", "x()");
    sandbox.user("b-bad/lib/nul.lua", "x()\n\0");
    sandbox.user("b-bad/lib/latin.lua", [b'\n', 0xe9]);
    sandbox.user("c-big/init.lua", "x()");
    for number in 0..5 {
        sandbox.user(&format!("c-big/{number}.lua"), vec![b'\n'; 1000 * 1024]);
    }
    sandbox.user("d-many/init.lua", "x()");
    for number in 0..256 {
        sandbox.user(&format!("d-many/{number}.lua"), "x()");
    }
    sandbox.user("e-deep/init.lua", "x()");
    sandbox.user("e-deep/1/2/3/4/5/6/7/8/x.lua", "x()");
    sandbox.user("f-fine/init.lua", "x()");
    sandbox.user("f-fine/1/2/3/4/5/6/7/x.lua", "x()");
    assert_snapshot!(sandbox.report_all(), @r"
    hook f-fine (user) ~/.config/snaphook/hooks/f-fine/init.lua
    Error ~/.config/snaphook/hooks/a-two: has two entry scripts, init.lua and init.rhai (keep one of them)
    Error ~/.config/snaphook/hooks/b-bad/lib/latin.lua:2: is not UTF-8: byte 0xe9 (save it as UTF-8)
    Error ~/.config/snaphook/hooks/b-bad/lib/nul.lua:2: contains a NUL byte (write it as an escape (`\0` in a string), or remove it)
    Error ~/.config/snaphook/hooks/c-big: holds more than 4 MiB of scripts (keep only the hook's own scripts in its folder)
    Error ~/.config/snaphook/hooks/d-many: holds more than 256 scripts (keep only the hook's own scripts in its folder)
    Error ~/.config/snaphook/hooks/e-deep/1/2/3/4/5/6/7/8/x.lua: is more than 8 folders deep (move it up)
    ");
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_hook() {
    let sandbox = Sandbox::new();
    let hooks = "home/.config/snaphook/hooks";
    sandbox.file("outside/secret.lua", "x()");
    for name in ["inside", "leaves", "leaves-by-folder", "loops", "nowhere"] {
        sandbox.user(&format!("{name}/init.lua"), "x()");
    }
    sandbox.user("inside/a.lua", "return 'a'");
    sandbox.link(&format!("{hooks}/inside/b.lua"), "a.lua");
    sandbox.file("outside/data.json", "{}");
    sandbox.link(&format!("{hooks}/inside/data.json"), sandbox.path("outside/data.json"));
    sandbox.link(&format!("{hooks}/leaves/x.lua"), sandbox.path("outside/secret.lua"));
    sandbox.link(&format!("{hooks}/leaves-by-folder/lib"), sandbox.path("outside"));
    sandbox.link(&format!("{hooks}/loops/again"), "..");
    sandbox.link(&format!("{hooks}/loops/self"), ".");
    sandbox.link(&format!("{hooks}/nowhere/x.lua"), "gone.lua");
    std::fs::create_dir(sandbox.path(&format!("{hooks}/entry"))).unwrap();
    sandbox.link(&format!("{hooks}/entry/init.lua"), sandbox.path("outside/secret.lua"));
    let discovery = sandbox.discover();
    assert_snapshot!(sandbox.report(&discovery), @"
    hook inside (user) ~/.config/snaphook/hooks/inside/init.lua
    Error ~/.config/snaphook/hooks/entry/init.lua: is a link that leaves the hook's folder (copy what it leads to into the folder)
    Error ~/.config/snaphook/hooks/leaves/x.lua: is a link that leaves the hook's folder (copy what it leads to into the folder)
    Error ~/.config/snaphook/hooks/leaves-by-folder/lib: is a link that leaves the hook's folder (copy what it leads to into the folder)
    Error ~/.config/snaphook/hooks/loops/again: is a link that leaves the hook's folder (copy what it leads to into the folder)
    Error ~/.config/snaphook/hooks/loops/self: is a link to a folder, which is not followed (replace the link by the folder)
    Error ~/.config/snaphook/hooks/nowhere/x.lua: is a broken link (fix it or remove it)
    ");
    assert_eq!(&*discovery.hooks[0].modules.as_ref().unwrap()["b.lua"], "return 'a'");
}
