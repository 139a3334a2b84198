//! The system's clock of one thread: how long it has been on a processor. The only unsafe module of this crate.
#![cfg_attr(
    any(target_os = "linux", target_os = "android", target_vendor = "apple"),
    expect(unsafe_code, reason = "the systems' calls for it; each block says why it is sound")
)]

/// A thread's clock, which every thread of the process can read. Of a thread that has ended it says nothing, or another's time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadClock(system::Id);

impl ThreadClock {
    /// This thread's; `None` where the system has no such clock.
    pub(crate) fn here() -> Option<Self> {
        system::here().map(ThreadClock)
    }

    /// Nanoseconds that the thread has computed.
    pub(crate) fn nanos(self) -> Option<u64> {
        system::nanos(self.0)
    }

    /// As a number that is not 0; 0 for none.
    pub(crate) fn to_raw(clock: Option<Self>) -> u64 {
        clock.map_or(0, |clock| u64::from(system::to_bits(clock.0)) + 1)
    }

    pub(crate) fn from_raw(raw: u64) -> Option<Self> {
        let bits = u32::try_from(raw.checked_sub(1)?).ok()?;
        system::from_bits(bits).map(ThreadClock)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    /// The number of a clock.
    pub(super) type Id = libc::clockid_t;

    pub(super) fn here() -> Option<Id> {
        let mut id = 0;
        // SAFETY: the calling thread is alive, and the number is written to a place of ours.
        let failed = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut id) };
        (failed == 0).then_some(id)
    }

    pub(super) fn nanos(id: Id) -> Option<u64> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the time is written to a place of ours. The number of a thread that is gone is an error, no memory is read.
        let failed = unsafe { libc::clock_gettime(id, &raw mut time) };
        if failed != 0 {
            return None;
        }
        let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
        seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
    }

    pub(super) fn to_bits(id: Id) -> u32 {
        id.cast_unsigned()
    }

    pub(super) fn from_bits(bits: u32) -> Option<Id> {
        Some(bits.cast_signed())
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    /// The name of a thread's port.
    pub(super) type Id = libc::mach_port_t;

    pub(super) fn here() -> Option<Id> {
        // SAFETY: the calling thread is alive. The name is not given back: it stays the thread's.
        let port = unsafe { libc::pthread_mach_thread_np(libc::pthread_self()) };
        (port != 0).then_some(port)
    }

    pub(super) fn nanos(port: Id) -> Option<u64> {
        const NOTHING: libc::time_value_t = libc::time_value_t { seconds: 0, microseconds: 0 };
        let mut info = libc::thread_basic_info {
            user_time: NOTHING,
            system_time: NOTHING,
            cpu_usage: 0,
            policy: 0,
            run_state: 0,
            flags: 0,
            suspend_count: 0,
            sleep_time: 0,
        };
        let mut count = libc::THREAD_BASIC_INFO_COUNT;
        // SAFETY: as many words as the count says are written to a place of ours that has them. A name that is no thread's is an
        // error.
        let answer = unsafe {
            libc::thread_info(
                port,
                libc::THREAD_BASIC_INFO.cast_unsigned(),
                (&raw mut info).cast::<libc::integer_t>(),
                &raw mut count,
            )
        };
        if answer != libc::KERN_SUCCESS {
            return None;
        }
        let micros = |time: libc::time_value_t| {
            let (seconds, micros) =
                (u64::try_from(time.seconds).ok()?, u64::try_from(time.microseconds).ok()?);
            seconds.checked_mul(1_000_000)?.checked_add(micros)
        };
        micros(info.user_time)?.checked_add(micros(info.system_time)?)?.checked_mul(1000)
    }

    pub(super) fn to_bits(port: Id) -> u32 {
        port
    }

    pub(super) fn from_bits(bits: u32) -> Option<Id> {
        Some(bits)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    /// There is none.
    #[derive(Debug, Clone, Copy)]
    pub(super) enum Id {}

    pub(super) fn here() -> Option<Id> {
        None
    }

    pub(super) fn nanos(id: Id) -> Option<u64> {
        match id {}
    }

    pub(super) fn to_bits(id: Id) -> u32 {
        match id {}
    }

    pub(super) fn from_bits(_: u32) -> Option<Id> {
        None
    }
}
