//! When a model is asked again. The provider's own word counts, within bounds; else the time grows.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};

use super::AskError;

/// The bounds of asking again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// The most times that one turn is asked for.
    pub attempts: u32,
    /// The most times in a row that an answer may be broken.
    pub broken: u32,
    /// The first time between two attempts, where the provider does not say.
    pub first: Duration,
    /// The longest of them.
    pub most: Duration,
    /// The longest time that is waited because the provider says so. Longer ones are an error.
    pub longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Retries {
            attempts: 8,
            broken: 3,
            first: Duration::from_secs(1),
            most: Duration::from_secs(60),
            longest: Duration::from_secs(300),
        }
    }
}

impl Retries {
    /// The times between the attempts at one turn.
    pub(super) fn waits(&self) -> impl Iterator<Item = Duration> + use<> {
        let times = usize::try_from(self.attempts.saturating_sub(1)).unwrap_or(usize::MAX);
        let backoff = ExponentialBuilder::default().with_min_delay(self.first).with_max_delay(self.most);
        backoff.with_max_times(times).with_jitter().build()
    }

    /// The time after which an error is worth another attempt, `next` where the provider does not say. `None` where it is not.
    pub(super) fn wait(&self, error: &AskError, next: Option<Duration>) -> Option<Duration> {
        let next = next?;
        match error {
            AskError::Busy { retry_after: Some(wanted), .. } => (*wanted <= self.longest).then_some(*wanted),
            AskError::Busy { retry_after: None, .. } | AskError::Connection(_) | AskError::Protocol(_) => {
                Some(next)
            }
            AskError::Refused { .. }
            | AskError::TooLong { .. }
            | AskError::TooLarge(_)
            | AskError::Request(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_word_counts_within_bounds() {
        let retries = Retries::default();
        let next = Some(Duration::from_secs(2));
        let busy = |seconds: Option<u64>| AskError::Busy {
            status: 429,
            message: String::new(),
            retry_after: seconds.map(Duration::from_secs),
        };
        let cases = [
            (busy(Some(7)), next, Some(7)),
            (busy(Some(0)), next, Some(0)),
            (busy(Some(301)), next, None),
            (busy(None), next, Some(2)),
            (busy(Some(7)), None, None),
            (AskError::Connection(String::new()), next, Some(2)),
            (AskError::Refused { status: 400, message: String::new() }, next, None),
            (AskError::TooLong { message: String::new() }, next, None),
        ];
        for (error, next, expected) in cases {
            assert_eq!(retries.wait(&error, next), expected.map(Duration::from_secs), "{error:?}");
        }
    }

    #[test]
    fn the_time_between_attempts_grows_and_ends() {
        let retries = Retries { attempts: 8, ..Retries::default() };
        let waits: Vec<Duration> = retries.waits().collect();
        assert_eq!(waits.len(), 7);
        // Each with up to as much again by chance, so that many clients do not come back at once.
        assert!(waits[0] >= Duration::from_secs(1) && waits[0] <= Duration::from_secs(2), "{waits:?}");
        assert!(waits[6] >= Duration::from_secs(60) && waits[6] <= Duration::from_secs(120), "{waits:?}");
    }
}
