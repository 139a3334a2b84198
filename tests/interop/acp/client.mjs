// An editor of the protocol's own SDK, without a screen. Starts an agent, begins a session, sends prompts, answers what it
// is asked, and prints what happened as lines of JSON.
//
//     node client.mjs OPTIONS COMMAND...
//
// OPTIONS is JSON: `sdk` (the SDK's folder), `cwd`, `prompts`, and `answer`: the kind of the option to choose
// ("allow_once", "reject_once"), or "none" for an editor that cannot ask.

import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [given, command, ...args] = process.argv.slice(2);
const options = JSON.parse(given);
const acp = await import(pathToFileURL(join(options.sdk, "dist/v1/stable/acp.js")));
const { methods } = acp;
const tell = (what) => process.stdout.write(JSON.stringify(what) + "\n");

const child = spawn(command, args, { cwd: options.cwd, stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

let app = acp
  .client({ name: "interop" })
  .onNotification(methods.client.session.update, ({ params }) => tell({ update: params.update }))
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
    tell({ read: params.path });
    try {
      return { content: await readFile(params.path, "utf8") };
    } catch {
      throw acp.RequestError.resourceNotFound(params.path);
    }
  })
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
    tell({ wrote: params.path, content: params.content });
    await mkdir(dirname(params.path), { recursive: true });
    await writeFile(params.path, params.content);
    return {};
  });
if (options.answer !== "none") {
  app = app.onRequest(methods.client.session.requestPermission, ({ params }) => {
    const chosen = params.options.find((option) => option.kind === options.answer);
    tell({ asked: params.toolCall, options: params.options, chosen: chosen?.optionId });
    return chosen ? { outcome: { outcome: "selected", optionId: chosen.optionId } } : { outcome: { outcome: "cancelled" } };
  });
}

try {
  await app.connectWith(stream, async (agent) => {
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true } };
    const began = await agent.request(methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
    tell({ initialized: began });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: options.cwd, mcpServers: [] });
    tell({ session: sessionId });
    for (const text of options.prompts) {
      const { stopReason } = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      tell({ stopped: stopReason });
    }
  });
} catch (error) {
  tell({ failed: String(error?.message ?? error), data: error?.data });
}
child.stdin.end();
tell({ ended: await ended });
