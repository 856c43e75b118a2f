// What has happened so far, all of it: attempts with the times in which they ran, jobs, and how many
// slots each pool held when. Gantt, shares, shuffle and findings look at this.

import { parseAttempt } from "./words.mjs";

/** A history before the first event. */
export function newHistory() {
  return {
    from: 0, end: 0, attempts: [], open: new Map(), jobs: new Map(), nodes: new Map(), pools: new Map(), series: new Map(),
    limits: new Map(), sums: new Map(), slots: [0, 0], most: [0, 0], problems: [],
  };
}

/** Adds an event. */
export function record(h, e) {
  h.end = Math.max(h.end, e.at || 0);
  const id = parseAttempt(e.attempt);
  switch (e.type) {
    case "joined": {
      const before = h.nodes.get(e.node);
      const slots = e.slots || [0, 0];
      for (const k of [0, 1]) {
        h.slots[k] += slots[k] - (before && before.live ? before.slots[k] : 0);
        h.most[k] = Math.max(h.most[k], h.slots[k]);
      }
      h.nodes.set(e.node, { id: e.node, name: e.node_name, rack: e.rack || "default", slots, live: true });
      break;
    }
    case "lost": {
      const n = h.nodes.get(e.node);
      if (n && n.live) {
        n.live = false;
        for (const k of [0, 1]) h.slots[k] -= n.slots[k];
      }
      h.problems.push(e);
      break;
    }
    case "counts":
      with_(h.jobs.get(e.job), (j) => { ["N", "R", "O", "A"].forEach((l, i) => { j.near[l] += e.near[i]; }); });
      if (!e.job) h.from = h.end; // what came before is only what is left of it
      break;
    case "submitted":
      h.jobs.set(e.job, {
        id: e.job, name: e.name || "", pool: e.pool || "", holder: e.pool || e.user || "", user: e.user || "", tasks: e.tasks || [0, 0], bytes: e.bytes || 0,
        submitted: e.at, first: -1, finished: -1, state: "running", attempts: [], outputs: new Map(), near: { N: 0, R: 0, O: 0, A: 0 },
        counters: null, err: "", virtual: [], told: [],
      });
      break;
    case "finished":
      with_(h.jobs.get(e.job), (j) => {
        Object.assign(j, { finished: e.at, state: e.state, err: e.err || "", counters: e.counters || null });
        if (j.told.length) tell(h, j, standing(e));
      });
      break;
    case "launched": begin(h, e, id); break;
    case "suspended": with_(h.open.get(e.attempt), (a) => { pause(h, a, e.at); a.suspended = true; }); break;
    case "resumed": with_(h.open.get(e.attempt), (a) => { a.suspended = false; a.slot = e.slot || a.slot; a.segments.push([e.at, -1, a.slot]); hold(h, a, e.at, 1); }); break;
    case "succeeded": case "failed": case "killed": finish(h, e); break;
    case "shares":
      if (!e.job) push(h.limits, e.pool || "", standing(e));
      else {
        with_(h.jobs.get(e.job), (j) => {
          if (e.virtual) j.virtual.push({ at: e.at, of: e.virtual });
          tell(h, j, standing(e));
        });
      }
      break;
    case "pool": move(h, e); break;
    default:
  }
  return h;
}

/** Forgets what was over before a time. */
export function prune(h, from) {
  const lasts = (a) => a.end === "" || a.segments[a.segments.length - 1][1] >= from;
  const late = (list, at) => {
    let i = 0;
    while (i + 1 < list.length && at(list[i + 1]) <= from) i++;
    return i ? list.slice(i) : list;
  };
  h.from = from;
  h.attempts = h.attempts.filter(lasts);
  h.problems = h.problems.filter((e) => e.at >= from);
  for (const [id, j] of h.jobs) {
    if (j.finished >= 0 && j.finished < from) {
      h.jobs.delete(id);
      for (const k of [0, 1]) h.series.delete(ofJob(k, id));
    }
    j.attempts = j.attempts.filter(lasts);
    j.virtual = late(j.virtual, (v) => v.at);
    j.told = late(j.told, (l) => l.at);
  }
  for (const [key, list] of h.series) h.series.set(key, late(list, (step) => step[0]));
  for (const [key, list] of h.limits) h.limits.set(key, late(list, (step) => step.at));
}

/** What an event says that a pool, queue or job should have and wants; of hfsp the slots that a job has in the virtual cluster. */
function standing(e) {
  const fair = e.shares || (e.virtual ? e.virtual.map((v) => v.slots || 0) : [0, 0]);
  return { at: e.at, fair, min: e.min || [0, 0], max: e.max || [0, 0], demand: e.demand || [0, 0] };
}

