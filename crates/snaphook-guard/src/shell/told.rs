//! Ways of single programs to be told something: paths with signs that they replace, texts that they run later, formats
//! that come to a path. Not here: words as a shell makes them (`path_pattern`).

use snaphook_shell::{Command, Word};

use super::line::Line;
use super::options;
use crate::address;
use crate::guarded_files::REGISTERS;
use crate::parts::{braces, paths};
use crate::path_pattern::Pattern;
use crate::places::Touch;

/// Programs that do what a text says, which are no interpreters.
pub(crate) const TEXTS: &[&str] = &["git", "sed", "sftp", "ftp", "lftp", "tftp"];

/// Options of curl whose value it puts together, and which name no file that is written.
#[rustfmt::skip]
const EXPANDED: &[&str] = &[
    "--expand-url", "--expand-data", "--expand-json", "--expand-header", "--expand-user", "--expand-form",
    "--expand-cookie", "--expand-referer", "--expand-proxy", "--expand-range", "--expand-request", "--expand-oauth",
];

impl Line<'_> {
    /// Looks at what is told in a way that only this program knows.
    pub(crate) fn told(&mut self, command: &Command, name: &str) {
        for word in &command.args {
            let text = word.text();
            let Some(at) = text.to_ascii_lowercase().find("file:") else { continue };
            for reading in address::readings(text.get(at..).unwrap_or_default()) {
                for one in braces(&reading) {
                    let pattern = self.scope.read(&one);
                    self.pattern(&pattern, Touch::Into, false);
                }
            }
        }
        if name == "curl" {
            self.curl(command);
        }
        if name == "systemd-tmpfiles" && command.args.iter().any(|arg| !arg.prefix().starts_with("--cat")) {
            self.ask("`systemd-tmpfiles` makes and removes the files that a text names");
        }
    }

    fn curl(&mut self, command: &Command) {
        let mut before = "";
        let mut asks = false;
        for word in &command.args {
            let text = word.text();
            asks |= text.starts_with("--exp") && !EXPANDED.iter().any(|option| text.starts_with(option));
            let writes_out =
                before.starts_with("--wri") || (before.starts_with('-') && before.ends_with('w'));
            let value = text.split_once('=').map_or(text, |(_, value)| value);
            asks |= (writes_out || text.starts_with("-w") || text.starts_with("--wri"))
                && value.trim_start_matches("-w").trim_start_matches(['"', '\'']) == "@-";
            asks |= text
                .split("%output{")
                .skip(1)
                .any(|rest| rest.split('}').next().is_some_and(|path| path.contains('%')));
            // `#1` is a part of the address.
            if text.contains('#') {
                let parts = [text, value].into_iter().chain(options::glued(text));
                for part in parts.map(str::to_owned).collect::<Vec<_>>() {
                    if let Some(pattern) = Pattern::with_numbers(&part) {
                        self.pattern(&pattern, Touch::Into, false);
                    }
                }
            }
            before = text;
        }
        if asks {
            self.ask("`curl` is told here to write to a file whose name it puts together itself");
        }
    }

    /// Paths in the value of a variable: `MAVEN_OPTS=-Xloggc:FILE`.
    pub(crate) fn inside(&mut self, value: &Word) {
        let text = value.text().to_owned();
        for part in paths(&text).filter(|part| *part != text).take(200) {
            let pattern = self.scope.read(part);
            self.pattern(&pattern, Touch::Into, false);
        }
    }

    /// Returns whether a format in a text (`'.%s/%s.json' % …`, `f".{x}/settings.json"`) comes to what is guarded, whose words
    /// are all in the text.
    pub(crate) fn formats(&self, text: &str, plain: &str) -> bool {
        let quoted =
            text.split(['\'', '"', '`']).filter(|part| part.len() < 512 && part.contains(['%', '{']));
        for literal in quoted.take(200) {
            let Some(pattern) = Pattern::with_places(literal) else { continue };
            let words = |parts: &[&str]| {
                let all = parts.iter().flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
                all.filter(|word| word.len() > 3).all(|word| plain.contains(word))
            };
            if REGISTERS.iter().any(|(parts, _)| parts.len() > 1 && words(parts) && pattern.may_end_in(parts))
            {
                return true;
            }
        }
        false
    }

    /// Returns whether it has another program run a text when this call has ended.
    pub(crate) fn runs_later(&self, command: &Command, name: &str) -> bool {
        let has =
            |words: &[&str]| command.args.iter().filter_map(Word::known).any(|arg| words.contains(&arg));
        match name {
            "crontab" => !has(&["-l"]),
            "at" | "batch" => !has(&["-l", "-q", "-V"]),
            "systemd-run" => true,
            "systemctl" => {
                has(&["link", "edit", "set-environment", "unset-environment", "import-environment", "revert"])
                    || (has(&["enable"]) && command.args.iter().any(|arg| arg.text().contains('/')))
            }
            "launchctl" => !has(&["list", "print"]),
            "direnv" => has(&["allow", "permit", "grant", "edit"]),
            _ => false,
        }
    }
}
