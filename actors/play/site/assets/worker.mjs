// The module in a worker: no frame of the page waits for it. One message is one request; events come
// back in portions, the answer at last.
import "./wasm_exec.js";

let ready;

/** Starts the module, once. */
async function start(module) {
  const go = new globalThis.Go(), instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance);
}

self.onmessage = async ({ data: { module, request } }) => {
  const text = new TextDecoder();
  const take = (side, bytes) => {
    const events = text.decode(bytes).trimEnd().split("\n").map((line) => JSON.parse(line));
    self.postMessage({ side, events });
  };
  try {
    await (ready ||= start(module));
    const answer = JSON.parse(globalThis.tarry(JSON.stringify(request), take));
    self.postMessage({ answer });
  } catch (e) {
    self.postMessage({ answer: { error: String(e?.message ?? e) } });
  }
};