/** Keeps what a job was told; where there are no pools a user has what all of their jobs have. */
function tell(h, j, now) {
  const last = j.told.length ? j.told[j.told.length - 1] : { fair: [0, 0], demand: [0, 0] };
  j.told.push(now);
  if (j.pool) return;
  const sum = h.sums.get(j.holder) || { fair: [0, 0], demand: [0, 0] };
  const more = (field) => sum[field].map((n, k) => Math.max(0, n + now[field][k] - last[field][k]));
  h.sums.set(j.holder, { fair: more("fair"), demand: more("demand") });
  const list = h.limits.get(j.holder), next = { at: now.at, min: [0, 0], max: [0, 0], ...h.sums.get(j.holder) };
  if (list && list[list.length - 1].at === now.at) list[list.length - 1] = next;
  else push(h.limits, j.holder, next);
}

function with_(x, f) { if (x) f(x); }

function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function begin(h, e, id) {
  if (!id) return;
  const a = {
    job: id.job, kind: id.kind, task: id.task, try: id.try, id: e.attempt, node: e.node, slot: e.slot || 0, locality: e.locality || "", placed: e.placed || null, reason: e.reason,
    segments: [[e.at, -1, e.slot || 0]], end: "", over: -1, suspended: false, phases: null, err: "", why: null, counters: null,
  };
  h.attempts.push(a);
  h.open.set(a.id, a);
  with_(h.jobs.get(a.job), (j) => {
    j.attempts.push(a);
    if (j.first < 0) j.first = e.at;
    if (a.kind === 0) j.near[{ "node-local": "N", "rack-local": "R", "any-place": "A" }[a.locality] || "O"]++;
  });
  hold(h, a, e.at, 1);
}

/** Counts slots held by a pool, or by a user where there are no pools, as a list of times and numbers. */
function hold(h, a, at, by) {
  const j = h.jobs.get(a.job);
  change(h, j ? j.holder : "", a.kind, at, by);
  const key = ofJob(a.kind, a.job), steps = h.series.get(key);
  push(h.series, key, [at, (steps ? steps[steps.length - 1][1] : 0) + by]);
}

/** The key of the slots that a job held, in the series; those of pools begin with the kind. */
export function ofJob(kind, id) { return `job ${id} ${kind}`; }

function change(h, pool, kind, at, by) {
  const held = h.pools.get(pool) || [0, 0];
  h.pools.set(pool, held);
  held[kind] += by;
  push(h.series, `${kind} ${pool}`, [at, held[kind]]);
}

function pause(h, a, at) {
  const last = a.segments[a.segments.length - 1];
  if (last[1] < 0) {
    last[1] = at;
    hold(h, a, at, -1);
  }
}

function finish(h, e) {
  const a = h.open.get(e.attempt);
  if (!a) return;
  pause(h, a, e.at);
  h.open.delete(e.attempt);
  Object.assign(a, { end: e.type, over: e.at, phases: e.phases || null, err: e.err || "", why: e.type === "killed" ? e.reason : null, counters: e.counters || null });
  if (e.type === "failed") h.problems.push(e);
  if (a.kind === 0 && e.type === "succeeded") {
    with_(h.jobs.get(a.job), (j) => j.outputs.set(a.task, { node: a.node, at: e.at, bytes: e.bytes || 0, parts: e.output || null }));
  }
}

/** Moves a job, with what it runs, to another pool. */
function move(h, e) {
  const j = h.jobs.get(e.job);
  if (!j) return;
  const running = [0, 0];
  for (const a of j.attempts) if (!a.end && !a.suspended) running[a.kind]++;
  for (const k of [0, 1]) {
    if (!running[k]) continue;
    change(h, j.holder, k, e.at, -running[k]);
    change(h, e.pool || j.user, k, e.at, running[k]);
  }
  j.pool = e.pool || "";
  j.holder = j.pool || j.user;
}

/** How long an attempt ran, without the times in which it was suspended. */
export function ran(a, now) {
  return a.segments.reduce((sum, [from, to]) => sum + (to < 0 ? now : to) - from, 0);
}

/**
 * The mean of a step function in each of n equal parts of a time.
 * @param {[number, number][]} steps times and values
 */
export function sample(steps, from, to, n) {
  const out = new Float64Array(n);
  const width = (to - from) / n;
  if (!(width > 0) || !steps) return out;
  for (let i = 0; i < steps.length; i++) {
    const value = steps[i][1];
    if (!value) continue;
    let a = Math.max(steps[i][0], from);
    const b = Math.min(i + 1 < steps.length ? steps[i + 1][0] : to, to);
    while (a < b) {
      const part = Math.min(n - 1, Math.floor((a - from) / width));
      const edge = Math.min(b, Math.max(from + (part + 1) * width, a + width * 1e-6));
      out[part] += (value * (edge - a)) / width;
      a = edge;
    }
  }
  return out;
}

/** Least, quartiles and most of a list of numbers. */
export function quantiles(list) {
  const s = [...list].sort((a, b) => a - b);
  const at = (q) => {
    if (s.length === 0) return 0;
    const x = q * (s.length - 1), i = Math.floor(x);
    return s[i] + (x - i) * ((i + 1 < s.length ? s[i + 1] : s[i]) - s[i]);
  };
  return { least: at(0), low: at(0.25), median: at(0.5), high: at(0.75), most: at(1) };
}
