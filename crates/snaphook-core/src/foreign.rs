//! The names of other hook systems for our events, fields and answers. Authors who come from there
//! write them; each is an error here, which suggests our name. Not here: names that are misspelt
//! ([`nearest`](crate::nearest)), what agents send (the adapters).

use crate::lifecycle::Lifecycle;

/// Events as the configuration of agents names them: Claude Code and those that copied it, then Cursor, OpenCode and
/// git.
const EVENTS: &[(&str, Lifecycle)] = &[
    ("pretooluse", Lifecycle::ToolCall),
    ("beforetool", Lifecycle::ToolCall),
    ("beforeshellexecution", Lifecycle::ToolCall),
    ("beforemcpexecution", Lifecycle::ToolCall),
    ("toolexecutebefore", Lifecycle::ToolCall),
    ("posttooluse", Lifecycle::ToolResult),
    ("posttoolusefailure", Lifecycle::ToolResult),
    ("aftertool", Lifecycle::ToolResult),
    ("aftershellexecution", Lifecycle::ToolResult),
    ("toolexecuteafter", Lifecycle::ToolResult),
    ("userpromptsubmit", Lifecycle::UserPrompt),
    ("userpromptsubmitted", Lifecycle::UserPrompt),
    ("beforesubmitprompt", Lifecycle::UserPrompt),
    ("precompact", Lifecycle::SessionBeforeCompact),
    ("precompress", Lifecycle::SessionBeforeCompact),
    ("postcompact", Lifecycle::SessionCompact),
    ("stop", Lifecycle::AgentEnd),
    ("sessionidle", Lifecycle::AgentEnd),
    ("subagentstop", Lifecycle::SubagentEnd),
    ("afterfileedit", Lifecycle::FilesChanged),
];

/// Fields of an event, and what to read instead.
const FIELDS: &[(&str, &str)] = &[
    ("tool_name", "event.tool, or event.native_tool for the agent's own name"),
    ("tool_input", "event.input"),
    ("args", "event.input"),
    ("arguments", "event.input"),
    ("parameters", "event.input"),
    ("tool_response", "event.content, of tool_result"),
    ("tool_output", "event.content, of tool_result"),
    ("output", "event.content, of tool_result"),
    ("result", "event.content, of tool_result"),
    ("path", "event.paths, the list of every file that the call names"),
    ("file", "event.paths, the list of every file that the call names"),
    ("file_path", "event.paths, the list of every file that the call names"),
    ("hook_event_name", "event.name"),
    ("event", "event.name"),
    ("type", "event.name"),
    ("tool_use_id", "event.id"),
    ("cwd", "ctx.cwd"),
    ("session_id", "ctx.session_id"),
    ("transcript_path", "ctx.session_path"),
    ("agent", "ctx.agent"),
];

/// The meaning of an answer's key here.
pub(crate) enum KeyMeaning {
    /// Another key, with the same value.
    Key(&'static str),
    /// One of the verdicts.
    Verdict,
    /// The key `block`, which has to be true.
    Block,
}

/// Keys of an answer.
const ANSWERS: &[(&str, KeyMeaning)] = &[
    ("blocked", KeyMeaning::Block),
    ("deny", KeyMeaning::Block),
    ("denied", KeyMeaning::Block),
    ("reject", KeyMeaning::Block),
    ("cancel", KeyMeaning::Block),
    ("decision", KeyMeaning::Verdict),
    ("permission", KeyMeaning::Verdict),
    ("permissiondecision", KeyMeaning::Verdict),
    ("hookspecificoutput", KeyMeaning::Verdict),
    ("verdict", KeyMeaning::Verdict),
    ("behavior", KeyMeaning::Verdict),
    ("approve", KeyMeaning::Key("allow")),
    ("allowed", KeyMeaning::Key("allow")),
    ("confirm", KeyMeaning::Key("ask")),
    ("question", KeyMeaning::Key("ask")),
    ("message", KeyMeaning::Key("reason")),
    ("msg", KeyMeaning::Key("reason")),
    ("why", KeyMeaning::Key("reason")),
    ("permissiondecisionreason", KeyMeaning::Key("reason")),
    ("stopreason", KeyMeaning::Key("reason")),
    ("updatedinput", KeyMeaning::Key("input")),
    ("toolinput", KeyMeaning::Key("input")),
    ("args", KeyMeaning::Key("input")),
    ("arguments", KeyMeaning::Key("input")),
    ("additionalcontext", KeyMeaning::Key("context")),
    ("systemmessage", KeyMeaning::Key("context")),
    ("cmd", KeyMeaning::Key("command")),
    ("filepath", KeyMeaning::Key("path")),
    ("output", KeyMeaning::Key("content")),
    ("result", KeyMeaning::Key("content")),
    ("text", KeyMeaning::Key("content")),
    ("iserror", KeyMeaning::Key("is_error")),
    ("failed", KeyMeaning::Key("fail")),
    ("continue", KeyMeaning::Key("continue_with")),
    ("continue", KeyMeaning::Key("terminate")),
    ("stop", KeyMeaning::Key("terminate")),
];

/// A name without case, dots and dashes: `PreToolUse`, `pre_tool_use` and `pre-tool-use` are one.
fn plain(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn find<'a, T>(table: &'a [(&str, T)], name: &str) -> impl Iterator<Item = &'a T> {
    let wanted = plain(name);
    table.iter().filter(move |(known, _)| plain(known) == wanted).map(|(_, meant)| meant)
}

/// The lifecycle event that another system calls so.
pub(crate) fn event(name: &str) -> Option<Lifecycle> {
    find(EVENTS, name).next().copied()
}

/// Returns what to read instead of a field that another system has.
pub(crate) fn field(name: &str) -> Option<&'static str> {
    find(FIELDS, name).next().copied()
}

/// Returns what a key of an answer stands for, where it may stand for one of `legal`.
pub(crate) fn answer(key: &str, legal: &[&str]) -> Option<&'static KeyMeaning> {
    find(ANSWERS, key).find(|meant| match meant {
        KeyMeaning::Key(name) => legal.contains(name),
        KeyMeaning::Block | KeyMeaning::Verdict => legal.contains(&"block"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name of snaphook in the table of foreign names would never be looked up.
    #[test]
    fn none_of_their_names_is_ours() {
        for (name, _) in EVENTS {
            assert!(Lifecycle::ALL.iter().all(|event| plain(event.name()) != *name), "{name}");
        }
        let keys = || Lifecycle::ALL.iter().flat_map(|event| event.spec().answers);
        for (_, meant) in ANSWERS {
            if let KeyMeaning::Key(name) = meant {
                assert!(keys().any(|key| key.name == *name), "{name} is a key of no event");
            }
        }
    }

    #[test]
    fn names_are_known_however_they_are_spelt() {
        for name in ["PreToolUse", "preToolUse", "pre_tool_use", "tool.execute.before"] {
            assert_eq!(event(name), Some(Lifecycle::ToolCall), "{name}");
        }
        assert_eq!(event("Notification"), None);
        assert_eq!(field("toolName"), Some("event.tool, or event.native_tool for the agent's own name"));
    }
}
