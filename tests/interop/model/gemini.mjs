// Google's SDK.
import assert from "node:assert/strict";
import { ApiError, GoogleGenAI } from "@google/genai";
import { SCHEMA, TOOLS } from "./checks.mjs";

export const name = "gemini";
export const wire = "gemini";
export const stops = { end: "STOP", calls: "STOP", limit: "MAX_TOKENS", filter: "SAFETY" };
export const errors = { 429: "ApiError", 500: "ApiError", 529: "ApiError" };
// It asks again only if it is told how often, and knows no `retry-after`.
export const retries = false;

export const begin = (text) => [{ role: "user", parts: [{ text }] }];
export const go_on = (history, { parts }, results) => [
  ...history,
  { role: "model", parts },
  { role: "user", parts: results.map(({ id, name, text }) => ({ functionResponse: { id, name, response: { output: text } } })) },
];

export async function ask(url, contents, { streamed }) {
  const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } });
  const functionDeclarations = TOOLS.map((name) => ({ name, parametersJsonSchema: SCHEMA }));
  const params = { model: "gemini-test", contents, config: { tools: [{ functionDeclarations }] } };
  const answers = [];
  if (streamed) {
    for await (const answer of await client.models.generateContentStream(params)) answers.push(answer);
  } else {
    answers.push(await client.models.generateContent(params));
  }
  const parts = answers.flatMap(({ candidates }) => candidates?.[0].content?.parts ?? []);
  const last = answers.at(-1);
  return {
    parts,
    text: parts.map(({ text }) => text ?? "").join(""),
    calls: answers.flatMap(({ functionCalls }) => functionCalls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args })),
    stop: last?.candidates?.[0].finishReason ?? null,
    usage: last?.usageMetadata && { input: last.usageMetadata.promptTokenCount, output: last.usageMetadata.candidatesTokenCount },
  };
}

// It takes a stream without an end for an answer without a stop reason, and without the calls that did not come.
export function clean_cut({ answer, error }) {
  assert.deepEqual([error, answer?.stop, answer?.calls], [null, null, []]);
}

// The error is not in an event. It is read if it comes in a piece of its own, else it is an event without an end.
export function stream_error({ error }) {
  assert.ok(error instanceof ApiError || /Incomplete JSON segment/.test(String(error)), String(error));
}
