//! Requests of clients that share a server, each under a number of snaphook's: what is written into a request on its way in, and out of
//! what the server says on its way back. Every other byte stays. Not here: which requests are open.
//!
//! Three things say which request a message belongs to: the id of an answer, the token of progress, which the client chooses and
//! is the same number here, and the id of a subscription, which is that of the request that began it.

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::json::{Fields, JsonError, splice_all};
use crate::message::{Id, InvalidReason, Message, MessageKind};

/// The request whose answer is a stream of notifications; the only one that a server may end by `notifications/cancelled`.
pub(super) const LISTEN: &str = "subscriptions/listen";

/// The place where a notification, and the answer at the end of such a stream, say in `_meta` what they belong to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

const META: &str = "_meta";
const TOKEN: &str = "progressToken";

/// The id that a client gave its request, as it was written.
#[derive(Debug)]
pub(super) struct OriginalRequest {
    pub(super) id: Id,
    written: Box<str>,
    token: Option<Box<str>>,
    pub(super) listens: bool,
    /// True if the answer is a list of tools.
    pub(super) lists: bool,
}

/// The reason why a message cannot be renumbered. The text is about the message.
#[derive(Debug, thiserror::Error)]
pub(super) enum RenumberError {
    #[error("it is not a request")]
    NotRequest,
    #[error("it has no {0}")]
    Missing(&'static str),
    #[error("`{0}` is not how the protocol spells it")]
    Spelling(String),
    #[error("the client did not ask for progress")]
    NoProgress,
    #[error("it is of no subscription")]
    NoSubscription,
    #[error("{0}")]
    Json(#[from] JsonError),
    #[error("{0}")]
    Invalid(#[from] InvalidReason),
}

/// A request under our number, and what the client called it.
///
/// What a server could read in another way than we do is an error: it would use a token that is not ours, and so another client's.
pub(super) fn renumbered(
    request: &Message,
    number: u64,
) -> Result<(Message, OriginalRequest), RenumberError> {
    let MessageKind::Request { id, method } = request.kind() else { return Err(RenumberError::NotRequest) };
    let bytes = request.bytes();
    let top = Fields::read(text(bytes)?)?;
    let params = Fields::read(top.get("params").ok_or(RenumberError::Missing("parameters"))?.get())?;
    let meta = Fields::read(params.get(META).ok_or(RenumberError::Missing("`_meta`"))?.get())?;
    if let Some(other) = params.look_alike(&[META]).or_else(|| meta.look_alike(&[TOKEN])) {
        return Err(RenumberError::Spelling(other.to_owned()));
    }
    let written = top.get("id").ok_or(RenumberError::Missing("id"))?.get();
    // What is no token the server will not take for one.
    let token = meta.get(TOKEN).filter(|token| Id::read(token).is_some()).map(RawValue::get);
    let ours = number.to_string();
    let mut parts = vec![(written, ours.as_str())];
    parts.extend(token.map(|token| (token, ours.as_str())));
    let message = Message::read(splice_all(bytes, &mut parts)).map_err(|error| error.reason)?;
    let (listens, lists) = (**method == *LISTEN, **method == *"tools/list");
    let (written, token) = (written.into(), token.map(Into::into));
    Ok((message, OriginalRequest { id: id.clone(), written, token, listens, lists }))
}

/// The relation of something that the server says to the request that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Answer,
    Progress,
    /// A notification of a subscription.
    Subscription,
    /// The server ends a subscription, and gives no answer.
    End,
}

/// The request that a message belongs to; `None` where that is not known.
pub(super) fn relation(message: &Message) -> Option<(u64, Relation)> {
    let method = match message.kind() {
        MessageKind::Response { id, .. } => return Some((ours(id.as_ref()?)?, Relation::Answer)),
        MessageKind::Notification { method } => method,
        MessageKind::Request { .. } | MessageKind::Batch => return None,
    };
    let params = Fields::read(message.body()?).ok()?;
    let at = |fields: &Fields<'_>, key| ours(&Id::read(fields.get(key)?)?);
    match &**method {
        "notifications/progress" => Some((at(&params, TOKEN)?, Relation::Progress)),
        "notifications/cancelled" => Some((at(&params, "requestId")?, Relation::End)),
        _ => Some((at(&Fields::read(params.get(META)?.get()).ok()?, SUBSCRIPTION)?, Relation::Subscription)),
    }
}

/// The message as it is for the client, with what it called the request itself. An error says why it has no receiver.
pub(super) fn restored(
    message: &Message,
    what: Relation,
    asked: &OriginalRequest,
) -> Result<Bytes, RenumberError> {
    let bytes = message.bytes();
    let mut parts: Vec<(&str, &str)> = Vec::new();
    match what {
        Relation::Answer => {
            let top = Fields::read(text(bytes)?)?;
            let id = top.get("id").ok_or(RenumberError::Missing("id"))?;
            parts.push((id.get(), &asked.written));
            // The answer at the end of a subscription says whose it is once more.
            if asked.listens
                && let Some(again) = top.get("result").and_then(|result| subscription(result.get()))
                && Id::read(again) == Id::read(id)
            {
                parts.push((again.get(), &asked.written));
            }
        }
        Relation::Progress => {
            let token = asked.token.as_deref().ok_or(RenumberError::NoProgress)?;
            let params = Fields::read(message.body().unwrap_or_default())?;
            parts.push((params.get(TOKEN).ok_or(RenumberError::Missing("token"))?.get(), token));
        }
        Relation::Subscription | Relation::End if !asked.listens => {
            return Err(RenumberError::NoSubscription);
        }
        Relation::Subscription => {
            let id = subscription(message.body().unwrap_or_default())
                .ok_or(RenumberError::Missing("subscription id"))?;
            parts.push((id.get(), &asked.written));
        }
        Relation::End => {}
    }
    Ok(splice_all(bytes, &mut parts))
}

/// The subscription that is in parameters or a result.
fn subscription(fields: &str) -> Option<&RawValue> {
    Fields::read(Fields::read(fields).ok()?.get(META)?.get()).ok()?.get(SUBSCRIPTION)
}

/// Our number, where an id is one.
fn ours(id: &Id) -> Option<u64> {
    id.as_json().parse().ok()
}

fn text(bytes: &Bytes) -> Result<&str, RenumberError> {
    std::str::from_utf8(bytes).map_err(|_| InvalidReason::NotUtf8.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message::read(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_request_is_renamed_and_nothing_else() {
        for (came, went) in [
            (
                r#"{ "jsonrpc":"2.0", "id":"\u0061", "method":"x", "params":{"b":1e2,"_meta":{"é":"\u00e9"}}, "z":[] }"#,
                r#"{ "jsonrpc":"2.0", "id":7, "method":"x", "params":{"b":1e2,"_meta":{"é":"\u00e9"}}, "z":[] }"#,
            ),
            (
                r#"{"params":{"_meta":{"progressToken" : 0.0 ,"x":0},"id":0},"id":0,"jsonrpc":"2.0","method":"x"}"#,
                r#"{"params":{"_meta":{"progressToken" : 7 ,"x":0},"id":0},"id":7,"jsonrpc":"2.0","method":"x"}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":"t"},"progressToken":"t"}}"#,
                r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":7},"progressToken":"t"}}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"progressToken":[3]}}}"#,
                r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{"progressToken":[3]}}}"#,
            ),
        ] {
            let (got, _) = renumbered(&message(came), 7).unwrap();
            assert_eq!(got.bytes(), went);
        }
        for unclear in [
            r#"{"_meta":{"progressToken":1,"progressToken":2}}"#,
            r#"{"_meta":{"progressToken":1,"ProgressToken":2}}"#,
            r#"{"_meta":{"progress\u0054oken":1,"progresstoken":2}}"#,
            r#"{"_meta":{},"_META":{"progressToken":2}}"#,
            r#"{"_meta":{},"_meta":{"progressToken":2}}"#,
            r#"{"_meta":7}"#,
            "[]",
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{unclear}}}"#);
            assert!(renumbered(&message(&text), 7).is_err(), "{unclear}");
        }
    }

