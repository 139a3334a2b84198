//! Prints the commands of a shell text: `cargo run -p snaphook-shell --example commands -- 'sudo rm x'`, with `--sh` in front for
//! the dialect of `/bin/sh`.

use std::io::{self, Write};

use snaphook_shell::{Dialect, commands_in};

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1).peekable();
    let sh = args.next_if_eq("--sh").is_some();
    let dialect = if sh { Dialect::Sh } else { Dialect::Bash };
    let mut out = io::stdout();
    for text in args {
        match commands_in(&text, dialect) {
            Ok(found) => {
                for command in found {
                    writeln!(out, "{command}")?;
                }
            }
            Err(error) => writeln!(out, "not understood: {error}")?,
        }
    }
    Ok(())
}
