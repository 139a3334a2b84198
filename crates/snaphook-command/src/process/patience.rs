//! Time limits of work that waits. A pause of the whole program (a debugger, `SIGSTOP`, a laptop's sleep) is no part of them: what is
//! waited for may have been paused, too, and what it sent meanwhile has not been looked at. Not here: what a limit means.

use std::time::Duration;

use tokio::time::sleep;

/// How long the timer runs at a time. Of a pause one of these counts, and not all of it.
const SLICE: Duration = Duration::from_millis(500);

/// Completes when so much time has passed while this program ran.
pub async fn passed(mut time: Duration) {
    while !time.is_zero() {
        let slice = time.min(SLICE);
        sleep(slice).await;
        time -= slice;
    }
}
