//! The start of a held command, beside `true` and `bwrap`, in turns: `cargo build --release -p snaphook-hold --example held`, then
//! `cargo bench -p snaphook-hold --profile release`. Prints medians, and never fails.
#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TURNS: usize = 300;

fn main() {
    let held = std::env::current_exe()
        .ok()
        .and_then(|own| Some(own.parent()?.parent()?.join("examples/held")))
        .filter(|held| held.exists());
    let Some(held) = held else {
        println!("examples/held is missing: cargo build --release -p snaphook-hold --example held");
        return;
    };
    let bwrap = PathBuf::from("/usr/bin/bwrap");
    let guarded = r#"{"places": ["/tmp", "/usr/local"], "home": "/nowhere"}"#;
    let offline = r#"{"places": ["/usr/local"], "home": "/nowhere", "hold": {"net": "none"}}"#;
    let walls = r#"{"walls": ["/tmp"], "home": "/nowhere"}"#;
    let bind = ["--bind", "/", "/", "--dev", "/dev", "--ro-bind", "/usr/local", "/usr/local", "/bin/true"];
    let rows: [(&str, PathBuf, Vec<&str>); 5] = [
        ("true", "/bin/true".into(), vec![]),
        ("held, guarded", held.clone(), vec![guarded, "/bin/true"]),
        ("held, offline", held.clone(), vec![offline, "/bin/true"]),
        ("held, walls", held, vec![walls, "/bin/true"]),
        ("bwrap", bwrap, bind.to_vec()),
    ];
    let mut times: Vec<Vec<Duration>> = rows.iter().map(|_| Vec::with_capacity(TURNS)).collect();
    for _ in 0..TURNS {
        for ((_, program, args), times) in rows.iter().zip(&mut times) {
            let began = Instant::now();
            let ended = Command::new(program).args(args).current_dir("/").stdin(Stdio::null()).status();
            if ended.is_ok_and(|status| status.success()) {
                times.push(began.elapsed());
            }
        }
    }
    for ((name, ..), mut times) in rows.into_iter().zip(times) {
        times.sort_unstable();
        match times.get(times.len() / 2) {
            Some(median) => println!("{name:<16} {:.2} ms", median.as_secs_f64() * 1000.0),
            None => println!("{name:<16} did not run"),
        }
    }
}
