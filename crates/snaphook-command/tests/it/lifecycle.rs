//! Reading lifecycle files, and running one list.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use snaphook_command::lifecycle::{
    Finding, Lifecycle, List, MAX_BYTES, Parsed, Surroundings, Values, Variable, Weight, parse, parse_for,
    run_all, template,
};
use snaphook_core::Product;

// ---- reading ----

/// The shape of iteratr's own example: every list, with times and where output goes.
const EXAMPLE: &str = r#"version: 1

hooks:
  session_start:
    - command: "go build ./..."
      timeout: 60
      pipe_output: true  # Send to agent in first iteration

  pre_iteration:
    - command: "golangci-lint run ./..."
      timeout: 30
      pipe_output: true
    - command: "git status --short"
      timeout: 5
      pipe_output: true

  post_iteration:
    - command: "go test ./... -short"
      timeout: 120
      pipe_output: true

  session_end:
    - command: "git push origin HEAD"
      timeout: 30

  on_task_complete:
    - command: "./scripts/validate.sh {{task_id}}"
      timeout: 30
      pipe_output: true

  on_error:
    - command: "git diff HEAD"
      timeout: 10
      pipe_output: true
"#;

fn fine(text: &str) -> Lifecycle {
    let Parsed { lifecycle, findings, broken, .. } = parse(text.as_bytes());
    assert!(!broken && findings.is_empty(), "{findings:?}");
    lifecycle
}

#[test]
fn iteratrs_full_example_is_read_without_a_word() {
    let lifecycle = fine(EXAMPLE);
    let seconds: Vec<_> = List::ALL
        .iter()
        .flat_map(|list| lifecycle.commands(*list))
        .map(|command| (command.timeout.as_secs(), command.pipe_output))
        .collect();
    assert_eq!(
        seconds,
        [(60, true), (30, true), (5, true), (120, true), (30, false), (30, true), (10, true)]
    );
    let validate = &lifecycle.commands(List::OnTaskComplete)[0];
    assert_eq!(validate.written, "./scripts/validate.sh {{task_id}}");
    assert_eq!(validate.text.text, "./scripts/validate.sh ${SNAPHOOK_TASK_ID:+\"$SNAPHOOK_TASK_ID\"}");
    assert_eq!((validate.position.line, validate.position.column), (27, 16));
}

/// Whole files as projects have them.
#[test]
fn whole_files_of_iteratr_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/import/iteratr");
    let entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    assert!(entries.len() >= 2, "{entries:?}");
    for entry in entries {
        let Parsed { lifecycle, findings, broken, .. } = parse(&std::fs::read(entry.path()).unwrap());
        assert!(!broken && !lifecycle.is_empty(), "{}: {findings:?}", entry.path().display());
        assert!(findings.iter().all(|finding| finding.weight == Weight::Note), "{findings:?}");
    }
}

#[test]
fn what_is_not_said_has_a_default() {
    let lifecycle = fine("version: 1\nhooks:\n  post_iteration:\n    - command: make\n");
    let command = &lifecycle.commands(List::PostIteration)[0];
    assert_eq!((command.timeout, command.pipe_output), (Duration::from_secs(30), false));
}

/// Before version 2 the output of pre_iteration always went to the agent.
#[test]
fn a_file_of_version_one_gets_the_hint_and_pipes_nothing() {
    let parsed = parse(b"version: 1\nhooks:\n  pre_iteration:\n    - command: \"golangci-lint run ./...\"\n      timeout: 30\n");
    assert!(!parsed.broken);
    assert!(!parsed.lifecycle.commands(List::PreIteration)[0].pipe_output);
    let [Finding { weight: Weight::Note, help: Some(help), .. }] = &parsed.findings[..] else {
        panic!("{:?}", parsed.findings)
    };
    assert!(help.contains("pipe_output: true"));
}

