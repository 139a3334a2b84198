//! Each line of `cases/*.lua` that ends in `--> WHO: TEXT` is flagged by that checker (`luau`, `emmylua` or `both`) with a
//! message that holds the text, and no other line is flagged.

use snaphook_typecheck::{Finding, emmylua, luau, root};

/// The lines that `who` has to flag, with what the message holds.
fn expected(source: &str, who: &str) -> Vec<(usize, String)> {
    let marked = source.lines().enumerate().filter_map(|(index, line)| {
        let (whom, text) = line.rsplit_once("--> ")?.1.split_once(": ")?;
        assert!(["luau", "emmylua", "both"].contains(&whom), "{line}");
        (whom == who || whom == "both").then(|| (index + 1, text.to_owned()))
    });
    marked.collect()
}

fn compare(file: &str, who: &str, source: &str, found: &[Finding]) -> Vec<String> {
    let expected = expected(source, who);
    let missing = expected.iter().filter(|(line, text)| {
        !found.iter().any(|finding| finding.line == *line && finding.message.contains(text))
    });
    let missing = missing.map(|(line, text)| format!("{who} {file}:{line}: not flagged: {text}; {found:?}"));
    let surplus = found.iter().filter(|finding| !expected.iter().any(|(line, _)| *line == finding.line));
    let surplus = surplus.map(|found| format!("{who} {file}:{}: flagged: {}", found.line, found.message));
    missing.chain(surplus).collect()
}

#[test]
fn mistakes_are_flagged_and_nothing_else() {
    let mut wrong = Vec::new();
    let mut flagged = 0;
    for entry in std::fs::read_dir(root().join("tests/typecheck/cases")).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        flagged += expected(&source, "luau").len() + expected(&source, "emmylua").len();
        wrong.extend(compare(&file, "luau", &source, &luau(&source)));
        if !source.starts_with("-- luau only") {
            wrong.extend(compare(&file, "emmylua", &source, &emmylua(&source)));
        }
    }
    assert_eq!(wrong, [] as [String; 0], "\n{}", wrong.join("\n"));
    assert!(flagged > 20, "{flagged} mistakes were looked for");
}

#[test]
fn the_comparison_can_fail() {
    let source = "a() --> luau: x\nb()\n";
    let at = |line, message: &str| Finding { line, message: message.to_owned() };
    assert_eq!(compare("f", "luau", source, &[at(1, "an x")]), [] as [String; 0]);
    assert_eq!(compare("f", "luau", source, &[at(1, "another")]).len(), 1);
    assert_eq!(compare("f", "luau", source, &[at(1, "an x"), at(2, "more")]).len(), 1);
    assert_eq!(compare("f", "luau", source, &[]).len(), 1);
    assert_eq!(compare("f", "emmylua", source, &[]), [] as [String; 0]);
}
