// The simulator, a module that a worker runs: the document says which file it is, or which element of its own.

import { embedded, through } from "./events.mjs";

let code, worker, script;

/** The module, compiled once, for every worker. Brotli is smaller, where the browser unpacks it; a server may have. */
async function compiled() {
  const { module: of } = document.body.dataset, inside = document.getElementById(of);
  if (inside) {
    script = URL.createObjectURL(await embedded(document.getElementById("worker")).blob());
    return WebAssembly.compile(await embedded(inside).arrayBuffer());
  }
  let name = of, stream = new DecompressionStream("gzip");
  try {
    stream = new DecompressionStream(/** @type {any} */ ("brotli"));
    name = of.replace(/gz$/, "br");
  } catch { /* it does not */ }
  const got = await fetch(name);
  if (!got.ok) throw new Error(`${name}: ${got.status}`);
  const bytes = await got.arrayBuffer(), raw = new Uint8Array(bytes, 0, 4).join() === "0,97,115,109"; // \0asm
  return WebAssembly.compile(raw ? bytes : await through(bytes, stream).arrayBuffer());
}

/** Sends a request to the module and returns the answer; a request that still runs ends. take gets a run's events. */
export async function ask(request, take) {
  const module = await (code ||= compiled());
  if (worker?.busy) worker = worker.terminate();
  const type = script ? "classic" : "module"; // browsers start no module of a file's own
  worker ||= new Worker(script || "worker.mjs", { type });
  worker.busy = true;
  return new Promise((done) => {
    worker.onmessage = ({ data: { answer, side, events } }) => {
      if (!answer) return take(side, events);
      worker.busy = false;
      done(answer);
    };
    worker.onerror = (e) => done({ error: e.message || "the simulator does not start" });
    worker.postMessage({ module, request });
  });
}
