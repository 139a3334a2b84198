//! Links the C++ library, which Luau needs, and the compiler's own, which unwinds, into the program where that can be done: to
//! find and relocate the system's costs more than half a millisecond at each start, and an agent starts snaphook for each tool
//! call. The program also runs on systems without them.
//!
//! A folder with a linker script that is named like each shared library, and points to the static one, is searched first.
//! Where there is no static one (some distributions have it in a package of its own), the shared one is linked as usual.
#![expect(clippy::disallowed_methods, reason = "a build script gets its input from variables")]

use std::path::Path;
use std::process::Command;

/// The libraries that are linked in: the name that is linked, and its replacement.
const LIBRARIES: [(&str, &str); 2] = [("libstdc++.so", "libstdc++.a"), ("libgcc_s.so", "libgcc_eh.a")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let linux = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    if !linux || var("HOST") != var("TARGET") {
        return;
    }
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let folder = Path::new(&var("OUT_DIR")).join("link");
    let mut linked = false;
    for (shared, archive) in LIBRARIES {
        let Some(library) = find(&compiler, archive) else { continue };
        let script = format!("INPUT({library})\n");
        linked |= std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join(shared), script))
            .is_ok();
    }
    if linked {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
}

/// Returns where the compiler has a library; a name that comes back as it was asked for was not found.
fn find(compiler: &str, archive: &str) -> Option<String> {
    let found = Command::new(compiler).arg(format!("-print-file-name={archive}")).output().ok()?;
    let library = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    (Path::new(&library).is_absolute() && Path::new(&library).is_file()).then_some(library)
}
