//! The steps of a session as JSON Lines, one document a step.

use serde_json::{Value, json};
use snaphook_agent::driver::{ServerState, Step};

use crate::render;

/// A step as one JSON document.
pub(crate) fn step(step: &Step) -> Value {
    match step {
        Step::Started { name, agent, project } => {
            json!({ "step": "started", "name": name, "agent": agent, "project": project.display().to_string() })
        }
        Step::Problem(problem) => json!({ "step": "problem", "problem": problem }),
        Step::PromptSent { text, decision } => {
            json!({ "step": "prompt", "text": text, "decision": render::decision(decision) })
        }
        Step::PromptBlocked { text, decision } => {
            json!({ "step": "prompt_blocked", "text": text, "decision": render::decision(decision) })
        }
        Step::TurnStarted { index } => json!({ "step": "turn", "turn_index": index }),
        Step::AssistantText { text, subagent } => {
            json!({ "step": "text", "text": text, "subagent": subagent })
        }
        Step::SubagentStarted { subagent } => json!({ "step": "subagent_started", "subagent": subagent }),
        Step::SubagentEnded { subagent } => json!({ "step": "subagent_ended", "subagent": subagent }),
        Step::CallStarted { call } => {
            json!({ "step": "call_started", "id": &*call.id, "tool": &*call.tool, "input": *call.input })
        }
        Step::CallOutput { id, text } => json!({ "step": "output", "id": &**id, "text": text }),
        Step::CallDecided { call, decision } => {
            let mut document = render::decision(decision);
            document["step"] = json!("call");
            document["id"] = json!(&*call.id);
            document["tool"] = json!(&*call.tool);
            document["native_tool"] = json!(&*call.native_tool);
            document
        }
        Step::CallFinished { result, rewritten, recorded, duration } => json!({
            "step": "result",
            "id": &*result.call.id,
            "tool": &*result.call.tool,
            "content": &*result.content,
            "details": *result.details,
            "is_error": result.is_error,
            "rewritten": rewritten,
            "recorded": recorded,
            "duration_us": u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        }),
        Step::CallRefused { id, tool, why } => {
            json!({ "step": "call_refused", "id": &**id, "tool": tool, "why": why })
        }
        Step::Delivered { deliver, text } => {
            json!({ "step": "delivered", "deliver": deliver.as_str(), "hook": text.hook.id, "text": text.text })
        }
        Step::ContinueWith { text } => {
            json!({ "step": "continue_with", "hook": text.hook.id, "text": text.text })
        }
        Step::CheckSent { text } => json!({ "step": "check_sent", "text": text }),
        Step::ModelAsked { model, attempt } => {
            json!({ "step": "model_asked", "model": model, "attempt": attempt })
        }
        Step::TextDelta { text } => json!({ "step": "text_delta", "text": text }),
        Step::ModelAnswered { model, usage } => {
            json!({ "step": "model_answered", "model": model, "usage": usage })
        }
        Step::TurnBroken { why, again_after } => {
            let millis = again_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            json!({ "step": "turn_broken", "why": why, "again_after_ms": millis })
        }
        Step::Compacted { summary } => json!({ "step": "compacted", "summary": summary }),
        Step::PromptCancelled => json!({ "step": "prompt_cancelled" }),
        Step::Cleared => json!({ "step": "cleared" }),
        Step::AgentFailed { error } => json!({ "step": "agent_failed", "error": error }),
        Step::Terminated { turns_left_out } => {
            json!({ "step": "terminated", "turns_left_out": turns_left_out })
        }
        Step::CheckPassed { hook } => json!({ "step": "check_passed", "hook": hook.id }),
        Step::CheckFailed { hook, reason, pending } => {
            json!({ "step": "check_failed", "hook": hook.id, "reason": reason, "pending": pending })
        }
        Step::Server { name, state } => match state {
            ServerState::Connected { tools } => {
                json!({ "step": "mcp_server", "server": name, "state": "connected", "tools": tools })
            }
            ServerState::NotAllowed { why } => {
                json!({ "step": "mcp_server", "server": name, "state": "not_started", "why": why })
            }
            ServerState::Failed { why } => {
                json!({ "step": "mcp_server", "server": name, "state": "failed", "why": why })
            }
            _ => json!({ "step": "mcp_server", "server": name }),
        },
        Step::Notice { text } => json!({ "step": "notice", "text": text }),
        Step::Report(report) => json!({ "step": "report", "report": render::report(report) }),
        Step::Ended(summary) => json!({ "step": "summary", "summary": summary }),
        _ => json!({ "step": "other" }),
    }
}
