//! A command line while it is looked at: what is known of it and was found, and its words, paths and
//! redirects. Not here: the commands in it (the files beside this one), and their order (`shell`).

use std::cell::OnceCell;
use std::path::Path;

use snaphook_shell::{Command, Word};

use super::mentions::mentions;
use super::readers::reads_only;
use crate::finding::{Finding, finding};
use crate::parts::is_earlier;
use crate::path_pattern::{Pattern, Scope};
use crate::paths::lexical;
use crate::places::Touch;

/// A command line while it is looked at.
pub(super) struct Line<'a> {
    pub(super) scope: Scope<'a>,
    /// True if the text names what is guarded.
    pub(super) mentions: OnceCell<bool>,
    /// The text as [`super::spelling::plain`] makes it.
    pub(super) plain: &'a str,
    /// Variables that the text sets.
    pub(super) sets: &'a [(String, Word)],
    /// The commands that find something for others.
    pub(super) finders: Vec<&'a Command>,
    /// True if something changes a file that is not known.
    pub(super) unknown: bool,
    /// True if something guarded is opened for reading, which a descriptor may then open for writing.
    pub(super) reads_guarded: bool,
    pub(super) found: Option<Finding>,
}

impl Line<'_> {
    /// Returns whether the text names what is guarded: for few commands it matters.
    pub(super) fn mentions(&self) -> bool {
        *self.mentions.get_or_init(|| mentions(self.scope.places, self.plain))
    }

    pub(super) fn is_guarded(&self, word: &Word) -> bool {
        let patterns = self.scope.patterns(word);
        patterns.iter().any(|pattern| self.scope.guard(pattern, Touch::Write, false).is_some())
    }

    pub(super) fn redirects(&mut self, command: &Command, name: &str) {
        for redirect in &command.redirects {
            if redirect.write {
                self.word(&redirect.target, Touch::Write, false);
                // In a folder that is not known a file of any name may be guarded.
                self.unknown |= self.scope.cwds.contains(&None) && !redirect.target.prefix().starts_with('/');
                self.earlier(&redirect.target);
            }
            let reads = redirect.read && !redirect.write && self.is_guarded(&redirect.target);
            let known = redirect.fd.is_none_or(|fd| fd == 0);
            if reads && (!known || !reads_only(command, name)) {
                self.ask(
                    "this opens an agent's hooks or settings on a descriptor, through which they may be \
                     written",
                );
            }
        }
    }

    /// Folders that the shell was in before this text.
    pub(super) fn earlier(&mut self, word: &Word) {
        let text = word.text();
        let variables = ["$OLDPWD", "${OLDPWD", "$DIRSTACK", "${DIRSTACK"];
        let tilde =
            text.strip_prefix('~').is_some_and(|rest| is_earlier(&rest.chars().collect::<Vec<_>>(), 0));
        if word.known().is_none()
            && (tilde || variables.iter().any(|variable| text.trim_start_matches('"').starts_with(variable)))
        {
            self.ask("this changes something in a folder that the shell was in before");
        }
    }

    pub(super) fn word(&mut self, word: &Word, touch: Touch, removes: bool) {
        for pattern in self.scope.patterns(word) {
            self.pattern(&pattern, touch, removes);
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern, touch: Touch, removes: bool) {
        if pattern.is_any() {
            self.unknown = true;
        }
        if self.is_descriptor(pattern.text()) {
            self.ask(
                "this writes through a descriptor or another process, which may lead to an agent's hooks or \
                 settings",
            );
        }
        if let Some(guard) = self.scope.guard(pattern, touch, removes) {
            self.add(finding(guard, pattern.text()));
        }
    }

    /// Returns whether a path leads where another path or a redirect of this text does.
    fn is_descriptor(&self, text: &str) -> bool {
        let text = lexical(Path::new(text));
        let text = text.to_string_lossy();
        let number = text.rsplit('/').next().unwrap_or_default();
        let output = matches!(number, "1" | "2" | "stdout" | "stderr");
        if text.starts_with("/dev/fd/") || matches!(&*text, "/dev/stdin" | "/dev/stdout" | "/dev/stderr") {
            return self.reads_guarded || (!output && self.mentions());
        }
        let process = text.strip_prefix("/proc/").and_then(|rest| rest.split_once('/'));
        let Some((_, rest)) = process else { return false };
        let first = rest.split('/').next().unwrap_or_default();
        match first {
            "fd" => !output || self.reads_guarded,
            "root" | "cwd" | "task" | "map_files" | "mem" => true,
            _ => false,
        }
    }

    pub(super) fn ask(&mut self, reason: impl Into<String>) {
        self.add(Finding::Ask(reason.into()));
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.found = Finding::strictest(self.found.take(), Some(finding));
    }
}
