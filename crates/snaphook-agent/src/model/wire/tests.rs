//! Each protocol's frames, good and bad, as the reader takes them. The same streams through the whole client are in the tests of
//! this crate.

use serde_json::{Value, json};

use super::{Reader, Wire};
use crate::model::{Arguments, Stop};

/// What came of frames: each call as `name(input)`, then the stop reason or the fault.
fn read(wire: Wire, frames: &[Value]) -> String {
    let mut reader = Reader::new(wire);
    for frame in frames {
        reader.frame(&frame.to_string());
    }
    shown(reader)
}

fn shown(reader: Reader) -> String {
    let sent = reader.finish();
    let mut words: Vec<String> = sent
        .calls
        .iter()
        .map(|call| match &call.arguments {
            Arguments::Text(text) => format!("{}({text})", call.name),
            Arguments::Value(value) => format!("{}[{value}]", call.name),
        })
        .collect();
    words.push(match sent.stop {
        None => "no end".to_owned(),
        Some(Stop::Other(reason)) => format!("stopped: {reason}"),
        Some(stop) => format!("{stop:?}"),
    });
    words.extend(sent.fault.map(|fault| format!("fault: {fault}")));
    words.join(" ")
}

/// A piece of a call in a chunk of Chat Completions.
fn piece(call: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn chat_calls_are_told_apart_whatever_their_index() {
    let call = |index: Value, id: Value, name: Value, arguments: Value| {
        let mut call = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        if index.is_null() {
            call.as_object_mut().unwrap().remove("index");
        }
        piece(call)
    };
    let args =
        |index: u64, arguments: &str| piece(json!({"index": index, "function": {"arguments": arguments}}));
    let done = || finish("tool_calls");
    let cases = [
        // As it should be: two calls, in pieces that alternate.
        (
            vec![
                call(json!(0), json!("a"), json!("read"), json!("")),
                call(json!(1), json!("b"), json!("bash"), json!("")),
                args(0, "{\"x\""),
                args(1, "{}"),
                args(0, ":1}"),
                done(),
            ],
            "read({\"x\":1}) bash({}) Calls",
        ),
        // Counted from 1, and from three millions: no gap is filled.
        (vec![call(json!(1), json!("a"), json!("read"), json!("{}")), done()], "read({}) Calls"),
        (vec![call(json!(3_000_000), json!("a"), json!("read"), json!("{}")), done()], "read({}) Calls"),
        // No index at all: a name begins a call.
        (
            vec![
                call(Value::Null, json!("a"), json!("read"), json!("{}")),
                call(Value::Null, json!("b"), json!("bash"), json!("{\"c\":1}")),
                done(),
            ],
            "read({}) bash({\"c\":1}) Calls",
        ),
        // All with index 0: a new id is a new call.
        (
            vec![
                call(json!(0), json!("a"), json!("read"), json!("{}")),
                call(json!(0), json!("b"), json!("bash"), json!("{}")),
                done(),
            ],
            "read({}) bash({}) Calls",
        ),
        // All with index 0 and no id to tell them apart: not guessed.
        (
            vec![
                call(json!(0), Value::Null, json!("read"), json!("{}")),
                call(json!(0), Value::Null, json!("bash"), json!("{}")),
                done(),
            ],
            "read({}{}) Calls fault: two calls of one index",
        ),
        // The id and the name with each piece.
        (
            vec![
                call(json!(0), json!("a"), json!("read"), json!("{\"x\"")),
                call(json!(0), json!("a"), json!("read"), json!(":1}")),
                done(),
            ],
            "read({\"x\":1}) Calls",
        ),
        // Input that is no text.
        (vec![call(json!(0), json!("a"), json!("read"), json!({"x": 1})), done()], "read[{\"x\":1}] Calls"),
        (vec![args(0, "{}"), done()], "Calls fault: input of a call that did not begin"),
        (vec![call(json!(0), json!("a"), json!("read"), json!("{}"))], "read({}) no end"),
        (vec![finish("length")], "MaxTokens"),
        (vec![finish("content_filter")], "ContentFilter"),
        (vec![finish("error")], "stopped: error"),
    ];
    for (frames, expected) in cases {
        assert_eq!(read(Wire::Chat, &frames), expected, "{frames:?}");
    }
}

#[test]
fn anthropics_blocks_begin_grow_and_end() {
    let start = |index: u64, name: &str| json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": "i", "name": name, "input": {}}});
    let grow = |index: u64, part: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": part}});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let reason = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}});
    let end = || json!({"type": "message_stop"});
    let cases = [
        (
            vec![
                start(1, "read"),
                grow(1, "{\"x\":"),
                grow(1, "1}"),
                stop(1),
                start(2, "bash"),
                stop(2),
                reason("tool_use"),
                end(),
            ],
            "read({\"x\":1}) bash() Calls",
        ),
        (vec![start(1, "read"), stop(1), reason("tool_use")], "read() no end"),
        (vec![start(1, "read"), stop(1), end()], "read() no end"),
        (
            vec![start(1, "read"), grow(1, "{"), reason("tool_use"), end()],
            "Calls fault: a call that did not end",
        ),
        (vec![start(1, "read"), grow(1, "{"), reason("max_tokens"), end()], "MaxTokens"),
        (
            vec![start(1, "read"), start(1, "bash"), stop(1), reason("tool_use"), end()],
            "bash() Calls fault: two blocks of one index at once",
        ),
        (vec![grow(1, "{}"), reason("tool_use"), end()], "Calls fault: input of a call that did not begin"),
        (vec![reason("refusal"), end()], "ContentFilter"),
    ];
    for (frames, expected) in cases {
        assert_eq!(read(Wire::Anthropic, &frames), expected, "{frames:?}");
    }
}

#[test]
fn of_responses_the_last_word_counts() {
    let item = |name: &str, arguments: &str| json!({"type": "function_call", "call_id": "i", "name": name, "arguments": arguments});
    let added = |place: u64, name: &str| json!({"type": "response.output_item.added", "output_index": place, "item": item(name, "")});
    let delta = |place: u64, part: &str| json!({"type": "response.function_call_arguments.delta", "output_index": place, "delta": part});
    let completed = |output: Vec<Value>| json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    let cases = [
        (vec![added(0, "read"), delta(0, "{}"), completed(vec![item("read", "{}")])], "read({}) Calls"),
        // Some repeat nothing at the end.
        (vec![added(0, "read"), delta(0, "{}"), completed(vec![])], "read({}) End"),
        (
            vec![added(0, "read"), added(1, "bash"), completed(vec![item("read", "{}")])],
            "read({}) Calls fault: the calls at its end are not those that came",
        ),
        (vec![added(0, "read"), delta(0, "{}")], "read({}) no end"),
        (
            vec![
                json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}}),
            ],
            "MaxTokens",
        ),
        (
            vec![
                json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "it broke"}, "output": []}}),
            ],
            "stopped: it broke",
        ),
    ];
    for (frames, expected) in cases {
        assert_eq!(read(Wire::Responses, &frames), expected, "{frames:?}");
    }
}

