//! Files and folders that cannot be hooks: each is read right or is a problem with path and line, and the hook
//! beside it loads.

use insta::assert_snapshot;
use snaphook_core::Severity;

use crate::sandbox::{Sandbox, ids};

/// Puts `bad.lua` beside a good hook and reports.
fn report(content: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::new();
    sandbox.project("bad.lua", content);
    sandbox.project("good.lua", "x()");
    let discovery = sandbox.discover();
    assert!(ids(&discovery).contains(&"good"));
    sandbox.report(&discovery)
}

#[test]
fn bytes_that_are_no_text() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let mut report_of = String::new();
    for (what, content) in [
        ("latin-1", b"-- one\n-- two\n-- caf\xe9\n".to_vec()),
        ("truncated", b"-- \xf0\x9f\x98".to_vec()),
        ("nul", b"x()\ny()\n\0\n".to_vec()),
        ("bom", b"\xef\xbb\xbf\xff\n".to_vec()),
        ("utf-16 bom", [vec![0xff, 0xfe], utf16("on()\n")].concat()),
        ("utf-16 no bom", utf16("on()\n")),
        ("utf-32", vec![0xff, 0xfe, 0, 0, b'o', 0, 0, 0]),
        ("mac lines", b"-- a\r\nx()\r\n-- comment\ron()\r".to_vec()),
        ("mac end", b"x()\r".to_vec()),
        ("big", vec![b' '; 1024 * 1024 + 1]),
    ] {
        let text = report(content);
        let bad = text.lines().filter(|line| !line.starts_with("hook good")).collect::<Vec<_>>().join("\n");
        report_of.push_str(&format!("{what}: {bad}\n"));
    }
    assert_snapshot!(report_of, @r"
    latin-1: Error .snaphook/hooks/bad.lua:3: is not UTF-8: byte 0xe9 (save it as UTF-8)
    truncated: Error .snaphook/hooks/bad.lua:1: is not UTF-8: byte 0xf0 (save it as UTF-8)
    nul: Error .snaphook/hooks/bad.lua:3: contains a NUL byte (write it as an escape (`\0` in a string), or remove it)
    bom: Error .snaphook/hooks/bad.lua:1: is not UTF-8: byte 0xff (save it as UTF-8)
    utf-16 bom: Error .snaphook/hooks/bad.lua:1: is UTF-16, not UTF-8 (save it as UTF-8)
    utf-16 no bom: Error .snaphook/hooks/bad.lua:1: is UTF-16, not UTF-8 (save it as UTF-8)
    utf-32: Error .snaphook/hooks/bad.lua:1: is UTF-32, not UTF-8 (save it as UTF-8)
    mac lines: Error .snaphook/hooks/bad.lua:3: contains a carriage return that ends no line (save it with LF or CRLF line ends)
    mac end: Error .snaphook/hooks/bad.lua:1: contains a carriage return that ends no line (save it with LF or CRLF line ends)
    big: Error .snaphook/hooks/bad.lua: is larger than 1 MiB (split the script, or move data out of it)
    ");
}

