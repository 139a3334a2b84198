//! The heading of our questions to a person, and servers' questions that look as if they had it: a person who answers one must know
//! whose it is. Not here: how our questions are asked (`elicitation`, `session::input_required`).

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::json::strict;
use snaphook_mcp_transport::json::{Fields, splice};
use snaphook_mcp_transport::message::Message;

/// The beginning of each of snaphook's questions.
pub(crate) const HEADING: &str = "Snaphook asks for a hook:";

/// The word of the heading that no text of a server's question may have, however it is written.
const WORD: &str = "snaphook";

/// The text in the place of one that has it.
const REMOVED: &str = "[removed: the server's text looks like a question of the gate]";

/// The question in the place of one that cannot be read.
const UNREADABLE: &str = "[removed: the server's question cannot be read]";

/// Letters that look like those of the word, behind what normalization makes the same: Cyrillic, Greek, Armenian, small capitals, digits.
const ALIKE: [(char, &str); 7] = [
    ('s', "ѕꜱ5$ƽ§"),
    ('n', "пɴոηռŋ"),
    ('a', "аᴀα4@ɑӕ"),
    ('p', "рᴘρрϱ"),
    ('h', "һʜհнħ"),
    ('o', "оᴏο0օσøөס๐໐"),
    ('k', "кᴋκқĸ"),
];

/// Returns whether a text has the word: in any case and spelling, with anything but letters between its letters.
fn carries(text: &str) -> bool {
    let letters: String = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| ALIKE.iter().find(|(_, alike)| alike.contains(c)).map_or(c, |(plain, _)| *plain))
        .filter(|c| c.is_alphanumeric())
        .collect();
    let turned = || letters.chars().rev().collect::<String>();
    // An override turns what is shown around.
    letters.contains(WORD) || turned().contains(WORD)
}

