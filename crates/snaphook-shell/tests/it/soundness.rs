//! The short form of the soundness test, and tests of the harness itself. `docs/dev/fuzzing.md` has the long form.

use snaphook_shell::{Dialect, commands_in};

use crate::needs;
use crate::sound::campaign::{self, Counts, Plan};
use crate::sound::judge::{Reading, missed};
use crate::sound::sandbox::Sandbox;
use crate::sound::shells::Shell;
use crate::tables;

/// Texts that the generator writes for `cargo test`.
const TEXTS: u64 = 4_000;

fn plan() -> Plan {
    Plan {
        seed: 18,
        first: 0,
        texts: Some(TEXTS),
        runs: None,
        time: None,
        jobs: 2,
        most: 5,
        seeds: tables::all(),
    }
}

/// The shells that are installed; one that is missing is a need that is not met.
pub fn installed() -> Vec<Shell> {
    Shell::ALL.into_iter().filter(|shell| needs::program(shell.program())).collect()
}

#[test]
fn whatever_runs_for_a_generated_text_is_listed() {
    installed();
    let outcome = campaign::run(&plan(), |line| println!("{line}"));
    println!("{:?}, not installed: {:?}", outcome.confinement, outcome.missing);
    println!("{} s: {}", outcome.took.as_secs(), outcome.counts);
    let broken: Vec<String> = outcome.broken().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let accepted = outcome.counts.accepted.into_inner();
    assert!(accepted >= TEXTS / 4, "only {accepted} of {TEXTS} texts were run: the property shows little");
}

#[test]
fn whatever_runs_for_a_text_of_the_tables_is_listed() {
    installed();
    let mut sandbox = Sandbox::of_stubs(10);
    let counts = Counts::default();
    let mut broken = String::new();
    for (number, text) in tables::all().iter().enumerate() {
        // a multiple of eight has it run in the extra shells, too
        for disagreement in campaign::check(&mut sandbox, &counts, 8 * number as u64, text) {
            if disagreement.counts {
                broken += &format!("{disagreement}\n");
            } else {
                println!("beyond the five: {disagreement}");
            }
        }
    }
    println!("{counts}");
    assert!(broken.is_empty(), "{broken}");
}

/// A harness that sees nothing would find nothing.
#[test]
fn the_harness_sees_what_shells_run() {
    let mut sandbox = Sandbox::of_stubs(11);
    let shells = installed();
    assert_eq!(shells, sandbox.shells().collect::<Vec<_>>());
    assert!(shells.contains(&Shell::Bash), "bash is not installed");
    let text = "rm a 'b c' | cat; env X=1 rm \"$X\" & (exec rm d) && sh -c 'rm e' || rm never; true";
    let seen = commands_in("rm a 'b c' | cat; rm d; rm 'rm -rf env; rm env'", Dialect::Sh).unwrap();
    for (shell, run) in sandbox.run(&shells, text, 5_000) {
        let name = shell.name();
        let mut calls: Vec<String> =
            run.calls.iter().map(|call| format!("{} {}", call.name(), call.args.join(","))).collect();
        calls.sort();
        assert_eq!(calls, ["cat ", "rm a,b c", "rm d", "rm e", "rm rm -rf env; rm env"], "{name}");
        let miss = missed(shell, &run, &seen).unwrap_or_else(|| panic!("{name}: `rm e` was not missed"));
        assert_eq!(miss.call.args, ["e"], "{name}");
    }
}

/// Endless loops, floods and left-over processes end with their run, and nothing of it reaches the next.
#[test]
fn a_run_leaves_nothing_behind() {
    let mut sandbox = Sandbox::of_stubs(12);
    let mut shells = installed();
    shells.retain(|shell| [Shell::Bash, Shell::Dash, Shell::Zsh].contains(shell));
    let hostile = [
        "while :; do :; done",
        "while :; do rm a; done",
        "(while :; do rm late; done) & (while :; do :; done; rm late) & exit",
        "f() { f | f & }; f",
        "mkdir -p x/y; > out; while read l; do echo $l$l$l >> one.txt; done < one.txt; trap '' TERM HUP; while :; do :; done",
    ];
    for text in hostile {
        for (shell, _) in sandbox.run(&shells, text, 400) {
            for (_, run) in sandbox.run(&[shell], "for f in *; do rm \"$f\"; done", 5_000) {
                let files: Vec<&str> =
                    run.calls.iter().flat_map(|call| &call.args).map(String::as_str).collect();
                assert_eq!(files, ["one.txt", "two.txt"], "{} after {text:?}", shell.name());
            }
        }
    }
}

/// Of what agents write at most three in a hundred are refused.
#[test]
fn what_agents_write_is_understood() {
    let texts = tables::agent_corpus();
    assert!(texts.len() >= 300, "only {} texts", texts.len());
    let refused: Vec<String> = texts
        .iter()
        .filter_map(|text| match Reading::of(text, Dialect::Bash) {
            Reading::Refused(error) => Some(format!("{text:?}: {error}")),
            _ => None,
        })
        .collect();
    assert!(
        refused.len() * 100 <= texts.len() * 3,
        "{} of {} refused:\n{}",
        refused.len(),
        texts.len(),
        refused.join("\n")
    );
}
