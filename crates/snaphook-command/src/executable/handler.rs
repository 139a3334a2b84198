//! The one handler of an executable: it looks at the file again, runs it, and reads what it left. Not here: what that means
//! (`answer`).

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use snaphook_core::{
    Answer, CallContext, Cause, Event, EventName, Executable, Handler, HandlerError, HandlerFuture,
    HandlerInfo, HookRef, Level, Lifecycle, Product, ReplyClass, RunAs, Script,
};
use snaphook_script::glob::Globs;
use snaphook_state::private_fs::{self, PendingFile};

use super::World;
use super::answer::{ProgramAnswer, out_of_time, program_run, read};
use super::dots::Dots;
use super::environment::{Files, document, files_of, variables};
use crate::process::{self, Identity, Request, Transcript};

/// The amount of a run's output that is kept in memory, in bytes: more than messages show.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The amount of a program's output that goes to the log, in bytes.
const LOGGED: usize = 8 * 1024;

/// Patterns of files, and of those that do not count.
type Patterns = (Option<Globs>, Option<Globs>);

pub(super) struct CommandHandler {
    info: HandlerInfo,
    executable: Arc<Executable>,
    path: PathBuf,
    /// The content that was read, hashed and trusted.
    content: Arc<str>,
    patterns: Patterns,
    /// The dot files that count, where not all do.
    dots: Option<Dots>,
    world: Arc<World>,
}

impl CommandHandler {
    pub(super) fn new(
        script: &Script,
        executable: Arc<Executable>,
        path: PathBuf,
        patterns: Patterns,
        world: Arc<World>,
    ) -> Self {
        let mut matcher = serde_json::Map::new();
        for (name, list) in [("pattern", &executable.patterns), ("ignore", &executable.ignore)] {
            if !list.is_empty() {
                matcher.insert(name.to_owned(), json!(list));
            }
        }
        let info = HandlerInfo {
            hook: script.hook.clone(),
            event: executable.event.clone(),
            line: None,
            file: None,
            matcher: (!matcher.is_empty()).then(|| matcher.into()),
        };
        let content = Arc::clone(&script.source);
        let dots = (executable.product == Product::Discobot).then(|| Dots::of(&executable.patterns));
        CommandHandler { info, executable, path, content, patterns, dots, world }
    }

    fn takes(&self, file: &str) -> bool {
        let (wanted, ignored) = &self.patterns;
        wanted.as_ref().is_none_or(|globs| globs.is_match(file))
            && self.dots.as_ref().is_none_or(|dots| dots.let_through(file))
            && !ignored.as_ref().is_some_and(|globs| globs.is_match(file))
    }

    /// Checks whether what would run is what was trusted. Between this look and the start is the time that the system
    /// needs.
    fn look(&self) -> Result<(), HandlerError> {
        let now = snaphook_discovery::read_source(&self.path)
            .map_err(|fault| HandlerError::new(Cause::Error, format!("it {}", fault.message)))?;
        if now == self.content.as_bytes() {
            return Ok(());
        }
        let message = "it changed since it was read, so nothing of it runs; look at it, and decide again";
        Err(HandlerError::new(Cause::Untrusted, message))
    }

    fn identity(&self) -> Result<Option<Identity>, HandlerError> {
        let failed = |why: String| Err(HandlerError::new(Cause::Error, why));
        match self.executable.run_as {
            RunAs::Root if !self.world.root => failed(
                "it asks to run as root (`run_as: root`), and snaphook does not run as root".to_owned(),
            ),
            RunAs::Root => Ok(None),
            RunAs::User => {
                self.world.user().or_else(|why| failed(format!("`run_as_user` of config.toml: {why}")))
            }
        }
    }

