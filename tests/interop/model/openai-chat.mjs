// OpenAI's SDK, Chat Completions.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { SCHEMA, TOOLS } from "./checks.mjs";

export const name = "openai-chat";
export const wire = "openai_chat";
export const stops = { end: "stop", calls: "tool_calls", limit: "length", filter: "content_filter" };
export const errors = { 429: "RateLimitError", 500: "InternalServerError", 529: "InternalServerError" };
export const retries = true;

export const begin = (text) => [{ role: "user", content: text }];
export const go_on = (history, { raw }, results) => [
  ...history,
  raw.choices[0].message,
  ...results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
];

export async function ask(url, messages, { streamed, retries = 0 }) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: retries });
  const tools = TOOLS.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } }));
  const params = { model: "gpt-test", messages, tools };
  let text = "";
  const raw = streamed
    ? await client.chat.completions
        .stream({ ...params, stream_options: { include_usage: true } })
        .on("content", (delta) => (text += delta))
        .finalChatCompletion()
    : await client.chat.completions.create(params);
  const [{ message, finish_reason }] = raw.choices;
  if (streamed) assert.equal(text, message.content ?? "");
  return {
    raw,
    text: message.content ?? "",
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: JSON.parse(args) })),
    stop: finish_reason,
    usage: raw.usage && { input: raw.usage.prompt_tokens, output: raw.usage.completion_tokens },
  };
}

export function clean_cut({ error }) {
  assert.match(String(error), /missing finish_reason/);
}

export function stream_error({ error }) {
  assert.ok(error instanceof OpenAI.APIError, String(error));
  assert.equal(error.type, "server_error");
}
