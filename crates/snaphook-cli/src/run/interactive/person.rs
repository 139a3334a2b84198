//! The person as the source of a session's prompts, and what their commands do. Not here: reading lines (`owner`, `commands`).

use std::sync::Arc;

use parking_lot::Mutex;
use snaphook::{BoxFuture, CancellationToken, Discovery, Host, Severity};
use snaphook_agent::driver::{Input, Prompts};
use snaphook_agent::model::driver::ModelChoice;
use snaphook_discovery::Directories;

use super::commands::{self, Command};
use super::owner::{Said, Terminal};
use super::shown::Results;
use super::{HookFiles, Running};
use crate::exit::Failure;
use crate::print::{Paint, lines};
use crate::{audit, render};

/// The parts of a session that the person's commands work on.
pub(in crate::run) struct Controls<'a> {
    pub(in crate::run) host: &'a Host,
    pub(in crate::run) directories: &'a Directories,
    pub(in crate::run) session: &'a str,
    pub(in crate::run) choice: ModelChoice,
    /// Finds the hooks anew.
    pub(in crate::run) find: &'a (dyn Fn() -> Result<Discovery, Failure> + Sync),
    /// Chooses a model by its name, and writes that down.
    pub(in crate::run) choose: &'a (dyn Fn(&str) -> Result<(), Failure> + Sync),
}

/// The person.
pub(in crate::run) struct Person<'a> {
    pub(super) controls: Controls<'a>,
    pub(super) terminal: Terminal,
    pub(super) paint: Paint,
    pub(super) results: Results,
    pub(super) running: Arc<Mutex<Running>>,
    pub(super) files: HookFiles,
    /// True if the last key at the prompt was Ctrl-C.
    pub(super) may_leave: bool,
}

impl Person<'_> {
    async fn next_input(&mut self) -> Option<Input> {
        self.running.lock().rests();
        loop {
            let line = match self.terminal.line().await {
                Said::End => return None,
                Said::Interrupted if self.may_leave => return None,
                Said::Interrupted => {
                    self.may_leave = true;
                    self.tell("Ctrl-C once more leaves, and so do Ctrl-D and /quit");
                    continue;
                }
                Said::Line(line) => line,
            };
            self.may_leave = false;
            match commands::parse(&line) {
                None => return Some(Input::Prompt(line)),
                Some(Err(error)) => self.fail(&error),
                Some(Ok(Command::Quit)) => return None,
                Some(Ok(Command::Clear)) => return Some(Input::Clear),
                Some(Ok(Command::Compact)) => return Some(Input::Compact),
                Some(Ok(command)) => self.run(command),
            }
        }
    }

    fn run(&self, command: Command) {
        match command {
            Command::Help => self.terminal.print(&commands::help()),
            Command::Show(number) => match self.results.show(number) {
                Ok(text) => self.terminal.print(&text),
                Err(error) => self.fail(&error),
            },
            Command::Hooks => self.terminal.print(&self.hooks()),
            Command::Reload => self.reload(),
            Command::Audit(most) => self.audit(most),
            Command::Model(None) => self.tell(self.controls.choice.get().name()),
            Command::Model(Some(name)) => match (self.controls.choose)(&name) {
                Ok(()) => self.tell(&format!("{} is asked from now on", self.controls.choice.get().name())),
                Err(error) => self.fail(&error),
            },
            // These are the session's.
            Command::Clear | Command::Compact | Command::Quit => {}
        }
    }

    fn tell(&self, text: &str) {
        self.terminal.print(&format!("  {}\n", lines(text)));
    }

    fn fail(&self, error: &dyn std::fmt::Display) {
        let error = lines(&error.to_string());
        self.terminal.print(&format!("  {} {error}\n", self.paint.red("error:")));
    }

    fn hooks(&self) -> String {
        let (host, paint) = (self.controls.host, self.paint);
        let hooks = host.hooks();
        let mut text = String::new();
        for hook in &hooks {
            let state = if hook.loaded { String::new() } else { format!(" {}", paint.red("(did not load)")) };
            let mut events: Vec<String> =
                hook.handlers.iter().map(|handler| handler.event.to_string()).collect();
            events.dedup();
            let about = hook.description.as_deref().map(|about| format!(": {}", lines(about)));
            text += &format!("  {}{state}{}\n", paint.bold(&lines(&hook.hook.id)), about.unwrap_or_default());
            let place = hook.path.as_ref().map(|path| lines(&path.display().to_string()));
            let place = place.unwrap_or_else(|| "built in".to_owned());
            text += &format!("    {}\n", paint.dim(&format!("{place} ({})", events.join(", "))));
        }
        if hooks.is_empty() {
            text += "  there are no hooks\n";
        }
        text + self.problems().as_str()
    }

    fn problems(&self) -> String {
        let problems = self.controls.host.problems();
        let shown = problems.iter().filter(|problem| problem.severity != Severity::Note);
        shown.map(|problem| render::problem_text(self.paint, problem, self.controls.directories)).collect()
    }

    fn reload(&self) {
        match (self.controls.find)() {
            Err(error) => self.fail(&error),
            Ok(hooks) => {
                self.controls.host.reload(hooks);
                self.files.set(self.controls.host);
                self.terminal.print(&self.hooks());
            }
        }
    }

    fn audit(&self, most: usize) {
        match audit::of_session(self.controls.directories, self.controls.session, most, self.paint) {
            Ok(text) if text.is_empty() => self.tell("no decision of this session is in the audit yet"),
            Ok(text) => self.terminal.print(&text),
            Err(error) => self.fail(&error),
        }
    }
}

impl Prompts for Person<'_> {
    fn next(&mut self) -> BoxFuture<'_, Option<Input>> {
        Box::pin(self.next_input())
    }

    fn work_begins(&mut self, cancel: &CancellationToken) {
        self.running.lock().begins(cancel);
    }

    fn go_on_after_a_denial(&self) -> bool {
        true
    }

    fn spoken(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(self.terminal.spoken())
    }
}
