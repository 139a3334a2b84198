//! Every limit that a hook runs under, each set explicitly. Engines take them; nothing defaults inside a VM.

use std::time::Duration;

/// The limits of one hook. What it may compute is processor time of the thread that it runs on: waiting does not count (law 5), and
/// neither does a pause of the program, nor what other programs compute meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The processor time of one handler for one event. Default 1 s.
    pub handler_cpu: Duration,
    /// The processor time for loading the hook. Default 1 s.
    pub load_cpu: Duration,
    /// The processor time of all handlers of one event together. Default 5 s.
    pub event_cpu: Duration,
    /// The time that a handler that is not a gate may take, waiting included. Default 30 s.
    pub wait: Duration,
    /// The time beyond its budget that a handler may take to stop before the host answers without it. Default 500 ms.
    pub stop_grace: Duration,
    /// The hook's memory, in bytes. Default 64 MiB.
    pub memory: usize,
    /// The longest text that a script may hand to the host, in bytes. Default 16 MiB.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            handler_cpu: Duration::from_secs(1),
            load_cpu: Duration::from_secs(1),
            event_cpu: Duration::from_secs(5),
            wait: Duration::from_secs(30),
            stop_grace: Duration::from_millis(500),
            memory: 64 << 20,
            text: 16 << 20,
        }
    }
}
