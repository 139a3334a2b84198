//! Asking a person on the terminal, on standard error, so that standard output stays clean. The queue before it (one
//! dialog at a time) is the host's.
//!
//! The library reads keys on a thread of its own, which cannot be interrupted. When a call is cancelled, its dialog is
//! over at once: the terminal is put back as it was, and the thread, which sits on a read, is left to swallow one key.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use console::{Key, Term};
use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use dialoguer::{Confirm, Editor, Input, Select};
use snaphook::{BoxFuture, HookRef, Level, Notice, UiContext, UiReply, UiRequest};
use snaphook_discovery::printable;
use tokio::sync::oneshot;

/// A person at a terminal.
pub(crate) struct TerminalUi {
    term: Term,
    colours: bool,
}

impl TerminalUi {
    pub(crate) fn new() -> Self {
        TerminalUi { term: Term::stderr(), colours: console::colors_enabled_stderr() }
    }
}

impl UiContext for TerminalUi {
    fn has_ui(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, hook: Option<&'a HookRef>, request: UiRequest) -> BoxFuture<'a, UiReply> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let mut open = Open { before: Saved::of_terminal(), done: Arc::new(AtomicBool::new(false)) };
            let asked_by = hook.map(|hook| printable(&hook.name));
            let (term, colours, done) = (self.term.clone(), self.colours, Arc::clone(&open.done));
            let started = std::thread::Builder::new().name("snaphook-dialog".to_owned()).spawn(move || {
                let reply = dialog(&term, colours, asked_by.as_deref(), &request);
                done.store(true, Ordering::SeqCst);
                let _ = answer.send(reply);
            });
            let reply = match started {
                Ok(_) => answered.await.unwrap_or(UiReply::Nothing),
                Err(_) => UiReply::Nothing,
            };
            open.close();
            reply
        })
    }

    fn notify(&self, hook: Option<&HookRef>, notice: Notice) {
        if let Some(line) = notice_line(hook, &notice) {
            let _ = writeln!(&self.term, "{line}");
        }
    }
}

/// A notice as a line; none where a line of status is taken away.
pub(crate) fn notice_line(hook: Option<&HookRef>, notice: &Notice) -> Option<String> {
    let from = hook.map(|hook| format!("[{}] ", printable(&hook.id))).unwrap_or_default();
    Some(match notice {
        Notice::Message { text, level: Level::Info } => format!("{from}{}", printable(text)),
        Notice::Message { text, level } => format!("{from}{}: {}", level.as_str(), printable(text)),
        Notice::Status { key, text: Some(text) } => format!("{from}{}: {}", printable(key), printable(text)),
        Notice::Status { text: None, .. } => return None,
    })
}

/// A dialog on the screen. Dropped before it was answered, it leaves the terminal as it was.
struct Open {
    before: Option<Saved>,
    done: Arc<AtomicBool>,
}

impl Open {
    fn close(&mut self) {
        self.before = None;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            before.restore();
            let term = Term::stderr();
            let _ = term.show_cursor();
            if !self.done.load(Ordering::SeqCst) {
                let _ = term.write_line("\n(the call was cancelled; no answer is needed)");
            }
        }
    }
}

/// The terminal's settings.
struct Saved {
    #[cfg(unix)]
    settings: rustix::termios::Termios,
}

impl Saved {
    #[cfg(unix)]
    fn of_terminal() -> Option<Self> {
        let settings = rustix::termios::tcgetattr(rustix::stdio::stdin()).ok()?;
        Some(Saved { settings })
    }

    #[cfg(not(unix))]
    fn of_terminal() -> Option<Self> {
        Some(Saved {})
    }

    fn restore(&self) {
        #[cfg(unix)]
        let _ = rustix::termios::tcsetattr(
            rustix::stdio::stdin(),
            rustix::termios::OptionalActions::Now,
            &self.settings,
        );
    }
}

/// The answer of a person to a question of the command itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confirmation {
    Yes,
    /// Also whatever else ends a dialog, and that there was no person to ask.
    No,
    /// Ctrl-C: the person wants the command to end.
    Interrupted,
}

