//! Programs that run the command in their arguments.

use super::{check, dynamic};

#[test]
fn a_dash_of_env_that_some_take_for_the_command_is_dynamic() {
    dynamic(&[
        "env A= - rm x",
        "env - - rm x",
        "env -- - rm x",
        "env - -u A rm x",
        "env - -- rm x",
        "env A=1 -i rm x",
    ]);
}

/// The error of `${E:?}` in the text is caught, and dash and busybox then run `ls` with words of their memory.
#[test]
fn a_text_whose_errors_are_caught_is_dynamic() {
    dynamic(&[
        "command eval 'a $(b)\"${E:?$(c)}\"'; ls",
        "command -p eval 'rm x'",
        "command . ./x",
        "command source ./x",
    ]);
    check(&[("command trap 'rm x' EXIT", "[command>trap] rm x"), ("eval 'rm x'", "[eval] rm x")]);
}

#[test]
fn a_held_line_that_is_not_known_is_dynamic() {
    dynamic(&["snaphook hold -- \"$x\"", "snaphook hold $x -- rm", "snaphook hold -- $x"]);
}

#[test]
fn wrappers_give_way_to_what_they_run() {
    check(&[
        ("sudo -u root rm -rf /x", "[sudo] rm -rf /x"),
        ("env -i A=1 rm x", "[env] A=1 rm x"),
        ("env TZ=\"$x\" rm x", "[env] TZ=‹TZ=\"$x\"› rm x"),
        ("env A=\"$x\" rm x", "[env] A=‹A=\"$x\"› rm x"),
        ("snaphook mcp --name x --default deny -- npx -y y", "[snaphook] npx -y y"),
        ("snaphook mcp -- sudo rm x", "[snaphook>sudo] rm x"),
        ("snaphook trust -- mcp2", "snaphook trust -- mcp2"),
        (
            "snaphook hold -p guarded -- 'rm -rf x && echo \"$y\"'",
            "[snaphook] rm -rf x\n[snaphook] echo ‹\"$y\"›",
        ),
        ("snaphook hold --policy '{}' -- sudo rm 'a b'", "[snaphook>sudo] rm a b"),
        ("snaphook hold --exec -- 'a b'", "[snaphook] a b"),
        ("snaphook hold -p guarded -- make", "[snaphook] make"),
        ("snaphook hold --check", "snaphook hold --check"),
        ("nice -n 5 ionice -c2 timeout -k 5 10s stdbuf -oL rm x", "[nice>ionice>timeout>stdbuf] rm x"),
        ("command -p exec -a n nohup setsid rm x", "[command>exec>nohup>setsid] rm x"),
        ("command -v rm", "command -v rm"),
        ("sudo -l", "sudo -l"),
        ("xargs -0 -I{} rm -rf {}", "[xargs] rm -rf ‹{}›"),
        ("xargs --replace rm {}", "[xargs] rm ‹{}›"),
        ("ls | xargs rm", "ls\n[xargs] rm ‹‹input››"),
        ("ls | xargs -n1", "ls\n[xargs] echo ‹‹input››"),
        ("find . -name x -exec rm -rf {} +", "[find] rm -rf ‹{}›\nfind . -name x -exec rm -rf {} +"),
        ("find . -exec rm + -rf v \\;", "[find] rm + -rf v\nfind . -exec rm + -rf v ;"),
        ("fd x -X rm", "[fd] rm ‹‹found››\nfd x -X rm"),
        ("busybox rm x", "[busybox] rm x"),
        ("bash -lc 'git status && cargo test'", "[bash] git status\n[bash] cargo test"),
        ("sudo bash -c \"env sh -c 'rm x'\"", "[sudo>bash>env>sh] rm x"),
        ("ssh -p 22 host 'rm -rf /'", "[ssh] rm -rf /"),
        ("watch -n1 'rm x; ls'", "[watch] rm x\n[watch] ls"),
        ("nohup sh -c 'rm x' >o &", "[nohup>sh] rm x\n[nohup] '' 1>o"),
        ("eval 'rm -rf' /", "[eval] rm -rf /"),
        ("trap 'rm x' EXIT", "[trap] rm x"),
        ("git bisect run rm x", "[git] rm x\ngit bisect run rm x"),
        ("git submodule foreach 'rm x'", "[git] rm x\ngit submodule foreach rm x"),
        (
            "docker run --rm -v /:/h img rm -rf /h",
            "[docker] rm -rf /h\ndocker run --rm -v /:/h img rm -rf /h",
        ),
        ("kubectl exec -it pod -- rm x", "[kubectl] rm x\nkubectl exec -it pod -- rm x"),
        ("uv run pytest -q", "[uv] pytest -q"),
        ("uv run --with x -p 3.13 rm a", "[uv] rm a"),
        ("uv run --no-build --script a.py", "(file) uv run --no-build --script a.py"),
        ("valgrind --leak-check=full rm a", "[valgrind] rm a"),
    ]);
}

/// Only the shells that the reader is tried against read a text as it does.
#[test]
fn a_text_for_another_shell_is_dynamic() {
    dynamic(&[
        "mksh -c ls",
        "lksh -c ls",
        "ksh -c ls",
        "pdksh -c ls",
        "oksh -c ls",
        "yash -c ls",
        "posh -c ls",
        "rbash -c ls",
        "fish -c ls",
        "toybox sh -c ls",
        "mksh-R59 -ec 'ls x'",
        "/opt/bin/mksh -c ls",
        "some-sh; bosh -c 'ls x'",
        "echo ls | gsh",
        "nice lksh -c ls",
        "docker exec c mksh -c ls",
        "KSHUID=x",
        "PGRP=x",
    ]);
    check(&[("zsh-5.9 -c ls", "[zsh-5.9] ls"), ("ksh93 -c ls", "[ksh93] ls"), ("push -c a", "push -c a")]);
}
