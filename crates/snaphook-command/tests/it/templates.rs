//! Values in commands, against the shells that are there: a reference does what the text would do with a harmless value, and no
//! value runs anything.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use snaphook_command::lifecycle::template::{Rewritten, Variable, rewrite, unknown};

/// Places where a value may be; `@` is the placeholder.
const PLACES: &[&str] = &[
    "echo @",
    "echo a@b @c d@",
    "echo @@",
    "printf '%s|' @ x",
    "echo 'a @ b'",
    "echo '@'",
    "echo \"a @ b\"",
    "echo \"@\"",
    "echo \"{\\\"text\\\": \\\"Iteration @ done\\\"}\"",
    "echo pre'@'post\"@\"@",
    "echo $(echo @)",
    "echo \"$(echo @)\"",
    "echo \"$(echo \"@\")\"",
    "echo \"$(echo '@' $(echo @))\"",
    "echo `echo @`",
    "echo \"`echo @`\"",
    "echo `echo '@'`",
    "echo ${nothing:-@}",
    "echo \"${nothing:-@}\"",
    "echo \"${nothing-a@b}\"",
    "v=xay; echo ${v#x}@",
    "v=a.b; echo \"${v%.b}@\"",
    "x=@; echo \"$x\"",
    "x=a@b y='@' z=\"@\"; echo \"$x $y $z\"",
    "X=@ sh -c 'echo \"$X\"'",
    "env X=@ sh -c 'echo \"$X\"'",
    "export X=@; echo \"$X\"",
    "for i in @ b; do echo \"$i\"; done",
    "case @ in a) echo A;; *) echo other;; esac",
    "if [ @ = a ]; then echo yes; else echo no @; fi",
    "if [ -n \"@\" ]; then echo yes; fi",
    "[ x@ != x ] && echo @ || echo none",
    "{ echo @; echo '@'; }",
    "(echo @; echo '@')",
    "! echo @",
    "echo @ | cat",
    "cat <<EOF\n@ $(echo sub @) \"@\" '@'\nEOF",
    "cat <<-EOF\n\ta @\n\tEOF",
    "cat <<'EOF'\n@ $HOME `x` \\ $(no) '\nEOF\necho after @",
    "cat <<\"EOF\" | cat\n\"@\"\nEOF",
    "cat <<\\EOF\n\\@\nEOF",
    "cat <<A; cat <<'B'\n@\nA\n@\nB",
    "echo x > out-@; cat out-@",
    "echo x >> 'o @'",
    "ls nothing-@ 2>/dev/null || echo @",
    "sh -c 'echo \"$1\" \"$2\"' sh @ \"@\"",
    "set -- @ b; echo \"$1\"",
    "echo a;echo @&wait",
    "echo a && echo @ # and @",
    "echo *@*",
    "echo \\\n@",
    "echo a#@",
    "timeout 5 echo @",
    "echo \"$SNAPHOOK_TASK_ID\" @",
    "git log -- @ 2>/dev/null; echo @",
    "echo '@' | while true; do cat; break; done",
    "echo a~@",
    "echo ~/@ | wc -l",
    "echo \"a\\\\$(echo @)\"",
    "cd . && echo @ && cd .",
    "xargs echo @ </dev/null",
    "echo -- \"-@\" --task=@",
    "echo -e @ >/dev/null; echo x",
    "echo run @; echo exec @",
    "find . -name @ -exec echo {} \\;",
];

/// The same, where only bash knows the form.
const BASH_PLACES: &[&str] = &[
    "echo $'a @ b'",
    "echo $\"a @ b\"",
    "cat <<< @",
    "cat <<< \"a @\"",
    "cat <(echo @)",
    "echo a<(echo @)",
    "a=b<(:) echo @",
    "echo {a,b}@",
];

