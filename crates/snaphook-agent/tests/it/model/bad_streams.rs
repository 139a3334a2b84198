//! Streams that are broken, on every wire where they can be: nothing of a broken turn runs, no call runs twice, and the session goes
//! on or fails clearly.

use serde_json::json;
use snaphook_agent::driver::Ending;
use snaphook_testing::model::{Call, Ending as End, Exchange, Fault, IndexFault, LineEnd, Stop, Wire};

use super::{Scene, runs};

/// Two calls at once, which show that they ran.
fn two() -> Exchange {
    Exchange::calls([Call::new("bash", runs("one")), Call::new("bash", runs("two"))])
}

/// The words that a stream comes to.
#[derive(Clone, Copy)]
enum Comes {
    /// It is asked for again, and what runs is that of the second answer.
    Again,
    /// Both calls run, once.
    Both,
    /// No call runs, and the model hears why.
    NoCall(&'static str),
    /// The session goes on without any call of it.
    Without,
}

struct Case {
    name: &'static str,
    wires: &'static [Wire],
    exchange: fn() -> Exchange,
    comes: Comes,
}

const ALL: &[Wire] = &Wire::ALL;
const CHAT: &[Wire] = &[Wire::OpenAiChat];
const OPENAI: &[Wire] = &[Wire::OpenAiChat, Wire::OpenAiResponses];
const INDEXED: &[Wire] = &[Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses];
const EVENTS: &[Wire] = ALL;

const CASES: &[Case] = &[
    Case { name: "as it should be", wires: ALL, exchange: two, comes: Comes::Both },
    // A clean close before the end, at several places.
    Case {
        name: "closes after one frame",
        wires: ALL,
        exchange: || two().cut(1, End::Clean),
        comes: Comes::Again,
    },
    Case {
        name: "closes before the last frame",
        wires: &[Wire::Anthropic, Wire::OpenAiResponses, Wire::Gemini],
        exchange: || two().cut(-1, End::Clean),
        comes: Comes::Again,
    },
    Case {
        name: "closes before the finish reason",
        wires: CHAT,
        exchange: || two().cut(-3, End::Clean),
        comes: Comes::Again,
    },
    Case {
        name: "is cut in a frame",
        wires: ALL,
        exchange: || two().fault(Fault::Cut { after: 1, bytes: 9, how: End::Close }),
        comes: Comes::Again,
    },
    Case {
        name: "is reset in a frame",
        wires: ALL,
        exchange: || two().fault(Fault::Cut { after: 1, bytes: 9, how: End::Reset }),
        comes: Comes::Again,
    },
    Case {
        name: "gives no answer",
        wires: ALL,
        exchange: || two().fault(Fault::NoAnswer(End::Close)),
        comes: Comes::Again,
    },
    Case {
        name: "fails within the stream",
        wires: ALL,
        exchange: || two().fault(Fault::Error { after: 1, status: 529 }),
        comes: Comes::Again,
    },
    Case {
        name: "has a frame that is no JSON",
        wires: ALL,
        exchange: || two().fault(Fault::Replace { at: 1, raw: "data: {\"x\n\n".into() }),
        comes: Comes::Again,
    },
    // Indexes.
    Case {
        name: "counts from 1",
        wires: INDEXED,
        exchange: || two().fault(Fault::Index(IndexFault::Plus(1))),
        comes: Comes::Both,
    },
    Case {
        name: "counts from three millions",
        wires: INDEXED,
        exchange: || two().fault(Fault::Index(IndexFault::Plus(3_000_000))),
        comes: Comes::Both,
    },
    Case {
        name: "has no index",
        wires: CHAT,
        exchange: || two().fault(Fault::Index(IndexFault::Missing)),
        comes: Comes::Both,
    },
    Case {
        name: "has one index for all",
        wires: CHAT,
        exchange: || two().fault(Fault::Index(IndexFault::Same(0))),
        comes: Comes::Both,
    },
    Case {
        name: "has one index and no ids",
        wires: CHAT,
        exchange: || two().fault(Fault::Index(IndexFault::Same(0))).fault(Fault::NoIds),
        comes: Comes::Again,
    },
    Case {
        name: "has no ids",
        wires: &[Wire::Gemini, Wire::OpenAiChat],
        exchange: || two().fault(Fault::NoIds),
        comes: Comes::Both,
    },
    // Inputs.
    Case {
        name: "has input that is no text",
        wires: CHAT,
        exchange: || {
            Exchange::calls([Call::with_value("bash", runs("one")), Call::with_value("bash", runs("two"))])
        },
        comes: Comes::Both,
    },
    Case {
        name: "has no input",
        wires: OPENAI,
        exchange: || Exchange::calls([Call::with_text("bash", "")]),
        comes: Comes::NoCall("`command`"),
    },
    Case {
        name: "has half an input",
        wires: OPENAI,
        exchange: || Exchange::calls([Call::with_text("bash", "{\"command\": \"echo one >> ran")]),
        comes: Comes::NoCall("the call did not run: its input is not JSON: EOF"),
    },
    Case {
        name: "has two inputs in one",
        wires: OPENAI,
        exchange: || {
            Exchange::calls([Call::with_text(
                "bash",
                "{\"command\": \"echo one >> ran\"}{\"command\": \"echo two >> ran\"}",
            )])
        },
        comes: Comes::NoCall("the call did not run: its input is not JSON: trailing characters"),
    },
    Case {
        name: "has a list as input",
        wires: OPENAI,
        exchange: || Exchange::calls([Call::with_text("bash", "[\"echo one >> ran\"]")]),
        comes: Comes::NoCall("the call did not run: its input has to be a JSON object"),
    },
    Case {
        name: "calls what is not there",
        wires: ALL,
        exchange: || Exchange::calls([Call::new("rm", json!({}))]),
        comes: Comes::NoCall("there is no tool \"rm\"; there are bash,"),
    },
    // Ends.
    Case {
        name: "ends at the limit of tokens",
        wires: ALL,
        exchange: || two().stop(Stop::TokenLimit),
        comes: Comes::Without,
    },
    Case {
        name: "is filtered",
        wires: ALL,
        exchange: || two().and_text("x").stop(Stop::ContentFilter),
        comes: Comes::Without,
    },
    Case {
        name: "says that it is done",
        wires: &[Wire::Anthropic, Wire::OpenAiChat],
        exchange: || two().stop(Stop::End),
        comes: Comes::Both,
    },
    Case {
        name: "says that it calls",
        wires: &[Wire::Anthropic, Wire::OpenAiChat],
        exchange: || Exchange::text("x").stop(Stop::Calls),
        comes: Comes::Again,
    },
    Case {
        name: "gives no reason",
        wires: &[Wire::Anthropic, Wire::OpenAiChat],
        exchange: || two().stop(Stop::Missing),
        comes: Comes::Again,
    },
    Case {
        name: "gives a reason of its own",
        wires: &[Wire::Anthropic, Wire::OpenAiChat, Wire::Gemini],
        exchange: || two().stop(Stop::Other("ODD".into())),
        comes: Comes::Again,
    },
    Case { name: "is empty", wires: ALL, exchange: || Exchange::new([]), comes: Comes::Again },
    // Bytes: all the same to a reader.
    Case {
        name: "is split everywhere",
        wires: EVENTS,
        exchange: || two().fault(Fault::SplitEvery(1)),
        comes: Comes::Both,
    },
    Case {
        name: "is split inside `data:`",
        wires: EVENTS,
        exchange: || two().fault(Fault::SplitInside("data:".into())),
        comes: Comes::Both,
    },
    Case {
        name: "is split inside a character",
        wires: EVENTS,
        exchange: || two().and_text("ä😀").fault(Fault::SplitInside("😀".into())),
        comes: Comes::Both,
    },
    Case {
        name: "has CRLF",
        wires: &[Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses],
        exchange: || two().fault(Fault::LineEnds(LineEnd::Crlf)),
        comes: Comes::Both,
    },
    Case {
        name: "has comments",
        wires: EVENTS,
        exchange: || two().fault(Fault::Comments),
        comes: Comes::Both,
    },
    Case {
        name: "has no space",
        wires: EVENTS,
        exchange: || two().fault(Fault::NoSpace),
        comes: Comes::Both,
    },
    Case {
        name: "has many lines",
        wires: EVENTS,
        exchange: || two().fault(Fault::ManyLines),
        comes: Comes::Both,
    },
];

#[tokio::test]
async fn nothing_of_a_broken_turn_runs_and_nothing_runs_twice() {
    let mut wrong = Vec::new();
    for case in CASES {
        for wire in case.wires {
            let again = Exchange::calls([Call::new("bash", runs("again"))]);
            let mut script = vec![(case.exchange)()];
            script.extend(matches!(case.comes, Comes::Again).then_some(again));
            script.push(Exchange::text("Done."));
            // An answer after the notice that the last was cut.
            script.push(Exchange::text("Done."));
            let played = Scene::new(*wire, script).play().await;
            let (ran, told) = (played.ran(), played.told().join("\n"));
            let mut lines: Vec<&str> = ran.lines().collect();
            lines.sort_unstable();
            let is_right = match case.comes {
                Comes::Again => lines == ["again"],
                Comes::Both => lines == ["one", "two"],
                Comes::NoCall(text) => lines.is_empty() && told.contains(text),
                Comes::Without => lines.is_empty(),
            };
            let ending = played.driven.summary.as_ref().map(|summary| summary.ending);
            if !is_right || !matches!(ending, Ok(Ending::Completed)) {
                wrong.push(format!(
                    "{} ({wire:?}): ran {lines:?}, {ending:?}\n  {}\n  {told}",
                    case.name,
                    played.dropped().join("\n  ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A stream that never ends is given up, and takes no memory that grows.
#[tokio::test]
async fn an_endless_stream_is_given_up() {
    let endless = Exchange::text("x".repeat(1000)).fault(Fault::Endless { after: 2, raw: None });
    for wire in [Wire::OpenAiChat, Wire::Anthropic] {
        let played = Scene { max_answer: 100_000, ..Scene::new(wire, [endless.clone()]) }.play().await;
        assert_eq!(played.summary().ending, Ending::Failed, "{wire:?}");
        assert!(
            played.dropped().iter().any(|why| why.contains("the answer has more than")),
            "{wire:?} {:?}",
            played.dropped()
        );
    }
}

/// A server that is broken for good: the session fails after a few attempts, and says how.
#[tokio::test]
async fn a_server_that_stays_broken_fails_the_session() {
    let broken = || two().cut(1, End::Clean);
    let played = Scene::new(
        Wire::Anthropic,
        [broken(), Exchange::text("").stop(Stop::End), Exchange::text("").stop(Stop::End)],
    )
    .play()
    .await;
    assert_eq!((played.ran().as_str(), played.summary().ending), ("", Ending::Failed));
    assert_eq!(played.server.requests().len(), 3);
    // After the first the answer is asked for whole: less of it can break.
    let streamed: Vec<bool> = played.server.requests().iter().map(|request| request.streamed).collect();
    assert_eq!(streamed, [true, false, false]);
}
