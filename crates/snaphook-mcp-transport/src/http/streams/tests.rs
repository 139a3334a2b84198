//! The messages that are kept, and those that are not, where clients do not read or go.

use std::pin::pin;

use http_body_util::BodyExt;

use super::*;

fn note(n: usize) -> Message {
    Message::read(format!(r#"{{"jsonrpc":"2.0","method":"n{n}"}}"#)).unwrap()
}

fn request(id: u32) -> Message {
    Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"r"}}"#)).unwrap()
}

fn answer(id: u32) -> Message {
    Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#)).unwrap()
}

/// Returns what a reader has, without waiting: its messages, short, and the id of the last.
async fn has(reader: &mut Reader) -> (String, String) {
    let (mut text, mut has_ended) = (Vec::new(), false);
    while !has_ended {
        let frame = tokio::select! {
            biased;
            frame = reader.frame() => frame,
            () = std::future::ready(()) => break,
        };
        match frame {
            Some(Ok(frame)) => text.extend(frame.into_data().unwrap()),
            _ => has_ended = true,
        }
    }
    let (mut all, mut last) = (Vec::new(), String::new());
    for line in String::from_utf8(text).unwrap().lines() {
        if let Some(id) = line.strip_prefix("id: ") {
            last = id.to_owned();
        }
        if let Some(data) = line.strip_prefix("data: ") {
            let message = Message::read(data.as_bytes().to_vec());
            all.push(match message.as_ref().map(Message::kind) {
                Ok(MessageKind::Notification { method } | MessageKind::Request { method, .. }) => {
                    method.to_string()
                }
                Ok(MessageKind::Response { id: Some(id), .. }) => id.to_string(),
                _ => "-".to_owned(),
            });
        }
    }
    if has_ended {
        all.push("end".to_owned());
    }
    (all.join(" "), last)
}

#[tokio::test]
async fn what_nobody_reads_waits_up_to_a_limit() {
    let streams = Arc::new(Streams::default());
    for n in 0..MAX_QUEUED {
        assert_eq!(streams.deliver_message(&note(n)).await, None);
    }
    assert_eq!(streams.deliver_message(&note(0)).await, None);
    assert_eq!(streams.deliver_message(&request(5)).await, requests_of(&request(5)));
    let mut reader = streams.standing(None).unwrap();
    let (read, _) = has(&mut reader).await;
    assert_eq!(read.split(' ').count(), MAX_QUEUED);
    assert!(read.ends_with(&format!("n{}", MAX_QUEUED - 1)), "{read}");
    assert_eq!(streams.deliver_message(&request(5)).await, None);
}

fn requests_of(message: &Message) -> Option<Id> {
    crate::http::requests(message).into_iter().next()
}

#[tokio::test]
async fn the_newest_request_then_the_newest_stream_gets_what_belongs_to_nobody() {
    let streams = Arc::new(Streams::default());
    let (mut old, mut new) = (streams.standing(None).unwrap(), streams.standing(None).unwrap());
    streams.deliver_message(&note(1)).await;
    let mut call = streams.requests(&request(1)).unwrap();
    streams.deliver_message(&note(2)).await;
    streams.deliver_message(&answer(1)).await;
    streams.deliver_message(&note(3)).await;
    assert_eq!(has(&mut call).await.0, "n2 1 end");
    assert_eq!(has(&mut new).await.0, "n1 n3");
    drop(new);
    streams.deliver_message(&note(4)).await;
    assert_eq!(has(&mut old).await.0, "n4");
    drop((old, call));
    // What was never read is there for the next reader.
    streams.deliver_message(&note(5)).await;
    let mut next = streams.standing(None).unwrap();
    assert_eq!(has(&mut next).await.0, "n5");
    streams.deliver_message(&note(6)).await;
    drop(next);
    assert_eq!(has(&mut streams.standing(None).unwrap()).await.0, "n6");
}

#[tokio::test]
async fn too_many_streams_end_the_oldest() {
    let streams = Arc::new(Streams::default());
    let mut all: Vec<Reader> = (0..=MAX_STANDING).map(|_| streams.standing(None).unwrap()).collect();
    assert_eq!(has(&mut all[0]).await.0, "end");
    assert_eq!(has(&mut all[1]).await.0, "");
}

#[tokio::test]
async fn a_client_that_cannot_come_back_leaves_nothing_behind() {
    let streams = Arc::new(Streams::default());
    drop(streams.requests(&request(1)).unwrap());
    assert!(streams.is_busy());
    streams.deliver_message(&answer(1)).await;
    assert!(!streams.is_busy());
    assert!(streams.inner.lock().streams.is_empty());
    // The answer alone leaves nothing either.
    let reader = streams.requests(&request(1)).unwrap();
    streams.deliver_message(&answer(1)).await;
    assert!(matches!(reader.read_first().await, FirstOutput::Whole(bytes) if bytes == answer(1).bytes()));
    drop(reader);
    assert!(streams.inner.lock().streams.is_empty());
}

