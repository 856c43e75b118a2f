// The simulator, a module that a worker runs: the document says which file it is, or which element of its own.

import { embedded } from "./events.mjs";

let module, worker, script, asked = 0;

/** The module, compiled once; workers are made of it anew. Brotli is smaller, where the browser unpacks it; a server may have. */
async function compiled() {
  const of = document.body.dataset.module, inside = document.getElementById(of);
  let name = of, stream = new DecompressionStream("gzip");
  if (inside) script = URL.createObjectURL(await embedded(document.getElementById("worker")).blob());
  if (inside) return WebAssembly.compile(await embedded(inside).arrayBuffer());
  try {
    stream = new DecompressionStream(/** @type {any} */ ("brotli"));
    name = of.replace(/gz$/, "br");
  } catch { /* it does not */ }
  const got = await fetch(name);
  if (!got.ok) throw new Error(`${name}: ${got.status}`);
  const bytes = await got.arrayBuffer();
  const raw = new Uint8Array(bytes, 0, 4).join() === "0,97,115,109"; // \0asm
  return WebAssembly.compile(raw ? bytes : await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Asks the module; what it was doing is dropped. take is told of events. */
export async function ask(message, take) {
  module ||= compiled();
  const code = await module;
  const id = ++asked;
  if (worker && worker.busy) worker = worker.terminate();
  if (!worker) {
    worker = new Worker(script || "worker.mjs", { type: script ? "classic" : "module" }); // browsers start no module of a file's own
    worker.postMessage({ module: code });
  }
  worker.busy = true;
  return new Promise((done) => {
    worker.onmessage = ({ data }) => {
      if (data.id !== id) return;
      if (data.answer) {
        worker.busy = false;
        done(data.answer);
      } else take(data.side, data.events);
    };
    worker.onerror = (e) => done({ error: e.message || "the simulator does not start" });
    worker.postMessage({ id, request: message });
  });
}
