//! A secret in whatever a server says, each place once: what the client hears of it without a hook, past the example redact-secrets,
//! past a hook that fails, and where what no hook looks at is withheld.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;
use snaphook::Language;
use snaphook_mcp::{ElicitationUi, Options, Proxy, run};
use snaphook_mcp_transport::Message;
use snaphook_mcp_transport::transport::{Incoming, TransportDriver, channel};
use tokio::time::timeout;

use crate::scene::{TEST_TIMEOUT, builder_in, play};

/// The part of the secret that no name of a rule has.
const CORE: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

const LUA: &str = include_str!("../../../../hooks-examples/lua/redact-secrets.lua");
const RHAI: &str = include_str!("../../../../hooks-examples/rhai/redact-secrets.rhai");

const FAILS: &str = r#"
-----
-- on_failure: withhold
-----
on("tool_result", function(event) error(event.content) end)
on("mcp.server_message", function(event) error(table.concat(event.texts)) end)
"#;

const BLOCKS: &str = r#"
on("mcp.server_message", function(event)
  for _, text in event.texts do
    if text:find("ghp_") then return { block = true, reason = "a secret" } end
  end
end)
"#;

/// The server's answers to a request: its method, and the result or error; `%` stands for the secret.
const ANSWERS: &[(&str, &str)] = &[
    // A tool's result: what `tool_result` shows, and all else.
    ("tools/call", r#""result":{"content":[{"type":"text","text":"%"}]}"#),
    ("tools/call", r#""result":{"content":[],"structuredContent":{"a":["%"]}}"#),
    ("tools/call", r#""result":{"content":[],"structuredContent":{"%":1}}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource","resource":{"uri":"u","text":"%"}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource","resource":{"uri":"%","text":"t"}}]}"#),
    (
        "tools/call",
        r#""result":{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"%","text":"t"}}]}"#,
    ),
    ("tools/call", r#""result":{"content":[{"type":"resource","resource":{"uri":"u","blob":"%"}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource","resource":{"uri":"u","_meta":{"a":"%"}}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource_link","uri":"https://a/%","name":"n"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource_link","uri":"u","name":"%"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"resource_link","uri":"u","name":"n","title":"%"}]}"#),
    (
        "tools/call",
        r#""result":{"content":[{"type":"resource_link","uri":"u","name":"n","description":"%"}]}"#,
    ),
    ("tools/call", r#""result":{"content":[{"type":"image","data":"QUJD","mimeType":"%"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"image","data":"%","mimeType":"image/png"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"image","data":"QUJD","alt":"%"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"audio","data":"QUJD","annotations":{"a":"%"}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"text","text":"t","annotations":{"audience":["%"]}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"text","text":"t","_meta":{"%":1}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"text","text":"t","k":"%"}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"other","said":{"deep":["%"]}}]}"#),
    ("tools/call", r#""result":{"content":[{"type":"%"}]}"#),
    ("tools/call", r#""result":{"content":[],"_meta":{"a":"%"}}"#),
    ("tools/call", r#""result":{"content":[],"other":"%"}"#),
    ("tools/call", r#""result":{"content":[],"%":null}"#),
    ("tools/call", r#""result":{"content":[]},"beside":"%""#),
    ("tools/call", r#""result":"%""#),
    ("tools/call", r#""error":{"code":1,"message":"%"}"#),
    ("tools/call", r#""error":{"code":1,"message":"m","data":{"a":"%"}}"#),
    ("tools/call", r#""error":{"code":1,"message":"m","more":"%"}"#),
    ("tools/call", r#""result":{"resultType":"task","taskId":"t","statusMessage":"%"}"#),
    ("tools/call", r#""result":{"resultType":"input_required","requestState":"%"}"#),
    (
        "tools/call",
        r#""result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"%"}}}}"#,
    ),
    ("tools/call", r#""result":{"resultType":"input_required","inputRequests":{"%":{}}}"#),
    ("tasks/get", r#""result":{"taskId":"t","status":"working","statusMessage":"%"}"#),
    ("tasks/result", r#""result":{"content":[{"type":"text","text":"%"}]}"#),
    ("tasks/list", r#""result":{"tasks":[{"taskId":"%"}]}"#),
    // Lists of tools.
    ("tools/list", r#""result":{"tools":[{"name":"%"}]}"#),
    ("tools/list", r#""result":{"tools":[{"name":"n","description":"%"}]}"#),
    ("tools/list", r#""result":{"tools":[{"name":"n","title":"%"}]}"#),
    (
        "tools/list",
        r#""result":{"tools":[{"name":"n","inputSchema":{"properties":{"a":{"description":"%"}}}}]}"#,
    ),
    ("tools/list", r#""result":{"tools":[{"name":"n","inputSchema":{"properties":{"%":{}}}}]}"#),
    ("tools/list", r#""result":{"tools":[{"name":"n","annotations":{"title":"%"}}]}"#),
    ("tools/list", r#""result":{"tools":[],"nextCursor":"%"}"#),
    ("tools/list", r#""error":{"code":1,"message":"%"}"#),
    // Resources.
    ("resources/read", r#""result":{"contents":[{"uri":"u","text":"%"}]}"#),
    ("resources/read", r#""result":{"contents":[{"uri":"u#%","text":"t"}]}"#),
    ("resources/read", r#""result":{"contents":[{"uri":"u","mimeType":"%","text":"t"}]}"#),
    ("resources/read", r#""result":{"contents":[{"uri":"u","blob":"%"}]}"#),
    ("resources/read", r#""result":{"contents":[],"_meta":{"a":"%"}}"#),
    ("resources/read", r#""error":{"code":-32002,"message":"%"}"#),
    ("resources/read", r#""error":{"code":-32002,"message":"m","data":"%"}"#),
    ("resources/list", r#""result":{"resources":[{"uri":"u","name":"%"}]}"#),
    ("resources/list", r#""result":{"resources":[{"uri":"u","name":"n","icons":[{"src":"%"}]}]}"#),
    ("resources/templates/list", r#""result":{"resourceTemplates":[{"uriTemplate":"u/%","name":"n"}]}"#),
    ("resources/subscribe", r#""error":{"code":1,"message":"%"}"#),
    // Prompts and completions.
    ("prompts/get", r#""result":{"description":"%","messages":[]}"#),
    ("prompts/get", r#""result":{"messages":[{"role":"user","content":{"type":"text","text":"%"}}]}"#),
    ("prompts/get", r#""result":{"messages":[{"role":"%","content":{"type":"text","text":"t"}}]}"#),
    ("prompts/get", r#""error":{"code":1,"message":"%"}"#),
    ("prompts/list", r#""result":{"prompts":[{"name":"n","arguments":[{"name":"a","description":"%"}]}]}"#),
    ("completion/complete", r#""result":{"completion":{"values":["a","%"]}}"#),
    // What the server says of itself.
    (
        "initialize",
        r#""result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"},"instructions":"%"}"#,
    ),
    (
        "initialize",
        r#""result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"%","version":"1"}}"#,
    ),
    (
        "initialize",
        r#""result":{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"%":{}}},"serverInfo":{"name":"n","version":"1"}}"#,
    ),
    (
        "initialize",
        r#""result":{"protocolVersion":"%","capabilities":{},"serverInfo":{"name":"n","version":"1"}}"#,
    ),
    ("initialize", r#""error":{"code":1,"message":"%"}"#),
    (
        "server/discover",
        r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"%"}"#,
    ),
    // Unknown methods.
    ("acme/other", r#""result":{"a":{"b":[{"c":"%"}]}}"#),
    ("ping", r#""result":["%"]"#),
];

/// Messages that the server sends by itself.
const TOLD: &[&str] = &[
    r#""method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"%"}"#,
    r#""method":"notifications/progress","params":{"progressToken":"%","progress":1}"#,
    r#""method":"notifications/message","params":{"level":"info","data":"%"}"#,
    r#""method":"notifications/message","params":{"level":"info","data":{"a":[{"%":1}]}}"#,
    r#""method":"notifications/message","params":{"level":"info","logger":"%","data":1}"#,
    r#""method":"notifications/message","params":{"level":"%","data":1}"#,
    r#""method":"notifications/resources/updated","params":{"uri":"%"}"#,
    r#""method":"notifications/cancelled","params":{"requestId":1,"reason":"%"}"#,
    r#""method":"notifications/tasks","params":{"taskId":"t","statusMessage":"%"}"#,
    r#""method":"notifications/tasks","params":{"taskId":"unknown","result":{"content":[{"type":"text","text":"%"}]}}"#,
    r#""method":"notifications/tasks/status","params":{"taskId":"%"}"#,
    r#""method":"notifications/elicitation/complete","params":{"elicitationId":"%"}"#,
    r#""method":"notifications/acme","params":["%"]"#,
    r#""method":"notifications/%""#,
    r#""method":"notifications/tools/list_changed","beside":{"a":"%"}"#,
    r#""id":null,"error":{"code":1,"message":"%"}"#,
];

/// Requests of the server.
const ASKED: &[&str] = &[
    r#""method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"%"}}]}"#,
    r#""method":"sampling/createMessage","params":{"messages":[],"systemPrompt":"%"}"#,
    r#""method":"sampling/createMessage","params":{"messages":[],"metadata":{"%":true}}"#,
    r#""method":"elicitation/create","params":{"message":"%","requestedSchema":{}}"#,
    r#""method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"%":{}}}}"#,
    r#""method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a/%"}"#,
    r#""method":"roots/list","params":{"_meta":{"a":"%"}}"#,
    r#""method":"acme/ask","params":"%""#,
    r#""method":"acme/%""#,
];

/// A session, and the id that the next request has.
struct Session {
    client: TransportDriver,
    server: TransportDriver,
    id: u64,
    /// Messages to the server that are no requests.
    aside: String,
}

/// The messages that both sides heard of one message.
struct Heard {
    client: String,
    server: String,
}

impl Session {
    fn new(language: Language, source: &str, withhold_unseen: bool) -> Self {
        let elicitation = Arc::new(ElicitationUi::default());
        let host = builder_in(language, source, &elicitation).build();
        assert!(host.problems().is_empty(), "{:?}", host.problems());
        let ((client, at_client), (server, at_server)) = (channel(), channel());
        let options = Options { name: Some("s".to_owned()), withhold_unseen, ..Options::default() };
        tokio::spawn(run(Proxy { host, elicitation, options }, client, server));
        Session { client: at_client, server: at_server, id: 0, aside: String::new() }
    }

    async fn server_says(&self, text: &str) {
        let incoming = match Message::read(text.to_owned().into_bytes()) {
            Ok(message) => Incoming::Message(message),
            Err(unreadable) => Incoming::Invalid(unreadable),
        };
        self.server.incoming.send(incoming).await.unwrap();
    }

    async fn client_hears(&mut self) -> String {
        let heard = timeout(TEST_TIMEOUT, self.client.outgoing.recv()).await.unwrap().unwrap();
        String::from_utf8(heard.bytes().to_vec()).unwrap()
    }

    async fn server_hears(&mut self) -> String {
        let heard = timeout(TEST_TIMEOUT, self.server.outgoing.recv()).await.unwrap().unwrap();
        String::from_utf8(heard.bytes().to_vec()).unwrap()
    }

    /// Asks for something; gives the id.
    async fn ask(&mut self, method: &str) -> u64 {
        self.id += 1;
        let (id, params) = (self.id, r#"{"name":"t","uri":"u","taskId":"t","arguments":{}}"#);
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.client.incoming.send(Incoming::Message(Message::read(text.clone()).unwrap())).await.unwrap();
        loop {
            let heard = self.server_hears().await;
            if heard == text {
                return id;
            }
            self.aside += &heard;
        }
    }

    async fn answer(&mut self, method: &str, said: &str) -> String {
        let id = self.ask(method).await;
        self.server_says(&format!(r#"{{"jsonrpc":"2.0","id":{id},{said}}}"#)).await;
        let heard = self.client_hears().await;
        let answer: Value = serde_json::from_str(&heard).unwrap();
        assert_eq!(answer["id"], id, "{heard}");
        heard
    }

    /// The lines that come of a message that the server sends by itself: all until it answers a ping.
    async fn deliver_notice(&mut self, said: &str) -> Heard {
        self.server_says(said).await;
        let id = self.ask("ping").await;
        self.server_says(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await;
        let end = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let mut client = String::new();
        loop {
            let heard = self.client_hears().await;
            if heard == end {
                break;
            }
            client += &heard;
        }
        while let Ok(heard) = self.server.outgoing.try_recv() {
            self.aside += &String::from_utf8_lossy(heard.bytes());
        }
        Heard { client, server: std::mem::take(&mut self.aside) }
    }
}

/// The ways to write a text.
fn with(shape: &str, template: &str) -> String {
    template.replace('%', shape)
}

fn secret() -> String {
    format!("ghp_{CORE}")
}

/// Plays all rows, and gives what the client heard of each.
async fn all(language: Language, source: &str, withhold_unseen: bool, shape: &str) -> Vec<(String, String)> {
    let mut session = Session::new(language, source, withhold_unseen);
    let mut heard = Vec::new();
    // A shape that is more than a text is no key.
    let is_json =
        |said: &str| serde_json::from_str::<IgnoredAny>(&with(shape, &format!("{{{said}}}"))).is_ok();
    for (method, said) in ANSWERS.iter().filter(|(_, said)| is_json(said)) {
        let answer = session.answer(method, &with(shape, said)).await;
        heard.push((format!("{method} {said}"), answer));
    }
    for said in TOLD.iter().filter(|said| is_json(said)) {
        let told = session.deliver_notice(&with(shape, &format!(r#"{{"jsonrpc":"2.0",{said}}}"#))).await;
        assert!(told.server.is_empty(), "{said}: {}", told.server);
        heard.push(((*said).to_owned(), told.client));
    }
    for said in ASKED.iter().filter(|said| is_json(said)) {
        let text = with(shape, &format!(r#"{{"jsonrpc":"2.0","id":"q",{said}}}"#));
        let asked = session.deliver_notice(&text).await;
        let refused = asked.server.contains(r#""id":"q","error":{"code":-32050"#);
        let is_message = Message::read(text).is_ok();
        assert_eq!(refused, asked.client.is_empty() && is_message, "{said}: {}", asked.server);
        assert!(!asked.server.contains(CORE), "{said}: {}", asked.server);
        heard.push(((*said).to_owned(), asked.client));
    }
    heard
}

/// The control: without a hook each of them reaches the client as it is.
#[tokio::test]
async fn without_a_hook_each_reaches_the_client() {
    let heard = all(Language::Lua, "", false, &secret()).await;
    assert!(heard.len() >= 90);
    for (said, heard) in heard {
        assert!(heard.contains(CORE), "{said}: {heard}");
    }
}

#[tokio::test]
async fn the_example_takes_the_secret_out_of_each() {
    for (language, source) in [(Language::Lua, LUA), (Language::Rhai, RHAI)] {
        for withhold_unseen in [false, true] {
            for (said, heard) in all(language, source, withhold_unseen, &secret()).await {
                assert!(!heard.contains(CORE), "{language:?}, {said}: {heard}");
                // In its place, but for an invalid result, of which hooks are shown nothing.
                let is_none = said == r#"tools/call "result":"%""#;
                let put = if is_none { "its form is unknown" } else { "[redacted: GitHub token]" };
                let has_picture = withhold_unseen && said.contains("QUJD");
                let put = if has_picture { "snaphook withheld this content" } else { put };
                assert!(heard.contains(put), "{language:?}, {said}: {heard}");
            }
        }
    }
}

#[tokio::test]
async fn what_no_hook_looks_at_is_withheld_where_that_is_the_rule() {
    for (said, heard) in all(Language::Lua, "", true, &secret()).await {
        assert!(!heard.contains(CORE), "{said}: {heard}");
    }
}

#[tokio::test]
async fn a_hook_that_fails_or_blocks_withholds_each() {
    for source in [FAILS, BLOCKS] {
        for (said, heard) in all(Language::Lua, source, false, &secret()).await {
            assert!(!heard.contains(CORE), "{said}: {heard}");
        }
    }
}

/// Also where another hook had the list before, and left nothing or something of it.
#[tokio::test]
async fn lists_of_tools_are_looked_at_behind_their_own_hooks() {
    let own = r#"
on("mcp.tools_list", function(event)
  local tools = {}
  for i, tool in event.tools do
    tool.description = (tool.description or "") .. "!"
    tools[i] = tool
  end
  return { tools = tools }
end)
"#;
    for (source, put) in [(LUA, "[redacted: GitHub token]"), (BLOCKS, "blocked it")] {
        let mut session = Session::new(Language::Lua, &format!("{source}{own}"), false);
        for (_, said) in ANSWERS.iter().filter(|(method, _)| *method == "tools/list") {
            let heard = session.answer("tools/list", &with(&secret(), said)).await;
            assert!(!heard.contains(CORE) && heard.contains(put), "{said}: {heard}");
        }
    }
}

/// Forms that no hook can read.
#[tokio::test]
async fn what_no_hook_can_read_is_withheld() {
    let secret = secret();
    let torn =
        [format!("\\ud83d {secret}"), format!("{secret} \\ude00"), format!(r#"","x":"1","x":"{secret}"#)];
    for (language, source) in [(Language::Lua, LUA), (Language::Rhai, RHAI)] {
        for shape in &torn {
            for (said, heard) in all(language, source, false, shape).await {
                assert!(!heard.contains(CORE), "{language:?}, {said}: {heard}");
            }
        }
    }
}

/// The texts in the place of each kind of message.
#[tokio::test]
async fn what_is_withheld_says_so() {
    let blocked = r#"[snaphook withheld this message: the hook \"h\" blocked it: a secret]"#;
    let result = r#"[snaphook withheld this result: the hook \"h\" blocked it: a secret]"#;
    let unseen = r#"no hook looks at it, and `mcp.unseen` is \"withhold\"]"#;
    let mut session = Session::new(Language::Lua, BLOCKS, false);
    for (method, said, want) in [
        ("resources/read", r#""result":{"contents":["ghp_"]}"#, format!(r#""error":{{"code":-32050,"message":"{blocked}"}}"#)),
        ("prompts/get", r#""error":{"code":1,"message":"ghp_"}"#, format!(r#""error":{{"code":-32050,"message":"{blocked}"}}"#)),
        ("tools/list", r#""result":{"tools":[{"name":"ghp_"}]}"#, format!(r#""error":{{"code":-32050,"message":"{blocked}"}}"#)),
        (
            "tools/call",
            r#""result":{"content":[],"x":"ghp_"}"#,
            format!(r#""result":{{"content":[{{"type":"text","text":"{result}"}}],"isError":true}}"#),
        ),
        ("tools/call", r#""error":{"code":1,"message":"ghp_"}"#, format!(r#""error":{{"code":-32050,"message":"{result}"}}"#)),
        (
            "initialize",
            r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"x":{"a":true}},"serverInfo":{"name":"n"},"instructions":"ghp_"}"#,
            r#""result":{"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"0"}}"#.to_owned(),
        ),
        (
            "initialize",
            r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"\ud83d"}"#,
            r#""result":{"capabilities":{"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"0"}}"#.to_owned(),
        ),
        (
            "server/discover",
            r#""result":{"supportedVersions":["2026-07-28","2027-01-01","x"],"instructions":"ghp_"}"#,
            r#""result":{"serverInfo":{"name":"s","version":"0"},"supportedVersions":["2026-07-28","2027-01-01"]}"#.to_owned(),
        ),
        ("initialize", r#""result":{"protocolVersion":"ghp_"}"#, format!(r#""error":{{"code":-32050,"message":"{blocked}"}}"#)),
    ] {
        let heard = session.answer(method, said).await;
        let (got, want): (Value, Value) = (
            serde_json::from_str(&heard).unwrap(),
            serde_json::from_str(&format!(r#"{{"jsonrpc":"2.0","id":{},{want}}}"#, session.id)).unwrap(),
        );
        assert_eq!(got, want, "{method}");
    }
    let mut session = Session::new(Language::Lua, "", true);
    let heard = session.answer("resources/read", r#""result":{"contents":["a"]}"#).await;
    assert!(heard.contains(unseen), "{heard}");
    let heard = session.answer("tools/call", r#""result":{"content":[{"type":"text","text":"a"}]}"#).await;
    assert!(heard.contains(unseen) && heard.contains(r#""isError":true"#), "{heard}");
    // What says nothing passes.
    let nothing = r#""result":{"tools":[ ], "x": 1}"#.replace(", \"x\": 1", "");
    let heard = session.answer("tools/list", &nothing).await;
    assert!(heard.contains(&nothing), "{heard}");
}

/// Pictures and other things that are written in base64: nothing can look into them.
#[tokio::test]
async fn what_is_written_in_base64_is_told_and_withheld_where_that_is_the_rule() {
    let picture = "QUJD".repeat(100);
    let sees = r#"
on("mcp.server_message", function(event)
  local seen = event.kind .. " " .. event.method .. " " .. event.server
  for _, one in event.binary do seen = seen .. " " .. (one.mime_type or "?") .. "=" .. one.bytes end
  local texts = {}
  for i, text in event.texts do texts[i] = seen .. " " .. text end
  return { texts = texts }
end)
"#;
    let read = format!(
        r#""result":{{"contents":[{{"uri":"u","mimeType":"image/png","blob":"{picture}"}},{{"uri":"v","text":"t"}}]}}"#
    );
    let mut session = Session::new(Language::Lua, sees, false);
    let heard = session.answer("resources/read", &read).await;
    let seen = "result resources/read s image/png=300";
    for part in
        [format!(r#""uri":"{seen} u""#), format!(r#""text":"{seen} t""#), format!(r#""blob":"{picture}""#)]
    {
        assert!(heard.contains(&part), "{heard}");
    }
    let note = "[snaphook withheld this content: no hook can look into it]";
    let mut session = Session::new(Language::Lua, r#"on("mcp.server_message", function() end)"#, true);
    let heard = session.answer("resources/read", &read).await;
    let want = format!(
        r#""result":{{"contents":[{{"uri":"u","mimeType":"text/plain","text":"{note}"}},{{"uri":"v","text":"t"}}]}}"#
    );
    assert!(heard.contains(&want), "{heard}");
    // Where no hook looks at texts, those that are left are enough to withhold all.
    let mut session = Session::new(Language::Lua, "", true);
    let called =
        format!(r#""result":{{"content":[{{"type":"image","data":"{picture}","mimeType":"image/png"}}]}}"#);
    let heard = session.answer("tools/call", &called).await;
    assert!(heard.contains(note) && !heard.contains(&picture), "{heard}");
}

/// A batch is taken apart where its parts are looked at.
#[tokio::test]
async fn parts_of_a_batch_are_looked_at() {
    let secret = secret();
    let steps = format!(
        r#"
> [{{"jsonrpc":"2.0","id":1,"method":"ping"}},{{"jsonrpc":"2.0","id":2,"method":"ping"}}]
>> [{{"jsonrpc":"2.0","id":1,"method":"ping"}},{{"jsonrpc":"2.0","id":2,"method":"ping"}}]
<< [{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"{secret}"}}}},{{"jsonrpc":"2.0","id":1,"result":{{"a":"{secret}"}}}},{{"jsonrpc":"2.0","id":2,"result":{{}}}}]
< {{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"[redacted: GitHub token]"}}}}
< {{"jsonrpc":"2.0","id":1,"result":{{"a":"[redacted: GitHub token]"}}}}
< {{"jsonrpc":"2.0","id":2,"result":{{}}}}
"#
    );
    play("a batch", LUA, Options { name: Some("s".to_owned()), ..Options::default() }, &steps).await;
}
