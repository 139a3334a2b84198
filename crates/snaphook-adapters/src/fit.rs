//! Between what hooks want and what an agent can do: what it cannot honour becomes something at least as strict, or is said
//! (law 11). One place for all agents; `docs/agents.md` has the same as a table.

use serde_json::Value;
use snaphook_core::{NewResult, Outcome, Ruling};

use crate::effects::{Effect, Effects};

/// The answer to the agent. Everything in it is among the effects that the event has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response {
    /// The decision about the event.
    pub ruling: Ruling,
    /// The whole input to go on with.
    pub input: Option<Value>,
    /// The result to show instead.
    pub result: Option<NewResult>,
    /// The text to show instead of the result, as a failure.
    pub hidden: Option<String>,
    /// The text for the model.
    pub context: Option<String>,
    /// The text to go on with.
    pub continue_with: Option<String>,
    /// The text for the person.
    pub tell: Option<String>,
    /// With a denial: the agent should stop altogether.
    pub stop: bool,
}

impl Response {
    /// Returns whether there is nothing to say.
    pub fn is_nothing(&self) -> bool {
        *self == Response::default()
    }

    /// Returns what hides a result, with the text to add: for agents that read either the one or the other.
    pub(crate) fn hidden_with_context(&self) -> Option<String> {
        let hidden = self.hidden.as_deref()?;
        let texts: Vec<&str> = [Some(hidden), self.context.as_deref()].into_iter().flatten().collect();
        Some(texts.join("\n\n"))
    }
}

/// The answer, with what could not be said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fitted {
    /// The answer to the agent.
    pub response: Response,
    /// The wishes of hooks that the agent cannot fulfil, a line each, for the log.
    pub lost: Vec<String>,
}

/// Fits what hooks want into what an agent can do. `title` names the agent, `longest` is the longest text that it passes
/// on whole, in bytes.
pub fn fit_to_effects(title: &str, effects: Effects, longest: usize, outcome: Outcome) -> Fitted {
    let mut fitted = Fitted::default();
    let Outcome { ruling, input, result, context, continue_with, stop } = outcome;
    fitted.rule(title, effects, ruling, input);
    if let Some(result) = result {
        fitted.show(title, effects, result);
    }
    let mut context = context;
    if !continue_with.is_empty() {
        let text = continue_with.join("\n\n");
        if effects.has(Effect::Continue) {
            fitted.response.continue_with = Some(cut(&text, longest));
        } else {
            fitted.lost.push(format!("{title} cannot be made to go on here; the text was: {text}"));
            context.push(text);
        }
    }
    context.retain(|text| !text.trim().is_empty());
    if !context.is_empty() {
        fitted.inject(title, effects, longest, &context.join("\n\n"));
    }
    // Some agents drop a longer text as a whole.
    fitted.response.context = fitted.response.context.map(|text| cut(&text, longest));
    if stop && matches!(fitted.response.ruling, Ruling::Deny(_)) {
        fitted.response.stop = effects.has(Effect::Stop);
        if !fitted.response.stop {
            fitted.lost.push(format!("{title} cannot be made to stop here; it is denied and goes on"));
        }
    }
    fitted
}

impl Fitted {
    fn rule(&mut self, title: &str, effects: Effects, ruling: Ruling, input: Option<Value>) {
        let ruling = match ruling {
            Ruling::Ask(question) if !effects.has(Effect::Ask) && effects.has(Effect::Block) => {
                self.lost.push(format!("{title} has no way to ask its person here; denied instead"));
                Ruling::Deny(format!(
                    "{question}\nA person has to approve this, and {title} cannot ask here. Ask the person to do it \
                     themselves, or to change the hook."
                ))
            }
            ruling => ruling,
        };
        let blockable = effects.has(Effect::Block);
        match (ruling, input) {
            (Ruling::Deny(reason), _) if blockable => self.response.ruling = Ruling::Deny(non_empty(reason)),
            (Ruling::Deny(reason) | Ruling::Ask(reason), _) if !blockable => {
                self.lost.push(format!(
                    "{title} goes on whatever is said here; a hook wanted to stop it: {reason}"
                ));
                self.response.tell = effects.has(Effect::Tell).then_some(reason);
            }
            (ruling, None) => self.response.ruling = ruling,
            (ruling, Some(input)) if effects.has(Effect::RewriteInput) => {
                self.response.ruling = ruling;
                self.response.input = Some(input);
            }
            (_, Some(input)) if blockable => {
                self.lost.push(format!("{title} takes no rewritten input here; denied instead"));
                self.response.ruling = Ruling::Deny(format!(
                    "A hook changed this call, and {title} cannot take the change by itself. Send it again like this:\n{}",
                    input_text(&input)
                ));
            }
            (_, Some(input)) => {
                let input = input_text(&input);
                self.lost.push(format!("{title} takes no rewritten input here; a hook wanted: {input}"));
            }
        }
    }

    fn show(&mut self, title: &str, effects: Effects, result: NewResult) {
        if effects.has(Effect::RewriteResult) {
            self.response.result = Some(result);
        } else if effects.has(Effect::HideResult) {
            self.lost.push(format!("{title} shows a rewritten result as a failure"));
            self.response.hidden = Some(match result.content.trim() {
                "" => "(a hook took the result away)".to_owned(),
                _ => result.content.to_string(),
            });
        } else {
            self.lost.push(format!("{title} cannot replace this result; the model has seen the original"));
            let note = "A hook rewrote the result of this tool, but it could not be replaced: treat the result above as \
                        withdrawn, and do not repeat or use what is only in it. The rewritten result:";
            let text = format!("{note}\n{}", result.content);
            match () {
                () if effects.has(Effect::Inject) => self.response.context = Some(text),
                () if effects.has(Effect::Tell) => {
                    self.response.tell =
                        Some(format!("snaphook: {title} showed a result that a hook wanted to replace"));
                }
                () => {}
            }
        }
    }

    fn inject(&mut self, title: &str, effects: Effects, longest: usize, text: &str) {
        // What is said about the event itself comes first.
        let text = match self.response.context.take() {
            Some(first) => format!("{first}\n\n{text}"),
            None => text.to_owned(),
        };
        match &mut self.response.ruling {
            _ if effects.has(Effect::Inject) => self.response.context = Some(text),
            // The model reads the reason of a denial: what was to be said goes with it.
            Ruling::Deny(reason) => reason.push_str(&format!("\n\n{}", cut(&text, longest))),
            _ => self.lost.push(format!("{title} takes no text for the model here; it was: {text}")),
        }
    }
}

fn non_empty(text: String) -> String {
    if text.trim().is_empty() { "denied by a hook".to_owned() } else { text }
}

fn input_text(input: &Value) -> String {
    match input {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()),
    }
}

/// The text, cut at a character where it is longer, with a mark that says so.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    const MARK: &str = "\n[cut by snaphook]";
    if text.len() <= longest {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(longest.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..end])
}
