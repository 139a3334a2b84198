//! The iteration loop as a machine: sequences as tables, and what holds for every sequence.

use std::time::Duration;

use proptest::prelude::*;
use snaphook_command::lifecycle::List;
use snaphook_session::agent_loop::iterations::{
    Iterations, Limits, MAX_RECOVERIES, Phase, SavedIterations, Signal, Step,
};
use snaphook_session::agent_loop::pending::{MAX_PENDING, Pending};

/// Drives a machine: what each list prints, what the agent does with each request, and when it is complete.
struct Driver<'a> {
    machine: Iterations,
    now: Duration,
    /// The text that a list pipes, by its name and the iteration.
    pipes: &'a dyn Fn(List, Option<u64>) -> String,
    /// True if the agent fails at its n-th request.
    fails: &'a dyn Fn(usize) -> bool,
    prompts: Vec<&'static str>,
    log: Vec<String>,
    requests: usize,
}

impl Driver<'_> {
    fn go(&mut self, signal: Signal) -> Step {
        // A second for each step, by a clock that is ours.
        self.now += Duration::from_secs(1);
        self.machine.signal(self.now, signal).unwrap()
    }

    fn run(&mut self) {
        let mut step = self.go(Signal::Begin);
        loop {
            let signal = match &step {
                Step::Run { list, iteration, error } => {
                    let number = iteration.map(|number| format!(" {number}")).unwrap_or_default();
                    let error = error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
                    self.log.push(format!("{list}{number}{error}"));
                    Signal::Ran((self.pipes)(*list, *iteration))
                }
                Step::Send(texts) => {
                    self.log.push(format!("send {texts:?}"));
                    self.requests += 1;
                    if (self.fails)(self.requests) {
                        Signal::Failed(format!("request {}", self.requests))
                    } else {
                        Signal::Answered
                    }
                }
                Step::Check => {
                    self.log.push("complete?".to_owned());
                    Signal::Complete(self.prompts.is_empty())
                }
                Step::Next if self.prompts.is_empty() => Signal::Stop,
                Step::Next => Signal::Prompt(self.prompts.remove(0).to_owned()),
                Step::Done(ending) => {
                    self.log
                        .push(format!("done after {} iterations, left {:?}", ending.iterations, ending.left));
                    return;
                }
            };
            step = self.go(signal);
        }
    }
}

