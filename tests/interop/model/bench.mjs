// Starts the scripted model: one process for each script.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Bench {
  constructor(program) {
    this.program = program;
    this.place = mkdtempSync(join(tmpdir(), "model-"));
  }

  remove() {
    rmSync(this.place, { recursive: true });
  }

  // Runs `use` with the address of a model with this script. Returns what `use` returns, and the requests.
  async serve(script, use) {
    const [file, kept] = ["script.json", "requests.jsonl"].map((name) => join(this.place, name));
    writeFileSync(file, JSON.stringify(script));
    const model = spawn(this.program, [file, kept], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(model, "exit");
    try {
      const lines = createInterface({ input: model.stdout });
      const first = await Promise.race([once(lines, "line"), ended.then(() => Promise.reject(new Error("the model did not start")))]);
      const result = await use(first[0]);
      model.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`the model ended with ${code}`);
      const requests = readFileSync(kept, "utf8").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
      return { result, requests };
    } finally {
      model.kill();
    }
  }
}
