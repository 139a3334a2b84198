//! Tests of the filter: its program is run here, instruction by instruction, on calls of both interfaces.

use super::*;

/// What a program returns for a call.
fn run(program: &[Instruction], architecture: u32, number: u32, arguments: [u64; 3]) -> u32 {
    let word = |offset: u32| match offset {
        NUMBER => number,
        ARCHITECTURE => architecture,
        _ => {
            let at = offset - ARGUMENTS;
            let argument = arguments[at as usize / 8];
            if at.is_multiple_of(8) { argument as u32 } else { (argument >> 32) as u32 }
        }
    };
    let (mut at, mut loaded) = (0, 0);
    loop {
        let Instruction { code, jt, jf, k } = program[at];
        at += 1;
        match code {
            LOAD => loaded = word(k),
            EQUAL => at += usize::from(if loaded == k { jt } else { jf }),
            ANY_BIT => at += usize::from(if loaded & k != 0 { jt } else { jf }),
            RETURN => return k,
            0x05 => at += k as usize,
            other => unreachable!("no such instruction: {other:#x}"),
        }
    }
}

const ALL: u32 = NOT_PERMITTED;

#[test]
fn calls_are_decided() {
    let own = u64::from(std::process::id());
    let sti = libc::TIOCSTI;
    // A call natively and by a 32-bit program, its arguments, and the error that it gets; 0 for none.
    for (native, i386, arguments, error) in [
        (Some(libc::SYS_read), Some(3), [0, 0, 0], 0),
        (Some(libc::SYS_openat), Some(295), [0, 0, 0], 0),
        (Some(libc::SYS_mount), Some(21), [0, 0, 0], ALL),
        (None, Some(22), [0, 0, 0], ALL),
        (Some(libc::SYS_umount2), Some(52), [0, 0, 0], ALL),
        (Some(libc::SYS_clone3), Some(435), [0, 0, 0], NO_SUCH_CALL),
        (Some(libc::SYS_clone), Some(120), [17, 0, 0], 0),
        // A thread of glibc, and `vfork`.
        (Some(libc::SYS_clone), Some(120), [0x3d_0f00, 0, 0], 0),
        (Some(libc::SYS_clone), Some(120), [0x4111, 0, 0], 0),
        (Some(libc::SYS_clone), Some(120), [0x1000_0011, 0, 0], ALL),
        (Some(libc::SYS_clone), Some(120), [0x4000_0011, 0, 0], ALL),
        (Some(libc::SYS_unshare), Some(310), [0x400, 0, 0], 0),
        (Some(libc::SYS_unshare), Some(310), [0x2_0000, 0, 0], ALL),
        (Some(libc::SYS_unshare), Some(310), [0x80, 0, 0], ALL),
        (Some(libc::SYS_unshare), Some(310), [0x1_1000_0000, 0, 0], ALL),
        (Some(libc::SYS_setns), Some(346), [3, 0, 0], ALL),
        (Some(libc::SYS_socket), Some(359), [1, 1, 0], 0),
        (Some(libc::SYS_socket), Some(359), [2, 1, 0], 0),
        (Some(libc::SYS_socket), Some(359), [10, 2, 0], 0),
        (Some(libc::SYS_socket), Some(359), [16, 3, 0], 0),
        (Some(libc::SYS_socket), Some(359), [16, 3, 4], 0),
        (Some(libc::SYS_socket), Some(359), [16, 3, 9], NO_SUCH_FAMILY),
        (Some(libc::SYS_socket), Some(359), [17, 3, 0], NO_SUCH_FAMILY),
        (Some(libc::SYS_socket), Some(359), [38, 5, 0], NO_SUCH_FAMILY),
        (Some(libc::SYS_socket), Some(359), [40, 1, 0], NO_SUCH_FAMILY),
        (None, Some(102), [1, 0, 0], NO_SUCH_CALL),
        (None, Some(102), [3, 0, 0], 0),
        (Some(libc::SYS_prlimit64), Some(340), [0, 7, 1], 0),
        (Some(libc::SYS_prlimit64), Some(340), [own, 7, 0], 0),
        (Some(libc::SYS_prlimit64), Some(340), [1, 7, 1], ALL),
        (Some(libc::SYS_setpriority), Some(97), [0, 0, 10], 0),
        (Some(libc::SYS_setpriority), Some(97), [0, 1, 10], ALL),
        (Some(libc::SYS_setpriority), Some(97), [1, 0, 10], ALL),
        (Some(libc::SYS_setpriority), Some(97), [2, 0, 10], ALL),
        (Some(libc::SYS_ioprio_set), Some(289), [1, 0, 0], 0),
        (Some(libc::SYS_ioprio_set), Some(289), [1, 5, 0], ALL),
        (Some(libc::SYS_ioprio_set), Some(289), [3, 0, 0], ALL),
        (Some(libc::SYS_sched_setaffinity), Some(241), [0, 8, 0], 0),
        (Some(libc::SYS_sched_setaffinity), Some(241), [1, 8, 0], ALL),
        (Some(libc::SYS_sched_setscheduler), Some(156), [1, 0, 0], ALL),
        (Some(libc::SYS_ioctl), Some(54), [0, 0x5413, 0], 0),
        (Some(libc::SYS_ioctl), Some(54), [0, sti, 0], ALL),
        (Some(libc::SYS_ioctl), Some(54), [0, sti | 1 << 32, 0], ALL),
        (Some(libc::SYS_ioctl), Some(54), [0, libc::TIOCLINUX, 0], ALL),
        (Some(libc::SYS_io_uring_setup), Some(425), [1, 0, 0], NO_SUCH_CALL),
        (Some(libc::SYS_bpf), Some(357), [0, 0, 0], ALL),
        (Some(libc::SYS_kill), Some(37), [1, 9, 0], 0),
        (Some(libc::SYS_ptrace), Some(26), [0, 0, 0], 0),
    ] {
        let expected = if error == 0 { ALLOW } else { ERROR | error };
        let program = program(false);
        if let Some(number) = native {
            assert_eq!(run(&program, NATIVE, number as u32, arguments), expected, "{number} {arguments:?}");
        }
        if let Some(number) = i386 {
            assert_eq!(run(&program, I386, number, arguments), expected, "i386 {number} {arguments:?}");
        }
    }
}

