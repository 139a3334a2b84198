//! The long form of the soundness test: texts by the hundred thousand in real shells. `docs/dev/fuzzing.md` says how to use it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a tool for tests: it ends where they would"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "what it finds goes to the terminal")]

#[path = "../tests/it/attacks.rs"]
mod attacks;
#[path = "../tests/it/sound/mod.rs"]
mod sound;
#[path = "../tests/it/tables.rs"]
mod tables;
#[path = "soundness/usefulness.rs"]
mod usefulness;

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use snaphook_shell::Dialect;
use sound::campaign::{self, Plan};

const USAGE: &str = "usage: soundness [--runs N] [--texts N] [--seconds N] [--seed N] [--first N] [--jobs N] [--most N] [--seeds FILE.jsonl] [--show]\n       soundness --attacks FILE | --usefulness FILE.jsonl… | --speed";

fn main() -> ExitCode {
    let mut plan = Plan {
        seed: SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs()),
        first: 0,
        texts: None,
        runs: None,
        time: None,
        jobs: 2,
        most: 20,
        seeds: tables::all(),
    };
    let mut show = false;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--show" {
            show = true;
            continue;
        }
        if arg == "--attacks" {
            return show_attacks(&args.next().expect("--attacks needs a file"), plan.jobs);
        }
        if arg == "--seeds" {
            let lines = std::fs::read_to_string(args.next().expect("--seeds needs a file"))
                .expect("cannot read the seeds");
            plan.seeds.extend(
                lines
                    .lines()
                    .map(|line| serde_json::from_str::<String>(line).expect("expected a JSON string")),
            );
            continue;
        }
        if arg == "--speed" {
            show_speed();
            return ExitCode::SUCCESS;
        }
        if arg == "--usefulness" {
            return usefulness::show(&args.collect::<Vec<_>>());
        }
        let Some(number) = args.next().and_then(|value| value.parse::<u64>().ok()) else {
            eprintln!("{arg} needs a number; {USAGE}");
            return ExitCode::from(64);
        };
        match arg.as_str() {
            "--runs" => plan.runs = Some(number),
            "--texts" => plan.texts = Some(number),
            "--seconds" => plan.time = Some(Duration::from_secs(number)),
            "--seed" => plan.seed = number,
            "--first" => plan.first = number,
            "--jobs" => plan.jobs = number as usize,
            "--most" => plan.most = number as usize,
            _ => {
                eprintln!("unknown option {arg}; {USAGE}");
                return ExitCode::from(64);
            }
        }
    }
    if show {
        for number in plan.first..plan.first + plan.texts.unwrap_or(1) {
            println!("%% {number}\n{}", campaign::text(&plan, number));
        }
        return ExitCode::SUCCESS;
    }
    if plan.texts.is_none() && plan.runs.is_none() && plan.time.is_none() {
        plan.runs = Some(2_000_000);
    }
    println!("seed {}, {} jobs", plan.seed, plan.jobs);
    let outcome = campaign::run(&plan, |line| println!("{line}"));
    let broken = outcome.broken().count();
    println!("{:?}; not installed: {:?}", outcome.confinement, outcome.missing);
    println!("{} s: {}", outcome.took.as_secs(), outcome.counts);
    println!("{broken} disagreements, {} more in the extra runs", outcome.found.len() - broken);
    if broken > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Tries the rows of a table in every shell, and says for each where it does harm and how the reader closes it.
fn show_attacks(file: &str, jobs: usize) -> ExitCode {
    let rows = attacks::Attack::all(&std::fs::read_to_string(file).expect("cannot read the table"));
    for (row, shells) in rows.iter().zip(attacks::tried(&rows, true, jobs)) {
        let names: Vec<&str> = shells.iter().map(|shell| shell.name()).collect();
        let dialects: std::collections::BTreeSet<_> = shells
            .iter()
            .flat_map(|shell| attacks::Attack::dialects(*shell))
            .map(|dialect| *dialect as u8)
            .collect();
        let closed: Vec<String> = [Dialect::Bash, Dialect::Sh]
            .into_iter()
            .filter(|dialect| dialects.contains(&(*dialect as u8)))
            .map(|dialect| match row.closed(dialect) {
                Ok(how) => how.to_owned(),
                Err(listed) => format!("OPEN {listed:?}"),
            })
            .collect();
        println!("{}\t{}\t{:?}\t{}", row.class, names.join(" "), row.text, closed.join(" / "));
    }
    ExitCode::SUCCESS
}

/// Shows what a run costs in each shell: with nothing to do, and with one and two programs to start.
fn show_speed() {
    const RUNS: u32 = 200;
    let mut sandbox = sound::sandbox::Sandbox::of_stubs(0);
    for shell in sound::shells::Shell::ALL {
        let times: Vec<String> = [":", "rm a", "rm a; rm b"]
            .iter()
            .map(|text| {
                let start = std::time::Instant::now();
                for _ in 0..RUNS {
                    sandbox.run(&[shell], text, 5_000);
                }
                format!("{:.2} ms", start.elapsed().as_secs_f64() * 1000.0 / f64::from(RUNS))
            })
            .collect();
        println!("{:8} {}", shell.name(), times.join("  "));
    }
}
