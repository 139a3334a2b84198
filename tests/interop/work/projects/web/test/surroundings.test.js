// What tests of real packages use: servers, threads, processes, files that are watched.
import assert from "node:assert";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { watch } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

test("an HTTP server on loopback", async () => {
  const server = http.createServer((request, response) => response.end(`you asked for ${request.url}`));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/page`);
  assert.strictEqual(await answer.text(), "you asked for /page");
  server.close();
  server.closeAllConnections();
});

test("a Unix socket in a temporary folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "web-"));
  const server = net.createServer((socket) => socket.end("hello"));
  await once(server.listen(join(folder, "socket")), "listening");
  const client = net.connect(join(folder, "socket"));
  const [text] = await once(client, "data");
  assert.strictEqual(String(text), "hello");
  server.close();
  await rm(folder, { recursive: true });
});

test("a thread", async () => {
  const worker = new Worker("require('node:worker_threads').parentPort.postMessage(6 * 7)", { eval: true });
  assert.strictEqual((await once(worker, "message"))[0], 42);
  assert.strictEqual((await once(worker, "exit"))[0], 0);
});

test("processes", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "1 + 1"]);
  assert.strictEqual(stdout, "2\n");
  const child = spawn("cat", { stdio: "pipe" });
  child.stdin.write("text");
  assert.strictEqual(String((await once(child.stdout, "data"))[0]), "text");
  child.kill("SIGTERM");
  assert.deepStrictEqual(await once(child, "exit"), [null, "SIGTERM"]);
});

test("a folder that is watched", async () => {
  const folder = await mkdtemp(join(tmpdir(), "web-"));
  const watcher = watch(folder);
  const change = once(watcher, "change");
  await writeFile(join(folder, "file"), "text");
  assert.strictEqual((await change)[1], "file");
  watcher.close();
  await rm(folder, { recursive: true });
});
