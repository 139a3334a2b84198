//! A lock that survives a panic of its holder.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. What the mutexes here protect is whole between any two statements, so a poisoned one is as good as new.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
