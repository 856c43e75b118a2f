// What is kept of what is over: attempts with the times in which they ran, and how many slots each pool held when. The
// state of a whole run tells what begins and ends (state.mjs). Gantt, shares, shuffle and findings look at this.

import { within } from "./entities.mjs";

/** Returns the history of a state before its first event. It shares jobs and nodes with the state. */
export const newPast = (state) => ({
  state, jobs: state.jobs, nodes: state.nodes, from: 0, end: 0, attempts: [], lost: [], slots: [0, 0], most: [0, 0],
  pools: new Set(), series: new Map(), limits: new Map(), sums: new Map(),
});

/** Records that a node joins; its slots replace those that it had, if it lives. */
export function joins(h, n, slots) {
  for (const k of [0, 1]) {
    h.slots[k] += slots[k] - (n.live ? n.slots[k] : 0);
    h.most[k] = Math.max(h.most[k], h.slots[k]);
  }
}

export function leaves(h, n, e) {
  if (n.live) for (const k of [0, 1]) h.slots[k] -= n.slots[k];
  h.lost.push(e);
}

export function ended(j, a, e) {
  Object.assign(a, { end: e.type, over: e.at, err: e.err || "", why: e.type === "killed" ? e.reason : null });
  Object.assign(a, { phases: e.phases || null, counters: e.counters || null });
  if (a.kind || e.type !== "succeeded") return;
  j.outputs.set(a.task, { node: a.node, at: e.at, bytes: e.bytes || 0, parts: e.output || null });
}

/** Records that a job moves to another pool, with the slots that it holds. */
export function moves(h, j, to, at) {
  for (const k of [0, 1].filter((k) => j.running[k])) {
    count(h, k, j.holder, at, -j.running[k]);
    count(h, k, to, at, j.running[k]);
  }
}

/** What an event says that a pool, queue or job should have and wants; of hfsp a job's slots in the virtual cluster. */
export function standing({ at, shares, virtual, min = [0, 0], max = [0, 0], demand = [0, 0] }) {
  return { at, fair: shares || virtual?.map((v) => v.slots || 0) || [0, 0], min, max, demand };
}

/** Records a job's share. Without pools, the share of a user is the sum of their jobs' shares. */
export function tell(h, j, now) {
  const none = { fair: [0, 0], demand: [0, 0] }, last = j.levels.at(-1) || none;
  j.levels.push(now);
  if (j.pool) return;
  const sum = h.sums.get(j.holder) || none, list = within(h.limits, j.holder, () => []);
  const more = (field) => sum[field].map((n, k) => Math.max(0, n + now[field][k] - last[field][k]));
  h.sums.set(j.holder, { fair: more("fair"), demand: more("demand") });
  if (list.at(-1)?.at === now.at) list.pop();
  list.push({ at: now.at, min: [0, 0], max: [0, 0], ...h.sums.get(j.holder) });
}

/** Records that an attempt gets a slot (by is 1) or frees it (-1), in the lists of times and counts of its job and of
 * the job's pool, or user without pools. */
export function hold(h, j, a, at, by) {
  if (by > 0) a.segments.push([at, -1, a.slot]);
  else a.segments.at(-1)[1] = at;
  count(h, a.kind, j.holder, at, by);
  for (const key of [ofJob(a.kind, j.id), "all"]) step(h, key, at, by);
}

function count(h, kind, pool, at, by) {
  h.pools.add(pool);
  step(h, `${kind} ${pool}`, at, by);
}

function step(h, key, at, by) {
  const steps = within(h.series, key, () => []);
  steps.push([at, (steps.at(-1)?.[1] ?? 0) + by]);
}

/** Returns the key of a job's slots in the series; the keys of pools begin with the kind. */
export const ofJob = (kind, id) => `job ${id} ${kind}`;

/** Forgets what had ended before a time. */
export function prune(h, from) {
  const lasts = (a) => a.end === "" || a.over >= from;
  const late = (list, at) => list.filter((_, i) => i + 1 === list.length || at(list[i + 1]) > from);
  h.from = from;
  h.attempts = h.attempts.filter(lasts);
  h.lost = h.lost.filter((e) => e.at >= from);
  h.state.ended = [];
  for (const [id, j] of h.jobs) {
    j.attempts = j.attempts.filter(lasts);
    j.virtuals = late(j.virtuals, (v) => v.at);
    j.levels = late(j.levels, (l) => l.at);
    if (j.finished < 0 || j.finished >= from || j.attempts.length) continue;
    h.jobs.delete(id);
    for (const k of [0, 1]) h.series.delete(ofJob(k, id));
  }
  for (const [key, list] of h.series) h.series.set(key, late(list, (step) => step[0]));
  for (const [key, list] of h.limits) h.limits.set(key, late(list, (step) => step.at));
}

/** Returns the first moment at which the largest number of attempts run. */
export function busiest(h) {
  const last = ([at], i, all) => all[i + 1]?.[0] !== at, steps = (h.series.get("all") || []).filter(last);
  return steps.reduce((most, one) => (one[1] > most[1] ? one : most), [h.from, 0])[0];
}

/** Returns how long an attempt ran, without the times in which it was suspended. */
export const ran = (a, now) => a.segments.reduce((sum, [from, to]) => sum + (to < 0 ? now : to) - from, 0);

/** Returns the mean of a step function in each of n equal parts of a time.
 * @param {[number, number][]} steps times and values */
export function sample(steps, from, to, n) {
  const out = new Float64Array(n), place = (at) => (n * (at - from)) / (to - from);
  if (!(to > from) || !steps) return out;
  steps.forEach(([at, value], i) => {
    const a = Math.max(0, place(at)), b = Math.min(n, place(steps[i + 1]?.[0] ?? to));
    if (value) for (let k = Math.floor(a); k < b; k++) out[k] += value * (Math.min(b, k + 1) - Math.max(a, k));
  });
  return out;
}

/** Returns minimum, quartiles and maximum of a list of numbers. */
export function quantiles(list) {
  const s = [...list].sort((a, b) => a - b);
  const at = (q) => {
    if (s.length === 0) return 0;
    const x = q * (s.length - 1), i = Math.floor(x);
    return s[i] + (x - i) * ((i + 1 < s.length ? s[i + 1] : s[i]) - s[i]);
  };
  return { least: at(0), low: at(0.25), median: at(0.5), high: at(0.75), most: at(1) };
}
