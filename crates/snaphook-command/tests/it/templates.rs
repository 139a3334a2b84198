//! Values in commands, against the shells that are there: a reference does what the text would do with a harmless value, and no
//! value runs anything.

mod places;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use places::{PLACES, REFUSED};
use proptest::prelude::*;
use snaphook_command::lifecycle::template::{Rewritten, Variable, rewrite, unknown};

/// What an attacker wants to run.
const COMMANDS: [&str; 3] = ["touch pwned", "touch${IFS}pwned", ": > pwned #"];

/// Returns what attackers write, where running it would leave the file `pwned`.
fn attacks() -> Vec<String> {
    let around: &[(&str, &str)] = &[
        ("", ""),
        ("; ", ""),
        ("a; ", ";"),
        ("& ", " &"),
        ("&& ", ""),
        ("|| ", ""),
        ("a | ", ""),
        ("\n", "\n"),
        ("$(", ")"),
        ("`", "`"),
        ("\"; ", "; \""),
        ("'; ", "; '"),
        ("\"$(", ")\""),
        ("'$(", ")'"),
        ("'\"$(", ")\"'"),
        ("\\\"; ", "; \\\""),
        ("\\'; ", "; \\'"),
        (") ; ", "; ("),
        ("} ; ", "; {"),
        ("${x:-$(", ")}"),
        ("$((a[$(", ")]))"),
        ("a[$(", ")]"),
        ("x[`", "`]=1"),
        ("EOF\n", "\n"),
        ("\nEOF\n", "\ncat <<EOF\n"),
        ("A\nB\n", "\n"),
        ("-c '", "'"),
        ("<(", ")"),
        (">(", ")"),
        ("-e ", ""),
        ("$'\\x24(", ")'"),
        ("*/$(", ")"),
        ("]; ", "; ["),
        ("`\\`", "\\``"),
        ("a)\n", ";; b)"),
        ("--receive-pack=", ""),
        ("\r\n", "\r\n"),
        ("\u{a0}; ", ""),
        ("#\n", ""),
        ("~$(", ")"),
    ];
    let attack = |(before, after): &(&str, &str)| COMMANDS.map(|command| format!("{before}{command}{after}"));
    around.iter().flat_map(attack).collect()
}

fn placed(place: &str, variable: Variable) -> String {
    place.replace('@', &format!("{{{{{}}}}}", variable.as_str()))
}

fn shells() -> Vec<&'static str> {
    let known = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/ash", "/bin/ksh", "/bin/mksh"];
    // Few systems have `ash` by itself.
    let is_there = |path: &str| Path::new(path).is_file();
    let is_met = |path: &str| crate::needs::met(&format!("the shell {path}"), is_there(path));
    let mut seen = BTreeSet::new();
    known
        .into_iter()
        .filter(|path| *path == "/bin/ash" || is_met(path))
        .filter(|path| Path::new(path).canonicalize().is_ok_and(|real| seen.insert(real)))
        .collect()
}

