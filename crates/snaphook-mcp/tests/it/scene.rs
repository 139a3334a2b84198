//! A session as a text, one step a line. `>` the client says, `<` the client hears, `>>` the server hears, `<<` the server says;
//! `x` the client is gone, `xx` the server is; `m 59` so many minutes go by. What is heard has to be just these bytes. Our own ids are written `snaphook-1`.
//! When all steps are done the client goes, and neither side may have heard anything more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use snaphook::{
    Audit, AuditError, AuditLine, AuditOptions, Builder, Grants, HookRef, Host, Language, Scope, Script,
};
use snaphook_lua::LuaEngine;
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::Message;
use snaphook_mcp_transport::transport::{Incoming, channel};
use snaphook_rhai::RhaiEngine;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// Far longer than anything here takes.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A host with one hook, or none.
pub fn host(lua: &str, elicitation: &Arc<ElicitationUi>) -> Host {
    built(builder(lua, elicitation))
}

fn built(host: Builder) -> Host {
    let host = host.build();
    assert!(host.problems().is_empty(), "{:?}", host.problems());
    host
}

fn builder(lua: &str, elicitation: &Arc<ElicitationUi>) -> Builder {
    builder_in(Language::Lua, lua, elicitation)
}

/// The beginnings of a host with one hook, or none.
pub fn builder_in(language: Language, source: &str, elicitation: &Arc<ElicitationUi>) -> Builder {
    let script = Script {
        hook: HookRef::new("h", "h", Scope::User, "h.lua"),
        source: source.into(),
        modules: Arc::new(BTreeMap::new()),
        grants: Arc::new(Grants::default()),
        path: None,
        executable: None,
    };
    let mut host = Host::builder().ui(elicitation.clone());
    host = match language {
        Language::Rhai => host.engine(language, Arc::new(RhaiEngine::new())),
        _ => host.engine(language, Arc::new(LuaEngine::new().unwrap())),
    };
    if !source.is_empty() {
        host = host.script(script, language);
    }
    host
}

/// Each decision as it is made, with its reasons.
struct Decisions(UnboundedSender<String>);

impl Audit for Decisions {
    fn append(&self, line: &AuditLine) -> Result<(), AuditError> {
        let reasons: Vec<&str> = line.reasons.iter().map(|reason| &*reason.text).collect();
        let _ = self.0.send(format!("{}: {}", line.decision.unwrap_or_default(), reasons.join("; ")));
        Ok(())
    }
}

/// Plays a session. Gives what was decided, also what comes later.
pub async fn play(name: &str, lua: &str, options: Options, steps: &str) -> UnboundedReceiver<String> {
    let elicitation = Arc::new(ElicitationUi::default());
    let (decided, decisions) = unbounded_channel();
    let audit = Arc::new(Decisions(decided));
    let host = built(builder(lua, &elicitation).audit(audit, AuditOptions::default()));
    let ((client, mut at_client), (server, mut at_server)) = (channel(), channel());
    let session = tokio::spawn(run(Proxy { host, elicitation, options }, client, server));
    let mut ours = Ours::default();
    let (mut client_says, mut server_says) = (Some(at_client.incoming), Some(at_server.incoming));
    for step in steps.lines().map(str::trim).filter(|step| !step.is_empty()) {
        let (what, text) = step.split_once(' ').unwrap_or((step, ""));
        match what {
            ">" => client_says.as_ref().unwrap().send(incoming(&ours.spelt(text))).await.unwrap(),
            "<<" => server_says.as_ref().unwrap().send(incoming(&ours.spelt(text))).await.unwrap(),
            "<" => ours.hears(name, step, text, &mut at_client.outgoing).await,
            ">>" => ours.hears(name, step, text, &mut at_server.outgoing).await,
            "x" => drop(client_says.take()),
            "xx" => drop(server_says.take()),
            "m" => minutes(text.parse().unwrap()).await,
            other => panic!("{name}: what is `{other}`?"),
        }
    }
    drop(client_says);
    let over =
        timeout(TEST_TIMEOUT, session).await.unwrap_or_else(|_| panic!("{name}: the session does not end"));
    over.unwrap();
    drop(server_says);
    for (who, outgoing) in [("client", &mut at_client.outgoing), ("server", &mut at_server.outgoing)] {
        let more = timeout(TEST_TIMEOUT, outgoing.recv())
            .await
            .unwrap_or_else(|_| panic!("{name}: the {who} stays"));
        assert!(more.is_none(), "{name}: the {who} heard {more:?}");
    }
    decisions
}

/// Has the runtime's clock say that it is later. It stands still for that only: hooks run on other threads, and a clock that runs
/// ahead whenever nothing is to do would not wait for them.
async fn minutes(count: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60 * count)).await;
    tokio::time::resume();
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

    async fn hears(
        &mut self,
        name: &str,
        step: &str,
        want: &str,
        from: &mut tokio::sync::mpsc::Receiver<Message>,
    ) {
        let heard =
            timeout(TEST_TIMEOUT, from.recv()).await.unwrap_or_else(|_| panic!("{name}: nothing for {step}"));
        let heard = heard.unwrap_or_else(|| panic!("{name}: the end, and not {step}"));
        let mut heard = String::from_utf8(heard.bytes().to_vec()).unwrap();
        if let Some((_, rest)) = heard.split_once("\"snaphook-") {
            rest.get(..33).unwrap_or_default().clone_into(&mut self.0);
            heard = heard.replace(&self.0, "");
        }
        assert_eq!(placeless(&heard), want, "{name}");
    }
}

/// Without the place in a text that a parser's error names.
fn placeless(text: &str) -> String {
    const PLACE: &str = " at line 1 column ";
    let Some((before, behind)) = text.split_once(PLACE) else { return text.to_owned() };
    format!("{before}{}", placeless(behind.trim_start_matches(|c: char| c.is_ascii_digit())))
}
