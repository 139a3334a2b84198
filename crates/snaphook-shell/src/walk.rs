//! Walks a syntax tree in the order bash would, keeps track of what is certain, and collects the commands.
//!
//! What a command line means once it is expanded (wrappers, shells, builtins) is `run.rs`'s business.

use std::collections::HashSet;

use super::ast::{AndOr, Joint, Kind, List, Node, Pipeline, Place, Script, Simple};
use super::env::Env;
use super::limits::{Budget, MAX_COMMANDS};
use super::run::Invocation;
use super::{Command, ParseError, Redirect, Word, expand, parser};

/// What a command reads where it asks for input.
#[derive(Debug, Clone)]
pub(super) enum Stdin {
    /// Something that the text does not show.
    Unknown,
    /// Exactly this.
    Text(String),
}

/// The state of one analysis.
pub(super) struct Walker<'b> {
    pub(super) budget: &'b mut Budget,
    pub(super) env: Env,
    pub(super) out: Vec<Command>,
    /// Whether the whole text names extglob anywhere.
    pub(super) extglob: bool,
    /// Whether the text at hand may be read by a shell other than bash.
    pub(super) plain_sh: bool,
    /// A rehearsal of a loop's body: changes count, commands do not.
    rehearsal: bool,
    /// Wrappers around the text at hand.
    pub(super) via: Vec<String>,
    /// Where the outermost command stands, while a text inside a text is walked.
    pub(super) place: Option<Place>,
    pub(super) stdin: Stdin,
    pub(super) aliases: HashSet<String>,
    /// Functions that the text defines so far.
    pub(super) functions: HashSet<String>,
    /// Whether a value was seen that runs a command when it is used in arithmetic, and whether arithmetic was.
    pub(super) armed: bool,
    pub(super) arithmetic: bool,
}

type Res<T> = Result<T, ParseError>;

impl<'b> Walker<'b> {
    pub(super) fn new(budget: &'b mut Budget, extglob: bool) -> Self {
        Self {
            budget,
            env: Env::default(),
            out: Vec::new(),
            extglob,
            plain_sh: false,
            rehearsal: false,
            via: Vec::new(),
            place: None,
            stdin: Stdin::Unknown,
            aliases: HashSet::new(),
            functions: HashSet::new(),
            armed: false,
            arithmetic: false,
        }
    }

    /// Parses and walks a text in the current environment.
    pub(super) fn script(&mut self, text: &str) -> Res<()> {
        self.budget.enter()?;
        let base_line = self.place.as_ref().map_or(0, |place| place.line.saturating_sub(1));
        let script = parser::parse(text, self.extglob, base_line, self.budget)?;
        self.list(&script.list, &script)?;
        self.budget.leave();
        Ok(())
    }

    /// The commands, and one that cannot be known if arithmetic may have run a value.
    pub(super) fn finish(mut self) -> Res<Vec<Command>> {
        if self.armed && self.arithmetic {
            let place = Place { line: 1, column: 1, ..Place::default() };
            self.emit_dynamic(&["arithmetic".to_owned()], "[", &place)?;
        }
        Ok(self.out)
    }

    pub(super) fn emit(&mut self, mut command: Command) -> Res<()> {
        if self.rehearsal {
            return Ok(());
        }
        if self.out.len() >= MAX_COMMANDS {
            return Err(ParseError::limit("the text runs too many commands"));
        }
        if let Some(place) = &self.place {
            command.text.clone_from(&place.text);
            (command.line, command.column) = (place.line, place.column);
        }
        let size = command.text.len() + command.args.iter().map(|arg| arg.text().len()).sum::<usize>();
        self.budget.spend(size)?;
        self.out.push(command);
        Ok(())
    }

    /// A command that cannot be known.
    pub(super) fn emit_dynamic(&mut self, via: &[String], text: &str, place: &Place) -> Res<()> {
        let name = Word::unknown(text, true);
        self.emit(Command {
            path: name.clone(),
            name,
            args: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            via: via.to_vec(),
            dynamic: true,
            opaque: None,
            text: place.text.clone(),
            line: place.line,
            column: place.column,
        })
    }

