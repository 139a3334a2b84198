//! Rows of shells, their builtins, and programs that run the command in their arguments. An option that is not in a wrapper's
//! row makes its command dynamic, never a guess.

use super::Role::*;
use super::{PROGRAM, Program, Runs, Tail, Wrapper, words};
use crate::Dialect;

const WRAPPER: Wrapper = Wrapper {
    plain: "",
    valued: "",
    long: &[],
    skip: 0,
    assigns: false,
    inert: "",
    looks_up: false,
    tail: Tail::Command,
};

const ENV: Wrapper = Wrapper {
    plain: "i0v",
    valued: "uC",
    assigns: true,
    long: words!("unset= chdir= ignore-environment null debug"),
    ..WRAPPER
};

const TIME: Wrapper = Wrapper {
    plain: "apqv",
    valued: "f",
    long: words!("append portability quiet verbose format="),
    ..WRAPPER
};

/// A builtin that is looked at, or makes names mean something else.
const BUILTIN: Program = Program { runs: Runs::Builtin, ..PROGRAM };
/// A builtin that runs nothing.
const INERT: Program = Program { roles: &[InertBuiltin], ..BUILTIN };
/// A shell with a language or rules of its own.
const FOREIGN: Program = Program { runs: Runs::Shell(None), ..PROGRAM };
/// A program that runs the command in its arguments by rules that are not modelled.
const UNMODELLED: Program = Program { runs: Runs::Unmodelled(0), ..PROGRAM };
/// The same, with one word of its own before the command.
const UNMODELLED_1: Program = Program { runs: Runs::Unmodelled(1), ..PROGRAM };