    async fn run(&self, event: &Event, context: &CallContext) -> Result<Answer, HandlerError> {
        let failed = |why: String| HandlerError::new(Cause::Error, why);
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(failed("this program runs without a tokio runtime".to_owned()));
        }
        let (hook, executable, session) = (&self.info.hook, &*self.executable, &*context.session);
        self.look()?;
        let identity = self.identity()?;
        let files = match files_of(event) {
            None => None,
            Some(files) => {
                let files = files.into_iter().filter(|file| self.takes(file)).collect();
                let written = Files::write(files, &self.world, identity.as_ref());
                Some(
                    written
                        .map_err(|error| failed(format!("its list of files cannot be written: {error}")))?,
                )
            }
        };
        let about = (executable, &*self.path);
        let env = variables(&self.world, hook, about, session, files.as_ref(), identity.as_ref());
        let cwd =
            if session.project_root.as_os_str().is_empty() { &session.cwd } else { &session.project_root };
        let kept = is_kept(&executable.event);
        let outputs = session.outputs.as_deref().filter(|_| kept);
        let log = outputs.map(|folder| FullOutput::open(folder, hook)).transpose();
        let log = log.unwrap_or_else(|error| {
            context.services.log(hook, Level::Warn, &format!("its full output cannot be kept: {error}"));
            None
        });
        let file = log.as_ref().and_then(|log| log.pending.file().try_clone().ok());
        let request = Request {
            env,
            stdin: executable.answers.then(|| document(event, session).into_bytes()),
            timeout: Some(executable.time_limit()),
            one_pipe: kept && !executable.answers,
            transcript: kept.then(|| Transcript::new(MAX_KEPT_BYTES, file)),
            identity,
            ..Request::new(self.path.clone(), cwd.clone())
        };
        let request = match (&executable.hold, &self.world.holder) {
            (None, _) => request,
            (Some(hold), Some(holder)) => request.held(holder, hold, cwd),
            (Some(_), None) => {
                let why = "it is to be held (`hold:`), and the program that does so is not known here";
                return Err(HandlerError::new(Cause::Hold, why));
            }
        };
        let output =
            process::run(request).await.map_err(|error| failed(format!("it cannot be started: {error}")))?;
        let full = log.and_then(|log| {
            log.end(out_of_time(executable, &output))
                .and_then(|()| log.keep())
                .inspect_err(|error| {
                    let text = format!("its full output cannot be kept: {error}");
                    context.services.log(hook, Level::Warn, &text);
                })
                .ok()
        });
        let is_check = executable.event.class() == ReplyClass::Check;
        let ProgramAnswer { answer, text } =
            read(executable, &output, kept.then(|| program_run(&output, full)));
        if !text.is_empty() && !is_check {
            let end = text.floor_char_boundary(LOGGED.min(text.len()));
            let level = if kept { Level::Info } else { Level::Debug };
            context.services.log(hook, level, &text[..end]);
        }
        answer
    }
}

/// Returns whether a program's output may be of use later.
fn is_kept(event: &EventName) -> bool {
    event.class() == ReplyClass::Check || *event == EventName::Lifecycle(Lifecycle::Startup)
}

impl Handler for CommandHandler {
    fn info(&self) -> &HandlerInfo {
        &self.info
    }

    fn selects(&self, event: &Event, _: &CallContext) -> bool {
        match (&self.patterns, files_of(event)) {
            ((None, None), _) | (_, None) => true,
            (_, Some(files)) => files.iter().any(|file| self.takes(file)),
        }
    }

    fn files_for(&self, files: &[String]) -> Vec<String> {
        files.iter().filter(|file| self.takes(file)).cloned().collect()
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(self.executable.time_limit())
    }

    fn executable(&self) -> Option<&Arc<Executable>> {
        Some(&self.executable)
    }

    fn handle<'a>(&'a self, event: &'a Event, context: &'a Arc<CallContext>) -> HandlerFuture<'a> {
        Box::pin(self.run(event, context))
    }
}

/// The file with all that a run writes. It takes its place when the run is over; until then the last run's is there.
struct FullOutput {
    pending: PendingFile,
    place: PathBuf,
}

impl FullOutput {
    fn open(folder: &Path, hook: &HookRef) -> std::io::Result<Self> {
        private_fs::make_dir(folder)?;
        let place = folder.join(format!("{}.log", hook.id));
        Ok(FullOutput { pending: PendingFile::new(&place)?, place })
    }

    /// Writes what is said behind the program's own output.
    fn end(&self, said: Option<String>) -> std::io::Result<()> {
        let mut file = self.pending.file();
        said.map_or(Ok(()), |said| file.write_all(said.as_bytes()))
    }

    fn keep(self) -> std::io::Result<PathBuf> {
        self.pending.commit()?;
        Ok(self.place)
    }
}