fn one(line: &str) -> String {
    format!("version: 1\nhooks:\n  pre_iteration:\n    - {line}\n      pipe_output: true\n")
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let deep = format!("version: 1\nhooks: {}1{}\n", "[".repeat(40), "]".repeat(40));
    let long = format!("version: 1\n# {}\n", "x".repeat(MAX_BYTES));
    let bomb = "version: 1\na: &a [x, x]\nb: &b [*a, *a]\nhooks: [*b, *b]\n";
    // The text, whether it breaks the file, the place, and what is said.
    let cases: &[(&[u8], bool, &str, &str)] = &[
        (b"version: 2\n", true, "1:10", "version 2 is not known"),
        (b"version: one\n", true, "1:10", "`version` is text, not 1"),
        (b"hooks:\n  session_start:\n", false, "1:1", "it says no version"),
        (b"version: 1\nhook:\n", false, "2:1", "`hook` is not known (did you mean `hooks`?)"),
        (b"version: 1\nhooks:\n  pre_iterations: []\n", false, "3:3", "did you mean `pre_iteration`?"),
        (b"version: 1\nhooks: []\n", true, "2:8", "`hooks` is a list"),
        (b"version: 1\nhooks:\n  on_error: x\n", false, "3:13", "`on_error` is text, not a list"),
        (b"version: 1\nhooks:\n  on_error:\n    - make\n", false, "4:7", "it is text, not a map"),
        (b"version: 1\nversion: 1\n", true, "2:1", "duplicate key `version`"),
        (b"version: 1\nhooks:\n  on_error: []\n  on_error: []\n", true, "4:3", "duplicate key"),
        (b"- a\n", true, "1:1", "it is a list"),
        (b"version: 1\nhooks: [\n", true, "", "not valid YAML"),
        (b"version: 1\nhooks:\n\tsession_start: []\n", true, "3:1", "a tab indents this line"),
        (b"version: 1\n\xff\n", true, "2:1", "not UTF-8: byte 0xff"),
        (b"version: 1\nx: \0\n", true, "2:4", "a NUL byte"),
        (bomb.as_bytes(), true, "", "anchors"),
        (deep.as_bytes(), true, "2:24", "recursion limit"),
        (long.as_bytes(), true, "", "larger than 1 MiB"),
    ];
    for (text, broken, position, said) in cases {
        let shown = String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
        let parsed = parse(text);
        assert_eq!(parsed.broken, *broken, "{shown}: {:?}", parsed.findings);
        let all: Vec<_> = parsed.findings.iter().map(ToString::to_string).collect();
        assert!(all.iter().any(|one| one.starts_with(position) && one.contains(said)), "{shown}: {all:?}");
        assert!(!broken || parsed.lifecycle.is_empty());
    }
}

/// An entry that cannot be read is left out, with its place; the entries around it, and other lists, count.
#[test]
fn an_odd_entry_is_left_out_alone() {
    for (line, position, said) in [
        ("- command: \"\"", "5:16", "`command` is empty"),
        ("- command:", "5:", "`command` is empty"),
        ("- command: [a]", "5:16", "`command` is a list"),
        ("- timeout: 5", "5:7", "it has no `command`"),
        ("- command: x\n      timeout: 30s", "6:16", "`timeout` is text"),
        ("- command: x\n      pipe_output: maybe", "6:20", "`pipe_output` is text"),
        ("- command: x\n      command: y", "6:7", "duplicate key"),
        ("- just a text", "5:9", "it is text, not a map"),
        ("-", "5:6", "it is empty, not a map"),
        ("- [a, b]", "5:9", "it is a list"),
    ] {
        let line = line.replacen("- ", "-   ", usize::from(line == "- just a text" || line == "- [a, b]"));
        let text = format!(
            "version: 1\nhooks:\n  post_iteration:\n    - command: before\n    {line}\n    - command: after\n  on_error:\n    - command: other\n"
        );
        let parsed = parse(text.as_bytes());
        let all: Vec<_> = parsed.findings.iter().map(ToString::to_string).collect();
        assert!(!parsed.broken, "{line}: {all:?}");
        assert!(all.iter().any(|one| one.starts_with(position) && one.contains(said)), "{line}: {all:?}");
        assert!(all.iter().any(|one| one.contains("is left out")), "{line}: {all:?}");
        assert_eq!(parsed.left_out, 1, "{line}");
        let left = |list| parsed.lifecycle.commands(list).iter().map(|one| one.written.as_str()).collect();
        let (post, error): (Vec<_>, Vec<_>) = (left(List::PostIteration), left(List::OnError));
        assert_eq!((post, error), (vec!["before", "after"], vec!["other"]), "{line}");
    }
}

