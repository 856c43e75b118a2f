// The simulator, a module that a worker runs: the document says which file it is, or which element of its own.

import { embedded } from "./events.mjs";

let module, worker, script, asked = 0;

/** What unpacks the module, and its name: brotli, which is smaller, where the browser can. */
function unpacking(name) {
  try {
    return { name: name.replace(/gz$/, "br"), stream: new DecompressionStream(/** @type {any} */ ("brotli")) };
  } catch {
    return { name, stream: new DecompressionStream("gzip") };
  }
}

/** The module, compiled once; workers are made of it anew. A server may have unpacked it. */
async function compiled() {
  const of = document.body.dataset.module, inside = document.getElementById(of);
  if (inside) script = URL.createObjectURL(await embedded(document.getElementById("worker")).blob());
  if (inside) return WebAssembly.compile(await embedded(inside).arrayBuffer());
  const { name, stream } = of.endsWith(".gz") ? unpacking(of) : { name: of, stream: null };
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
  if (worker && worker.busy) {
    worker.terminate();
    worker = null;
  }
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