/// Places where no value may be, each with its message.
const REFUSED: &[(&str, &str)] = &[
    ("@", "in the name of a command"),
    ("@ --all", "in the name of a command"),
    ("./scripts/@.sh", "in the name of a command"),
    ("\"@\"", "in the name of a command"),
    ("echo a; @", "in the name of a command"),
    ("echo a\n@ b", "in the name of a command"),
    ("true && @", "in the name of a command"),
    ("echo a | @", "in the name of a command"),
    ("(@)", "in the name of a command"),
    ("{ @; }", "in the name of a command"),
    ("if @; then echo; fi", "in the name of a command"),
    ("X=1 @", "in the name of a command"),
    ("echo $(@)", "in the name of a command"),
    ("echo `@`", "in the name of a command"),
    ("echo \"$(a; @)\"", "in the name of a command"),
    ("$(echo @)", "in the name of a command"),
    ("<(echo @)", "in the name of a command"),
    ("a>(echo @)", "in the name of a command"),
    ("a=b<(echo) @", "in the name of a command"),
    ("> f @", "in the name of a command"),
    ("2>/dev/null @", "in the name of a command"),
    ("exec @", "in the name of a command"),
    ("sudo -u me @", "in the name of a command"),
    ("env X=1 @", "in the name of a command"),
    ("env - @", "in the name of a command"),
    ("xargs a=@ <f", "in the name of a command"),
    ("timeout 5 a=@ b", "in the name of a command"),
    ("nohup a=@ b", "in the name of a command"),
    ("time a=b @", "in the name of a command"),
    ("time a=@ b", "in the name of a command"),
    ("sudo a=b @", "in the name of a command"),
    ("env - X=1 - @", "in the name of a command"),
    ("timeout 5 @", "in the name of a command"),
    ("timeout @ ls", "in the name of a command"),
    ("nohup nice @", "in the name of a command"),
    ("xargs @", "in the name of a command"),
    ("@=1", "in the name of a command"),
    ("a[@]=1", ""),
    ("@() { echo; }", "function"),
    ("case x in @) echo;; esac", ""),
    ("case x in\n@) echo;; esac", "in the name of a command"),
    ("for @ in a; do echo; done", "in a variable's name"),
    ("export @=1", "in a variable's name"),
    ("export @", "in a variable's name"),
    ("PATH=@ ls", "decides what programs do"),
    ("PATH=@", "decides what programs do"),
    ("env LD_PRELOAD=@ ls", "decides what programs do"),
    ("BASH_ENV=@ bash x", "decides what programs do"),
    ("GIT_SSH_COMMAND=\"@\" git fetch", "decides what programs do"),
    ("export IFS=@", "decides what programs do"),
    ("echo $((@ + 1))", "in arithmetic"),
    ("echo $(( $(echo @) ))", "in arithmetic"),
    ("((x = @))", "in arithmetic"),
    ("echo $[@]", "in a"),
    ("echo ${a[@@]}", "in `${…}`"),
    ("echo ${v:@:1}", "in `${…}`"),
    ("echo ${v/@/x}", "in `${…}`"),
    ("echo ${@}", ""),
    ("[[ @ -eq 1 ]] && echo", "in a command with `[[`"),
    ("[ @ -eq 1 ] && echo", "in a test of numbers"),
    ("test -v @", "in a test of numbers"),
    ("eval echo @", "in arguments of `eval`"),
    ("eval \"echo @\"", "in arguments of `eval`"),
    ("eval 'echo @'", "in arguments of `eval`"),
    ("ev'a'l \"echo @\"", "in arguments of `eval`"),
    ("ev\\\nal \"echo @\"", "in arguments of `eval`"),
    ("command eval \"echo @\"", "in arguments of `eval`"),
    ("eval \"$(echo @)\"", "in arguments of `eval`"),
    ("eval `echo @`", "in arguments of `eval`"),
    ("trap 'echo @' EXIT", "in arguments of `trap`"),
    ("source @", "in arguments of `source`"),
    (". ./@", "in arguments of `.`"),
    (". <(echo @)", "in arguments of `.`"),
    ("let x=@", "in arguments of `let`"),
    ("declare \"@=1\"", "in arguments of `declare`"),
    ("read @", "in arguments of `read`"),
    ("unset @", "in arguments of `unset`"),
    ("alias x=@", "in arguments of `alias`"),
    ("printf -v @ x", "printf -v"),
    ("sh -c \"echo @\"", "code"),
    ("sh -c 'echo @'", "code"),
    ("bash -c \"echo @\"", "code"),
    ("/bin/sh -ec 'echo @'", "code"),
    ("bash -x -c 'echo @'", "code"),
    ("sh -c -x 'echo @'", "code"),
    ("sh @", "code"),
    ("sh <(echo @)", "code"),
    ("sh -c \"$(echo @)\"", "code"),
    ("timeout 5 sh -c 'echo @'", "code"),
    ("sudo -u me bash -c 'echo @'", "code"),
    ("env -i A=b sh -c 'echo @'", "code"),
    ("env -S \"echo @\"", ""),
    ("docker exec box sh -c 'echo @'", "code"),
    ("xargs -I{} sh -c 'echo @'", "code"),
    ("find . -exec sh -c 'echo @' \\;", "code"),
    ("sh -c 'eval \"$1\"' sh @", "behind code that evaluates"),
    ("python3 -c \"print('@')\"", "code"),
    ("python3.12 -c'print(\"@\")'", "code"),
    ("perl -e 'print \"@\"'", "code"),
    ("perl -ne 'print' -e '@'", "code"),
    ("node -e 'console.log(\"@\")'", "code"),
    ("node --eval=@", "code"),
    ("ruby -e 'puts \"@\"'", "code"),
    ("php -r 'echo \"@\";'", "code"),
    ("awk '{print \"@\"}' f", "in arguments of `awk`"),
    ("sed 's/x/@/' f", "in arguments of `sed`"),
    ("ssh host \"echo @\"", "in arguments of `ssh`"),
    ("a\\\nb=c @", "in the name of a command"),
    ("e\\\nval @", "in arguments of `eval`"),
    ("echo $(\\\n( 1 + @ ))", "a line break within an operator"),
    ("echo $\\\n@", "a line break within an operator"),
    ("time -- a:@", "in the name of a command"),
    ("time ! @", "in the name of a command"),
    ("time -p { @; }", "in the name of a command"),
    ("coproc x { @; }", "in a command with `coproc`"),
    ("noglob a@", "in the name of a command"),
    ("find . -exec @ \\;", "in the name of a command"),
    ("find . -name x -ok ./@ {} \\; -print", "in the name of a command"),
    ("find . -execdir env A=b @ {} +", "where `find` may take it as an option"),
    ("find . -name x -exec timeout 5 sh -c \"echo @\" \\;", "code"),
    ("fd -x @", "in the name of a command"),
    ("fd --exec-batch @", "in the name of a command"),
    ("fd x -x@", "in options of `fd`"),
    ("npx @", "in the name of a command"),
    ("npm exec -- @", "in the name of a command"),
    ("poetry run @", "in the name of a command"),
    ("uv run --with x @", "in the name of a command"),
    ("docker exec box @", "in the name of a command"),
    ("docker exec -u me box @", "in the name of a command"),
    ("docker run --rm @", "in the name of a command"),
    ("kubectl exec pod -- @", "in the name of a command"),
    ("git submodule foreach @", "where `git` may take it as an option"),
    ("fakeroot @", "in the name of a command"),
    ("systemd-run --user @", "in the name of a command"),
    ("flock /tmp/lock @", "in the name of a command"),
    ("chroot /mnt @", "in the name of a command"),
    ("gosu nobody @ x", "in the name of a command"),
    ("e*v @", "behind a command whose name is not written out"),
    ("{sh,-c} @", "behind a command whose name is not written out"),
    ("env s? @", "behind a command whose name is not written out"),
    ("nix-shell --run \"echo @\"", "behind `--run` of `nix-shell`"),
    ("tool --execute @", "behind `--execute` of `tool`"),
    ("su -c 'echo @'", "in arguments of `su`"),
    ("make TASK=@", "in arguments of `make`"),
    ("watch \"echo @\"", "in arguments of `watch`"),
    ("psql -c \"select '@'\"", "in arguments of `psql`"),
    ("unheard-of -c \"echo @\"", "behind `-c`"),
    ("git @", "where `git` may take it as an option"),
    ("git fetch @", "where `git` may take it as an option"),
    ("{{iteration}} @", "whose name is not written out"),
    ("./run-{{iteration}}.sh @", "whose name is not written out"),
    ("\"{{iteration}}\" @", "whose name is not written out"),
    ("X{{iteration}}=@", "in the name of a command"),
    ("\"X\"=@ ls", "in the name of a command"),
    ("X\"=\"@", "in the name of a command"),
    ("\\X=@", "in the name of a command"),
    ("$RUN @", "whose name is not written out"),
    ("\"$RUN\" a @", "whose name is not written out"),
    ("echo @ | sh", "a shell that reads what to run"),
    ("echo @ | sudo bash -s", "a shell that reads what to run"),
    ("printf '%s' @ | sh -", "a shell that reads what to run"),
    ("sh <<EOF\necho @\nEOF", "a shell that reads what to run"),
    ("cat <<EOF | sh\necho @\nEOF", "a shell that reads what to run"),
    ("sh <<'EOF'\necho @\nEOF", "a shell that reads what to run"),
    ("bash <<< \"echo @\"", "a shell that reads what to run"),
    ("bash < @", "a shell that reads what to run"),
    ("< @ bash", "a shell that reads what to run"),
    ("echo @ | xargs -I{} sh -c 'echo {}'", "a shell that reads what to run"),
    ("echo @ | python3", "a shell that reads what to run"),
    ("echo @ | ssh host", "a shell that reads what to run"),
    ("x=@; eval \"echo $x\"", "keeps it and evaluates"),
    ("x=@; echo $((x))", "keeps it and evaluates"),
    ("x=@; sh -c \"echo $x\"", "keeps it and evaluates"),
    ("set -- @; eval \"$1\"", "keeps it and evaluates"),
    ("for i in @; do eval \"$i\"; done", "keeps it and evaluates"),
    ("f() { eval \"$1\"; }; f @", "keeps it and evaluates"),
    ("echo @ | while read x; do eval \"$x\"; done", "keeps it and evaluates"),
    ("echo ${x:=@}; echo $((x))", "keeps it and evaluates"),
    ("x=@; echo ${!x}", "keeps it and evaluates"),
    ("function f { $1; }; f @", "`function`"),
    ("a=(@)", ""),
    ("set @", "in options of the shell"),
    ("cat <<@\nx\n@", "in the delimiter"),
    ("cat <<'@'\nx\n@", "in the delimiter"),
    ("cat <<'E-F'\n@\nE-F", "with this delimiter"),
    ("echo \\@", "right behind a backslash"),
    ("echo \"\\@\"", "right behind a backslash"),
    ("echo $@x", "right behind `$`"),
    ("echo \"$@\"", "right behind `$`"),
    ("echo $x@", "right behind a variable"),
    ("echo $'a\\n@'", "with a backslash"),
    ("echo $'\\'' '; @'", "`$'…'`"),
    ("echo `echo \\`echo @\\``", "in backticks with a backslash"),
    ("echo ~@", "behind `~`"),
    ("echo {1..@}", "in a pattern"),
    ("echo {@,b}", "in a pattern"),
    ("echo [@]x", "in a pattern"),
    ("echo a @>f", "right before a redirection"),
    ("echo \"$(case x in a) echo @;; esac)\"", "`case` in parentheses"),
    ("echo a &> f @", "in the name of a command"),
    ("echo 'a @", "not closed"),
    ("echo \"a @", "not closed"),
    ("echo $(a @", "not closed"),
    ("echo ${x:-@", "not closed"),
    ("cat <<EOF\n@", "not closed"),
    ("echo @ )", "not closed"),
    ("echo `echo @", "not closed"),
];

