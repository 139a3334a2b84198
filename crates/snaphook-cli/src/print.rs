//! Writing to standard output and standard error. A reader that goes away is no failure: what the command decided still
//! is, and its exit code says so. So nothing here is `println!` or `eprintln!`, which panic then.

use std::io::Write;

use console::style;
use snaphook_discovery::printable;

use crate::env::Env;

/// Writes lines to standard output.
pub(crate) fn stdout(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Writes one JSON document to standard output, with a line end.
pub(crate) fn json(document: &serde_json::Value) {
    stdout(&format!("{document}\n"));
}

/// Writes an error to standard error.
pub(crate) fn error(env: &Env, message: &str) {
    let paint = Paint { on: env.colours(env.stderr_is_terminal) };
    stderr(&format!("{} {}\n", paint.red("error:"), lines(message)));
}

/// Writes what a person has to see before a question to standard error, where the question is.
pub(crate) fn stderr(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Replaces the last line on standard error, on a terminal. An empty text removes it.
pub(crate) fn replace_line(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[2K{}", brief(text, 100));
    let _ = out.flush();
}

/// Text of others, made harmless for a terminal line by line.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}

/// The first line of a text, made harmless and short.
pub(crate) fn brief(text: &str, most: usize) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let more = text.lines().filter(|line| !line.trim().is_empty()).count() > 1;
    let plain = printable(first.trim());
    let cut: String = plain.chars().take(most).collect();
    if more || cut.len() < plain.len() { format!("{cut} …") } else { cut }
}

/// Colours, where they are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    pub(crate) on: bool,
}

impl Paint {
    pub(crate) fn red(self, text: &str) -> String {
        self.apply(text, |styled| styled.red())
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.apply(text, |styled| styled.green())
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.apply(text, |styled| styled.yellow())
    }

    pub(crate) fn cyan(self, text: &str) -> String {
        self.apply(text, |styled| styled.cyan())
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.apply(text, |styled| styled.bold())
    }

    #[cfg(feature = "drive")]
    pub(crate) fn italic(self, text: &str) -> String {
        self.apply(text, |styled| styled.italic())
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.apply(text, |styled| styled.dim())
    }

    fn apply(
        self,
        text: &str,
        how: fn(console::StyledObject<String>) -> console::StyledObject<String>,
    ) -> String {
        let styled = how(style(text.to_owned()));
        styled.force_styling(self.on).to_string()
    }
}
