//! The next pending hook to run, and the end of an evaluation. No I/O: `evaluate` acts on it.

/// A hook of the evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Due {
    /// True if it still has to run, or to pass.
    pub(crate) pending: bool,
    /// True if any dirty file is one of its own.
    pub(crate) concerned: bool,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// None of its files is dirty any more: it need not run.
    Drop(usize),
    /// It runs, on all of its dirty files.
    Run(usize),
    /// Nothing more.
    Over,
}

/// One evaluation: pending hooks in the order in which hooks were found, until one fails.
#[derive(Debug)]
pub(crate) struct Round {
    due: Vec<Due>,
    at: usize,
    failed: bool,
}

impl Round {
    /// `due` are all hooks in their order; those that are not pending have no part in it.
    pub(crate) fn new(due: Vec<Due>) -> Self {
        Round { due, at: 0, failed: false }
    }

    /// Returns what is next. The numbers are places among the hooks.
    pub(crate) fn next(&mut self) -> Step {
        while let Some(hook) = self.due.get(self.at).filter(|_| !self.failed) {
            let at = self.at;
            self.at += 1;
            match hook {
                Due { pending: false, .. } => {}
                Due { concerned: false, .. } => return Step::Drop(at),
                Due { .. } => return Step::Run(at),
            }
        }
        Step::Over
    }

    /// The hook that was named last ran.
    pub(crate) fn ran(&mut self, passed: bool) {
        self.failed |= !passed;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The fate of one hook in one evaluation.
    #[derive(Debug, Clone)]
    struct Fate {
        changed: bool,
        dirty: bool,
        passes: bool,
    }

    /// The seed's `evaluateFileHooks`, transcribed: which hooks ran, what is pending then.
    fn by_the_seed(fates: &[Fate], pending: &mut Vec<usize>) -> Vec<usize> {
        for (id, fate) in fates.iter().enumerate() {
            if fate.changed && !pending.contains(&id) {
                pending.push(id);
            }
        }
        let mut ran = Vec::new();
        for (id, fate) in fates.iter().enumerate() {
            if !pending.contains(&id) {
                continue;
            }
            if !fate.dirty {
                pending.retain(|other| *other != id);
                continue;
            }
            ran.push(id);
            if !fate.passes {
                return ran;
            }
            pending.retain(|other| *other != id);
        }
        ran
    }

    fn by_the_model(fates: &[Fate], pending: &mut Vec<String>) -> Vec<usize> {
        for (id, _) in fates.iter().enumerate().filter(|(_, fate)| fate.changed) {
            if !pending.contains(&id.to_string()) {
                pending.push(id.to_string());
            }
        }
        let due = fates.iter().enumerate();
        let due =
            due.map(|(id, fate)| Due { pending: pending.contains(&id.to_string()), concerned: fate.dirty });
        let mut round = Round::new(due.collect());
        let mut ran = Vec::new();
        loop {
            match round.next() {
                Step::Over => return ran,
                Step::Drop(id) => pending.retain(|other| *other != id.to_string()),
                Step::Run(id) => {
                    ran.push(id);
                    let passed = fates[id].passes;
                    if passed {
                        pending.retain(|other| *other != id.to_string());
                    }
                    round.ran(passed);
                }
            }
        }
    }

    fn fates() -> impl Strategy<Value = Vec<Vec<Fate>>> {
        // What changed is dirty; nothing becomes clean without a reason that is of no matter here.
        let fate = (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(changed, dirty, passes)| Fate {
            changed,
            dirty: dirty || changed,
            passes,
        });
        (1..6_usize).prop_flat_map(move |hooks| {
            prop::collection::vec(prop::collection::vec(fate.clone(), hooks), 1..8)
        })
    }

    proptest! {
        /// Evaluation after evaluation, the model does what the seed's text says (D-051, D-053 to D-063).
        #[test]
        fn evaluations_do_what_the_seed_says(turns in fates()) {
            let (mut seed, mut ours) = (Vec::new(), Vec::new());
            for fates in turns {
                prop_assert_eq!(by_the_seed(&fates, &mut seed), by_the_model(&fates, &mut ours));
                let mut left: Vec<usize> = ours.iter().filter_map(|id| id.parse().ok()).collect();
                let mut expected = seed.clone();
                left.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(left, expected);
            }
        }
    }
}
