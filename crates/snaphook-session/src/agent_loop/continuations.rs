//! Continuations of a session: how often the agent was made to go on since the person's prompt, and whether it may be once more. Agents
//! number their prompts in ways of their own, or anew at each end, so the bounds of a session and of a minute hold whatever they
//! say.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use snaphook::MAX_CONTINUATIONS;

/// The most prompts of a session that are counted at once. Those of subagents alternate with the session's own.
const MAX_PROMPTS: usize = 64;

/// The most continuations of a session in which the agent tells of no new prompt of the person.
const MAX_UNPROMPTED: u64 = 50;

/// The most continuations within a minute: those of four prompts.
const MAX_IN_A_MINUTE: usize = 12;

/// The amount of a text to go on with that is kept, in bytes.
const MAX_TEXT: usize = 1024;

const MINUTE: Duration = Duration::from_secs(60);

/// The turn that an agent ends: whose prompt it is about, where the agent says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnOrigin {
    /// The agent's id of the person's prompt.
    pub prompt: Option<String>,
    /// True if the agent is at work already because a hook made it go on.
    pub continued: bool,
}

/// The counts of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Continuations {
    /// The number of continuations by the agent's id of a prompt, the oldest first.
    prompts: Vec<(String, u32)>,
    /// The id of the last one.
    last: Option<String>,
    /// The beginning of the last text to go on with.
    text: Option<String>,
    /// The number of continuations since the agent told of a prompt.
    unprompted: u64,
    /// The seconds of those in the last minute.
    times: Vec<u64>,
}

impl Continuations {
    /// Begins anew, because the person wrote a prompt; the bound of a minute stays. Some agents tell of the text to go
    /// on with as of a prompt, though it is not the person's.
    pub fn prompted(&mut self, prompt: &str) {
        let is_ours = self.text.as_deref().is_some_and(|text| prompt.contains(text));
        if !is_ours {
            *self = Continuations { times: std::mem::take(&mut self.times), ..Continuations::default() };
        }
    }

    /// Returns the number of continuations since the person's prompt.
    pub fn count(&self, origin: &TurnOrigin) -> u32 {
        let key = self.key(origin);
        self.prompts.iter().find(|(id, _)| id == key).map_or(0, |(_, count)| *count)
    }

    /// Counts one more continuation with a text, `now` after any fixed moment; false where there were enough.
    pub fn one_more(&mut self, origin: &TurnOrigin, text: &str, now: Duration) -> bool {
        // A clock that was set back does not lengthen the bound.
        self.times.retain(|time| {
            let time = Duration::from_secs(*time);
            time <= now && now.saturating_sub(time) < MINUTE
        });
        if self.count(origin) >= MAX_CONTINUATIONS
            || self.unprompted >= MAX_UNPROMPTED
            || self.times.len() >= MAX_IN_A_MINUTE
        {
            return false;
        }
        let key = self.key(origin).to_owned();
        match self.prompts.iter_mut().find(|(id, _)| *id == key) {
            Some((_, count)) => *count += 1,
            None => {
                if self.prompts.len() >= MAX_PROMPTS {
                    self.prompts.remove(0);
                }
                self.prompts.push((key.clone(), 1));
            }
        }
        let text = text.trim();
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).filter(|text| !text.is_empty());
        self.text = text.map(str::to_owned);
        self.last = Some(key);
        self.unprompted += 1;
        self.times.push(now.as_secs());
        true
    }

    /// Returns the prompt that a turn belongs to. An agent that is at work because of a hook is still at the last one,
    /// whatever new id it sends.
    fn key<'a>(&'a self, origin: &'a TurnOrigin) -> &'a str {
        let own = origin.prompt.as_deref().unwrap_or_default();
        let is_known = self.prompts.iter().any(|(id, _)| id == own);
        match self.last.as_deref().filter(|_| origin.continued && !is_known) {
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
        let mut counts = Continuations::default();
        ends.into_iter()
            .filter(|(at, prompt, continued)| {
                let prompt = (!prompt.is_empty()).then(|| (*prompt).to_owned());
                let origin = TurnOrigin { prompt, continued: *continued };
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
        // At work because of a hook of another product.
        assert_eq!(allowed((0..20).map(|n| (n, "1", true))), 3);
    }

    #[test]
    fn subagents_alternate_with_the_session() {
        let ends = (0..12).map(|n| (n, if n % 2 == 0 { "own" } else { "sub" }, n > 1));
        assert_eq!(allowed(ends), 6);
    }

    #[test]
    fn a_prompt_begins_anew_but_for_the_minute() {
        let mut counts = Continuations::default();
        let mut ends = 0;
        for second in 0..40 {
            counts.prompted("and now this");
            ends +=
                usize::from(counts.one_more(&TurnOrigin::default(), "go on", Duration::from_secs(second)));
        }
        assert_eq!(ends, 12);
        assert!(counts.one_more(&TurnOrigin::default(), "go on", Duration::from_secs(200)));
        // A clock that was set back.
        counts.prompted("and now this");
        assert!(counts.one_more(&TurnOrigin::default(), "go on", Duration::from_secs(3)));
    }

    #[test]
    fn the_text_to_go_on_with_is_no_prompt_of_the_person() {
        let long = "x".repeat(5000);
        for text in ["run the tests", &long] {
            let mut counts = Continuations::default();
            let goes_on = |second: u64, counts: &mut Continuations| {
                counts.prompted(&format!("<system>{text}</system>"));
                counts.one_more(&TurnOrigin::default(), text, Duration::from_secs(second))
            };
            assert_eq!((0..10).filter(|second| goes_on(*second, &mut counts)).count(), 3);
            counts.prompted("and now this");
            assert!(counts.one_more(&TurnOrigin::default(), text, Duration::from_secs(20)));
        }
        // No text is in no prompt.
        let mut counts = Continuations::default();
        assert!(counts.one_more(&TurnOrigin::default(), " ", Duration::ZERO));
        counts.prompted("x");
        assert_eq!(counts.count(&TurnOrigin::default()), 0);
    }
}
