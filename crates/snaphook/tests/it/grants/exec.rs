//! `exec`: which programs a script may run, and what runs then.

use super::*;

/// A world with a git in every place that matters.
fn gits() -> World {
    let world = World::new();
    for program in [
        "bin/git",
        "bin/cargo",
        "late/git",
        "other/git",
        "project/bin/git",
        "project/scripts/check.sh",
        "project/scripts/evil.sh",
        "home/tools/lint",
    ] {
        world.program(program);
    }
    world.link("project/scripts/out.sh", "other/git");
    world.link("project/scripts/again.sh", "project/scripts/check.sh");
    world.link("project/way", "late");
    world.link("links", "project/bin");
    world.link("through", "project/way");
    world.link("farm/git", "project/bin/git");
    world.link("home/tools/theirs", "project/bin/git");
    world.link("aliases/git", "bin/git");
    world.link("aliases/cargo", "bin/git");
    world
}

#[tokio::test]
async fn what_is_granted_runs_and_nothing_else() {
    let world = gits();
    let path = world.path(&["@bin", "/usr/bin", "/bin"]);
    let grants = exec(&["git", "cargo:test,build", "scripts/check.sh", "~/tools/lint"]);
    let loaded = world.load(&[("PATH", &path)], &[grants]);
    assert_eq!(loaded.remarks(), Vec::<String>::new());
    let bin_git = world.at("bin/git").display().to_string();
    let other_git = world.at("other/git").display().to_string();
    let dotted = world.at("other/../bin/git").display().to_string();
    let alias = world.at("aliases/git").display().to_string();
    let wrong_alias = world.at("aliases/cargo").display().to_string();
    let from_project = world.at("project/bin/git").display().to_string();
    let check = world.at("project/scripts/check.sh").display().to_string();
    let lint = world.at("home/tools/lint").display().to_string();
    for (words, expected) in [
        // Granted, by every name for it.
        (&["git", "status"][..], "bin/git: status"),
        (&["git"], "bin/git:"),
        (&[&bin_git, "status"], "bin/git: status"),
        (&[&dotted, "status"], "bin/git: status"),
        (&[&alias, "status"], "bin/git: status"),
        (&["scripts/check.sh", "a b"], "project/scripts/check.sh: a b"),
        (&["./scripts/check.sh"], "project/scripts/check.sh:"),
        (&["scripts/../scripts/check.sh"], "project/scripts/check.sh:"),
        (&[&check], "project/scripts/check.sh:"),
        (&["~/tools/lint", "x"], "home/tools/lint: x"),
        (&[&lint], "home/tools/lint:"),
        (&["cargo", "test", "--all"], "bin/cargo: test --all"),
        (&["cargo", "build"], "bin/cargo: build"),
        // Not: the line that is missing, the smallest that would do.
        (
            &["make"],
            "error: the program make is not granted; the hook's front matter needs `exec: [make]` under `grants`",
        ),
        (
            &["npm", "test"],
            "error: the program npm is not granted; the hook's front matter needs `exec: [\"npm:test\"]` under `grants`, or `exec: [npm]` for any arguments",
        ),
        (
            &["true"],
            "error: the program true is not granted; the hook's front matter needs `exec: [\"true\"]` under `grants`",
        ),
        (
            &["sh", "-c", "git status"],
            "error: the program sh is not granted; the hook's front matter needs `exec: [sh]` under `grants`",
        ),
        (
            &["cargo", "publish"],
            "error: `cargo publish` is not granted; the hook's front matter needs `exec: [\"cargo:publish\"]` under `grants`",
        ),
        (
            &["cargo", "--config", "x"],
            "error: `cargo --config` is not granted: the first argument of cargo has to be test or build",
        ),
        (
            &["cargo", "+nightly", "test"],
            "error: `cargo +nightly` is not granted: the first argument of cargo has to be test or build",
        ),
        (
            &["cargo", "test,build"],
            "error: `cargo test,build` is not granted: the first argument of cargo has to be test or build",
        ),
        (
            &["cargo", "test "],
            "error: `cargo test ` is not granted: the first argument of cargo has to be test or build",
        ),
        (
            &["cargo", ""],
            "error: `cargo ` is not granted: the first argument of cargo has to be test or build",
        ),
        (&["cargo"], "error: `cargo` is not granted: the first argument of cargo has to be test or build"),
        // Another file of the same name, or the same file under another program's name.
        (
            &[&other_git],
            "error: the program @/other/git is not granted; the hook's front matter needs `exec: [@/other/git]` under `grants`",
        ),
        (
            &[&from_project],
            "error: the program @/project/bin/git is not granted; the hook's front matter needs `exec: [@/project/bin/git]` under `grants`",
        ),
        (
            &[&wrong_alias],
            "error: the program @/aliases/cargo is not granted; the hook's front matter needs `exec: [@/aliases/cargo]` under `grants`",
        ),
        (
            &["bin/git"],
            "error: the program bin/git is not granted; the hook's front matter needs `exec: [bin/git]` under `grants`",
        ),
        (
            &["./git"],
            "error: the program ./git is not granted; the hook's front matter needs `exec: [./git]` under `grants`",
        ),
        (&["../bin/git"], "bin/git:"),
        (
            &["../other/git"],
            "error: the program ../other/git is not granted; the hook's front matter needs `exec: [../other/git]` under `grants`",
        ),
        (
            &["scripts/../scripts/evil.sh"],
            "error: the program scripts/../scripts/evil.sh is not granted; the hook's front matter needs `exec: [scripts/../scripts/evil.sh]` under `grants`",
        ),
        (
            &["scripts/again.sh"],
            "error: the program scripts/again.sh is not granted; the hook's front matter needs `exec: [scripts/again.sh]` under `grants`",
        ),
        // Names that look alike.
        (
            &["GIT"],
            "error: the program GIT is not granted; the hook's front matter needs `exec: [GIT]` under `grants`",
        ),
        (
            &["gіt"],
            "error: the program gіt is not granted; the hook's front matter needs `exec: [\"gіt\"]` under `grants`",
        ),
        (
            &["git;id"],
            "error: the program git;id is not granted; the hook's front matter needs `exec: [\"git;id\"]` under `grants`",
        ),
        (
            &["$(id)"],
            "error: the program $(id) is not granted; the hook's front matter needs `exec: [\"$(id)\"]` under `grants`",
        ),
        (
            &["git status"],
            "error: the program git status is not granted; the hook's front matter needs `exec: [\"git status\"]` under `grants`",
        ),
        (&["git "], "error: the program git  is not granted; write the plain name or path of a granted one"),
        (
            &["git\0"],
            "error: the program git\\u{0} is not granted; write the plain name or path of a granted one",
        ),
        (
            &["git\n"],
            "error: the program git\\n is not granted; write the plain name or path of a granted one",
        ),
        (
            &["git\u{200b}"],
            "error: the program git\\u{200b} is not granted; write the plain name or path of a granted one",
        ),
        (
            &["cargo:test"],
            "error: the program cargo:test is not granted; write the plain name or path of a granted one",
        ),
        (&["*"], "error: the program * is not granted; write the plain name or path of a granted one"),
        (&[""], "error: the program  is not granted; write the plain name or path of a granted one"),
        (
            &["."],
            "error: the program . is not granted; the hook's front matter needs `exec: [\".\"]` under `grants`",
        ),
    ] {
        assert_eq!(loaded.line(words).await, expected, "{words:?}");
    }
}

