// The packages that were installed.
import assert from "node:assert";
import { existsSync } from "node:fs";
import { test } from "node:test";
import add from "adder";
import shout from "shouter";

test("packages are there", () => {
  assert.strictEqual(add(2, 3), 5);
  assert.strictEqual(shout("hello"), "HELLO!");
});

test("a package's script ran", () => assert.ok(existsSync("node_modules/shouter/built.txt")));