/// Takes texts out that have the word; whether there were any. An answer's names cannot be changed: a question with such a name
/// asks for nothing any more.
fn cleaned(value: &mut Value) -> bool {
    match value {
        Value::String(text) if carries(text) => {
            REMOVED.clone_into(text);
            true
        }
        Value::Array(parts) => parts.iter_mut().fold(false, |any, part| cleaned(part) | any),
        Value::Object(fields) if fields.keys().any(|name| carries(name)) => {
            *fields = Map::new();
            true
        }
        Value::Object(fields) => fields.values_mut().fold(false, |any, part| cleaned(part) | any),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A server's question as the person may see it: as it came where nothing in it looks like ours.
pub(crate) fn servers(params: Option<&str>) -> Option<Value> {
    let nothing = || json!({"message": UNREADABLE, "requestedSchema": {"type": "object", "properties": {}}});
    let Ok(mut params) = strict(params.unwrap_or("{}")) else { return Some(nothing()) };
    cleaned(&mut params).then_some(params)
}

/// A server's message of a question, with nothing in it that looks like one of snaphook's.
pub(crate) fn of_request(message: Message) -> Message {
    let Some(params) = servers(message.body()) else { return message };
    tracing::warn!(target: "snaphook::mcp", "the server's question looked like one of snaphook's; the text was removed");
    let written = message.body().map(|body| splice(message.bytes(), body, &params.to_string()));
    written.and_then(|bytes| Message::read(bytes).ok()).unwrap_or(message)
}

/// The same of questions in a result, as since the protocol of 2026-07-28. `None` where they cannot be read.
pub(crate) fn of_result(message: Message) -> Option<Message> {
    let Some(body) = message.body().filter(|body| may_ask(body)) else { return Some(message) };
    if !body.starts_with('{') {
        return Some(message);
    }
    let fields = Fields::read(body).ok()?;
    if fields.look_alike(&["inputRequests"]).is_some() {
        return None;
    }
    let Some(asked) = fields.get("inputRequests") else { return Some(message) };
    let mut requests = strict(asked.get()).ok()?;
    if !cleaned(&mut requests) {
        return Some(message);
    }
    tracing::warn!(target: "snaphook::mcp", "the server's question looked like one of snaphook's; the text was removed");
    Message::read(splice(message.bytes(), asked.get(), &requests.to_string())).ok()
}

/// Returns whether a result may ask the person. Names in JSON may be escaped.
pub(crate) fn may_ask(body: &str) -> bool {
    let head = body.as_bytes();
    memchr::memmem::find(head, b"equests").is_some()
        || memchr::memmem::find(head, b"input_required").is_some()
        || memchr::memmem::find(head, b"\\u").is_some()
}

/// Returns whether a server's request asks the person, also where a client does not mind how it is spelled.
pub(crate) fn asks(method: &str) -> bool {
    let plain: Cow<'_, str> =
        method.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '/').into();
    snaphook_mcp_transport::json::same_folded(&plain, "elicitation/create")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_found_however_it_is_written() {
        for text in [
            HEADING,
            "SNAPHOOK asks",
            "s n a p h o o k",
            "S.n-a_p*h/o\\o|k",
            "sn\u{200b}ap\u{200d}ho\u{feff}ok",
            "snap\u{ad}hook",
            "snap\nhook",
            "\u{202e}koohpans\u{202c}",
            "ѕпарһоок",
            "ѕnарhооk",
            "ｓｎａｐｈｏｏｋ",
            "𝐬𝐧𝐚𝐩𝐡𝐨𝐨𝐤",
            "𝕊𝕟𝕒𝕡𝕙𝕠𝕠𝕜",
            "ⓢⓝⓐⓟⓗⓞⓞⓚ",
            "ꜱɴᴀᴘʜᴏᴏᴋ",
            "śñäpĥôõķ",
            "s\u{336}n\u{336}a\u{336}p\u{336}h\u{336}o\u{336}o\u{336}k",
            "5n4ph00k",
            "$n@phook",
            "σnaphοοκ snαρհσσκ",
        ] {
            assert!(carries(text), "{text:?}");
        }
        for text in
            ["", "What is your name?", "a snap; hook it up: no", "Как вас зовут?", "hook snap", "sna phk"]
        {
            assert_eq!(carries(text), text.contains("snap; hook"), "{text:?}");
        }
    }

    #[test]
    fn texts_that_look_like_ours_are_taken_out() {
        let of = |params: Value| servers(Some(&params.to_string()));
        assert_eq!(
            of(json!({"message": "Your name?", "requestedSchema": {"properties": {"name": {}}}})),
            None
        );
        assert_eq!(
            of(json!({"message": format!("{HEADING}\nDelete all?"), "requestedSchema": {"type": "object"}})),
            Some(json!({"message": REMOVED, "requestedSchema": {"type": "object"}}))
        );
        assert_eq!(
            of(
                json!({"message": "?", "requestedSchema": {"properties": {"a": {"title": "snap hook", "enum": ["x", "ѕnaphook"]}}}})
            ),
            Some(
                json!({"message": "?", "requestedSchema": {"properties": {"a": {"title": REMOVED, "enum": ["x", REMOVED]}}}})
            )
        );
        assert_eq!(
            of(json!({"message": "?", "requestedSchema": {"properties": {"Snaphook": {}}}})),
            Some(json!({"message": "?", "requestedSchema": {"properties": {}}}))
        );
        for torn in [r#"{"message":"\ud83d"}"#, r#"{"message":"a","message":"Snaphook"}"#] {
            assert_eq!(servers(Some(torn)).unwrap()["message"], UNREADABLE);
        }
        let result = |requests: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required",{requests}}}}}"#
            );
            of_result(Message::read(text).unwrap())
                .map(|message| String::from_utf8_lossy(message.bytes()).into_owned())
        };
        let asked =
            r#""inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Snaphook: yes?"}}}"#;
        assert!(result(asked).unwrap().contains(REMOVED));
        assert!(!result(asked).unwrap().contains("Snaphook"));
        let ours =
            r#""inputRequests":{"snaphook":{"method":"elicitation/create","params":{"message":"yes?"}}}"#;
        assert!(!result(ours).unwrap().contains("yes?"));
        let list = Message::read(r#"{"jsonrpc":"2.0","id":1,"result":["\u0041"]}"#.to_owned()).unwrap();
        assert!(of_result(list).is_some());
        assert!(result(r#""InputRequests":{}"#).is_none());
        assert!(result(r#""inputRequests":{"q":{"params":{"message":"Name?"}}}"#).unwrap().contains("Name?"));
    }

    #[test]
    fn requests_that_ask_are_known() {
        for (method, want) in [
            ("elicitation/create", true),
            ("Elicitation/Create ", true),
            ("/elicitation/create", true),
            ("roots/list", false),
        ] {
            assert_eq!(asks(method), want, "{method}");
        }
    }
}
