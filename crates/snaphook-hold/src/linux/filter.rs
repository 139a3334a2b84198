//! The filter of system calls, as a table. It refuses what neither mounts nor Landlock hold: namespaces and mounts, other
//! processes' priorities and limits, keys typed into the terminal, and kernel interfaces that have had most holes.
//!
//! By hand rather than by `seccompiler`, which kills 32-bit programs and takes a quarter of a millisecond to compile. Not here:
//! signals and memory of other processes, which Landlock holds.

use crate::ffi::Instruction;

/// The errors that refused calls give.
const NOT_PERMITTED: u32 = libc::EPERM as u32;
/// As on a kernel that lacks the call: programs go on without it.
const NO_SUCH_CALL: u32 = libc::ENOSYS as u32;
const NO_SUCH_FAMILY: u32 = libc::EAFNOSUPPORT as u32;

const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32
    | NEW_TIME;
const NEW_TIME: u32 = 0x80;

/// The thing that is looked at in a call.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// Refused, whatever its arguments.
    Never(u32),
    /// Refused if it makes a namespace: these bits of its first argument.
    Namespaces(u32),
    /// Allowed for the calling process only: the first argument is 0.
    Own,
    /// Of limits: setting those of another process. The first argument names it, the third is what is set.
    Limits,
    /// Of priorities: allowed for one process (this number is the kind), the caller.
    Priority(u32),
    /// Refused for two requests that put characters into a terminal.
    Terminal,
    /// Allowed for some families.
    Socket,
    /// Of 32-bit programs: all calls about sockets are one, whose arguments cannot be seen.
    SocketCall,
}

/// A call with its numbers: this machine's and that of 32-bit programs on x86.
struct Call {
    native: Option<libc::c_long>,
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "other machines run no such programs here")
    )]
    i386: Option<u32>,
    rule: Rule,
}

const fn call(native: libc::c_long, i386: u32, rule: Rule) -> Call {
    Call { native: Some(native), i386: Some(i386), rule }
}

const fn only_i386(i386: u32, rule: Rule) -> Call {
    Call { native: None, i386: Some(i386), rule }
}

const fn only_native(native: libc::c_long, rule: Rule) -> Call {
    Call { native: Some(native), i386: None, rule }
}

/// `open_tree_attr`, of Linux 6.15.
const OPEN_TREE_ATTR: libc::c_long = 467;

#[rustfmt::skip]
const CALLS: &[Call] = &[
    call(libc::SYS_ioctl, 54, Rule::Terminal),
    call(libc::SYS_clone, 120, Rule::Namespaces(NEW_NAMESPACES & !NEW_TIME)),
    call(libc::SYS_clone3, 435, Rule::Never(NO_SUCH_CALL)),
    call(libc::SYS_unshare, 310, Rule::Namespaces(NEW_NAMESPACES)),
    call(libc::SYS_setns, 346, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_socket, 359, Rule::Socket),
    only_i386(102, Rule::SocketCall),
    call(libc::SYS_prlimit64, 340, Rule::Limits),
    call(libc::SYS_setpriority, 97, Rule::Priority(0)),
    call(libc::SYS_ioprio_set, 289, Rule::Priority(1)),
    call(libc::SYS_sched_setscheduler, 156, Rule::Own),
    call(libc::SYS_sched_setparam, 154, Rule::Own),
    call(libc::SYS_sched_setattr, 351, Rule::Own),
    call(libc::SYS_sched_setaffinity, 241, Rule::Own),
    call(libc::SYS_mount, 21, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_umount2, 52, Rule::Never(NOT_PERMITTED)),
    only_i386(22, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_pivot_root, 217, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_chroot, 61, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_open_tree, 428, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_move_mount, 429, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_fsopen, 430, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_fsconfig, 431, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_fsmount, 432, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_fspick, 433, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_mount_setattr, 442, Rule::Never(NOT_PERMITTED)),
    call(OPEN_TREE_ATTR, 467, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_io_uring_setup, 425, Rule::Never(NO_SUCH_CALL)),
    call(libc::SYS_io_uring_enter, 426, Rule::Never(NO_SUCH_CALL)),
    call(libc::SYS_io_uring_register, 427, Rule::Never(NO_SUCH_CALL)),
    call(libc::SYS_bpf, 357, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_perf_event_open, 336, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_userfaultfd, 374, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_keyctl, 288, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_add_key, 286, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_request_key, 287, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_open_by_handle_at, 342, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_init_module, 128, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_finit_module, 350, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_delete_module, 129, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_kexec_load, 283, Rule::Never(NOT_PERMITTED)),
    only_native(libc::SYS_kexec_file_load, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_reboot, 88, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_swapon, 87, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_swapoff, 115, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_acct, 51, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_quotactl, 131, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_settimeofday, 79, Rule::Never(NOT_PERMITTED)),
    call(libc::SYS_clock_settime, 264, Rule::Never(NOT_PERMITTED)),
    only_i386(404, Rule::Never(NOT_PERMITTED)),
    only_i386(25, Rule::Never(NOT_PERMITTED)),
];

/// The families of sockets that a command may have: files, the internet, and questions about the network.
const FAMILIES: [u32; 2] = [libc::AF_INET as u32, libc::AF_INET6 as u32];
const UNIX: u32 = libc::AF_UNIX as u32;
const NETLINK: u32 = libc::AF_NETLINK as u32;
/// Routes and addresses, and sockets.
const NETLINK_PROTOCOLS: [u32; 2] = [libc::NETLINK_ROUTE as u32, 4];

