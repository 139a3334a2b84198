//! `snaphook run` with a person at a terminal: a scripted model on loopback, a pseudo-terminal with a model of its screen, in two sizes.

use std::num::NonZero;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snaphook_testing::model::{Call, Exchange, ScriptedModel, Wire};
use tokio::runtime::Runtime;

use crate::commands::executable;
use crate::pty::{Ended, Reads, Terminal};
use crate::support::Sandbox;

const KEY: &str = "sk-test-0123456789abcdef";

/// Rows and columns.
const SIZES: [(u16, u16); 2] = [(24, 80), (50, 200)];

/// A hook that asks about `maybe`, denies `bad`, rewrites `old`, ends the agent's work at `stop`, and asks by itself at `confirm`.
const GATE: &str = r#"-----
-- name: gate
-- description: Asks, denies and rewrites
-----
on("tool_call", function(event, ctx)
  local command = event.command or ""
  if command:find("bad") then return { block = true, reason = "not bad things" } end
  if command:find("stop") then return { block = true, reason = "enough", terminate = true } end
  if command:find("maybe") then return { ask = "Really?" } end
  if command:find("confirm") and not ctx.ui.confirm("Sure?", command) then
    return { block = true, reason = "not sure" }
  end
  if command:find("old") then return { input = { command = (command:gsub("old", "new")) } } end
end)
"#;

/// A session at a terminal.
struct Place {
    sandbox: Sandbox,
    model: ScriptedModel,
    runtime: Runtime,
    terminal: Terminal,
}

impl Place {
    fn new(size: (u16, u16), script: impl IntoIterator<Item = Exchange>) -> Self {
        Place::with(size, script, &[], |_| {})
    }

    fn with(
        size: (u16, u16),
        script: impl IntoIterator<Item = Exchange>,
        args: &[&str],
        prepare: impl FnOnce(&Sandbox),
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let model = runtime.block_on(ScriptedModel::start(script)).unwrap();
        let sandbox = Sandbox::new();
        sandbox.write("config/hooks/gate.lua", GATE);
        let url = model.url(Wire::OpenAiChat);
        let settings = format!("[model]\nname = \"openai-chat/test-1\"\nbase_url = \"{url}\"\n");
        sandbox.write("config/config.toml", settings);
        prepare(&sandbox);
        let terminal = start(&sandbox, args, size);
        let mut place = Place { sandbox, model, runtime, terminal };
        place.prompt();
        place
    }

    /// Waits for the prompt.
    fn prompt(&mut self) {
        self.terminal.reads(Reads::Keys);
    }

    /// Writes a line at the prompt.
    fn say(&mut self, line: &str) {
        self.prompt();
        self.terminal.write(&format!("{line}\r"));
    }

    /// Waits for a dialog and answers it.
    fn answer(&mut self, question: &str, line: &str) {
        self.terminal.until(question);
        self.terminal.until("> ");
        self.terminal.reads(Reads::Lines);
        self.terminal.write(&format!("{line}\n"));
    }

    /// Waits until the model is asked for the n-th time, from 0; gives its messages.
    fn asked(&self, number: usize) -> Vec<Value> {
        let request = self.runtime.block_on(self.model.request(number));
        request.body["messages"].as_array().cloned().unwrap_or_default()
    }

    fn reached(&self, gate: &str) {
        self.runtime.block_on(self.model.reached(gate));
    }

    fn wait_for(&self, is_so: impl Fn(&Place) -> bool) {
        let began = Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < Duration::from_secs(60), "it did not come to pass");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.sandbox.path(&format!("project/{name}"))).unwrap_or_default()
    }

    /// Leaves, and waits for the end: all as it should be.
    fn leave(mut self) -> Ended {
        self.say("/quit");
        let ended = self.terminal.end();
        assert_eq!((ended.code, ended.settings_are_as_before), (Some(0), true), "{}", ended.shown);
        assert!(ended.shows_cursor(), "{}", ended.shown);
        assert!(!ended.shown.contains(KEY));
        ended
    }
}

fn start(sandbox: &Sandbox, args: &[&str], (rows, columns): (u16, u16)) -> Terminal {
    let mut command = sandbox.command(&[&["run"], args].concat());
    command.env("OPENAI_API_KEY", KEY);
    Terminal::sized(command, rows, columns)
}

