//! `snaphook run` at a terminal without a prompt: a session with a person, line by line. What is shown goes into the terminal's own
//! scrollback and is never painted over. Not here: the session (`snaphook-agent`), and how one is begun (`super::model`).

mod ahead;
mod commands;
mod complete;
mod dialogs;
mod history;
mod modes;
mod owner;
mod person;
mod shown;
mod ui;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{CancellationToken, Host, UiContext};

use self::complete::Completion;
use self::history::History;
use self::owner::{Terminal, Ways};
pub(super) use self::person::{Controls, Person};
use self::shown::Results;
pub(super) use self::shown::Shown;
use self::ui::AtTerminal;
use crate::exit::Failure;
use crate::print::Paint;

/// The files of the hooks in force, for the dialog that shows one.
#[derive(Debug, Clone, Default)]
pub(super) struct HookFiles(Arc<Mutex<Vec<(String, PathBuf)>>>);

impl HookFiles {
    fn set(&self, host: &Host) {
        let files = host.hooks().into_iter().filter_map(|hook| Some((hook.hook.id.to_string(), hook.path?)));
        *self.0.lock() = files.collect();
    }

    fn get(&self, id: &str) -> Option<PathBuf> {
        self.0.lock().iter().find(|(known, _)| known == id).map(|(_, file)| file.clone())
    }
}

/// The work that Ctrl-C ends.
#[derive(Debug, Default)]
struct Running {
    work: Option<CancellationToken>,
    presses: u32,
}

/// The effect of Ctrl-C.
enum Pressed {
    EndsWork,
    Leaves,
}

impl Running {
    fn begins(&mut self, cancel: &CancellationToken) {
        *self = Running { work: Some(cancel.clone()), presses: 0 };
    }

    fn rests(&mut self) {
        *self = Running::default();
    }

    fn press(&mut self) -> Pressed {
        self.presses += 1;
        match &self.work {
            Some(work) if self.presses == 1 => {
                work.cancel();
                Pressed::EndsWork
            }
            _ => Pressed::Leaves,
        }
    }
}

/// A session with a person at this terminal.
pub(super) struct Interactive {
    terminal: Terminal,
    paint: Paint,
    results: Results,
    running: Arc<Mutex<Running>>,
    files: HookFiles,
}

impl Interactive {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub(super) fn begin(state: &Path, folder: &Path, paint: Paint) -> Result<Self, Failure> {
        let files = HookFiles::default();
        let ways = Ways {
            paint,
            completion: Completion { folder: folder.to_owned() },
            history: History::of(state),
            files: files.clone(),
        };
        let terminal = Terminal::take_over(ways)
            .map_err(|error| Failure::Internal(format!("the terminal cannot be used: {error}")))?;
        Ok(Interactive { terminal, paint, results: Results::default(), running: Arc::default(), files })
    }

    /// The person whom hooks ask.
    pub(super) fn ui(&self) -> Arc<dyn UiContext> {
        Arc::new(AtTerminal::new(self.terminal.clone(), self.paint))
    }

    /// Shows a text.
    pub(super) fn print(&self, text: &str) {
        self.terminal.print(text);
    }

    /// The person whose prompts these are.
    pub(super) fn person<'a>(&self, controls: Controls<'a>) -> Person<'a> {
        self.files.set(controls.host);
        Person {
            controls,
            terminal: self.terminal.clone(),
            paint: self.paint,
            results: self.results.clone(),
            running: Arc::clone(&self.running),
            files: self.files.clone(),
            may_leave: false,
        }
    }

    /// The observer that shows the steps of a session in this folder.
    pub(super) fn shown(&self, folder: &Path) -> Shown {
        Shown::new(self.terminal.clone(), self.paint, self.results.clone(), folder)
    }

    /// Ends work, or the session, when Ctrl-C is pressed or a signal asks for it. It listens when this returns.
    pub(super) fn listen(&self, session: &CancellationToken) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let mut goes_on = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?;
        let (terminal, running, session) =
            (self.terminal.clone(), Arc::clone(&self.running), session.clone());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => match running.lock().press() {
                        Pressed::EndsWork => terminal.print("\n  ^C ends this; once more leaves\n"),
                        Pressed::Leaves => session.cancel(),
                    },
                    _ = terminate.recv() => session.cancel(),
                    _ = hang_up.recv() => session.cancel(),
                    _ = goes_on.recv() => terminal.set_again(),
                }
            }
        });
        Ok(())
    }

    /// Gives the terminal back as it was.
    pub(super) fn end(&self) {
        self.terminal.end();
    }
}

impl Drop for Interactive {
    fn drop(&mut self) {
        // Also where the session failed.
        modes::put_back();
    }
}