#[tokio::test]
async fn nothing_of_the_project_is_found_by_its_name() {
    let world = gits();
    for (folders, ran) in [
        (&["@bin", "@late"][..], "bin/git"),
        (&["@late", "@bin"], "late/git"),
        // In the project, by a link into it, by a way through it, by a link of the program.
        (&["@project/bin", "@bin"], "bin/git"),
        (&["@links", "@bin"], "bin/git"),
        (&["@project/way", "@bin"], "bin/git"),
        (&["@through", "@bin"], "bin/git"),
        (&["@farm", "@bin"], "bin/git"),
        (&["@home/../project/bin", "@bin"], "bin/git"),
        (&["@late/../project/bin", "@bin"], "bin/git"),
        // Relative ones: from the session's folder and the project's these would be its own.
        (&["", ".", "bin", "../bin", "@bin"], "bin/git"),
        (&["@bin", ""], "bin/git"),
        // Into the project and out again is outside.
        (&["@project/../late", "@bin"], "bin/git"),
    ] {
        let loaded = world.load(&[("PATH", &world.path(folders))], &[exec(&["git"])]);
        assert_eq!(loaded.line(&["git"]).await, format!("{ran}:"), "{folders:?}");
    }
    // The project may be named by a link, too.
    world.link("alias", "project");
    let loaded = world.load_in(
        &world.at("alias"),
        &[("PATH", &world.path(&["@alias/bin", "@project/bin", "@bin"]))],
        &[exec(&["git", "scripts/check.sh"])],
    );
    assert_eq!(loaded.line(&["git"]).await, "bin/git:");
    assert_eq!(loaded.line(&["scripts/check.sh"]).await, "project/scripts/check.sh:");
}