pub(super) const PROGRAMS: &[Program] = &[
    // ---- shells ----
    // those that the reader is tried against; `ksh` is mksh or pdksh on some systems, which evaluate more than ksh93
    Program { names: words!("bash zsh ksh93"), runs: Runs::Shell(Some(Dialect::Bash)), ..PROGRAM },
    Program { names: words!("sh dash ash"), runs: Runs::Shell(Some(Dialect::Sh)), ..PROGRAM },
    Program { names: words!("fish csh tcsh nu pwsh xonsh"), roles: &[RunsTexts], ..FOREIGN },
    Program {
        names: words!(
            "ksh mksh lksh pdksh oksh loksh skrt mksh-static rbash rksh rksh93 rzsh elvish yash posh rc es hush osh ysh
            brush ion bash5 oil static-sh sash rsh-static jsh hsh zsh5 murex ngs bosh pbosh obosh smoosh mrsh gash toysh
            heirloom-sh schily-sh scsh eshell dgsh nsh imrsh ash-static"
        ),
        ..FOREIGN
    },
    // ---- builtins ----
    Program { names: words!("chdir dirs times bg fg disown logout suspend caller whence"), ..INERT },
    Program { names: words!(": popd umask unalias"), roles: &[InertBuiltin, OnlyReads], ..BUILTIN },
    Program { names: words!("cd pushd type"), roles: &[InertBuiltin, KeepsOperands, OnlyReads], ..BUILTIN },
    Program { names: words!("true false pwd"), roles: &[InertBuiltin, AlsoProgram, OnlyReads], ..BUILTIN },
    Program {
        names: words!("echo which"),
        roles: &[InertBuiltin, AlsoProgram, KeepsOperands, OnlyReads],
        ..BUILTIN
    },
    Program { names: words!("where"), roles: &[InertBuiltin, AlsoProgram], ..BUILTIN },
    Program {
        names: words!("kill"),
        roles: &[InertBuiltin, AlsoProgram],
        synonyms: words!("s=signal l=list"),
        ..BUILTIN
    },
    Program { names: words!("printf"), roles: &[AlsoProgram, KeepsOperands, OnlyReads], ..BUILTIN },
    Program { names: words!("source ."), roles: &[KeepsOperands, OnlyReads], ..BUILTIN },
    Program { names: words!("export local declare"), roles: &[KeepsOperands, OnlyReads, SetsVariables], ..BUILTIN },
    Program { names: words!("set readonly"), roles: &[OnlyReads, SetsVariables], ..BUILTIN },
    Program { names: words!("typeset"), roles: &[SetsVariables], ..BUILTIN },
    Program {
        names: words!("read unset wait exit return break continue shift mapfile readarray jobs ulimit let alias"),
        roles: &[OnlyReads],
        ..BUILTIN
    },
    Program { names: words!("hash"), roles: &[OnlyReads], writing: words!("-p"), ..BUILTIN },
    Program { names: words!("r limit stop poll log cap clone"), roles: &[AlsoProgram], ..BUILTIN },
    Program {
        names: words!(
            "eval trap shopt getopts enable disable fc hist history bind bindkey complete compgen compopt setopt
            unsetopt emulate zmodload autoload functions unfunction nameref compound redirect print zle zstyle
            zformat zparseopts zregexparse vared sched compdef compctl zcompile zsocket ztcp zpty zselect zstat
            zsystem sysopen sysread syswrite syserror rehash unhash unlimit ttyctl alarm enum pushln getln float
            integer private echotc echoti fltexpr newproperty add-zsh-hook add-zle-hook-widget vmstate compinit
            promptinit -"
        ),
        ..BUILTIN
    },
    Program { names: words!("noglob"), runs: Runs::Precommand, ..PROGRAM },
    Program { names: words!("test ["), roles: &[AlsoProgram, KeepsOperands, OnlyReads], runs: Runs::Test, ..PROGRAM },
    Program { names: words!("[["), roles: &[KeepsOperands, OnlyReads], runs: Runs::Test, ..PROGRAM },
    // ---- wrappers ----
    Program {
        names: words!("sudo"),
        runs: Runs::Command(&Wrapper {
            plain: "AbBEHknNPS",
            valued: "CDghpRrTtUu",
            inert: "lvVK",
            assigns: true,
            long: words!(
                "user= group= chdir= prompt= host= close-from= chroot= command-timeout= askpass background bell
                preserve-env? set-home reset-timestamp non-interactive preserve-groups stdin no-update"
            ),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("doas"),
        runs: Runs::Command(&Wrapper { plain: "n", valued: "u", inert: "L", ..WRAPPER }),
        ..PROGRAM
    },
    Program { names: words!("env"), roles: &[OnlyReads, SetsVariables], runs: Runs::Command(&ENV), ..PROGRAM },
    Program { names: words!("genv"), runs: Runs::Command(&ENV), ..PROGRAM },
    Program {
        names: words!("command"),
        roles: &[KeepsOperands, OnlyReads],
        runs: Runs::Command(&Wrapper { plain: "p", inert: "vV", looks_up: true, ..WRAPPER }),
        ..PROGRAM
    },
    Program {
        names: words!("builtin"),
        runs: Runs::Command(&Wrapper { tail: Tail::Builtin, ..WRAPPER }),
        ..PROGRAM
    },
    Program {
        names: words!("exec"),
        runs: Runs::Command(&Wrapper { plain: "cl", valued: "a", ..WRAPPER }),
        ..PROGRAM
    },
    Program { names: words!("nohup busybox toybox"), runs: Runs::Command(&WRAPPER), ..PROGRAM },
    Program {
        names: words!("setsid"),
        runs: Runs::Command(&Wrapper { plain: "cfw", long: words!("ctty fork wait"), ..WRAPPER }),
        ..PROGRAM
    },
    Program {
        names: words!("nice"),
        roles: &[AlsoProgram],
        runs: Runs::Command(&Wrapper {
            plain: "0123456789",
            valued: "n",
            long: words!("adjustment="),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("ionice"),
        roles: &[ChangesProcess],
        runs: Runs::Command(&Wrapper {
            plain: "t",
            valued: "cn",
            inert: "pPu",
            looks_up: true,
            long: words!("class= classdata= ignore"),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("taskset"),
        roles: &[ChangesProcess],
        runs: Runs::Command(&Wrapper {
            plain: "ac",
            inert: "p",
            looks_up: true,
            skip: 1,
            long: words!("all-tasks cpu-list"),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("timeout gtimeout"),
        runs: Runs::Command(&Wrapper {
            plain: "fv",
            valued: "ks",
            skip: 1,
            long: words!("kill-after= signal= foreground preserve-status verbose"),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("stdbuf"),
        runs: Runs::Command(&Wrapper { valued: "ioe", long: words!("input= output= error="), ..WRAPPER }),
        ..PROGRAM
    },
    Program { names: words!("time"), roles: &[AlsoProgram], runs: Runs::Command(&TIME), ..PROGRAM },
    Program { names: words!("gtime"), runs: Runs::Command(&TIME), ..PROGRAM },
    Program {
        names: words!("chroot"),
        roles: &[Mounts],
        runs: Runs::Command(&Wrapper {
            skip: 1,
            long: words!("groups= userspec= skip-chdir"),
            tail: Tail::Shell,
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("caffeinate"),
        runs: Runs::Command(&Wrapper { plain: "disum", valued: "tw", ..WRAPPER }),
        ..PROGRAM
    },
    Program {
        names: words!("watch"),
        runs: Runs::Command(&Wrapper {
            plain: "bcdegptw",
            valued: "n",
            tail: Tail::Text,
            long: words!("beep color no-color errexit chgexit interval= precise no-title differences"),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("ssh"),
        runs: Runs::Command(&Wrapper {
            plain: "46AaCfGgKkMNnqsTtVvXxYy",
            valued: "BbcDeIiJLlmOopQRSWw",
            skip: 1,
            tail: Tail::Text,
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("xargs gxargs"),
        runs: Runs::Command(&Wrapper {
            plain: "0rtpxo",
            valued: "adEILnPs",
            tail: Tail::Xargs,
            long: words!(
                "null arg-file= delimiter= replace? max-lines? eof? max-args= max-procs= interactive
                no-run-if-empty max-chars= verbose exit open-tty"
            ),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program {
        names: words!("valgrind"),
        runs: Runs::Command(&Wrapper {
            plain: "qv",
            long: words!(
                "quiet verbose leak-check= show-leak-kinds= track-origins= error-exitcode= suppressions=
                num-callers= gen-suppressions= trace-children= xml= show-reachable= show-possibly-lost=
                undef-value-errors= read-var-info= errors-for-leak-kinds= max-stackframe= child-silent-after-fork=
                fair-sched= leak-resolution= track-fds="
            ),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program { names: words!("snaphook"), runs: Runs::Command(&Wrapper { skip: 1, ..WRAPPER }), ..PROGRAM },
    // ---- wrappers by rules that are not modelled ----
    Program { names: words!("su"), runs: Runs::Unmodelled(usize::MAX), ..PROGRAM },
    Program {
        names: words!("runuser machinectl run-parts start-stop-daemon"),
        runs: Runs::Unmodelled(usize::MAX),
        ..PROGRAM
    },
    Program { names: words!("newgrp"), roles: &[AlsoProgram], ..UNMODELLED },
    Program { names: words!("unshare"), roles: &[Mounts], ..UNMODELLED },
    Program { names: words!("gdb gdbtui"), roles: &[RunsTexts, ChangesProcess], ..UNMODELLED },
    Program { names: words!("lldb"), roles: &[ChangesProcess], ..UNMODELLED },
    Program { names: words!("expect batch"), roles: &[RunsTexts], ..UNMODELLED },
    Program { names: words!("at socat powershell osascript"), roles: &[RunsTexts], ..UNMODELLED },
    Program {
        // without `-o`, which writes a file or starts a program, and `-E`, which sets a variable
        names: words!("strace"),
        roles: &[ChangesProcess],
        runs: Runs::Command(&Wrapper {
            plain: "cCdfFhiknqrtTvVwxyYzZ",
            valued: "abeIOpPsSuUX",
            long: words!("follow-forks summary-only summary trace= attach= string-limit= tips"),
            ..WRAPPER
        }),
        ..PROGRAM
    },
    Program { names: words!("ltrace prlimit cpulimit reptyr"), roles: &[ChangesProcess], ..UNMODELLED },
    Program { names: words!("chrt"), roles: &[ChangesProcess], ..UNMODELLED_1 },
    Program {
        names: words!("nsenter systemd-nspawn bwrap firejail proot fakechroot"),
        roles: &[Mounts],
        ..UNMODELLED
    },
    Program {
        names: words!(
            "gosu su-exec chpst setuidgid envuidgid envdir sg flock script scriptlive setarch rsh rlogin mosh pdsh
            setlock s6-setuidgid runcon faketime gdbserver dtach abduco repeat"
        ),
        ..UNMODELLED_1
    },
    Program {
        names: words!(
            "pkexec run0 softlimit parallel sem linux32 linux64 i386 x86_64 uname26 choom daemonize daemon
            systemd-run systemd-inhibit systemd-cat fakeroot setpriv capsh dbus-run-session dbus-launch xvfb-run
            unbuffer torsocks torify proxychains proxychains4 tsocks catchsegv numactl rlwrap sshpass entr watchexec
            hyperfine eatmydata cgexec ssh-agent nodemon pssh clush lxc-attach lxc-execute chronic ifne pee vipe
            zrun tini dumb-init catatonit aa-exec vlock libtool busctl heaptrack bpftrace trickle nq task-spooler
            tsp ncat cmd wsl xterm gnome-terminal foot kitty alacritty nocorrect coproc zargs zmv ld.so doexec"
        ),
        ..UNMODELLED
    },
];
