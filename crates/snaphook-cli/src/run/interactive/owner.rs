//! The one owner of the terminal: what is shown, prompts and dialogs pass through its queue, so that nothing is torn. While a
//! prompt is edited, lines are put above it; while a dialog is open, they wait. Not here: what is shown, and what questions mean
//! (`dialogs`).

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor, ExternalPrinter};
use tokio::sync::{oneshot, watch};

use super::HookFiles;
use super::ahead::Ahead;
use super::complete::Completion;
use super::dialogs::{Answered, Meant, Question};
use super::history::History;
use super::modes::{self, Mode, Modes};
use crate::print::{self, Paint};

/// The time that the owner may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// The text before a prompt.
const PROMPT: &str = "> ";

/// The outcome of asking for a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or a terminal that is gone.
    End,
}

enum Order {
    Print(String),
    Ask(Box<Dialog>),
    Line(oneshot::Sender<Said>),
    /// The terminal's settings may have been changed by others.
    SetAgain,
    /// The session is over, and nothing more is shown.
    End(mpsc::Sender<()>),
}

struct Dialog {
    question: Question,
    done: oneshot::Sender<Answered>,
}

/// Sends orders to the owner.
#[derive(Clone)]
pub(super) struct Terminal {
    orders: mpsc::Sender<Order>,
    wake: Arc<UnixStream>,
    shared: Arc<Shared>,
}

struct Shared {
    /// True while a prompt is edited, which nothing but the person's keys ends.
    is_editing: AtomicBool,
    /// Puts lines above the prompt.
    above: Mutex<Box<dyn ExternalPrinter + Send>>,
    /// True while a whole line was typed ahead.
    has_spoken: watch::Sender<bool>,
}

/// The reason why there is no terminal to own.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoTerminal {
    #[error("standard input is no terminal")]
    NotATerminal,
    #[error(transparent)]
    Editor(#[from] ReadlineError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The means by which the owner shows and keeps things.
pub(super) struct Ways {
    pub(super) paint: Paint,
    pub(super) completion: Completion,
    pub(super) history: History,
    pub(super) files: HookFiles,
}

impl Terminal {
    /// Takes the terminal over, until [`Terminal::end`].
    pub(super) fn take_over(ways: Ways) -> Result<Self, NoTerminal> {
        let modes = Modes::take_over().ok_or(NoTerminal::NotATerminal)?;
        let config = Config::builder().auto_add_history(false).max_history_size(History::MAX_ENTRIES)?;
        let config = config.history_ignore_dups(true)?.history_ignore_space(true).build();
        let mut editor = Editor::with_history(config.clone(), MemHistory::with_config(&config))?;
        editor.set_helper(Some(ways.completion));
        for line in ways.history.load() {
            editor.add_history_entry(line)?;
        }
        let above: Box<dyn ExternalPrinter + Send> = Box::new(editor.create_external_printer()?);
        let (orders, taken) = mpsc::channel();
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            is_editing: AtomicBool::new(false),
            above: Mutex::new(above),
            has_spoken: watch::Sender::new(false),
        });
        let owner = Owner {
            orders: taken,
            woken,
            shared: Arc::clone(&shared),
            modes,
            editor,
            paint: ways.paint,
            history: ways.history,
            files: ways.files,
            ahead: Ahead::default(),
            open: None,
            waiting: VecDeque::new(),
            line: None,
            held: String::new(),
            is_at_line_start: true,
            has_ended: false,
        };
        std::thread::Builder::new().name("snaphook-terminal".to_owned()).spawn(move || owner.run())?;
        Ok(Terminal { orders, wake: Arc::new(wake), shared })
    }

    /// Shows a text.
    pub(super) fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.shared.is_editing.load(Ordering::SeqCst) {
            let _ = self.shared.above.lock().print(text.to_owned());
        } else {
            self.order(Order::Print(text.to_owned()));
        }
    }

    /// Asks for a prompt. Dropping the future leaves the person at it.
    pub(super) async fn line(&self) -> Said {
        let (done, said) = oneshot::channel();
        self.order(Order::Line(done));
        said.await.unwrap_or(Said::End)
    }

    /// Resolves when a whole line was typed ahead.
    pub(super) async fn spoken(&self) {
        let mut spoken = self.shared.has_spoken.subscribe();
        if spoken.wait_for(|spoken| *spoken).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Asks the person. Dropping the future ends the dialog.
    pub(super) async fn ask(&self, question: Question) -> Answered {
        let none = question.none();
        let (done, answered) = oneshot::channel();
        let _closes = Closes(self);
        let is_editing = self.shared.is_editing.load(Ordering::SeqCst);
        let text = is_editing.then(|| {
            format!("{}  Enter at an empty prompt answers it\n", question.text(Paint { on: false }))
        });
        self.order(Order::Ask(Box::new(Dialog { question, done })));
        self.print(&text.unwrap_or_default());
        answered.await.unwrap_or(none)
    }

    /// Sets the terminal as it should be, after others had it: the process was stopped and goes on.
    pub(super) fn set_again(&self) {
        self.order(Order::SetAgain);
    }

    /// Puts the terminal back as it was. What was shown before is out.
    pub(super) fn end(&self) {
        if !self.shared.is_editing.load(Ordering::SeqCst) {
            let (done, ended) = mpsc::channel();
            self.order(Order::End(done));
            let _ = ended.recv_timeout(PATIENCE);
        }
        modes::put_back();
    }

    fn order(&self, order: Order) {
        // Without the owner there is nobody at a terminal any more.
        let _ = self.orders.send(order);
        self.wake();
    }

    fn wake(&self) {
        // A full pipe wakes as well.
        let _ = (&*self.wake).write(&[0]);
    }
}

