// Where in the run the page stands. Forward it lets the next events happen; backward it begins anew,
// which for some hundred thousand events is faster than keeping copies.

import { newState, apply, isDecision } from "./state.mjs";
import { newHistory, record } from "./history.mjs";

/** A player of a list of events that may grow. */
export function newPlayer() {
  return { events: [], at: 0, time: 0, state: newState(), history: newHistory(), playing: false, follow: false, speed: 1 };
}

/** Takes more events in, at the end. */
export function add(p, events) {
  for (const e of events) {
    p.events.push(e);
    record(p.history, e);
  }
  if (p.follow) seek(p, p.history.end);
}

/** Moves to a time: all events up to it have happened. */
export function seek(p, time) {
  if (time < p.time) {
    p.state = newState();
    p.at = 0;
  }
  p.time = Math.max(0, Math.min(time, p.history.end));
  while (p.at < p.events.length && p.events[p.at].at <= p.time) apply(p.state, p.events[p.at++]);
  p.state.now = p.time;
}

/** Lets events happen up to and with the next decision, and gives it; null if there is none. */
export function step(p) {
  while (p.at < p.events.length) {
    const e = p.events[p.at++];
    apply(p.state, e);
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
  p.state = newState();
  p.at = 0;
  while (p.at < to) apply(p.state, p.events[p.at++]);
  p.time = to > 0 ? p.events[to - 1].at : 0;
  p.state.now = p.time;
}

/** Lets time pass; true if it has reached the end. */
export function pass(p, ns) {
  seek(p, p.time + ns);
  return p.time >= p.history.end;
}
