//! When evaluations happen, around an agent that works in turns: after a turn and a short grace, given up when the person
//! speaks, three prompts of our own in a row at most. A state machine: it waits for nothing, looks at no clock and starts nothing.
//! Whoever drives it says what happened and does what it answers. Time is the driver's own, from any beginning.

use std::time::Duration;

use crate::emit::MAX_CONTINUATIONS;

/// The time between the end of a turn and the evaluation.
pub const GRACE: Duration = Duration::from_millis(200);

/// The act of the driver now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Nothing.
    Nothing,
    /// Start the evaluation of this number, in the background.
    Evaluate(u64),
    /// End the evaluation that runs: nobody waits for it. Then start the turn.
    Abandon,
    /// Start a turn.
    Start,
    /// Start a turn with the failure as its prompt, for the so many-th time.
    Prompt(u32),
    /// Warn that the checks still fail, and leave it at that until the person's next prompt.
    GiveUp,
    /// End the turn that runs.
    Cancel,
}

/// The result of an evaluation, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The agent need not know.
    Nothing,
    /// A check failed, and the agent is to be told.
    Failure,
}

/// A turn runs already: HTTP says 409 to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a turn is running; cancel it first")]
pub struct Refused;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The person's turn.
    Idle,
    /// The agent works, for the person or for a check.
    Working,
    /// It has ended; the evaluation begins then.
    Grace(Duration),
    /// The evaluation of this number runs.
    Checking(u64),
}

/// The check loop of one session.
#[derive(Debug, Clone)]
pub struct Cycle {
    state: State,
    /// The number of times that the agent was prompted for a check since the person's last prompt.
    prompts: u32,
    evaluations: u64,
}

impl Default for Cycle {
    fn default() -> Self {
        Cycle { state: State::Idle, prompts: 0, evaluations: 0 }
    }
}

impl Cycle {
    /// A session in which nothing has happened.
    pub fn new() -> Self {
        Cycle::default()
    }

    /// The person wrote a prompt. Counting begins anew; an evaluation that waits or runs is given up, its hooks stay pending.
    ///
    /// # Errors
    /// The agent works, whoever prompted it.
    pub fn prompt(&mut self) -> Result<Act, Refused> {
        let act = match self.state {
            State::Working => return Err(Refused),
            State::Idle | State::Grace(_) => Act::Start,
            State::Checking(_) => Act::Abandon,
        };
        self.state = State::Working;
        self.prompts = 0;
        Ok(act)
    }

    /// The turn ended, its last word is out.
    pub fn ended(&mut self, now: Duration) -> Act {
        if self.state == State::Working {
            self.state = State::Grace(now + GRACE);
        }
        Act::Nothing
    }

    /// The person wants the turn that runs to end. What is pending is checked after the next one.
    pub fn cancel(&mut self) -> Act {
        match self.state {
            State::Working => {
                self.state = State::Idle;
                Act::Cancel
            }
            _ => Act::Nothing,
        }
    }

