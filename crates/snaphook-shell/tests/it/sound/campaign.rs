//! Many texts, written, read, run and judged, by several threads.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use snaphook_shell::{Command, Dialect};

use super::compose::compose;
use super::judge::{Miss, Reading, missed, show};
use super::mutate::mutate;
use super::rng::Rng;
use super::sandbox::{Confinement, Sandbox};
use super::shells::Shell;
use super::shrink::shrink;
use super::tokens;

const MAX_TEXT_BYTES: usize = 6_000;
const LIMIT_MS: u32 = 1_500;

/// The amount of work.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    /// The first text's number: a run can go on where another one ended, or show one text again.
    pub first: u64,
    pub texts: Option<u64>,
    pub runs: Option<u64>,
    pub time: Option<Duration>,
    pub jobs: usize,
    /// Disagreements after which it stops.
    pub most: usize,
    /// Texts that are mutated beside what the generator writes.
    pub seeds: Vec<String>,
}

/// The numbers that were counted.
#[derive(Debug, Default)]
pub struct Counts {
    pub texts: AtomicU64,
    pub refused: AtomicU64,
    pub flagged: AtomicU64,
    pub accepted: AtomicU64,
    pub accepted_sh: AtomicU64,
    /// Runs by which the five shells were judged.
    pub runs: AtomicU64,
    /// Programs that these runs started.
    pub calls: AtomicU64,
    pub timeouts: AtomicU64,
    /// Runs of bash called as `sh` and of mksh.
    pub extra: AtomicU64,
    pub extra_misses: AtomicU64,
    /// Runs of dash and busybox with texts that are understood as bash only.
    pub foreign: AtomicU64,
    pub foreign_misses: AtomicU64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        write!(
            f,
            "{} texts: {} refused, {} flagged, {} accepted ({} also for sh); {} runs, {} executions, {} timeouts; bash as sh and mksh: {} runs, {} misses; \
             bash's texts in dash and busybox: {} runs, {} misses",
            get(&self.texts),
            get(&self.refused),
            get(&self.flagged),
            get(&self.accepted),
            get(&self.accepted_sh),
            get(&self.runs),
            get(&self.calls),
            get(&self.timeouts),
            get(&self.extra),
            get(&self.extra_misses),
            get(&self.foreign),
            get(&self.foreign_misses),
        )
    }
}

/// A text for which a shell did what the reader did not say.
#[derive(Debug)]
pub struct Disagreement {
    pub number: u64,
    pub text: String,
    pub small: String,
    pub dialect: Dialect,
    pub miss: Miss,
    pub listed: String,
    /// True if it is one that the property is about.
    pub counts: bool,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, small, dialect, miss, listed, text, .. } = self;
        writeln!(
            f,
            "text {number}, read as {dialect:?}: {} ran {:?} {:?}",
            miss.shell.name(),
            miss.call.name(),
            miss.call.args
        )?;
        writeln!(f, "  small: {small:?}")?;
        writeln!(f, "  whole: {text:?}")?;
        write!(f, "  listed:\n{listed}")
    }
}

/// The result of a plan.
#[derive(Debug)]
pub struct Outcome {
    pub counts: Counts,
    pub found: Vec<Disagreement>,
    pub confinement: Confinement,
    pub missing: Vec<&'static str>,
    pub took: Duration,
}

impl Outcome {
    /// Those that break the property.
    pub fn broken(&self) -> impl Iterator<Item = &Disagreement> {
        self.found.iter().filter(|found| found.counts)
    }
}

/// Text `number` of a campaign.
pub fn text(plan: &Plan, number: u64) -> String {
    let mut rng = Rng::for_text(plan.seed, number);
    let rng = &mut rng;
    match rng.below(100) {
        0..=19 => compose(rng),
        20..=49 => {
            // most rows are refused at once, and those say nothing
            let mut row = tokens::row(rng);
            for _ in 0..40 {
                if Reading::of(&row, Dialect::Bash).listed().is_some() {
                    break;
                }
                row = tokens::row(rng);
            }
            row
        }
        50..=84 => {
            let mut base = compose(rng);
            for _ in 0..3 {
                // what is understood before is more often understood after
                if Reading::of(&base, Dialect::Bash).listed().is_some() {
                    break;
                }
                base = compose(rng);
            }
            let other = compose(rng);
            mutate(rng, &base, &other)
        }
        _ if plan.seeds.is_empty() => compose(rng),
        _ => {
            let base = plan.seeds[rng.below(plan.seeds.len())].clone();
            let other = plan.seeds[rng.below(plan.seeds.len())].clone();
            mutate(rng, &base, &other)
        }
    }
}

