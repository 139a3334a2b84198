//! A held command behaves as the same command unheld: one table, run both ways. Not here: what it may not do.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::bed::{Bed, User};

/// The command both ways.
fn both(bed: &Bed, words: &[&str]) -> [Command; 2] {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let policy = bed.policy("guarded");
    [bed.command(None, &words), bed.command(Some(&policy), &words)]
}

fn end(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (code, signal) = (output.status.code(), output.status.signal());
    format!("{code:?} {signal:?} {} {}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn scripts_end_alike() {
    for user in User::all() {
        let bed = Bed::new(user);
        for script in [
            "kill -TERM $$",
            "kill -KILL $$",
            "kill -SEGV $$",
            "kill -INT $$",
            "trap 'echo got' USR1; kill -USR1 $$; exit 4",
            "echo out; echo err >&2",
            "pwd; pwd -P",
            "id -u; id -g",
            "umask",
            "ulimit -a",
            "env | sort | grep -v '^_='",
            "echo $0 \"$@\"",
            "cat /proc/self/status | grep -E '^Sig(Blk|Ign|Cgt)'",
            "sh -c 'exit 3'; echo $?",
            "(exit 7) & wait $!; echo $?",
            "yes | head -1",
            "nice",
            "test -t 0; echo $?",
            "cat; echo $?",
            "readlink /proc/self/cwd",
            "awk '{ print $6 == $1 }' /proc/self/stat",
            "exec 0<&-; cat; echo $?",
            "command -v ls; type cat",
            "date +%Z; hostname",
            "mkdir d && touch d/f && mv d e && rm -r e && echo ok",
            "/usr/bin/python3 -c 'import os; print(os.cpu_count(), os.sched_getaffinity(0))'",
            "perl -e 'print join \",\", sort keys %SIG' | cksum",
            "node -e 'console.log(process.argv.length, process.version)'",
        ] {
            let [unheld, held] = both(&bed, &["bash", "-c", script, "name", "a b", ""]);
            assert_eq!(end(unheld), end(held), "{user:?}: {script}");
        }
    }
}

#[test]
fn every_exit_code() {
    let bed = Bed::new(*User::all().last().unwrap());
    for code in 0..=255 {
        let [_, mut held] = both(&bed, &["sh", "-c", &format!("exit {code}")]);
        assert_eq!(held.status().unwrap().code(), Some(code));
    }
}

#[test]
fn every_signal_that_ends_a_process() {
    let bed = Bed::new(*User::all().last().unwrap());
    for signal in (1..=31).filter(|signal| ![17, 18, 19, 20, 21, 22, 23, 28].contains(signal)) {
        let [_, mut held] = both(
            &bed,
            &[
                "/usr/bin/python3",
                "-c",
                &format!(
                    "import os, resource, signal\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n\
             if {signal} not in (9,): signal.signal({signal}, signal.SIG_DFL)\nos.kill(os.getpid(), {signal})"
                ),
            ],
        );
        assert_eq!(held.status().unwrap().signal(), Some(signal));
    }
}

#[test]
fn the_process_is_the_one_that_was_started() {
    for user in User::all() {
        let bed = Bed::new(user);
        for mut command in both(&bed, &["sh", "-c", "echo $$ $PPID; cat /proc/$$/stat"]) {
            let child = command.stdout(Stdio::piped()).process_group(0).spawn().unwrap();
            let id = child.id().to_string();
            let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            let stat: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
            let own = std::process::id().to_string();
            assert_eq!(text.lines().next().unwrap(), format!("{id} {own}"));
            assert_eq!((stat[1], stat[2]), (&*own, &*id), "parent and group");
        }
    }
}

#[test]
fn odd_words_arrive_whole() {
    let bed = Bed::new(*User::all().last().unwrap());
    let odd = std::ffi::OsString::from_vec(b"\xff\x01 \n\t'\"\\$\xc3\xa4*".to_vec());
    let [mut unheld, mut held] = both(&bed, &["printf", "%s|%s", ""]);
    for command in [&mut unheld, &mut held] {
        command.arg(&odd).env("ODD", &odd);
    }
    let (unheld, held) = (unheld.output().unwrap().stdout, held.output().unwrap().stdout);
    assert_eq!(unheld, held);
    assert!(held.ends_with(b"\\$\xc3\xa4*"));
    let [_, mut held] = both(&bed, &["printenv", "ODD"]);
    let out = held.env("ODD", &odd).output().unwrap().stdout;
    assert_eq!(out[..out.len() - 1], odd.into_vec());
}

#[test]
fn a_hundred_megabytes_through_the_pipes() {
    const SIZE: usize = 100 << 20;
    let bed = Bed::new(*User::all().last().unwrap());
    let [_, mut held] = both(&bed, &["cat"]);
    let mut child = held.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let block: Vec<u8> = (0..1 << 20).map(|at: u32| (at % 251) as u8).collect();
        (0..SIZE >> 20).for_each(|_| to.write_all(&block).unwrap());
    });
    let mut all = Vec::with_capacity(SIZE);
    child.stdout.take().unwrap().read_to_end(&mut all).unwrap();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success() && all.len() == SIZE);
    assert!(
        all.chunks(1 << 20).all(|block| block.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8))
    );
}

