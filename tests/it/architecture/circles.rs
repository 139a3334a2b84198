//! Imports between the files of a crate go one way: a circle of them can only be understood, moved or tried as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::sources;

/// A file, by its module's path in the crate.
type Module = Vec<String>;

/// The files that may import each other.
const MAX_CIRCLE: usize = 4;

#[test]
fn no_circle_of_imports_is_long() {
    let mut crates: BTreeMap<String, BTreeMap<Module, String>> = BTreeMap::new();
    for (file, source) in sources() {
        let Some((name, path)) = file.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"))
        else {
            continue;
        };
        crates.entry(name.to_owned()).or_default().insert(module_of(path), source);
    }
    assert!(crates.len() > 15);
    let mut long = Vec::new();
    for (name, files) in crates {
        let circles = circles(&files).into_iter().filter(|circle| circle.len() > MAX_CIRCLE);
        long.extend(circles.map(|circle| format!("{name}: {}", names(&circle))));
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

fn module_of(path: &str) -> Module {
    let mut parts: Vec<_> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| matches!(&**last, "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

fn names(circle: &BTreeSet<&Module>) -> String {
    circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(", ")
}

/// The largest sets of files in which each reaches each by imports.
fn circles(files: &BTreeMap<Module, String>) -> BTreeSet<BTreeSet<&Module>> {
    let imports: BTreeMap<&Module, BTreeSet<&Module>> =
        files.iter().map(|(module, source)| (module, imports(module, source, files))).collect();
    let reached = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Module> = imports[from].iter().copied().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(&imports[module]);
            }
        }
        reached
    };
    let reaches: BTreeMap<&Module, BTreeSet<&Module>> =
        files.keys().map(|module| (module, reached(module))).collect();
    let circle_of = |module: &&Module| -> BTreeSet<&Module> {
        reaches[*module].iter().copied().filter(|other| reaches[*other].contains(*module)).collect()
    };
    reaches.keys().map(circle_of).filter(|circle| circle.len() > 1).collect()
}

/// The files that a file imports, but for those above and below it: a folder's own file has the table of what is in it.
fn imports<'a>(module: &Module, source: &str, files: &'a BTreeMap<Module, String>) -> BTreeSet<&'a Module> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: Vec<_> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join(" ");
    let mut paths = Vec::new();
    for statement in code.split("use ").skip(1) {
        expand(&[], statement.split(';').next().unwrap_or_default(), &mut paths);
    }
    for root in ["crate::", "super::"] {
        for (at, _) in code.match_indices(root) {
            let end = code[at..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
            expand(&[], &code[at..end.map_or(code.len(), |end| at + end)], &mut paths);
        }
    }
    let target = |path: Vec<String>| {
        let full = absolute(module, &path, files)?;
        let longest = (0..=full.len()).rev().find_map(|length| files.get_key_value(&full[..length]))?.0;
        let related = longest.starts_with(module) || module.starts_with(longest);
        (!related).then_some(longest)
    };
    paths.into_iter().filter_map(target).collect()
}

/// A path of an import, from the root of the crate; `None` for one that leads out of it.
fn absolute(module: &Module, path: &[String], files: &BTreeMap<Module, String>) -> Option<Module> {
    let first = path.first()?;
    match first.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            let base = &module[..module.len().checked_sub(up)?];
            Some([base, &path[up..]].concat())
        }
        _ => {
            let child = [module.as_slice(), std::slice::from_ref(first)].concat();
            files.contains_key(&child).then(|| [module.as_slice(), path].concat())
        }
    }
}

/// The paths of a tree of imports.
fn expand(before: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (plain, list) = match tree.split_once('{') {
        Some((plain, list)) => (plain, list.rsplit_once('}').map(|(list, _)| list)),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let parts = plain.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
    let path: Vec<_> = before.iter().cloned().chain(parts).collect();
    let Some(list) = list else { return paths.push(path) };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&path, &list[start..at], paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !list[start..].trim().is_empty() {
        expand(&path, &list[start..], paths);
    }
}

#[test]
fn circles_are_found() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; use a::X;"),
        ("a/mod.rs", "mod inner; use crate::b::{Y, c as d}; use inner::Z;"),
        ("a/inner.rs", "use super::X; use crate::{b::{self, Y}, c};"),
        ("b.rs", "fn f() { crate::c::g() } // use crate::a::X;"),
        ("c.rs", "#[cfg(test)]\nmod c_tests; use std::a;\n#[cfg(test)]\nmod tests { use crate::b::Y; }"),
    ];
    let with = |c: &'static str| -> BTreeMap<Module, String> {
        let texts = files.iter().map(|(path, text)| (*path, if *path == "c.rs" { c } else { text }));
        texts.map(|(path, text)| (module_of(path), text.to_owned())).collect()
    };
    assert!(circles(&with(files[4].1)).is_empty());
    let files = with("use crate::a::inner;");
    let found: Vec<_> = circles(&files).iter().map(names).collect();
    assert_eq!(found, ["a::inner, b, c"]);
}
