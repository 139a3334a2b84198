//! A session as a text, one step a line. `>` the editor says, `<` the editor hears, `>>` the agent hears, `<<` the agent
//! says; `x` the editor is gone, `xx` the agent is. What is heard has to be just these bytes; `<~` and `>>~` may come in
//! any order among each other. Our own ids are written `snaphook-1`. When all steps are done neither side may hear anything more.
//!
//! What snaphook itself writes is read back by the protocol's own types.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    RequestPermissionRequest, RequestPermissionResponse, SessionNotification,
};
use serde_json::Value;
use snaphook::{Grants, HookRef, Host, Language, Scope, Script, UiContext};
use snaphook_acp::{Ended, HostError, Hosts, Proxy, run};
use snaphook_lua::LuaEngine;
use snaphook_mcp_transport::Message;
use snaphook_mcp_transport::transport::{Incoming, channel};
use snaphook_rhai::RhaiEngine;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

/// Far longer than anything here takes.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A folder begins with this where its hooks do not load.
pub const BROKEN: &str = "/broken";

/// A session that has begun.
pub const BEGUN: &str = r#"
> {"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
>> {"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
<< {"jsonrpc":"2.0","id":0,"result":{"sessionId":"s"}}
< {"jsonrpc":"2.0","id":0,"result":{"sessionId":"s"}}
"#;

/// The hooks of a folder: the same script for all, and none that loads for some.
struct OneScript {
    language: Language,
    source: String,
}

impl Hosts for OneScript {
    fn host(&self, folder: &Path, ui: Arc<dyn UiContext>) -> Result<Host, HostError> {
        if folder.starts_with("/gone") {
            return Err("the folder is gone".into());
        }
        let source = if folder.starts_with(BROKEN) { "on(" } else { &self.source };
        let script = Script {
            hook: HookRef::new("h", "h", Scope::User, "h.lua"),
            source: source.into(),
            modules: Arc::new(BTreeMap::new()),
            grants: Arc::new(Grants::default()),
            path: None,
            executable: None,
        };
        let host = match self.language {
            Language::Rhai => Host::builder().engine(self.language, Arc::new(RhaiEngine::new())),
            _ => Host::builder().engine(self.language, Arc::new(LuaEngine::new()?)),
        };
        let host = if source.is_empty() { host } else { host.script(script, self.language) };
        Ok(host.ui(ui).build())
    }
}

/// Plays a session with a script in Luau.
pub async fn play(name: &str, lua: &str, steps: &str) -> Ended {
    play_with(name, Language::Lua, lua, false, steps).await
}

/// Plays a session.
pub async fn play_with(
    name: &str,
    language: Language,
    source: &str,
    is_headless: bool,
    steps: &str,
) -> Ended {
    let hosts = Arc::new(OneScript { language, source: source.to_owned() });
    let proxy = Proxy { is_headless, ..Proxy::new(hosts, "/p") };
    let ((editor, mut at_editor), (agent, mut at_agent)) = (channel(), channel());
    let running = tokio::spawn(run(proxy, editor, agent));
    let mut ours = Ours::default();
    let (mut editor_says, mut agent_says) = (Some(at_editor.incoming), Some(at_agent.incoming));
    let mut steps = steps.lines().map(str::trim).filter(|step| !step.is_empty()).peekable();
    while let Some(step) = steps.next() {
        let (what, text) = step.split_once(' ').unwrap_or((step, ""));
        match what {
            ">" => editor_says.as_ref().unwrap().send(incoming(&ours.spelt(text))).await.unwrap(),
            "<<" => agent_says.as_ref().unwrap().send(incoming(&ours.spelt(text))).await.unwrap(),
            "<" => {
                let heard = ours.hears(name, step, &mut at_editor.outgoing).await;
                assert_eq!(heard, text, "{name}");
            }
            ">>" => {
                let heard = ours.hears(name, step, &mut at_agent.outgoing).await;
                assert_eq!(heard, text, "{name}");
            }
            "<~" | ">>~" => {
                let mut wanted = vec![text];
                while let Some(next) =
                    steps.next_if(|next| next.split_once(' ').is_some_and(|(same, _)| same == what))
                {
                    wanted.push(next.split_once(' ').unwrap().1);
                }
                let from = if what == "<~" { &mut at_editor.outgoing } else { &mut at_agent.outgoing };
                let mut heard = Vec::new();
                for _ in &wanted {
                    heard.push(ours.hears(name, step, from).await);
                }
                heard.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(heard, wanted, "{name}");
            }
            "x" => drop(editor_says.take()),
            "xx" => drop(agent_says.take()),
            other => panic!("{name}: what is `{other}`?"),
        }
    }
    if agent_says.is_some() {
        drop(editor_says);
    }
    let ended = timeout(TEST_TIMEOUT, running).await;
    let ended = ended.unwrap_or_else(|_| panic!("{name}: it does not end")).unwrap();
    drop(agent_says);
    for (who, outgoing) in [("editor", &mut at_editor.outgoing), ("agent", &mut at_agent.outgoing)] {
        let more = timeout(TEST_TIMEOUT, outgoing.recv())
            .await
            .unwrap_or_else(|_| panic!("{name}: the {who} stays"));
        assert!(more.is_none(), "{name}: the {who} heard {more:?}");
    }
    ended
}

/// Plays each.
pub async fn play_all(lua: &str, cases: &[(&str, String)]) {
    for (name, steps) in cases {
        play(name, lua, steps).await;
    }
}

fn incoming(text: &str) -> Incoming {
    match Message::read(text.as_bytes().to_vec()) {
        Ok(message) => Incoming::Message(message),
        Err(unreadable) => Incoming::Invalid(unreadable),
    }
}

/// The random part of our ids.
#[derive(Default)]
struct Ours(String);

impl Ours {
    fn spelt(&self, text: &str) -> String {
        text.replace("snaphook-", &format!("snaphook-{}", self.0))
    }

    async fn hears(&mut self, name: &str, step: &str, from: &mut Receiver<Message>) -> String {
        let heard =
            timeout(TEST_TIMEOUT, from.recv()).await.unwrap_or_else(|_| panic!("{name}: nothing for {step}"));
        let heard = heard.unwrap_or_else(|| panic!("{name}: the end, and not {step}"));
        let mut heard = String::from_utf8(heard.bytes().to_vec()).unwrap();
        if let Some((_, rest)) = heard.split_once("\"snaphook-") {
            rest.get(..33).unwrap_or_default().clone_into(&mut self.0);
            heard = heard.replace(&self.0, "");
            is_of_the_protocol(name, &heard);
        }
        if heard.contains("\"outcome\"") || heard.contains("by snaphook: ") {
            is_of_the_protocol(name, &heard);
        }
        placeless(&heard)
    }
}

/// The protocol's own types read what we write.
fn is_of_the_protocol(name: &str, text: &str) {
    let message: Value = serde_json::from_str(text).unwrap();
    let params = message["params"].clone();
    match message["method"].as_str() {
        Some("session/request_permission") => {
            drop(serde_json::from_value::<RequestPermissionRequest>(params).unwrap())
        }
        Some("session/update") => drop(serde_json::from_value::<SessionNotification>(params).unwrap()),
        None if message["result"]["outcome"].is_object() => {
            drop(serde_json::from_value::<RequestPermissionResponse>(message["result"].clone()).unwrap());
        }
        other => assert!(message.get("error").is_some() || other.is_some(), "{name}: {text}"),
    }
}

/// Without the place in a text that a parser's error names.
fn placeless(text: &str) -> String {
    const PLACE: &str = " at line 1 column ";
    let Some((before, behind)) = text.split_once(PLACE) else { return text.to_owned() };
    format!("{before}{}", placeless(behind.trim_start_matches(|c: char| c.is_ascii_digit())))
}