#[test]
fn empty_files_load_with_a_warning() {
    assert_snapshot!(report(""), @"
    hook bad (project) .snaphook/hooks/bad.lua
    hook good (project) .snaphook/hooks/good.lua
    Warning .snaphook/hooks/bad.lua: is empty, so it answers no event (write a handler, or remove the file)
    ");
    assert_snapshot!(report("\u{feff}\r\n \n"), @"
    hook bad (project) .snaphook/hooks/bad.lua
    hook good (project) .snaphook/hooks/good.lua
    Warning .snaphook/hooks/bad.lua: is empty, so it answers no event (write a handler, or remove the file)
    ");
}

#[test]
fn exactly_one_mebibyte_loads() {
    let report = report(vec![b'\n'; 1024 * 1024 - 1].into_iter().chain([b'x']).collect::<Vec<_>>());
    assert!(report.starts_with("hook bad"), "{report}");
}

#[test]
fn a_byte_order_mark_and_crlf_keep_their_lines() {
    let sandbox = Sandbox::new();
    sandbox.project(
        "a.lua",
        "\u{feff}#!/usr/bin/env snaphook\r\n-----\r\n-- name: Guard\r\n-----\r\nx()\r\ny()\r\n",
    );
    sandbox.project("b.lua", "\u{feff}-----\r\n-- name: B\r\n-- nmae: B\r\n-----\r\n");
    let discovery = sandbox.discover();
    let guard = &discovery.hooks[0];
    assert_eq!(guard.hook.name, "Guard");
    assert_eq!(&*guard.source, "\n-----\r\n-- name: Guard\r\n-----\r\nx()\r\ny()\r\n");
    assert!(guard.raw["a.lua"].starts_with(b"\xef\xbb\xbf#!"), "the bytes to hash are those that were read");
    assert_snapshot!(sandbox.report(&discovery), @"
    hook a (project) .snaphook/hooks/a.lua
    Error .snaphook/hooks/b.lua:3: unknown key `nmae` (did you mean `name`?)
    ");
}

#[test]
fn control_characters_never_reach_a_message() {
    let sandbox = Sandbox::new();
    sandbox.project("\u{1b}[2Jevil.lua", "-----\n-- \u{1b}[31mkey: 1\n-- na\u{202e}me: x\n-----\n");
    sandbox.project("evil\n.bin", "");
    sandbox.project("evil2.lua", "-----\n-- name: \u{1b}[2J\n-----\n");
    let report = sandbox.report_all();
    assert!(!report.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{report:?}");
    assert_snapshot!(report, @r"
    Error .snaphook/hooks/\u{1b}[2Jevil.lua:2: front matter line is not `key: value`: `\u{1b}[31mkey: 1` (write a key, a colon and a value, or start the line with `#`)
    Note .snaphook/hooks/evil\n.bin: is not a hook file
    Error .snaphook/hooks/evil2.lua:2: `name` contains the control character U+001B
    ");
}

#[test]
fn folders_where_files_should_be_and_the_reverse() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("home/code/.snaphook/hooks/x.lua")).unwrap();
    std::fs::create_dir_all(sandbox.path("home/code/.snaphook/hooks/odd/init.lua")).unwrap();
    sandbox.file("managed/dotted.lua/init.lua", "x()");
    std::fs::remove_dir(sandbox.path("home/.config/snaphook/hooks")).unwrap();
    sandbox.file("home/.config/snaphook/hooks", "");
    assert_snapshot!(sandbox.report_all(), @"
    hook dotted-lua (managed) [root]/managed/dotted.lua/init.lua
    Error ~/.config/snaphook/hooks: is not a folder, so no hook is found in it (fix it or remove it)
    Error .snaphook/hooks/odd/init.lua: is a folder, not a script (a hook is a regular file, or a folder with an init script)
    Error .snaphook/hooks/x.lua: is a folder, not a script (a hook is a regular file, or a folder with an init script)
    ");
}

#[test]
fn standard_folders_may_be_absent() {
    let sandbox = Sandbox::new();
    for folder in ["managed", "home/.config/snaphook/hooks", "home/code/.snaphook/hooks"] {
        std::fs::remove_dir(sandbox.path(folder)).unwrap();
    }
    assert_eq!(sandbox.report_all(), "");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn links() {
        let sandbox = Sandbox::new();
        sandbox.project("good.lua", "x()");
        for (name, target) in [
            ("broken.lua", "gone.lua"),
            ("broken-folder", "../gone"),
            ("self.lua", "self.lua"),
            ("ping.lua", "pong.lua"),
            ("pong.lua", "ping.lua"),
            ("notes.md", "gone.md"),
            (".#good.lua", "me@host.1:2"),
            ("loop", "."),
            ("up", "../.."),
        ] {
            sandbox.link(&format!("home/code/.snaphook/hooks/{name}"), target);
        }
        assert_snapshot!(sandbox.report_all(), @"
        hook good (project) .snaphook/hooks/good.lua
        Error .snaphook/hooks/broken-folder: is a broken link (fix it or remove it: it may have been a hook)
        Error .snaphook/hooks/broken.lua: is a broken link (fix it or remove it: it may have been a hook)
        Warning .snaphook/hooks/loop: is a link to a folder that contains it (remove it)
        Error .snaphook/hooks/ping.lua: is a link to itself (fix it or remove it: it may have been a hook)
        Error .snaphook/hooks/pong.lua: is a link to itself (fix it or remove it: it may have been a hook)
        Error .snaphook/hooks/self.lua: is a link to itself (fix it or remove it: it may have been a hook)
        ");
    }

    #[test]
    fn a_broken_hooks_folder_is_not_an_absent_one() {
        let sandbox = Sandbox::new();
        std::fs::remove_dir(sandbox.path("managed")).unwrap();
        sandbox.link("managed", "gone");
        std::fs::remove_dir_all(sandbox.path("home/code/.snaphook")).unwrap();
        sandbox.link("home/code/.snaphook", "gone");
        std::fs::remove_dir_all(sandbox.path("home/.config/snaphook")).unwrap();
        sandbox.file("home/.config/snaphook", "a file");
        assert_snapshot!(sandbox.report_all(), @"
        Error [root]/home/code/.snaphook: is a broken link, so the project's hooks cannot be found (fix or remove the link)
        Error [root]/managed: is a broken link (fix it or remove it)
        Error ~/.config/snaphook/hooks: cannot be read: not a directory (fix it or remove it)
        ");
    }

    #[test]
    fn pipes_and_sockets_are_never_waited_for() {
        let sandbox = Sandbox::new();
        let hooks = sandbox.path("home/code/.snaphook/hooks");
        for pipe in ["pipe.lua", "pipe"] {
            assert!(Command::new("mkfifo").arg(hooks.join(pipe)).status().unwrap().success());
        }
        std::fs::create_dir(hooks.join("folder")).unwrap();
        assert!(Command::new("mkfifo").arg(hooks.join("folder/init.lua")).status().unwrap().success());
        let _listener = UnixListener::bind(hooks.join("socket.rhai")).unwrap();
        sandbox.link("home/code/.snaphook/hooks/zero.lua", "/dev/zero");
        let discovery = sandbox.discover_with(&[hooks.join("pipe.lua").to_str().unwrap(), "/dev/zero"]);
        assert_snapshot!(sandbox.report(&discovery), @"
        Error .snaphook/hooks/folder/init.lua: is a named pipe, not a regular file (a hook is a regular file, or a folder with an init script)
        Note .snaphook/hooks/pipe: is not a hook file
        Error .snaphook/hooks/pipe.lua: is a named pipe, not a regular file (a hook is a regular file, or a folder with an init script)
        Error .snaphook/hooks/socket.rhai: is a socket, not a regular file (a hook is a regular file, or a folder with an init script)
        Error .snaphook/hooks/zero.lua: is a device, not a regular file (a hook is a regular file, or a folder with an init script)
        Note [root]/home/code/.snaphook/hooks/pipe.lua: is the same file as .snaphook/hooks/pipe.lua and counts once
        Error /dev/zero: is not a hook file (a hook ends in .lua, .luau or .rhai, or is an executable with front matter)
        ");
    }

    // macOS has file systems that refuse such names, which is as good.
    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_not_utf8() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let sandbox = Sandbox::new();
        let hooks = sandbox.path("home/code/.snaphook/hooks");
        for name in [&b"caf\xe9.lua"[..], b"caf\xe9.bin", b"caf\xe9.txt"] {
            std::fs::write(hooks.join(OsStr::from_bytes(name)), "x()").unwrap();
        }
        assert_snapshot!(sandbox.report_all(), @"
        Note .snaphook/hooks/caf�.bin: is not a hook file
        Error .snaphook/hooks/caf�.lua: has a file name that is not UTF-8 (rename it)
        ");
    }

    #[test]
    fn without_permission() {
        let sandbox = Sandbox::new();
        let file = sandbox.project("locked.lua", "x()");
        let folder = sandbox.path("home/code/.snaphook/hooks/locked-folder");
        std::fs::create_dir(&folder).unwrap();
        let set = |mode| {
            for path in [&file, &folder, &sandbox.path("managed")] {
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
        };
        set(0o000);
        let runs_as_root = std::fs::read(&file).is_ok();
        let discovery = sandbox.discover();
        set(0o755);
        if runs_as_root {
            assert_eq!(ids(&discovery), ["locked"], "root reads everything");
            return;
        }
        let errors = discovery.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        assert_eq!(errors, 3, "{}", sandbox.report(&discovery));
        assert!(discovery.hooks.is_empty());
    }
}

#[test]
fn every_error_leaves_other_hooks_alone() {
    let sandbox = Sandbox::new();
    sandbox.project("1.lua", [0xff]);
    sandbox.project("2.lua", "-----\n-- name: x\n");
    sandbox.project("3.lua", "x()");
    let discovery = sandbox.discover();
    assert_eq!(ids(&discovery), ["3"]);
    assert!(
        discovery
            .problems
            .iter()
            .all(|problem| problem.severity == Severity::Error && problem.line.is_some())
    );
}