/// Tells the owner that a dialog may be of no use any more.
struct Closes<'a>(&'a Terminal);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.wake();
    }
}

struct Owner {
    orders: mpsc::Receiver<Order>,
    woken: UnixStream,
    shared: Arc<Shared>,
    modes: Modes,
    editor: Editor<Completion, MemHistory>,
    paint: Paint,
    history: History,
    files: HookFiles,
    ahead: Ahead,
    open: Option<Box<Dialog>>,
    waiting: VecDeque<Box<Dialog>>,
    line: Option<oneshot::Sender<Said>>,
    /// Text that is shown when the dialog is over.
    held: String,
    is_at_line_start: bool,
    /// True if there are no more keys to come.
    has_ended: bool,
}

impl Owner {
    fn run(mut self) {
        self.modes.set(Mode::Working);
        loop {
            loop {
                match self.orders.try_recv() {
                    Ok(Order::End(done)) => {
                        self.begin_line();
                        let _ = done.send(());
                        return;
                    }
                    Ok(order) => self.take(order),
                    Err(mpsc::TryRecvError::Empty) => break,
                    Err(mpsc::TryRecvError::Disconnected) => return,
                }
            }
            if self.open.as_ref().is_some_and(|dialog| dialog.done.is_closed()) {
                self.show("\n  (the call was cancelled; no answer is needed)\n");
                self.close();
            }
            if self.open.is_none()
                && let Some(dialog) = self.waiting.pop_front()
            {
                self.begin(dialog);
                continue;
            }
            if self.open.is_none()
                && let Some(done) = self.line.take()
            {
                self.read_prompt(done);
                continue;
            }
            self.wait();
        }
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Print(text) if self.open.is_some() => self.held.push_str(&text),
            Order::Print(text) => self.show(&text),
            Order::Ask(dialog) => self.waiting.push_back(dialog),
            Order::Line(done) => self.line = Some(done),
            // Ends the loop.
            Order::End(_) => {}
            Order::SetAgain => {
                self.modes.set(if self.open.is_some() { Mode::Dialog } else { Mode::Working });
            }
        }
    }

    fn show(&mut self, text: &str) {
        print::stdout(text);
        self.is_at_line_start = text.ends_with('\n');
    }

    fn begin_line(&mut self) {
        if !std::mem::replace(&mut self.is_at_line_start, true) {
            print::stdout("\n");
        }
    }

    /// Waits for keys or orders.
    fn wait(&mut self) {
        let stdin = rustix::stdio::stdin();
        let mut watched = vec![PollFd::new(&self.woken, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        watched.truncate(if self.has_ended { 1 } else { 2 });
        if poll(&mut watched, None).is_err() {
            return;
        }
        let has_keys = watched.get(1).is_some_and(|stdin| !stdin.revents().is_empty());
        drop(watched);
        let mut bytes = [0; 256];
        while self.woken.read(&mut bytes).is_ok_and(|count| count > 0) {}
        if has_keys {
            self.read_keys();
        }
    }

    fn read_keys(&mut self) {
        let mut keys = [0; 4096];
        let count = match rustix::io::read(rustix::stdio::stdin(), &mut keys) {
            Ok(count) => count,
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return,
            Err(_) => 0,
        };
        let keys = keys.get(..count).unwrap_or_default();
        if self.open.is_some() {
            // The end of input at an empty line is Ctrl-D: there may be more.
            let text = String::from_utf8_lossy(keys).into_owned();
            return self.answer((count > 0).then_some(text.as_str()));
        }
        self.has_ended = count == 0;
        self.ahead.take(keys);
        self.shared.has_spoken.send_replace(self.ahead.has_line());
    }

    /// Opens a dialog. What was typed before it was shown is no answer.
    fn begin(&mut self, dialog: Box<Dialog>) {
        if dialog.done.is_closed() {
            return;
        }
        if self.has_ended {
            let none = dialog.question.none();
            let _ = dialog.done.send(none);
            return;
        }
        self.take_waiting_keys();
        self.begin_line();
        self.modes.set(Mode::Dialog);
        let text = format!("{}{}", dialog.question.text(self.paint), dialog.question.prompt());
        self.show(&text);
        self.open = Some(dialog);
    }

    /// Keeps the keys that wait in the system.
    fn take_waiting_keys(&mut self) {
        let stdin = rustix::stdio::stdin();
        let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
            let waits = poll(&mut watched, Some(&now)).is_ok_and(|count| count > 0);
            if !waits || self.has_ended {
                return;
            }
            self.read_keys();
        }
    }

    /// Takes a line at the dialog.
    fn answer(&mut self, line: Option<&str>) {
        let Some(dialog) = self.open.take() else { return };
        self.is_at_line_start = line.is_some_and(|line| line.ends_with('\n'));
        self.begin_line();
        if let Some(initial) = dialog.question.edits(line) {
            self.modes.set(Mode::AsBefore);
            let edited = dialoguer::Editor::new().edit(&initial).ok().flatten();
            let answered = edited.map(|text| Answered::Reply(snaphook::UiReply::Text(text)));
            let answered = answered.unwrap_or_else(|| dialog.question.none());
            let _ = dialog.done.send(answered);
            return self.close();
        }
        match dialog.question.meant(line) {
            Meant::Answered(answered) => {
                let _ = dialog.done.send(answered);
                self.close();
            }
            Meant::Show(hook) => {
                let question = &dialog.question;
                let text =
                    format!("{}{}{}", self.hook_text(&hook), question.text(self.paint), question.prompt());
                self.show(&text);
                self.open = Some(dialog);
            }
            Meant::Again(why) => {
                let text = format!("  {why}\n{}", dialog.question.prompt());
                self.show(&text);
                self.open = Some(dialog);
            }
        }
    }

    /// Ends the dialog, and shows what waited for its end.
    fn close(&mut self) {
        self.open = None;
        self.begin_line();
        self.modes.set(Mode::Working);
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.show(&held);
        }
    }

    fn hook_text(&self, id: &str) -> String {
        let Some(file) = self.files.get(id) else {
            return "  this hook has no file\n".to_owned();
        };
        let head = self.paint.dim(&format!("  {}\n", print::lines(&file.display().to_string())));
        match snaphook_state::plain_fs::read_text(&file, 1 << 20) {
            Ok(text) => {
                let numbered = text.lines().enumerate();
                let numbered =
                    numbered.map(|(at, line)| format!("  {:>4}  {}\n", at + 1, print::lines(line)));
                format!("{head}{}", numbered.collect::<String>())
            }
            Err(error) => format!("{head}  it cannot be read: {error}\n"),
        }
    }

    /// Gets a prompt: what was typed ahead, or a line that is edited now.
    fn read_prompt(&mut self, done: oneshot::Sender<Said>) {
        self.take_waiting_keys();
        self.begin_line();
        if let Some(line) = self.ahead.line() {
            self.shared.has_spoken.send_replace(self.ahead.has_line());
            if line.trim().is_empty() {
                self.line = Some(done);
                return;
            }
            let shown = print::lines(&line).replace('\n', "\n  ");
            self.show(&format!("\n{PROMPT}{shown}\n"));
            self.keep(&line);
            let _ = done.send(Said::Line(line));
            return;
        }
        if self.has_ended {
            let _ = done.send(Said::End);
            return;
        }
        self.modes.set(Mode::AsBefore);
        self.show("\n");
        let begun = self.ahead.rest();
        self.shared.is_editing.store(true, Ordering::SeqCst);
        let read = self.editor.readline_with_initial(PROMPT, (&begun, ""));
        self.shared.is_editing.store(false, Ordering::SeqCst);
        self.modes.set(Mode::Working);
        self.is_at_line_start = true;
        let said = match read {
            // An empty prompt: a dialog may wait.
            Ok(line) if line.trim().is_empty() => {
                self.line = Some(done);
                return;
            }
            Ok(line) => {
                self.keep(&line);
                Said::Line(line)
            }
            Err(ReadlineError::Interrupted) => Said::Interrupted,
            // The window has another size.
            Err(ReadlineError::Signal(_)) => {
                self.line = Some(done);
                return;
            }
            Err(_) => {
                self.has_ended = true;
                Said::End
            }
        };
        let _ = done.send(said);
    }

    /// Puts a prompt into the history.
    fn keep(&mut self, line: &str) {
        if self.editor.add_history_entry(line).is_ok_and(|is_new| is_new) {
            self.history.append(line);
        }
    }
}
