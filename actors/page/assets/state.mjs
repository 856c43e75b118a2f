// The cluster at one moment: the state that events lead to, one after the other. The state of a whole run
// keeps a history, too: it is told there what begins and ends. Nothing else reads events to know what is
// true, and nothing here knows a clock, a document or where events come from.

import { began, ended, joins, leaves, moves, newPast, paused, push, resumes, standing, tell } from "./history.mjs";
import { groupOf, jobOf, newState, nodeOf } from "./entities.mjs";
import { parseAttempt, underPolicy } from "./words.mjs";

/** How many decisions are kept of a job or node, and of the cluster. */
export const kept = 20, keptOfAll = 120;

/** A history before the first event: what the state of a whole run keeps of what is over. */
export function newHistory() {
  const state = newState();
  return (state.past = newPast(state));
}

/** Adds an event to a history. */
export function record(h, e) {
  apply(h.state, e);
  h.end = h.state.now;
  return h;
}

/** What kinds of events are decisions: where a step stops. */
export const isDecision = (e) => ["launched", "skipped", "killed", "suspended", "resumed", "victim"].includes(e.type);

/** Lets one event happen. */
export function apply(s, told) {
  const e = underPolicy(s.policy, told);
  s.now = Math.max(s.now, e.at || 0);
  s.count++;
  const handle = handlers[e.type];
  if (handle) handle(s, e, parseAttempt(e.attempt));
  if (!s.past && isDecision(e)) {
    remember(s.recent, e, keptOfAll);
    if (e.job) remember(jobOf(s, e.job).decisions, e);
    if (e.node >= 0) remember(nodeOf(s, e.node, e.node_name).decisions, e);
  }
  return s;
}

function remember(list, e, most = kept) {
  list.push(e);
  if (list.length > most) list.shift();
}

const handlers = {
  began(s, e) {
    s.began = e.began || {};
    s.name = e.name || "";
    s.policy = e.policy || null;
  },
  reconfigured(s, e) {
    s.name = e.name || "";
    s.policy = e.policy || s.policy;
  },
  joined(s, e) {
    const n = nodeOf(s, e.node, e.node_name);
    if (s.past) joins(s.past, n, e.slots || [0, 0]);
    Object.assign(n, { name: e.node_name, rack: e.rack || "default", slots: e.slots || [0, 0], live: true, state: "open" });
    for (const k of [0, 1]) n.cells[k] = fit(n.cells[k], n.slots[k]);
    n.version++;
  },
  lost(s, e) {
    const n = nodeOf(s, e.node, e.node_name);
    if (s.past) leaves(s.past, n, e);
    n.live = false;
    n.waits = [null, null];
    n.version++;
  },
  cordoned(s, e) { mark(nodeOf(s, e.node, e.node_name), e.state); },
  avoided(s, e) { if (!e.job) mark(nodeOf(s, e.node, e.node_name), "avoided"); },
  admitted(s, e) { mark(nodeOf(s, e.node, e.node_name), "open"); },
  submitted(s, e) {
    const j = jobOf(s, e.job);
    Object.assign(j, {
      name: e.name || "", user: e.user || "", pool: e.pool || "", priority: e.priority || "NORMAL", tasks: e.tasks || [0, 0],
      bytes: e.bytes || 0, places: e.places || null, submitted: e.at,
    });
    j.holder = j.pool || j.user;
    groupOf(s, j.pool).jobs++;
  },
  priority(s, e) { jobOf(s, e.job).priority = e.name; },
  pool(s, e) {
    const j = jobOf(s, e.job);
    const from = groupOf(s, j.pool), to = groupOf(s, e.pool || "");
    from.jobs--;
    to.jobs++;
    for (const k of [0, 1]) {
      from.running[k] -= j.running[k];
      to.running[k] += j.running[k];
    }
    if (s.past) moves(s.past, j, e.pool || j.user, e.at);
    j.pool = e.pool || "";
    j.holder = j.pool || j.user;
  },
  finished(s, e) {
    const j = jobOf(s, e.job);
    Object.assign(j, { state: e.state, finished: e.at, err: e.err || "", counters: e.counters || null, skips: [null, null] });
    if (s.past && j.levels.length) tell(s.past, j, standing(e));
    groupOf(s, j.pool).jobs--;
    for (const k of [0, 1]) stopWaiting(s, j, k);
    s.ended.push(e.job);
    while (s.ended.length > s.most) s.jobs.delete(s.ended.shift());
  },
  /** What a server tells of events that are gone: see docs/server.md. */
  counts(s, e) {
    if (!e.job) {
      ["N", "R", "O", "A"].forEach((l, i) => { s.near[l] += e.near[i]; });
      if (s.past) s.past.from = s.now; // what came before is only what is left of it
      return;
    }
    const j = jobOf(s, e.job);
    Object.assign(j, { done: j.done.map((n, k) => n + e.done[k]), failed: j.failed + e.failed, killed: j.killed + e.killed, places: null });
    ["N", "R", "O", "A"].forEach((l, i) => { j.near[l] += e.near[i]; });
  },
  skipped: skip,
  shares(s, e) {
    if (e.job) {
      const j = Object.assign(jobOf(s, e.job), { shares: e.shares || null, virtual: e.virtual || null, told: true });
      if (s.past && e.virtual) j.virtuals.push({ at: e.at, of: e.virtual });
      if (s.past) tell(s.past, j, standing(e));
      return;
    }
    if (s.past) push(s.past.limits, e.pool || "", standing(e));
    const g = groupOf(s, e.pool || "");
    Object.assign(g, { shares: e.shares || [0, 0], demand: e.demand || [0, 0], min: e.min || [0, 0], max: e.max || [0, 0] });
    g.told = true;
  },
  need(s, e) { groupOf(s, e.pool || "").need[e.kind || 0] = e.need; },
  launched: launch,
  progress(s, e) { withAttempt(s, e, (a) => { a.progress = e.progress || 0; }); },
  suspended(s, e) {
    withAttempt(s, e, (a) => {
      if (s.past) paused(s.past, jobOf(s, a.job), a, e.at);
      leave(s, a);
      a.suspended = true;
      nodeOf(s, a.node).held.push(a);
      jobOf(s, a.job).suspended++;
    });
  },
  resumed(s, e) {
    withAttempt(s, e, (a) => {
      const n = nodeOf(s, a.node);
      n.held = n.held.filter((b) => b !== a);
      a.suspended = false;
      if (s.past) resumes(s.past, jobOf(s, a.job), a, e);
      a.slot = e.slot || 0;
      enter(s, a);
    });
  },
  succeeded(s, e) { end(s, e, (j, a) => { j.done[a.kind]++; }); },
  failed(s, e) { end(s, e, (j, a) => { j.failed++; again(j, a); }); },
  killed(s, e) { end(s, e, (j, a) => { j.killed++; again(j, a); }); },
  "output-lost"(s, e, id) {
    if (!id) return;
    jobOf(s, id.job).done[id.kind]--;
    again(jobOf(s, id.job), id);
  },
};

