// Loads OpenCode's plugin as OpenCode does, and calls its hooks. The argument is one JSON document: `plugin`, `directory`, `parents`
// (whose subagent a session is, for the client) and `steps`. A step is a list of calls that are made at once, `{hook, input,
// output}`, or `{kill: file}` with the number of the process. Prints one JSON document: for each call what became of its output,
// or what was thrown.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { plugin, directory, parents, steps } = JSON.parse(process.argv[2]);
const shown = [];
const client = {
  tui: {
    showToast: async ({ body }) => {
      shown.push(body.message);
      throw new Error("there is no screen");
    },
  },
  session: {
    get: async ({ path }) => ({ data: { id: path.id, parentID: parents?.[path.id] } }),
  },
};
const module = await import(pathToFileURL(plugin).href);
const factories = Object.values(module);
if (factories.length !== 1) throw new Error(`${factories.length} plugins`);
const hooks = await factories[0]({ client, directory, worktree: directory, project: {} });

async function call({ hook, input, output }) {
  if (!hooks[hook]) return { unheard: hook };
  // What OpenCode goes on with is what it handed over.
  const args = output?.args;
  try {
    await hooks[hook](input, output);
    if (args !== undefined && output.args !== args) return { lost: true };
    return { output };
  } catch (error) {
    return { thrown: error.message, shown: shown.splice(0) };
  }
}

const told = [];
for (const step of steps) {
  if (step.kill) {
    process.kill(Number(readFileSync(step.kill, "utf8")), "SIGKILL");
  } else {
    told.push(...(await Promise.all(step.map(call))));
  }
}
process.stdout.write(JSON.stringify(told));