/// Runs a script with a value for every variable, and returns what it writes.
fn run(shell: &str, cwd: &Path, script: &str, value: &str, args: &[String]) -> String {
    let mut command = Command::new(shell);
    command.args(["-c", script, "sh"]).args(args).current_dir(cwd).stdin(Stdio::null());
    command.env_clear().env("PATH", super::PATH).env("HOME", cwd).env("LC_ALL", "C.UTF-8");
    for variable in Variable::ALL {
        command.env(variable.env(), value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with one for each of so many texts.
fn folders(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..count {
        std::fs::create_dir(folder.path().join(at.to_string())).unwrap();
    }
    folder
}

/// Runs texts in one shell, each in a subshell with a folder of its own. Returns what each wrote, and its exit code.
fn run_each(shell: &str, texts: &[String], value: &str) -> Vec<String> {
    let folder = folders(texts.len());
    let one = |(at, text): (usize, &String)| {
        format!("(cd {at}; HOME=$PWD\n{text}\n) </dev/null\necho \"\u{1}$?\u{2}\"\n")
    };
    let script: String = texts.iter().enumerate().map(one).collect();
    let said = run(shell, folder.path(), &script, value, &[]);
    let each: Vec<String> = said.split_terminator("\u{2}\n").map(str::to_owned).collect();
    assert_eq!(each.len(), texts.len(), "{shell}: {said}");
    each
}

fn accepted(place: &str, variable: Variable) -> Rewritten {
    let command = placed(place, variable);
    rewrite(&command).map_err(|refused| format!("{command}: {refused:?}")).unwrap()
}

/// Returns the places where a reference does not do what the text does.
fn differences(places: &[&str], variable: Variable, shell: &str, value: &str) -> Vec<String> {
    let plain: Vec<String> = places.iter().map(|place| place.replace('@', value)).collect();
    let referred: Vec<String> = places.iter().map(|place| accepted(place, variable).text).collect();
    let (plain, said) = (run_each(shell, &plain, value), run_each(shell, &referred, value));
    let all = places.iter().zip(referred).zip(plain.into_iter().zip(said));
    all.filter(|(_, (plain, said))| plain != said)
        .map(|((place, text), (plain, said))| {
            format!("{shell}: {place:?} with {value:?} became {text:?}: {plain:?} {said:?}")
        })
        .collect()
}

/// Runs a test in all shells at once.
fn in_shells(test: impl Fn(&'static str) + Sync) {
    std::thread::scope(|scope| {
        for shell in shells() {
            scope.spawn(|| test(shell));
        }
    });
}

#[test]
fn a_reference_does_what_the_text_would_do() {
    in_shells(|shell| {
        for value in ["a", "TASK-7", "x_1.b/c", ".", "-n", "0"] {
            assert_eq!(differences(PLACES, Variable::TaskId, shell, value), [] as [String; 0]);
        }
    });
}

proptest! {
    // Each case is all places in a shell.
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_harmless_value_is_as_the_text(value in "[A-Za-z0-9_./-]{1,12}", shell in 0..8_usize) {
        let shells = shells();
        let shell = shells[shell % shells.len()];
        prop_assert_eq!(differences(PLACES, Variable::TaskId, shell, &value), [] as [String; 0]);
    }
}

/// Stands in for programs that get a value from the shell and do nothing to the test but take its time.
const STUBS: &str = "nohup() { \"$@\"; }\nfor name in cat find git ls printf sh wc xargs\ndo eval \"$name() { :; }\"\ndone\n\
    for name in env timeout\ndo eval \"$name() { shift; \\\"\\$@\\\"; }\"\ndone\n";

/// A script that runs all places with each of its arguments as a value, by turns of each variable.
fn all_places() -> String {
    let variables = [Variable::Session, Variable::TaskId, Variable::TaskContent, Variable::Error];
    let mut script = String::new();
    for (at, place) in PLACES.iter().enumerate() {
        for (turn, variable) in variables.into_iter().enumerate() {
            script += &format!("place_{at}_{turn}() {{\n{}\n}}\n", accepted(place, variable).text);
        }
        let set: String = variables.iter().map(|one| format!("{}=$value ", one.env())).collect();
        script += &format!(
            "(\ncd {at}\nexport HOME=$PWD\nturn=0\nfor value\ndo\n{set}\n\
             place_{at}_$((turn % 4)) </dev/null >/dev/null 2>&1\nturn=$((turn + 1))\n\
             if [ -e pwned ]; then echo \"{at}: $value\"; exit; fi\ndone\necho $turn\n)\n"
        );
    }
    script
}

fn runs_nothing(shell: &str, script: &str, values: &[String]) {
    let folder = folders(PLACES.len());
    let each_ran = format!("{}\n", values.len()).repeat(PLACES.len());
    assert_eq!(run(shell, folder.path(), script, "", values), each_ran, "{shell}");
    let pwned = |at: usize| folder.path().join(at.to_string()).join("pwned").exists();
    assert_eq!((0..PLACES.len()).find(|at| pwned(*at)), None, "{shell}");
}

#[test]
fn no_value_runs_anything_in_any_place() {
    let attacks = attacks();
    assert!(attacks.len() >= 100, "{}", attacks.len());
    let places = all_places();
    in_shells(|shell| runs_nothing(shell, &format!("{STUBS}{places}"), &attacks));
    // The programs themselves, with each attack's first command.
    let first: Vec<String> = attacks.iter().step_by(COMMANDS.len()).cloned().collect();
    runs_nothing("/bin/sh", &places, &first);
}

/// The same values by plain expansion: the attacks are attacks.
#[test]
fn the_attacks_would_run_as_text() {
    let attacks = attacks();
    let text = "for value\ndo\n(cd $((turn)); eval \"echo $value\")\n(cd $((turn)); eval \"echo \\\"$value\\\"\")\n\
                turn=$((turn + 1))\ndone >/dev/null 2>&1\nwait";
    in_shells(|shell| {
        let folder = folders(attacks.len());
        run(shell, folder.path(), &format!("turn=0\n{text}"), "", &attacks);
        let pwned = |at: &usize| folder.path().join(at.to_string()).join("pwned").exists();
        let would_run = (0..attacks.len()).filter(pwned).count();
        assert!(would_run > attacks.len() / 2, "{shell}: {would_run} of {}", attacks.len());
    });
}

#[test]
fn values_are_refused_where_they_would_be_code() {
    let mut wrong = Vec::new();
    for (place, why) in REFUSED {
        for variable in [Variable::Session, Variable::TaskId, Variable::TaskContent, Variable::Error] {
            let command = placed(place, variable);
            match rewrite(&command) {
                Err(refused) => {
                    assert!(!refused.help.is_empty() && command.is_char_boundary(refused.at), "{command}");
                    if !refused.message.contains(why) {
                        wrong.push(format!("{place:?}: {}", refused.message));
                    }
                }
                Ok(rewritten) => wrong.push(format!("{place:?} became {}", rewritten.text)),
            }
        }
    }
    wrong.dedup();
    assert_eq!(wrong, [] as [String; 0]);
}

/// A number comes from snaphook, so it may be anywhere where it means the same.
#[test]
fn the_iteration_may_be_a_number() {
    const NUMBERS: &[&str] = &[
        "echo $((@ + 1))",
        "echo $(( (@ + 1) * 2 ))",
        "if [ $((@ % 5)) -eq 2 ]; then echo fifth; fi",
        "[ @ -gt 3 ] && echo many",
        "sh -c \"echo @\"",
        "sh -c 'echo @'",
        "eval \"echo @\"",
        "awk 'BEGIN { print @ + 1 }'",
        "echo @ | sh -s; echo",
        "x=@; echo $((x))",
    ];
    in_shells(|shell| {
        assert_eq!(differences(NUMBERS, Variable::Iteration, shell, "7"), [] as [String; 0]);
    });
    accepted("[[ @ -gt 3 ]] && echo many", Variable::Iteration);
}

#[test]
fn an_empty_value_is_no_word() {
    let text = accepted("printf '<%s>' a @ b", Variable::TaskId).text;
    assert_eq!(run("/bin/sh", Path::new("/"), &text, "", &[]), "<a><b>");
}

#[test]
fn a_value_with_blanks_is_one_word() {
    let text = accepted("printf '<%s>' @ 'x @'", Variable::TaskContent).text;
    assert_eq!(run("/bin/sh", Path::new("/"), &text, "a  b *", &[]), "<a  b *><x a  b *>");
}

#[test]
fn what_is_in_comments_stays() {
    let command = "echo a # {{error}}";
    let rewritten = rewrite(command).unwrap();
    assert_eq!(rewritten.text, command);
    assert!(rewritten.uses.is_empty());
}

#[test]
fn texts_without_placeholders_are_not_touched() {
    for command in
        ["docker ps --format '{{.Names}}'", "echo '{{ session }} $((", "{{", "}}{{x}}", "eval \"$x\"", ""]
    {
        assert_eq!(rewrite(command).unwrap().text, command);
    }
}

#[test]
fn what_is_no_placeholder_is_named() {
    let found = |command| unknown(command).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(
        found("echo {{session}} {{ session }} {{sesion}} {{{task_id}}} {{.Names}} {{}} {{a b}}"),
        ["{{ session }}", "{{sesion}}"]
    );
    assert_eq!(found("{{"), [] as [&str; 0]);
}
