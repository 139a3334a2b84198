//! What `commands` says of texts, as tables. That it is sound is shown against real shells in `tests/it`.

mod opaque;
mod values;
mod wrappers;

use super::{Command, Dialect, FlagMatch, MAX_DEPTH, MAX_INPUT, Word, commands, commands_in};

/// The commands of a text, one a line, or `error: …`.
fn said(script: &str, dialect: Dialect) -> String {
    match commands_in(script, dialect) {
        Ok(found) => found.iter().map(Command::to_string).collect::<Vec<_>>().join("\n"),
        Err(error) => format!("error: {}", error.message),
    }
}

/// Each entry: a script, then what is said of it.
fn check(cases: &[(&str, &str)]) {
    let mut failures = String::new();
    for (script, expected) in cases {
        let actual = said(script, Dialect::Bash);
        if actual != *expected {
            failures += &format!("--- {script}\nexpected:\n{expected}\nactual:\n{actual}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Each script is refused, with this in the reason.
fn refused(dialect: Dialect, cases: &[(&str, &str)]) {
    for (script, reason) in cases {
        let said = said(script, dialect);
        assert!(said.starts_with("error: ") && said.contains(reason), "{script}: {said}");
    }
}

/// Each script has a command that is dynamic.
fn dynamic(scripts: &[&str]) {
    for script in scripts {
        let found = commands(script).unwrap_or_else(|error| panic!("{script}: {error}"));
        assert!(found.iter().any(|command| command.dynamic), "{script}: {}", said(script, Dialect::Bash));
    }
}

#[test]
fn text_that_only_looks_dangerous_is_no_command() {
    check(&[
        ("echo \"rm -rf /\"", "echo rm -rf /"),
        ("git commit -m 'rm -rf / && sudo x'", "git commit -m rm -rf / && sudo x"),
        ("# rm -rf /\nls", "ls"),
        ("ls # rm -rf /", "ls"),
        ("cat <<'EOF'\nrm -rf /\n$(rm x)\nEOF", "cat"),
        ("grep -r 'rm -rf' .", "grep -r rm -rf ."),
        ("X='rm -rf /'; echo \"$X\"", "X=rm -rf / ''\necho ‹\"$X\"›"),
        ("ls \\\n  -la", "ls -la"),
        ("echo a\\ b 'c'\"d\"", "echo a b cd"),
        ("echo $ \"a$\" \"$.\"", "echo $ a$ $."),
    ]);
}

#[test]
fn the_grammar_of_every_day_is_understood() {
    check(&[
        ("if [ -f x ]; then cat x; elif a; then b; else c; fi", "[ -f x ]\ncat x\na\nb\nc"),
        ("for f in a b; do rm \"$f\"; done", "f=‹a value of the loop› ''\nrm ‹\"$f\"›"),
        ("echo $! ''~ a~ ''=b", "echo ‹$!› ‹''~› a~ ‹''=b›"),
        ("while read -r l; do echo \"$l\"; done < f", "read -r l\necho ‹\"$l\"›\n'' 0<f"),
        ("case $x in a | b) rm x ;; (*) ls ;; esac", "rm x\nls"),
        ("f() { rm \"$1\"; }; f a", "rm ‹\"$1\"›\nf a"),
        ("! a && (b; c) || { d; } &", "a\nb\nc\nd"),
        ("[[ -f x && $a == b* ]] && y", "[[ -f x && ‹$a› == ‹b*› ]]\ny"),
        ("a=(1 2); echo \"${a[@]}\"", "a=‹(1 2)› ''\necho ‹\"${a[@]}\"›"),
        ("a | b |& c", "a\nb\nc"),
        ("a 2>&1 >f <g >>h &>i", "a 1>f 0<g 1>>h 1>i"),
        (
            "p $(f &>>a; [[ -f x ]] && g ${y,,} b[1)",
            "f 1>>a\n[[ -f x ]]\ng ‹${y,,}› ‹b[1›\np ‹$(f &>>a; [[ -f x ]] && g ${y,,} b[1)›",
        ),
        ("diff <(a) <(b)", "a\nb\ndiff ‹<(a)› ‹<(b)›"),
        ("cat <<< \"$(a)\"", "a\ncat"),
        ("cat <<E\n$(rm x) `ls` ${y}\nE\nb", "cat\nrm x\nls\nb"),
        ("cat <<-'E' | c\n\tx\n\tE\nb", "cat\nc\nb"),
        ("x=$(cat <<'E'\nit's ) fine\nE\n)", "cat\nx=‹$(cat <<'E'\nit's ) fine\nE\n)› ''"),
        ("echo $((1 + n)) `date`", "date\necho ‹$((1 + n))› ‹`date`›"),
        ("time make -j4", "[time] make -j4"),
        ("A=1 TZ=$x c", "A=1 TZ=‹$x› c"),
        ("A=1 B=$x c", "A=1 B=‹$x› c"),
        ("rm {.\\.1} {'.'.1}", "rm ‹{.\\.1}› ‹{'.'.1}›"),
        ("rm '.['] \\[x] \"[\"\\] '.[]'", "rm ‹'.[']› ‹\\[x]› [] .[]"),
    ]);
}

#[test]
fn a_program_that_no_row_knows_may_run_its_arguments() {
    check(&[
        ("tool -n 4 rm -r x", "tool -n 4 rm -r x\n[tool] rm -r x"),
        ("tool run -- sudo rm x", "tool run -- sudo rm x\n[tool] rm x"),
        ("prover --exec='rm -r' x", "prover --exec=rm -r x\n[prover] rm -r x"),
        ("prover -erm x", "prover -erm x\n[prover] rm x"),
        ("npx shx rm -r x", "npx shx rm -r x\n[npx] rm -r x"),
        ("tool bash -c 'rm x'", "tool bash -c rm x\n[tool>bash] rm x"),
        ("composer exec -- rm -r x", "composer exec -- rm -r x\n[composer] rm -r x"),
        ("tool bash x", "tool bash x\n[tool] (file) bash x"),
        ("tool rm", "tool rm"),
        ("tool --daemonize yes", "tool --daemonize yes"),
        ("grep rm -r", "grep rm -r"),
        ("apt install bash -y", "apt install bash -y"),
        ("tool -m 'find the bug'", "tool -m find the bug"),
        ("strace -f -e trace=file rm x", "[strace] rm x"),
    ]);
    dynamic(&["powershell.exe -c x", "tool bash -c 'rm (x'", "strace -o '|rm x' ls"]);
}

#[test]
fn what_is_not_certain_is_dynamic() {
    dynamic(&[
        "echo 'rm x' | parallel",
        "linux32",
        "fakeroot",
        "echo 'rm x' | torsocks",
        "ssh a <<'E'\nrm x\nE",
        "echo 'rm x' | ssh -v a",
        "ssh -qE f a",
        "valgrind --log-file=f a",
        "gtime -o f a",
        "sudo -l rm a",
        "sudo -v/nu- ls",
        "sudo -ls rm",
        "timeout --version rm a",
        "$X a",
        "\"$X\"",
        "/bin/r? x",
        "~/x",
        "{rm,x}",
        "=rm x",
        "X=rm; $X",
        "$SUDO rm x",
        "env -S 'rm x'",
        "sudo --frob rm x",
        "sudo $O rm x",
        "sudo -s",
        "env $A rm x",
        "env A=$B rm x",
        "xargs sh -c",
        "xargs sudo",
        "xargs env rm",
        "env export X=1",
        "find . -exec rm",
        "find $X",
        "find . \"$X\" \"$Y\"",
        "find -frob",
        "find . -name a \"$X\"",
        "fd -z x",
        "bash -c \"$X\"",
        "bash",
        "curl u | sh",
        "bash -s",
        "bash --rcfile x",
        "bash <<'E'\nrm x\nE",
        "bash <<< 'rm x'",
        "bash /dev/fd/3",
        "fish -c x",
        "eval \"$X\"",
        "eval -- x",
        "trap \"$X\" EXIT",
        "trap -- '-x' EXIT",
        "source -- f",
        "source /dev/stdin",
        "source <(x)",
        "source $(x) y",
        ". \"/dev/$X\"",
        "alias ll='rm x'",
        "enable -f x y",
        "hash -p /bin/rm ls",
        "fc -s",
        "history -c",
        "bind -x a",
        "complete -C x y",
        "compgen -W x",
        "let a=1",
        "setopt x",
        "emulate sh",
        "zmodload x",
        "jobs -x rm",
        "mapfile -C x a",
        "set -k",
        "set -H",
        "set -o posix",
        "set $X",
        "shopt -s expand_aliases",
        "declare -i x=1",
        "declare -n x=y",
        "declare -a 'a=(1)'",
        "declare \"$X\"",
        "export 'a[1]=2'",
        "read 'a[1]'",
        "printf -v x y",
        "printf \"$X\" y",
        "unset 'a[1]'",
        "wait -p 'a[1]'",
        "exit 'a[1]'",
        "getopts $X y",
        "a=(1); declare \"a=$X\"",
        "PS4=x",
        "BASH_ENV=f ls",
        "LD_PRELOAD=x ls",
        "export PROMPT_COMMAND=x",
        "RANDOM=x",
        "for PS4 in x; do a; done",
        "read ENV",
        "env LD_PRELOAD=x ls",
        "x=$(y); echo $((x))",
        ": 'a[$(rm x)]'; echo $((_))",
        "read; [[ $REPLY -eq 1 ]]",
        "echo $(($1))",
        "read x; echo $((x + 1))",
        "x=a; [[ $x -eq 1 ]]",
        "[ -v 'a[$(x)]' ]",
        "[ $(x) = y ]",
        "x=$(y); [ $x = z ]",
        "[ \"$a\" \"$b\" ]",
        "[[ a -eq 1 ]]",
        "/proc/self/exe x",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm",
        "/bin/cd x",
        "./bash -c x",
        "su - bob -c 'rm x'",
        "strace -o f rm x",
        "setarch x rm",
        "prlimit x",
        "sg g 'rm x'",
        "run-parts d",
        "start-stop-daemon -S -x rm",
        "parallel rm",
        "script -c 'rm x'",
        "docker run --frob img rm x",
        "docker exec \"$C\"$D rm x",
        "git $X log",
        "uv run --frob rm x",
        "uv run \"$X\"",
        "valgrind --frob rm x",
        "poetry run \"$X\"",
        "screen -dm rm x",
        "tmux -c 'rm x'",
        "tmux send-keys 'rm x' Enter",
    ]);
}

#[test]
fn what_shells_read_differently_is_refused() {
    refused(
        Dialect::Bash,
        &[
            ("rm a)", "unexpected"),
            ("m > >(a) a=", "is an assignment to some shells"),
            ("m < <(a) x=1 b", "is an assignment to some shells"),
            ("m <(a) x[1]=y", "is an assignment to some shells"),
            // ksh has letters beyond ASCII in names, and joins lines first.
            ("m >(a) 本=", "is an assignment to some shells"),
            ("m >(a) a本+=b", "is an assignment to some shells"),
            ("m <(a) a\\\nb=c", "a line is joined inside a word"),
            ("x=(本=a)", "in an array is read differently"),
            ("m <<< <(a)", "behind this redirect"),
            ("m > <(a)", "behind this redirect"),
            ("m >> <(a)", "behind this redirect"),
            ("m <> <(a)", "behind this redirect"),
            ("m < >(a)", "behind this redirect"),
            ("m <(a) if", "a reserved word"),
            ("m < <(a) time b", "a reserved word"),
            ("m &> case", "a reserved word"),
            ("for i in <(a); do b; done", "in the list of a loop"),
            ("for i in a <(b); do c; done", "in the list of a loop"),
            ("m <&3>a", "glued to a descriptor"),
            ("m >&2 2>&1<a", "glued to a descriptor"),
            // What ksh has no grammar for: it runs nothing, but for such a place.
            ("p $(e $(f &>>a))", "in a substitution within another"),
            ("p `e $(f &>>a)`", "in a substitution within another"),
            ("p <(e \"$(f &>>a)\")", "in a substitution within another"),
            ("p $(e ${x:-$(f ${y,,})})", "in a substitution within another"),
            ("p $(e $(f ${y,,}))", "in a substitution within another"),
            ("p $(e $([[ -f x ]] && f))", "in a substitution within another"),
            ("p $(e $(f a[1))", "in a substitution within another"),
            // bash splits it, where a `case` stands beside it.
            ("p <(e $(f $'a\\tb'))", "in a substitution within another"),
            ("p <(e \"$(f <((q $'a\\tb')&case E in\n(*)Z\nesac\n))\")", "in a substitution within another"),
            ("(rm a", "ends too early"),
            ("if a; fi", "expected here"),
            ("echo 'a", "no end"),
            ("echo \"a", "no end"),
            ("echo $(a", "too early"),
            ("echo `a", "no end"),
            ("echo ${a", "${…}"),
            ("cat <<E\nx", "no line `E`"),
            ("rm a\0b", "control"),
            ("a\rb", "control"),
            ("a\u{a0}b", "U+00A0"),
            ("a\u{202e}b", "U+202E"),
            ("a\\", "ends the text"),
            ("a\\\nb", "joined"),
            ("[[ a ]\\\n] && rm x", "joined"),
            ("a &&\\\nb", "joined"),
            ("a \\\n#b; rm x", "comment"),
            ("a=(x)#; rm x", "behind an array"),
            ("a 3&>1", "put a blank"),
            ("3&>>1", "put a blank"),
            ("((a))", "arithmetic"),
            ("for ((;;)); do a; done", "plain name"),
            ("$((a=1))", "arithmetic"),
            ("$(($(a)))", "arithmetic"),
            ("echo \"$\\\n1\"", "joined"),
            ("echo \"$x\\\ny\"", "joined"),
            ("A=1 if a", "reserved"),
            (">f while a", "reserved"),
            ("b: o", "means something else"),
            ("echo $(a <<E & b x; c\nE\n)", "on its line"),
            ("echo $(a <<E && b\nE\n)", "on its line"),
            ("echo $(a <<E\nE\nb; c)", "put it last"),
            ("echo $(if a; then b <<E\nE\nfi)", "put it last"),
            ("echo $(a $(b <<E\nE\n)\nc; d)", "put it last"),
            ("echo $[1]", "differs"),
            ("echo $\"a\"", "differs"),
            ("echo $x[1]", "subscript"),
            ("echo $12", "${12}"),
            ("echo ${x:=y}", "${…}"),
            ("echo ${!x}", "${…}"),
            ("echo ${x@P}", "${…}"),
            ("echo ${ rm x; }", "${…}"),
            ("echo \"${x:-'$(rm y)'}\"", "${…}"),
            ("a[1]=2", "subscript"),
            ("a=([1]=x)", "unexpected"),
            ("declare a[1]=2", "subscript"),
            ("echo ?(a)", "`(`"),
            ("a &| b", "differs"),
            ("a >! b", "differs"),
            ("a >&b", "descriptor"),
            ("a 10>b", "glued"),
            ("a {x} >f", "redirect"),
            ("a &> f b", "behind `&>`"),
            ("diff <(a) b=c", "assignment"),
            ("select x in a; do b; done", "reserved"),
            ("function f { a; }", "reserved"),
            ("coproc a", "reserved"),
            ("repeat 1 a", "reserved"),
            ("{ a; } always { b; }", "behind the end"),
            ("sudo() { a; }; sudo b", "redefined"),
            ("f() ( a )", "`{`"),
            ("echo $(f() { a; })", "substitution"),
            ("case x in a) b;& c) d;; esac", "differs"),
            ("echo $(case x in a) b;; esac)", "(pattern)"),
            ("echo $(a # b\n)", "comment"),
            ("cat <<E\nEx y\nE z\nE", "begins like its end"),
            ("echo $(cat <<E\nE)\nE\n)", "begins like its end"),
            ("cat <<$x\na\n$x", "delimiter"),
            ("cat <<a <<b\na\nb", "two here-documents"),
            ("cat <<E $(a\n)\nE", "here-document waits"),
            ("$'\\''", "ends the quotes"),
            ("'' a", "empty command name"),
            ("é", "ASCII"),
            ("a.b=1 c", "means something else"),
            ("a [[ b", "as an argument"),
            ("{ }", "empty"),
            ("$()", "empty"),
            ("time { a; }", "`time`"),
            ("! ! a", "leave one out"),
            ("99999999999>x", "glued"),
            ("eval 'rm ('", "in the text for `eval`"),
        ],
    );
    refused(
        Dialect::Sh,
        &[
            ("[[ a || rm x ]]", "not for every sh"),
            ("a |& b", "not for every sh"),
            ("a &> b", "not for every sh"),
            ("cat <<< x", "not for every sh"),
            ("diff <(a) b", "differs"),
            ("echo $'a'", "not for every sh"),
            ("a=(x)", "not for every sh"),
            ("echo ${a[1]}", "subscript"),
            ("echo ${a/b/c}", "${…}"),
        ],
    );
    let error = commands("ls\n  rm )").unwrap_err();
    assert_eq!(error.to_string(), "2:6: `)` is unexpected here; quote it if it is part of a word");
}

#[test]
fn a_text_for_sh_is_read_as_every_sh_reads_it() {
    assert_eq!(
        said("sh -c '[[ a || rm x ]]'", Dialect::Bash),
        "error: in the text for `sh`: `[[` is not for every sh; write `[ … ]`"
    );
    assert_eq!(said("bash -c '[[ a ]]'", Dialect::Sh), "[bash] [[ a ]]");
    assert!(commands_in("export A=$B", Dialect::Sh).unwrap()[0].dynamic);
    assert!(!commands("export A=$B").unwrap()[0].dynamic);
    // mksh evaluates it
    let text = "x=$(y); [ \"$x\" -eq 1 ]";
    assert!(commands_in(text, Dialect::Sh).unwrap().iter().any(|command| command.dynamic));
    assert!(commands(text).unwrap().iter().all(|command| !command.dynamic));
}

#[test]
fn limits_end_in_errors_not_in_crashes() {
    assert!(commands(&" ".repeat(MAX_INPUT + 1)).is_err());
    let openers = [
        "(",
        "{ ",
        "((",
        "$(",
        "\"$(",
        "$((",
        "${a:-",
        "\"${a:-",
        "`",
        "<(",
        "if ",
        "while ",
        "a=(",
        "f() { ",
        "[[ ",
        "! ",
        "time ",
        "eval ",
        "a[",
        "echo {",
        "echo {a,",
        "cat <<a ",
        "coproc ",
        "sudo ",
        "case x in x) ",
        "x=$x$x;",
        "'",
        "$'",
        "bash -c '",
    ];
    for opener in openers {
        let text: String = opener.chars().cycle().take(100_000 / opener.len() * opener.len()).collect();
        let _ = commands(&text);
    }
    // the deepest text that is read must fit a small stack
    let deep = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        for (open, close) in [
            ("$(", ")"),
            ("\"$(", ")\""),
            ("( ", " )"),
            ("{ ", ";}"),
            ("${x:-", "}"),
            ("if a; then ", ";fi"),
            ("f() { ", "; }"),
        ] {
            let mut fitted = 0;
            for depth in 1..=MAX_DEPTH as usize {
                let text = format!("{}a{}", open.repeat(depth), close.repeat(depth));
                fitted = if commands(&text).is_ok() { depth } else { fitted };
            }
            assert!(fitted >= 10, "{open}: {fitted}");
        }
    });
    deep.unwrap().join().unwrap();
}

#[test]
fn unknown_words_equal_nothing() {
    let found = commands("rm \"$X\" ~ * a").unwrap();
    let args = &found[0].args;
    for (index, text) in ["\"$X\"", "~", "*"].into_iter().enumerate() {
        assert!(args[index] != *text && args[index].text() == text);
    }
    assert_eq!(args[3], "a");
    assert_eq!(
        found[0].args[0],
        Word::Unknown {
            text: "\"$X\"".into(),
            prefix: String::new(),
            why: super::Why::Expansion,
            many: false
        }
    );
}

/// The text that a program replaces in a word does not stand at its beginning for sure, also where its mark comes together only when the
/// line runs.
#[test]
fn a_mark_in_a_prefix_ends_it() {
    for (line, prefix) in [
        ("xargs -I{} rm {}$$", ""),
        ("xargs -I{} rm \"{}$X\"", ""),
        ("xargs -I{} rm a{}b$X", "a"),
        ("xargs -I{} rm \"a/{$X\"", "a/"),
        ("xargs -Itmp rm /tmp/$X", "/"),
        // To zsh a range, too, whatever of its dots come from where.
        ("rm x{.$X.3}", "x"),
        ("rm x/{$(t)}y", "x/"),
        ("rm x{\"$X\"}", ""),
        ("xargs -Itmp rm ./t$X", "./"),
        ("xargs -Itmp rm ./tm/$X", "./tm/"),
        ("xargs -Iaab rm xaaab$X", "xa"),
        ("xargs -I{} rm a/{}", "a/"),
        ("find . -exec rm a/{} \\;", "a/"),
        ("fd x -x rm a/{.}", "a/"),
    ] {
        let found = commands(line).unwrap();
        let rm = found.iter().find(|one| one.name == "rm").unwrap();
        assert_eq!(rm.args[0].prefix(), prefix, "{line}");
    }
}

#[test]
fn flags_bundled_separate_long_and_perhaps() {
    use FlagMatch::{Maybe, No, Yes};
    let cases: &[(&str, &str, FlagMatch)] = &[
        ("rm -rf /", "r", Yes),
        ("rm -rf /", "f", Yes),
        ("rm -r -f /", "f", Yes),
        ("rm --recursive /", "r", Yes),
        ("rm --rec /", "r", Yes),
        ("rm -R /", "r", Yes),
        ("rm -R /", "recursive", Yes),
        ("rm / -r", "r", Yes),
        ("rm -- -r", "r", No),
        ("rm -f x", "r", No),
        ("rm $FLAGS x", "r", Maybe),
        ("rm \"$X\"", "r", Maybe),
        ("rm \"./$X\"", "r", No),
        ("rm *", "r", Maybe),
        ("rm *.o", "r", No),
        ("rm ~", "r", No),
        ("git push --force", "f", Yes),
        ("git push -f", "force", Yes),
        ("git push --force-with-lease", "f", No),
        ("git push --force-with-lease", "force", No),
        ("chmod -R 777 /", "R", Yes),
        ("find . -delete", "delete", Yes),
        ("curl --output=x u", "o", Yes),
        ("xargs rm", "r", Maybe),
    ];
    for (script, flag, expected) in cases {
        assert_eq!(commands(script).unwrap()[0].flag(flag), *expected, "{script} {flag}");
    }
    assert!(commands("sudo rm -fr x").unwrap()[0].has_flags(&["r", "f"]));
    assert!(!commands("rm -f x").unwrap()[0].has_flags(&["r", "f"]));
}

#[test]
fn commands_say_where_they_stand() {
    let found = commands("ls\n  sudo rm x; bash -c 'git a\ngit b'").unwrap();
    let places: Vec<_> = found.iter().map(|command| (command.line, command.column, &*command.text)).collect();
    assert_eq!(
        places,
        [
            (1, 1, "ls"),
            (2, 3, "sudo rm x"),
            (2, 14, "bash -c 'git a\ngit b'"),
            (2, 14, "bash -c 'git a\ngit b'")
        ]
    );
}
