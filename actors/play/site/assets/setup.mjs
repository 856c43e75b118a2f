// What is chosen in the form, as the set-up that the module takes, and the other way round. A set-up
// stands in the fragment of the address, so that a link shares it.

import { fromBase64, through } from "./events.mjs";

const long = 1500;

/** The text of a set-up in a fragment: base64 of JSON, with letters that addresses take. A long one is
 * deflated first, and begins with a tilde. */
export async function packSetup(setup) {
  const plain = new TextEncoder().encode(JSON.stringify(setup));
  if (plain.length < long) return base64(plain);
  return `~${base64(new Uint8Array(await through(plain, new CompressionStream("deflate-raw")).arrayBuffer()))}`;
}

const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** The set-up of a fragment; null if it is none. */
export async function unpackSetup(fragment) {
  try {
    const bytes = fromBase64(fragment.replace(/^#?~?/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const text = /^#?~/.test(fragment) ? through(bytes, new DecompressionStream("deflate-raw")) : new Response(bytes);
    const setup = await text.json();
    const policies = setup && typeof setup === "object" && Array.isArray(setup.policies) ? setup.policies : [];
    return policies.length && policies.every((p) => p && typeof p === "object") ? setup : null;
  } catch {
    return null;
  }
}

/** The settings of one policy, as KEY=VALUE. */
export function settings(f) {
  const set = [];
  if (f.rule) set.push(`locality.rule=${f.rule}`);
  if (f.rule === "wait") set.push("locality.auto=false", `locality.waits=${f.w1}s/${f.w2}s`);
  if (f.rule === "skips") set.push("locality.auto=false", `locality.skips=${f.d}`);
  if (f.reduce) set.push(`reduce.rule=${f.reduce}`);
  if (f.preemption) set.push(`preemption.mode=${f.preemption}`);
  return set;
}

/** Weights of pools out of "a=2 b=1". */
export function weights(text) {
  const out = {};
  for (const one of text.split(/[\s,]+/).filter(Boolean)) {
    const [name, weight] = one.split("=");
    if (!name || !(+weight > 0)) throw new Error(`weights: ${one}: want POOL=WEIGHT`);
    out[name] = +weight;
  }
  return out;
}

/** What the module takes, of the form's set-up and one of its policies. */
export function request(setup, side) {
  const p = setup.policies[side];
  const out = {
    workload: setup.text || setup.workload, policy: p.text || p.preset, set: p.text ? [] : settings(p), weights: weights(p.weights || ""), seed: setup.seed,
  };
  if (!setup.text && setup.jobs) out.jobs = setup.jobs;
  if (setup.cluster) out.cluster = setup.cluster;
  else Object.assign(out, { nodes: setup.nodes, racks: setup.racks, flows: setup.flows });
  if (setup.heartbeats) out.heartbeats = true;
  if (!setup.cluster && setup.flows) Object.assign(out, { link: setup.link, over: setup.over });
  return out;
}
