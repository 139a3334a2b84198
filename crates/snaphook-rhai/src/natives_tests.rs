//! The library against Rhai's own: the same results where values are small, errors where they would get large, and a
//! look at the clock where a call takes long.

use std::sync::LazyLock;
use std::time::Duration;

use proptest::prelude::*;
use rhai::packages::{Package, StandardPackage};
use rhai::{Dynamic, Engine, EvalAltResult, ImmutableString, Scope, Shared};

use super::{library, limits, replace, rhai_packages};
use crate::meter;

fn ours() -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(library());
    // Rhai has some operators built in, which look at the engine's limit of texts; the library has them, too.
    engine.set_fast_operators(false);
    engine
}

fn rhais() -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(StandardPackage::new().as_shared_module());
    engine
}

/// Returns what a script comes to, as text; an error's position and inner calls do not matter.
fn run(engine: &Engine, scope: &mut Scope<'_>, script: &str) -> Result<String, String> {
    match engine.eval_with_scope::<Dynamic>(scope, script) {
        Ok(value) => {
            let shown = format!("{}: {value:?}", value.type_name().rsplit("::").next().unwrap_or_default());
            Ok(shown.chars().take(1000).collect())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn same(script: &str) {
    let (ours, rhais) = (run(&ours(), &mut Scope::new(), script), run(&rhais(), &mut Scope::new(), script));
    assert!(rhais.is_ok(), "{script}: {rhais:?}");
    assert_eq!(ours, rhais, "{script}");
}

/// As many numbers as an array may have.
static LIST: LazyLock<rhai::Array> =
    LazyLock::new(|| (0..limits::VALUES).map(|number| Dynamic::from(number as i64)).collect());
/// As many keys as a map may have.
static MAP: LazyLock<rhai::Map> = LazyLock::new(|| {
    (0..limits::VALUES).map(|number| (format!("k{number}").into(), Dynamic::UNIT)).collect()
});
/// As long as a text may be.
static TEXT: LazyLock<ImmutableString> = LazyLock::new(|| "x".repeat(limits::TEXT).into());

/// Returns what a script comes to that has values as large as they may be, and `words`, a text of more words than pieces are
/// allowed.
fn large(script: &str) -> Result<String, String> {
    let mut scope = Scope::new();
    scope.push("text", TEXT.clone());
    scope.push("words", "x ".repeat(limits::PIECES + 1));
    if script.contains("blob") {
        scope.push("blob", vec![255_u8; limits::BYTES]);
    }
    if script.contains("list") {
        scope.push("list", LIST.clone());
    }
    if script.contains("map") {
        scope.push("map", MAP.clone());
    }
    run(&ours(), &mut scope, script)
}

#[test]
fn what_is_replaced_has_the_arguments_of_what_it_replaces() {
    let mut library = rhai_packages();
    let (_, before, _) = library.count();
    replace(&mut library);
    let (_, after, _) = library.count();
    // New is `timestamp`, which stands in for the package that is left out.
    assert_eq!(
        after - before,
        1,
        "an overload was added that Rhai does not have, and its own is still there"
    );
}

#[test]
fn results_are_rhai_s_own() {
    for script in [
        // texts
        r#"["a" + 1, 1 + "a", "a" + 'b', 'b' + "a", "a" + (), () + "a", "a" + [1, "x", 'c', 1.0, ()], #{a: "q"} + "x"]"#,
        r#"let a = "x"; a += 1; a += 'c'; a += "s"; a += [1.5]; a += (); a.append(true); a.append(blob(2, 65)); a"#,
        r#"["é" + blob(2, 65), blob(2, 255) + "é"]"#,
        r#"[`${[1, #{a: "x'y\"z\n"}]} ${()} ${1.0} ${'c'} ${true} ${"t"} ${1e20}`]"#,
        r#"[[1, "é\t", 'c', 2.0, -0.5, (), true, [], #{}].to_string(), #{a: [1]}.to_debug(), "a\"b'c\u0301".to_debug()]"#,
        r#"["x".to_debug(), 'x'.to_debug(), 1.to_debug(), ().to_debug(), ().to_string(), blob(10, 7).to_string(), (1..3).to_string()]"#,
        r#"let f = |x| x; [f.to_string().len() > 3, [f].to_string().len() == `[${f}]`.len()]"#,
        r#"["aXbX".split("X"), "a b  c".split(), "".split(), "".split("x"), "abc".split(""), "abc".split(1), "abc".split(-1), "abc".split(0)]"#,
        r#"["abc".split(9), "abc".split(-9), "a,b,c".split(",", 2), "a,b,c".split(',', 2), "a,b".split(',', 0), "a,b".split(",", 9), "ab".split('x')]"#,
        r#"["a,b,c".split_rev(","), "a,b,c".split_rev(',', 2), "a,b,c".split_rev(",", 2), "abc".split_rev("x"), "abc".split_rev("", 2)]"#,
        r#"["aé🎉".to_chars(), "".to_chars()]"#,
        r#"let n = []; for c in "aé🎉" { n.push(c); } for c in "abcdef".chars(1..3) { n.push(c); } for c in "abcdef".chars(-2) { n.push(c); } n"#,
        r#"let n = []; for c in "abcdef".chars(1..=3) { n.push(c); } for c in "abc".chars(2..=1) { n.push(c); } for c in "abc".chars { n.push(c); } for c in "abc".chars(1, 1) { n.push(c); } n"#,
        r#"["abcabc".contains("ca"), "abc".contains('z'), "abc".contains(""), "a" in "abc", "".contains("")]"#,
        r#"["héllo".index_of("l"), "héllo".index_of('z'), "héllo".index_of("l", 3), "héllo".index_of('l', -2), "héllo".index_of("h", -99), "héllo".index_of("", 9), "".index_of("")]"#,
        r#"["héllo".sub_string(1), "héllo".sub_string(1, 2), "héllo".sub_string(-2), "héllo".sub_string(1..3), "héllo".sub_string(1..=3), "héllo".sub_string(4..=2), "héllo".sub_string(9), "".sub_string(0)]"#,
        r#"let a = "héllo"; a.crop(1); let b = "héllo"; b.crop(-4, 2); let c = "héllo"; c.crop(1..=2); let d = "héllo"; d.crop(0..1); [a, b, c, d]"#,
        r#"let a = "héllo"; [a.pop(2), a, a.pop(), a, a.pop(9), a, a.pop(1), a.pop(-1)]"#,
        r#"let a = "aXbX"; a.replace("X", "--"); let b = "aXb"; b.replace('X', 'é'); let c = "ab"; c.replace("", "-"); let d = "aXb"; d.replace('X', "yy"); let e = "aXb"; e.replace("Xb", 'y'); [a, b, c, d, e]"#,
        r#"let a = "é"; a.pad(4, 'x'); let b = "é"; b.pad(6, "abc"); let c = "abc"; c.pad(2, 'x'); let d = "a"; d.pad(-1, "x"); [a, b, c, d]"#,
        r#"["ΑΣ ΑΣΑ σ".to_lower(), "straße ŉ".to_upper(), "ABC".to_upper(), "".to_lower(), 'é'.to_upper()]"#,
        r#"let a = "ΑΣ"; a.make_lower(); let b = "é"; b.make_upper(); [a, b]"#,
        // arrays
        "let a = [1, 2]; a.push(3); a.append([4]); a.insert(0, 0); a.insert(-1, 9); a.insert(99, 5); a + [7]",
        "let a = [1]; a.pad(3, [0]); a[1].push(1); let b = [1, 2]; b.pad(1, 0); b.pad(-1, 0); [a, b]",
        "let a = [1, 2, 3, 4]; a.splice(1, 2, [9, 9, 9]); let b = [1, 2, 3]; b.splice(0..1, []); let c = [1, 2, 3]; c.splice(1..=1, [7]); let d = []; d.splice(3, 1, [1]); let e = [1]; e.splice(5, 1, [2]); [a, b, c, d, e]",
        "[[1, [2, #{a: 3.0}]] == [1, [2, #{a: 3.0}]], [1] == [1.0], [1] == ['a'], [()] == [1], [1.0] == [1.0 + 1e-18], [true] == [1], ['a'] != ['b'], [1] != [2], [] == [], ['a'] == [\"a\"], [()] == [()], [1, 2] == [1], [[1]] == [1], [0..2] == [0..2]]",
        "[#{a: 1} == #{a: 1}, #{a: 1} == #{b: 1}, #{a: [1]} != #{a: [2]}, #{} == #{}, #{a: 1} == #{}, #{a: blob(1)} == #{a: blob(1)}]",
        "[[1, [2], \"a\"].contains([2]), [1].contains(\"x\"), [1.0].contains(1), [].contains(()), 2 in [1, 2], [blob(2)].contains(blob(2))]",
        "[[1, 2, 3, 2].index_of(2), [1, 2, 3, 2].index_of(2, 2), [1, 2].index_of(9), [1, 2].index_of(1, -1), [1, 2].index_of(|x| x > 1), [].index_of(1)]",
        "let a = [1, 1, 2, 2, 1]; a.dedup(); let b = [1, 11, 2, 22]; b.dedup(|a, b| a % 10 == b % 10); let c = []; c.dedup(); [a, b, c]",
        "fn same(a, b) { a == b } let a = [1, 1]; a.dedup(\"same\"); a",
        "let a = [3, 1, 2]; a.sort(); let b = [\"b\", \"a\"]; b.sort(); let c = [2.5, 1.5]; c.sort(); let d = ['b', 'a']; d.sort_desc(); let e = [true, false]; e.sort(); [a, b, c, d, e, [3, 1].order(), [1, 3].order_desc(), [(), ()].order()]",
        "let a = [3, 1, 2]; a.sort(|a, b| b - a); let b = [3, 1, 2]; b.sort(|a, b| a < b); let c = [[2], [1]]; c.sort_by(|a, b| a[0] - b[0]); [a, b, c, [2, 1].order(|a, b| a - b), [2, 1].order_by(|a, b| a - b)]",
        "fn less(a, b) { a - b } let a = [3, 1, 2]; a.sort(\"less\"); a",
        "let a = [[1, 'a'], [0, 'b'], [1, 'c'], [0, 'd']]; a.sort(|a, b| a[0] - b[0]); a",
        // what stays Rhai's own
        "[[1, 2, 3].map(|x| x * 2), [1, 2].filter(|x| x > 1), [1, 2].reduce(|a, b| (a ?? 0) + b), [1, 2].some(|x| x == 2), [3].find(|x| x == 3), [1, 2, 3].extract(1..2)]",
        // blobs
        "let a = blob(2, 300); a.push(1); a.append(2); a.append(blob(1)); a.append(\"é\"); a.append('x'); a.insert(0, 9); a.insert(-1, 8); a.insert(99, 7); a.pad(20, 5); a.pad(3, 1); a.pad(-3, 1); a",
        "let a = blob(4, 1); a.splice(1, 2, blob(3, 2)); a.splice(1..1, blob(1, 9)); a.splice(0..=0, blob()); let b = blob(); b.splice(1, 1, blob(1, 4)); [a, b, blob(-1), blob(2, 65).as_string(), blob(2, 255).as_string(), blob(2, 3).to_array()]",
        // maps
        "let a = #{a: 1}; a.set(\"b\", 2); a.set(\"a\", 3); a.mixin(#{c: 4}); a += #{d: 5}; a.fill_with(#{a: 9, e: 6}); [a, a + #{f: 7}, #{} + #{}]",
    ] {
        same(script);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn texts_are_cut_where_rhai_cuts_them(
        text in "[abé🎉 Σ]{0,12}", wanted in "[abéΣ ]{0,2}", by in "[xé]{0,3}", char in proptest::char::any(), a in -15_i64..15, b in -15_i64..15,
    ) {
        let mut engines = [(ours(), Scope::new()), (rhais(), Scope::new())];
        for (_, scope) in &mut engines {
            scope.push("t", text.clone()).push("w", wanted.clone()).push("by", by.clone()).push("c", char).push("a", a).push("b", b);
        }
        for script in [
            "t.index_of(w)", "t.index_of(w, a)", "t.index_of(c)", "t.index_of('a', a)", "t.contains(w)",
            "t.sub_string(a)", "t.sub_string(a, b)", "t.sub_string(a..b)", "t.sub_string(a..=b)",
            "let s = t; s.crop(a); s", "let s = t; s.crop(a, b); s", "let s = t; s.crop(a..b); s", "let s = t; s.crop(a..=b); s",
            "let s = t; [s.pop(a), s]", "let s = t; s.set(a, c); s", "[t.get(a)]", "let s = t; s.truncate(a); s", "t.contains(c)", "let s = t; s.remove(w); s", "let s = t; s.remove('a'); s", "let s = t; s.replace(w, by); s", "let s = t; s.replace('a', c); s",
            "let s = t; s.pad(a, c); s", "let s = t; if by != \"\" { s.pad(a, by); } s", "[t.to_upper(), t.to_lower()]",
            "t.split()", "t.split(w)", "t.split(w, a)", "t.split(a)", "t.split('a', a)", "t.split_rev(w)", "t.split_rev(w, a)", "t.split_rev('a')",
            "t.to_chars()", "let l = []; for x in t.chars(a, b) { l.push(x); } l", "let l = []; for x in t.chars(a..b) { l.push(x); } l",
            "let l = []; for x in t.chars(a..=b) { l.push(x); } l", "t.to_debug()", "[t, c, by].to_string()", "`${[t]}`",
        ] {
            let said = engines.each_mut().map(|(engine, scope)| run(engine, &mut scope.clone(), script));
            prop_assert!(said[0].is_ok(), "{}: {:?}", script, said[0]);
            prop_assert_eq!(&said[0], &said[1], "{}", script);
        }
    }

    #[test]
    fn lists_are_sorted_and_compared_as_rhai_does(
        list in prop::collection::vec(-3_i64..3, 0..9), other in prop::collection::vec(-3_i64..3, 0..4), a in -12_i64..12, b in -12_i64..12,
    ) {
        let list: rhai::Array = list.into_iter().map(Dynamic::from).collect();
        let other: rhai::Array = other.into_iter().map(Dynamic::from).collect();
        let mut engines = [(ours(), Scope::new()), (rhais(), Scope::new())];
        for (_, scope) in &mut engines {
            scope.push("l", list.clone()).push("o", other.clone()).push("a", a).push("b", b);
        }
        for script in [
            "l.order()", "l.order_desc()", "l.order(|x, y| y - x)", "l.dedup(); l", "l.dedup(|x, y| x % 2 == y % 2); l", "l == o", "l != o",
            "l.index_of(b)", "l.index_of(b, a)", "l.contains(a)", "l.insert(a, b); l", "l.splice(a, b, o); l", "l.splice(a..b, o); l",
            "l.splice(a..=b, o); l", "l.pad(a, b); l", "l + o", "l.append(o); l",
        ] {
            let said = engines.each_mut().map(|(engine, scope)| run(engine, &mut scope.clone(), script));
            prop_assert!(said[0].is_ok(), "{}: {:?}", script, said[0]);
            prop_assert_eq!(&said[0], &said[1], "{}", script);
        }
    }
}

#[test]
fn what_would_get_too_large_is_an_error_that_names_the_limit() {
    for (script, expected) in [
        (r#"text + "y""#, "+: too large; a text may have 16777216 bytes"),
        (r#"text + 1"#, "+: too large; a text may have"),
        (r#"1 + text"#, "+: too large; a text may have"),
        (r#"text + 'c'"#, "+: too large; a text may have"),
        (r#"text += "y"; text"#, "+=: too large; a text may have"),
        (r#"text += 12"#, "+=: too large; a text may have"),
        (r#"text.append(blob(1, 65))"#, "+=: too large; a text may have"),
        (r#"text + blob"#, "+: too large; a text may have"),
        (r#"text.replace("x", "yy")"#, "replace: too large; a text may have"),
        (r#"text.replace("", "y")"#, "replace: too large; a text may have"),
        (r#"text.replace('x', "yy")"#, "replace: too large; a text may have"),
        ("text.set(0, 'é')", "set: too large; a text may have"),
        (r#"let s = ""; s.pad(16777217, 'x')"#, "pad: too large; a text may have"),
        (r#"let s = ""; s.pad(9223372036854775807, "xé")"#, "pad: too large; a text may have"),
        (r#"let s = ""; s.pad(2, "")"#, "pad: the text to pad with is empty"),
        (r#"words.split("x")"#, "split: too large; what one call makes may have 262144 pieces"),
        (r#"text.split("")"#, "split: too large; what one call makes may have"),
        ("text.split('x')", "split: too large; what one call makes may have"),
        ("text.split('x', 9223372036854775807)", "split: too large; what one call makes may have"),
        ("words.split()", "split: too large; what one call makes may have"),
        ("words.split_rev(\"x\")", "split_rev: too large; what one call makes may have"),
        ("text.to_chars()", "to_chars: too large; an array or a map may have 1048576 values"),
        (
            r#"let s = ""; s.pad(4000000, 'ŉ'); s.pad(8000000, 'ŉ'); s.to_upper()"#,
            "to_upper: too large; a text may have",
        ),
        ("list.push(1)", "push: too large; an array or a map may have 1048576 values"),
        ("list.append([1])", "append: too large; an array or a map may have"),
        ("list + [1]", "+: too large; an array or a map may have"),
        ("list.insert(0, 1)", "insert: too large; an array or a map may have"),
        ("list.splice(0, 1, [1, 2])", "splice: too large; an array or a map may have"),
        ("let a = []; a.pad(1048577, ())", "pad: too large; an array or a map may have"),
        ("let a = []; a.pad(2000, list)", "pad: too large; an array or a map may have"),
        ("let a = []; a.pad(2000, #{a: #{b: [blob]}})", "pad: too large; an array or a map may have"),
        ("blob(16777217)", "blob: too large; a blob may have 16777216 bytes"),
        ("blob(9223372036854775807, 1)", "blob: too large; a blob may have"),
        ("blob.push(1)", "append: too large; a blob may have"),
        ("blob.append(blob)", "append: too large; a blob may have"),
        ("blob.append(text)", "append: too large; a blob may have"),
        ("blob.insert(0, 1)", "insert: too large; a blob may have"),
        ("blob.pad(16777217, 1)", "pad: too large; a blob may have"),
        ("blob.splice(0, 0, blob)", "splice: too large; a blob may have"),
        ("blob.to_array()", "to_array: too large; an array or a map may have"),
        ("blob.as_string()", "as_string: too large; a text may have"),
        ("map.set(\"more\", 1)", "set: too large; an array or a map may have"),
        ("map.mixin(#{more: 1})", "mixin: too large; an array or a map may have"),
        ("map + #{more: 1}", "mixin: too large; an array or a map may have"),
        ("map.fill_with(#{more: 1})", "fill_with: too large; an array or a map may have"),
        (
            "let a = []; for i in 0..200 { a = [a]; } a == a",
            "values that nest deeper than 128 levels cannot be compared",
        ),
        (
            "let a = 1; for i in 0..200 { a = #{a: a}; } let l = []; l.pad(2, a)",
            "pad: the value nests deeper than 128 levels",
        ),
        ("[1, \"a\"].sort()", "elements of different types cannot be sorted"),
        ("[[1], [2]].sort()", "elements of array cannot be sorted"),
        ("[1, 2].sort(|a, b| \"x\")", "sort: the comparing function has to give a number or a boolean"),
        ("[1, 2].sort(|a, b| throw \"mine\")", "mine"),
        ("[1, 2].dedup(|a, b| throw \"mine\")", "mine"),
    ] {
        let said = large(script);
        assert!(said.as_ref().is_err_and(|error| error.contains(expected)), "{script}: {said:?}");
    }
}

#[test]
fn what_just_fits_works() {
    for (script, expected) in [
        ("map.set(\"k1\", 1); map.len()", "i64: 1048576"),
        ("blob.len()", "i64: 16777216"),
        ("text.len() + text.to_upper().len()", "i64: 33554432"),
        ("text.contains(\"y\")", "bool: false"),
        ("text.index_of(\"y\", 5)", "i64: -1"),
        ("text.sub_string(-3)", "string: \"xxx\""),
        ("words.split(\"x\", 3).len()", "i64: 3"),
        ("let n = 0; for c in text.chars(-2) { n += 1; } n", "i64: 2"),
        ("list.contains(-1)", "bool: false"),
        ("list.sort_desc(); list[0]", "i64: 1048575"),
        ("let s = \"\"; s.pad(16777216, 'x'); s == text", "bool: true"),
        ("let a = []; a.pad(524288, [1]); a.len()", "i64: 524288"),
    ] {
        assert_eq!(large(script), Ok(expected.to_owned()), "{script}");
    }
}

#[test]
fn printing_ends_at_the_limit_of_texts() {
    for (script, end) in [
        // 1000 times the same 16 MiB
        ("let a = []; a.pad(1000, text); a.to_string()", "… (cut)"),
        ("let a = []; a.pad(1000, text); `${a}`", "… (cut)"),
        ("let a = []; a.pad(1000, text); `${#{a: a}}`", "… (cut)"),
        ("`${blob}`", "… (cut)"),
        ("let s = \"\"; s.pad(16000000, '\\n'); s.to_debug()", "… (cut)"),
        ("let a = 1; for i in 0..1000 { a = [a]; } a.to_string().sub_string(100, 40)", "[[[…]]]]]]]]]"),
    ] {
        let mut scope = Scope::new();
        scope.push("text", TEXT.clone());
        scope.push("blob", vec![255_u8; limits::BYTES]);
        let said = ours().eval_with_scope::<String>(&mut scope, script).unwrap();
        assert!(said.len() <= limits::TEXT, "{script}: {}", said.len());
        assert!(said.contains(end), "{script}: {}", &said[said.len().saturating_sub(60)..]);
    }
}

#[test]
fn a_long_call_looks_at_the_clock_itself() {
    let long: Vec<String> = ["a", "b"].map(|end| "x".repeat(1 << 20) + end).into();
    for script in [
        "list.sort()",
        "list.sort_desc()",
        "list.order()",
        "list.contains(-1)",
        "list.index_of(-1)",
        "list.dedup()",
        "list == other",
        "list + []",
        "texts.contains(text)",
        "texts.sort()",
        "texts == texts",
        "mixed.to_lower()",
        "word.to_upper()",
        "mixed.replace(\" \", \"\")",
        "mixed.remove(' ')",
        "mixed.contains(\"y\")",
        "mixed.index_of('y', 5)",
        "mixed.sub_string(5)",
        "mixed.crop(5)",
        "mixed.get(5)",
        "mixed.truncate(5)",
        "mixed.pop(5)",
        "mixed.split(\"y\")",
        "text.split(5)",
        "mixed.chars(-5)",
        "mixed + 1",
        "blob(10000000)",
        "let s = \"\"; s.pad(10000000, 'x')",
    ] {
        let mut scope = Scope::new();
        scope.push("other", LIST.clone()).push("list", LIST.clone());
        scope.push("texts", vec![Dynamic::from(long[0].clone()); 100]).push("text", long[1].clone());
        scope.push("mixed", "É ".repeat(limits::TEXT / 4)).push("word", "é".repeat(limits::TEXT / 4));
        // Nobody looks between the calls here, and the time was up before it began.
        let visit = meter::Visit::begin(Duration::ZERO, 0, usize::MAX);
        let said = ours().run_with_scope(&mut scope, script).map_err(|error| *error);
        visit.end();
        assert!(matches!(said, Err(EvalAltResult::ErrorTerminated(..))), "{script}: {said:?}");
    }
}

#[test]
fn what_hooks_do_not_have_says_what_to_use() {
    for (script, expected) in [
        ("sleep(1)", "sleep is not available to hooks"),
        ("sleep(0.5)", "sleep is not available to hooks"),
        ("timestamp()", "use snaphook::time::now()"),
        ("exit()", "return from the handler"),
        ("exit(1)", "return from the handler"),
        ("parse_json(\"{}\")", "use snaphook::json::decode(text)"),
        ("#{}.to_json()", "use snaphook::json::encode(value)"),
    ] {
        let said = run(&ours(), &mut Scope::new(), script);
        assert!(said.as_ref().is_err_and(|error| error.contains(expected)), "{script}: {said:?}");
    }
}

#[test]
fn an_error_leaves_the_list_as_it_was() {
    let script = "let a = [3, 1, 1, 2]; let n = 0;
        try { a.sort(|x, y| { if x == 2 { throw 1; } x - y }); } catch { n += 1; }
        try { a.dedup(|x, y| { if y == 2 { throw 1; } x == y }); } catch { n += 1; }
        [n, a]";
    assert_eq!(run(&ours(), &mut Scope::new(), script), Ok("array: [2, [3, 1, 1, 2]]".to_owned()));
}

#[test]
fn a_comparer_without_sense_sorts_somehow() {
    let said = run(
        &ours(),
        &mut Scope::new(),
        "let a = []; for i in 0..100 { a.push(i); } a.sort(|x, y| true); a.len()",
    );
    assert_eq!(said, Ok("i64: 100".to_owned()));
}

#[test]
fn constants_have_what_changes_nothing() {
    let script = "const A = [2, 1]; const T = \"ab\"; const M = #{a: 1}; \
        [A.contains(1), A == [2, 1], T.split(\"\"), T.sub_string(1), T.index_of('b'), T + \"c\", M == #{}, A + [3], T.to_upper(), A.to_string()]";
    assert!(run(&ours(), &mut Scope::new(), script).is_ok());
    for script in [
        "const A = [2, 1]; A.sort()",
        "const A = [1]; A.push(1)",
        "const T = \"a\"; T.pad(2, 'x')",
        "const M = #{}; M.set(\"a\", 1)",
    ] {
        assert!(run(&ours(), &mut Scope::new(), script).is_err(), "{script}");
    }
}

#[test]
fn the_library_is_made_once() {
    assert!(Shared::ptr_eq(&library(), &library()));
}
