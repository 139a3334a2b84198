//! Writes a table of squares, and asks the compiler for its version as many build scripts do.

use std::process::Command;
use std::{env, fs, path::Path};

fn main() {
    let rustc = env::var_os("RUSTC").unwrap();
    assert!(Command::new(rustc).arg("-vV").output().unwrap().status.success());
    let squares: Vec<String> = (0..100u32).map(|number| (number * number).to_string()).collect();
    let text = format!("pub const SQUARES: [u32; 100] = [{}];\n", squares.join(", "));
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap()).join("table.rs"), text).unwrap();
    println!("cargo::rerun-if-changed=build.rs");
}
