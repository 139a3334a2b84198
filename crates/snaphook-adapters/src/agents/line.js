import { spawn } from "node:child_process";

const AGENT = "@AGENT@";
const PROGRAM = "@PROGRAM@";
const EVENTS = new Set(["@EVENTS@"]);
// How long an answer may take, in milliseconds. The process answers before that, whatever happens.
const LIMIT_MS = 60000;
// The longest line that snaphook reads, in bytes; of what a tool said it reads more, to withhold it.
const LONGEST = 8 * 1024 * 1024;
const LONGEST_RESULT = 64 * 1024 * 1024;

const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";

// An answer that has only what this plugin knows.
function checked(reply) {
  const known = (key) => Object.hasOwn(ANSWER, key) && ANSWER[key](reply[key]);
  if (!isMap(reply) || !Object.keys(reply).every(known)) {
    throw new Error("snaphook gave an answer that this plugin does not understand; run `snaphook install " + AGENT + "` again");
  }
  return reply;
}

function put(target, key, value) {
  // Not by assignment: a key may be `__proto__`. Throws where it cannot be put.
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

// The process, and who waits for its answers.
class Line {
  constructor(directory) {
    this.directory = directory;
    this.child = undefined;
    this.waiting = new Map();
    this.last = 0;
  }

  start() {
    const child = spawn(PROGRAM, ["serve", "--stdio", "--agent", AGENT], {
      cwd: this.directory,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    this.child = child;
    const gone = (why) => this.end(child, why);
    child.on("error", (error) => gone(`snaphook could not be started: ${error.message}`));
    child.on("exit", (code, signal) => gone(`snaphook ended (${signal ?? code})`));
    child.stdin?.on("error", (error) => gone(`snaphook does not listen: ${error.message}`));
    let rest = "";
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) this.hear(child, line);
    });
    // The agent may end although the process is still there.
    child.unref?.();
    child.stdin?.unref?.();
    child.stdout?.unref?.();
    return child;
  }

  // Everybody who waits for this process fails; the next event starts another one.
  end(child, why) {
    if (this.child !== child) return;
    this.child = undefined;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) {
      clearTimeout(one.timer);
      one.reject(new Error(why));
    }
    try {
      child.kill("SIGKILL");
    } catch {
      // It is gone already.
    }
  }

  hear(child, line) {
    if (this.child !== child) return;
    let answer;
    try {
      answer = JSON.parse(line);
    } catch {
      answer = undefined;
    }
    const id = isMap(answer) ? answer.id : undefined;
    const one = this.waiting.get(id);
    if (!one) {
      this.end(child, "snaphook answered with something that is no answer");
      return;
    }
    this.waiting.delete(id);
    clearTimeout(one.timer);
    one.resolve(answer.reply);
  }

  ask(event, payload, isResult) {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      const line = JSON.stringify({ id, event, payload }) + "\n";
      const longest = isResult ? LONGEST_RESULT : LONGEST;
      if (Buffer.byteLength(line) > longest) {
        throw new Error(`this is longer than ${longest / 1024 / 1024} MiB, which snaphook does not read`);
      }
      const child = this.child ?? this.start();
      const late = () => this.end(child, `snaphook gave no answer within ${LIMIT_MS / 1000} s`);
      this.waiting.set(id, { resolve, reject, timer: setTimeout(late, LIMIT_MS) });
      child.stdin.write(line);
    });
  }
}
