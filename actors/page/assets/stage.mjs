// What is staged, all of it the run itself, played slowly and told in words: a wait, from where a job lets a slot pass
// until it launches; and a reduce, with the outputs of maps as weights on the tree of racks, the center of gravity as
// it moves while maps end, the slot that was taken and what it cost.

import { nodeName } from "./entities.mjs";
import { html } from "./markup.mjs";
import { aim, bytes, causeOf, kindName, links, many, parseAttempt, taskName, time, worse } from "./words.mjs";

/** How long a staged wait plays, in nanoseconds, and the maximum number of nodes in a tree. */
const shown = 8e9, maxNodes = 40;

/** The next wait of a run after a time, or the first: the skip with which it begins, the first launch of another job
 * that the slot was given to, and the launch that ends it; and from when to when it is played, and how fast. It is null
 * if none has both. */
export function nextWait(events, after) {
  const found = (from) => {
    for (let i = events.findIndex((e) => e.at > from); i >= 0 && i < events.length; i++) {
      const skip = events[i];
      if (skip.type !== "skipped" || !/^waiting for/.test(causeOf(skip)) || skip.node < 0) continue;
      const launches = (e) => e.type === "launched" && (e.kind || 0) === (skip.kind || 0);
      const end = events.findIndex((e, k) => k > i && launches(e) && e.job === skip.job);
      if (end < 0 || events[end].at - skip.at < 1e6) continue;
      const takes = (e) => launches(e) && e.job !== skip.job && e.node === skip.node;
      const launch = events[end], taken = events.slice(i + 1, end).find(takes) || null, span = launch.at - skip.at;
      const from = Math.max(0, skip.at - span / 8), to = launch.at + span / 8;
      return { skip, taken, launch, from, to, speed: span / shown };
    }
    return null;
  };
  return found(after) || found(-1);
}

/** Says what happens at a time of a staged wait. */
export function caption({ skip, taken, launch }, now) {
  const { job, node_name: node, larts, placed } = skip, after = time(launch.at - skip.at);
  const left = skip.until > now ? `; at most ${time(skip.until - now)} more` : "";
  const task = () => taskName(parseAttempt(launch.attempt)), near = launch.locality ? `, ${launch.locality}` : "";
  if (now < skip.at) return `A ${kindName(skip.kind)} slot on ${node} is about to be offered to job ${job}.`;
  if (now >= launch.at) return `After ${after}, ${task()} starts on ${launch.node_name}${near}.`;
  if (taken && now >= taken.at) return `Job ${taken.job} takes the slot on ${node}. Job ${job} goes on waiting${left}.`;
  const far = larts ? "holds less than the node that holds most" : "is far from its center";
  const why = skip.kind ? `${far}${placed ? `, ${placed.center}` : ""}` : "has none of its blocks";
  return `Job ${job} is first in line, but ${node} ${why}. It lets the slot pass${left}.`;
}

/** Returns the fraction of a wait that is left: 1 when it begins, 0 when it is over. */
export function leftOf(wait, now) {
  const all = (wait.reason.wait || 0) + wait.until - wait.at;
  return wait.until > wait.at && all > 0 ? Math.max(0, Math.min(1, (wait.until - now) / all)) : 1;
}

const withParts = (job) => [...job.outputs.values()].filter((o) => o.parts);
const total = (of) => [...of.values()].reduce((sum, w) => sum + w, 0);
const rackOf = (h, id) => h.nodes.get(id).rack;

/** Returns the bytes for a reduce on each node, from the maps that have ended by a time. */
export function weights(job, reduce, now) {
  const out = new Map();
  for (const o of withParts(job)) if (o.at <= now) out.set(o.node, (out.get(o.node) || 0) + o.parts[reduce]);
  return out;
}

/** Returns the weighted distance (bytes × links) of a node from bytes by node: 2 links within a rack, 4 beyond. */
export function cost(h, of, node) {
  const far = (id) => (id === node ? 0 : rackOf(h, id) === rackOf(h, node) ? 2 : 4);
  return [...of].reduce((sum, [id, w]) => sum + far(id) * w, 0);
}

/** Returns the node with the least weighted distance from bytes by node, null without any. */
export function center(h, of) {
  const costs = [...of.keys()].map((id) => ({ id, cost: cost(h, of, id) }));
  return costs.length ? costs.reduce((best, one) => (one.cost < best.cost ? one : best)).id : null;
}

/** The next reduce after a time, or the first, whose center moved while maps ended; one whose center stood still if no
 * center moved, null without any. */
