//! Faults of frames and of bytes, on each wire.

use serde_json::{Value, json};
use similar::TextDiff;
use snaphook_testing::model::{Call, Exchange, Fault, IndexFault, LineEnd, Stop, Wire};

use super::client::{Received, answer};

/// Text, and two calls.
fn usual() -> Exchange {
    let call = |name: &str, value: &str| Call::new(name, json!({ "path": value }));
    Exchange::text("Grüße").and_call(call("read", "ä")).and_call(call("edit", "b"))
}

fn raw(text: &str) -> String {
    text.to_owned()
}

/// A line without the fields that are the same in all answers. `bytes` shows those.
fn essential(line: &str) -> String {
    const IDLE: [&str; 24] = [
        "object",
        "created",
        "created_at",
        "model",
        "service_tier",
        "system_fingerprint",
        "usage",
        "logprobs",
        "background",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "parallel_tool_calls",
        "metadata",
        "previous_response_id",
        "reasoning",
        "store",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_p",
        "truncation",
        "user",
    ];
    fn without_idle(value: &mut Value, is_outer: bool) {
        match value {
            Value::Object(fields) => {
                if is_outer {
                    fields.retain(|name, _| !IDLE.contains(&name.as_str()));
                }
                for name in ["response", "choices"] {
                    fields.get_mut(name).into_iter().for_each(|inner| without_idle(inner, true));
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| without_idle(inner, is_outer)),
            _ => {}
        }
    }
    let (field, data) = line.strip_prefix("data: ").map_or(("", line), |data| ("data: ", data));
    let Ok(mut data) = serde_json::from_str(data) else { return line.to_owned() };
    without_idle(&mut data, true);
    format!("{field}{data}")
}

/// The lines that differ from the usual answer.
fn differences(usual: &Received, received: &Received) -> String {
    if received.status() != 200 {
        return format!("{}\n{}", received.status(), received.body());
    }
    let lines = |received: &Received| -> Vec<String> {
        received.body().replace('\r', "").lines().filter(|line| !line.is_empty()).map(essential).collect()
    };
    let (before, after) = (lines(usual), lines(received));
    let diff = TextDiff::configure().diff_slices(
        &before.iter().map(String::as_str).collect::<Vec<_>>(),
        &after.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let mut text = String::new();
    for change in diff.iter_all_changes() {
        if change.tag() != similar::ChangeTag::Equal {
            text += &format!("{}{}\n", change.tag(), change.value());
        }
    }
    text
}

/// What each fault changes in the stream, or in the whole answer if it is about one.
#[tokio::test]
async fn faults_of_frames_change_what_they_say() {
    let faults = [
        Fault::Index(IndexFault::Missing),
        Fault::Index(IndexFault::Plus(1)),
        Fault::Index(IndexFault::Plus(3_000_000)),
        Fault::Index(IndexFault::Same(0)),
        Fault::NoIds,
        Fault::Replace { at: 1, raw: raw("data: {\"torn\":\n\n") },
        Fault::Insert { at: 0, raw: raw("event: unknown\ndata: {\"type\":\"unknown\"}\n\n") },
        Fault::Insert { at: -1, raw: raw("data: not json\n\n") },
        Fault::Remove { at: -1 },
        Fault::Repeat { at: 1 },
        Fault::Error { after: 2, status: 529 },
        Fault::Error { after: 0, status: 429 },
        Fault::Remove { at: 99 },
        Fault::SplitInside(raw("no such text")),
    ];
    for wire in Wire::ALL {
        let before = answer(usual(), wire, true).await;
        let mut text = String::new();
        for fault in &faults {
            let received = answer(usual().fault(fault.clone()), wire, true).await;
            text += &format!("---- {fault:?}\n{}", differences(&before, &received));
        }
        let before = answer(usual(), wire, false).await;
        for fault in [Fault::NoIds, Fault::Index(IndexFault::Plus(1)), Fault::Comments] {
            let received = answer(usual().fault(fault.clone()), wire, false).await;
            text += &format!("---- whole: {fault:?}\n{}", differences(&before, &received));
        }
        insta::assert_snapshot!(format!("faults_{wire:?}"), text);
    }
}

/// Calls whose arguments are not what they should be, and stop reasons that are not true.
#[tokio::test]
async fn scripts_can_contradict_themselves() {
    let exchanges = [
        ("empty arguments", Exchange::calls([Call::with_text("bash", "")])),
        ("malformed arguments", Exchange::calls([Call::with_text("bash", r#"{"command": "l"#)])),
        ("arguments as a value", Exchange::calls([Call::with_value("bash", json!({ "command": "ls" }))])),
        ("arguments that are a list", Exchange::calls([Call::new("bash", json!(["ls"]))])),
        ("calls and the reason end", Exchange::calls([Call::new("bash", json!({}))]).stop(Stop::End)),
        ("no calls and the reason calls", Exchange::text("a").stop(Stop::Calls)),
        ("calls and the token limit", Exchange::calls([Call::new("bash", json!({}))]).stop(Stop::TokenLimit)),
        ("no reason", Exchange::text("a").stop(Stop::Missing)),
        ("an unknown reason", Exchange::text("a").stop(Stop::Other("solar_flare".into()))),
        ("the same id twice", Exchange::calls([1, 2].map(|n| Call::new("bash", json!(n)).id("same")))),
    ];
    // The lines of these say nothing about it.
    let idle = ["response.created", "response.in_progress", "message_start", "ping", "message_stop"];
    for wire in Wire::ALL {
        let mut text = String::new();
        for (name, exchange) in &exchanges {
            text += &format!("---- {name}\n");
            for (event, data) in answer(exchange.clone(), wire, true).await.events() {
                if !event.is_some_and(|event| idle.contains(&event.as_str())) {
                    text += &format!("{}\n", essential(&data));
                }
            }
        }
        let whole = answer(exchanges[2].1.clone(), wire, false).await;
        text += &format!("---- arguments as a value, whole\n{}", whole.body());
        insta::assert_snapshot!(format!("contradictions_{wire:?}"), text);
    }
}

/// The events are the same, however they are written.
#[tokio::test]
async fn the_way_of_writing_does_not_change_events() {
    let ways = [
        (Fault::LineEnds(LineEnd::Lf), "\n\n"),
        (Fault::LineEnds(LineEnd::Crlf), "\r\n\r\n"),
        (Fault::LineEnds(LineEnd::Cr), "\r\r"),
        (Fault::Comments, ": comment"),
        (Fault::NoSpace, "data:{"),
        (Fault::ManyLines, "data: {"),
    ];
    let without_spaces = |events: Vec<(Option<String>, String)>| -> Vec<_> {
        let compact = |data: String| serde_json::from_str(&data).unwrap_or(Value::String(data));
        events.into_iter().map(|(name, data)| (name, compact(data))).collect()
    };
    for wire in Wire::ALL {
        let usual_events = without_spaces(answer(usual(), wire, true).await.events());
        assert!(usual_events.len() > 2);
        for (fault, sign) in &ways {
            let received = answer(usual().fault(fault.clone()), wire, true).await;
            assert!(received.body().contains(sign), "{wire:?} {fault:?}");
            assert_eq!(without_spaces(received.events()), usual_events, "{wire:?} {fault:?}");
        }
    }
}

/// The bytes are the same, and each piece is a chunk.
#[tokio::test]
async fn pieces_end_where_the_script_says() {
    for wire in Wire::ALL {
        for streamed in [true, false] {
            let before = answer(usual(), wire, streamed).await.body();
            for fault in [
                Fault::SplitAt(vec![1, 7, 8]),
                Fault::SplitEvery(1),
                Fault::SplitEvery(7),
                Fault::SplitInside(raw("ü")),
                Fault::SplitInside(raw(if streamed { "data:" } else { "path" })),
            ] {
                let received = answer(usual().fault(fault.clone()), wire, streamed).await;
                let (chunks, rest) = received.chunks();
                assert_eq!((chunks.concat() == before.as_bytes(), rest), (true, None), "{wire:?} {fault:?}");
                let mut ends = Vec::new();
                for chunk in &chunks {
                    ends.push(ends.last().unwrap_or(&0) + chunk.len());
                }
                let expected: Vec<usize> = match &fault {
                    Fault::SplitAt(positions) => positions.clone(),
                    Fault::SplitEvery(size) => {
                        (1..).map(|n| n * size).take_while(|at| *at < before.len()).collect()
                    }
                    Fault::SplitInside(text) => {
                        before.match_indices(text).map(|(at, _)| at + text.len() / 2).collect()
                    }
                    _ => Vec::new(),
                };
                assert!(
                    !expected.is_empty() && expected.iter().all(|at| ends.contains(at)),
                    "{wire:?} {fault:?}"
                );
            }
        }
    }
}
