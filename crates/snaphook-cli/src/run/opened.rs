//! The conversation that a session with a model begins with: a new one, or that of an earlier session. Not here: the session
//! (`model`).

use std::path::Path;

use snaphook_agent::message::Message;
use snaphook_agent::sessions::{self, SessionFile};
use snaphook_discovery::{Directories, ModelSettings};

use super::args::RunArgs;
use super::input;
use crate::exit::Failure;

/// The words to an agent whose session is gone on with, and no new prompt.
const GO_ON: &str = "Go on with the task where you left it.";

/// The conversation that a session begins with.
pub(super) struct Opened {
    pub(super) id: Option<String>,
    pub(super) model: String,
    pub(super) base_url: Option<String>,
    pub(super) file: Option<SessionFile>,
    pub(super) messages: Vec<Message>,
    /// The prompt; `None` where a person at the terminal writes them.
    pub(super) prompt: Option<String>,
    pub(super) notes: Vec<String>,
}

/// Opens the conversation: a new one, or that of an earlier session.
///
/// # Errors
/// No model or no prompt is named, or the earlier session cannot be gone on with.
pub(super) fn open(
    args: &RunArgs,
    settings: &ModelSettings,
    directories: &Directories,
    state: &Path,
    of_a_person: bool,
) -> Result<Opened, Failure> {
    let usage = |error: sessions::SessionFileError| Failure::Usage(error.to_string());
    // The model that is named on the command line, else the session's own, else that of the settings, each with its address.
    let own_address = args.model.base_url.clone();
    // An address of the settings is for the provider of the settings: no other's key goes there.
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
        if prompt.is_none() && !of_a_person {
            return Err(super::no_prompt(settings.name.is_some()));
        }
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
        prompt: prompt.or_else(|| (!of_a_person).then(|| GO_ON.to_owned())),
        notes,
    })
}

/// The provider of a model.
pub(super) fn provider(model: &str) -> &str {
    model.split('/').next().unwrap_or_default()
}
