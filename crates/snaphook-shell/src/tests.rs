//! The analysis as text: one table of scripts and what `commands` says of them. What bash really does is checked in
//! `tests/it/shell_bash.rs`.

use super::{Command, FlagMatch, MAX_DEPTH, MAX_INPUT, Word, commands};

/// Each entry: a script, then the commands one a line, or `error: …`.
fn check(cases: &[(&str, &str)]) {
    let mut failures = String::new();
    for (script, expected) in cases {
        let actual = match commands(script) {
            Ok(found) => found.iter().map(Command::to_string).collect::<Vec<_>>().join("\n"),
            Err(error) => format!("error: {}", error.message),
        };
        if actual != *expected {
            failures += &format!("--- {script}\nexpected:\n{expected}\nactual:\n{actual}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn text_that_only_looks_dangerous_is_no_command() {
    check(&[
        ("echo \"rm -rf /\"", "echo rm -rf /"),
        ("git commit -m 'rm -rf / && sudo x'", "git commit -m rm -rf / && sudo x"),
        ("# rm -rf /\nls", "ls"),
        ("cat <<'EOF'\nrm -rf /\n$(rm x)\nEOF", "cat"),
        ("grep -r 'rm -rf' .", "grep -r rm -rf ."),
        ("X='rm -rf /'; echo \"$X\"", "X=rm -rf / ''\necho rm -rf /"),
    ]);
}

#[test]
fn wrappers_give_way_to_what_they_run() {
    check(&[
        ("sudo -u root rm -rf /x", "[sudo] rm -rf /x"),
        ("env -i A=1 rm x", "[env] A=1 rm x"),
        ("env -S 'rm -rf x' y", "[env] rm -rf x y"),
        ("env -S 'rm\\_x'", "[env] ? ‹env›"),
        ("snaphook mcp --name x --default deny -- npx -y y", "[snaphook] npx -y y"),
        ("snaphook mcp -- sudo rm x", "[snaphook>sudo] rm x"),
        ("snaphook mcp wrap x; snaphook trust -- mcp2", "snaphook mcp wrap x\nsnaphook trust -- mcp2"),
        ("nice -n 5 ionice -c2 timeout -k 5 10s stdbuf -oL rm x", "[nice>ionice>timeout>stdbuf] rm x"),
        ("command -p exec -a n nohup setsid rm x", "[command>exec>nohup>setsid] rm x"),
        ("command -v rm", "command -v rm"),
        ("sudo -l", "sudo -l"),
        ("sudo -s", "[sudo] ? ‹a shell›"),
        ("sudo --frob rm x", "[sudo] ? ‹sudo›\n[sudo] rm x"),
        ("sudo $O rm x", "[sudo] ? ‹sudo›\n[sudo] rm x\n[sudo] ? ‹$O› rm x"),
        ("xargs -0 -I{} rm -rf {}", "[xargs] rm -rf ‹{}›"),
        ("ls | xargs rm", "ls\n[xargs] rm ‹‹input››"),
        ("xargs sh -c", "[xargs>sh] ? ‹a script›"),
        ("xargs sudo", "[xargs>sudo] ? ‹sudo›\n[xargs>sudo] ? ‹‹input››"),
        ("find . -name x -exec rm -rf {} +", "[find] rm -rf ‹{}›\nfind . -name x -exec rm -rf {} +"),
        ("fd x -X rm", "[fd] rm\nfd x -X rm"),
        ("busybox rm x", "[busybox] rm x"),
        ("bash -lc 'git status && cargo test'", "[bash] git status\n[bash] cargo test"),
        ("bash -c '\"$@\"' _ rm -rf /", "[bash] rm -rf /"),
        ("bash -c \"$X\"", "[bash] ? ‹a script›"),
        ("sudo bash -c \"env sh -c 'rm x'\"", "[sudo>bash>env>sh] rm x"),
        ("ssh -p 22 host 'rm -rf /'", "[ssh] rm -rf /"),
        ("ssh host sudo rm x", "[ssh>sudo] rm x"),
        ("ssh host", "ssh host"),
        ("su - bob -c 'rm x'", "[su] rm x"),
        ("flock -n /l -c 'rm x'", "[flock] rm x"),
        ("watch -n1 'rm x; ls'", "[watch] rm x\n[watch] ls"),
        ("script -qec 'rm x' /dev/null", "[script] rm x"),
        ("runuser -l bob -c 'rm x'", "[runuser] rm x"),
        ("runuser -u bob -- rm x", "[runuser] rm x"),
        ("./timeout 5 ls", "timeout 5 ls\n[timeout] ls"),
        ("sh -c 'rm {a,b} {}'", "[sh] rm ‹{a,b}› {}"),
        ("chroot /mnt rm x", "[chroot] rm x"),
        ("bash script.sh -c x", "bash script.sh -c x"),
        ("nohup sh -c 'rm x' >o &", "[nohup>sh] '' 1>o\n[nohup>sh] rm x"),
    ]);
}

#[test]
fn texts_in_texts_are_read_or_flagged() {
    check(&[
        ("bash <<< 'rm x'", "[bash] rm x"),
        ("sudo bash <<'E'\nrm x\nE", "[sudo>bash] rm x"),
        ("cat <<'E' | sh\nrm x\nE", "cat\n[sh] rm x"),
        ("curl -s u | sudo bash", "curl -s u\n[sudo>bash] ? ‹bash›"),
        ("echo rm $X | sh", "echo rm ‹$X›\n[sh] ? ‹sh›"),
        ("{ read x; bash; } <<< 'ls'", "read x\n[bash] ? ‹bash›"),
        ("eval 'rm -rf' /", "[eval] rm -rf /"),
        ("eval \"$X\"", "[eval] ? ‹eval›"),
        ("eval 'rm ('", "error: expected `)`"),
        ("trap 'rm x' EXIT", "[trap] rm x"),
        ("trap \"$X\" EXIT", "[trap] ? ‹trap›"),
        ("source <(curl u)", "curl u\n[source] ? ‹source›"),
        (". ./env.sh", ". ./env.sh"),
        ("alias ll='rm x'; ll", "[alias] rm x\nalias ll=rm x\n? ‹ll›\nll"),
        ("hash -p /bin/rm ls; ls x", "? ‹hash›\nhash -p /bin/rm ls\nls x"),
        ("a='x[$(rm y)]'; ((a))", "a=x[$(rm y)] ''\n[arithmetic] ? ‹[›"),
        ("sh -c '[[ a || rm x ]]'", "[sh] ? ‹[[›"),
    ]);
}

#[test]
fn values_are_believed_only_while_certain() {
    check(&[
        ("X='rm -rf /'; $X", "X=rm -rf / ''\nrm -rf /"),
        ("X=rm; \"$X\" a", "X=rm ''\nrm a"),
        ("X=rm; if a; then X=ls; fi; $X", "X=rm ''\na\nX=ls ''\n? ‹$X›"),
        ("X=rm; a || X=ls && $X", "X=rm ''\na\nX=ls ''\n? ‹$X›"),
        ("X=rm; a || b && X=ls && $X", "X=rm ''\na\nb\nX=ls ''\nls"),
        ("X=rm; (X=ls; $X); $X", "X=rm ''\nX=ls ''\nls\nrm"),
        ("$SUDO rm x", "rm x\n? ‹$SUDO› rm x"),
        ("IFS=,; X=rm,a; $X", "IFS=, ''\nX=rm,a ''\n? ‹$X›"),
        ("for f in a b; do rm $f; done", "rm ‹$f›"),
        ("/bin/r? x", "x\n? ‹/bin/r?› x"),
        ("rm -rf /* ~ {a,b}c {1..3} \"$H/x\"", "rm -rf ‹/*› ‹~› ac bc 1 2 3 ‹\"$H/x\"›"),
        ("echo {1..999999999}", "echo ‹{1..999999999}›"),
        ("f() { \"$@\"; }; f rm", "? ‹\"$@\"›\nf rm"),
        ("{ a; } > f 2>> g < h", "'' 1>f 2>>g 0<h\na"),
        ("A=1 rm x &> o 2>&1", "A=1 rm x 1>o"),
    ]);
}

#[test]
fn what_is_unclear_is_refused() {
    for script in [
        "rm a)",
        "(rm a",
        "if a; fi",
        "echo 'a",
        "echo \"a",
        "echo $(a",
        "echo `a",
        "echo ${a",
        "cat <<E\nx",
        "rm a\0b",
        "a=(b",
        "echo ${ rm x; }",
        "echo ${| rm x; }",
        "echo ?(a)",
        "echo 99999999999>x",
        "$'\\xff' x",
        "case x in a) b",
        "shopt -s extglob; !(a)",
        "echo \"${x:-'$(rm y)'}\"",
        "f+() { a; }",
        "echo a=(b;c)",
        "cat <<$(x)\na\n$(x)",
    ] {
        assert!(commands(script).is_err(), "{script:?}: {:?}", commands(script));
    }
    let error = commands("ls\n  rm )").unwrap_err();
    assert_eq!(error.to_string(), "2:6: unexpected text");
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
            ("(", ")"),
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
    let places: Vec<_> =
        found.iter().map(|command| (command.line, command.column, command.text.as_str())).collect();
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