/// The values that iteratr's own reader makes of odd ones: a limit of zero or less is the default, words of YAML 1.1 are switches, and what
/// YAML takes for a value is a command of that name.
#[test]
fn odd_values_are_read_as_iteratr_reads_them() {
    const DAY: u64 = 24 * 3600;
    for (lines, command, seconds, piped, says) in [
        ("command: x\n      timeout: 0", "x", 30, false, Some("`timeout` is 0, and is read as 30")),
        ("command: x\n      timeout: -1", "x", 30, false, Some("`timeout` is -1, and is read as 30")),
        ("command: x\n      timeout: 1.5", "x", 1, false, Some("`timeout` is 1.5, and is read as 1")),
        ("command: x\n      timeout: 0.5", "x", 30, false, Some("`timeout` is 0.5, and is read as 30")),
        ("command: x\n      timeout: 86401", "x", DAY, false, Some("is 86401, and is read as 86400")),
        ("command: x\n      timeout: 1e30", "x", DAY, false, Some("and is read as 86400")),
        ("command: x\n      timeout:", "x", 30, false, None),
        ("command: x\n      pipe_output: yes", "x", 30, true, None),
        ("command: x\n      pipe_output: On", "x", 30, true, None),
        ("command: x\n      pipe_output: no", "x", 30, false, None),
        ("command: x\n      pipe_output:", "x", 30, false, None),
        ("command: true", "true", 30, false, None),
        ("command: 7", "7", 30, false, None),
    ] {
        let text = format!("version: 1\nhooks:\n  post_iteration:\n    - {lines}\n");
        let parsed = parse_for(text.as_bytes(), Product::Iteratr);
        let [one] = parsed.lifecycle.commands(List::PostIteration) else {
            panic!("{lines}: {:?}", parsed.findings)
        };
        let read = (one.written.as_str(), one.timeout.as_secs(), one.pipe_output);
        assert_eq!(read, (command, seconds, piped), "{lines}");
        let all: Vec<_> = parsed.findings.iter().map(ToString::to_string).collect();
        match says {
            Some(says) => assert!(all.len() == 1 && all[0].contains(says), "{lines}: {all:?}"),
            None => assert!(all.is_empty(), "{lines}: {all:?}"),
        }
    }
}

/// iteratr never looks at the version; a later version of our own file may mean something else.
#[test]
fn a_file_of_iteratrs_may_have_any_version() {
    let text = b"version: 2\nhooks:\n  on_error:\n    - command: make\n";
    let theirs = parse_for(text, Product::Iteratr);
    assert_eq!(theirs.lifecycle.commands(List::OnError).len(), 1);
    assert!(!theirs.broken && theirs.findings[0].to_string().contains("version 2 is read as version 1"));
    assert!(parse(text).broken);
}