#[tokio::test]
async fn the_home_folder_is_not_the_project_s() {
    let world = gits();
    world.program("home/bin/git");
    for project in [world.at("home"), world.root(), PathBuf::from("/")] {
        let loaded =
            world.load_in(&project, &[("PATH", &world.path(&["@home/bin", "@bin"]))], &[exec(&["git"])]);
        let request = ExecRequest { cwd: Some(world.at("home")), ..request(&["git"]) };
        assert_eq!(loaded.run(request).await, "home/bin/git:", "{}", project.display());
    }
    // What is beside it in the project is the project's.
    let path = world.path(&["@project/bin", "@links", "@home/bin"]);
    let loaded = world.load_in(&world.root(), &[("PATH", &path)], &[exec(&["git"])]);
    let request = ExecRequest { cwd: Some(world.at("home")), ..request(&["git"]) };
    assert_eq!(loaded.run(request).await, "home/bin/git:");
}

#[tokio::test]
async fn what_is_not_there_is_told_when_it_loads_and_when_it_is_called() {
    let world = gits();
    world.script("project/scripts/plain.sh", "true");
    let plain = world.at("project/scripts/plain.sh");
    std::fs::set_permissions(&plain, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let passed =
        "it was looked for in @/bin; passed over, as it is in the project or relative: @/project/bin, tools";
    let path = world.path(&["@bin", "@project/bin", "tools", ""]);
    for (entry, why) in [
        ("hg", passed),
        ("../other/git", "@/project/../other/git leads out of the project, to @/other/git"),
        ("scripts/out.sh", "@/project/scripts/out.sh leads out of the project, to @/other/git"),
        ("scripts/none.sh", "@/project/scripts/none.sh: No such file or directory (os error 2)"),
        ("scripts/plain.sh", "@/project/scripts/plain.sh is not an executable file"),
        ("./scripts", "@/project/./scripts is not an executable file"),
        ("~/tools/none", "@/home/tools/none: No such file or directory (os error 2)"),
        ("~/tools/theirs", "@/home/tools/theirs leads into the project"),
    ] {
        let loaded = world.load(&[("PATH", &path)], &[exec(&[entry])]);
        assert_eq!(loaded.remarks(), [format!("note: the granted program {entry} was not found: {why}")]);
        let expected = format!("error: failed to run {entry}: it was not found when the hook loaded: {why}");
        assert_eq!(loaded.line(&[entry]).await, expected);
    }
    for (variables, why) in [
        (vec![], "there is no PATH to look for it in"),
        (vec![("PATH", "")], "there is no PATH to look for it in"),
    ] {
        let loaded = world.load(&variables, &[exec(&["git"])]);
        assert_eq!(loaded.remarks(), [format!("note: the granted program git was not found: {why}")]);
    }
    // It stays what it was until hooks are loaded again.
    let loaded = world.load(&[("PATH", &path)], &[exec(&["hg"])]);
    world.program("bin/hg");
    assert!(loaded.line(&["hg"]).await.starts_with("error: failed to run hg: it was not found"));
    // From memory, where no front matter was checked.
    let loaded = world.load(&[("PATH", &path)], &[exec(&["*", "git:"])]);
    assert_eq!(
        loaded.remarks(),
        [
            "warning: the grant `exec: [\"*\"]` allows nothing: there is no grant for every program, so `*` is invalid; name each",
            "warning: the grant `exec: [\"git:\"]` allows nothing: `git:` has an empty argument; write `program:first` or `program:first,other`",
        ]
    );
    assert!(loaded.line(&["git"]).await.starts_with("error: the program git is not granted;"));
}

#[tokio::test]
async fn what_was_found_is_what_runs() {
    let world = gits();
    world.link("links2/git", "bin/git");
    let loaded = world.load(&[("PATH", &world.path(&["@links2"]))], &[exec(&["git", "scripts/check.sh"])]);
    assert_eq!(loaded.line(&["git"]).await, "bin/git:");
    // A program that comes before it now is not looked at; another target of the link is refused.
    world.link("links2/git", "project/bin/git");
    assert_eq!(
        loaded.line(&["git"]).await,
        "error: failed to run git: @/links2/git was @/bin/git when the hook loaded and is not any more (@/project/bin/git); reload the hooks"
    );
    let named = world.at("project/bin/git").display().to_string();
    assert!(loaded.line(&[&named]).await.contains("is not granted"));
    std::fs::remove_file(world.at("links2/git")).unwrap();
    assert_eq!(
        loaded.line(&["git"]).await,
        "error: failed to run git: @/links2/git was @/bin/git when the hook loaded and is not any more (No such file or directory (os error 2)); reload the hooks"
    );
    world.link("project/scripts/check.sh", "other/git");
    assert!(
        loaded.line(&["scripts/check.sh"]).await.ends_with("is not any more (@/other/git); reload the hooks")
    );
}

#[tokio::test]
async fn a_program_runs_by_the_name_it_was_found_by() {
    let world = World::new();
    world.script("bin/many", "basename \"$0\"");
    world.link("bin/one", "bin/many");
    world.link("bin/two", "bin/many");
    let loaded = world.load(&[("PATH", &world.path(&["@bin", "/usr/bin", "/bin"]))], &[exec(&["one"])]);
    assert_eq!(loaded.line(&["one"]).await, "one");
    // The same file, but as another program.
    let two = world.at("bin/two").display().to_string();
    assert!(loaded.line(&[&two]).await.contains("is not granted"));
}

#[tokio::test]
async fn programs_of_the_project_are_named_from_its_root() {
    let world = gits();
    world.program("project/sub/scripts/check.sh");
    let loaded = world.load(&[("PATH", "/usr/bin:/bin")], &[exec(&["scripts/check.sh"])]);
    for cwd in [None, Some("."), Some(".."), Some("../scripts"), Some("/")] {
        let request = ExecRequest { cwd: cwd.map(Into::into), ..request(&["scripts/check.sh"]) };
        assert_eq!(loaded.run(request).await, "project/scripts/check.sh:", "{cwd:?}");
    }
}

#[tokio::test]
async fn one_hook_s_grant_is_not_another_s() {
    let world = gits();
    let path = world.path(&["@bin"]);
    let loaded = world.load(&[("PATH", &path)], &[exec(&["git"]), exec(&["cargo"]), Grants::default()]);
    for (script, program, runs) in [
        (0, "git", true),
        (0, "cargo", false),
        (1, "git", false),
        (1, "cargo", true),
        (2, "git", false),
        (2, "cargo", false),
    ] {
        let said = loaded.run_as(script, request(&[program])).await;
        assert_eq!(said == format!("bin/{program}:"), runs, "{script} {program}: {said}");
        assert_eq!(said.contains("is not granted"), !runs);
    }
}

#[tokio::test]
async fn uses_and_refusals_are_noted_for_the_audit() {
    let world = gits();
    let loaded = world.load(
        &[("PATH", &world.path(&["@bin"]))],
        &[Grants { env: list(&["CI"]), ..exec(&["git", "cargo:test,build"]) }],
    );
    let by = crate::support::hook("a");
    let call = loaded.call();
    let services = loaded.services();
    let set = ExecRequest { env: [("CI".to_owned(), "1".to_owned())].into(), ..request(&["git", "status"]) };
    for request in [
        request(&["git"]),
        set,
        request(&["cargo", "test"]),
        request(&["cargo", "--config"]),
        request(&["make", "all"]),
        request(&["a\0"]),
    ] {
        let _ = services.exec(&by, &call, request).await;
    }
    let _ = services.env(&by, Some(&call), "CI");
    let _ = services.env(&by, Some(&call), "TOKEN");
    // What is asked for while a hook loads belongs to no event.
    let _ = services.env(&by, None, "TOKEN");
    let shown =
        |one: GrantUse| format!("{} {}{}", one.grant, one.count, if one.denied { " denied" } else { "" });
    assert_eq!(
        call.uses.take().into_iter().map(shown).collect::<Vec<_>>(),
        [
            "exec:git 2",
            "env:CI 2",
            "exec:cargo:test,build 1",
            "exec:cargo:--config 1 denied",
            "exec:make:all 1 denied",
            "exec:a\\u{0} 1 denied",
            "env:TOKEN 1 denied",
        ]
    );
}

/// Copying the line into the front matter grants what was missing.
#[tokio::test]
async fn the_suggested_line_is_the_one() {
    use snaphook_discovery::front_matter::{FileKind, parse};
    let world = gits();
    let path = world.path(&["@bin"]);
    let loaded = world.load(&[("PATH", &path)], &[exec(&["cargo:test"])]);
    let by = crate::support::hook("s");
    let mut cases: Vec<ExecRequest> = [
        &["git"][..],
        &["git", "status"],
        &["git", "-C", "x"],
        &["git", "a,b"],
        &["cargo", "build"],
        &["true"],
        &["No", "way"],
        &["y"],
        &["7z"],
        &["-x"],
        &["~x"],
        &["./a b.sh"],
        &["../x"],
        &["/usr/bin/x"],
        &["a#b"],
        &["a'b\"c\\d"],
        &["@x"],
        &["%x"],
        &["!x"],
        &["&x"],
        &["{x}"],
        &["1.5"],
        &["ünï"],
    ]
    .map(request)
    .into();
    cases.extend(["CI", "no_proxy", "NO", "A-B", "a.b", "ProgramFiles(x86)"].map(|name| ExecRequest {
        env: [(name.to_owned(), String::new())].into(),
        ..request(&["cargo", "test"])
    }));
    for request in cases {
        let error =
            loaded.services().exec(&by, &loaded.call(), request.clone()).await.unwrap_err().to_string();
        let line = error.split("needs `").nth(1).and_then(|rest| rest.split("` under `grants`").next());
        let line = line.unwrap_or_else(|| panic!("{request:?}: {error}"));
        let matter = parse(&format!("-----\n-- grants:\n--   {line}\n-----\n"), FileKind::Lua);
        let mut grants = matter.unwrap_or_else(|faults| panic!("{line}: {faults:?}")).unwrap().grants;
        grants.exec.push("cargo:test".into());
        let granted = world.load(&[("PATH", &path)], &[grants]);
        let after = granted.run(request).await;
        assert!(!after.contains("is not granted"), "{line}: {after}");
    }
}