fn bash(command: &str) -> Exchange {
    Exchange::calls([Call::new("bash", json!({ "command": command }))])
}

/// The whole of what was shown, as a terminal of this size has it with its scrollback.
fn screen(shown: &[u8], columns: u16) -> String {
    let size = |number| NonZero::new(number).unwrap();
    let mut parser = vt100::Parser::new(size(1000), size(columns), 0);
    parser.process(shown);
    let rows = parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned());
    rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn a_person_works_with_an_agent_line_by_line() {
    for size in SIZES {
        let mut place = Place::new(
            size,
            [
                bash("for i in 1 2 3 4 5 6; do echo line $i; done"),
                bash("echo old > made"),
                bash("echo bad > made"),
                Exchange::text("# Done\n\nAll **six** lines.\n\n- one\n- two\n"),
            ],
        );
        place.say("make it so");
        place.terminal.until("two");
        place.say("/show 1");
        place.terminal.until("line 6");
        place.say("/audit 1");
        place.terminal.until("not bad things");
        place.say("/hooks");
        place.terminal.until("Asks, denies and rewrites");
        place.say("/hlep");
        place.terminal.until("did you mean /help?");
        place.say("/model");
        place.terminal.until("openai-chat/test-1");
        assert_eq!(place.file("made"), "new\n");
        let ended = place.leave();
        let seen = screen(&ended.bytes, size.1);
        for part in [
            "> make it so",
            "bash for i in 1 2 3 4 5 6; do echo line $i; done",
            "      line 4\n      … 2 more lines: /show 1",
            "rewritten: echo [-old-]{+new+} > made",
            "denied bash echo bad > made",
            "not bad things",
            "# Done\n\nAll **six** lines.",
            "4 turns",
            "3 tool calls (1 denied)",
            "go on: snaphook run --resume ",
        ] {
            assert!(seen.contains(part), "{part:?} is not in {seen}");
        }
    }
}

#[test]
fn what_a_gate_asks_is_answered_by_a_line() {
    for size in SIZES {
        let again = || bash("echo maybe >> made");
        let mut place = Place::new(
            size,
            [again(), again(), again(), bash("echo confirm >> made"), again(), Exchange::text("Done.")],
        );
        place.say("go");
        // What is shown is what was judged, and how it is held.
        place.terminal.until("Really?");
        place.terminal.until("Held by the kernel: -p guarded");
        place.terminal.until("bash: echo maybe >> made");
        place.terminal.until("> ");
        place.terminal.reads(Reads::Lines);
        place.terminal.write("x\n");
        // A slip is no answer, the hook can be looked at, words are a no.
        place.answer("none of these", "s");
        place.terminal.until("function(event, ctx)");
        place.answer("Really?", "use the trash instead");
        let told = place.asked(1).last().unwrap()["content"].to_string();
        assert!(told.contains("use the trash instead"), "{told}");
        place.answer("Really?", "y");
        place.answer("Really?", "a");
        place.answer("Sure?", "n");
        // The same call again: nobody is asked.
        place.terminal.until("Done.");
        place.say("/audit");
        place.terminal.until("earlier, for this exact call in this session");
        let file = place.file("made");
        place.leave();
        assert_eq!(file, "maybe\nmaybe\nmaybe\n");
    }
}

#[test]
fn a_kept_yes_is_no_answer_to_another_call_or_to_a_denial() {
    let mut place = Place::new(
        SIZES[0],
        [
            bash("echo maybe >> made"),
            bash("echo maybe  >> made"),
            bash("echo maybe bad >> made"),
            Exchange::text("Done."),
        ],
    );
    place.say("go");
    place.answer("Really?", "a");
    place.answer("Really?", "n");
    place.terminal.until("not bad things");
    place.terminal.until("Done.");
    assert_eq!(place.file("made"), "maybe\n");
    place.leave();
}

