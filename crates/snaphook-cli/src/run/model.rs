//! A session with a model: an agent of our own in the current folder. Not here: the session and the model (`snaphook-agent`).

use std::path::Path;
use std::sync::Arc;

use snaphook::{DefaultVerdict, HeadlessUi, Host, UiContext};
use snaphook_agent::driver::{DriveError, DrivePlan, Ending, Lists, Summary, drive};
use snaphook_agent::lists::{FileLists, TaskHandler};
use snaphook_agent::message::Message;
use snaphook_agent::model::client::ProviderModel;
#[cfg(unix)]
use snaphook_agent::model::driver::ModelChoice;
use snaphook_agent::model::driver::{AskOptions, ModelDriver, ModelLimits};
use snaphook_agent::model::provider::{ModelName, key_variables};
use snaphook_agent::model::retry::Retries;
use snaphook_agent::model::system;
use snaphook_agent::sessions::{Line, NewSession, SessionFile};
use snaphook_agent::tools::{Toolbox, Workspace};
use snaphook_agent::toolset::Toolset;
use snaphook_discovery::{ChangedTools, Directories, Settings, Trust};
use snaphook_session::agent_loop::pending::Pending;
#[cfg(unix)]
use snaphook_session::agent_loop::turn::GRACE;
use snaphook_session::hosting::{self, HostPlan, Records};
use snaphook_session::{required, status_folder};

use super::args::RunArgs;
#[cfg(unix)]
use super::interactive::{Controls, Interactive};
use super::mcp::McpPlan;
use super::opened::{Opened, open, provider};
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

/// Runs the command.
pub(super) async fn run(env: &Env, args: RunArgs) -> Result<Exit, Failure> {
    // From here on no key of a provider is in what hooks and tools get.
    let without_keys = env.without(key_variables());
    let directories = args.compat.with(wiring::directories(env, args.cwd.as_deref())?);
    let (settings, _) = Settings::load(&directories);
    let state = directories.state.clone().ok_or_else(super::no_state)?;
    let opened = open(&args, &settings.model, &directories, &state, args.is_of_a_person(env))?;
    let models = |name: &str, base_url: Option<&str>| named_model(env, name, base_url);
    let (name, model) = models(&opened.model, opened.base_url.as_deref())?;
    let session =
        Session { env: &without_keys, args: &args, directories, settings, name, model, models: &models };
    session.run(opened, &state).await
}

/// Returns the model of this name.
///
/// # Errors
/// There is none, or it cannot be used.
fn named_model(
    env: &Env,
    name: &str,
    base_url: Option<&str>,
) -> Result<(ModelName, Arc<ProviderModel>), Failure> {
    let name = ModelName::parse(name).map_err(|error| Failure::Usage(format!("`--model`: {error}")))?;
    let key = name.provider.keys.iter().find_map(|variable| env.text(variable));
    let model = ProviderModel::new(&name, base_url, key, snaphook::system_tls)
        .map_err(|error| Failure::Usage(format!("the model cannot be used: {error}")))?;
    Ok((name, Arc::new(model)))
}

struct Session<'a> {
    env: &'a Env,
    args: &'a RunArgs,
    directories: Directories,
    settings: Settings,
    name: ModelName,
    model: Arc<ProviderModel>,
    models: &'a Models<'a>,
}

/// Finds a model by its name and address.
type Models<'a> = dyn Fn(&str, Option<&str>) -> Result<(ModelName, Arc<ProviderModel>), Failure> + Sync + 'a;

/// A session that is about to be driven.
struct Begun {
    id: String,
    hooks: snaphook::Discovery,
    tasks: Option<TaskHandler>,
    servers: McpPlan,
    file: Arc<SessionFile>,
    messages: Vec<Message>,
    driver: ModelDriver,
    plan: DrivePlan,
    paint: Paint,
    notes: Vec<String>,
}

