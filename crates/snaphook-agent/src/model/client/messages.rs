//! A conversation as the client library takes it: texts of one side in a row are parts of one message, and the results of an answer's
//! calls stand right behind it, as providers want it.

use std::sync::Arc;

use genai::chat::{
    CacheControl, ChatMessage, ChatRequest, ContentPart, MessageContent, Tool, ToolCall, ToolResponse,
};

use crate::message::{Continuation, Message, MessageCall};
use crate::model::Request;

/// The request for a model of this name.
pub(super) fn chat(request: &Request, model: &str) -> ChatRequest {
    let mut chat = ChatRequest::new(messages(&request.messages, model));
    if let Some(system) = &request.system {
        chat = chat.with_system(system.as_str());
    }
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(tool.schema.clone())
        }));
    }
    chat
}

fn messages(all: &[Arc<Message>], model: &str) -> Vec<ChatMessage> {
    let mut chat: Vec<ChatMessage> = Vec::with_capacity(all.len());
    // Texts of the person and of hooks that wait for the results before them.
    let mut texts: Vec<ContentPart> = Vec::new();
    let mut results: Vec<ContentPart> = Vec::new();
    let flush =
        |chat: &mut Vec<ChatMessage>, results: &mut Vec<ContentPart>, texts: &mut Vec<ContentPart>| {
            if !results.is_empty() {
                chat.push(ChatMessage::tool(MessageContent::from_parts(std::mem::take(results))));
            }
            if !texts.is_empty() {
                chat.push(ChatMessage::user(MessageContent::from_parts(std::mem::take(texts))));
            }
        };
    let mut names: Vec<(&str, &str)> = Vec::new();
    for message in all {
        match &**message {
            Message::User { content, .. } => texts.push(ContentPart::from_text(content.as_str())),
            Message::Tool { call_id, content, .. } => {
                let name = names.iter().rev().find(|(id, _)| id == call_id).map(|(_, name)| *name);
                // Some providers refuse a result without text.
                let content = if content.is_empty() { "(no output)" } else { content.as_str() };
                let response = ToolResponse::new(call_id.as_str(), content);
                let response = match name {
                    Some(name) => response.with_fn_name(name),
                    None => response,
                };
                results.push(ContentPart::ToolResponse(response));
            }
            Message::Assistant { content, calls, provider } => {
                flush(&mut chat, &mut results, &mut texts);
                names.extend(calls.iter().map(|call| (call.id.as_str(), call.tool.as_str())));
                let parts =
                    answer(content, calls, Some(provider).filter(|of| of.model.as_deref() == Some(model)));
                if !parts.is_empty() {
                    chat.push(ChatMessage::assistant(MessageContent::from_parts(parts)));
                }
            }
        }
    }
    flush(&mut chat, &mut results, &mut texts);
    if let Some(last) = chat.pop() {
        // Everything up to here is read from the provider's cache the next time.
        chat.push(last.with_options(CacheControl::Ephemeral));
    }
    chat
}

fn answer(content: &str, calls: &[MessageCall], provider: Option<&Continuation>) -> Vec<ContentPart> {
    let mut parts = Vec::new();
    if let Some(provider) = provider {
        parts.extend(provider.signatures.iter().cloned().map(ContentPart::ThoughtSignature));
        parts.extend(provider.reasoning.clone().map(ContentPart::ReasoningContent));
    }
    if !content.is_empty() {
        parts.push(ContentPart::from_text(content));
    }
    parts.extend(calls.iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.id.clone(),
            fn_name: call.tool.clone(),
            fn_arguments: call.input.clone(),
            thought_signatures: Some(call.signatures.clone())
                .filter(|of| provider.is_some() && !of.is_empty()),
        })
    }));
    parts
}
