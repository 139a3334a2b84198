// Writes dist/, by a file that is renamed when it is whole.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";

await rm("dist", { recursive: true, force: true });
await mkdir("dist/parts", { recursive: true });
const sources = (await readdir("test")).sort();
for (const name of sources) {
  await writeFile(`dist/parts/${name}`, (await readFile(`test/${name}`, "utf8")).replaceAll("  ", "\t"));
}
await writeFile("dist/index.json.tmp", JSON.stringify({ sources }) + "\n");
await rename("dist/index.json.tmp", "dist/index.json");
console.log(`built ${sources.length} parts`);
