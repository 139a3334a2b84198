//! `snaphook list`: order, scopes, problems.

use crate::support::Sandbox;

fn names(place: &Sandbox, more: &[&str]) -> (i32, String) {
    let mut args = vec!["list", "--json"];
    args.extend(more);
    let said = place.run(&args);
    let document = said.document();
    let hooks = document["hooks"].as_array().unwrap();
    let one = |hook: &serde_json::Value| {
        format!(
            "{}:{}{}",
            hook["scope"].as_str().unwrap(),
            hook["id"].as_str().unwrap(),
            if hook["loaded"] == true { "" } else { "!" }
        )
    };
    (said.code, hooks.iter().map(one).collect::<Vec<_>>().join(" "))
}

#[test]
fn hooks_stand_in_the_order_in_which_they_run() {
    let place = Sandbox::new();
    let hook = "on('tool_call', function() end)";
    for file in [
        "config/hooks/10-b.lua",
        "config/hooks/2-a.lua",
        "project/.snaphook/hooks/p.luau",
        "project/.snaphook/hooks/dir/init.lua",
    ] {
        place.write(file, hook);
    }
    let adhoc = place.write("extra/x.lua", hook);
    place.trust_all();
    let (code, order) = names(&place, &["--hook", &adhoc.to_string_lossy()]);
    assert_eq!(
        (code, order.as_str()),
        (0, "managed:snaphook-self-protection user:2-a user:10-b project:dir project:p adhoc:x")
    );
}

#[test]
fn one_bad_hook_hides_no_other_and_denies() {
    let place = Sandbox::new();
    place.write("config/hooks/a.lua", "on('tool_call', function() return { allow = true } end)");
    place.write("config/hooks/bad.lua", "on('tool_call', function(");
    place.write("config/hooks/utf16.lua", b"\xff\xfeo\0n\0");
    place.write("config/hooks/misspelt.lua", "on('tool_cal', print)");
    let said = place.run(&["list"]);
    assert_eq!(said.code, 2);
    for part in [
        "bad.lua:1: ",
        "\n    |\n  1 | on('tool_call', function(\n    | ^^^^^^^^^^^^^^^^^^^^^^^^^\n",
        "utf16.lua",
        "unknown event \"tool_cal\"; did you mean \"tool_call\"?",
        "every gated call is denied until these errors are fixed",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    let (_, order) = names(&place, &[]);
    assert!(order.starts_with("managed:snaphook-self-protection user:a "), "{order}");
    let (code, document) = place.gate("ls", &[]);
    assert_eq!(code, 2);
    assert_eq!(crate::support::causes(&document), "load load load -");
}

#[test]
fn an_empty_place_says_where_hooks_go() {
    let said = Sandbox::new().run(&["list"]);
    assert_eq!(said.code, 0);
    let own: Vec<_> = said.stdout.lines().skip_while(|line| !line.starts_with("no hooks")).collect();
    assert_eq!(
        own.join("\n"),
        "no hooks of yours. They are looked for in\n  /etc/snaphook/hooks\n  [place]/config/hooks\n  [place]/project/.snaphook/hooks"
    );
}

#[test]
fn hooks_of_the_project_stand_with_what_was_decided() {
    let place = Sandbox::new();
    let hook = "-----\n-- description: Says nothing\n-----\non('tool_call', function() end)";
    for name in ["config/hooks/mine", "project/.snaphook/hooks/a", "project/.snaphook/hooks/b"] {
        place.write(&format!("{name}.lua"), hook);
    }
    place.write("project/.snaphook/hooks/c.lua", hook);
    place.trust_all();
    assert_eq!(place.run(&["ignore", "a"]).code, 0);
    place.write("project/.snaphook/hooks/c.lua", format!("{hook} "));
    let adhoc = place.write("extra/x.lua", hook);
    let adhoc = adhoc.to_string_lossy();
    let (code, order) = names(&place, &["--hook", &adhoc]);
    assert_eq!(
        (code, order.as_str()),
        (2, "managed:snaphook-self-protection user:mine project:a! project:b project:c! adhoc:x")
    );

    let document = place.run(&["list", "--json", "--hook", &adhoc]).document();
    let hooks = &document["hooks"].as_array().unwrap()[1..];
    let states: Vec<_> = hooks.iter().map(|hook| hook["trust"].as_str().unwrap_or("-")).collect();
    assert_eq!(states, ["-", "ignored", "trusted", "undecided", "-"]);
    assert!(hooks.iter().all(|hook| hook["content_hash"].as_str().unwrap().starts_with("sha256:")));
    assert_eq!(document["problems"][0]["cause"], "untrusted");

    let text = place.run(&["list"]).stdout;
    for line in [
        "a project .snaphook/hooks/a.lua ignored\n    Says nothing\n",
        "b project .snaphook/hooks/b.lua trusted\n    Says nothing\n    tool_call",
        "c project .snaphook/hooks/c.lua undecided\n    Says nothing\n",
        "the project hook \"c\" changed since it was decided on, so nothing of it runs",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
