//! Questions of hooks at a terminal: what is left on the screen when they were answered, whatever their length; and commands whose
//! reader goes away.

use std::io::Read as _;
use std::process::Stdio;

use crate::pty::Terminal;
use crate::support::Sandbox;

/// The width of a terminal whose size is not set.
const WIDTH: usize = 80;

/// The lines on a screen after this was written: wraps, line ends, and the few sequences with which lines are cleared.
fn screen(written: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![Vec::<char>::new()], 0_usize, 0_usize);
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                let sequence: String = chars.by_ref().take_while_inclusive_letter();
                let count = sequence.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(1);
                match sequence.chars().last() {
                    Some('A') => row = row.saturating_sub(count),
                    Some('B') => row += count,
                    // It is behind a carriage return, which is removed from what was shown.
                    Some('K') => {
                        lines[row].clear();
                        column = 0;
                    }
                    _ => {}
                }
            }
            '\n' => (row, column) = (row + 1, 0),
            c => {
                if column == WIDTH {
                    (row, column) = (row + 1, 0);
                }
                lines.resize(lines.len().max(row + 1), Vec::new());
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    let text = |line: Vec<char>| line.into_iter().collect::<String>().trim_end().to_owned();
    lines.into_iter().map(text).filter(|line| !line.is_empty()).collect()
}

/// The rest of a sequence.
trait Sequence: Iterator<Item = char> {
    fn take_while_inclusive_letter(&mut self) -> String {
        let mut sequence = String::new();
        for c in self {
            sequence.push(c);
            if c.is_ascii_alphabetic() {
                break;
            }
        }
        sequence
    }
}

impl<I: Iterator<Item = char>> Sequence for I {}

#[test]
fn a_question_of_any_length_leaves_itself_and_its_answer() {
    let long = "which of these is meant, in a question that does not fit on a line of the terminal, nor on a second one, \
                because its author had a lot to write about it? END";
    let wide = "an option that is so long that the terminal has to wrap it as well, which the library would not know of";
    for (question, options, keys, picked) in [
        ("which?", ["one", "two", "three"], "\u{1b}[B\u{1b}[B\r", "three"),
        (long, ["one", "two", "three"], "\u{1b}[B\u{1b}[B\r", "three"),
        (long, [wide, "two", wide], "\u{1b}[B\u{1b}[A\u{1b}[A\r", wide),
    ] {
        let place = Sandbox::new();
        let listed = options.map(|option| format!("\"{option}\"")).join(", ");
        place.write(
            "config/hooks/asks.lua",
            format!(
                "on(\"tool_call\", function(event, ctx)\n  local pick = ctx.ui.select(\"{question}\", {{ {listed} }})\n  \
                 return {{ block = true, reason = \"picked \" .. tostring(pick) }}\nend)\n"
            ),
        );
        let args = ["check", "--tool", "bash", "--input", r#"{"command": "ls"}"#, "--ui", "terminal"];
        let mut terminal = Terminal::start(place.command(&args));
        terminal.until("two");
        terminal.press(keys);
        let ended = terminal.end();
        assert!(ended.settings_are_as_before && ended.shows_cursor(), "{:?}", ended.shown);
        assert_eq!(ended.code, Some(2), "{}", ended.shown);
        assert!(ended.shown.contains(&format!("picked {picked}")), "{}", ended.shown);
        let lines = screen(&ended.shown);
        let whole = lines.join("");
        let end = question.rsplit(' ').next().unwrap();
        assert_eq!(whole.matches(end).count(), 1, "{lines:#?}");
        // One line says what was chosen; nothing of the choices stays but what was written before them.
        let is_wide = options.contains(&wide);
        assert_eq!(whole.matches("two").count(), usize::from(is_wide), "{lines:#?}");
    }
}

/// `snaphook … | head`, and with both streams: no panic, and the exit code that it has otherwise.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Sandbox::with_hook();
    place.write("config/hooks/bad.lua", "on(");
    for args in [
        &["run", "--headless"][..],
        &["run", "--headless", "--json"],
        &["list"],
        &["list", "--no-such-option"],
        &["check", "--tool", "bash", "--input", "{"],
        &["--help"],
        &["man"],
    ] {
        let code = place.run(args).code;
        for both in [false, true] {
            let mut command = place.command(args);
            command.env("SNAPHOOK_LOG", "debug").env("RUST_BACKTRACE", "0");
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            drop(child.stdout.take());
            let mut said = String::new();
            if both {
                drop(child.stderr.take());
            } else {
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            }
            assert_eq!(child.wait().unwrap().code(), Some(code), "{args:?} {both}: {said}");
            assert!(!said.contains("panicked") && !said.contains("roken pipe"), "{args:?}: {said}");
        }
    }
}
