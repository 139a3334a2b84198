//! The telling of a session that is driven: its steps as text or JSON as they come, and the summary at its end.

use std::path::Path;

use snaphook_agent::driver::{Observer, Step};

use super::json;
use super::summary::Report;
use super::text::Teller;
use crate::env::Env;
use crate::exit::Failure;
use crate::print::{self, Paint};

/// Tells the steps of a session.
pub(super) struct Telling {
    teller: Teller,
    report: Report,
    as_json: bool,
}

impl Telling {
    /// As JSON, or as text that shows an answer as it comes where that is a terminal.
    pub(super) fn new(env: &Env, paint: Paint, as_json: bool) -> Self {
        let teller = Teller::new(paint).streaming(env.stdout_is_terminal);
        Telling { teller, report: Report::default(), as_json }
    }

    /// Tells the person something about the session.
    pub(super) fn notice(&mut self, text: String) {
        self.step(&Step::Notice { text });
    }

    /// Writes the summary, where there is a file for it. `model` is whose session it was.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, file: Option<&Path>, model: &str) -> Result<(), Failure> {
        self.report.write(file, model)
    }
}

impl Observer for Telling {
    fn step(&mut self, step: &Step) {
        self.report.take(step);
        if self.as_json {
            print::json(&json::step(step));
        } else {
            print::stdout(&self.teller.tell(step));
        }
    }
}
