// Runs the checks: `model.sh` calls this when all is installed. A check is a function that throws if something is wrong.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as aimock from "./aimock.mjs";
import * as anthropic from "./anthropic.mjs";
import * as gemini from "./gemini.mjs";
import * as chat from "./openai-chat.mjs";
import * as responses from "./openai-responses.mjs";
import { Bench } from "./bench.mjs";
import { checks } from "./checks.mjs";

const { values: options } = parseArgs({
  options: {
    program: { type: "string", multiple: true },
    snaphook: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
  },
});
// The SDKs before our model, then our client before another.
const sdks = [anthropic, chat, responses, gemini].map(checks);
const ALL = Object.assign({}, ...sdks, options.snaphook ? aimock.checks(resolve(options.snaphook)) : {});
if (options.snaphook && !aimock.hasTerminal()) {
  console.error("`script` (util-linux) is missing: install it and run this again");
  process.exit(2);
}
const names = Object.keys(ALL).filter((name) => !options.only.length || options.only.some((only) => name.startsWith(only)));
if (options.list || !names.length) {
  console.log(Object.keys(ALL).join("\n"));
  process.exit(options.list ? 0 : 2);
}
if (!options.program) {
  console.error("there is no scripted_model: cargo build -p snaphook-testing --features model --example scripted_model");
  process.exit(2);
}
const bench = new Bench(resolve(options.program.at(-1)));
let failed = 0;
for (const name of names) {
  try {
    await ALL[name](bench);
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok ${name}\n${String(error?.stack ?? error).replace(/^/gm, "    ")}`);
  }
}
bench.remove();
console.log(`${names.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
