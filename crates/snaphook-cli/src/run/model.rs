//! A session with a model: an agent of our own in the current folder. Not here: the session and the model (`snaphook-agent`).

use std::path::Path;
use std::sync::Arc;

use snaphook::{CancellationToken, DefaultVerdict, HeadlessUi, Host, UiContext};
use snaphook_agent::driver::{DrivePlan, Ending, Lists, drive};
use snaphook_agent::lists::{FileLists, TaskHandler};
use snaphook_agent::message::Message;
use snaphook_agent::model::client::ProviderModel;
use snaphook_agent::model::driver::{AskOptions, ModelDriver, ModelLimits};
use snaphook_agent::model::provider::{ModelName, key_variables};
use snaphook_agent::model::retry::Retries;
use snaphook_agent::model::system;
use snaphook_agent::sessions::{self, Line, NewSession, SessionFile};
use snaphook_agent::tools::{Toolbox, Workspace};
use snaphook_agent::toolset::Toolset;
use snaphook_discovery::{Directories, ModelSettings, Settings, Trust};
use snaphook_session::agent_loop::pending::Pending;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_session::{required, status_folder};

use super::args::RunArgs;
use super::telling::Telling;
use super::{head, hold, input};
use crate::arg_values::DefaultArg;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint};
use crate::trust::ask::{AtStart, at_start};
use crate::wiring;

/// The agent's name, which hooks see as `ctx.agent`.
const AGENT: &str = "snaphook";

/// The words to an agent whose session is gone on with, and no new prompt.
const GO_ON: &str = "Go on with the task where you left it.";

/// Runs the command.
pub(super) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    // From here on no key of a provider is in what hooks and tools get.
    let without_keys = env.without(key_variables());
    let directories = args.compat.with(wiring::directories(env, args.cwd.as_deref())?);
    let (settings, _) = Settings::load(&directories);
    let state = directories.state.clone().ok_or_else(super::no_state)?;
    let opened = open(&args, &settings.model, &directories, &state)?;
    let name =
        ModelName::parse(&opened.model).map_err(|error| Failure::Usage(format!("`--model`: {error}")))?;
    let key = name.provider.keys.iter().find_map(|variable| env.text(variable));
    let model = ProviderModel::new(&name, opened.base_url.as_deref(), key, snaphook::system_tls)
        .map_err(|error| Failure::Usage(format!("the model cannot be used: {error}")))?;
    let session =
        Session { env: &without_keys, args: &args, directories, settings, name, model: Arc::new(model) };
    session.run(opened, &state).await
}

/// The conversation that a session begins with.
struct Opened {
    id: Option<String>,
    model: String,
    base_url: Option<String>,
    file: Option<SessionFile>,
    messages: Vec<Message>,
    prompt: String,
    notes: Vec<String>,
}

fn open(
    args: &RunArgs,
    settings: &ModelSettings,
    directories: &Directories,
    state: &Path,
) -> Result<Opened, Failure> {
    let usage = |error: sessions::SessionFileError| Failure::Usage(error.to_string());
    // The model that is named on the command line, else the session's own, else that of the settings, each with its address.
    let own_address = args.model.base_url.clone();
    // An address of the settings is for the provider of the settings: no other's key goes there.
    let provider = |model: &str| model.split('/').next().unwrap_or_default().to_owned();
    let is_configured = args.model.model.as_deref().is_none_or(|named| {
        settings.name.as_deref().is_none_or(|configured| provider(named) == provider(configured))
    });
    let address = settings.base_url.clone().filter(|_| is_configured);
    let prompt = match args.prompt.as_deref() {
        Some("-") => Some(input::stdin()?),
        other => other.map(str::to_owned),
    };
    if prompt.as_deref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Failure::Usage("the prompt is empty".to_owned()));
    }
    let wanted = args.model.resume.as_deref().or(args.model.go_on.then_some(""));
    let Some(wanted) = wanted else {
        let model = args.model.model.clone().or_else(|| settings.name.clone()).ok_or_else(|| {
            Failure::Usage(
                "no model is named: `--model PROVIDER/NAME`, or `name` in the table `[model]` of your config.toml".to_owned(),
            )
        })?;
        let prompt = prompt.ok_or_else(|| super::no_prompt(settings.name.is_some()))?;
        let (messages, notes) = (Vec::new(), Vec::new());
        let base_url = own_address.or(address);
        return Ok(Opened { id: None, model, base_url, file: None, messages, prompt, notes });
    };
    let found =
        sessions::find(state, Some(wanted).filter(|id| !id.is_empty()), &directories.cwd).map_err(usage)?;
    let resumed = sessions::resume(&found.path).map_err(usage)?;
    let mut notes = Vec::new();
    if resumed.folder != directories.cwd {
        notes.push(format!(
            "this session worked in {}, and goes on in {}",
            resumed.folder.display(),
            directories.cwd.display()
        ));
    }
    if resumed.interrupted_calls > 0 {
        let calls = if resumed.interrupted_calls == 1 { "1 call" } else { "several calls" };
        notes.push(format!(
            "{calls} had no result when the session ended; the model is told, and they do not run again"
        ));
    }
    let (model, base_url) = match args.model.model.clone() {
        Some(named) => (named, own_address.or(address)),
        None => (resumed.model, own_address.or(resumed.base_url)),
    };
    Ok(Opened {
        model,
        base_url,
        id: Some(resumed.id),
        file: Some(resumed.file),
        messages: resumed.messages,
        prompt: prompt.unwrap_or_else(|| GO_ON.to_owned()),
        notes,
    })
}