#[test]
fn ctrl_c_ends_what_runs_wherever_it_is_pressed() {
    for size in SIZES {
        let mut place = Place::new(
            size,
            [
                Exchange::text("one two three").pause(2, "stream"),
                bash("echo maybe > asked"),
                bash("echo begun > tool; sleep 1000"),
                bash("kill -9 $$"),
                Exchange::text("Done."),
            ],
        );
        // In a stream.
        place.say("first");
        place.reached("stream");
        place.terminal.interrupt();
        place.terminal.until("ended by you");
        // In a dialog.
        place.say("second");
        place.terminal.until("Really?");
        place.terminal.reads(Reads::Lines);
        place.terminal.interrupt();
        place.terminal.until("ended by you");
        assert_eq!(place.file("asked"), "");
        // In a tool.
        place.say("third");
        place.terminal.until("sleep 1000");
        place.terminal.reads(Reads::Ahead);
        place.terminal.interrupt();
        place.terminal.until("ended by you");
        // A tool that is killed; and the model knows what was ended.
        place.say("fourth");
        place.terminal.until("Done.");
        let told = serde_json::to_string(&place.asked(3)).unwrap();
        assert_eq!(told.matches("The person ended your work").count(), 3, "{told}");
        // At the prompt: once says how to leave, twice leaves.
        place.prompt();
        place.terminal.write("half a line\u{3}");
        place.terminal.until("Ctrl-C once more leaves");
        place.prompt();
        place.terminal.write("\u{3}");
        let ended = place.terminal.end();
        assert_eq!((ended.code, ended.settings_are_as_before), (Some(0), true), "{}", ended.shown);
        assert!(ended.shows_cursor(), "{}", ended.shown);
    }
}

#[test]
fn twice_leaves_also_while_the_agent_works() {
    for keys in ["stream", "tool"] {
        let script = match keys {
            "stream" => Exchange::text("one two three").pause(2, "stream"),
            _ => bash("trap '' INT; echo begun; sleep 1000"),
        };
        let mut place = Place::new(SIZES[0], [script]);
        place.say("go");
        match keys {
            "stream" => place.reached("stream"),
            _ => place.terminal.until("sleep 1000"),
        }
        place.terminal.reads(Reads::Ahead);
        place.terminal.interrupt();
        place.terminal.until("once more leaves");
        place.terminal.interrupt();
        let ended = place.terminal.end();
        assert_eq!(ended.code, Some(130), "{}", ended.shown);
        assert!(ended.settings_are_as_before && ended.shows_cursor(), "{}", ended.shown);
    }
}

#[test]
fn signals_end_the_session_and_leave_the_terminal_whole() {
    for moment in ["prompt", "stream", "dialog"] {
        let script = match moment {
            "dialog" => bash("echo maybe"),
            _ => Exchange::text("one two three").pause(2, "stream"),
        };
        let mut place = Place::new(SIZES[0], [script]);
        match moment {
            "stream" => {
                place.say("go");
                place.reached("stream");
            }
            "dialog" => {
                place.say("go");
                place.terminal.until("Really?");
                place.terminal.reads(Reads::Lines);
            }
            _ => place.prompt(),
        }
        place.terminal.terminate();
        let ended = place.terminal.end();
        assert_eq!((ended.code, ended.signal), (Some(130), None), "{moment}: {}", ended.shown);
        assert!(ended.settings_are_as_before && ended.shows_cursor(), "{moment}: {}", ended.shown);
    }
}

#[test]
fn what_is_typed_ahead_is_the_next_prompt_and_never_an_answer() {
    for size in SIZES {
        let mut place = Place::new(
            size,
            [
                Exchange::text("one two three")
                    .pause(2, "stream")
                    .and_call(Call::new("bash", json!({ "command": "echo maybe > made" }))),
                Exchange::text("First."),
                Exchange::text("Second."),
            ],
        );
        place.say("go");
        place.reached("stream");
        // The window is dragged meanwhile, and all of it was typed before the question is there.
        place.terminal.resize(30, 100);
        place.terminal.write("y\ny\nand then thi\u{7f}");
        // It is taken before the stream goes on.
        place.terminal.taken();
        place.model.release("stream");
        place.answer("Really?", "n");
        place.terminal.until("First.");
        place.terminal.until("> y");
        place.terminal.until("Second.");
        assert_eq!(place.file("made"), "");
        assert_eq!(place.asked(2).last().unwrap()["content"], json!("y\ny"));
        // What was no whole line yet is in the prompt, to be gone on with.
        place.terminal.until("> and then th");
        place.prompt();
        place.model.push(Exchange::text("Third."));
        place.terminal.write("is\r");
        place.terminal.until("Third.");
        assert_eq!(place.asked(3).last().unwrap()["content"], json!("and then this"));
        let ended = place.leave();
        // What was typed ahead was not shown in the middle of the answer.
        assert!(ended.shown.contains("\none two three\n"), "{}", ended.shown);
    }
}