fn failed(error: DriveError) -> Failure {
    Failure::Internal(format!("failed to drive the session: {error}"))
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
        let servers = McpPlan::of(env, &args.servers, directories, &trust)?;
        let paint = Paint { on: !args.as_json() && env.colours(env.stdout_is_terminal) };
        let (file, messages) =
            self.file(opened.file, opened.messages, opened.base_url.clone(), state, &id)?;
        let workspace =
            Workspace::new(&directories.cwd).map_err(|error| Failure::Usage(error.to_string()))?;
        let workspace = Arc::new(workspace);
        let driver = self.driver(&workspace)?;
        let mut plan = DrivePlan {
            timeout: args.model.timeout.or(self.settings.model.timeout),
            lists,
            waiting,
            checks: status_folder::of_session(directories, AGENT, Some(&id)),
            recorder: Some(Arc::clone(&file) as Arc<_>),
            ..DrivePlan::new(id.as_str(), AGENT, workspace)
        };
        args.iterate.plan(&mut plan, env, &directories.cwd);
        let begun =
            Begun { id, hooks, tasks, servers, file, messages, driver, plan, paint, notes: opened.notes };
        let (summary, id) = match opened.prompt {
            Some(prompt) => self.work_on(prompt, begun).await?,
            None => self.work_with_person(begun, state, opened.base_url).await?,
        };
        if !args.as_json() {
            print::stdout(&format!("{} snaphook run --resume {id}\n", paint.dim("go on:")));
        }
        Ok(exit(summary.ending))
    }

    /// A session with one prompt, or one that is given again and again.
    async fn work_on(&self, prompt: String, mut begun: Begun) -> Result<(Summary, String), Failure> {
        let (env, args) = (self.env, self.args);
        let ui: Arc<dyn UiContext> =
            if args.is_headless() { Arc::new(HeadlessUi) } else { wiring::ui(env, None)? };
        let host = self.host(begun.hooks, &begun.id, begun.tasks, ui, &begun.servers)?;
        head::tell(&host, &self.directories, begun.paint, args.as_json());
        wiring::cancel_when_told(&begun.plan.cancel);
        let mut telling = Telling::new(env, begun.paint, args.as_json());
        for text in begun.notes {
            telling.notice(text);
        }
        let (folder, cancel) = (&self.directories.cwd, &begun.plan.cancel);
        if let Some(servers) = begun.servers.start(folder, &host, cancel, &mut telling).await {
            begun.driver.offer(servers);
        }
        let mut prompts = args.iterate.prompts(prompt);
        let driven =
            drive(&host, &mut begun.driver, &mut *prompts, &begun.plan, begun.messages, &mut telling).await;
        telling.write(args.summary.as_deref(), &self.name.to_string())?;
        Ok((driven.summary.map_err(failed)?, begun.id))
    }

    /// A session with a person at this terminal.
    #[cfg(unix)]
    async fn work_with_person(
        &self,
        mut begun: Begun,
        state: &Path,
        base_url: Option<String>,
    ) -> Result<(Summary, String), Failure> {
        let (args, directories) = (self.args, &self.directories);
        let interactive = Interactive::begin(state, &directories.cwd, begun.paint)?;
        let host = self.host(begun.hooks, &begun.id, begun.tasks, interactive.ui(), &begun.servers)?;
        let listens = interactive.listen(&begun.plan.cancel);
        listens.map_err(|error| Failure::Internal(format!("signals cannot be listened to: {error}")))?;
        begun.plan.grace = GRACE;
        let paint = begun.paint;
        let place = print::lines(&directories.cwd.display().to_string());
        print::stdout(&format!("{} {} in {place}\n", paint.bold("session:"), self.name));
        head::tell(&host, directories, paint, false);
        print::stdout(&format!("{}\n", paint.dim("/help lists the commands; Ctrl-D leaves")));
        for text in &begun.notes {
            interactive.print(&format!("  {} {}\n", paint.dim("note:"), print::lines(text)));
        }
        let mut shown = interactive.shown(&directories.cwd);
        let cancel = &begun.plan.cancel;
        if let Some(servers) = begun.servers.start(&directories.cwd, &host, cancel, &mut shown).await {
            begun.driver.offer(servers);
        }
        let find = || self.find_hooks();
        let (choice, file) = (begun.driver.choice(), Arc::clone(&begun.file));
        let chosen = parking_lot::Mutex::new((self.name.to_string(), base_url));
        let choose = |name: &str| self.choose(name, &choice, &file, &mut chosen.lock());
        let controls = Controls {
            host: &host,
            directories,
            session: &begun.id,
            choice: choice.clone(),
            find: &find,
            choose: &choose,
        };
        let mut person = interactive.person(controls);
        let driven =
            drive(&host, &mut begun.driver, &mut person, &begun.plan, begun.messages, &mut shown).await;
        interactive.end();
        shown.write(args.summary.as_deref(), choice.get().name())?;
        let mut summary = driven.summary.map_err(failed)?;
        let usage = summary.usage.total();
        print::stdout(&format!(
            "\n{} {} turns, {usage} tokens, {} tool calls ({} denied)\n",
            paint.bold("summary:"),
            summary.turns,
            summary.calls,
            summary.denied
        ));
        // Whatever the last prompt came to, the person left as they wanted.
        if !matches!(summary.ending, Ending::Interrupted | Ending::Limit) {
            summary.ending = Ending::Completed;
        }
        Ok((summary, begun.id))
    }

    #[cfg(not(unix))]
    async fn work_with_person(
        &self,
        _: Begun,
        _: &Path,
        _: Option<String>,
    ) -> Result<(Summary, String), Failure> {
        Err(super::no_prompt(true))
    }

    /// The hooks as they are now.
    #[cfg(unix)]
    fn find_hooks(&self) -> Result<snaphook::Discovery, Failure> {
        let directories = &self.directories;
        let roots = [directories.project_root.as_path()];
        let trust = self.args.pins.trust(self.env, &roots)?;
        let mut hooks = wiring::gating_hooks(self.env, directories, &self.args.hooks, &trust);
        required::require(&mut hooks, directories, &trust);
        // What is wrong with the settings is among the problems of the hooks.
        let _ = wiring::settings(directories, &mut hooks);
        Ok(hooks)
    }

    /// Chooses another model for the rest of the session. An address goes with its provider only: no other's key goes there.
    #[cfg(unix)]
    fn choose(
        &self,
        named: &str,
        choice: &ModelChoice,
        file: &SessionFile,
        chosen: &mut (String, Option<String>),
    ) -> Result<(), Failure> {
        let configured = self.settings.model.name.as_deref().map(provider);
        let base_url = if provider(named) == provider(&chosen.0) {
            chosen.1.clone()
        } else {
            self.settings.model.base_url.clone().filter(|_| configured == Some(provider(named)))
        };
        let (name, model) = (self.models)(named, base_url.as_deref())?;
        let at = jiff::Timestamp::now().to_string();
        file.write(&Line::Resumed { model: name.to_string(), base_url: base_url.clone(), at })
            .map_err(|error| Failure::Internal(format!("the session cannot be written down: {error}")))?;
        choice.set(model);
        *chosen = (name.to_string(), base_url);
        Ok(())
    }

    fn host(
        &self,
        mut hooks: snaphook::Discovery,
        id: &str,
        tasks: Option<TaskHandler>,
        ui: Arc<dyn UiContext>,
        servers: &McpPlan,
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
        let mut builder = plan.builder(&wiring::engines(false)?).ui(ui);
        if let Some(tasks) = tasks {
            builder = builder.handler(Arc::new(tasks));
        }
        if let Some(pins) = servers.gate(settings.mcp.changed_tools == ChangedTools::Deny) {
            builder = builder.handler(pins);
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