/// A stream that is closed stays closed: Rust's runtime opens it before `main`.
#[test]
fn closed_streams_stay_closed() {
    for user in User::all() {
        let bed = Bed::new(user);
        let held = crate::bed::Programs::get().held().display().to_string();
        let policy = bed.policy("guarded").to_string();
        for closed in ["0<&-", "1>&-", "2>&-", "0<&- 2>&-"] {
            let list = "for f in 0 1 2; do [ -e /proc/$$/fd/$f ] && echo $f; done > $P/list";
            let run = |before: &str| {
                let script = format!("exec {closed}; {before} sh -c '{list}'");
                bed.run(None, &["bash", "-c", &script].map(str::to_owned));
                fs::read_to_string(bed.path("h/project/list")).unwrap()
            };
            let (unheld, is_held) = (run(""), run(&format!("{held} '{policy}'")));
            assert_eq!(unheld, is_held, "{closed}");
        }
        // A pipe whose reader is gone ends the writer.
        let script = format!(
            "{held} '{policy}' yes | head -1; echo ${{PIPESTATUS[0]}}; trap '' PIPE; {held} '{policy}' sh -c 'trap' "
        );
        let output = bed.run(None, &["bash", "-c", &script].map(str::to_owned));
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("y\n141\n"), "{output:?}");
    }
}

// ---- terminals ----

/// A terminal with a shell in it, as a session of its own.
struct Terminal {
    master: fs::File,
    child: Child,
    seen: String,
}

impl Terminal {
    fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = std::path::PathBuf::from(name.into_string().unwrap());
        std::os::unix::fs::chown(&path, Some(65534), None).ok();
        let slave = || {
            // Or the test's own process could become its owner.
            let flags = OFlags::NOCTTY.bits().cast_signed();
            fs::File::options().read(true).write(true).custom_flags(flags).open(&path).unwrap()
        };
        command.stdin(slave()).stdout(slave()).stderr(slave());
        let child = command.spawn().unwrap();
        drop(command);
        Terminal { master: fs::File::from(master), child, seen: String::new() }
    }

    fn expect(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let mut bytes = [0; 4096];
            let length = self.master.read(&mut bytes).unwrap_or(0);
            assert!(length > 0, "{text:?} did not come: {}", self.seen);
            self.seen += &String::from_utf8_lossy(&bytes[..length]);
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..end);
    }

    /// Waits until the terminal hands on lines.
    fn reads_lines(&self) {
        let is_shells = || {
            let modes = rustix::termios::tcgetattr(&self.master).unwrap().local_modes;
            !modes.contains(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO)
        };
        while is_shells() {
            std::thread::yield_now();
        }
    }

    fn send(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).unwrap();
    }
}

#[test]
fn terminals_work_alike() {
    let user = *User::all().last().unwrap();
    let bed = Bed::new(user);
    let policy = bed.policy("guarded");
    let held = format!("{} '{policy}'", crate::bed::Programs::get().held().display());
    for before in ["", held.as_str()] {
        // `setsid -c` gives the session its terminal.
        // What starts the tests may ignore Ctrl-C, which the shell could not change.
        let words = ["setsid", "-c", "env", "--default-signal", "bash", "--norc", "-i"].map(str::to_owned);
        let mut command = bed.command(None, &words);
        command.env("PS1", "ready> ").env("BEFORE", before);
        let mut terminal = Terminal::start(command);
        terminal.expect("ready> ");
        terminal.send("stty rows 33 cols 77; set +H\n");
        // A foreground command that Ctrl-C ends, with the terminal's own size and name.
        terminal.send(&format!(
            "{before} sh -c 'stty size; test -t 0 && echo is-\"\"tty; echo started; exec sleep 1000'\n"
        ));
        terminal.expect("33 77");
        terminal.expect("is-tty");
        terminal.expect("started");
        terminal.send("\x03");
        terminal.expect("ready> ");
        terminal.send("echo code-$?\n");
        terminal.expect("code-130");
        // Stopped, continued, ended.
        terminal.send(&format!("{before} sh -c 'echo again; exec cat'\n"));
        terminal.expect("again\r\n");
        terminal.send("\x1a");
        terminal.expect("Stopped");
        terminal.expect("ready> ");
        terminal.send("fg\n");
        terminal.expect("cat");
        // The shell reads keys itself until it has given the terminal away.
        terminal.reads_lines();
        terminal.send("through\n");
        terminal.expect("through\r\nthrough\r\n");
        terminal.send("\x04");
        terminal.expect("ready> ");
        terminal.send("echo code-$?\n");
        terminal.expect("code-0");
        // A window that changes its size tells the foreground process.
        terminal.send(&format!("{before} bash -c 'trap \"stty size; exit 9\" WINCH; echo wait\"\"ing; while :; do read -t 1; done'\n"));
        terminal.expect("waiting");
        let size = rustix::termios::Winsize { ws_row: 22, ws_col: 99, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&terminal.master, size).unwrap();
        terminal.expect("22 99");
        // No key is typed into the terminal from inside.
        if !before.is_empty() {
            let attack = crate::bed::Programs::get().attack();
            terminal.send(&format!("{before} {} tiocsti\n", attack.display()));
            terminal.expect("tiocsti: Operation not permitted");
        }
        terminal.send("exit\n");
        terminal.child.wait().unwrap();
    }
}
