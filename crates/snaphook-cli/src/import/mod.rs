//! `snaphook import`: hooks of Discobot, iteratr and marvin, explained and brought over. Each product has a file that says what its files
//! come to (`item`); here is writing them: all checks first, then all files or none.

pub(crate) mod args;
mod discobot;
mod item;
mod iteratr;
mod marvin;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;
use snaphook::Product;
use snaphook_discovery::replace::{Mode, Target};
use snaphook_discovery::{Directories, printable};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::import::args::ImportArgs;
use crate::import::item::{Fate, Item};
use crate::install::record;
use crate::{out, wiring};

/// Runs the command.
pub(crate) fn import(env: &Env, args: &ImportArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let product = Product::other(&args.product).ok_or_else(|| {
        let names: Vec<_> = Product::OTHERS.iter().map(|product| product.as_str()).collect();
        Failure::Usage(format!(
            "there is no import from \"{}\"; there are {}",
            printable(&args.product),
            names.join(", ")
        ))
    })?;
    let from = args.from.as_ref().map(|from| match &env.cwd {
        Some(here) => here.join(from),
        None => from.clone(),
    });
    let _alone = (!args.dry_run).then(|| record::lock(&directories)).transpose()?;
    let items = items(product, &directories, from)?;
    let items: Vec<Item> = items.into_iter().map(Item::checked).collect();
    let wrong = items.iter().filter(|item| matches!(item.fate, Fate::Wrong(_))).count();
    let copies: Vec<_> = items.iter().filter(|item| matches!(item.fate, Fate::Copied { .. })).collect();
    let writes = !args.dry_run && wrong == 0;
    if writes {
        write_all(&directories, &copies)?;
    }
    if args.json {
        out::print_json(&json!({
            "product": product.as_str(),
            "dry_run": args.dry_run,
            "written": writes && !copies.is_empty(),
            "files": items.iter().map(Item::document).collect::<Vec<_>>(),
        }));
    } else {
        let mut text: String = items.iter().map(|item| item.text(&directories)).collect();
        text += &match (writes, copies.len()) {
            (_, 0) if wrong == 0 => "there is nothing to bring over\n".to_owned(),
            (true, count) => format!("{count} written. {}", next(product, &copies, &directories)),
            (false, _) if wrong > 0 => "nothing is written: mend what is wrong and try again\n".to_owned(),
            (false, count) => format!("{count} would be written: without --dry-run they are\n"),
        };
        out::print(&text);
    }
    if wrong > 0 && !args.dry_run {
        return Err(Failure::Usage(format!(
            "{wrong} of {} files cannot be brought over, so none was",
            items.len()
        )));
    }
    Ok(Exit::Fine)
}

/// Every file of the product, and what it comes to.
fn items(product: Product, directories: &Directories, from: Option<PathBuf>) -> Result<Vec<Item>, Failure> {
    let root = &directories.project_root;
    let ours = &directories.project_hooks;
    if product == Product::Iteratr {
        let named = from.unwrap_or_else(|| root.clone());
        let file = if named.is_dir() { named.join(iteratr::FILE) } else { named };
        if !file.is_file() {
            return Err(Failure::Usage(format!(
                "there are no hooks of iteratr's: {} is not there; name the file with --from",
                printable(&file.display().to_string())
            )));
        }
        return Ok(vec![iteratr::item(file, root.join(".snaphook/lifecycle.yml"))]);
    }
    let is_named = from.is_some();
    let places: Vec<(PathBuf, PathBuf)> = match (product, from) {
        (Product::Marvin, None) => {
            let home = directories.home.as_ref().map(|home| home.join(".config/marvin/hooks"));
            let user = home.zip(directories.user_hooks.clone());
            user.into_iter().chain([(root.join(".marvin/hooks"), ours.clone())]).collect()
        }
        (_, Some(from)) => vec![(from, ours.clone())],
        (_, None) => vec![(root.join(".discobot/hooks"), ours.clone())],
    };
    let there: Vec<_> = places.iter().filter(|(folder, _)| folder.is_dir()).collect();
    if there.is_empty() {
        let looked: Vec<_> =
            places.iter().map(|(folder, _)| printable(&folder.display().to_string())).collect();
        let advice = if is_named { "" } else { "; name the folder with --from" };
        return Err(Failure::Usage(format!(
            "there are no hooks of {}'s: {} is not there{advice}",
            product.title(),
            looked.join(" or ")
        )));
    }
    let mut items = Vec::new();
    for (folder, to) in there {
        items.extend(match product {
            Product::Marvin => marvin::items(folder, to)?,
            _ => discobot::items(folder, to)?,
        });
    }
    Ok(items)
}

/// Returns what a person does next.
fn next(product: Product, copies: &[&Item], directories: &Directories) -> String {
    let in_project = |item: &&&Item| matches!(&item.fate, Fate::Copied { to, .. } if to.starts_with(&directories.project_root));
    let mut text = String::new();
    if copies.iter().any(|item| in_project(&item)) {
        text += "Look at them and say yes with `snaphook trust`; ";
    }
    text += "`snaphook list` shows what loads\n";
    let commits = ("event", json!("pre_commit"));
    if copies.iter().any(|item| item.facts.contains(&commits)) {
        text += "For the checks before a commit: `snaphook git install`\n";
    }
    text += &format!(
        "The old files are as they were. With `--compat {product}` or `[compat]` in config.toml they would run beside the new ones: use \
         one or the other\n"
    );
    text
}

/// Writes every file, none in the place of another. What goes wrong takes all back.
fn write_all(directories: &Directories, items: &[&Item]) -> Result<(), Failure> {
    let mut targets: Vec<(Target, &[u8], Mode)> = Vec::new();
    for item in items {
        let Fate::Copied { to, bytes, executable } = &item.fate else { continue };
        let mode = if *executable { Mode::Executable } else { Mode::Shared };
        targets.push((files::target(directories, to)?, bytes, mode));
    }
    let mut done: Vec<&Target> = Vec::new();
    for (target, bytes, mode) in &targets {
        if let Err(error) = target.create(bytes, *mode) {
            for target in done {
                let _ = target.remove();
            }
            return Err(failed(target.path(), &error));
        }
        done.push(target);
    }
    Ok(())
}

fn failed(to: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("{} cannot be written: {error}; nothing was brought over", to.display()))
}
