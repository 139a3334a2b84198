//! Continuations of a session: how often the agent was made to go on since the person's prompt, and whether it may be once more. Agents
//! number their prompts in ways of their own, or anew at each end, so the bounds of a session and of a minute hold whatever they
//! say. Pure: the document is read and written by `session`.

use std::time::Duration;

use serde_json::{Value, json};
use snaphook::MAX_CONTINUATIONS;
use snaphook_adapters::Origin;

/// The most prompts of a session that are counted at once. Those of subagents alternate with the session's own.
const MAX_PROMPTS: usize = 64;

/// The most continuations of a session in which the agent tells of no new prompt of the person.
const MAX_UNPROMPTED: u64 = 50;

/// The most continuations within a minute: those of four prompts.
const MAX_IN_A_MINUTE: usize = 12;

/// The amount of a text to go on with that is kept, in bytes.
const MAX_TEXT: usize = 1024;

const MINUTE: Duration = Duration::from_secs(60);

/// The counts, as a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Continued(Value);

impl From<Value> for Continued {
    fn from(document: Value) -> Self {
        Continued(document)
    }
}

impl Continued {
    /// The document to keep.
    pub(super) fn document(&self) -> &Value {
        &self.0
    }

    /// Begins anew, because the person wrote a prompt; the bound of a minute stays. Some agents tell of the text to go on with as of a
    /// prompt, which is none of the person's.
    pub(super) fn prompted(&mut self, prompt: &str) {
        let is_ours = self.0["text"].as_str().is_some_and(|text| prompt.contains(text));
        if !is_ours {
            self.0 = json!({"times": self.0["times"].take()});
        }
    }

    /// The number of continuations since the person's prompt.
    pub(super) fn count(&self, origin: &Origin) -> u64 {
        self.0["prompts"][self.key(origin)].as_u64().unwrap_or_default()
    }

    /// Counts one more continuation with a text, `now` after any fixed moment; false where there were enough.
    pub(super) fn one_more(&mut self, origin: &Origin, text: &str, now: Duration) -> bool {
        let recent = |time: &u64| {
            let time = Duration::from_secs(*time);
            // A clock that was set back does not lengthen the bound.
            time <= now && now.saturating_sub(time) < MINUTE
        };
        let known = self.0["times"].as_array().into_iter().flatten().filter_map(Value::as_u64);
        let mut times: Vec<u64> = known.filter(recent).collect();
        let unprompted = self.0["unprompted"].as_u64().unwrap_or_default();
        let count = self.count(origin);
        if count >= u64::from(MAX_CONTINUATIONS)
            || unprompted >= MAX_UNPROMPTED
            || times.len() >= MAX_IN_A_MINUTE
        {
            return false;
        }
        let key = self.key(origin).to_owned();
        let mut prompts = self.0["prompts"].as_object().cloned().unwrap_or_default();
        if prompts.len() >= MAX_PROMPTS && !prompts.contains_key(&key) {
            let oldest = prompts.keys().next().cloned().unwrap_or_default();
            prompts.shift_remove(&oldest);
        }
        prompts.insert(key.clone(), (count + 1).into());
        times.push(now.as_secs());
        let text = text.trim();
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).filter(|text| !text.is_empty());
        self.0 = json!({
            "prompts": prompts, "last": key, "text": text, "unprompted": unprompted + 1, "times": times,
        });
        true
    }

    /// The prompt that this belongs to. An agent that is at work because of a hook is still at the last one, whatever new id it
    /// sends.
    fn key<'a>(&'a self, origin: &'a Origin) -> &'a str {
        let own = origin.prompt.as_deref().unwrap_or_default();
        let known = self.0["prompts"].get(own).is_some();
        match self.0["last"].as_str().filter(|_| origin.continued && !known) {
            Some(last) => last,
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends of a turn, one a row: after how many seconds, the id of the prompt, whether the agent says that it was made to go on.
    type End = (u64, &'static str, bool);

    fn allowed(ends: impl IntoIterator<Item = End>) -> usize {
        let mut counts = Continued(json!({}));
        ends.into_iter()
            .filter(|(at, prompt, continued)| {
                let prompt = (!prompt.is_empty()).then(|| (*prompt).to_owned());
                let origin = Origin { prompt, continued: *continued, ..Origin::default() };
                counts.one_more(&origin, "go on", Duration::from_secs(*at))
            })
            .count()
    }

    #[test]
    fn three_a_prompt_whatever_ids_an_agent_sends() {
        let ids: Vec<String> = (0..200).map(|id| id.to_string()).collect();
        let ids: Vec<&'static str> = ids.into_iter().map(|id| &*id.leak()).collect();
        let new_id = |n: usize| ids[n];
        // The same id, and no word of being at work already.
        assert_eq!(allowed((0..20).map(|n| (n, "1", false))), 3);
        // No id at all, with and without the word.
        assert_eq!(allowed((0..20).map(|n| (n, "", n > 0))), 3);
        assert_eq!(allowed((0..20).map(|n| (n, "", false))), 3);
        // A new id each time, and the word.
        assert_eq!(allowed((0..20).map(|n| (n as u64, new_id(n), n > 0))), 3);
        // Three prompts of the person, each with new ids.
        assert_eq!(allowed((0..30).map(|n| (n as u64, new_id(n), n % 10 > 0))), 9);
        // A new id each time without a word: as many as a minute may have, and as a session may.
        assert_eq!(allowed((0..50).map(|n| (n as u64, new_id(n), false))), 12);
        assert_eq!(allowed((0..200).map(|n| (n as u64 * 10, new_id(n), false))), 50);
        // At work because of somebody else's hook.
        assert_eq!(allowed((0..20).map(|n| (n, "1", true))), 3);
    }

    #[test]
    fn subagents_alternate_with_the_session() {
        let ends = (0..12).map(|n| (n, if n % 2 == 0 { "own" } else { "sub" }, n > 1));
        assert_eq!(allowed(ends), 6);
    }

    #[test]
    fn a_prompt_begins_anew_but_for_the_minute() {
        let mut counts = Continued(json!({}));
        let mut ends = 0;
        for second in 0..40 {
            counts.prompted("and now this");
            ends += usize::from(counts.one_more(&Origin::default(), "go on", Duration::from_secs(second)));
        }
        assert_eq!(ends, 12);
        assert!(counts.one_more(&Origin::default(), "go on", Duration::from_secs(200)));
        // A clock that was set back.
        counts.prompted("and now this");
        assert!(counts.one_more(&Origin::default(), "go on", Duration::from_secs(3)));
    }

    #[test]
    fn the_text_to_go_on_with_is_no_prompt_of_the_person() {
        let long = "x".repeat(5000);
        for text in ["run the tests", &long] {
            let mut counts = Continued(json!({}));
            let goes_on = |second: u64, counts: &mut Continued| {
                counts.prompted(&format!("<system>{text}</system>"));
                counts.one_more(&Origin::default(), text, Duration::from_secs(second))
            };
            assert_eq!((0..10).filter(|second| goes_on(*second, &mut counts)).count(), 3);
            counts.prompted("and now this");
            assert!(counts.one_more(&Origin::default(), text, Duration::from_secs(20)));
        }
        // No text is in no prompt.
        let mut counts = Continued(json!({}));
        assert!(counts.one_more(&Origin::default(), " ", Duration::ZERO));
        counts.prompted("x");
        assert_eq!(counts.count(&Origin::default()), 0);
    }
}
