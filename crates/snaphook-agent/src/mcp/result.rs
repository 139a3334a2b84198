//! The result of a server's tool as text for a model, with a line for each part that a model does not get. Not here: asking for it.

use serde_json::Value;
use snaphook_core::ToolOutput;

use crate::tools::cut;

/// Makes the output of a result to `tools/call`.
///
/// The structured copy counts only where there is no text: hooks see and rewrite the text, and nothing may say beside it what they took
/// out.
pub(super) fn output(result: &Value) -> ToolOutput {
    let unreadable = || ToolOutput::error("the server's result cannot be read: it has no list `content`");
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let blocks = match (result.get("content"), structured) {
        (Some(Value::Array(blocks)), _) => blocks.as_slice(),
        (None, Some(_)) => &[],
        _ => return unreadable(),
    };
    let is_text = |block: &Value| kind(block) == "text" && block.get("text").is_some_and(Value::is_string);
    let mut parts: Vec<String> = blocks.iter().map(part).collect();
    if let Some(structured) = structured.filter(|_| !blocks.iter().any(is_text)) {
        parts.push(structured.to_string());
    }
    let is_error = result.get("isError") == Some(&Value::Bool(true));
    let content = cut(parts.join("\n"));
    if is_error { ToolOutput::error(content) } else { ToolOutput { content, ..ToolOutput::default() } }
}

fn kind(block: &Value) -> &str {
    text(block, "type")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A part of the result as text.
fn part(block: &Value) -> String {
    match kind(block) {
        "text" => text(block, "text").to_owned(),
        kind @ ("image" | "audio") => {
            left_out(&format!("{kind} of type {}", text(block, "mimeType")), text(block, "data"))
        }
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            match resource.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => left_out(
                    &format!("resource {} of type {}", text(resource, "uri"), text(resource, "mimeType")),
                    text(resource, "blob"),
                ),
            }
        }
        "resource_link" => format!("[link to the resource {}: {}]", text(block, "name"), text(block, "uri")),
        other => format!("[left out: a part of type {other:?}]"),
    }
}

/// The line in the place of a part; `data` is base64.
fn left_out(what: &str, data: &str) -> String {
    format!("[left out: {what}, {} bytes]", data.trim_end_matches('=').len() / 4 * 3)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::MAX_RESULT;

    #[test]
    fn a_result_is_text_and_says_what_is_left_out() {
        for (result, is_error, expected) in [
            (
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                false,
                "a\nb",
            ),
            (json!({"content": [{"type": "text", "text": "no"}], "isError": true}), true, "no"),
            (json!({"content": [], "isError": "true"}), false, ""),
            (
                json!({"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]}),
                false,
                "[left out: image of type image/png, 3 bytes]",
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "t"}}]}),
                false,
                "t",
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "x:/a", "mimeType": "b/c", "blob": "AAAAAA=="}}]}),
                false,
                "[left out: resource x:/a of type b/c, 3 bytes]",
            ),
            (
                json!({"content": [{"type": "resource_link", "name": "n", "uri": "x:/a"}]}),
                false,
                "[link to the resource n: x:/a]",
            ),
            (
                json!({"content": [{"type": "hologram"}, 7]}),
                false,
                "[left out: a part of type \"hologram\"]\n[left out: a part of type \"\"]",
            ),
            (json!({"content": [], "structuredContent": {"a": 1}}), false, r#"{"a":1}"#),
            (json!({"structuredContent": {"a": 1}}), false, r#"{"a":1}"#),
            // What hooks took out of the text is nowhere else.
            (json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {"a": 1}}), false, "a"),
            (json!({}), true, "the server's result cannot be read: it has no list `content`"),
            (json!({"content": "a"}), true, "the server's result cannot be read: it has no list `content`"),
            (json!(null), true, "the server's result cannot be read: it has no list `content`"),
        ] {
            let output = output(&result);
            assert_eq!((output.is_error, output.content.as_str()), (is_error, expected), "{result}");
            assert_eq!(output.details, Value::Null, "{result}");
        }
    }

    #[test]
    fn a_long_result_is_cut() {
        let long = json!({"content": [{"type": "text", "text": "x".repeat(MAX_RESULT + 9)}]});
        let content = output(&long).content;
        assert!(content.len() < MAX_RESULT + 100 && content.contains("[cut: "), "{}", content.len());
    }
}
