//! The battery: attempts from inside, each unheld first, to see that it works, and then held. A line of `battery/*.txt` is one.
//!
//! `CONTROL LANGUAGE SCRIPT ## REASON`. CONTROL says for whom the attempt works unheld: `+` everybody, `root`, or `-` nobody
//! here, `?` either, and `~` that it is not made unheld, because that would change this machine; each with the reason. With `!` the attempt wins if it ends with 0; else if something guarded changed, a secret was printed,
//! the process outside was touched, or a server outside was reached. `$NAME` is one of the bed's names.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use crate::bed::{Bed, Programs, User};
use crate::servers::Servers;

struct Attempt<'a> {
    line: &'a str,
    /// For whom it works unheld.
    works_for: Works,
    wins_by_success: bool,
    language: &'a str,
    script: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Works {
    All,
    Root,
    Nobody,
    Unknown,
    NotTried,
}

fn attempts(text: &str) -> impl Iterator<Item = Attempt<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (attempt, reason) = line.split_once(" ##").unwrap_or((line, ""));
        let mut words = attempt.splitn(3, ' ');
        let control = words.next().unwrap();
        let works_for = match control.trim_start_matches('+').trim_end_matches('!') {
            "" => Works::All,
            "root" => Works::Root,
            "-" => Works::Nobody,
            "?" => Works::Unknown,
            "~" => Works::NotTried,
            other => panic!("{line}: no control {other}"),
        };
        assert!(works_for == Works::All || !reason.trim().is_empty(), "{line}: says no reason");
        let wins_by_success = control.ends_with('!') || !matches!(works_for, Works::All | Works::Root);
        let (language, script) = (words.next().unwrap(), words.next().unwrap());
        Attempt { line, works_for, wins_by_success, language, script }
    })
}

/// The words of the process that makes the attempt; `None` where its language is not there.
fn words(attempt: &Attempt<'_>, names: &BTreeMap<&'static str, String>) -> Option<Vec<String>> {
    let filled = || fill(attempt.script, names);
    let words =
        |program: &str, option: &str, script: String| vec![program.to_owned(), option.to_owned(), script];
    let words = match attempt.language {
        "bash" => words("bash", "-c", attempt.script.to_owned()),
        "py" => words("/usr/bin/python3", "-c", filled()),
        "perl" => words("perl", "-e", filled()),
        "node" => words("node", "-e", format!("const fs=require('fs'); {}", filled())),
        "c" => {
            let attack = Programs::get().attack().display().to_string();
            let rest = attempt.script.split_whitespace().map(|word| fill(word, names));
            return Programs::get().has_attack.then(|| [attack].into_iter().chain(rest).collect());
        }
        other => panic!("{}: no language {other}", attempt.line),
    };
    let is_there = words[0].contains('/') && std::path::Path::new(&words[0]).exists()
        || crate::bed::PATH.split(':').any(|folder| std::path::Path::new(folder).join(&words[0]).exists());
    assert!(is_there || !crate::bed::is_ci(), "{} is missing", words[0]);
    is_there.then_some(words)
}

/// The script with values in the place of names.
fn fill(script: &str, names: &BTreeMap<&'static str, String>) -> String {
    let mut filled = String::new();
    let mut rest = script;
    while let Some((before, after)) = rest.split_once('$') {
        let end = after.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(after.len());
        filled.push_str(before);
        match names.get(&after[..end]) {
            Some(value) => filled.push_str(value),
            None => {
                filled.push('$');
                filled.push_str(&after[..end]);
            }
        }
        rest = &after[end..];
    }
    filled + rest
}

/// Returns whether an attempt won, with what it wrote.
fn try_once(attempt: &Attempt<'_>, policy: &str, user: User, is_held: bool) -> Option<(bool, String)> {
    let mut bed = Bed::new(user);
    let servers = (policy == "offline")
        .then(|| Servers::start(&bed.path("run/socket"), &bed.path("h/.tool/settings.json")));
    if let Some(servers) = &servers {
        bed.names.insert("T", servers.port.to_string());
        bed.names.insert("A", servers.name.clone());
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&servers.path, std::fs::Permissions::from_mode(0o666)).unwrap();
    } else {
        let mark = bed.names["M"].clone();
        bed.names.insert("T", mark);
    }
    let words = words(attempt, &bed.names)?;
    let (before, victim) = (bed.guarded(policy), bed.victim());
    let value: Option<Value> = is_held.then(|| bed.policy(policy));
    let output = bed.run(value.as_ref(), &words);
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(!text.contains("held: "), "{}: was not held: {text}", attempt.line);
    let (after, victim_after) = (bed.guarded(policy), bed.victim());
    let hits = servers.map_or(0, |servers| servers.hits());
    let succeeded = output.status.code() == Some(0);
    let won = before != after
        || victim != victim_after
        || hits > 0
        || text.contains("SECRET-MARK")
        || text.contains("PROGRAM-RAN")
        || (attempt.wins_by_success && succeeded);
    let signal = output.status.signal();
    Some((won, format!("{text} code {:?} signal {signal:?} hits {hits}", output.status.code())))
}

/// Makes every attempt of a text, and fails with those that won held, or did not unheld.
fn make(text: &str, policy: &str, at_least: usize) {
    let (mut wrong, mut made) = (Vec::new(), 0);
    for user in User::all() {
        for attempt in attempts(text) {
            let expected = match attempt.works_for {
                Works::All => Some(true),
                Works::Root => (user == User::Root).then_some(true),
                Works::Nobody => Some(false),
                Works::Unknown | Works::NotTried => None,
            };
            // A control may meet a busy machine; what wins held once has won.
            let control = |expected: bool| {
                let mut last = None;
                for _ in 0..3 {
                    last = try_once(&attempt, policy, user, false);
                    if last.as_ref().is_none_or(|(won, _)| *won == expected) {
                        break;
                    }
                }
                last
            };
            if let Some(expected) = expected
                && let Some((won, said)) = control(expected)
                && won != expected
            {
                let what = if won { "works unheld" } else { "does not work unheld" };
                wrong.push(format!("{user:?}: {what}: {}\n    {said}", attempt.line));
            }
            if let Some((won, said)) = try_once(&attempt, policy, user, true) {
                made += 1;
                if won {
                    wrong.push(format!("{user:?}: WON: {}\n    {said}", attempt.line));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {made}:\n{}", wrong.len(), wrong.join("\n"));
    let expected = at_least * User::all().len();
    assert!(made >= expected || !crate::bed::is_ci(), "{made} attempts were made of {expected}");
}

#[test]
fn guarded_files_are_not_written() {
    make(include_str!("battery/write.txt"), "guarded", 165);
}

#[test]
fn folders_above_stay() {
    make(include_str!("battery/parents.txt"), "guarded", 40);
}

#[test]
fn secrets_are_not_read_and_programs_do_not_run() {
    make(include_str!("battery/read.txt"), "hidden", 44);
}

#[test]
fn the_kernel_is_not_talked_out_of_it() {
    make(include_str!("battery/kernel.txt"), "guarded", 80);
}

#[test]
fn processes_outside_are_left_alone() {
    make(include_str!("battery/processes.txt"), "guarded", 52);
}

#[test]
fn nothing_leaves() {
    make(include_str!("battery/net.txt"), "offline", 24);
}

#[test]
fn walls_hold() {
    make(include_str!("battery/walls.txt"), "walls", 68);
}
