// The checks, which are the same for every SDK. An SDK is a module; `anthropic.mjs` says what it exports.
import assert from "node:assert/strict";

export const TOOLS = ["bash", "read"];
// A schema that takes any object.
export const SCHEMA = { type: "object", properties: {} };

const call = (name, args, id) => ({ call: { name, arguments: args, ...(id && { id }) } });
const TEXT = "Grüße aus der Welt: 你好, 🌍.";
const USAGE = { input: 321, output: 45 };
const CALLS = [
  { id: "own_1", name: "bash", arguments: { command: 'echo "ä\\n" && ls -la /a/long/path', times: 3 } },
  { id: "own_2", name: "read", arguments: { path: "b", nested: { list: [1, null, true] } } },
];
const AS_PARTS = CALLS.map(({ id, name, arguments: args }) => call(name, args, id));

// Returns what was thrown.
async function thrown(ask) {
  try {
    await ask();
  } catch (error) {
    return error;
  }
  return null;
}

export function checks(sdk) {
  const all = {};
  for (const streamed of [true, false]) {
    const mode = streamed ? "stream" : "whole";
    const check = (name, run) => (all[`${sdk.name}:${mode}:${name}`] = run);
    const ask = (url, history = sdk.begin("hello"), options = {}) => sdk.ask(url, history, { streamed, ...options });
    // One exchange, and what the SDK makes of it.
    const one = async (bench, exchange) => (await bench.serve([exchange], (url) => ask(url))).result;

    check("text", async (bench) => {
      const answer = await one(bench, { parts: [{ text: TEXT }], usage: USAGE });
      assert.deepEqual([answer.text, answer.calls, answer.stop, answer.usage], [TEXT, [], sdk.stops.end, USAGE]);
    });
    check("one call", async (bench) => {
      const answer = await one(bench, { parts: [AS_PARTS[0]], usage: USAGE });
      assert.deepEqual([answer.text, answer.calls, answer.stop, answer.usage], ["", [CALLS[0]], sdk.stops.calls, USAGE]);
    });
    check("text and two calls", async (bench) => {
      const answer = await one(bench, { parts: [{ text: TEXT }, ...AS_PARTS] });
      assert.deepEqual([answer.text, answer.calls, answer.stop], [TEXT, CALLS, sdk.stops.calls]);
    });
    check("ids are made", async (bench) => {
      const { calls } = await one(bench, { parts: [call("bash", {}), call("bash", {})] });
      assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
      assert.ok(calls.every(({ id }) => typeof id === "string" && id));
    });
    check("token limit", async (bench) => {
      const answer = await one(bench, { parts: [{ text: TEXT }], stop: "token_limit" });
      assert.deepEqual([answer.text, answer.stop], [TEXT, sdk.stops.limit]);
    });
    check("content filter", async (bench) => {
      const answer = await one(bench, { parts: [{ text: "I" }], stop: "content_filter" });
      assert.equal(answer.stop, sdk.stops.filter);
    });
    check("two turns", async (bench) => {
      const script = [{ parts: AS_PARTS }, { parts: [{ text: "done" }] }];
      const { result, requests } = await bench.serve(script, async (url) => {
        const history = sdk.begin("hello");
        const first = await ask(url, history);
        const next = sdk.go_on(history, first, CALLS.map(({ id, name }) => ({ id, name, text: `RESULT-OF-${id}` })));
        return ask(url, next);
      });
      assert.equal(result.text, "done");
      assert.deepEqual(requests.map((request) => [request.method, request.wire, request.streamed]), Array(2).fill(["POST", sdk.wire, streamed]));
      const sent = JSON.stringify(requests[1].body);
      for (const { id } of CALLS) assert.ok(sent.includes(`RESULT-OF-${id}`), sent);
    });
    check("small pieces", async (bench) => {
      const answer = await one(bench, { parts: [{ text: TEXT }, ...AS_PARTS], faults: [{ split_every: 1 }] });
      assert.deepEqual([answer.text, answer.calls], [TEXT, CALLS]);
    });
    for (const status of [429, 500, 529]) {
      check(`error ${status}`, async (bench) => {
        const { result, requests } = await bench.serve([{ status, headers: [["retry-after", "1"]] }], (url) => thrown(() => ask(url)));
        assert.equal(result?.constructor.name, sdk.errors[status], String(result?.stack));
        assert.equal(result.status, status);
        assert.match(result.message, new RegExp(`the script has an error here, with status ${status}`));
        assert.equal(requests.length, 1);
      });
    }
    if (sdk.retries) {
      check("retry", async (bench) => {
        const script = [{ status: 429, headers: [["retry-after-ms", "1"]] }, { status: 529, headers: [["retry-after-ms", "1"]] }, { parts: [{ text: "at last" }] }];
        const { result, requests } = await bench.serve(script, (url) => ask(url, sdk.begin("hello"), { retries: 2 }));
        assert.deepEqual([result.text, requests.length], ["at last", 3]);
      });
    }
    for (const how of ["close", "reset"]) {
      const bytes = streamed ? [0, 5] : [40];
      for (const count of bytes) {
        check(`cut by ${how}, ${count} bytes`, async (bench) => {
          const cut = { cut: { after: streamed ? 1 : 0, bytes: count, how } };
          const error = (await bench.serve([{ parts: [{ text: TEXT }, ...AS_PARTS], faults: [cut] }], (url) => thrown(() => ask(url)))).result;
          assert.ok(error instanceof Error, "nothing was thrown");
        });
      }
    }
    if (streamed) {
      check("events written otherwise", async (bench) => {
        for (const faults of [[{ line_ends: "crlf" }], [{ line_ends: "lf" }], ["no_space"], ["comments"], ["comments", { line_ends: "crlf" }]]) {
          const answer = await one(bench, { parts: [{ text: TEXT }, ...AS_PARTS], faults });
          assert.deepEqual([answer.text, answer.calls], [TEXT, CALLS], JSON.stringify(faults));
        }
      });
      check("clean cut", async (bench) => {
        const cut = { cut: { after: 2, how: "clean" } };
        const { result } = await bench.serve([{ parts: [{ text: TEXT }, ...AS_PARTS], faults: [cut] }], async (url) => {
          let answer;
          const error = await thrown(async () => (answer = await ask(url)));
          return { answer, error };
        });
        sdk.clean_cut(result);
      });
      check("error in the stream", async (bench) => {
        const error = { error: { after: 2, status: 529 } };
        const { result } = await bench.serve([{ parts: [{ text: TEXT }, ...AS_PARTS], faults: [error] }], async (url) => {
          let answer;
          const error = await thrown(async () => (answer = await ask(url)));
          return { answer, error };
        });
        sdk.stream_error(result);
      });
    }
  }
  return all;
}