#[test]
fn without_internet_its_families_are_refused() {
    for (family, with, without) in
        [(1, ALLOW, ALLOW), (2, ALLOW, ERROR | ALL), (10, ALLOW, ERROR | ALL), (16, ALLOW, ALLOW)]
    {
        for (architecture, number) in [(NATIVE, libc::SYS_socket as u32), (I386, 359)] {
            assert_eq!(run(&program(false), architecture, number, [family, 1, 0]), with, "{family}");
            assert_eq!(run(&program(true), architecture, number, [family, 1, 0]), without, "{family}");
        }
    }
}

#[test]
fn other_interfaces_have_no_calls() {
    for (architecture, number) in
        [(NATIVE, X32), (NATIVE, X32 | 165), (NATIVE, u32::MAX), (0xc000_00b7, 63), (0, 0)]
    {
        assert_eq!(
            run(&program(false), architecture, number, [0; 3]),
            ERROR | NO_SUCH_CALL,
            "{architecture:x} {number:x}"
        );
    }
}

/// The numbers are the kernel's: those of 32-bit programs are nowhere in `libc` on this machine.
#[test]
fn no_number_is_there_twice() {
    for numbers in [
        CALLS.iter().filter_map(|call| call.native.map(|number| number as u32)).collect::<Vec<_>>(),
        CALLS.iter().filter_map(|call| call.i386).collect(),
    ] {
        let mut once = numbers.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), numbers.len());
    }
    assert!(program(false).len() < 4096, "the kernel takes no longer one");
}
