// OpenAI's SDK, Responses.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { SCHEMA, TOOLS } from "./checks.mjs";

export const name = "openai-responses";
export const wire = "openai_responses";
export const stops = { end: "completed", calls: "completed", limit: "max_output_tokens", filter: "content_filter" };
export const errors = { 429: "RateLimitError", 500: "InternalServerError", 529: "InternalServerError" };
export const retries = true;

export const begin = (text) => [{ role: "user", content: text }];
export const go_on = (history, { raw }, results) => [
  ...history,
  ...raw.output,
  ...results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
];

export async function ask(url, input, { streamed, retries = 0 }) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: retries });
  const tools = TOOLS.map((name) => ({ type: "function", name, parameters: SCHEMA, strict: false }));
  const params = { model: "gpt-test", input, tools };
  let raw;
  let made = "";
  if (streamed) {
    const stream = client.responses.stream(params);
    let last;
    let number = 0;
    stream.on("response.output_text.delta", ({ delta }) => (made += delta));
    stream.on("event", (event) => {
      if (!("sequence_number" in event)) return;
      assert.equal(event.sequence_number, number++);
      last = event;
    });
    const gathered = await stream.finalResponse();
    // What the SDK put together from the pieces is what the last event has.
    if (last.type === "response.incomplete") {
      assert.deepEqual(gathered.output.map(plain), last.response.output.map(plain));
    }
    raw = last.type === "response.incomplete" || last.type === "response.failed" ? last.response : gathered;
  } else {
    raw = await client.responses.create(params);
  }
  const text = raw.output.filter(({ type }) => type === "message").flatMap(({ content }) => content.map(({ text }) => text)).join("");
  if (streamed && raw.status !== "failed") assert.equal(made, text);
  return {
    raw,
    text,
    calls: raw.output.filter(({ type }) => type === "function_call").map(({ call_id, name, arguments: args }) => ({ id: call_id, name, arguments: JSON.parse(args) })),
    stop: raw.incomplete_details?.reason ?? raw.status,
    usage: raw.usage && { input: raw.usage.input_tokens, output: raw.usage.output_tokens },
  };
}

// An item without what only its end says.
const plain = ({ type, content, name, arguments: args }) => ({ type, text: content?.map(({ text }) => text), name, args });

// It takes a stream without an end for a response that is in progress.
export function clean_cut({ answer, error }) {
  assert.deepEqual([error, answer?.stop], [null, "in_progress"]);
}

// It gives the event, and no error.
export function stream_error({ answer, error }) {
  assert.deepEqual([error, answer?.stop, answer?.raw.error?.code], [null, "failed", "server_error"]);
}