/// A question of the command itself, with no as the answer of who gives none. Keys are read here: the library's dialog hides
/// the cursor, and ends the process at Ctrl-C before it shows it again.
pub(crate) fn confirm(question: &str) -> Confirmation {
    let (term, plain, colourful) = (Term::stderr(), SimpleTheme, ColorfulTheme::default());
    let theme: &dyn Theme = if console::colors_enabled_stderr() { &colourful } else { &plain };
    let mut line = String::new();
    let shown = theme.format_confirm_prompt(&mut line, question, Some(false)).is_ok();
    if !shown || !term.is_term() || term.write_str(&line).is_err() {
        return Confirmation::No;
    }
    let said = loop {
        match term.read_key_raw() {
            Ok(Key::Char('y' | 'Y')) => break Confirmation::Yes,
            Ok(Key::Char('n' | 'N' | 'q') | Key::Enter | Key::Escape) | Err(_) => break Confirmation::No,
            Ok(Key::CtrlC) => break Confirmation::Interrupted,
            Ok(_) => {}
        }
    };
    line.clear();
    let answer = (said != Confirmation::Interrupted).then_some(said == Confirmation::Yes);
    if theme.format_confirm_prompt_selection(&mut line, question, answer).is_ok() {
        let _ = term.clear_line();
        let _ = term.write_line(&line);
    }
    said
}

/// The most that the library adds to a text on its line: a mark before it and what can be pressed behind it.
const BESIDE: usize = 12;

/// A prompt that fits on a line: the library clears as many lines as it has written, and knows of none that the terminal wraps. A
/// longer one is written before, and `short` asks.
fn fitting(term: &Term, prompt: String, short: &str) -> String {
    if fits(term, &prompt) {
        return prompt;
    }
    let _ = term.write_line(&prompt);
    short.to_owned()
}

fn fits(term: &Term, text: &str) -> bool {
    console::measure_text_width(text) + BESIDE < usize::from(term.size().1)
}

/// Options that each fit on a line: where one does not, all are written before, with the numbers that they are chosen by.
fn fitting_all(term: &Term, options: &[String]) -> Vec<String> {
    let options: Vec<String> = options.iter().map(|option| printable(option)).collect();
    if options.iter().all(|option| fits(term, option)) {
        return options;
    }
    let width = usize::from(term.size().1).saturating_sub(BESIDE).max(1);
    let numbered = options.iter().enumerate().map(|(at, option)| format!("{}. {option}", at + 1));
    let cut = |line: String| {
        let _ = term.write_line(&format!("  {line}"));
        console::truncate_str(&line, width, "…").into_owned()
    };
    numbered.map(cut).collect()
}

/// Shows a dialog and waits for the answer. Ctrl-C and Escape are no answer, which denies.
fn dialog(term: &Term, colours: bool, hook: Option<&str>, request: &UiRequest) -> UiReply {
    let plain = SimpleTheme;
    let colourful = ColorfulTheme::default();
    let theme: &dyn Theme = if colours { &colourful } else { &plain };
    let head = |title: &str| match hook {
        Some(hook) => format!("[{hook}] {}", printable(title)),
        None => printable(title),
    };
    let reply = match request {
        UiRequest::Confirm { title, message } => {
            for line in message.iter().flat_map(|message| message.lines()) {
                let _ = term.write_line(&format!("  {}", printable(line)));
            }
            Confirm::with_theme(theme)
                .with_prompt(fitting(term, head(title), "Yes or no?"))
                .default(false)
                .interact_on_opt(term)
                .map(|answer| answer.map(UiReply::Confirmed))
        }
        UiRequest::Select { title, options } => Select::with_theme(theme)
            .with_prompt(fitting(term, head(title), "Choose"))
            .items(fitting_all(term, options))
            .default(0)
            .interact_on_opt(term)
            .map(|answer| answer.map(UiReply::Selected)),
        UiRequest::Input { title, initial } => {
            let input = Input::<String>::with_theme(theme).with_prompt(head(title)).allow_empty(true);
            let input = match initial {
                Some(initial) => input.with_initial_text(initial),
                None => input,
            };
            input.interact_text_on(term).map(|text| Some(UiReply::Text(text)))
        }
        UiRequest::Editor { title, initial } => {
            let _ = term.write_line(&head(title));
            Editor::new().edit(initial.as_deref().unwrap_or_default()).map(|text| text.map(UiReply::Text))
        }
    };
    let _ = term.show_cursor();
    reply.ok().flatten().unwrap_or_else(|| {
        // The question still is at the cursor.
        let _ = term.write_line("");
        UiReply::Nothing
    })
}
