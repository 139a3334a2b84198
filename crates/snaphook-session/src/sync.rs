//! Locks that survive a panic of their holder.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Locks. What the mutexes here protect is whole between any two statements, so a poisoned one is as good as new.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns what a lock gives, whether its last holder panicked or not.
pub(crate) fn unpoisoned<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