#[test]
fn geminis_calls_come_whole_with_or_without_ids() {
    let frame = |parts: Value, reason: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]});
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {"x": 1}}});
    let cases = [
        (
            vec![frame(json!([call("read")]), Value::Null), frame(json!([call("read")]), json!("STOP"))],
            "read[{\"x\":1}] read[{\"x\":1}] End",
        ),
        (vec![frame(json!([call("read")]), Value::Null)], "read[{\"x\":1}] no end"),
        (vec![frame(json!([{"functionCall": {"name": "read"}}]), json!("STOP"))], "read[null] End"),
        (vec![frame(json!([call("read")]), json!("FUNCTION_CALL"))], "read[{\"x\":1}] Calls"),
        (vec![frame(json!([]), json!("MALFORMED_FUNCTION_CALL"))], "stopped: MALFORMED_FUNCTION_CALL"),
        (vec![frame(json!([]), json!("SAFETY"))], "ContentFilter"),
        (vec![json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})], "ContentFilter"),
    ];
    for (frames, expected) in cases {
        assert_eq!(read(Wire::Gemini, &frames), expected, "{frames:?}");
    }
}

#[test]
fn whole_answers_are_read_alike() {
    let whole = |wire: Wire, body: Value| {
        let mut reader = Reader::new(wire);
        reader.whole(&body);
        shown(reader)
    };
    let anthropic = json!({"content": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "i", "name": "read", "input": {"x": 1}}], "stop_reason": "tool_use"});
    assert_eq!(whole(Wire::Anthropic, anthropic), "read[{\"x\":1}] Calls");
    let chat = json!({"choices": [{"message": {"tool_calls": [{"id": "i", "function": {"name": "read", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}]});
    assert_eq!(whole(Wire::Chat, chat), "read({}) Calls");
    let responses = json!({"status": "completed", "output": [{"type": "function_call", "call_id": "i", "name": "read", "arguments": "{}"}]});
    assert_eq!(whole(Wire::Responses, responses), "read({}) Calls");
    let gemini = json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "read", "args": {}}}]}, "finishReason": "STOP"}]});
    assert_eq!(whole(Wire::Gemini, gemini), "read[{}] End");
}
