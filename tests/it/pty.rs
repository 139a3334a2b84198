//! The command at a terminal: a pseudo-terminal, keys that are pressed once the program reads keys, and all that was shown.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, tcgetattr};

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

/// The state when the process has ended.
pub struct Ended {
    /// Its exit code; nothing where a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// All that was shown, without carriage returns.
    pub shown: String,
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
    /// Starts a command with all three streams at the terminal.
    pub fn start(mut command: Command) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let side = File::from(rustix::fs::open(name.as_c_str(), flags, Mode::empty()).unwrap());
        let stream = || Stdio::from(side.try_clone().unwrap());
        let before = tcgetattr(&side).unwrap();
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

    /// Waits for the end of the process.
    pub fn end(mut self) -> Ended {
        let status = self.child.wait().unwrap();
        let (before, after) = (&self.before, tcgetattr(&self.side).unwrap());
        let settings_are_as_before = (before.local_modes, before.input_modes, before.output_modes)
            == (after.local_modes, after.input_modes, after.output_modes);
        drop(self.side);
        self.reader.join().unwrap();
        let shown = String::from_utf8_lossy(&self.shown.0.lock().unwrap()).replace('\r', "");
        Ended { code: status.code(), signal: status.signal(), shown, settings_are_as_before }
    }
}
