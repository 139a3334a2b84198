//! Programs that put files into or over others: `cp`, `mv`, `ln`, `install`, `rsync`, and containers that get folders. Not here:
//! what is then guarded (`places`).

use std::path::PathBuf;

use snaphook_shell::{Command, Word};

use super::line::Line;
use super::options::{self, Target};
use super::spelling::name_of;
use crate::finding::{Finding, REPLACED};
use crate::path_pattern::Pattern;
use crate::paths::lexical;
use crate::places::{Guard, Touch};

impl Line<'_> {
    /// `cp`, `mv`, `ln`, `install`: the last argument is a file, or a folder that gets the others.
    pub(crate) fn copy(&mut self, command: &Command, operands: &[&Word]) {
        let name = name_of(command);
        // Links are two names of one thing: what is written through one of them is the other.
        let links = name.ends_with("ln")
            || name == "link"
            || command
                .args
                .iter()
                .any(|arg| matches!(arg.known(), Some("-l" | "-s" | "--link" | "--symbolic-link")));
        for target in options::targets(command) {
            let target = match target {
                Target::Word(word) => self.scope.patterns(word),
                Target::Text(text) => vec![self.scope.read(text)],
            };
            target.iter().for_each(|target| self.put(command, links, operands, operands, target));
        }
        if options::has_certain_target(command) {
            return;
        }
        let (sources, targets) = match operands.split_last() {
            Some((_, [])) if links => (&[][..], vec![Pattern::known(".")]),
            Some((last, [])) => (&[][..], self.scope.patterns(last)),
            Some((last, sources)) => (sources, self.scope.patterns(last)),
            None => return,
        };
        // Of what the word may be else, only what is known says something.
        let known = targets.into_iter().enumerate().filter(|(at, target)| *at == 0 || !target.is_open());
        for (_, target) in known {
            self.put(command, links, operands, sources, &target);
        }
    }

    /// Puts files into or over a target.
    fn put(
        &mut self,
        command: &Command,
        links: bool,
        operands: &[&Word],
        sources: &[&Word],
        target: &Pattern,
    ) {
        let name = name_of(command);
        if target.is_any() {
            self.unknown = true;
        }
        let folder = self.scope.cwds.iter().flatten().any(|cwd| cwd.join(target.text()).is_dir());
        let recursive = name != "cp"
            || command.has_flags(&["r"])
            || command.has_flags(&["a"])
            || command.has_flags(&["T"]);
        let itself = command.has_flags(&["T"]) || (links && command.has_flags(&["n"]));
        self.pattern(
            target,
            if !itself && (folder || !recursive) { Touch::Write } else { Touch::Tree },
            false,
        );
        for source in sources.iter().copied().chain(operands.iter().copied().filter(|_| sources.is_empty())) {
            for pattern in self.scope.patterns(source) {
                // `host:settings.json` of `scp` has its name behind the host's.
                let pattern = if name == "scp" { pattern.behind_host() } else { pattern };
                // Some take what is in `folder/`, others the folder itself.
                if recursive && pattern.text().len() > 1 && pattern.text().ends_with('/') {
                    self.below(target);
                }
                if links {
                    self.pattern(&pattern, Touch::Tree, false);
                }
                // A copy of the program is the program.
                if self.scope.guard(&pattern, Touch::Write, false) == Some(Guard::Program) {
                    self.add(Finding::Deny(REPLACED.to_owned()));
                }
                if matches!(pattern.text().rsplit('/').next(), Some("" | "." | ".." | "*"))
                    || pattern.is_any()
                {
                    if recursive || pattern.is_any() {
                        self.pattern(target, Touch::Into, false);
                    }
                    if recursive && !folder {
                        self.pattern(target, Touch::Tree, false);
                    }
                }
                self.pattern(
                    &pattern.in_folder(target),
                    if recursive { Touch::Tree } else { Touch::Write },
                    false,
                );
            }
        }
    }

    /// A folder that a container gets: a home, or what holds more than the project.
    pub(crate) fn container(&mut self, folder: &str) {
        let pattern = self.scope.read(folder);
        let inside = |cwd: &PathBuf| lexical(&cwd.join(pattern.text())).starts_with(self.scope.project);
        if !pattern.is_open() && !self.scope.cwds.iter().flatten().any(inside) {
            self.pattern(&pattern, Touch::Tree, false);
        }
    }

    /// Puts the content of its first operands into its last, and may take away what is there.
    pub(crate) fn rsync(&mut self, command: &Command, operands: &[&Word]) {
        let has = |start: &str| command.args.iter().any(|arg| arg.prefix().starts_with(start));
        let (deletes, moves) = (has("--del"), has("--remove"));
        if let Some((target, sources)) = operands.split_last() {
            self.word(target, Touch::Tree, deletes);
            for source in sources.iter().filter(|_| moves) {
                self.word(source, Touch::Tree, true);
            }
            for source in sources {
                if self.scope.names_program(source) {
                    self.add(Finding::Deny(REPLACED.to_owned()));
                }
                for (source, target) in self.scope.patterns(source).iter().zip(self.scope.patterns(target)) {
                    self.pattern(&source.in_folder(&target), Touch::Tree, deletes);
                }
            }
        }
        for arg in &command.args {
            if let Some((_, value)) = arg.text().split_once('=') {
                let pattern = self.scope.read(value);
                self.pattern(&pattern, Touch::Into, false);
            }
        }
    }
}
