//! Commands in the arguments of programs of which no row tells whether they run any: `mpirun -n 4 rm -r x`, `prove -e 'rm -r' x`,
//! `some-shell --eval 'code'`. What looks like a command is listed as one, beside the program itself: a command too many costs
//! a question at most. Not here: programs that are known to run others (`wrappers`, `configured`).

use super::{Call, Item, Opaque, Reader, Res, add, basename, code, dynamic, emit, start};
use crate::programs::{self, Makes, Program, Role, Runs, words};

/// Options that name code in many programs.
const CODE: &[&str] =
    words!("-e -c --eval --exec --execute --command --run --code --script --expression --expr");

/// Reports a program that may run a command in its arguments. `opaque` is what is known of it otherwise.
pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str, opaque: Option<Opaque>) -> Res<()> {
    if is_some_shell(name) && takes_text(call.args(), reader.out.feeds) {
        return emit(reader, call, true, opaque);
    }
    let found = command(&call, name);
    // what stands behind the command's name is the command's own
    let before = found.as_ref().map_or(usize::MAX, |(at, _)| at - 1);
    let own = call.args().get(..before).unwrap_or(call.args());
    let opaque = opaque.or_else(|| option(own));
    let Some((at, inner)) = found else { return emit(reader, call, false, opaque) };
    // the files of the command behind are not this program's
    let mut without = call.clone();
    without.words.truncate(at);
    reader.out.written.by_command(&without);
    add(reader, call, false, opaque)?;
    let (via, source) = (inner.via.clone(), inner.source.clone());
    // words that make no command of this subset may be no command at all
    reader
        .nested(|reader| start(reader, inner))
        .or_else(|_| dynamic(reader, "‹arguments›", name, &via, &source))
}

/// Returns whether a name that no row has looks like a shell's, with or without a version: `bosh`, `mksh-R59`, `lksh_test`.
fn is_some_shell(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split(['-', '_', '.']).next().unwrap_or_default();
    stem.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("sh")
}

/// Returns whether these arguments are those of a shell that is given a text: `-c 'rm x'`, `-ec "$x"`, or its input.
fn takes_text(args: &[Item], feeds: bool) -> bool {
    let is_text = |item: &Item| {
        item.word.known().is_none_or(|text| text.contains(|c: char| " \t\n;&|<>()$`".contains(c)))
    };
    let command = |item: &Item| {
        let letters = item.word.known().and_then(|text| text.strip_prefix('-')).unwrap_or_default();
        letters.len() < 5 && letters.contains('c') && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let reads = || args.iter().all(|item| item.word.prefix().starts_with('-'));
    feeds && reads() || args.windows(2).any(|pair| command(&pair[0]) && is_text(&pair[1]))
}

/// Returns the first command that the arguments look like, whether as words of their own or as one text, and the index of the
/// word.
fn command(call: &Call, name: &str) -> Option<(usize, Call)> {
    for (at, item) in call.words.iter().enumerate().skip(1) {
        let Some(text) = item.word.known() else { continue };
        let behind = call.words.len() - at - 1;
        // `--exec=rm -r`, `-erm`
        let value = text.split_once('=').filter(|_| text.starts_with("--")).map_or(text, |(_, value)| value);
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let glued = short.and_then(|rest| rest.get(1..)).unwrap_or_default();
        for value in [value, glued] {
            let mut parts = value.split_ascii_whitespace();
            let Some(first) = parts.next() else { continue };
            let alone = value == first;
            if !programs::find(basename(first)).is_some_and(|program| is_command(program, alone))
                || alone && behind == 0
            {
                continue;
            }
            let mut inner = call.clone().through(name, at + 1);
            let words = std::iter::once(first).chain(parts).map(Item::known);
            inner.words.splice(0..0, words);
            return Some((at, inner));
        }
    }
    None
}

/// Returns whether a program of this row is one that matters behind another: what removes, and what runs code or others. As
/// the beginning of a text (not `alone`) it is one only where it is hardly a word of a sentence.
fn is_command(program: &Program, alone: bool) -> bool {
    // a wrapper matters by the command behind it, which is found as well
    let runs = match program.runs {
        Runs::Shell(_) => true,
        // `red` is more often a colour than an editor
        Runs::Code(interpreter) => interpreter.language != "ed",
        Runs::Find | Runs::Fd | Runs::Sed | Runs::Git => alone,
        _ => false,
    };
    // `bear -- make`, `ccache gcc`
    let builds = alone && (program.makes == Makes::Targets || program.compiles());
    runs || builds
        || program.is(Role::Removes)
        || program.is(Role::ChangesAccess)
        || program.makes == Makes::Output
}

/// Returns the code behind an option that everywhere names code, where it looks like code.
fn option(args: &[Item]) -> Option<Opaque> {
    args.iter().enumerate().find_map(|(at, item)| {
        let text = item.word.known()?;
        let value = match text.split_once('=') {
            Some((option, value)) if CODE.contains(&option) => value,
            _ if CODE.contains(&text) => args.get(at + 1)?.word.known()?,
            _ => return None,
        };
        let looks = value.contains(['(', ' ', ';', '\n']) && !value.starts_with('-');
        looks.then(|| code("other", Some(value)))
    })
}