fn driven(
    prompts: &[&'static str],
    limits: Limits,
    pipes: &dyn Fn(List, Option<u64>) -> String,
    fails: &dyn Fn(usize) -> bool,
) -> Vec<String> {
    let machine = Iterations::new(limits);
    let (now, prompts, log) = (Duration::ZERO, prompts.to_vec(), Vec::new());
    let mut driver = Driver { machine, now, pipes, fails, prompts, log, requests: 0 };
    driver.run();
    driver.log
}

fn named(list: List, iteration: Option<u64>) -> String {
    match iteration {
        Some(number) => format!("{list} {number}\n"),
        None => format!("{list}\n"),
    }
}

fn quiet(_: List, _: Option<u64>) -> String {
    String::new()
}

fn never(_: usize) -> bool {
    false
}

#[test]
fn lists_run_in_the_order_of_the_loop() {
    let log = driven(&["one", "two"], Limits::default(), &quiet, &never);
    assert_eq!(
        log,
        [
            "session_start",
            "pre_iteration 1",
            "send [\"one\"]",
            "post_iteration 1",
            "complete?",
            "pre_iteration 2",
            "send [\"two\"]",
            "post_iteration 2",
            "complete?",
            "session_end",
            "done after 2 iterations, left []",
        ]
    );
}

/// First what waited, then the list's own output, as one part of the request; the prompt is the second.
#[test]
fn output_goes_before_the_prompt_of_the_next_iteration_and_the_rest_is_delivered_at_the_end() {
    let log = driven(&["one", "two"], Limits::default(), &named, &never);
    assert_eq!(
        log,
        [
            "session_start",
            "pre_iteration 1",
            "send [\"session_start\\n\\npre_iteration 1\\n\", \"one\"]",
            "post_iteration 1",
            "complete?",
            "pre_iteration 2",
            "send [\"post_iteration 1\\n\\npre_iteration 2\\n\", \"two\"]",
            "post_iteration 2",
            "complete?",
            "send [\"post_iteration 2\\n\"]",
            "session_end",
            "done after 2 iterations, left []",
        ]
    );
}

#[test]
fn an_error_is_told_at_once_and_the_session_goes_on() {
    let log = driven(
        &["one", "two"],
        Limits::default(),
        &|list, number| match list {
            List::OnError => "diff\n".to_owned(),
            _ => quiet(list, number),
        },
        &|request| request == 1,
    );
    assert_eq!(
        log,
        [
            "session_start",
            "pre_iteration 1",
            "send [\"one\"]",
            "on_error 1 (request 1)",
            "send [\"diff\\n\"]",
            "complete?",
            "pre_iteration 2",
            "send [\"two\"]",
            "post_iteration 2",
            "complete?",
            "session_end",
            "done after 2 iterations, left []",
        ]
    );
}

#[test]
fn an_error_without_output_only_goes_on() {
    let log = driven(&["one"], Limits::default(), &quiet, &|request| request == 1);
    assert_eq!(log[3..5], ["on_error 1 (request 1)", "complete?"]);
}

/// The fourth failure in a row ends the loop; what was to be said then is delivered at the end.
#[test]
fn an_agent_that_keeps_failing_is_not_prompted_for_ever() {
    let log = driven(
        &["one", "two"],
        Limits::default(),
        &|list, number| match list {
            List::OnError => format!("error {}\n", number.unwrap()),
            _ => quiet(list, number),
        },
        &|_| true,
    );
    let recoveries = log.iter().filter(|line| *line == "send [\"error 1\\n\"]").count();
    // Three recoveries, and the delivery of what is left.
    assert_eq!(recoveries, MAX_RECOVERIES as usize + 1, "{log:#?}");
    assert_eq!(log.iter().filter(|line| line.starts_with("on_error")).count(), 4);
    assert_eq!(log[log.len() - 2..], ["session_end", "done after 1 iterations, left []"]);
}

#[test]
fn a_success_makes_the_next_failures_new_ones() {
    // Every second request fails: each recovery works.
    let prompts = ["a", "b", "c", "d", "e", "f"];
    let log = driven(&prompts, Limits::default(), &named, &|request| request % 2 == 1);
    assert_eq!(log.iter().filter(|line| line.starts_with("pre_iteration")).count(), 6, "{log:#?}");
}

#[test]
fn limits_end_the_loop_and_deliver_what_is_left() {
    let many = ["a", "b", "c", "d", "e"];
    let of = |limits, fails: &dyn Fn(usize) -> bool| {
        driven(&many, limits, &named, fails).iter().filter(|line| line.starts_with("pre_iteration")).count()
    };
    assert_eq!(of(Limits { iterations: Some(2), ..Limits::default() }, &never), 2);
    // A recovery counts as an iteration.
    assert_eq!(of(Limits { iterations: Some(2), ..Limits::default() }, &|request| request == 1), 1);
    // Five signals of a second each make an iteration.
    let limits = Limits { duration: Some(Duration::from_secs(8)), ..Limits::default() };
    assert_eq!(of(limits, &never), 2);
    let log = driven(&many, limits, &named, &never);
    assert_eq!(
        log[log.len() - 3..],
        ["send [\"post_iteration 2\\n\"]", "session_end", "done after 2 iterations, left []"]
    );
}

#[test]
fn a_finished_task_tells_in_its_turn() {
    let mut machine = Iterations::default();
    let mut signal = |signal| machine.signal(Duration::ZERO, signal).unwrap();
    signal(Signal::Begin);
    signal(Signal::Ran("start\n".to_owned()));
    signal(Signal::Prompt("one".to_owned()));
    signal(Signal::Ran(String::new()));
    // From another task, while the agent works.
    let pending = machine.pending().clone();
    std::thread::spawn(move || pending.push("task 1\n".to_owned())).join().unwrap();
    let mut signal = |signal| machine.signal(Duration::ZERO, signal).unwrap();
    signal(Signal::Answered);
    signal(Signal::Ran("post\n".to_owned()));
    signal(Signal::Complete(false));
    signal(Signal::Prompt("two".to_owned()));
    let step = signal(Signal::Ran("pre\n".to_owned()));
    assert_eq!(step, Step::Send(vec!["task 1\n\npost\n\npre\n".to_owned(), "two".to_owned()]));
}

#[test]
fn many_may_write_at_once_and_nothing_is_lost() {
    let pending = Pending::default();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let pending = pending.clone();
            scope
                .spawn(move || (0..50).for_each(|number| drop(pending.push(format!("{writer} {number}\n")))));
        }
    });
    let texts = pending.drain();
    assert_eq!(texts.len(), 400);
    for writer in 0..8 {
        let own: Vec<_> = texts.iter().filter(|text| text.starts_with(&format!("{writer} "))).collect();
        let wanted: Vec<_> = (0..50).map(|number| format!("{writer} {number}\n")).collect();
        assert_eq!(own, wanted.iter().collect::<Vec<_>>(), "each in its order");
    }
    assert!(pending.is_empty());
}

