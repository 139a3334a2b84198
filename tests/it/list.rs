//! `snaphook list`: order, scopes, problems.

use crate::support::Place;

fn names(place: &Place, more: &[&str]) -> (i32, String) {
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
    let place = Place::new();
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
    let (code, order) = names(&place, &["--hook", &adhoc.to_string_lossy()]);
    assert_eq!(
        (code, order.as_str()),
        (0, "managed:snaphook-self-protection user:2-a user:10-b project:dir project:p adhoc:x")
    );
}

#[test]
fn one_bad_hook_hides_no_other_and_denies() {
    let place = Place::new();
    place.write("config/hooks/a.lua", "on('tool_call', function() return { allow = true } end)");
    place.write("config/hooks/bad.lua", "on('tool_call', function(");
    place.write("config/hooks/utf16.lua", b"\xff\xfeo\0n\0");
    place.write("config/hooks/misspelt.lua", "on('tool_cal', print)");
    let said = place.run(&["list"]);
    assert_eq!(said.code, 2);
    for part in [
        "bad.lua:1: ",
        "utf16.lua",
        "unknown event \"tool_cal\"; did you mean \"tool_call\"?",
        "every gated call is denied until the errors are mended",
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
    let said = Place::new().run(&["list"]);
    assert_eq!(said.code, 0);
    let own: Vec<_> = said.stdout.lines().skip_while(|line| !line.starts_with("no hooks")).collect();
    assert_eq!(
        own.join("\n"),
        "no hooks of yours. They are looked for in\n  /etc/snaphook/hooks\n  [place]/config/hooks\n  [place]/project/.snaphook/hooks"
    );
}

#[test]
fn project_hooks_are_announced_as_untrusted() {
    let place = Place::new();
    place.write("project/.snaphook/hooks/p.lua", "on('tool_call', function() end)");
    assert!(
        place.run(&["list"]).stdout.contains("project hooks run without a trust question in this version")
    );
}
