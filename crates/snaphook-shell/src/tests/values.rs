//! Tables of what is told about values that nobody knows: where they may stand, and what they may become.

use crate::{Command, Dialect, Risk, Site, commands, commands_in, decides_what_runs, locate};

/// The places of all `MARK` in a text.
fn sites(text: &str) -> Vec<Option<Site>> {
    let spans: Vec<_> = text.match_indices("MARK").map(|(at, mark)| at..at + mark.len()).collect();
    let located = locate(text, Dialect::Sh, &spans).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(Ok(located.commands), commands_in(text, Dialect::Sh), "{text}");
    located.sites
}

#[test]
fn places_are_told_with_their_quotes() {
    use Site::{Arithmetic, Comment, Document, Double, Single};
    const PART: Option<Site> = Some(Site::Word { whole: false });
    const WHOLE: Option<Site> = Some(Site::Word { whole: true });
    let cases: &[(&str, &[Option<Site>])] = &[
        ("MARK", &[WHOLE]),
        ("echo MARK aMARK MARKMARK", &[WHOLE, PART, WHOLE, WHOLE]),
        ("echo 'a MARK' \"MARK $(echo MARK)\"", &[Some(Single), Some(Double), WHOLE]),
        ("echo `echo 'MARK' MARK`", &[Some(Single), WHOLE]),
        ("echo \"${x:-MARK}\" ${x:-MARK} \"${x#MARK}\"", &[Some(Double), None, None]),
        ("x=MARK y=aMARK ls > MARK", &[PART, PART, WHOLE]),
        ("cat <<E\nMARK $(echo MARK)\nE\necho MARK # MARK", &[Some(Document), WHOLE, WHOLE, Some(Comment)]),
        ("cat <<'E'\nMARK\nE", &[None]),
        ("cat <<MARK\nMARK\n", &[None, None]),
        ("echo $((MARK + 1)) $((xMARK)) $((MARK1))", &[Some(Arithmetic), None, None]),
        ("echo $MARK ${MARK} $xMARK", &[None, None, None]),
        ("MARK=1 ls; xMARK=2", &[None, None]),
        ("for MARK in MARK b; do ls; done", &[None, WHOLE]),
        ("case MARK in MARK | \"MARK\" | $(MARK)) ls;; esac", &[WHOLE, None, None, None]),
        ("echo [MARK] [a]MARK x[!MARK]y", &[None, PART, None]),
        ("echo {MARK,b} {a,b}MARK {a,'MARK'}", &[None, PART, Some(Single)]),
        ("echo ~MARK ~/MARK a~MARK", &[None, PART, PART]),
        // a text within a text has places of its own
        ("eval 'echo MARK'", &[Some(Single)]),
    ];
    for (text, expected) in cases {
        assert_eq!(sites(text), *expected, "{text}");
    }
    assert!(locate("echo 'MARK", Dialect::Sh, std::slice::from_ref(&(6..10))).is_err());
}

/// The last command of a text that has a name.
fn last(text: &str) -> Command {
    let found = commands(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    found.into_iter().rfind(|command| command.name != "").unwrap()
}

#[test]
fn an_argument_may_become_code() {
    let code = Some(Risk::Code);
    let program = Some(Risk::Program);
    let option = Some(Risk::Option);
    // The last argument is the one in question.
    for (text, expected) in [
        ("./x \"$v\"", None),
        ("echo run \"$v\"", None),
        ("grep -r \"$v\"", None),
        ("python3 x.py \"$v\"", None),
        ("printf '%s %-5b%%\\n' \"$v\"", None),
        ("printf '%d\\n' \"$v\"", code),
        ("printf '%*s' \"$v\"", code),
        ("make T=\"$v\"", code),
        ("awk '{ print }' \"$v\"", code),
        ("vim a \"$v\"", code),
        ("tool -c \"$v\"", code),
        ("grep -c \"$v\"", None),
        ("tool sh \"$v\"", code),
        ("tool sh -x a \"$v\"", code),
        ("tool sh a \"$v\"", None),
        ("Bash a \"$v\"", code),
        ("node99 a \"$v\"", None),
        ("git fetch \"$v\"", option),
        ("git fetch -- \"$v\"", None),
        ("git commit -m \"$v\"", None),
        ("git commit \"a$v\"", None),
        ("rg \"$v\"", option),
        ("npx \"$v\"", program),
        ("npx -y \"$v\"", program),
        ("npx -- eslint \"$v\"", None),
        ("bunx eslint \"$v\"", None),
        ("go run \"$v\"", program),
        ("go vet \"$v\"", option),
        ("docker-compose exec a \"$v\"", program),
        ("docker-compose exec a b \"$v\"", None),
        ("concurrently a b \"$v\"", program),
    ] {
        let found = commands(text).unwrap();
        let command = found.iter().find(|command| command.name != "").unwrap();
        assert_eq!(command.risk(command.args.len() - 1), expected, "{text}");
    }
}

#[test]
fn what_a_program_reads_may_run() {
    for (text, runs) in [
        ("psql db", true),
        ("ssh host", true),
        ("bc -l", true),
        ("crontab -", true),
        ("parallel", true),
        ("deno", true),
        ("deno run -", true),
        ("deno run a.ts", false),
        ("python3 a.py", false),
        ("Python a.py", true),
        ("cat", false),
        ("grep -", false),
    ] {
        assert_eq!(last(text).runs_input(), runs, "{text}");
    }
}

#[test]
fn programs_of_a_home_are_told_by_their_names() {
    for (text, is) in [
        ("~/bin/notify a", true),
        ("~/bin/bash a", false),
        ("~/bin/env a", false),
        ("~/bin/$x", false),
        ("~me/notify", false),
        ("~/bin/n*", false),
    ] {
        assert_eq!(last(text).is_in_home(), is, "{text}");
    }
    let shells = |text: &str| last(text).is_in_shells();
    assert!(shells("ls") && shells("sh -c \"bash -c 'ls a'\"") && !shells("sudo sh -c 'ls a'"));
}

#[test]
fn variables_that_decide_are_known() {
    for name in
        ["PATH", "IFS", "LD_PRELOAD", "BASH_ENV", "GIT_SSH", "EDITOR", "SNAPHOOK_X", "PS4", "NODE_OPTIONS"]
    {
        assert!(decides_what_runs(name), "{name}");
    }
    for name in ["X", "TASK_ID", "CI", "NAME", "LANG"] {
        assert!(!decides_what_runs(name), "{name}");
    }
}