/// Carries a plan out. `progress` gets a line now and then.
pub fn run(plan: &Plan, progress: impl Fn(&str) + Sync) -> Outcome {
    let counts = Counts::default();
    let found = Mutex::new(Vec::new());
    let state = Mutex::new((Confinement::Plain, Vec::new()));
    let next = AtomicU64::new(plan.first);
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let said = Mutex::new(start);
    std::thread::scope(|scope| {
        for job in 0..plan.jobs {
            let (counts, found, state, next, stop, said, progress) =
                (&counts, &found, &state, &next, &stop, &said, &progress);
            scope.spawn(move || {
                let mut sandbox = Sandbox::of_stubs(job);
                let have: Vec<Shell> = sandbox.shells().collect();
                let missing =
                    Shell::ALL.into_iter().filter(|shell| !have.contains(shell)).map(Shell::name).collect();
                *state.lock().unwrap() = (sandbox.confinement, missing);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let done = plan.texts.is_some_and(|texts| number - plan.first >= texts)
                        || plan.runs.is_some_and(|runs| counts.runs.load(Ordering::Relaxed) >= runs)
                        || plan.time.is_some_and(|time| start.elapsed() >= time);
                    if done || stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let text = text(plan, number);
                    let new = check(&mut sandbox, counts, number, &text);
                    if !new.is_empty() {
                        let mut found = found.lock().unwrap();
                        for disagreement in new {
                            progress(&disagreement.to_string());
                            found.push(disagreement);
                        }
                        if found.iter().filter(|found| found.counts).count() >= plan.most {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    let mut said = said.lock().unwrap();
                    if said.elapsed() > Duration::from_secs(15) {
                        *said = Instant::now();
                        progress(&format!("{} s: {counts}", start.elapsed().as_secs()));
                    }
                }
            });
        }
    });
    let (confinement, missing) = state.into_inner().unwrap();
    let found = found.into_inner().unwrap();
    Outcome { counts, found, confinement, missing, took: start.elapsed() }
}

/// Returns whether a text may be run here at all: without a root folder of its own no absolute path, and nothing that
/// kills.
fn may_run(text: &str, confinement: Confinement) -> bool {
    if confinement == Confinement::Chroot {
        return true;
    }
    let absolute = text
        .replace("/dev/null", "")
        .split(|char: char| !char.is_alphanumeric() && char != '/' && char != '.')
        .any(|word| word.starts_with('/'));
    // a login shell reads the machine's own files
    let login = text.contains(" -l");
    !absolute
        && !login
        && !text.contains("kill")
        && !text.contains("-p ")
        && !text.contains("PATH")
        && !text.contains("path")
}

/// Reads one text, and runs and judges it if it was understood.
pub fn check(sandbox: &mut Sandbox, counts: &Counts, number: u64, text: &str) -> Vec<Disagreement> {
    let add = |count: &AtomicU64, by: u64| count.fetch_add(by, Ordering::Relaxed);
    add(&counts.texts, 1);
    let readings =
        [(Dialect::Sh, Reading::of(text, Dialect::Sh)), (Dialect::Bash, Reading::of(text, Dialect::Bash))];
    let lists: Vec<(Dialect, &[Command])> =
        readings.iter().filter_map(|(dialect, reading)| Some((*dialect, reading.listed()?))).collect();
    let runs_it = !lists.is_empty() && text.len() <= MAX_TEXT_BYTES && may_run(text, sandbox.confinement);
    if !runs_it {
        let refused = matches!(readings[1].1, Reading::Refused(_));
        add(if refused { &counts.refused } else { &counts.flagged }, 1);
        return Vec::new();
    }
    add(&counts.accepted, 1);
    let for_sh = lists[0].0 == Dialect::Sh;
    add(&counts.accepted_sh, u64::from(for_sh));
    let sampled = number.is_multiple_of(8);
    let shells: Vec<Shell> = Shell::ALL
        .into_iter()
        .filter(|shell| {
            let judged = Shell::FIVE.contains(shell) && (for_sh || shell.speaks(Dialect::Bash));
            judged || sampled
        })
        .collect();
    let mut found: Vec<Disagreement> = Vec::new();
    for (shell, run) in sandbox.run(&shells, text, LIMIT_MS) {
        let judged = Shell::FIVE.contains(&shell) && (for_sh || shell.speaks(Dialect::Bash));
        if judged {
            add(&counts.runs, 1);
            add(&counts.calls, run.calls.len() as u64);
            add(&counts.timeouts, u64::from(run.timed_out));
        } else {
            add(if Shell::FIVE.contains(&shell) { &counts.foreign } else { &counts.extra }, 1);
        }
        for (dialect, list) in &lists {
            if judged && !shell.speaks(*dialect) {
                continue;
            }
            let Some(miss) = missed(shell, &run, list) else { continue };
            if !judged {
                let misses =
                    if Shell::FIVE.contains(&shell) { &counts.foreign_misses } else { &counts.extra_misses };
                add(misses, 1);
            }
            // one a text is enough, unless this one is the first that counts
            if found.iter().any(|other| other.counts || !judged) {
                continue;
            }
            found.push(Disagreement {
                number,
                text: text.to_owned(),
                small: text.to_owned(),
                dialect: *dialect,
                miss,
                listed: show(list),
                counts: judged,
            });
        }
    }
    for disagreement in &mut found {
        make_small(sandbox, disagreement);
    }
    found
}

fn make_small(sandbox: &mut Sandbox, disagreement: &mut Disagreement) {
    let (shell, dialect) = (disagreement.miss.shell, disagreement.dialect);
    let fails = |sandbox: &mut Sandbox, text: &str| {
        let reading = Reading::of(text, dialect);
        let list = reading.listed()?;
        let runs = sandbox.run(&[shell], text, LIMIT_MS);
        let miss = runs.iter().find_map(|(shell, run)| missed(*shell, run, list))?;
        Some((miss, show(list)))
    };
    let small = shrink(&disagreement.text, 400, |text| fails(sandbox, text).is_some());
    // what was found may have hung on time; then it is shown as it was
    if let Some((miss, listed)) = fails(sandbox, &small) {
        (disagreement.small, disagreement.miss, disagreement.listed) = (small, miss, listed);
    }
}
