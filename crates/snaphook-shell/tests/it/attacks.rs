//! Texts that destroy a file, each tried for real: the reader refuses it, flags it, or lists the command that does it.
//!
//! `attacks.txt` has a section for each class (`## class`). A row begins with a line `%% SHELL…`, which names the shells that the
//! text destroys `victim` in; `by=NAME` on it names the program that does it, if it is not `rm`, and `by=>` a redirect. `<U+00A0>`
//! stands for a character that an editor would not show.

use snaphook_shell::{Command, Dialect, Word};

use crate::sound::judge::{Reading, show};
use crate::sound::sandbox::Sandbox;
use crate::sound::shells::Shell;

const TABLE: &str = include_str!("attacks.txt");
const LIMIT_MS: u32 = 5_000;

/// One row.
#[derive(Debug, Clone)]
pub struct Attack {
    pub class: String,
    pub shells: Vec<Shell>,
    pub by: Vec<String>,
    pub text: String,
}

impl Attack {
    /// The rows that are kept with the tests.
    pub fn table() -> Vec<Self> {
        Self::all(TABLE)
    }

    pub fn all(table: &str) -> Vec<Self> {
        let mut rows: Vec<Self> = Vec::new();
        let mut class = "";
        for line in table.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                class = name;
            } else if let Some(head) = line.strip_prefix("%%") {
                let words = || head.split_whitespace();
                let by: Vec<String> =
                    words().filter_map(|word| Some(word.strip_prefix("by=")?.to_owned())).collect();
                rows.push(Self {
                    class: class.to_owned(),
                    shells: words()
                        .filter(|word| !word.contains('='))
                        .map(|word| Shell::named(word).unwrap_or_else(|| panic!("unknown shell {word:?}")))
                        .collect(),
                    by: if by.is_empty() { vec!["rm".to_owned()] } else { by },
                    text: String::new(),
                });
            } else if let Some(row) = rows.last_mut() {
                row.text.push_str(line);
                row.text.push('\n');
            }
        }
        for row in &mut rows {
            row.text.truncate(row.text.trim_end_matches('\n').len());
            row.text = with_characters(&row.text);
        }
        rows
    }

    /// The dialects that a shell's text may be read in: what is given to `sh` may be run by any of them.
    pub fn dialects(shell: Shell) -> &'static [Dialect] {
        if shell.speaks(Dialect::Bash) { &[Dialect::Bash, Dialect::Sh] } else { &[Dialect::Sh] }
    }

    /// Returns how the reader closes it, or what it lists instead.
    pub fn closed(&self, dialect: Dialect) -> Result<&'static str, String> {
        match Reading::of(&self.text, dialect) {
            Reading::Refused(_) => Ok("refused"),
            Reading::Flagged(list) if list.iter().any(|command| command.dynamic) => Ok("dynamic"),
            Reading::Flagged(_) => Ok("opaque"),
            Reading::Listed(list) if list.iter().any(|command| self.destroys(command)) => Ok("listed"),
            Reading::Listed(list) => Err(show(&list)),
        }
    }

    /// Returns whether a gate sees in this command what it does to the file.
    fn destroys(&self, command: &Command) -> bool {
        let reaches = |word: &Word| word.known().is_none_or(|known| known.contains("victim"));
        self.by.iter().any(|by| match by.as_str() {
            ">" => command.redirects.iter().any(|redirect| redirect.write && reaches(&redirect.target)),
            // what it does to is not among its words
            _ if by.ends_with('!') => command.name == *by.trim_end_matches('!'),
            _ => command.name == *by.as_str() && command.args.iter().any(reaches),
        })
    }
}

fn with_characters(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<U+") {
        out.push_str(before);
        let char = after.get(..4).and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?));
        match (char, after.get(4..5)) {
            (Some(char), Some(">")) => {
                out.push(char);
                rest = &after[5..];
            }
            _ => {
                out.push_str("<U+");
                rest = after;
            }
        }
    }
    out + rest
}

/// Tries every row in its shells, or in all, and gives those in which the file was gone.
pub fn tried(rows: &[Attack], everywhere: bool, jobs: usize) -> Vec<Vec<Shell>> {
    let size = rows.len().div_ceil(jobs.max(1)).max(1);
    std::thread::scope(|scope| {
        let jobs: Vec<_> = rows
            .chunks(size)
            .enumerate()
            .map(|(number, rows)| {
                scope.spawn(move || {
                    let mut sandbox = Sandbox::of_programs(number);
                    rows.iter()
                        .map(|row| {
                            let shells = if everywhere { &Shell::ALL[..] } else { &row.shells[..] };
                            let runs = sandbox.run(shells, &row.text, LIMIT_MS);
                            runs.into_iter()
                                .filter(|(_, run)| run.victim_gone)
                                .map(|(shell, _)| shell)
                                .collect()
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        jobs.into_iter().flat_map(|job| job.join().expect("a job failed")).collect()
    })
}

#[test]
fn every_attack_is_refused_flagged_or_listed() {
    let rows = Attack::table();
    let mut failures = String::new();
    let mut open = 0;
    for row in &rows {
        // what could not be tried here has no shell
        let shells = if row.shells.is_empty() { &[Shell::Bash][..] } else { &row.shells[..] };
        for &dialect in shells.iter().flat_map(|shell| Attack::dialects(*shell)) {
            if let Err(listed) = row.closed(dialect) {
                open += 1;
                failures += &format!("{} ({dialect:?}): {:?}\n{listed}", row.class, row.text);
                break;
            }
        }
    }
    assert!(rows.len() >= 400, "only {} rows", rows.len());
    assert!(failures.is_empty(), "{open} of {} rows are open\n{failures}", rows.len());
}

/// Each row does harm in the first of its shells, as far as the programs are installed.
#[test]
fn attacks_do_harm() {
    let mut rows: Vec<Attack> = Attack::table();
    let installed = crate::soundness::installed();
    for row in &mut rows {
        row.shells.retain(|shell| installed.contains(shell));
        row.shells.truncate(1);
    }
    rows.retain(|row| !row.shells.is_empty());
    let tried = tried(&rows, false, 2);
    let harmless: Vec<&str> = rows
        .iter()
        .zip(&tried)
        .filter(|(_, harmed)| harmed.is_empty())
        .map(|(row, _)| row.text.as_str())
        .collect();
    println!("no harm here: {harmless:#?}");
    // other machines have other programs and other versions
    let harm = rows.len() - harmless.len();
    assert!(harm >= 400 && harm * 100 >= rows.len() * 75, "{harm} of {} rows did harm", rows.len());
}