#[test]
fn a_hook_that_asks_while_text_streams_tears_nothing() {
    // The question comes from a check beside the stream: a handler of the turn's first piece of text.
    let asks = r#"-----
-- name: asks
-----
on("turn_start", function(event, ctx)
  if event.turn_index == 1 and not ctx.ui.confirm("Go on?", "in the middle") then ctx.ui.notify("they said no") end
end)
"#;
    for size in SIZES {
        let script = [bash("echo a"), Exchange::text("one two three"), Exchange::text("Four.")];
        let mut place =
            Place::with(size, script, &[], |sandbox| drop(sandbox.write("config/hooks/asks.lua", asks)));
        place.say("go");
        place.answer("Go on?", "no");
        place.terminal.until("they said no");
        place.terminal.until("one two three");
        let ended = place.leave();
        let seen = screen(&ended.bytes, size.1);
        assert!(seen.lines().any(|line| line.trim() == "one two three"), "{seen}");
        assert!(seen.lines().any(|line| line == "  ? [asks] Go on?"), "{seen}");
    }
}

#[test]
fn a_session_is_gone_on_with_cleared_summed_up_and_given_another_model() {
    let mut place = Place::new(SIZES[0], [Exchange::text("First.")]);
    place.say("remember the word");
    place.terminal.until("First.");
    let Place { sandbox, model, runtime, mut terminal } = place;
    terminal.reads(Reads::Keys);
    terminal.write("\u{4}");
    assert_eq!(terminal.end().code, Some(0));

    let terminal = start(&sandbox, &["--continue"], SIZES[0]);
    let mut place = Place { sandbox, model, runtime, terminal };
    place.model.push(Exchange::text("Second."));
    place.say("and now");
    place.terminal.until("Second.");
    assert!(place.asked(1).iter().any(|message| message["content"] == "remember the word"));

    place.model.push(Exchange::text("A summary of it."));
    place.say("/compact");
    place.terminal.until("A summary of it.");
    place.model.push(Exchange::text("Third."));
    place.say("/model openai-chat/test-2");
    place.terminal.until("openai-chat/test-2 is asked from now on");
    place.say("/model nobody/x");
    place.terminal.until("error:");
    place.say("third");
    place.terminal.until("Third.");
    let request = place.runtime.block_on(place.model.request(3));
    assert_eq!(request.body["model"], "test-2");
    let told = request.body["messages"].to_string();
    assert!(told.contains("A summary of it.") && !told.contains("remember the word"), "{told}");

    place.say("/clear");
    place.terminal.until("begins anew");
    place.model.push(Exchange::text("Fourth."));
    place.say("fourth");
    place.terminal.until("Fourth.");
    let told = serde_json::to_string(&place.asked(4)).unwrap();
    assert!(!told.contains("A summary of it."), "{told}");
    let Place { sandbox, model, runtime, mut terminal } = place;
    terminal.reads(Reads::Keys);
    terminal.write("\u{4}");
    assert_eq!(terminal.end().code, Some(0));

    // The model and the conversation are those that it had last; the prompts of before are behind the key up.
    let terminal = start(&sandbox, &["--resume"], SIZES[0]);
    let mut place = Place { sandbox, model, runtime, terminal };
    place.model.push(Exchange::text("Fifth."));
    place.prompt();
    place.terminal.write("\u{1b}[A");
    place.terminal.until("fourth");
    place.terminal.write("\r");
    place.terminal.until("Fifth.");
    let request = place.runtime.block_on(place.model.request(5));
    assert_eq!(request.body["model"], "test-2");
    let told = request.body["messages"].to_string();
    assert_eq!(told.matches("fourth").count(), 2, "{told}");
    assert!(!told.contains("third"), "{told}");
    place.leave();
}

#[test]
fn hooks_are_loaded_anew_and_a_denial_that_ends_the_agents_work_does_not_end_the_session() {
    let mut place =
        Place::new(SIZES[0], [bash("echo stop"), bash("echo stop > made"), Exchange::text("Done.")]);
    place.say("go");
    place.terminal.until("terminated");
    place
        .sandbox
        .write("config/hooks/gate.lua", "on('tool_call', function(event) return { allow = true } end)");
    place.say("/reload");
    place.terminal.until("gate");
    place.say("again");
    place.terminal.until("Done.");
    assert_eq!(place.file("made"), "stop\n");
    place.leave();
}