/// Returns what attackers write, where running it would leave the file `pwned`.
fn attacks() -> Vec<String> {
    let commands = ["touch pwned", "touch${IFS}pwned", ": > pwned #"];
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
    let attack = |(before, after): &(&str, &str)| commands.map(|command| format!("{before}{command}{after}"));
    around.iter().flat_map(attack).collect()
}

fn placed(place: &str, variable: Variable) -> String {
    place.replace('@', &format!("{{{{{}}}}}", variable.name()))
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

fn is_bash(shell: &str) -> bool {
    Path::new(shell).canonicalize().is_ok_and(|real| real.ends_with("bash"))
}

/// Standard output, and whether it exited with 0.
fn run(shell: &str, cwd: &Path, text: &str, value: &str) -> (String, bool) {
    let mut command = Command::new(shell);
    command.args(["-c", text]).current_dir(cwd).stdin(Stdio::null()).env_clear().env("PATH", super::PATH);
    command.env("HOME", cwd).env("LC_ALL", "C.UTF-8");
    for variable in Variable::ALL {
        command.env(variable.env(), value);
    }
    let output = command.output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

fn accepted(place: &str, variable: Variable) -> Rewritten {
    let command = placed(place, variable);
    rewrite(&command).map_err(|refused| format!("{command}: {refused:?}")).unwrap()
}

fn same_as_text(place: &str, shell: &str, value: &str) {
    assert_eq!(difference(place, shell, value), None);
}

/// Returns what is not as in the text.
fn difference(place: &str, shell: &str, value: &str) -> Option<String> {
    let rewritten = accepted(place, Variable::TaskId);
    let text = place.replace('@', value);
    let fresh = || tempfile::tempdir().unwrap();
    let (plain, referred) =
        (run(shell, fresh().path(), &text, value), run(shell, fresh().path(), &rewritten.text, value));
    let told =
        || format!("{shell}: {place:?} with {value:?} became {:?}: {plain:?} {referred:?}", rewritten.text);
    (plain != referred).then(told)
}

#[test]
fn a_reference_does_what_the_text_would_do() {
    let mut differ = Vec::new();
    for shell in shells() {
        let more = if is_bash(shell) { BASH_PLACES } else { &[] };
        for place in PLACES.iter().chain(more) {
            for value in ["a", "TASK-7", "x_1.b/c", ".", "-n", "0"] {
                differ.extend(difference(place, shell, value));
            }
        }
    }
    assert_eq!(differ, [] as [String; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_harmless_value_is_as_the_text(place in 0..PLACES.len(), value in "[A-Za-z0-9_./-]{1,12}", shell in 0..8_usize) {
        let shells = shells();
        same_as_text(PLACES[place], shells[shell % shells.len()], &value);
    }
}

#[test]
fn no_value_runs_anything_in_any_place() {
    let attacks = attacks();
    assert!(attacks.len() >= 100, "{}", attacks.len());
    for shell in shells() {
        let more = if is_bash(shell) { BASH_PLACES } else { &[] };
        // One process for all places, each in a subshell of its own; by turns each variable is in each place.
        let variables = [Variable::Session, Variable::TaskId, Variable::TaskContent, Variable::Error];
        let script = |turn: usize| {
            let one = |(at, place): (usize, &&str)| {
                let text = accepted(place, variables[(at + turn) % variables.len()]).text;
                format!("(\n{text}\n) </dev/null >/dev/null 2>&1\n")
            };
            PLACES.iter().chain(more).enumerate().map(one).collect::<String>()
        };
        let all = [0, 1, 2, 3].map(script);
        let mut would_run = 0;
        for (turn, value) in attacks.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            run(shell, folder.path(), &all[turn % all.len()], value);
            assert!(!folder.path().join("pwned").exists(), "{shell} ran {value:?}");
            // The same by plain expansion: the attacks are attacks.
            let folder = tempfile::tempdir().unwrap();
            run(shell, folder.path(), &format!("echo {value}"), "");
            let quoted = format!("echo \"{value}\"");
            run(shell, folder.path(), &quoted, "");
            would_run += usize::from(folder.path().join("pwned").exists());
        }
        assert!(would_run > attacks.len() / 2, "{shell}: {would_run} of {}", attacks.len());
    }
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
    for shell in shells() {
        for place in [
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
        ] {
            let rewritten = accepted(place, Variable::Iteration);
            let folder = tempfile::tempdir().unwrap();
            let plain = run(shell, folder.path(), &place.replace('@', "7"), "7");
            assert_eq!(run(shell, folder.path(), &rewritten.text, "7"), plain, "{shell}: {place}");
        }
    }
}

#[test]
fn an_empty_value_is_no_word() {
    let text = accepted("printf '<%s>' a @ b", Variable::TaskId).text;
    assert_eq!(run("/bin/sh", Path::new("/"), &text, "").0, "<a><b>");
}

#[test]
fn a_value_with_blanks_is_one_word() {
    let text = accepted("printf '<%s>' @ 'x @'", Variable::TaskContent).text;
    assert_eq!(run("/bin/sh", Path::new("/"), &text, "a  b *").0, "<a  b *><x a  b *>");
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
