//! Answers and connections that end too early, or never.

use std::io::ErrorKind;

use snaphook_testing::model::{Delivery, Ending, Exchange, Fault, ScriptedModel, Wire};
use tokio::io::AsyncReadExt;

use super::client::{answer, read, send};

const ENDINGS: [Ending; 3] = [Ending::Clean, Ending::Close, Ending::Reset];

fn cut(after: isize, bytes: usize, how: Ending) -> Exchange {
    Exchange::text("a text of several frames").fault(Fault::Cut { after, bytes, how })
}

/// A cut answer is the beginning of the usual one; HTTP says that it is complete only if the script wants that.
#[tokio::test]
async fn cuts_are_where_the_script_says() {
    for wire in Wire::ALL {
        let usual = answer(Exchange::text("a text of several frames"), wire, true).await;
        let (frames, _) = usual.chunks();
        for how in ENDINGS {
            for (after, bytes) in [(0, 0), (0, 9), (1, 0), (2, 9), (-1, 0)] {
                let received = answer(cut(after, bytes, how), wire, true).await;
                let place = format!("{wire:?} {how:?} after {after} frames and {bytes} bytes");
                let count = usize::try_from(after).unwrap_or(frames.len() - 1);
                let (chunks, rest) = received.chunks();
                let part = &frames[count][..bytes];
                assert_eq!(received.status(), 200, "{place}");
                assert_eq!(
                    received.error,
                    (how == Ending::Reset).then_some(ErrorKind::ConnectionReset),
                    "{place}"
                );
                if how == Ending::Clean {
                    assert_eq!(
                        (chunks.concat(), rest),
                        ([&frames[..count].concat(), part].concat(), None),
                        "{place}"
                    );
                } else {
                    assert_eq!(chunks, frames[..count], "{place}");
                    // The chunk says how long it would be.
                    let size = format!("{:X}\r\n", frames[count].len());
                    let begun = if bytes == 0 { Vec::new() } else { [size.as_bytes(), part].concat() };
                    assert_eq!(rest, Some(begun.as_slice()), "{place}");
                }
            }
        }
    }
}

#[tokio::test]
async fn whole_answers_are_cut_too() {
    for wire in Wire::ALL {
        let usual = answer(Exchange::text("a text of several frames"), wire, false).await;
        for how in ENDINGS {
            let received = answer(cut(0, 40, how), wire, false).await;
            assert_eq!(received.rest, usual.rest[..40], "{wire:?} {how:?}");
            assert_eq!(received.is_complete(), how == Ending::Clean, "{wire:?} {how:?}");
            assert_eq!(received.error.is_some(), how == Ending::Reset, "{wire:?} {how:?}");
        }
        for how in ENDINGS {
            let none = Exchange::text("a").fault(Fault::NoAnswer(how));
            let received = answer(none, wire, false).await;
            assert_eq!((received.head.as_str(), received.rest.len()), ("", 0), "{wire:?} {how:?}");
            assert_eq!(received.error.is_some(), how == Ending::Reset, "{wire:?} {how:?}");
        }
    }
}

/// All bytes before the cut arrive, also if the client reads later than the server writes.
#[tokio::test]
async fn nothing_before_a_cut_is_lost() {
    let text = "ä".repeat(8 << 20);
    let usual = answer(Exchange::text(&text), Wire::Anthropic, true).await;
    let exchange = Exchange::text(&text).fault(Fault::Cut { after: -1, bytes: 0, how: Ending::Close });
    let received = answer(exchange, Wire::Anthropic, true).await;
    let (frames, _) = usual.chunks();
    let (chunks, rest) = received.chunks();
    assert!(chunks == frames[..frames.len() - 1]);
    assert_eq!(rest, Some(&[][..]));
}

#[tokio::test]
async fn the_end_of_an_answer_is_noted() {
    let script = [
        (Exchange::text("a"), Delivery::Sent),
        (cut(1, 0, Ending::Clean), Delivery::Cut),
        (cut(1, 5, Ending::Close), Delivery::Cut),
        (cut(1, 0, Ending::Reset), Delivery::Cut),
        (Exchange::text("a").fault(Fault::NoAnswer(Ending::Close)), Delivery::Cut),
        (Exchange::status(500).body(""), Delivery::Sent),
    ];
    let model = ScriptedModel::start(script.clone().map(|(exchange, _)| exchange)).await.unwrap();
    for (index, (_, expected)) in script.iter().enumerate() {
        read(&mut send(&model, Wire::OpenAiChat, true).await).await;
        assert_eq!(model.delivery(index).await, *expected, "{index}");
    }
    let model = ScriptedModel::start([cut(0, 10, Ending::Clean), Exchange::text("a")]).await.unwrap();
    for expected in [Delivery::Cut, Delivery::Sent] {
        let index = model.requests().len();
        read(&mut send(&model, Wire::Gemini, false).await).await;
        assert_eq!(model.delivery(index).await, expected);
    }
}

#[tokio::test]
async fn an_endless_answer_ends_with_the_client() {
    let endless = |after, raw: Option<&str>| Fault::Endless { after, raw: raw.map(str::to_owned) };
    let script = [endless(2, None), endless(1, Some("x")), endless(0, Some("data: {}\n\n"))];
    let model = ScriptedModel::start(script.map(|fault| Exchange::text("hello").fault(fault))).await.unwrap();
    for index in 0..3 {
        let mut stream = send(&model, Wire::Anthropic, true).await;
        let mut buffer = vec![0; 4 << 20];
        stream.read_exact(&mut buffer).await.unwrap();
        drop(stream);
        assert_eq!(model.delivery(index).await, Delivery::HungUp);
    }
}
