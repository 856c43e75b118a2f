// Copies of the state at some of the events, so that going back replays few of them. There are eight
// at most, further apart the longer the run is, and one more near where the page went back to.

const most = 8, first = 1000, near = 500;

/** No snapshots yet. */
export const newSnapshots = () => ({ list: [], gap: first, near: null });

/** Takes one, if it is time: at is how many events the state has seen. */
export function keep(s, state, at) {
  const last = s.list.length ? s.list[s.list.length - 1].at : 0;
  if (at - last < s.gap) return;
  s.list.push({ at, state: copy(state) });
  if (s.list.length <= most) return;
  s.gap *= 2;
  s.list = s.list.filter((_, i) => i % 2 === 1);
}

/** The last one at or before an event, or nothing. */
export function before(s, at) {
  let found = null;
  for (const one of s.near ? [...s.list, s.near] : s.list) if (one.at <= at && (!found || one.at > found.at)) found = one;
  return found;
}

/** Takes one on the way back to an event, where the next steps back will want it. */
export function keepNear(s, state, at, to) {
  if (to - at === near) s.near = { at, state: copy(state) };
}

/** The first events are gone: so are the snapshots among them. */
export function shift(s, count) {
  s.list = s.list.map((one) => ({ ...one, at: one.at - count })).filter((one) => one.at > 0);
  s.near = null;
}

/** What events brought is never changed: copies have it, too. */
const shared = new Set(["places", "policy", "began", "reason", "placed"]), lists = new Set(["recent", "decisions"]);

/** A copy of a state that shares nothing that changes; what is one thing in two places stays one. */
export function copy(value, seen = new Map()) {
  if (value === null || typeof value !== "object") return value;
  const was = seen.get(value);
  if (was) return was;
  let out;
  if (Array.isArray(value)) {
    seen.set(value, (out = []));
    for (const x of value) out.push(copy(x, seen));
  } else if (value instanceof Map) {
    seen.set(value, (out = new Map()));
    for (const [k, x] of value) out.set(k, copy(x, seen));
  } else if (value instanceof Set) {
    seen.set(value, (out = new Set(value))); // of numbers
  } else {
    seen.set(value, (out = {}));
    for (const k in value) out[k] = shared.has(k) ? value[k] : lists.has(k) ? value[k].slice() : copy(value[k], seen);
  }
  return out;
}