#[test]
fn tab_completes_commands_and_files() {
    let mut place = Place::with(SIZES[0], [Exchange::text("Done.")], &[], |sandbox| {
        drop(sandbox.write("project/source.txt", "x"));
    });
    place.prompt();
    place.terminal.write("/he\t\r");
    place.terminal.until("This list");
    place.prompt();
    place.terminal.write("read so\t\r");
    place.terminal.until("Done.");
    assert_eq!(place.asked(0).last().unwrap()["content"], json!("read source.txt"));
    place.leave();
}

/// A session with a check of text files, which writes down that it runs and then does this.
fn checked(script: impl IntoIterator<Item = Exchange>, shell: &str) -> Place {
    Place::with(SIZES[0], script, &[], |sandbox| {
        let shell = format!("echo run >> \"$HOME/checks\"\n{shell}");
        executable(sandbox, "config/hooks/lint.sh", "type: file\npattern: \"*.txt\"", &shell);
    })
}

fn checks(place: &Place) -> usize {
    let file = place.sandbox.path("home/checks");
    std::fs::read_to_string(file).unwrap_or_default().lines().count()
}

#[test]
fn checks_run_after_a_turn_and_what_passes_says_nothing_to_the_agent() {
    let mut place = checked([bash("echo x > a.txt"), Exchange::text("Done.")], "true");
    place.say("go");
    place.terminal.until("check passed:");
    place.prompt();
    assert_eq!((checks(&place), place.model.requests().len()), (1, 2));
    place.leave();
}

#[test]
fn a_prompt_that_is_typed_before_checks_begin_keeps_them_for_later() {
    let script = [
        bash("echo x > a.txt"),
        Exchange::text("one two three").pause(2, "stream"),
        Exchange::text("four five six").pause(2, "later"),
    ];
    let mut place = checked(script, "true");
    place.say("go");
    place.reached("stream");
    place.terminal.write("more\n");
    place.terminal.taken();
    place.model.release("stream");
    place.reached("later");
    // The person spoke within the grace: no check ran, and nothing of it is lost.
    assert_eq!(checks(&place), 0);
    place.model.release("later");
    place.terminal.until("check passed:");
    assert_eq!(checks(&place), 1);
    place.leave();
}

#[test]
fn a_prompt_while_checks_run_ends_them_and_they_run_after_it() {
    let script = [bash("echo x > a.txt"), Exchange::text("First."), Exchange::text("Second.")];
    let shell = "[ $(wc -l < \"$HOME/checks\") -gt 1 ] || { echo red; sleep 1000; exit 1; }";
    let mut place = checked(script, shell);
    place.say("go");
    place.terminal.until("First.");
    place.wait_for(|place| checks(place) > 0);
    place.terminal.write("more\n");
    place.terminal.until("Second.");
    place.terminal.until("check passed:");
    place.prompt();
    assert_eq!((checks(&place), place.model.requests().len()), (2, 3));
    // What the one that was ended would have said is nowhere.
    assert!(!serde_json::to_string(&place.asked(2)).unwrap().contains("red"));
    place.leave();
}

#[test]
fn a_turn_that_a_check_began_takes_no_prompt_and_can_be_ended() {
    let script = [
        bash("echo x > a.txt"),
        Exchange::text("First."),
        Exchange::text("one two three").pause(2, "again"),
        Exchange::text("Third."),
    ];
    let mut place = checked(script, "test -e fixed || { echo it is red; exit 1; }");
    place.say("go");
    place.reached("again");
    assert!(serde_json::to_string(&place.asked(2)).unwrap().contains("it is red"));
    place.terminal.write("and then\n");
    place.terminal.taken();
    // It waits: the turn that the check began goes on.
    assert_eq!(place.model.requests().len(), 3);
    std::fs::write(place.sandbox.path("project/fixed"), "").unwrap();
    place.terminal.interrupt();
    place.terminal.until("ended by you");
    place.terminal.until("Third.");
    let told = place.asked(3).last().unwrap()["content"].as_str().unwrap().to_owned();
    assert!(told.ends_with("and then"), "{told}");
    place.terminal.until("check passed:");
    place.leave();
}
