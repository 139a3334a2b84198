//! The command at a terminal: a pseudo-terminal, keys that are pressed once the program reads keys, and all that was shown.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

/// The time that anything may take on a busy machine. A test that waits for so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process at a terminal of its own.
pub struct Terminal {
    child: Child,
    /// The person's side.
    person: File,
    /// The process's side, which stays open so that its settings can be looked at.
    side: File,
    before: Termios,
    shown: Arc<(Mutex<Vec<u8>>, Condvar)>,
    reader: JoinHandle<()>,
    /// The amount that was shown and waited for already.
    read: usize,
}

/// The input that a process takes from its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Lines, which the system lets the person edit.
    Lines,
    /// Keys that are kept for later; Ctrl-C is a signal.
    Ahead,
    /// Single keys, Ctrl-C among them.
    Keys,
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

/// The state when the process has ended.
pub struct Ended {
    /// Its exit code; nothing where a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// All that was shown, without carriage returns.
    pub shown: String,
    /// The same, as it was written.
    pub bytes: Vec<u8>,
    /// True if keys are read by the line, shown, and make signals, as before.
    pub settings_are_as_before: bool,
}

impl Ended {
    /// Returns whether the cursor can be seen.
    pub fn shows_cursor(&self) -> bool {
        self.shown.rfind("\u{1b}[?25l") <= self.shown.rfind("\u{1b}[?25h")
    }
}

impl Terminal {
    /// Starts a command with all three streams at the terminal, whose size is not set.
    pub fn start(command: Command) -> Self {
        Terminal::sized(command, 0, 0)
    }

    /// Starts a command with all three streams at a terminal of this size.
    pub fn sized(mut command: Command, rows: u16, columns: u16) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let side = File::from(rustix::fs::open(name.as_c_str(), flags, Mode::empty()).unwrap());
        let stream = || Stdio::from(side.try_clone().unwrap());
        let before = tcgetattr(&side).unwrap();
        tcsetwinsize(&side, size(rows, columns)).unwrap();
        command.env("TERM", "xterm").env("NO_COLOR", "1");
        let child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        // Its copies of the streams would keep the terminal open.
        drop(command);
        let person = File::from(person);
        let shown: Arc<(Mutex<Vec<u8>>, Condvar)> = Arc::default();
        let (into, mut from) = (Arc::clone(&shown), person.try_clone().unwrap());
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // On Linux an error says that the other side is closed.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                into.0.lock().unwrap().extend_from_slice(&bytes[..count]);
                into.1.notify_all();
            }
        });
        Terminal { child, person, side, before, shown, reader, read: 0 }
    }

    /// Waits until this is shown, after what was waited for before.
    pub fn until(&mut self, text: &str) {
        let (shown, more) = &*self.shown;
        let began = Instant::now();
        let mut bytes = shown.lock().unwrap();
        loop {
            let fresh = bytes[self.read..].windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(at) = fresh {
                self.read += at + text.len();
                return;
            }
            let all = String::from_utf8_lossy(&bytes).into_owned();
            assert!(began.elapsed() < PATIENCE, "{text:?} was not shown: {all:?}");
            bytes = more.wait_timeout(bytes, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// Presses keys when the process reads single ones: earlier ones would be taken by the terminal itself.
    pub fn press(&mut self, keys: &str) {
        let began = Instant::now();
        while tcgetattr(&self.side).unwrap().local_modes.contains(LocalModes::ICANON) {
            assert!(began.elapsed() < PATIENCE, "no keys are read");
            std::thread::yield_now();
        }
        self.person.write_all(keys.as_bytes()).unwrap();
    }

    /// Types at once, also what is read later, or by the line.
    pub fn write(&mut self, keys: &str) {
        self.person.write_all(keys.as_bytes()).unwrap();
    }

    /// Presses Ctrl-C as a terminal whose keys make signals has it: its foreground is not the process's here.
    pub fn interrupt(&self) {
        let id = Pid::from_child(&self.child);
        kill_process(id, Signal::INT).unwrap();
    }

    /// Asks the process to end.
    pub fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Waits until the process has read all that was typed.
    pub fn taken(&self) {
        let began = Instant::now();
        while rustix::io::ioctl_fionread(&self.side).unwrap() > 0 {
            assert!(began.elapsed() < PATIENCE, "what was typed is not read");
            std::thread::yield_now();
        }
    }

    /// Gives the terminal another size, as a window that is dragged.
    pub fn resize(&self, rows: u16, columns: u16) {
        tcsetwinsize(&self.side, size(rows, columns)).unwrap();
        kill_process(Pid::from_child(&self.child), Signal::WINCH).unwrap();
    }

    /// Waits until keys are read singly, or by the line.
    pub fn reads(&self, reads: Reads) {
        let began = Instant::now();
        loop {
            let modes = tcgetattr(&self.side).unwrap().local_modes;
            let is = match (modes.contains(LocalModes::ICANON), modes.contains(LocalModes::ISIG)) {
                (true, _) => Reads::Lines,
                (false, true) => Reads::Ahead,
                (false, false) => Reads::Keys,
            };
            if is == reads {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{reads:?} is not what is read, but {is:?}");
            std::thread::yield_now();
        }
    }

    /// Waits for the end of the process.
    pub fn end(mut self) -> Ended {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if began.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end: {}", String::from_utf8_lossy(&self.shown.0.lock().unwrap()));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let (before, after) = (&self.before, tcgetattr(&self.side).unwrap());
        let settings_are_as_before = (before.local_modes, before.input_modes, before.output_modes)
            == (after.local_modes, after.input_modes, after.output_modes);
        drop(self.side);
        self.reader.join().unwrap();
        let bytes = self.shown.0.lock().unwrap().clone();
        let shown = String::from_utf8_lossy(&bytes).replace('\r', "");
        Ended { code: status.code(), signal: status.signal(), shown, bytes, settings_are_as_before }
    }
}
