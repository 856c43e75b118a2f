// Where in the run the page stands. Forward it lets the next events happen; backward it begins at the
// last snapshot before. Of a run without end it keeps the last events, and the state before them.

import { apply, isDecision, newHistory, record } from "./state.mjs";
import { newState } from "./entities.mjs";
import { prune } from "./history.mjs";
import { before, copy, keep, keepNear, newSnapshots, shift } from "./snapshots.mjs";

/** A player of a list of events that may grow. */
export const newPlayer = () => ({ ...empty(), playing: false, follow: false, live: false, speed: 1, until: 0, most: Infinity, maxText: Infinity });

/** What a player has before the first event. */
const empty = () => ({ events: [], at: 0, time: 0, state: newState(), history: newHistory(), base: null, snapshots: newSnapshots(), text: 0 });

/** Bounds what a player keeps: so many events, of so much text, and so many jobs that have ended. */
export function bound(p, events, text, jobs) {
  Object.assign(p, { most: events, maxText: text });
  p.state.most = jobs;
}

/** Forgets all, as if nothing had come yet; bounds stay. */
export function reset(p) {
  const { most } = p.state;
  Object.assign(p, empty());
  p.state.most = most;
}

/** The state before the first event that is kept, or a snapshot of a later one, and on to an event. */
function rewind(p, to) {
  const { most } = p.state, from = before(p.snapshots, to);
  p.state = from ? copy(from.state) : p.base ? copy(p.base) : newState();
  p.state.most = most;
  p.at = from ? from.at : 0;
  while (p.at < to) {
    apply(p.state, p.events[p.at++]);
    keepNear(p.snapshots, p.state, p.at, to);
  }
}

/** Lets the next event happen, and gives it. */
function happen(p) {
  const e = p.events[p.at++];
  apply(p.state, e);
  keep(p.snapshots, p.state, p.at);
  return e;
}

/** Takes more events in, at the end; text is how long they were. */
export function add(p, events, text = 0) {
  for (const e of events) {
    p.events.push(e);
    record(p.history, e);
  }
  p.text += text;
  if (p.events.length > p.most || p.text > p.maxText) forget(p, Math.ceil(p.events.length / 2));
  if (p.follow) seek(p, p.history.end);
}

/** Lets the first events become part of the state before those that are kept. */
function forget(p, count) {
  if (!p.base) {
    p.base = newState();
    p.base.most = p.state.most;
  }
  for (let i = 0; i < count; i++) apply(p.base, p.events[i]);
  p.text *= 1 - count / p.events.length;
  p.events = p.events.slice(count);
  prune(p.history, p.base.now);
  shift(p.snapshots, count);
  if (p.at >= count) p.at -= count;
  else rewind(p, 0);
  p.time = Math.max(p.time, p.base.now);
}

/** Moves to a time: all events up to it have happened. */
export function seek(p, time) {
  const back = time < p.time;
  p.time = Math.max(p.history.from, Math.min(time, endOf(p)));
  if (back) {
    let to = 0;
    while (to < p.events.length && p.events[to].at <= p.time) to++;
    rewind(p, to);
  }
  while (p.at < p.events.length && p.events[p.at].at <= p.time) happen(p);
  p.state.now = p.time;
}

/** Lets all happen that comes of the next heartbeat with a decision: whatever is of its moment and node. */
export function beat(p) {
  const first = step(p);
  while (first && p.at < p.events.length) {
    const e = p.events[p.at];
    if (e.at !== first.at || (e.node !== first.node && e.node >= 0)) break;
    happen(p);
  }
  return first;
}

/** Lets events happen up to and with the next decision, and gives it; null if there is none. */
export function step(p) {
  while (p.at < p.events.length) {
    const e = happen(p);
    p.time = Math.max(p.time, e.at);
    if (isDecision(e)) return e;
  }
  return null;
}

/** Goes back to just after the decision before the last. */
export function stepBack(p) {
  let found = 0, i = p.at;
  while (i > 0 && found < 2) if (isDecision(p.events[--i])) found++;
  const to = found === 2 ? i + 1 : 0;
  rewind(p, to);
  p.time = to > 0 ? p.events[to - 1].at : p.history.from;
  p.state.now = p.time;
}

/** When a run is over, or the one that it is compared with if that takes longer. */
export function endOf(p) { return Math.max(p.history.end, p.until); }

/** Lets time pass; true if it has reached the end. */
export function pass(p, ns) {
  seek(p, p.time + ns);
  return p.time >= endOf(p);
}