    #[test]
    fn what_belongs_to_a_request_has_the_clients_names_again() {
        let request = |method: &str, token: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id": "\u0061" ,"method":"{method}","params":{{"_meta":{{{token}}}}}}}"#
            );
            renumbered(&message(&text), 7).unwrap().1
        };
        let call = request("tools/call", r#""progressToken":"\u0074""#);
        let quiet = request("tools/call", "");
        let listen = request(LISTEN, "");
        let sub =
            |id: &str| format!(r#"{{"_meta":{{"x":7,"io.modelcontextprotocol/subscriptionId":{id}}}}}"#);
        let note = |method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
        };
        let answer = |id: &str, result: &str| format!(r#"{{"result":{result}, "jsonrpc":"2.0","id":{id}}}"#);
        let a = r#""\u0061""#;
        for (asked, said, want) in [
            (&call, answer("7", r#"{"id":7,"é":7.0}"#), Some(answer(a, r#"{"id":7,"é":7.0}"#))),
            (&call, answer("7.0", "7"), Some(answer(a, "7"))),
            (&call, answer("7", &sub("7")), Some(answer(a, &sub("7")))),
            (&listen, answer("7", &sub("7")), Some(answer(a, &sub(a)))),
            (&listen, answer("7", &sub("8")), Some(answer(a, &sub("8")))),
            (
                &call,
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"7"}}"#.to_owned(),
                Some(r#"{"jsonrpc":"2.0","id":"\u0061","error":{"code":1,"message":"7"}}"#.to_owned()),
            ),
            (
                &call,
                note("progress", r#"{"progress":7,"progressToken": 7}"#),
                Some(note("progress", r#"{"progress":7,"progressToken": "\u0074"}"#)),
            ),
            (&listen, note("tools/list_changed", &sub("7")), Some(note("tools/list_changed", &sub(a)))),
            (&listen, note("x/y", &sub("7")), Some(note("x/y", &sub(a)))),
            // The server says it of a request that did not ask for it, or of no request.
            (&quiet, note("progress", r#"{"progressToken":7}"#), None),
            (&call, note("tools/list_changed", &sub("7")), None),
            (&call, note("cancelled", r#"{"requestId":7}"#), None),
            (&call, note("progress", r#"{"progressToken":"7"}"#), None),
            (&call, note("progress", r#"{"progressToken":8,"progressToken":7}"#), None),
            (&call, note("progress", &sub("7")), None),
            (&listen, note("tools/list_changed", r#"{"io.modelcontextprotocol/subscriptionId":7}"#), None),
            (&listen, note("tools/list_changed", "{}"), None),
            (&listen, note("message", r#"{"level":"info","data":7}"#), None),
            (&call, answer(r#""7""#, "1"), None),
            (&call, r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}"#.to_owned(), None),
            (&call, r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"7"}}"#.to_owned(), None),
        ] {
            let said = message(&said);
            let told = relation(&said).filter(|(number, _)| *number == 7);
            let got = told.and_then(|(_, what)| restored(&said, what, asked).ok());
            assert_eq!(got.as_deref(), want.as_deref().map(str::as_bytes), "{said:?} to {asked:?}");
        }
        let ended = message(&note("cancelled", r#"{"requestId":7,"reason":"x"}"#));
        assert_eq!(relation(&ended), Some((7, Relation::End)));
        assert!(restored(&ended, Relation::End, &listen).is_ok());
    }
}
