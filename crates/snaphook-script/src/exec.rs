//! What both languages say of `ctx.exec` with a command line in the place of a program. Not here: running it.

use snaphook_core::Notation;

/// The signs that mean something to a shell only.
const SHELL: [char; 12] = ['|', '&', ';', '<', '>', '$', '`', '*', '?', '"', '\'', '~'];

/// The failure of a program whose name has a space, so that it is probably a command line: with what to write. A name
/// without a folder is surely one; of a path the original failure is kept.
pub fn failure(program: &str, has_arguments: bool, failure: &str, notation: Notation) -> String {
    let mut words = program.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return failure.to_owned() };
    if has_arguments && first.contains(['/', '\\']) {
        return failure.to_owned();
    }
    let call = if program.contains(SHELL) {
        format!("ctx.exec(\"sh\", {})", notation.texts(["-c", program]))
    } else {
        let arguments = std::iter::once(second).chain(words);
        format!("ctx.exec({first:?}, {})", notation.texts(arguments))
    };
    let said = format!("ctx.exec takes a program and its arguments, not a command line: write {call}");
    if first.contains(['/', '\\']) { format!("{failure}; {said}") } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_told_apart() {
        let not_a_line = "ctx.exec takes a program and its arguments, not a command line: write";
        for (program, has_arguments, notation, expected) in [
            ("git", false, Notation::Lua, "it is not there".to_owned()),
            ("/opt/my tools/run", true, Notation::Lua, "it is not there".to_owned()),
            (
                "git status --short",
                false,
                Notation::Lua,
                format!("{not_a_line} ctx.exec(\"git\", {{ \"status\", \"--short\" }})"),
            ),
            ("git status", true, Notation::Rhai, format!("{not_a_line} ctx.exec(\"git\", [\"status\"])")),
            (
                "ls | wc -l",
                false,
                Notation::Rhai,
                format!("{not_a_line} ctx.exec(\"sh\", [\"-c\", \"ls | wc -l\"])"),
            ),
            (
                "./run --fast",
                false,
                Notation::Lua,
                format!("it is not there; {not_a_line} ctx.exec(\"./run\", {{ \"--fast\" }})"),
            ),
        ] {
            assert_eq!(failure(program, has_arguments, "it is not there", notation), expected, "{program}");
        }
    }
}
