//! How long the shell analysis takes: the command of every day, and a long script.

use std::hint::black_box;

use snaphook_shell::commands;

fn main() {
    divan::main();
}

#[divan::bench]
fn short(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| commands(black_box("git status && cargo test")));
}

#[divan::bench]
fn ten_kilobytes(bencher: divan::Bencher<'_, '_>) {
    let line = |index| {
        format!("if [ -f \"src/f{index}.rs\" ]; then cargo check --quiet -p x{index} 2>&1 | tail -5; fi\n")
    };
    let text: String = (0..130).map(line).collect();
    bencher.bench(|| commands(black_box(&text)));
}

#[divan::bench]
fn nested(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| {
        commands(black_box(
            "sudo env A=1 bash -lc 'cd src && rm -rf \"$(git rev-parse --show-toplevel)\"/build'",
        ))
    });
}
