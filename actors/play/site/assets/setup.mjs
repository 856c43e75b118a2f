// What is chosen in the form, as the set-up that the module takes, and the other way round. A set-up
// stands in the fragment of the address, so that a link shares it.

import { fromBase64, through } from "./events.mjs";

/** Packs a set-up for the address: a tilde, then its JSON, deflated, in base64 for URLs. */
export async function packSetup(setup) {
  const packed = await through(JSON.stringify(setup), new CompressionStream("deflate-raw")).arrayBuffer();
  return `~${base64(new Uint8Array(packed))}`;
}

const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Unpacks a set-up from the address; null if there is none. */
export async function unpackSetup(fragment) {
  try {
    const bytes = fromBase64(fragment.replace(/^#?~/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const setup = await through(bytes, new DecompressionStream("deflate-raw")).json();
    return setup.policies.length && setup.policies.every((p) => p && typeof p === "object") ? setup : null;
  } catch {
    return null;
  }
}

/** Returns the settings of a policy's fields as KEY=VALUE. */
function settings({ rule, w1, w2, d, reduce, preemption }) {
  const fixed = { wait: `locality.waits=${w1}s/${w2}s`, skips: `locality.skips=${d}` }[rule];
  return [
    rule && `locality.rule=${rule}`, fixed && "locality.auto=false", fixed,
    reduce && `reduce.rule=${reduce}`, preemption && `preemption.mode=${preemption}`,
  ].filter(Boolean);
}

/** Parses the weights of pools, such as "a=2 b=1". */
const weights = (text) => Object.fromEntries(text.split(/[\s,]+/).filter(Boolean).map((one) => {
  const [name, weight] = one.split("=");
  if (!name || !(+weight > 0)) throw new Error(`weights: ${one}: want POOL=WEIGHT`);
  return [name, +weight];
}));

/** Returns the module's set-up for one policy of the form's set-up. */
export function request(setup, side) {
  const { text, workload, jobs, cluster, nodes, racks, seed, heartbeats, flows, link, over } = setup;
  const p = setup.policies[side];
  return {
    workload: text || workload, policy: p.text || p.preset, set: p.text ? [] : settings(p),
    weights: weights(p.weights || ""), seed, ...(!text && jobs && { jobs }), ...(heartbeats && { heartbeats: true }),
    ...(cluster ? { cluster } : { nodes, racks, flows, ...(flows && { link, over }) }),
  };
}

/** Returns the workload file that the form's fields describe; an empty field means its default. */
export function madeWorkload(form) {
  const places = form.querySelector("#made-places").value, shared = places === "shared";
  const number = (f) => [f.id.replace("made-", ""), +(f.value || f.defaultValue)];
  const m = Object.fromEntries([...form.querySelectorAll("input")].map(number));
  const job = [
    "name: job", `count: ${m.count}`, m.gap > 0 && `gap: exponential ${m.gap}s`, `maps: ${m.maps}`,
    `map_time: ${m.time}s`, `spread: ${m.spread}`, "user: ann",
    m.reduces > 0 && `reduces: ${m.reduces}`, m.reduces > 0 && `shuffle_ratio: ${m.ratio}`,
    m.reduces > 0 && m.skew > 0 && `skew: {shares: ${m.skew}}`,
    shared && "file: input", places === "none" && "no_location: true",
  ].filter(Boolean).join("\n    ");
  const file = shared ? `files:\n  - {name: input, blocks: ${m.maps}, replicas: ${m.replicas}}\n` : "";
  return `name: mine\nblock: ${m.block}MiB\n${file}jobs:\n  - ${job}\n`;
}
