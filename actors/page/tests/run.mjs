// Small runs for the tests, with events for each screen.

import { within } from "../assets/entities.mjs";

export const s = 1e9;

/** @type {any} */ (Map).groupBy ??= (list, key) => { // Node 20 lacks what all browsers have
  const groups = new Map();
  for (const one of list) within(groups, key(one), () => []).push(one);
  return groups;
};

const attempt = (job, kind, task, n = 0) => `job_${String(job).padStart(4, "0")}_${kind}_${String(task).padStart(6, "0")}_${n}`;

export const hostile = `</script><img src=x onerror=alert(1)>"'&\``;

/** Returns events of two racks of two nodes: job 1 waits for node a, its reduce starts near its center of gravity, and
 * the names of job 2 are HTML. */
export function run() {
  const nodes = ["a", "b", "c", "d"].map((name, i) => ({ at: 0, type: "joined", node: i, node_name: name, rack: i < 2 ? "r0" : "r1", slots: [2, 1] }));
  const at = (node) => ({ node, node_name: "abcd"[node] });
  return [
    { at: 0, type: "began", node: -1, name: "hfs", began: { schema: 2, seed: 1, nodes: 4, racks: 2, wall: "2026-01-02T03:04:05Z" }, policy: { Name: "hfs", Order: "pools", Locality: { Rule: 2 }, Pools: { Pools: [{ Name: "p", Mode: 2 }] } } },
    ...nodes,
    { at: 0, type: "submitted", node: -1, job: 1, name: "count", user: "ann", pool: "p", tasks: [3, 1], priority: "HIGH", bytes: 3000, places: { each: 1, nodes: [0, 0, 1] } },
    { at: 0, type: "shares", node: -1, pool: "p", shares: [4, 1], demand: [3, 0], min: [1, 0], max: [6, -1] },
    { at: 1 * s, type: "launched", ...at(0), job: 1, attempt: attempt(1, "m", 0), locality: "node-local", slot: 1, reason: { cause: "local to its data" } },
    { at: 1 * s, type: "skipped", ...at(2), job: 1, reason: { cause: "waiting for locality", wait: 0.5 * s }, until: 3 * s, level: "node-local", count: 1 },
    { at: 2 * s, type: "submitted", node: -1, job: 2, name: hostile, user: hostile, pool: hostile, tasks: [1, 1], priority: "NORMAL" },
    { at: 2 * s, type: "launched", ...at(3), job: 2, attempt: attempt(2, "m", 0), locality: "any-place", slot: 2, reason: { cause: "no location information" } },
    { at: 3 * s, type: "launched", ...at(2), job: 1, attempt: attempt(1, "m", 1), locality: "off-rack", slot: 1, reason: { cause: "waited for locality", wait: 2 * s } },
    { at: 3 * s, type: "launched", ...at(1), job: 1, attempt: attempt(1, "m", 2), locality: "node-local", slot: 1, reason: { cause: "local to its data" } },
    { at: 4 * s, type: "succeeded", ...at(0), job: 1, attempt: attempt(1, "m", 0), bytes: 100, output: [100] },
    { at: 5 * s, type: "failed", ...at(2), job: 1, attempt: attempt(1, "m", 1), err: hostile },
    { at: 5 * s, type: "launched", ...at(0), job: 1, attempt: attempt(1, "m", 1, 1), locality: "node-local", slot: 1, reason: { cause: "local to its data" } },
    { at: 6 * s, type: "succeeded", ...at(1), job: 1, attempt: attempt(1, "m", 2), bytes: 10, output: [10] },
    { at: 6 * s, type: "succeeded", ...at(0), job: 1, attempt: attempt(1, "m", 1, 1), bytes: 50, output: [50] },
    { at: 7 * s, type: "launched", ...at(1), job: 1, kind: 1, attempt: attempt(1, "r", 0), slot: 1, reason: { cause: "center of gravity" }, placed: { center: "a", at_center: 100, here: 102, best: 100, mean: 400, candidates: [{ node: "a", cost: 100 }, { node: "b", cost: 102 }] } },
    { at: 8 * s, type: "suspended", ...at(1), job: 1, kind: 1, attempt: attempt(1, "r", 0), reason: { cause: "a smaller job needs the slot" } },
    { at: 9 * s, type: "resumed", ...at(1), job: 1, kind: 1, attempt: attempt(1, "r", 0), slot: 1, held: 1 * s },
    { at: 10 * s, type: "succeeded", ...at(1), job: 1, kind: 1, attempt: attempt(1, "r", 0), held: 1 * s },
    { at: 10 * s, type: "finished", node: -1, job: 1, state: "succeeded" },
    { at: 11 * s, type: "lost", ...at(3) },
    { at: 11 * s, type: "killed", ...at(3), job: 2, attempt: attempt(2, "m", 0), reason: { cause: "node lost" } },
    { at: 12 * s, type: "finished", node: -1, job: 2, state: "killed", err: hostile },
  ];
}

/** Returns the events of a job whose reduce starts on node b, in the rack of the first map's output. The last map moves the center to the other rack. */
export function moving() {
  const on = (node, kind, task) => ({ node, node_name: "abcd"[node], job: 1, attempt: attempt(1, kind, task) });
  const map = (i, node, at, parts) => [{ at: s, type: "launched", ...on(node, "m", i), locality: "node-local" }, { at: at * s, type: "succeeded", ...on(node, "m", i), bytes: 1, output: parts }];
  return [
    ...run().filter((e) => ["began", "joined", "submitted"].includes(e.type) && e.job !== 2),
    ...[...map(0, 0, 2, [100]), ...map(1, 2, 5, [65]), ...map(2, 3, 6, [70]),
      { at: 3 * s, type: "launched", ...on(1, "r", 0), kind: 1, placed: { center: "a", at_center: 0, here: 200 } },
      { at: 8 * s, type: "succeeded", ...on(1, "r", 0), kind: 1 },
      { at: 8 * s, type: "finished", node: -1, job: 1, state: "succeeded" }].sort((x, y) => x.at - y.at),
  ];
}
