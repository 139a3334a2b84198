//! `snaphook types`: the script API's declarations for editors, and the reference. Not here: what stands in them, which
//! `cargo xtask generate` writes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snaphook_discovery::Directories;
use snaphook_discovery::replace::Mode;
use snaphook_state::plain_fs;

use crate::author::luarc::{self, Change};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::print;
use crate::wiring;

/// Write declarations of the script API for editors and checkers
///
/// Writes snaphook.d.lua for the Lua language server and EmmyLua, snaphook.d.luau for luau-lsp, and names the folder
/// in .luarc.json, where the first two look for it. An existing .luarc.json gets one more entry.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 written, 64 usage, 70 internal error.")]
pub(crate) struct TypesArgs {
    /// The folder to write to [default: .snaphook/types in the project]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Print the reference of the script API (Markdown) and write nothing
    #[arg(long, conflicts_with_all = ["dir", "json"])]
    reference: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

const LUALS: &str = "snaphook.d.lua";
const LUAU: &str = "snaphook.d.luau";
const DECLARATIONS: [(&str, &str); 2] = [
    (LUALS, include_str!("../../types/snaphook.d.lua")),
    (LUAU, include_str!("../../types/snaphook.d.luau")),
];
const REFERENCE: &str = include_str!("../../../../docs/reference.md");
const LUARC: &str = ".luarc.json";

/// The fate of a file.
struct Written {
    path: PathBuf,
    change: &'static str,
    /// The advice to the person, where the command could not.
    advice: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// There is no project and no folder was named, or a file cannot be written.
pub(crate) fn types(env: &Env, args: &TypesArgs) -> Result<Exit, Failure> {
    if args.reference {
        print::stdout(REFERENCE);
        return Ok(Exit::Fine);
    }
    let directories = wiring::directories(env, None)?;
    let (folder, settings) = places(&directories, args.dir.as_deref())?;
    files::make_folder(&directories, &folder)?;
    let mut done = Vec::new();
    for (name, text) in DECLARATIONS {
        done.push(update(&directories, folder.join(name), text)?);
    }
    done.push(settings_file(&directories, &settings, &folder)?);
    if args.json {
        print::json(&json!({ "files": done.iter().map(document).collect::<Vec<_>>() }));
    } else {
        print::stdout(&text(&directories, &folder, &done));
    }
    Ok(Exit::Fine)
}

/// The folder of the declarations, and the one of `.luarc.json`: the project's root, or beside the declarations where
/// they are written elsewhere.
fn places(directories: &Directories, dir: Option<&Path>) -> Result<(PathBuf, PathBuf), Failure> {
    match (dir, files::project(directories)) {
        (None, Some(root)) => Ok((root.join(".snaphook").join("types"), root.to_owned())),
        (None, None) => Err(Failure::Usage(format!(
            "{} is in no project: no folder above it has a .snaphook or a .git. Name a folder with --dir",
            directories.cwd.display()
        ))),
        (Some(dir), root) => {
            let folder = directories.cwd.join(dir);
            if folder.exists() && !folder.is_dir() {
                return Err(Failure::Usage(format!("--dir {} is not a folder", dir.display())));
            }
            files::make_folder(directories, &folder)?;
            let folder = snaphook_discovery::resolved(&folder);
            let inside = root.filter(|root| folder.starts_with(root) && folder != *root);
            let settings = inside.or(folder.parent()).unwrap_or(&folder).to_owned();
            Ok((folder, settings))
        }
    }
}

fn update(directories: &Directories, path: PathBuf, text: &str) -> Result<Written, Failure> {
    let same = plain_fs::read(&path, MAX_BYTES).is_ok_and(|known| known == text.as_bytes());
    if !same {
        files::write(directories, &path, text, Mode::Kept)?;
    }
    Ok(Written { path, change: if same { "same" } else { "written" }, advice: None })
}

fn settings_file(directories: &Directories, settings: &Path, folder: &Path) -> Result<Written, Failure> {
    let path = settings.join(LUARC);
    let entry = folder.strip_prefix(settings).unwrap_or(folder).display().to_string().replace('\\', "/");
    let known = match plain_fs::read_text(&path, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            files::write(directories, &path, &luarc::fresh(&entry), Mode::Kept)?;
            return Ok(Written { path, change: "written", advice: None });
        }
        Err(error) => return Ok(left_alone(path, &error.to_string(), &entry)),
    };
    match luarc::extend(&known, &entry) {
        Ok(Change::None) => Ok(Written { path, change: "same", advice: None }),
        Ok(Change::Write(text)) => {
            files::write(directories, &path, &text, Mode::Kept)?;
            Ok(Written { path, change: "extended", advice: None })
        }
        Err(why) => Ok(left_alone(path, &why, &entry)),
    }
}

fn left_alone(path: PathBuf, why: &str, entry: &str) -> Written {
    let advice = format!("not touched: {why}; add to it: \"workspace.library\": [{}]", Value::from(entry));
    Written { path, change: "not touched", advice: Some(advice) }
}

fn document(written: &Written) -> Value {
    json!({ "path": written.path.display().to_string(), "change": written.change, "advice": written.advice })
}

fn text(directories: &Directories, folder: &Path, done: &[Written]) -> String {
    let mut text = String::new();
    for Written { path, change, advice } in done {
        let path = directories.relative(path);
        text += &match (advice, *change) {
            (Some(advice), _) => format!("{path} was {}\n", print::lines(advice)),
            (None, "same") => format!("{path} is as it should be\n"),
            (None, change) => format!("{change} {path}\n"),
        };
    }
    let luau = directories.relative(&folder.join(LUAU));
    text += &format!(
        "The Lua language server and EmmyLua find them by {LUARC}. For luau-lsp put into its settings\n"
    );
    text += &format!("    \"luau-lsp.types.definitionFiles\": {{ \"@snaphook\": \"{luau}\" }}\n");
    text
}
