//! Compiles the prelude, which each VM runs first: a process that answers one event would spend a fifth of its time on that.
//!
//! The compiler is the one that the VM comes with: a library that links native code can be in a program in one version only.
#![expect(clippy::disallowed_methods, reason = "a build script is told by variables")]

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/prelude.luau");
    let source = std::fs::read_to_string("src/prelude.luau")?;
    let code = mlua::chunk::Compiler::new().compile(source)?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("prelude.bytecode"), code)?;
    Ok(())
}
