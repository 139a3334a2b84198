//! Texts that a script hands to the host for others to read are bounded, one by one and together, and count for its memory. The
//! tests are the same for both engines; each one's `support.rs` has the scripts.

use snaphook_core::*;

use crate::support::*;

const TOGETHER: &str = "a handler can log, show and send at most 1 MiB of text for one event";

/// Each function that takes a text `t`, and its name in errors.
const CALLS: [(&str, &str); 9] = [
    ("ctx.send(t)", "ctx.send"),
    ("ctx.log(t)", "ctx.log"),
    ("print(t)", "print"),
    ("ctx.ui.notify(t)", "ctx.ui.notify"),
    ("ctx.ui.set_status(\"k\", t)", "ctx.ui.set_status"),
    ("ctx.ui.confirm(t)", "ctx.ui.confirm"),
    ("ctx.ui.input(\"title\", t)", "ctx.ui.input"),
    ("ctx.ui.editor(\"title\", t)", "ctx.ui.editor"),
    ("ctx.ui.select(\"title\", LIST)", "ctx.ui.select"),
];

/// Calls it so often with a text of so many bytes.
fn bed(call: &str, times: usize, bytes: usize, limits: Limits) -> Bed {
    let call = call.replace("LIST", LIST_OF_T);
    load_with(&in_a_handler(&repeats(&call, times, bytes)), &[], Fake::default(), limits).unwrap()
}

fn kept(bed: &Bed) -> usize {
    bed.fake.noted().iter().map(String::len).sum()
}

#[test]
fn all_texts_of_a_handler_have_a_bound() {
    for (call, what) in CALLS {
        let bed = bed(call, 900, 8000, limits());
        let said = bed.say();
        assert!(said.starts_with("error") && said.contains(&format!("{what}: {TOGETHER}")), "{call}: {said}");
        assert!(kept(&bed) < 2 << 20, "{call}: {}", kept(&bed));
        // The next event is another one.
        assert_eq!(bed.say(), said, "{call}");
        assert!(kept(&bed) > 1 << 20, "{call}: {}", kept(&bed));
    }
}

#[test]
fn who_says_nothing_very_often_has_a_bound_too() {
    let bed = bed("ctx.log(t)", 100_000, 0, limits());
    let said = bed.say();
    assert!(said.contains(TOGETHER), "{said}");
    assert!(bed.fake.noted().len() < 10_000);
}

#[test]
fn a_text_has_a_bound() {
    for (call, what) in CALLS {
        let said = bed(call, 1, 70_000, limits()).say();
        match what {
            // Lines of the log are cut.
            "ctx.log" | "print" => assert_eq!(said, "nothing", "{call}"),
            _ => {
                assert!(
                    said.contains(&format!("{what} takes at most 64 KiB of text, not 70")),
                    "{call}: {said}"
                );
            }
        }
        assert_eq!(bed(call, 1, 60_000, limits()).say(), "nothing", "{call}");
    }
}

#[test]
fn what_was_said_counts_for_the_memory() {
    let small = Limits { memory: 768 << 10, ..limits() };
    let said = bed("ctx.send(t)", 16, 60_000, small).say();
    assert!(said.starts_with("memory"), "{said}");
}

#[test]
fn a_script_that_loads_has_the_same_bound() {
    let source = format!("{}\n{}", repeats("print(t)", 900, 8000), in_a_handler(""));
    let problem = try_load(&source, &[]).err().unwrap();
    assert!(problem.to_string().contains(&format!("print: {TOGETHER}")), "{problem}");
}
