// Our own client (`snaphook run`) before a model that no one here wrote: each wire, whole and streamed, with a tool call and its
// result, and a model that is busy at first.
import assert from "node:assert/strict";
import { spawnSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";

const WIRES = [
  ["anthropic", "anthropic", "/v1", "ANTHROPIC_API_KEY"],
  ["openai-chat", "openai-chat", "/v1", "OPENAI_API_KEY"],
  ["openai-responses", "openai", "/v1", "OPENAI_API_KEY"],
  ["gemini", "gemini", "/v1beta", "GEMINI_API_KEY"],
];

// Runs snaphook in a folder of its own. On a terminal, which `script` makes, answers are streamed.
async function run(bench, program, { provider, url, key, streamed }) {
  const place = mkdtempSync(join(bench.place, "agent-"));
  for (const folder of ["config/hooks", "state", "project"]) mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, "config/hooks/open.lua"), 'on("tool_call", function() return { allow = true } end)\n');
  const args = ["run", "--headless", "--model", `${provider}/test-1`, "--base-url", url, "count the files"];
  const quoted = [program, ...args].map((word) => `'${word}'`).join(" ");
  const [file, words] = streamed ? ["script", ["-qec", quoted, "/dev/null"]] : [program, args];
  const env = { PATH: process.env.PATH, HOME: place, TERM: "dumb", [key]: "sk-test-0123456789", SNAPHOOK_CONFIG_DIR: join(place, "config"), SNAPHOOK_STATE_DIR: join(place, "state") };
  const child = spawn(file, words, { cwd: join(place, "project"), env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const [code] = await once(child, "close");
  const runs = join(place, "state/runs");
  const session = readFileSync(join(runs, readdirSync(runs)[0]), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  return { code, said, session };
}

// The checks of the program at this path.
export function checks(program) {
  const all = {};
  for (const [name, provider, path, key] of WIRES) {
    for (const streamed of [true, false]) {
      const check = (what, busy) => {
        all[`snaphook:${name}:${streamed ? "stream" : "whole"}:${what}`] = async (bench) => {
          const mock = new LLMock({ port: 0 });
          if (busy) mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
          mock.on({ hasToolResult: true }, { content: "There is one file, grüße 🌍." });
          mock.onMessage("count the files", {
            content: "I look.",
            toolCalls: [
              { name: "bash", arguments: JSON.stringify({ command: "echo x > a.txt; ls | wc -l" }) },
              { name: "glob", arguments: JSON.stringify({ pattern: "*" }) },
            ],
          });
          await mock.start();
          try {
            const { code, said, session } = await run(bench, program, { provider, url: `${mock.url}${path}`, key, streamed });
            assert.equal(code, 0, said);
            const turns = session.filter((line) => line.type === "turn");
            assert.deepEqual(turns.map((turn) => (turn.calls ?? []).map((call) => call.tool)), [["bash", "glob"], []], said);
            assert.equal(turns[1].text, "There is one file, grüße 🌍.", said);
            assert.equal(session.find((line) => line.type === "result").content.trim(), "1", said);
            assert.equal(said.includes("slow down"), busy, said);
          } finally {
            await mock.stop();
          }
        };
      };
      check("a call and its result", false);
      check("busy at first", true);
    }
  }
  return all;
}

// Whether `script` is there, which makes a terminal.
export const hasTerminal = () => spawnSync("script", ["--version"]).status === 0;