#[tokio::test]
async fn what_was_read_is_kept_for_a_while() {
    let streams = Arc::new(Streams::default());
    let mut call = streams.requests(&request(1)).unwrap();
    for n in 0..3 {
        streams.deliver_message(&note(n)).await;
    }
    let (read, last) = has(&mut call).await;
    assert_eq!(read, "n0 n1 n2");
    drop(call);
    streams.deliver_message(&answer(1)).await;
    let from = |number: u32| format!("{}-{number}", last.split('-').next().unwrap());
    for (number, want) in [(0, "n0 n1 n2 1 end"), (2, "n2 1 end"), (4, "end"), (9, "end")] {
        let mut again = streams.standing(Some(&from(number))).unwrap();
        assert_eq!(has(&mut again).await.0, want, "{number}");
    }
    // Until there is no more room.
    let mut other = streams.requests(&request(2)).unwrap();
    for n in 0..MAX_KEPT + 10 {
        streams.deliver_message(&note(n)).await;
        has(&mut other).await;
    }
    assert_eq!(streams.standing(Some(&from(0))).err(), Some(StreamError::Forgotten));
    assert!(streams.inner.lock().kept.len() <= MAX_KEPT);
    drop(other);
    streams.deliver_message(&answer(2)).await;
    assert_eq!(streams.inner.lock().streams.len(), 1);
}

#[tokio::test]
async fn a_big_message_passes_and_is_not_kept_beyond_the_limit() {
    let streams = Arc::new(Streams::default());
    let big = |id: u32| {
        let text = "x".repeat(MAX_KEPT_BYTES / 2 + 1);
        Message::read(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"{text}"}}"#)).unwrap()
    };
    for id in 0..4 {
        let mut call = streams.requests(&request(id)).unwrap();
        streams.deliver_message(&big(id)).await;
        assert!(has(&mut call).await.0.starts_with(&id.to_string()));
    }
    assert!(streams.inner.lock().kept_bytes <= MAX_KEPT_BYTES);
    assert_eq!(streams.inner.lock().streams.len(), 1);
}

#[tokio::test]
async fn a_reader_that_stops_holds_the_sender_up_and_one_that_is_gone_loses_the_oldest() {
    let streams = Arc::new(Streams::default());
    let mut call = streams.requests(&request(1)).unwrap();
    let mut said = 0;
    let mut is_full = async || {
        let message = note(said);
        let mut saying = pin!(streams.deliver_message(&message));
        tokio::select! {
            biased;
            _ = &mut saying => { said += 1; false }
            () = std::future::ready(()) => true,
        }
    };
    while !is_full().await {}
    assert!(is_full().await);
    let (read, last) = has(&mut call).await;
    assert_eq!(read.split(' ').count(), said);
    drop(call);
    let more = 300;
    for n in 0..more {
        streams.deliver_message(&progress(n)).await;
    }
    streams.deliver_message(&answer(1)).await;
    let mut again = streams.standing(Some(&last)).unwrap();
    let (read, _) = has(&mut again).await;
    // They belong to no request, so they wait elsewhere; the answer is there.
    assert_eq!(read, "1 end");
}

fn progress(n: usize) -> Message {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"n{n}","params":{{"progressToken":"none"}}}}"#);
    Message::read(text).unwrap()
}

#[tokio::test]
async fn a_session_that_ends_answers_what_is_open_and_has_no_streams() {
    let streams = Arc::new(Streams::default());
    let (mut call, mut standing) = (streams.requests(&request(1)).unwrap(), streams.standing(None).unwrap());
    streams.end("it is over");
    assert_eq!((has(&mut call).await.0.as_str(), has(&mut standing).await.0.as_str()), ("1 end", "end"));
    assert_eq!(streams.requests(&request(2)).err(), Some(StreamError::Over));
    assert_eq!(streams.standing(None).err(), Some(StreamError::Over));
    assert_eq!(streams.deliver_message(&request(3)).await, None);
}

#[tokio::test]
async fn a_session_has_only_so_many_open_requests() {
    let streams = Arc::new(Streams::default());
    let all: Vec<Reader> =
        (0..MAX_OPEN).map(|id| streams.requests(&request(u32::try_from(id).unwrap())).unwrap()).collect();
    assert_eq!(streams.requests(&request(99_999)).err(), Some(StreamError::TooMany));
    assert_eq!(
        streams.requests(&request(7)).err(),
        Some(StreamError::Twice(requests_of(&request(7)).unwrap()))
    );
    streams.deliver_message(&answer(7)).await;
    streams.requests(&request(99_999)).unwrap();
    drop(all);
}
