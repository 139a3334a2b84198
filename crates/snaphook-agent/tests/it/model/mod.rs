//! Sessions with a scripted model on loopback: the client, the acceptance of turns, the driver and the tools as they are.

mod bad_streams;
mod errors;
mod limits;
mod looping;
mod sessions;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use snaphook::{CancellationToken, Handler, Host, Session};
use snaphook_agent::driver::{DrivePlan, Driven, Listed, Prompts, Step, Summary, drive};
use snaphook_agent::message::{self, Message};
use snaphook_agent::model::client::ProviderModel;
use snaphook_agent::model::driver::{AskOptions, ModelDriver};
use snaphook_agent::model::provider::ModelName;
use snaphook_agent::model::retry::Retries;
use snaphook_agent::tools::{Toolbox, Workspace};
use snaphook_agent::toolset::Toolset;
use snaphook_testing::model::{Exchange, ScriptedModel, Wire};
use tempfile::TempDir;

use crate::support::env;

/// The key that no test may find anywhere but in requests.
pub const KEY: &str = "sk-test-0123456789abcdef";

/// A session to be run: the script of the model, hooks, and how it is asked.
pub struct Scene {
    pub wire: Wire,
    pub script: Vec<Exchange>,
    pub hooks: Vec<Arc<dyn Handler>>,
    pub options: AskOptions,
    pub messages: Vec<Message>,
    pub prompts: Box<dyn Prompts>,
    pub interrupt: Interrupt,
    pub max_answer: usize,
    /// Changes the plan before the session begins.
    pub plan: Box<dyn FnOnce(&mut DrivePlan)>,
}

/// When a session is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    Never,
    /// When the server waits at this gate.
    AtGate(&'static str),
    /// When the file `ran` is there.
    WhenRan,
}

/// A session that was run.
pub struct Played {
    pub driven: Driven,
    pub steps: Vec<Step>,
    pub server: ScriptedModel,
    pub project: TempDir,
}

impl Scene {
    pub fn new(wire: Wire, script: impl IntoIterator<Item = Exchange>) -> Self {
        let retries = Retries {
            first: Duration::from_millis(1),
            most: Duration::from_millis(2),
            attempts: 4,
            ..Retries::default()
        };
        Scene {
            wire,
            script: script.into_iter().collect(),
            hooks: Vec::new(),
            options: AskOptions { system: Some("You work.".to_owned()), retries, ..AskOptions::default() },
            messages: Vec::new(),
            prompts: Box::new(Listed::new(vec!["go".to_owned()])),
            interrupt: Interrupt::Never,
            max_answer: 1 << 20,
            plan: Box::new(|_| {}),
        }
    }

    pub fn whole(mut self, whole: bool) -> Self {
        self.options.whole = whole;
        self
    }

    pub async fn play(self) -> Played {
        let server = ScriptedModel::start(self.script).await.unwrap();
        let project = TempDir::new().unwrap();
        let folder = project.path().canonicalize().unwrap();
        let session = Session {
            id: "s".into(),
            cwd: folder.clone(),
            project_root: folder.clone(),
            ..Session::default()
        };
        let builder = Host::builder().session(session).home(&folder);
        let host = self.hooks.into_iter().fold(builder, |builder, hook| builder.handler(hook)).build();
        let workspace = Arc::new(Workspace::new(&folder).unwrap());
        let toolbox = Toolbox::new(Arc::clone(&workspace), env());
        let model = Arc::new(model(self.wire, &server).max_answer(self.max_answer));
        let mut driver = ModelDriver::new(model, Toolset::of(&toolbox), self.options);
        let mut plan = DrivePlan::new("s", "snaphook", workspace);
        (self.plan)(&mut plan);
        let mut steps = Vec::new();
        let mut prompts = self.prompts;
        let mut observer = |step: &Step| steps.push(step.clone());
        let session = drive(&host, &mut driver, &mut *prompts, &plan, self.messages, &mut observer);
        let interrupted = interrupt(self.interrupt, &server, folder.join("ran"), plan.cancel.clone());
        let (driven, ()) = tokio::join!(session, interrupted);
        Played { driven, steps, server, project }
    }
}

/// A model of this wire at the server.
pub fn model(wire: Wire, server: &ScriptedModel) -> ProviderModel {
    let provider = match wire {
        Wire::Anthropic => "anthropic",
        Wire::OpenAiChat => "openai-chat",
        Wire::OpenAiResponses => "openai",
        Wire::Gemini => "gemini",
    };
    let name = ModelName::parse(&format!("{provider}/test-1")).unwrap();
    let no_tls = || Err::<_, &str>("loopback has no TLS");
    ProviderModel::new(&name, Some(&server.url(wire)), Some(KEY.to_owned()), no_tls).unwrap()
}

impl Played {
    pub fn summary(&self) -> &Summary {
        self.driven.summary.as_ref().unwrap()
    }

    /// The conversation, a line each.
    pub fn told(&self) -> Vec<String> {
        let messages = message::to_json(&self.driven.messages);
        let line = |message: &Value| {
            let text = message["content"].as_str().unwrap_or_default();
            match message["role"].as_str().unwrap_or_default() {
                "user" => match message["from"].as_str() {
                    Some(hook) => format!("{hook}: {text}"),
                    None => format!("user: {text}"),
                },
                "tool" => format!("{}: {text}", message["call_id"].as_str().unwrap()),
                role => {
                    let calls = message["calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                    let calls = calls.iter().map(|call| {
                        format!(
                            " {}={} {}",
                            call["id"].as_str().unwrap(),
                            call["tool"].as_str().unwrap(),
                            call["input"]
                        )
                    });
                    format!("{role}: {text}{}", calls.collect::<String>())
                }
            }
        };
        messages.as_array().unwrap().iter().map(line).collect()
    }

    /// The faults of answers that were dropped, and notes.
    pub fn dropped(&self) -> Vec<String> {
        let line = |step: &Step| match step {
            Step::TurnBroken { why, .. } => Some(why.clone()),
            Step::CallRefused { why, .. } => Some(why.clone()),
            Step::Notice { text } => Some(text.clone()),
            _ => None,
        };
        self.steps.iter().filter_map(line).collect()
    }

    /// The lines that tools wrote into the file `ran`, which every command of a test does.
    pub fn ran(&self) -> String {
        std::fs::read_to_string(self.project.path().join("ran")).unwrap_or_default()
    }
}

/// A command that shows that it ran.
pub fn runs(word: &str) -> Value {
    serde_json::json!({ "command": format!("echo {word} >> ran") })
}

async fn interrupt(
    when: Interrupt,
    server: &ScriptedModel,
    ran: std::path::PathBuf,
    cancel: CancellationToken,
) {
    match when {
        Interrupt::Never => return,
        Interrupt::AtGate(gate) => server.reached(gate).await,
        Interrupt::WhenRan => {
            while !ran.exists() {
                tokio::task::yield_now().await;
            }
        }
    }
    cancel.cancel();
}
