//! `snaphook test --agent`: what agents would make of what hooks decided in tests. Not here: what agents can do
//! (`snaphook-adapters`), running tests (`snaphook-testing`).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use snaphook::{Event, EventName, Outcome, Ruling};
use snaphook_adapters::{AGENTS, Agent, Effect, Effects, Row, fit_to_effects};
use snaphook_testing::{Dispatched, EventOutcome, Results, TestResult};

use crate::exit::Failure;
use crate::install::agent_named;

/// The agents that were asked about.
pub(crate) struct AgentFit {
    agents: Vec<&'static dyn Agent>,
    /// True if there is a table of all of them, instead of notes.
    all: bool,
}

/// The effect that one agent lacks.
struct Lost {
    /// The word of the table.
    word: String,
    note: String,
}

impl AgentFit {
    /// Those of `--agent`.
    ///
    /// # Errors
    /// There is no such agent.
    pub(crate) fn of(named: Option<&str>) -> Result<Self, Failure> {
        let agents = match named {
            None => Vec::new(),
            Some("all") => AGENTS.to_vec(),
            Some(id) => vec![agent_named(id)?],
        };
        Ok(AgentFit { agents, all: named == Some("all") })
    }

    /// Returns what a test's agent would not honour, a text each.
    pub(crate) fn notes(&self, test: &TestResult) -> Vec<String> {
        match self.agents.first().filter(|_| !self.all) {
            Some(agent) => notes(*agent, test),
            None => Vec::new(),
        }
    }

    /// For `all`: each file of tests with each agent, and what it would not honour there.
    pub(crate) fn table(&self, results: &Results) -> String {
        if !self.all {
            return String::new();
        }
        let width = self.agents.iter().map(|agent| agent.id().len()).max().unwrap_or_default();
        let mut text = String::new();
        for suite in results.suites.iter().filter(|suite| !suite.tests.is_empty()) {
            text += &format!("{} in each agent\n", crate::print::lines(&suite.file.display().to_string()));
            for agent in &self.agents {
                let lost = suite.tests.iter().flat_map(|test| lost(*agent, test));
                let words: BTreeSet<String> = lost.map(|lost| lost.word).collect();
                let words = if words.is_empty() {
                    "all of it".to_owned()
                } else {
                    format!("not: {}", words.into_iter().collect::<Vec<_>>().join(", "))
                };
                text += &format!("  {:<width$}  {words}\n", agent.id());
            }
        }
        text
    }

    /// The results as a document; each test has `agents`, a list of notes for each agent.
    pub(crate) fn document(&self, results: &Results) -> Value {
        let mut document = results.document();
        if self.agents.is_empty() {
            return document;
        }
        for (at, suite) in results.suites.iter().enumerate() {
            for (number, test) in suite.tests.iter().enumerate() {
                let each =
                    self.agents.iter().map(|agent| (agent.id().to_owned(), json!(notes(*agent, test))));
                document["suites"][at]["tests"][number]["agents"] =
                    Value::Object(each.collect::<Map<_, _>>());
            }
        }
        document
    }
}

fn notes(agent: &dyn Agent, test: &TestResult) -> Vec<String> {
    let mut notes = Vec::new();
    for lost in lost(agent, test) {
        if !notes.contains(&lost.note) {
            notes.push(lost.note);
        }
    }
    notes
}

fn lost(agent: &dyn Agent, test: &TestResult) -> Vec<Lost> {
    test.outcomes.iter().flat_map(|tested| of_event(agent, tested)).collect()
}

fn of_event(agent: &dyn Agent, tested: &EventOutcome) -> Vec<Lost> {
    let (event, mut outcome): (&Event, _) = match &*tested.dispatched {
        Dispatched::Decided(decided) => (&decided.decision.event, Outcome::decided(&decided.decision)),
        Dispatched::Emitted(emitted) => (&emitted.event, emitted.outcome()),
    };
    let EventName::Lifecycle(event) = *event.name() else { return Vec::new() };
    let rows = agent.rows().iter().filter(|row| row.events.contains(&event) && agent.registers(row));
    // The person of the test answered; in the agent it would be asked first.
    if tested.asked && !matches!(outcome.ruling, Ruling::Ask(_)) {
        outcome.ruling = Ruling::Ask("what the hook asks".to_owned());
    }
    let wished = wished(&outcome);
    // Of one moment with two names the one that can do more counts.
    let missing = |row: &&Row| wished.iter().filter(|effect| !row.effects.has(*effect)).count();
    let Some(row) = rows.min_by_key(missing) else {
        let note = format!("{} never tells of {}", agent.title(), event.name());
        return vec![Lost { word: format!("{} (never sent)", event.name()), note }];
    };
    let words = wished.iter().filter(|effect| !row.effects.has(*effect));
    let words: Vec<_> = words.map(|effect| effect.as_str().replace('_', " ")).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let word = format!("{} of {}", words.join(", "), event.name());
    let mut said = waiting(agent, row, event.name(), &mut outcome);
    said.extend(fit_to_effects(agent.title(), row.effects, agent.profile().longest_context, outcome).lost);
    // None where all of it is said with something else, as a text is with the reason of a denial.
    said.into_iter().map(|note| Lost { word: word.clone(), note }).collect()
}

/// Takes out the texts that wait for a later event, as `snaphook hook` lets them wait.
fn waiting(agent: &dyn Agent, row: &Row, event: &str, outcome: &mut Outcome) -> Vec<String> {
    let title = agent.title();
    let later = if agent.rows().iter().any(|row| row.effects.has(Effect::Inject)) {
        "it waits for the next event that takes one"
    } else {
        "no event of it takes one"
    };
    let mut notes = Vec::new();
    if !row.effects.has(Effect::Continue) && !outcome.continue_with.is_empty() {
        outcome.continue_with.clear();
        notes.push(format!(
            "{title} cannot be made to go on after {event}; its text is one for the model, and {later}"
        ));
    }
    let denied = matches!(outcome.ruling, Ruling::Deny(_));
    if !row.effects.has(Effect::Inject) && !denied && !outcome.context.is_empty() {
        outcome.context.clear();
        notes.push(format!("{title} takes no text for the model with {event}; {later}"));
    }
    notes
}

/// Returns what an answer has to be able to do for this.
fn wished(outcome: &Outcome) -> Effects {
    let ruling = match &outcome.ruling {
        Ruling::Deny(_) => Some(Effect::Block),
        Ruling::Ask(_) => Some(Effect::Ask),
        Ruling::Nothing | Ruling::Allow => None,
    };
    let others = [
        (outcome.input.is_some(), Effect::RewriteInput),
        (outcome.result.is_some(), Effect::RewriteResult),
        (!outcome.context.is_empty(), Effect::Inject),
        (!outcome.continue_with.is_empty(), Effect::Continue),
        (outcome.stop, Effect::Stop),
    ];
    let others = others.into_iter().filter_map(|(wanted, effect)| wanted.then_some(effect));
    others.chain(ruling).fold(Effects::default(), Effects::or)
}
