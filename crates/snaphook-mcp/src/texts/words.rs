//! The protocol's own words, which can say nothing of a server's: keys, methods, values out of a closed list. Whatever is missing
//! here counts as a text, and is shown to hooks. Sources: the protocol's schemas up to 2026-07-28, and those of JSON Schema.

use std::borrow::Cow;

/// The key under which snaphook notes something in a result's `_meta`.
pub(crate) const NOTE: &str = "snaphook/note";

/// The text of that note.
pub(crate) const NOTE_TEXT: &str =
    "structuredContent was dropped: hooks rewrote the text, and it would still say what they took out";

/// The text in the place of what is written in base64.
pub(crate) const BINARY_WITHHELD: &str = "[snaphook withheld this content: no hook can look into it]";

/// The keys of the protocol's messages, and of the schemas in them.
const KEYS: &[&str] = &[
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "_meta",
    "action",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "annotations",
    "anyOf",
    "arguments",
    "audience",
    "blob",
    "cacheScope",
    "call",
    "cancel",
    "capabilities",
    "clientInfo",
    "code",
    "completion",
    "completions",
    "const",
    "content",
    "contents",
    "costPriority",
    "create",
    "createMessage",
    "createdAt",
    "cursor",
    "data",
    "default",
    "definitions",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "destructiveHint",
    "elicitation",
    "elicitationId",
    "else",
    "enum",
    "enumNames",
    "error",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "execution",
    "experimental",
    "extensions",
    "form",
    "format",
    "hasMore",
    "hints",
    "icons",
    "id",
    "idempotentHint",
    "if",
    "includeContext",
    "input",
    "inputRequests",
    "inputResponses",
    "inputSchema",
    "instructions",
    "intelligencePriority",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/related-task",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/subscriptionId",
    "isError",
    "items",
    "jsonrpc",
    "lastModified",
    "lastUpdatedAt",
    "level",
    "list",
    "listChanged",
    "logger",
    "logging",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maxTokens",
    "maximum",
    "message",
    "messages",
    "metadata",
    "method",
    "mimeType",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "mode",
    "model",
    "modelPreferences",
    "multipleOf",
    "name",
    "nextCursor",
    "not",
    "oneOf",
    "openWorldHint",
    "outputSchema",
    "params",
    "pattern",
    "patternProperties",
    "pollInterval",
    "pollIntervalMs",
    "prefixItems",
    "priority",
    "progress",
    "progressToken",
    "prompt",
    "prompts",
    "properties",
    "propertyNames",
    "protocolVersion",
    "readOnly",
    "readOnlyHint",
    "reason",
    "requestId",
    "requestState",
    "requestedSchema",
    "requests",
    "required",
    "resource",
    "resourceTemplates",
    "resources",
    "result",
    "resultType",
    "role",
    "roots",
    "sampling",
    "serverInfo",
    "size",
    "sizes",
    NOTE,
    "speedPriority",
    "src",
    "status",
    "statusMessage",
    "stopReason",
    "stopSequences",
    "structuredContent",
    "subscribe",
    "supportedVersions",
    "systemPrompt",
    "task",
    "taskId",
    "taskSupport",
    "tasks",
    "temperature",
    "text",
    "theme",
    "then",
    "title",
    "tool",
    "toolChoice",
    "toolUseId",
    "tools",
    "total",
    "ttl",
    "ttlMs",
    "type",
    "uniqueItems",
    "uri",
    "uriTemplate",
    "url",
    "values",
    "version",
    "websiteUrl",
    "writeOnly",
    "x-mcp-header",
];

/// The methods of the protocol.
const METHODS: &[&str] = &[
    "completion/complete",
    "elicitation/create",
    "initialize",
    "logging/setLevel",
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/initialized",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/roots/list_changed",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks",
    "notifications/tasks/status",
    "notifications/tools/list_changed",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "roots/list",
    "sampling/createMessage",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// The versions of the protocol.
const VERSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Returns whether a key is the protocol's own.
pub(crate) fn is_key(key: &str) -> bool {
    KEYS.binary_search(&key).is_ok()
}

/// Returns whether a text under this key, or in a list under it, is one of those that the protocol has there.
pub(crate) fn is_word(key: &str, text: &str) -> bool {
    let words: &[&str] = match key {
        "type" => &[
            "text",
            "image",
            "audio",
            "resource",
            "resource_link",
            "tool_use",
            "tool_result",
            "object",
            "array",
            "string",
            "number",
            "integer",
            "boolean",
            "null",
            "ref/resource",
            "ref/prompt",
        ],
        "role" | "audience" => &["user", "assistant"],
        "resultType" => &["complete", "input_required", "task"],
        "level" => &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
        "status" => &["working", "input_required", "completed", "failed", "cancelled"],
        "mode" => &["form", "url", "auto", "required", "none"],
        "taskSupport" => &["forbidden", "optional", "required"],
        "cacheScope" => &["public", "private"],
        "includeContext" => &["none", "thisServer", "allServers"],
        "theme" => &["light", "dark"],
        "format" => &["email", "uri", "date", "date-time"],
        "$schema" => {
            &["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
        }
        "protocolVersion" | "supportedVersions" | "io.modelcontextprotocol/protocolVersion" => VERSIONS,
        "method" => METHODS,
        NOTE => &[NOTE_TEXT],
        "text" => &[BINARY_WITHHELD],
        _ => &[],
    };
    words.contains(&text)
}

/// A method, without a copy where it is the protocol's.
pub(crate) fn method(name: &str) -> Cow<'static, str> {
    known_method(name).map_or_else(|| Cow::Owned(name.to_owned()), Cow::Borrowed)
}

/// A method for the log, where nothing of a server's may be.
pub(crate) fn known_method(name: &str) -> Option<&'static str> {
    METHODS.binary_search(&name).ok().and_then(|at| METHODS.get(at)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        assert!(KEYS.is_sorted() && METHODS.is_sorted());
        assert!(is_key("uri") && !is_key("URI") && !is_key("password"));
        assert_eq!(known_method("tools/call"), Some("tools/call"));
        assert_eq!(known_method("tools/Call"), None);
    }
}
