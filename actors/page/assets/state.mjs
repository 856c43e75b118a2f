// The one reducer: the state of the cluster that events lead to. The state of a whole run keeps a history, too. Nothing
// else reads events to know what is true, and nothing here knows a clock, a document or where events come from.

import { ended, hold, joins, leaves, moves, newPast, standing, tell } from "./history.mjs";
import { groupOf, jobOf, newState, nodeOf, within } from "./entities.mjs";
import { causeOf, isWait, letter, parseAttempt, underPolicy } from "./words.mjs";

/** How many decisions the state keeps for each job or node, and for the cluster. */
export const kept = 20, keptOfAll = 120;

/** Returns a history before the first event, with its state. */
export function newHistory() {
  const state = newState();
  return (state.past = newPast(state));
}

/** Applies an event to the state of a history and returns the history. */
export const record = (h, e) => Object.assign(h, { end: apply(h.state, e).now });
/** Reports whether an event is a decision, at which a step stops. */
export const isDecision = (e) => ["launched", "skipped", "killed", "suspended", "resumed", "victim"].includes(e.type);

/** Applies an event to a state and returns the state. */
export function apply(s, told) {
  const e = underPolicy(s.policy, told);
  s.now = Math.max(s.now, e.at || 0);
  handlers[e.type]?.(s, e, parseAttempt(e.attempt));
  if (s.past || !isDecision(e)) return s;
  s.recent = [...s.recent, e].slice(-keptOfAll);
  for (const of of [e.job && jobOf(s, e.job), e.node >= 0 && nodeAt(s, e)]) {
    if (of) of.decisions = [...of.decisions, e].slice(-kept);
  }
  return s;
}

const nodeAt = (s, e) => nodeOf(s, e.node, e.node_name);

