//! Time limits of work that waits. A pause of the whole program (a debugger, `SIGSTOP`, a laptop's sleep) is no part of them: what is
//! waited for may have been paused, too, and what it sent meanwhile has not been looked at. Not here: what a limit means.

use std::time::Duration;

use tokio::time::sleep;

/// The time that the timer runs at a time. Of a pause one of these counts, and not all of it.
const SLICE: Duration = Duration::from_millis(500);

/// Completes when so much time has passed while this program ran.
pub async fn passed(mut time: Duration) {
    while !time.is_zero() {
        let slice = time.min(SLICE);
        sleep(slice).await;
        time -= slice;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use tokio::time::{Instant, advance};

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_no_part_of_a_limit() {
        const LIMIT: Duration = Duration::from_secs(30);
        const PAUSE: Duration = Duration::from_secs(3600);
        let began = Instant::now();
        let mut limit = pin!(passed(LIMIT));
        let is_over = poll_fn(|cx| Poll::Ready(limit.as_mut().poll(cx).is_ready())).await;
        assert!(!is_over);
        // As the clock is after the program was stopped.
        advance(PAUSE).await;
        let is_over = poll_fn(|cx| Poll::Ready(limit.as_mut().poll(cx).is_ready())).await;
        assert!(!is_over);
        limit.await;
        let took = began.elapsed() - PAUSE;
        assert!(took >= LIMIT - SLICE && took <= LIMIT + SLICE, "{took:?}");
    }
}
