//! Links the C++ library, which Luau needs, into the program where that can be done: to find and relocate the system's costs
//! half a millisecond at each start, and an agent starts snaphook for each tool call. The program also runs on systems without it.
//!
//! A folder with a linker script that is named like the shared library, and points to the static one, is searched first.
//! Where there is no static one (some distributions have it in a package of its own), the shared one is linked as usual.
#![expect(clippy::disallowed_methods, reason = "a build script is told by variables")]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let linux = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    if !linux || var("HOST") != var("TARGET") {
        return;
    }
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let Ok(found) = Command::new(compiler).arg("-print-file-name=libstdc++.a").output() else { return };
    let library = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    // A name that comes back as it was asked for was not found.
    if !Path::new(&library).is_absolute() || !Path::new(&library).is_file() {
        return;
    }
    let folder = Path::new(&var("OUT_DIR")).join("link");
    let script = format!("INPUT({library})\n");
    let written =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join("libstdc++.so"), script));
    if written.is_ok() {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}