/** A map that has to run again waits for its data again. */
function again(j, a) { if (a.kind === 0) j.begun.delete(a.task); }

const mark = (n, state) => Object.assign(n, { state: state || "open", version: n.version + 1 });

function fit(cells, slots) { return [...cells, ...Array(Math.max(0, slots - cells.length)).fill(null)]; }

function skip(s, e) {
  const k = e.kind || 0;
  const j = jobOf(s, e.job);
  const left = e.until > e.at ? e.until : 0;
  const near = /^waiting for|has its part/.test((e.reason || {}).cause || ""), first = (j.skips[k] && j.skips[k].first) || (near ? { at: e.at, node: e.node } : null);
  const wait = { first, job: e.job, kind: k, at: e.at, until: left, node: e.node, reason: e.reason || {}, level: e.level || "", count: e.count || 1, center: e.placed ? e.placed.center || "" : "", larts: e.larts };
  j.skips[k] = wait;
  if (e.node < 0) return;
  const n = nodeOf(s, e.node, e.node_name);
  if (near && n.waits[k] === null) {
    n.waits[k] = wait;
    j.waitsOn[k].add(n.id);
    n.version++;
  }
  if (near) s.wait = wait;
}

/** A job that has launched what it waited for leaves no slot waiting. */
function stopWaiting(s, j, kind) {
  if (s.wait && s.wait.job === j.id && s.wait.kind === kind) s.wait = null;
  for (const node of j.waitsOn[kind]) clearWait(s, node, kind, j.id);
  j.waitsOn[kind].clear();
}

function launch(s, e, id) {
  if (!id) return;
  const a = {
    job: id.job, kind: id.kind, task: id.task, try: id.try, id: e.attempt, node: e.node, slot: e.slot || 0, start: e.at, locality: e.locality || "", reason: e.reason,
    placed: e.placed || null, suspended: false, progress: 0, waited: null,
  };
  const j = jobOf(s, a.job);
  clearWait(s, a.node, a.kind);
  stopWaiting(s, j, a.kind);
  a.waited = j.skips[a.kind] ? j.skips[a.kind].first : null;
  j.skips[a.kind] = null;
  if (j.first < 0) j.first = e.at;
  if (a.kind === 0) {
    const near = { "node-local": "N", "rack-local": "R", "any-place": "A" }[a.locality] || "O";
    j.near[near]++;
    s.near[near]++;
    j.begun.add(a.task);
  }
  s.attempts.set(a.id, a);
  if (s.past) began(s.past, j, a);
  enter(s, a);
}

function clearWait(s, node, kind, job) {
  const n = s.nodes.get(node);
  if (n && n.waits[kind] && (job === undefined || n.waits[kind].job === job)) {
    n.waits[kind] = null;
    n.version++;
  }
}

/** Puts an attempt into its slot, or into the first that is free where none is told. */
function enter(s, a) {
  const n = nodeOf(s, a.node);
  const cells = n.cells[a.kind];
  let at = a.slot - 1;
  if (at < 0 || cells[at]) {
    at = cells.indexOf(null);
    if (at < 0) at = cells.length;
  }
  while (cells.length <= at) cells.push(null);
  cells[at] = a;
  a.slot = at + 1;
  n.version++;
  const j = jobOf(s, a.job);
  j.running[a.kind]++;
  groupOf(s, j.pool).running[a.kind]++;
}

function leave(s, a) {
  const n = nodeOf(s, a.node);
  if (n.cells[a.kind][a.slot - 1] === a) n.cells[a.kind][a.slot - 1] = null;
  n.version++;
  const j = jobOf(s, a.job);
  j.running[a.kind]--;
  groupOf(s, j.pool).running[a.kind]--;
}

function withAttempt(s, e, f) {
  const a = s.attempts.get(e.attempt);
  if (!a) return;
  f(a);
  nodeOf(s, a.node).version++;
}

function end(s, e, count) {
  withAttempt(s, e, (a) => {
    const j = jobOf(s, a.job), n = nodeOf(s, a.node);
    if (s.past) ended(s.past, j, a, e);
    if (a.suspended) n.held = n.held.filter((b) => b !== a);
    else leave(s, a);
    s.attempts.delete(e.attempt);
    count(j, a);
  });
}