    pub(super) fn list(&mut self, list: &List, script: &Script) -> Res<()> {
        self.budget.enter()?;
        for item in &list.items {
            self.budget.spend(0)?;
            let mark = self.env.mark();
            self.and_or(item, script)?;
            if item.background {
                self.env.undo(mark);
            }
        }
        self.budget.leave();
        Ok(())
    }

    fn and_or(&mut self, item: &AndOr, script: &Script) -> Res<()> {
        self.pipeline(&item.first, script)?;
        let mark = self.env.mark();
        for (joint, pipeline) in &item.rest {
            // behind `||` it is open which of the commands before it ran
            if *joint == Joint::Or {
                self.env.blur(mark);
            }
            let before = self.env.mark();
            self.pipeline(pipeline, script)?;
            // and what comes next, also behind `&&`, may run without this one
            if *joint == Joint::Or {
                self.env.blur(before);
            }
        }
        if !item.rest.is_empty() {
            self.env.blur(mark);
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, script: &Script) -> Res<()> {
        if let [only] = pipeline.stages.as_slice() {
            return self.node(only, script);
        }
        let outer = self.stdin.clone();
        for (index, stage) in pipeline.stages.iter().enumerate() {
            if index > 0 {
                let before = pipeline.stages.get(index - 1);
                self.stdin = before.map_or(Stdin::Unknown, |node| self.output(node, index == 1, script));
            }
            let mark = self.env.mark();
            self.node(stage, script)?;
            // each stage has a shell of its own, but for the last one under lastpipe
            if index + 1 < pipeline.stages.len() { self.env.undo(mark) } else { self.env.blur(mark) }
        }
        self.stdin = outer;
        Ok(())
    }

    fn node(&mut self, node: &Node, script: &Script) -> Res<()> {
        self.budget.enter()?;
        let outer = self.stdin.clone();
        if let Kind::Simple(simple) = &node.kind {
            for word in &simple.words {
                self.word_effects(word, script)?;
            }
            let redirects = self.redirects(&node.redirects, script)?;
            self.simple(simple, redirects, &node.place, script)?;
        } else {
            let redirects = self.redirects(&node.redirects, script)?;
            // what several commands read from, each reads in part
            self.stdin = Stdin::Unknown;
            if !redirects.is_empty() {
                self.emit_bare(Vec::new(), redirects, &node.place)?;
            }
            self.compound(&node.kind, &node.place, script)?;
        }
        self.stdin = outer;
        self.budget.leave();
        Ok(())
    }

    fn compound(&mut self, kind: &Kind, place: &Place, script: &Script) -> Res<()> {
        match kind {
            Kind::Simple(_) => {}
            Kind::Group(list) => self.list(list, script)?,
            Kind::Subshell(list) => self.subshell(list, script)?,
            Kind::If { branches, otherwise } => {
                // the first condition runs for certain, all else may not
                let mut mark = None;
                for (cond, body) in branches {
                    self.list(cond, script)?;
                    let start = *mark.get_or_insert(self.env.mark());
                    self.list(body, script)?;
                    self.env.blur(start);
                }
                let start = self.env.mark();
                if let Some(body) = otherwise {
                    self.list(body, script)?;
                }
                self.env.blur(start);
            }
            Kind::Loop { cond, body } => self.repeat(|walker| {
                walker.list(cond, script)?;
                walker.list(body, script)
            })?,
            Kind::For { var, words, body } => {
                for word in words {
                    self.word_effects(word, script)?;
                }
                self.env.set(var, None);
                self.repeat(|walker| {
                    walker.env.set(var, None);
                    walker.list(body, script)
                })?;
            }
            Kind::Case { subject, arms } => {
                self.word_effects(subject, script)?;
                let mark = self.env.mark();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.word_effects(pattern, script)?;
                    }
                    self.list(body, script)?;
                    self.env.blur(mark);
                }
            }
            Kind::Arith(parts) => {
                // another shell reads `((` as a group in a group
                if self.plain_sh {
                    self.emit_dynamic(&self.via.clone(), "((", place)?;
                }
                self.arithmetic(parts, script)?;
            }
            Kind::ArithFor { head, body } => {
                self.arithmetic(head, script)?;
                self.repeat(|walker| {
                    walker.arithmetic(head, script)?;
                    walker.list(body, script)
                })?;
            }
            Kind::Test { words, logic } => {
                if self.plain_sh && *logic {
                    self.emit_dynamic(&self.via.clone(), "[[", place)?;
                }
                self.arithmetic = true;
                for word in words {
                    self.word_effects(word, script)?;
                    self.arm(&expand::single(word, &self.env));
                    // `[[ a -eq b=1 ]]` may assign, and a match sets variables of its own
                    self.forget_names(&word.parts);
                }
            }
            Kind::Function { name, body } => {
                self.functions.insert(name.clone());
                let freezing = std::mem::replace(&mut self.env.freezing, true);
                let positional = self.env.positional.take();
                let mark = self.env.mark();
                let stdin = std::mem::replace(&mut self.stdin, Stdin::Unknown);
                let touched = self.env.ifs_touched;
                // it may be called with anything assigned
                self.env.forget_all();
                self.node(body, script)?;
                self.env.ifs_touched = touched || self.env.ifs_assigned;
                self.env.undo(mark);
                self.env.positional = positional;
                self.env.freezing = freezing;
                self.stdin = stdin;
            }
            Kind::Coproc { name, body } => {
                let mark = self.env.mark();
                self.node(body, script)?;
                self.env.undo(mark);
                self.env.freeze(name);
                self.env.freeze(&format!("{name}_PID"));
            }
        }
        Ok(())
    }

    /// A body that may run never, once or often: what it assigns is unknown in it and after it.
    fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> Res<()>) -> Res<()> {
        let mark = self.env.mark();
        if !self.rehearsal {
            self.rehearsal = true;
            let rehearsed = body(self);
            self.rehearsal = false;
            rehearsed?;
            self.env.blur(mark);
        }
        body(self)?;
        self.env.blur(mark);
        Ok(())
    }

    pub(super) fn subshell(&mut self, list: &List, script: &Script) -> Res<()> {
        let stdin = self.stdin.clone();
        let mark = self.env.mark();
        let positional = self.env.positional.clone();
        self.stdin = Stdin::Unknown;
        self.list(list, script)?;
        self.stdin = stdin;
        self.env.positional = positional;
        self.env.undo(mark);
        Ok(())
    }

    fn simple(
        &mut self,
        simple: &Simple,
        redirects: Vec<Redirect>,
        place: &Place,
        script: &Script,
    ) -> Res<()> {
        let fields: Vec<Word> =
            simple.words.iter().flat_map(|word| expand::fields(word, &self.env)).collect();
        self.budget.spend(fields.len())?;
        let bare = fields.is_empty();
        let mut assignments = Vec::new();
        for assign in &simple.assigns {
            let value = self.assign_effects(assign, script)?;
            if bare {
                self.env.set(&assign.name, value.known().map(str::to_owned));
            }
            self.special_variable(&assign.name, &value, place)?;
            assignments.push((assign.name.clone(), value));
        }
        if bare {
            if simple.words.is_empty() || !assignments.is_empty() || !redirects.is_empty() {
                self.emit_bare(assignments, redirects, place)?;
            }
            return Ok(());
        }
        for field in &fields {
            self.arm(field);
        }
        let names: Vec<String> = assignments.iter().map(|(name, _)| name.clone()).collect();
        let via = self.via.clone();
        self.run(Invocation { fields, assignments, redirects, via, place: place.clone() })?;
        for name in names {
            self.env.set(&name, None);
        }
        Ok(())
    }

    /// Assignments or redirects without a command.
    pub(super) fn emit_bare(
        &mut self,
        assignments: Vec<(String, Word)>,
        redirects: Vec<Redirect>,
        place: &Place,
    ) -> Res<()> {
        let name = Word::Known(String::new());
        self.emit(Command {
            path: name.clone(),
            name,
            args: Vec::new(),
            assignments,
            redirects,
            via: self.via.clone(),
            dynamic: false,
            opaque: None,
            text: place.text.clone(),
            line: place.line,
            column: place.column,
        })
    }
}