    /// When [`Cycle::tick`] is to be called, if it is.
    pub fn due(&self) -> Option<Duration> {
        match self.state {
            State::Grace(until) => Some(until),
            _ => None,
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) -> Act {
        match self.state {
            State::Grace(until) if now >= until => {
                self.evaluations += 1;
                self.state = State::Checking(self.evaluations);
                Act::Evaluate(self.evaluations)
            }
            _ => Act::Nothing,
        }
    }

    /// The evaluation of this number ended. One that was given up says nothing any more.
    pub fn evaluated(&mut self, number: u64, told: Told) -> Act {
        if self.state != State::Checking(number) {
            return Act::Nothing;
        }
        self.state = State::Idle;
        match told {
            Told::Nothing => Act::Nothing,
            Told::Failure if self.prompts >= MAX_CONTINUATIONS => Act::GiveUp,
            Told::Failure => {
                self.prompts += 1;
                self.state = State::Working;
                Act::Prompt(self.prompts)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// A cycle whose turn has ended at 0 and whose first evaluation runs.
    fn checking() -> Cycle {
        let mut cycle = Cycle::new();
        assert_eq!(cycle.prompt(), Ok(Act::Start));
        assert_eq!(cycle.ended(ms(0)), Act::Nothing);
        assert_eq!(cycle.tick(GRACE), Act::Evaluate(1));
        cycle
    }

    #[test]
    fn an_evaluation_begins_200_ms_after_the_turn_and_never_within_one() {
        let mut cycle = Cycle::new();
        assert_eq!((cycle.tick(ms(0)), cycle.due()), (Act::Nothing, None), "nothing was said yet");
        cycle.prompt().unwrap();
        assert_eq!((cycle.tick(ms(900)), cycle.due()), (Act::Nothing, None), "the agent works");
        cycle.ended(ms(1000));
        assert_eq!(cycle.due(), Some(ms(1200)));
        assert_eq!(cycle.tick(ms(1199)), Act::Nothing);
        assert_eq!(cycle.tick(ms(1200)), Act::Evaluate(1));
        assert_eq!((cycle.tick(ms(1201)), cycle.due()), (Act::Nothing, None), "once");
    }

    #[test]
    fn a_prompt_within_the_grace_means_no_evaluation() {
        let mut cycle = Cycle::new();
        cycle.prompt().unwrap();
        cycle.ended(ms(0));
        assert_eq!(cycle.prompt(), Ok(Act::Start));
        assert_eq!((cycle.tick(ms(500)), cycle.due()), (Act::Nothing, None));
        cycle.ended(ms(600));
        assert_eq!(cycle.tick(ms(800)), Act::Evaluate(1), "after that turn");
    }

    #[test]
    fn a_prompt_within_an_evaluation_ends_it_and_its_result_counts_for_nothing() {
        let mut cycle = checking();
        assert_eq!(cycle.prompt(), Ok(Act::Abandon));
        assert_eq!(cycle.evaluated(1, Told::Failure), Act::Nothing);
        cycle.ended(ms(1000));
        assert_eq!(cycle.tick(ms(1200)), Act::Evaluate(2), "what is pending comes after the person's turn");
        assert_eq!(cycle.evaluated(1, Told::Failure), Act::Nothing, "the first one, late");
        assert_eq!(cycle.evaluated(2, Told::Failure), Act::Prompt(1));
    }

    #[test]
    fn nothing_to_tell_means_that_nothing_happens() {
        let mut cycle = checking();
        assert_eq!(cycle.evaluated(1, Told::Nothing), Act::Nothing);
        assert_eq!((cycle.tick(ms(9999)), cycle.due()), (Act::Nothing, None));
    }

    #[test]
    fn three_prompts_in_a_row_the_fourth_is_a_warning_and_the_person_resets_it() {
        let mut cycle = Cycle::new();
        for round in 0..3_u64 {
            cycle.prompt().unwrap();
            for turn in 1..=4 {
                // A turn for a check is a turn like any other: it is evaluated when it ends.
                cycle.ended(ms(0));
                let number = 4 * round + turn;
                assert_eq!(cycle.tick(GRACE), Act::Evaluate(number));
                let expected =
                    if turn <= 3 { Act::Prompt(u32::try_from(turn).unwrap()) } else { Act::GiveUp };
                assert_eq!(cycle.evaluated(number, Told::Failure), expected);
            }
            assert_eq!((cycle.tick(ms(9999)), cycle.due()), (Act::Nothing, None), "it rests");
        }
    }

    #[test]
    fn a_prompt_while_a_turn_runs_is_refused_and_the_turn_can_be_cancelled() {
        let mut cycle = checking();
        assert_eq!(cycle.evaluated(1, Told::Failure), Act::Prompt(1));
        assert_eq!(cycle.prompt(), Err(Refused), "a turn for a check is one");
        assert_eq!(cycle.cancel(), Act::Cancel);
        assert_eq!(cycle.cancel(), Act::Nothing);
        assert_eq!(cycle.prompt(), Ok(Act::Start));
        assert_eq!(cycle.prompt(), Err(Refused), "and so is the person's own");
    }

    #[derive(Debug, Clone, Copy)]
    enum Input {
        Prompt,
        Ended,
        Cancel,
        Pass(u64),
        Result { late: bool, told: Told },
    }

    fn input() -> impl Strategy<Value = Input> {
        let told = prop_oneof![1 => Just(Told::Nothing), 3 => Just(Told::Failure)];
        prop_oneof![
            1 => Just(Input::Prompt),
            3 => Just(Input::Ended),
            1 => Just(Input::Cancel),
            3 => (0..300_u64).prop_map(Input::Pass),
            3 => (any::<bool>(), told).prop_map(|(late, told)| Input::Result { late, told }),
        ]
    }

    proptest! {
        /// Whatever happens in whatever order.
        #[test]
        fn it_never_gets_out_of_hand(inputs in prop::collection::vec(input(), 1..80)) {
            let mut cycle = Cycle::new();
            let (mut now, mut running, mut in_a_row) = (ms(0), None, 0);
            let mut turn_ended: Option<Duration> = None;
            let mut working = false;
            for input in inputs {
                match input {
                    Input::Prompt => match cycle.prompt() {
                        Ok(act) => {
                            prop_assert!(!working);
                            prop_assert_eq!(act == Act::Abandon, running.is_some());
                            (working, running, in_a_row, turn_ended) = (true, None, 0, None);
                        }
                        Err(Refused) => prop_assert!(working),
                    },
                    Input::Ended => {
                        prop_assert_eq!(cycle.ended(now), Act::Nothing);
                        if working {
                            (working, turn_ended) = (false, Some(now));
                        }
                    }
                    Input::Cancel => {
                        prop_assert_eq!(cycle.cancel() == Act::Cancel, working);
                        working = false;
                    }
                    Input::Pass(millis) => {
                        now += ms(millis);
                        if let Act::Evaluate(number) = cycle.tick(now) {
                            let ended = turn_ended.take();
                            prop_assert!(ended.is_some_and(|ended| now >= ended + GRACE));
                            prop_assert!(!working && running.is_none());
                            running = Some(number);
                        }
                    }
                    Input::Result { late, told } => {
                        let number = match (late, running) {
                            (false, Some(number)) => number,
                            // One that nobody waits for.
                            _ => 0,
                        };
                        let act = cycle.evaluated(number, told);
                        if number == 0 {
                            prop_assert_eq!(act, Act::Nothing);
                            continue;
                        }
                        running = None;
                        match act {
                            Act::Prompt(attempt) => {
                                in_a_row += 1;
                                prop_assert_eq!((attempt, told), (in_a_row, Told::Failure));
                                prop_assert!(in_a_row <= 3);
                                working = true;
                            }
                            Act::GiveUp => prop_assert_eq!((in_a_row, told), (3, Told::Failure)),
                            other => prop_assert_eq!((other, told), (Act::Nothing, Told::Nothing)),
                        }
                    }
                }
            }
        }
    }
}
