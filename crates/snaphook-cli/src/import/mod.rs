//! `snaphook import`: what is printed of each file, and what a person does next. Not here: reading and copying files
//! (`snaphook_setup::import`).

pub(crate) mod args;

use serde_json::{Map, Value, json};
use snaphook::Product;
use snaphook_discovery::{Directories, printable};
use snaphook_setup::import::{Fate, ImportReport, ImportedFile};

use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::import::args::ImportArgs;
use crate::{print, wiring};

/// Runs the command.
pub(crate) fn import(env: &Env, args: &ImportArgs) -> Result<Exit, Failure> {
    let directories = wiring::directories(env, args.cwd.as_deref())?;
    let product = Product::other(&args.product).ok_or_else(|| {
        let names: Vec<_> = Product::OTHERS.iter().map(|product| product.as_str()).collect();
        let named = printable(&args.product);
        Failure::Usage(format!("cannot import from \"{named}\": expected one of {}", names.join(", ")))
    })?;
    let from = args.from.as_ref().map(|from| match &env.cwd {
        Some(here) => here.join(from),
        None => from.clone(),
    });
    let report = snaphook_setup::import::import(&directories, product, from, args.dry_run)?;
    let (count, wrong) = (report.copies().count(), report.wrong());
    if args.json {
        print::json(&json!({
            "product": product.as_str(),
            "dry_run": args.dry_run,
            "written": report.is_written && count > 0,
            "files": report.files.iter().map(document).collect::<Vec<_>>(),
        }));
    } else {
        let mut all: String = report.files.iter().map(|file| text(file, &directories)).collect();
        all += &match (report.is_written, count, wrong) {
            (_, 0, 0) => "there is nothing to import\n".to_owned(),
            (true, count, _) => {
                format!("{count} files written. {}", next_steps(product, &report, &directories))
            }
            (false, count, 0) => format!("Dry run: {count} files would be written\n"),
            (false, ..) => "nothing was written: fix what is wrong and try again\n".to_owned(),
        };
        print::stdout(&all);
    }
    if wrong > 0 && !args.dry_run {
        let all = report.files.len();
        return Err(Failure::Usage(format!("{wrong} of {all} files cannot be imported, so none was")));
    }
    Ok(Exit::Fine)
}

fn next_steps(product: Product, report: &ImportReport, directories: &Directories) -> String {
    let mut text = String::new();
    if report.copies().any(|(_, to)| to.starts_with(&directories.project_root)) {
        text += "Review and approve them with `snaphook trust`; ";
    }
    text += "`snaphook list` shows which hooks load\n";
    let commits = ("event", json!("pre_commit"));
    if report.copies().any(|(file, _)| file.facts.contains(&commits)) {
        text += "To run checks before each commit: `snaphook git install`\n";
    }
    text += &format!(
        "The old files are unchanged. With `--compat {product}` or `[compat]` in config.toml they would run beside the new ones: use \
         one or the other\n"
    );
    text
}

fn document(file: &ImportedFile) -> Value {
    let facts: Map<String, Value> =
        file.facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let (state, to, why) = match &file.fate {
        Fate::Copied { to, .. } => ("copied", Some(to.to_string_lossy()), None),
        Fate::Left(why) => ("left", None, Some(why)),
        Fate::Wrong(why) => ("wrong", None, Some(why)),
    };
    json!({
        "from": file.from.to_string_lossy(),
        "state": state,
        "to": to,
        "why": why,
        "hook": (!facts.is_empty()).then_some(facts),
        "notes": file.notes,
    })
}

fn text(file: &ImportedFile, directories: &Directories) -> String {
    let from = directories.relative(&file.from);
    let mut text = match &file.fate {
        Fate::Copied { to, .. } => format!("{from} -> {}\n", directories.relative(to)),
        Fate::Left(why) => format!("{from}: {why}\n"),
        Fate::Wrong(why) => format!("{from}: wrong: {why}\n"),
    };
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for (name, value) in &file.facts {
        let value = match value {
            Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
            other => plain(other),
        };
        text += &format!("    {name}: {}\n", printable(&value));
    }
    for note in &file.notes {
        text += &format!("    note: {}\n", print::lines(note).replace('\n', "\n    "));
    }
    text
}
