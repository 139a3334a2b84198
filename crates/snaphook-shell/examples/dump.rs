//! Prints one line for each text: a hash of all that the reader says of it in both dialects, or all of it with `--whole`.
//! Two builds that print the same read alike. `docs/dev/fuzzing.md` says how to use it.
//!
//! Each argument is a file of texts: one JSON string a line (`.jsonl`), or what `soundness --show` prints.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufWriter, Write as _};

use snaphook_shell::{Command, Dialect, FlagMatch, commands_in};

/// Options that several programs have, as letters and as words.
#[rustfmt::skip]
const FLAGS: &[&str] = &[
    "r", "R", "f", "n", "a", "i", "v", "d", "x", "c", "o", "O", "g", "s", "u", "q", "m", "l", "k", "T",
    "X", "recursive", "dereference-recursive", "force", "interactive", "dir", "verbose", "archive",
    "no-clobber", "symbolic", "silent", "dry-run", "all", "message", "delete", "quiet", "set-upstream",
    "volume", "output", "remote-name", "request", "data", "insecure", "upload-file", "output-document",
    "global", "in-place", "extract", "create", "file", "signal", "list", "remove", "rec",
];

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1).peekable();
    let is_whole = args.next_if_eq("--whole").is_some();
    let mut out = BufWriter::new(io::stdout().lock());
    for file in args {
        for text in texts(&file, &std::fs::read_to_string(&file)?)? {
            let said = format!("{}\n{}", read(&text, Dialect::Bash), read(&text, Dialect::Sh));
            if is_whole {
                writeln!(out, "{text:?}\n{said}")?;
            } else {
                let mut hasher = DefaultHasher::new();
                (&text, said).hash(&mut hasher);
                writeln!(out, "{:016x}", hasher.finish())?;
            }
        }
    }
    out.flush()
}

/// Shows what a text reads as, with the options of its commands.
fn read(text: &str, dialect: Dialect) -> String {
    let found = commands_in(text, dialect);
    let flags =
        |command: &Command| -> Vec<FlagMatch> { FLAGS.iter().map(|flag| command.flag(flag)).collect() };
    let flags: Vec<_> = found.iter().flatten().map(flags).collect();
    format!("{found:?} {flags:?}")
}

/// Splits a file into its texts.
fn texts(file: &str, content: &str) -> io::Result<Vec<String>> {
    if file.ends_with(".jsonl") {
        return content.lines().map(|line| Ok(serde_json::from_str(line)?)).collect();
    }
    let mut texts: Vec<String> = Vec::new();
    for line in content.split_inclusive('\n') {
        let number = line.strip_prefix("%% ").and_then(|rest| rest.trim_end().parse::<u64>().ok());
        match texts.last_mut() {
            _ if number.is_some() => texts.push(String::new()),
            Some(text) => text.push_str(line),
            None => {}
        }
    }
    // the line end behind each text is not part of it
    Ok(texts.into_iter().map(|text| text.strip_suffix('\n').map_or(text.clone(), str::to_owned)).collect())
}
