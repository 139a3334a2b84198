//! An agent into whose settings a person puts the entries: there is nothing to undo, and the command says so.

use super::guarded;

#[test]
fn uninstalling_what_a_person_put_in_says_what_there_is_to_undo() {
    let place = guarded();
    for more in [&[][..], &["--project"], &["--dry-run"]] {
        let said = place.run(&[&["uninstall", "kiro"], more].concat());
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said:?}");
        for part in
            ["snaphook has changed no file of Kiro CLI", "`snaphook hook kiro`", "`snaphook install kiro`"]
        {
            assert!(said.stdout.contains(part), "{part}: {said:?}");
        }
        // Not what there is to put in.
        assert!(!said.stdout.contains("preToolUse"), "{said:?}");
    }
    let said = place.run(&["uninstall", "kiro", "--json"]).document();
    assert_eq!((&said["agent"], said["files"].as_array().map(Vec::len)), (&"kiro".into(), Some(0)));
}