#[test]
fn the_buffer_has_an_end_and_says_so() {
    let pending = Pending::default();
    assert_eq!(pending.push("x".repeat(MAX_PENDING - 1)), None);
    assert_eq!(pending.push("abc".to_owned()).as_deref(), Some("bc"));
    assert_eq!(pending.push("d".to_owned()).as_deref(), Some("d"));
    assert_eq!(pending.texts().len(), 2);
}

#[test]
fn cancelling_ends_everything_and_says_what_is_left() {
    let mut machine = Iterations::default();
    machine.signal(Duration::ZERO, Signal::Begin).unwrap();
    machine.signal(Duration::ZERO, Signal::Ran("start".to_owned())).unwrap();
    let step = machine.signal(Duration::from_secs(5), Signal::Cancel).unwrap();
    let Step::Done(ending) = step else { panic!("{step:?}") };
    assert!(ending.cancelled);
    assert_eq!((ending.left, ending.duration), (vec!["start".to_owned()], Duration::from_secs(5)));
    assert!(machine.signal(Duration::ZERO, Signal::Begin).is_err(), "it is over");
}

#[test]
fn a_signal_out_of_turn_changes_nothing() {
    let mut machine = Iterations::default();
    let before = machine.save();
    for signal in [
        Signal::Answered,
        Signal::Ran("x".to_owned()),
        Signal::Failed("x".to_owned()),
        Signal::Complete(true),
    ] {
        let error = machine.signal(Duration::ZERO, signal).unwrap_err();
        assert_eq!(error.phase, Phase::New);
    }
    assert_eq!(machine.save(), before);
}

#[test]
fn the_state_outlives_a_process() {
    for phase in [Phase::New, Phase::Before, Phase::Working, Phase::Failing, Phase::Done] {
        let saved = SavedIterations {
            phase,
            begun: true,
            iteration: 7,
            recoveries: 2,
            pending: vec!["a".to_owned(), "b\n".to_owned()],
        };
        assert_eq!(reread(&saved), saved);
        assert_eq!(Iterations::resume(saved.clone()).save(), saved);
    }
}

fn reread(saved: &SavedIterations) -> SavedIterations {
    serde_json::from_str(&serde_json::to_string(saved).unwrap()).unwrap()
}

/// One thing that happens.
#[derive(Debug, Clone)]
enum Happens {
    Signal(Signal),
    Task,
    Reload,
}

fn happens() -> impl Strategy<Value = Happens> {
    let signals = vec![
        Signal::Begin,
        Signal::Ran(String::new()),
        Signal::Prompt("p".to_owned()),
        Signal::PersonPrompt("p".to_owned()),
        Signal::Answered,
        Signal::Failed("e".to_owned()),
        Signal::Complete(false),
        Signal::Complete(true),
        Signal::Stop,
    ];
    prop_oneof![
        12 => prop::sample::select(signals).prop_map(Happens::Signal),
        2 => Just(Happens::Task),
        1 => Just(Happens::Reload),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order, also with another process in between: each output is given once, in the order in which
    /// it was written, or is there at the end.
    #[test]
    fn nothing_is_lost_nothing_comes_twice_and_the_order_is_kept(what in prop::collection::vec(happens(), 0..80)) {
        let mut machine = Iterations::default();
        let (mut written, mut given): (Vec<String>, Vec<String>) = Default::default();
        let mut number = 0;
        let mut errors = Vec::new();
        for one in what {
            let mut name = || { number += 1; format!("output {number}\n") };
            match one {
                Happens::Task => {
                    let text = name();
                    machine.pending().push(text.clone());
                    written.push(text);
                }
                Happens::Reload => machine = Iterations::resume(reread(&machine.save())),
                Happens::Signal(signal) => {
                    let (signal, text) = match signal {
                        // The output of session_end has no receiver.
                        Signal::Ran(_) if machine.phase() != Phase::Ending => {
                            let text = name();
                            (Signal::Ran(text.clone()), Some(text))
                        }
                        other => (other, None),
                    };
                    let failing = machine.phase() == Phase::Failing;
                    match machine.signal(Duration::ZERO, signal) {
                        Err(_) => {}
                        Ok(step) => {
                            errors.extend(text.clone().filter(|_| failing));
                            written.extend(text);
                            let texts = match step {
                                Step::Send(texts) => texts,
                                Step::Done(ending) => ending.left,
                                _ => Vec::new(),
                            };
                            let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("output"));
                            given.extend(lines.map(|line| format!("{line}\n")));
                        }
                    }
                }
            }
        }
        given.extend(machine.pending().drain());
        // What an error has to say overtakes what waits.
        let (late, on_time): (Vec<_>, Vec<_>) = given.into_iter().partition(|text| errors.contains(text));
        prop_assert_eq!(&late, &errors);
        written.retain(|text| !errors.contains(text));
        prop_assert_eq!(on_time, written);
    }
}