/// The places of what a filter sees.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const NATIVE: u32 = 0xc000_00f3;
#[cfg(target_arch = "x86_64")]
const I386: u32 = 0x4000_0003;
/// Calls of the x32 interface have this bit.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
const ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;

const fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, jt: 0, jf: 0, k: offset }
}

/// The lower half of an argument. Numbers in a higher half are no part of an `int`, which all of these are.
const fn argument(index: u32) -> Instruction {
    load(ARGUMENTS + 8 * index + if cfg!(target_endian = "big") { 4 } else { 0 })
}

const fn upper(index: u32) -> Instruction {
    load(ARGUMENTS + 8 * index + if cfg!(target_endian = "big") { 0 } else { 4 })
}

/// Skips `yes` instructions if the loaded number is this, else `no`.
const fn equal(number: u32, yes: u8, no: u8) -> Instruction {
    Instruction { code: EQUAL, jt: yes, jf: no, k: number }
}

const fn any_bit(bits: u32, yes: u8, no: u8) -> Instruction {
    Instruction { code: ANY_BIT, jt: yes, jf: no, k: bits }
}

const fn end(action: u32) -> Instruction {
    Instruction { code: RETURN, jt: 0, jf: 0, k: action }
}

/// The instructions that decide about one call. Each ends every way.
fn body(rule: Rule, without_internet: bool) -> Vec<Instruction> {
    let refuse = end(ERROR | NOT_PERMITTED);
    let allow = end(ALLOW);
    match rule {
        Rule::Never(error) => vec![end(ERROR | error)],
        Rule::Namespaces(bits) => vec![argument(0), any_bit(bits, 0, 1), refuse, allow],
        Rule::Own => vec![argument(0), equal(0, 0, 1), allow, refuse],
        Rule::Limits => vec![
            argument(0),
            equal(0, 4, 0),
            argument(2),
            equal(0, 0, 3),
            upper(2),
            equal(0, 0, 1),
            allow,
            refuse,
        ],
        Rule::Priority(kind) => {
            vec![argument(0), equal(kind, 0, 3), argument(1), equal(0, 0, 1), allow, refuse]
        }
        Rule::Terminal => vec![
            argument(1),
            equal(libc::TIOCSTI as u32, 2, 0),
            equal(libc::TIOCLINUX as u32, 1, 0),
            allow,
            refuse,
        ],
        Rule::Socket => {
            let internet = if without_internet { refuse } else { allow };
            vec![
                argument(0),
                equal(UNIX, 7, 0),
                equal(FAMILIES[0], 7, 0),
                equal(FAMILIES[1], 6, 0),
                equal(NETLINK, 0, 6),
                argument(2),
                equal(NETLINK_PROTOCOLS[0], 2, 0),
                equal(NETLINK_PROTOCOLS[1], 1, 0),
                end(ERROR | NO_SUCH_FAMILY),
                allow,
                internet,
                end(ERROR | NO_SUCH_FAMILY),
            ]
        }
        Rule::SocketCall => vec![argument(0), equal(1, 0, 1), end(ERROR | NO_SUCH_CALL), allow],
    }
}

fn section(without_internet: bool, number: impl Fn(&Call) -> Option<u32>) -> Vec<Instruction> {
    let mut section = Vec::new();
    for call in CALLS {
        let Some(number) = number(call) else { continue };
        let body = body(call.rule, without_internet);
        section.push(equal(number, 0, u8::try_from(body.len()).unwrap_or(u8::MAX)));
        section.extend(body);
    }
    section.push(end(ALLOW));
    section
}

/// The program of the filter. `without_internet` refuses sockets of the internet, too.
#[cfg(target_arch = "x86_64")]
pub(crate) fn program(without_internet: bool) -> Vec<Instruction> {
    let native = section(without_internet, |call| u32::try_from(call.native?).ok());
    let old = section(without_internet, |call| call.i386);
    let mut program = vec![load(ARCHITECTURE), equal(NATIVE, 3, 0), equal(I386, 0, 1)];
    // To the part of 32-bit programs, behind the native one and the two checks before it.
    program.push(jump(native.len() + 4));
    program.push(end(ERROR | NO_SUCH_CALL));
    program.extend([load(NUMBER), any_bit(X32, 0, 1), end(ERROR | NO_SUCH_CALL)]);
    program.extend(native);
    program.push(load(NUMBER));
    program.extend(old);
    program
}

/// A jump that is longer than a comparison's.
#[cfg(target_arch = "x86_64")]
fn jump(length: usize) -> Instruction {
    const JUMP: u16 = 0x05;
    Instruction { code: JUMP, jt: 0, jf: 0, k: u32::try_from(length).unwrap_or(u32::MAX) }
}

/// The program of the filter. Programs of another architecture cannot make any call.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn program(without_internet: bool) -> Vec<Instruction> {
    let native = section(without_internet, |call| u32::try_from(call.native?).ok());
    let mut program = vec![load(ARCHITECTURE), equal(NATIVE, 1, 0), end(ERROR | NO_SUCH_CALL), load(NUMBER)];
    program.extend(native);
    program
}

#[cfg(all(test, target_arch = "x86_64"))]
#[path = "filter_tests.rs"]
mod tests;
