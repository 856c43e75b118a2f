// Where in the run the page stands. Forward it lets the next events happen; backward it begins at the last snapshot, a
// copy of the state at an event. Of a run without end it keeps the last events, and the state before them.

import { apply, isDecision, newHistory, record } from "./state.mjs";
import { newState } from "./entities.mjs";
import { prune } from "./history.mjs";

/** Returns a player of a list of events that may grow. It keeps at most `most` events, of `maxText` characters. */
export const newPlayer = () => ({
  ...empty(newState()), playing: false, follow: false, live: false, speed: 1, until: 0,
  most: Infinity, maxText: Infinity,
});

/** What a player has before the first event. There are at most eight snapshots, further apart the longer the run is,
 * and one more near where the page went back to. */
const empty = (state) => ({
  events: [], at: 0, time: 0, text: 0, state, history: newHistory(), base: null,
  snapshots: { list: [], gap: 1000, near: null },
});

const maxSnapshots = 8, near = 500;
/** Returns a state before the first event, with the same limit of ended jobs as another. */
const stateLike = ({ most }) => Object.assign(newState(), { most });

/** Empties the player, as before the first event. Its limits of jobs and events stay. */
export function reset(p) { Object.assign(p, empty(stateLike(p.state))); }

/** Goes back to the state after `to` events: from the nearest snapshot before it, or the first kept event, on. It
 * takes a snapshot on the way, near the end, for the next steps back. */
function rewind(p, to) {
  const { most } = p.state, all = [...p.snapshots.list, p.snapshots.near].filter((one) => one && one.at <= to);
  const from = all.sort((a, b) => b.at - a.at)[0] || { at: 0, state: p.base };
  p.state = from.state ? Object.assign(copy(from.state), { most }) : stateLike(p.state);
  for (p.at = from.at; p.at < to;) {
    apply(p.state, p.events[p.at++]);
    if (to - p.at === near) p.snapshots.near = { at: p.at, state: copy(p.state) };
  }
}

/** Applies the next event, takes a snapshot if one is due, and returns the event. */
function happen(p) {
  const e = p.events[p.at++], s = p.snapshots;
  apply(p.state, e);
  if (p.at - (s.list.at(-1)?.at ?? 0) >= s.gap) s.list.push({ at: p.at, state: copy(p.state) });
  if (s.list.length > maxSnapshots) Object.assign(s, { gap: 2 * s.gap, list: s.list.filter((_, i) => i % 2 === 1) });
  return e;
}

/** Appends events; text is the number of their characters. */
export function add(p, events, text = 0) {
  for (const e of events) {
    p.events.push(e);
    record(p.history, e);
  }
  p.text += text;
  if (p.events.length > p.most || p.text > p.maxText) forget(p, Math.ceil(p.events.length / 2));
  if (p.follow) seek(p, p.history.end);
}

/** Drops the first `count` events; their effect stays in the state before the kept ones. */
function forget(p, count) {
  const { list } = p.snapshots;
  p.base ||= stateLike(p.state);
  for (let i = 0; i < count; i++) apply(p.base, p.events[i]);
  p.text *= 1 - count / p.events.length;
  p.events = p.events.slice(count);
  prune(p.history, p.base.now);
  p.snapshots.list = list.map((one) => ({ ...one, at: one.at - count })).filter((one) => one.at > 0);
  p.snapshots.near = null;
  if (p.at >= count) p.at -= count;
  else rewind(p, 0);
  p.time = Math.max(p.time, p.base.now);
}

/** Moves to a time, after all its events. */
export function seek(p, time) {
  const back = time < p.time;
  p.time = Math.max(p.history.from, Math.min(time, endOf(p)));
  const next = back ? p.events.findIndex((e) => e.at > p.time) : 0;
  if (back) rewind(p, next < 0 ? p.events.length : next);
  while (p.at < p.events.length && p.events[p.at].at <= p.time) happen(p);
  p.state.now = p.time;
}

/** Applies the events of the next heartbeat with a decision: all of its time and node. */
export function beat(p) {
  const first = step(p), same = (e) => e?.at === first.at && (e.node === first.node || e.node < 0);
  while (first && same(p.events[p.at])) happen(p);
  return first;
}

/** Applies the events up to the next decision and returns it, or null. */
export function step(p) {
  while (p.at < p.events.length) {
    const e = happen(p);
    p.time = Math.max(p.time, e.at);
    if (isDecision(e)) return e;
  }
  return null;
}

/** Goes back by one decision. */
export function stepBack(p) {
  let found = 0, i = p.at;
  while (i > 0 && found < 2) if (isDecision(p.events[--i])) found++;
  const to = found === 2 ? i + 1 : 0;
  rewind(p, to);
  p.state.now = p.time = to > 0 ? p.events[to - 1].at : p.history.from;
}

/** Returns the end of a run, or of the run beside it if that is later. */
export const endOf = (p) => Math.max(p.history.end, p.until);

/** What events brought is never changed: copies have it, too. Lists of events are made anew when they change. */
const brought = new Set(["places", "policy", "began", "reason", "placed", "recent", "decisions"]);

/** A copy of a state that shares nothing that changes; what is one thing in two places stays one. */
function copy(value, seen = new Map()) {
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  const list = Array.isArray(value), map = value instanceof Map, set = value instanceof Set;
  /** @type {any} */
  const out = list ? [] : map ? new Map() : set ? new Set(value) : {}; // sets are of numbers
  seen.set(value, out);
  if (list) for (const x of value) out.push(copy(x, seen));
  else if (map) for (const [k, x] of value) out.set(k, copy(x, seen));
  else if (!set) for (const k in value) out[k] = brought.has(k) ? value[k] : copy(value[k], seen);
  return out;
}
