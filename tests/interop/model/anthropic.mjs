// Anthropic's SDK. What a module of an SDK exports:
//   `begin(text)`: the history of a first turn; `go_on(history, answer, results)`: the one of the next.
//   `ask(url, history, {streamed, retries})`: text, calls, stop reason and usage, as the SDK gives them.
//   `stops`, `errors`: what the SDK calls them; `retries`: it asks again as `retry-after` says.
//   `clean_cut`, `stream_error`: what it does with `{answer, error}` of a bad stream.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { SCHEMA, TOOLS } from "./checks.mjs";

export const name = "anthropic";
export const wire = "anthropic";
export const stops = { end: "end_turn", calls: "tool_use", limit: "max_tokens", filter: "refusal" };
export const errors = { 429: "RateLimitError", 500: "InternalServerError", 529: "OverloadedError" };
export const retries = true;

export const begin = (text) => [{ role: "user", content: text }];
export const go_on = (history, { raw }, results) => [
  ...history,
  { role: "assistant", content: raw.content },
  { role: "user", content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })) },
];

export async function ask(url, messages, { streamed, retries = 0 }) {
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: retries });
  const tools = TOOLS.map((name) => ({ name, input_schema: SCHEMA }));
  const params = { model: "claude-test", max_tokens: 1000, messages, tools };
  let text = "";
  const raw = streamed
    ? await client.messages.stream(params).on("text", (delta) => (text += delta)).finalMessage()
    : await client.messages.create(params);
  const all = raw.content.filter(({ type }) => type === "text").map(({ text }) => text).join("");
  if (streamed) assert.equal(text, all);
  assert.match(raw._request_id ?? "req_", /^req_/);
  return {
    raw,
    text: all,
    calls: raw.content.filter(({ type }) => type === "tool_use").map(({ id, name, input }) => ({ id, name, arguments: input })),
    stop: raw.stop_reason,
    usage: { input: raw.usage.input_tokens, output: raw.usage.output_tokens },
  };
}

export function clean_cut({ error }) {
  assert.match(String(error), /stream ended without producing a Message/);
}

export function stream_error({ error }) {
  assert.ok(error instanceof Anthropic.APIError, String(error));
  assert.equal(error.type, "overloaded_error");
}