export function nextReduce(h, after) {
  const ends = (a) => withParts(h.jobs.get(a.job)).map((o) => o.at).sort((x, y) => x - y);
  const at = (a, now) => center(h, weights(h.jobs.get(a.job), a.task, now));
  const moves = (a) => new Set(ends(a).slice(0, 60).map((now) => at(a, now))).size > 1;
  const placed = h.attempts.filter((a) => a.kind === 1 && a.placed?.center && h.jobs.has(a.job));
  const known = [...placed.filter((a) => a.start > after), ...placed].slice(0, 400).filter((a) => ends(a).length);
  const reduce = known.find(moves) || known[0];
  if (!reduce) return null;
  const all = ends(reduce), first = all[0], span = Math.max(reduce.start - first, all.at(-1) - first, 1);
  return { reduce, from: first - span / 20, to: first + span + span / 8, speed: span / 12e9 };
}

/** Says where the center of a staged reduce is at a time, and after its start what its place costs. */
export function gravityCaption(h, { reduce: a }, now) {
  const job = h.jobs.get(a.job), name = (id) => nodeName(h, id);
  const of = weights(job, a.task, now), mid = center(h, of);
  const done = [...job.outputs.values()].filter((o) => o.at <= now).length, { larts, center: aimed } = a.placed;
  const known = `${done} of ${many(job.tasks[0], "map")} of job ${a.job} ${done === 1 ? "is" : "are"} done, with ` +
    `${bytes(total(of))} for reduce ${a.task}.`;
  if (mid === null) return known;
  const at = `Its center is ${name(mid)}: ${links(cost(h, of, mid))} to travel`;
  if (now < a.start) return `${known} ${at}.`;
  const wanted = larts ? `${larts === aimed ? "" : "as near as "}${aim(true)}` : "its center";
  const was = worse(a.placed) || `${wanted} at that time`;
  const start = `It started on ${name(a.node)}${a.waited ? " after a wait" : ""}: ${was}.`;
  if (mid === a.node) return `${known} ${start} ${larts ? "That is" : "It is still at"} its center.`;
  return `${known} ${start} ${at}; to here ${links(cost(h, of, a.node))}.`;
}

/** Places the nodes of a picture side by side, and each rack above the middle of its nodes. */
function tree(h, ids, width) {
  const racks = [...Map.groupBy(ids, (id) => rackOf(h, id))].sort((r, s) => (r[0] < s[0] ? -1 : 1));
  const step = width / (ids.length + racks.length), x = new Map();
  let at = step / 2;
  return { step, x, racks: racks.map(([rack, list]) => {
    const middle = at + (list.length * step) / 2;
    list.forEach((id, i) => x.set(id, at + (i + 0.5) * step));
    at += (list.length + 1) * step;
    return { rack, list, middle };
  }) };
}

/** Draws the tree of racks with the bytes of a staged reduce at a time. */
export function gravityMarkup(h, { reduce: a }, now, width, height) {
  const [of, all] = [now, Infinity].map((t) => weights(h.jobs.get(a.job), a.task, t)), mid = center(h, of);
  const most = Math.max(1, ...all.values()), heavy = [...all.keys()].sort((x, y) => all.get(y) - all.get(x));
  const ids = [...new Set([a.node, ...heavy])].slice(0, maxNodes).sort((x, y) => x - y), low = height - 34;
  const { racks, x, step } = tree(h, ids, width), thick = (w) => (1 + (9 * w) / Math.max(1, total(all))).toFixed(1);
  const size = (id) => (of.get(id) ? 3 + Math.min(step / 2 - 4, 17) * Math.sqrt(of.get(id) / most) : 2).toFixed(1);
  // What crosses to the center's rack, or from there.
  const isIn = (rack, id) => mid !== null && rackOf(h, id) === rack;
  const crosses = (rack) => total(new Map([...of].filter(([id]) => isIn(rack, id) !== isIn(rack, mid))));
  const branch = ({ rack, list, middle }) => html`
    <line x1="${width / 2}" y1="16" x2="${middle}" y2="${low / 2}" stroke-width="${thick(crosses(rack))}"/>
    ${list.map((id) => html`<line x1="${middle}" y1="${low / 2}" x2="${x.get(id)}" y2="${low}"
      stroke-width="${thick(id === mid ? 0 : of.get(id) || 0)}"/>`)}
    <text x="${middle + 6}" y="${low / 2 - 4}">${rack}</text>`;
  const name = (id) => html`<text x="${x.get(id)}" y="${height - 2}" text-anchor="middle">${nodeName(h, id)}</text>`;
  return html`<svg class="gravity" viewBox="0 0 ${width} ${height}" role="img"
    aria-label="${gravityCaption(h, { reduce: a }, now)}">${racks.map(branch)}
    ${ids.map((id) => html`<circle class="weight" cx="${x.get(id)}" cy="${low}" r="${size(id)}"/>`)}
    ${step > 44 && ids.map(name)}
    ${now >= a.start && html`<rect class="taken" x="${x.get(a.node) - 13}" y="${low - 13}" width="26" height="26"/>`}
    ${x.has(mid) && html`<circle class="mid" cx="${x.get(mid)}" cy="${low}" r="22"/>`}</svg>`;
}