struct Session<'a> {
    env: &'a Env,
    args: &'a RunArgs,
    directories: Directories,
    settings: Settings,
    name: ModelName,
    model: Arc<ProviderModel>,
}

impl Session<'_> {
    async fn run(&self, opened: Opened, state: &Path) -> Result<Exit, Failure> {
        let (env, args, directories) = (self.env, self.args, &self.directories);
        let roots = [directories.project_root.as_path()];
        let trust = args.pins.trust(env, &roots)?;
        let mut hooks = wiring::gating_hooks(env, directories, &args.hooks, &trust);
        if !args.is_headless() {
            match at_start(env, directories, &hooks, &trust)? {
                AtStart::Unchanged => {}
                AtStart::Decided => hooks = wiring::gating_hooks(env, directories, &args.hooks, &trust),
                AtStart::Interrupted => return Ok(Exit::Interrupted),
            }
        }
        // As with every agent: without any hook in force nothing is let through.
        required::require(&mut hooks, directories, &trust);
        let id = opened.id.clone().unwrap_or_else(|| new_id(directories));
        let lists = self.lists(&trust, &id);
        let has_lists = !lists.is_empty();
        let lists: Arc<dyn Lists> = Arc::new(lists);
        let waiting = Pending::default();
        let tasks = has_lists.then(|| TaskHandler::new(Arc::clone(&lists), waiting.clone()));
        let host = self.host(hooks, &id, tasks)?;
        let (file, messages) = self.file(opened.file, opened.messages, opened.base_url, state, &id)?;
        let paint = Paint { on: !args.as_json() && env.colours(env.stdout_is_terminal) };
        head::tell(&host, directories, paint, args.as_json());

        let workspace =
            Workspace::new(&directories.cwd).map_err(|error| Failure::Usage(error.to_string()))?;
        let workspace = Arc::new(workspace);
        let mut driver = self.driver(&workspace)?;
        let cancel = CancellationToken::new();
        wiring::cancel_when_told(&cancel);
        let mut plan = DrivePlan {
            cancel,
            timeout: args.model.timeout.or(self.settings.model.timeout),
            lists,
            waiting,
            checks: status_folder::of_session(directories, AGENT, Some(&id)),
            recorder: Some(file),
            ..DrivePlan::new(id.as_str(), AGENT, workspace)
        };
        args.iterate.plan(&mut plan, env, &directories.cwd);
        let mut telling = Telling::new(env, paint, args.as_json());
        for text in opened.notes {
            telling.notice(text);
        }
        let mut prompts = args.iterate.prompts(opened.prompt);
        let driven = drive(&host, &mut driver, &mut *prompts, &plan, messages, &mut telling).await;
        telling.write(args.summary.as_deref(), &self.name.to_string())?;
        let summary = driven
            .summary
            .map_err(|error| Failure::Internal(format!("failed to drive the session: {error}")))?;
        if !args.as_json() {
            print::stdout(&format!("{} snaphook run --resume {id}\n", paint.dim("go on:")));
        }
        Ok(exit(summary.ending))
    }

    fn host(
        &self,
        mut hooks: snaphook::Discovery,
        id: &str,
        tasks: Option<TaskHandler>,
    ) -> Result<Host, Failure> {
        let (env, args, directories) = (self.env, self.args, &self.directories);
        let settings = wiring::settings(directories, &mut hooks);
        let ci = args.ci.then_some(DefaultVerdict::Deny);
        let (standing, told) = hold::by_default(env, false);
        if let Some(told) = told.filter(|_| settings.hold.tools.is_none()) {
            hold::tell(env, args.as_json(), &told);
        }
        let plan = HostPlan {
            env,
            directories,
            hooks,
            settings: &settings,
            session: hosting::session(directories, AGENT, id.to_owned()),
            default: args.default.map(DefaultArg::verdict).or(ci),
            records: Records::Audit,
            hold: standing,
        };
        let ui: Arc<dyn UiContext> =
            if args.is_headless() { Arc::new(HeadlessUi) } else { wiring::ui(env, None)? };
        let mut builder = plan.builder(&wiring::engines(false)?).ui(ui);
        if let Some(tasks) = tasks {
            builder = builder.handler(Arc::new(tasks));
        }
        Ok(builder.build())
    }

    fn lists(&self, trust: &Trust, id: &str) -> FileLists {
        FileLists {
            directories: self.directories.clone(),
            trust: trust.clone(),
            env: Arc::clone(&self.env.vars),
            program: self.env.program.clone(),
            session: id.to_owned(),
        }
    }

    /// The session's file, and the conversation with what is known of calls that had no result.
    fn file(
        &self,
        file: Option<SessionFile>,
        messages: Vec<Message>,
        base_url: Option<String>,
        state: &Path,
        id: &str,
    ) -> Result<(Arc<SessionFile>, Vec<Message>), Failure> {
        let failed =
            |error: String| Failure::Internal(format!("the session cannot be written down: {error}"));
        let began = jiff::Timestamp::now().to_string();
        let model = self.name.to_string();
        let file = match file {
            Some(file) => {
                file.write(&Line::Resumed { model, base_url, at: began })
                    .map_err(|error| failed(error.to_string()))?;
                file
            }
            None => {
                let new = NewSession {
                    id: id.to_owned(),
                    model,
                    base_url,
                    folder: self.directories.cwd.clone(),
                    began,
                };
                SessionFile::begin(state, new).map_err(|error| failed(error.to_string()))?
            }
        };
        Ok((Arc::new(file), messages))
    }

    fn driver(&self, workspace: &Arc<Workspace>) -> Result<ModelDriver, Failure> {
        let (args, settings) = (&self.args.model, &self.settings.model);
        let own = match args.system.as_deref().or(settings.system.as_deref()) {
            None => None,
            Some(path) => Some(input::text(&self.directories.cwd.join(path))?),
        };
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
        let prompt = system::prompt(own.as_deref(), &self.directories.cwd, &today);
        if let Some(note) = prompt.note {
            print::error(self.env, &note);
        }
        let options = AskOptions {
            system: Some(prompt.text),
            limits: ModelLimits {
                turns: args.max_turns.or(settings.max_turns),
                tokens: args.max_tokens.or(settings.max_tokens),
                calls: args.max_calls.or(settings.max_calls),
            },
            retries: Retries::default(),
            // Where nobody watches it come, less can break of an answer that comes whole.
            whole: self.args.as_json() || !self.env.stdout_is_terminal,
            max_output: settings.max_output,
            window: settings.window,
        };
        let toolbox = Toolbox::new(Arc::clone(workspace), self.env.vars.to_vec());
        Ok(ModelDriver::new(Arc::clone(&self.model) as Arc<_>, Toolset::of(&toolbox), options))
    }
}

/// An id that sorts by time, and that no other session has.
fn new_id(directories: &Directories) -> String {
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let unique = hosting::new_session(directories, AGENT).id;
    let unique = unique.rsplit('-').next().unwrap_or_default();
    format!("{}-{unique}", now.strftime("%Y%m%d-%H%M%S"))
}

/// Returns the exit code of a session that ended like this.
pub(super) fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::Completed => Exit::Fine,
        Ending::Interrupted => Exit::Interrupted,
        Ending::Terminated | Ending::PromptBlocked => Exit::Denied,
        Ending::Limit => Exit::Limit,
        Ending::Failed | Ending::ChecksFailed | Ending::NoProgress | Ending::BlockedOnHuman => Exit::Failed,
    }
}
