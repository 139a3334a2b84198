//! The terminal's settings: as they were, for a turn that runs (keys are neither shown nor held back), for a dialog (a line, shown).
//! Whatever ends the session, also a panic, puts them back. Not here: reading and writing.

use parking_lot::Mutex;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use crate::print;

/// Switches off bracketed paste and shows the cursor: the line editor may have left them otherwise.
const RESET: &str = "\x1b[?2004l\x1b[?25h";

/// The settings as they were, while a session changes them.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// A use of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The agent works: keys are kept, and Ctrl-C is a signal.
    Working,
    /// A line is asked for, which the system's own line editing takes.
    Dialog,
    /// As it was.
    AsBefore,
}

/// The settings of standard input, until [`put_back`].
#[derive(Debug)]
pub(super) struct Modes {
    before: Termios,
}

impl Modes {
    /// Takes the settings over. `None` where standard input has none.
    pub(super) fn take_over() -> Option<Self> {
        let before = tcgetattr(rustix::stdio::stdin()).ok()?;
        *BEFORE.lock() = Some(before.clone());
        let inner = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A panic in a hook's worker is caught, and the session goes on: only the text must be seen as it is.
            put_back();
            inner(panic);
        }));
        Some(Modes { before })
    }

    /// Sets what the terminal is used for. A terminal that is gone is no failure here: reading from it is.
    pub(super) fn set(&self, mode: Mode) {
        let mut settings = self.before.clone();
        match mode {
            Mode::AsBefore => {}
            Mode::Working => {
                settings.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHONL;
                settings.local_modes |= LocalModes::ISIG;
                settings.special_codes[SpecialCodeIndex::VMIN] = 1;
                settings.special_codes[SpecialCodeIndex::VTIME] = 0;
            }
            Mode::Dialog => {
                settings.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
                settings.input_modes |= InputModes::ICRNL;
            }
        }
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &settings);
    }
}

/// Puts the settings back as they were, where a session changed them.
pub(super) fn put_back() {
    // Not waited for: a panic may come while another thread has it.
    if let Some(Some(before)) = BEFORE.try_lock().as_deref() {
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        print::stdout(RESET);
    }
}