#[test]
fn what_can_be_left_out_is_left_out_alone() {
    for (line, said) in [
        ("command: x\n      timout: 5", "`timout` is not known (did you mean `timeout`?)"),
        ("command: \"{{iteration}} x\"", "this command does not run: `{{iteration}}`"),
        (
            "command: \"echo {{task_id}}\"",
            "`{{task_id}}` is empty in `pre_iteration` (it is there in on_task_complete)",
        ),
        (
            "command: \"echo {{sesion}}\"",
            "`{{sesion}}` is no placeholder, and stays as it is (did you mean `{{session}}`?)",
        ),
        ("command: \"echo {{ session }}\"", "did you mean `{{session}}`?"),
    ] {
        let text = one(line) + "    - command: \"echo other\"\n      pipe_output: true\n";
        let parsed = parse(text.replace("{{iteration}} x", "eval {{session}}").as_bytes());
        let said = said.replace("`{{iteration}}`", "`{{session}}`");
        let all: Vec<_> = parsed.findings.iter().map(ToString::to_string).collect();
        assert!(!parsed.broken && all.len() == 1 && all[0].contains(&said), "{line}: {all:?}");
        let left: Vec<_> =
            parsed.lifecycle.commands(List::PreIteration).iter().map(|one| &one.written).collect();
        assert_eq!(left.last().unwrap().as_str(), "echo other");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_reader(text in "(version: 1\n)?(hooks:\n)?([ \t]{0,6}(- )?(command|timeout|pipe_output|on_error|x)?:? ?[\"'|>&*{}\\[\\]#,a0-9$`{}-]{0,8}\n){0,12}") {
        let parsed = parse(text.as_bytes());
        let lines = u32::try_from(text.lines().count()).unwrap() + 1;
        for finding in &parsed.findings {
            prop_assert!(finding.position.is_none_or(|position| position.line <= lines), "{finding}");
            prop_assert!(!finding.to_string().chars().any(char::is_control), "{finding}");
        }
        prop_assert!(!parsed.broken || (parsed.lifecycle.is_empty() && !parsed.findings.is_empty()));
    }

    #[test]
    fn no_command_breaks_the_rewriting(text in "([a-z $`'\"(){}\\[\\]<>|&;#=\n\\\\~!*-]|\\{\\{error\\}\\}|\\{\\{iteration\\}\\}|EOF|<<|case|esac|\\$\\(\\(|\\$\\{|eval){0,24}") {
        match template::rewrite(&text) {
            Ok(rewritten) => {
                for variable in &rewritten.uses {
                    prop_assert!(rewritten.text.contains(variable.env()));
                }
                // Bash, for which the rewriting does not ask the reader, sees no value as a command's name.
                for found in snaphook_shell::commands(&rewritten.text).unwrap_or_default() {
                    prop_assert!(!found.name.text().contains("SNAPHOOK_ERROR"), "{text:?} runs {found:?}");
                }
            }
            Err(refused) => {
                prop_assert!(text.is_char_boundary(refused.at) && refused.at <= text.len());
                prop_assert!(Variable::ALL.iter().any(|one| text.contains(one.as_str())));
            }
        }
    }
}

// ---- running ----

fn surroundings(folder: &Path) -> Surroundings {
    Surroundings {
        cwd: folder.to_owned(),
        env: vec![("PATH".into(), super::PATH.into())],
        ..Surroundings::default()
    }
}

fn commands(lines: &[(&str, bool)]) -> Lifecycle {
    let mut text = "version: 1\nhooks:\n  pre_iteration:\n".to_owned();
    for (command, piped) in lines {
        text += &format!(
            "    - command: {}\n      pipe_output: {piped}\n      timeout: 20\n",
            in_quotes(command)
        );
    }
    fine(&text)
}

/// A text in double quotes, as JSON, which is YAML.
fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

async fn ran(
    lifecycle: &Lifecycle,
    values: &Values,
    around: &Surroundings,
) -> snaphook_command::lifecycle::ListOutput {
    run_all(lifecycle, List::PreIteration, values, around, std::future::pending()).await
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

#[tokio::test]
async fn all_commands_run_in_order_and_only_piped_output_is_for_the_agent() {
    let (_folder, path) = folder();
    let lifecycle = commands(&[
        ("echo a; pwd", true),
        ("echo silent >> seen; echo silent", false),
        ("exit 4", true),
        ("printf c", true),
        ("cat seen", true),
    ]);
    let done = ran(&lifecycle, &Values::default(), &surroundings(&path)).await;
    let root = path.display();
    assert_eq!(
        done.piped(),
        format!("a\n{root}\n\n[Hook command failed: exit status 4: exit 4]\n\nc\nsilent\n")
    );
    assert_eq!(
        done.all(),
        format!("a\n{root}\n\nsilent\n\n[Hook command failed: exit status 4: exit 4]\n\nc\nsilent\n")
    );
    assert_eq!(done.ran.iter().map(|ran| ran.success).collect::<Vec<_>>(), [true, true, false, true, true]);
}

#[tokio::test]
async fn both_streams_stand_in_the_order_in_which_they_were_written() {
    let (_folder, path) = folder();
    let done = ran(
        &commands(&[("echo 1; echo 2 >&2; echo 3; echo 4 >&2", true)]),
        &Values::default(),
        &surroundings(&path),
    )
    .await;
    assert_eq!(done.piped(), "1\n2\n3\n4\n", "raw: nothing is added");
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_and_what_it_said_is_kept() {
    let (_folder, path) = folder();
    let text = "version: 1\nhooks:\n  pre_iteration:\n    - command: \"echo begun; sleep 60; echo never\"\n      timeout: 1\n      pipe_output: true\n    - command: \"echo next\"\n      pipe_output: true\n";
    let began = Instant::now();
    let done = ran(&fine(text), &Values::default(), &surroundings(&path)).await;
    assert_eq!(done.piped(), "begun\n[Hook timed out after 1s: echo begun; sleep 60; echo never]\n\nnext\n");
    assert!(began.elapsed() < Duration::from_secs(30), "it was not waited for");
}

/// Outputs are joined as iteratr joins them, and its file's commands say what they say in iteratr's words: standard error behind
/// its mark, a failure and a timeout first.
#[tokio::test]
async fn output_of_iteratrs_file_reads_as_iteratr_has_it() {
    let (_folder, path) = folder();
    for (lines, said) in [
        ("- command: \"echo 1; echo 2 >&2; echo 3\"", "1\n3\n\n[stderr]\n2\n"),
        ("- command: \"echo 2 >&2\"", "\n[stderr]\n2\n"),
        (
            "- command: \"echo 1; echo 2 >&2; exit 4\"",
            "[Hook command failed: exit status 4]\n1\n\n[stderr]\n2\n",
        ),
        ("- command: exit 4", "[Hook command failed: exit status 4]\n"),
        (
            "- command: \"echo 1; exec sleep 60\"\n      timeout: 1",
            "[Hook timed out after 1s]\nPartial output:\n1\n",
        ),
        ("- command: \"echo first piped\"", "first piped\n"),
        ("- command: echo a\n      pipe_output: true\n    - command: echo b", "a\n\nb\n"),
        ("- command: printf a\n      pipe_output: true\n    - command: echo b", "a\nb\n"),
        ("- command: echo a\n      pipe_output: true\n    - command: \":\"", "a\n"),
    ] {
        let text = format!("version: 1\nhooks:\n  pre_iteration:\n    {lines}\n      pipe_output: true\n");
        let parsed = parse_for(text.as_bytes(), Product::Iteratr);
        assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
        let done = ran(&parsed.lifecycle, &Values::default(), &surroundings(&path)).await;
        assert_eq!(done.piped(), said, "{lines}");
    }
}

/// The agent does not wait for the whole time of a command.
#[tokio::test]
async fn a_list_is_over_when_the_agent_stops_waiting() {
    let (_folder, path) = folder();
    let around = Surroundings { until: Some(Instant::now() + Duration::from_secs(1)), ..surroundings(&path) };
    let done =
        ran(&commands(&[("echo begun; sleep 60", true), ("echo late", true)]), &Values::default(), &around)
            .await;
    assert!(done.piped().contains("which is all that the agent waits"), "{}", done.piped());
    assert!(done.piped().starts_with("begun\n"));
    assert_eq!(done.ran.len(), 2, "both are reported");
}

#[tokio::test]
async fn cancelling_ends_the_command_and_leaves_the_rest_out() {
    let (_folder, path) = folder();
    let lifecycle = commands(&[("echo a", true), ("touch begun; sleep 60", true), ("touch after", true)]);
    let begun = path.join("begun");
    let cancel = async {
        while !begun.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let around = surroundings(&path);
    let done = run_all(&lifecycle, List::PreIteration, &Values::default(), &around, cancel).await;
    assert!(done.cancelled && done.ran.len() == 1, "{done:?}");
    assert!(!path.join("after").exists());
}

#[tokio::test]
async fn values_are_in_the_environment_of_their_lists_only() {
    let (_folder, path) = folder();
    let values = Values {
        session: "s 1".to_owned(),
        iteration: Some(3),
        task_id: "T-1".to_owned(),
        task_content: "do; $(it)".to_owned(),
        error: "bad".to_owned(),
    };
    let every = "echo {{session}}/{{iteration}}/{{task_id}}/{{task_content}}/{{error}}";
    for (list, said) in [
        (List::SessionStart, "s 1////\n"),
        (List::PreIteration, "s 1/3///\n"),
        (List::PostIteration, "s 1/3///\n"),
        (List::SessionEnd, "s 1////\n"),
        (List::OnTaskComplete, "s 1//T-1/do; $(it)/\n"),
        (List::OnError, "s 1/3///bad\n"),
    ] {
        let text =
            format!("version: 1\nhooks:\n  {list}:\n    - command: \"{every}\"\n      pipe_output: true\n");
        let lifecycle = parse(text.as_bytes()).lifecycle;
        let done = run_all(&lifecycle, list, &values, &surroundings(&path), std::future::pending()).await;
        assert_eq!(done.piped(), said, "{list}");
    }
}

#[tokio::test]
async fn values_that_no_environment_takes_are_made_to_fit() {
    let (_folder, path) = folder();
    let values = Values { session: format!("a\0b{}", "x".repeat(1 << 20)), ..Values::default() };
    let done = ran(
        &commands(&[("printf %s {{session}} | head -c 5; printf %s {{session}} | wc -l", true)]),
        &values,
        &surroundings(&path),
    )
    .await;
    assert_eq!(done.piped().replace(' ', ""), "a\u{fffd}b1\n", "{done:?}");
}

#[tokio::test]
async fn long_output_is_cut_and_says_so() {
    let (_folder, path) = folder();
    let done = ran(
        &commands(&[("head -c 100000 /dev/zero | tr '\\0' x", true)]),
        &Values::default(),
        &surroundings(&path),
    )
    .await;
    assert!(done.piped().ends_with("[cut: 100000 bytes, 65536 are kept]\n"));
    assert!(done.piped().len() < 66_000);
}