const handlers = {
  began(s, e) { Object.assign(s, { began: e.began || {}, name: e.name || "", policy: e.policy || null }); },
  reconfigured(s, e) { Object.assign(s, { name: e.name || "", policy: e.policy || s.policy }); },
  joined(s, e) {
    const n = nodeAt(s, e), slots = e.slots || [0, 0];
    if (s.past) joins(s.past, n, slots);
    Object.assign(n, { name: e.node_name, rack: e.rack || "default", slots, live: true, state: "open" });
    for (const k of [0, 1]) while (n.cells[k].length < slots[k]) n.cells[k].push(null);
  },
  lost(s, e) {
    if (s.past) leaves(s.past, nodeAt(s, e), e);
    Object.assign(nodeAt(s, e), { live: false, waits: [null, null] });
  },
  cordoned(s, e) { Object.assign(nodeAt(s, e), { state: e.state || "open" }); },
  avoided(s, e) { if (!e.job) Object.assign(nodeAt(s, e), { state: "avoided" }); },
  admitted(s, e) { Object.assign(nodeAt(s, e), { state: "open" }); },
  submitted(s, e) {
    const j = Object.assign(jobOf(s, e.job), {
      name: e.name || "", user: e.user || "", pool: e.pool || "", priority: e.priority || "NORMAL", submitted: e.at,
      tasks: e.tasks || [0, 0], bytes: e.bytes || 0, places: e.places || null,
    });
    j.holder = j.pool || j.user;
    groupOf(s, j.pool).jobs++;
  },
  priority(s, e) { jobOf(s, e.job).priority = e.name; },
  pool(s, e) {
    const j = jobOf(s, e.job), from = groupOf(s, j.pool), to = groupOf(s, e.pool || "");
    from.jobs--;
    to.jobs++;
    for (const k of [0, 1]) {
      from.running[k] -= j.running[k];
      to.running[k] += j.running[k];
    }
    if (s.past) moves(s.past, j, e.pool || j.user, e.at);
    Object.assign(j, { pool: to.name, holder: to.name || j.user });
  },
  finished(s, e) {
    const j = jobOf(s, e.job), { state, at: finished, err = "", counters = null } = e;
    Object.assign(j, { state, finished, err, counters, skips: [null, null] });
    if (s.past && j.levels.length) tell(s.past, j, standing(e));
    groupOf(s, j.pool).jobs--;
    for (const k of [0, 1]) stopWaiting(s, j, k);
    s.ended.push(e.job);
    while (s.ended.length > s.most) s.jobs.delete(s.ended.shift());
  },
  /** What a server tells of events that are gone: see docs/server.md. */
  counts(s, e) {
    const of = e.job ? jobOf(s, e.job) : s;
    ["N", "R", "O", "A"].forEach((l, i) => { of.near[l] += e.near[i]; });
    if (e.job) {
      const done = of.done.map((n, k) => n + e.done[k]);
      Object.assign(of, { done, failed: of.failed + e.failed, killed: of.killed + e.killed, places: null });
    } else if (s.past) s.past.from = s.now; // what came before is only what is left of it
  },
  skipped(s, e) {
    const k = e.kind || 0, j = jobOf(s, e.job), near = isWait(causeOf(e));
    const wait = j.skips[k] = {
      job: e.job, kind: k, at: e.at, until: e.until > e.at ? e.until : 0, node: e.node, reason: e.reason || {},
      level: e.level || "", count: e.count || 1, center: e.placed?.center || "", larts: e.larts,
      first: j.skips[k]?.first || (near ? { at: e.at, node: e.node } : null),
    };
    if (e.node < 0 || !near) return;
    const n = nodeAt(s, e);
    s.wait = wait;
    if (n.waits[k]) return;
    n.waits[k] = wait;
    j.waitsOn[k].add(n.id);
  },
  shares(s, e) {
    const now = standing(e);
    if (e.job) {
      const j = Object.assign(jobOf(s, e.job), { shares: e.shares || null, virtual: e.virtual || null, told: true });
      if (s.past && e.virtual) j.virtuals.push({ at: e.at, of: e.virtual });
      if (s.past) tell(s.past, j, now);
      return;
    }
    if (s.past) within(s.past.limits, e.pool || "", () => []).push(now);
    Object.assign(groupOf(s, e.pool || ""), { ...now, shares: e.shares || [0, 0], told: true });
  },
  need(s, e) { groupOf(s, e.pool || "").need[e.kind || 0] = e.need; },
  launched(s, e, id) {
    if (!id) return;
    const j = jobOf(s, id.job);
    const a = {
      job: id.job, kind: id.kind, task: id.task, try: id.try, id: e.attempt, node: e.node, slot: e.slot || 0,
      start: e.at, locality: e.locality || "", reason: e.reason, placed: e.placed || null, suspended: false,
      progress: 0, waited: j.skips[id.kind]?.first || null, segments: [], end: "", over: -1, err: "", phases: null,
      why: null, counters: null,
    };
    clearWait(s, a.node, a.kind);
    stopWaiting(s, j, a.kind);
    j.skips[a.kind] = null;
    if (j.first < 0) j.first = e.at;
    if (a.kind === 0) {
      for (const of of [j, s]) of.near[letter(a)]++;
      j.begun.add(a.task);
    }
    s.attempts.set(a.id, a);
    if (s.past) for (const of of [s.past, j]) of.attempts.push(a);
    enter(s, a, e.at);
  },
  progress(s, e) { withAttempt(s, e, (a) => { a.progress = e.progress || 0; }); },
  suspended(s, e) {
    withAttempt(s, e, (a, n, j) => {
      leave(s, a, e.at);
      a.suspended = true;
      n.held.push(a);
      j.suspended++;
    });
  },
  resumed(s, e) {
    withAttempt(s, e, (a, n) => {
      n.held = n.held.filter((b) => b !== a);
      Object.assign(a, { suspended: false, slot: e.slot || a.slot });
      enter(s, a, e.at);
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

/** Makes a map that must run again count as not begun. */
function again(j, a) { if (a.kind === 0) j.begun.delete(a.task); }

/** Ends the waits of a job that has launched what it waited for. */
function stopWaiting(s, j, kind) {
  if (s.wait?.job === j.id && s.wait.kind === kind) s.wait = null;
  for (const node of j.waitsOn[kind]) clearWait(s, node, kind, j.id);
  j.waitsOn[kind].clear();
}

function clearWait(s, node, kind, job) {
  const n = s.nodes.get(node), wait = n?.waits[kind];
  if (wait && (job === undefined || wait.job === job)) n.waits[kind] = null;
}

/** Puts an attempt into its slot; without a number, into the first free one. */
function enter(s, a, at) {
  const cells = nodeOf(s, a.node).cells[a.kind];
  let i = a.slot - 1;
  if (i < 0 || cells[i]) i = cells.indexOf(null);
  if (i < 0) i = cells.length;
  while (cells.length <= i) cells.push(null);
  holds(s, a, at, 1);
  cells[i] = a;
  a.slot = i + 1;
}

function leave(s, a, at) {
  const cells = nodeOf(s, a.node).cells[a.kind];
  if (cells[a.slot - 1] === a) cells[a.slot - 1] = null;
  holds(s, a, at, -1);
}

/** Counts that an attempt gets a slot (by 1) or frees it (-1). */
function holds(s, a, at, by) {
  const j = jobOf(s, a.job);
  if (s.past) hold(s.past, j, a, at, by);
  for (const of of [j, groupOf(s, j.pool)]) of.running[a.kind] += by;
}

function withAttempt(s, e, f) {
  const a = s.attempts.get(e.attempt);
  if (a) f(a, nodeOf(s, a.node), jobOf(s, a.job));
}

function end(s, e, count) {
  withAttempt(s, e, (a, n, j) => {
    if (a.suspended) n.held = n.held.filter((b) => b !== a);
    else leave(s, a, e.at);
    if (s.past) ended(j, a, e);
    s.attempts.delete(e.attempt);
    count(j, a);
  });
}
