// Usage: node answers.mjs DIRECTORY REQUESTS. Answers each request, a line of JSON, with the module under
// Node, and prints the SHA-256 of the answer and of the events. TestWasmAnswersAlike compares them.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const [dir, requests] = process.argv.slice(2);
(0, eval)(readFileSync(join(dir, "wasm_exec.js"), "utf8"));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(brotliDecompressSync(readFileSync(join(dir, "tarry.wasm.br"))), go.importObject);
go.run(instance);
const hash = (data) => createHash("sha256").update(data).digest("hex");
for (const line of readFileSync(requests, "utf8").trimEnd().split("\n")) {
  const events = [createHash("sha256"), createHash("sha256")];
  const answer = globalThis.tarry(line, (side, bytes) => events[side].update(bytes));
  console.log(hash(answer), events[0].digest("hex"), events[1].digest("hex"));
}
process.exit(0);
