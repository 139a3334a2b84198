//! The system's calls that have no safe form in `rustix` or the standard library. The only unsafe module of this crate.
#![cfg_attr(unix, expect(unsafe_code, reason = "system calls; each block says why it is sound"))]
#![cfg(unix)]

use std::ffi::{CStr, CString};
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU8, Ordering};

/// Replaces the process by a program. It returns only with an error.
pub(crate) fn execve(program: &CStr, words: &[CString], env: &[CString]) -> io::Error {
    let pointers = |texts: &[CString]| {
        let all = texts.iter().map(|text| text.as_ptr());
        all.chain([std::ptr::null()]).collect::<Vec<_>>()
    };
    let (words, env) = (pointers(words), pointers(env));
    // SAFETY: both lists end with a null pointer, and their texts live until the call is over.
    unsafe { libc::execve(program.as_ptr(), words.as_ptr(), env.as_ptr()) };
    io::Error::last_os_error()
}

#[cfg(target_os = "linux")]
fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

// ---- the process as it was started ----

/// Bits 0 to 2: this standard stream was closed. Bit 3: a broken pipe was ignored.
#[cfg(target_os = "linux")]
static AT_START: AtomicU8 = AtomicU8::new(0);

/// Rust opens `/dev/null` for closed streams, and ignores broken pipes, before `main`. A held command has to get what its
/// caller gave, so this looks before.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_START: extern "C" fn() = {
    extern "C" fn look() {
        let mut seen = 0;
        for fd in 0..3 {
            // SAFETY: asks about a descriptor, open or not.
            if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
                seen |= 1 << fd;
            }
        }
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: the present action is written to a place of ours, which all zeroes are a value of.
        let action = unsafe {
            libc::sigaction(libc::SIGPIPE, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        if action.sa_sigaction == libc::SIG_IGN {
            seen |= 1 << 3;
        }
        AT_START.store(seen, Ordering::Relaxed);
    }
    look
};

/// Returns whether this standard stream was closed when the process started.
#[cfg(target_os = "linux")]
pub(crate) fn was_closed(stream: u8) -> bool {
    AT_START.load(Ordering::Relaxed) & (1 << stream) != 0
}

/// Handles broken pipes as they were when the process started, and closes the streams that were closed.
#[cfg(target_os = "linux")]
pub(crate) fn as_at_start() {
    let seen = AT_START.load(Ordering::Relaxed);
    if seen & (1 << 3) == 0 {
        // SAFETY: the default action needs no function of ours.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    }
    for fd in (0..3).filter(|fd| seen & (1 << fd) != 0) {
        // SAFETY: the runtime opened it, nothing of ours owns it, and the program begins anew.
        unsafe { libc::close(fd) };
    }
}

// ---- namespaces and mounts ----

/// Moves the process into new namespaces. Files stay shared.
#[cfg(target_os = "linux")]
pub(crate) fn unshare(namespaces: libc::c_int) -> io::Result<()> {
    // SAFETY: takes no pointer, and the flags that change how threads share memory or files are not passed.
    checked(unsafe { libc::unshare(namespaces & !(libc::CLONE_FILES | libc::CLONE_VM)) }.into()).map(|_| ())
}

/// Sets attributes of a mount, given by a descriptor, or by a path if that is not empty.
#[cfg(target_os = "linux")]
pub(crate) fn set_mount_attributes(
    at: BorrowedFd<'_>,
    path: &CStr,
    attributes: u64,
    recursive: bool,
) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let set = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let empty = if path.is_empty() { libc::AT_EMPTY_PATH } else { 0 };
    let flags = empty | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the descriptor is open, the text ends with a null, and the size is the structure's.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at.as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const set,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(result).map(|_| ())
}

/// Switches the loopback of this network namespace on.
#[cfg(target_os = "linux")]
pub(crate) fn loopback_up(socket: BorrowedFd<'_>) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: all zeroes are a value of it.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
        *to = from.cast_signed();
    }
    // The flags of an interface are a short.
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: reads the structure, which is of the kind that this request takes.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) }.into())
        .map(|_| ())
}

// ---- what a process may do ----

/// The version of Landlock.
#[cfg(target_os = "linux")]
pub(crate) fn landlock_version() -> io::Result<u32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call reads nothing.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, VERSION) };
    checked(version).map(|version| u32::try_from(version).unwrap_or(0))
}

/// One instruction of a filter.
#[cfg(target_os = "linux")]
pub(crate) type Instruction = libc::sock_filter;

/// Filters the system calls of this process from now on. It must not be able to gain privileges.
#[cfg(target_os = "linux")]
pub(crate) fn filter_calls(filter: &mut [Instruction]) -> io::Result<()> {
    let len = u16::try_from(filter.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog { len, filter: filter.as_mut_ptr() };
    // SAFETY: the program has as many instructions as it says, and the kernel copies and checks them.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
    checked(result).map(|_| ())
}

/// Returns whether the kernel can refuse calls with an error.
#[cfg(target_os = "linux")]
pub(crate) fn can_filter_calls() -> io::Result<()> {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: reads one number of ours.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
    checked(result).map(|_| ())
}

/// Closes all descriptors from this one on when a program is executed.
#[cfg(target_os = "linux")]
pub(crate) fn close_at_exec(first: u32) -> io::Result<()> {
    // SAFETY: the descriptors stay open and valid until then.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    checked(result).map(|_| ())
}

// ---- processes ----

/// The side of a fork.
#[cfg(target_os = "linux")]
pub(crate) enum Side {
    Child,
    Parent(libc::pid_t),
}

/// Forks a process that has one thread; in any other the child could find locks that nobody opens.
#[cfg(target_os = "linux")]
pub(crate) fn fork() -> io::Result<Side> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("the process has several threads"));
    }
    // SAFETY: there is one thread, so that no lock is held by one that the child lacks.
    let pid = checked(unsafe { libc::fork() }.into())?;
    Ok(match i32::try_from(pid).unwrap_or(0) {
        0 => Side::Child,
        pid => Side::Parent(pid),
    })
}

/// Ends the process at once. Nothing of the parent's runs at the end of a forked child.
#[cfg(target_os = "linux")]
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process; no memory is touched any more.
    unsafe { libc::_exit(code) }
}
