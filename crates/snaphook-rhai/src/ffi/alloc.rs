//! The allocator that scripts are metered by. It adds nothing to what the system's allocator does but a call into
//! `meter`, which counts while a script's turn runs on the thread. Not here: what a script may use.

#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::meter;

/// The system's allocator, with the memory of scripts counted. Rhai has no limit for all that a script holds, so a
/// program that runs Rhai hooks installs it:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: snaphook_rhai::MeteredAllocator = snaphook_rhai::MeteredAllocator;
/// # fn main() {}
/// ```
///
/// Without it each hook has a warning, and only the sizes of single values are limited.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeteredAllocator;

/// The bytes that one block counts beside its size. It stands for what the system's allocator adds, and for the stack that
/// freeing it may take when blocks own each other in a long chain; see `ffi::Stacks`.
pub(crate) const BYTES_PER_BLOCK: isize = 64;

impl MeteredAllocator {
    /// Tells the system's allocator that the process is over soon: it takes memory in few large steps instead of many small ones,
    /// gives none back, and keeps no heap of its own for each thread.
    /// Does nothing where the system's allocator is not GNU's.
    pub fn expect_short_life() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            let settings =
                [(libc::M_TOP_PAD, STEP), (libc::M_TRIM_THRESHOLD, libc::c_int::MAX), (libc::M_ARENA_MAX, 1)];
            for (setting, value) in settings {
                // SAFETY: it sets numbers of the allocator's, under its lock, and may be called at any time.
                unsafe { libc::mallopt(setting, value) };
            }
        }
    }
}

/// The amount that is taken at once: more than most such processes need. What is not touched costs nothing.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP: libc::c_int = 1 << 20;

fn cost(size: usize) -> isize {
    isize::try_from(size).unwrap_or(isize::MAX - BYTES_PER_BLOCK) + BYTES_PER_BLOCK
}

// SAFETY: every call goes to `System` unchanged, and what is counted is numbers in a thread-local cell: counting
// allocates nothing, panics nowhere and works while a thread ends.
unsafe impl GlobalAlloc for MeteredAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        meter::charge(cost(layout.size()));
        // SAFETY: the caller keeps `alloc`'s promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        meter::charge(cost(layout.size()));
        // SAFETY: the caller keeps `alloc_zeroed`'s promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        meter::charge(-cost(layout.size()));
        // SAFETY: the caller keeps `dealloc`'s promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        meter::charge(cost(size) - cost(layout.size()));
        // SAFETY: the caller keeps `realloc`'s promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
