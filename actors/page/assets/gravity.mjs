// A reduce and its center of gravity, staged: the outputs of maps as weights on the tree of racks, the
// center as it moves while maps end, the slot that was taken and what it cost. All of it is the run itself.

import { within } from "./entities.mjs";
import { html } from "./markup.mjs";
import { aim, bytes, links, many, worse } from "./words.mjs";

const maxNodes = 40;

/** What a reduce has to fetch from each node, of the maps that have ended by a time. */
export function weights(job, reduce, now) {
  const out = new Map();
  for (const o of job.outputs.values()) if (o.parts && o.at <= now) out.set(o.node, (out.get(o.node) || 0) + o.parts[reduce]);
  return out;
}

/** The bytes times links that a node is away from weights: 2 links within a rack, 4 beyond. */
export function cost(h, of, node) {
  const rack = (id) => h.nodes.get(id).rack;
  return [...of].reduce((sum, [id, w]) => sum + (id === node ? 0 : rack(id) === rack(node) ? 2 : 4) * w, 0);
}

/** The node to which weights are nearest, null without any. */
export function center(h, of) {
  const costs = [...of.keys()].map((id) => [id, cost(h, of, id)]);
  return costs.length ? costs.reduce((best, one) => (one[1] < best[1] ? one : best))[0] : null;
}

/** The next reduce after a time, or the first, whose center moved while maps ended; one whose center stood still if no center moved, null without any. */
export function nextReduce(h, after) {
  const placed = h.attempts.filter((a) => a.kind === 1 && a.placed && a.placed.center && h.jobs.has(a.job));
  const ends = (a) => [...h.jobs.get(a.job).outputs.values()].filter((o) => o.parts).map((o) => o.at).sort((x, y) => x - y);
  const moves = (a) => new Set(ends(a).slice(0, 60).map((at) => center(h, weights(h.jobs.get(a.job), a.task, at)))).size > 1;
  const known = [...placed.filter((a) => a.start > after), ...placed].slice(0, 400).filter((a) => ends(a).length), reduce = known.find(moves) || known[0];
  if (!reduce) return null;
  const first = ends(reduce)[0], span = Math.max(reduce.start - first, ends(reduce).at(-1) - first, 1);
  return { reduce, from: first - span / 20, to: first + span + span / 8, speed: span / 12e9 };
}

/** What happens at a time, in words. */
export function gravityCaption(h, { reduce: a }, now) {
  const job = h.jobs.get(a.job), of = weights(job, a.task, now), mid = center(h, of), name = (id) => h.nodes.get(id).name;
  const done = [...job.outputs.values()].filter((o) => o.at <= now).length, sum = [...of.values()].reduce((x, y) => x + y, 0);
  const known = `${done} of ${many(job.tasks[0], "map")} of job ${a.job} ${done === 1 ? "is" : "are"} done, with ${bytes(sum)} for reduce ${a.task}`;
  if (mid === null) return `${known}.`;
  const at = `Its center is ${name(mid)}: ${links(cost(h, of, mid))} to travel`;
  if (now < a.start) return `${known}. ${at}.`;
  const then = worse(a.placed) || `${a.placed.larts && a.placed.larts !== a.placed.center ? "as near as " : ""}${aim(a.placed.larts)}`.replace("its center of gravity", "its center");
  return `${known}. It started on ${name(a.node)}${a.waited ? " after a wait" : ""}, then ${then}. ${mid === a.node ? `${a.placed.larts ? "That is" : "It is still at"} its center` : `${at}; to here ${links(cost(h, of, a.node))}`}.`;
}

/** The tree of racks at a time, in a picture of a size. */
export function gravityMarkup(h, { reduce: a }, now, width, height) {
  const of = weights(h.jobs.get(a.job), a.task, now), mid = center(h, of), all = weights(h.jobs.get(a.job), a.task, Infinity), most = Math.max(1, ...all.values());
  const shown = [...new Set([a.node, ...[...all.keys()].sort((x, y) => all.get(y) - all.get(x))])].slice(0, maxNodes).sort((x, y) => x - y), racks = new Map();
  for (const id of shown) within(racks, h.nodes.get(id).rack, () => []).push(id);
  const step = width / (shown.length + racks.size), x = new Map(), middle = new Map(), tall = height - 34;
  let at = step / 2;
  for (const [rack, ids] of [...racks].sort((r, s) => (r[0] < s[0] ? -1 : 1))) {
    ids.forEach((id) => x.set(id, (at += step) - step / 2));
    middle.set(rack, (x.get(ids[0]) + x.get(ids[ids.length - 1])) / 2);
    at += step;
  }
  const rackOf = (id) => h.nodes.get(id).rack, far = (rack) => [...of].reduce((sum, [id, w]) => sum + (mid !== null && (rackOf(id) === rack) !== (rackOf(mid) === rack) ? w : 0), 0), total = Math.max(1, [...all.values()].reduce((s, w) => s + w, 0));
  const thick = (w) => (1 + (9 * w) / total).toFixed(1), radius = (id) => ((of.get(id) || 0) ? 3 + Math.min(step / 2 - 4, 17) * Math.sqrt(of.get(id) / most) : 2).toFixed(1);
  return html`<svg class="gravity" viewBox="0 0 ${width} ${height}" role="img" aria-label="${gravityCaption(h, { reduce: a }, now)}">${
    [...racks].map(([rack, ids]) => html`<line x1="${width / 2}" y1="16" x2="${middle.get(rack)}" y2="${tall / 2}" stroke-width="${thick(far(rack))}"/>${ids.map((id) => html`<line x1="${middle.get(rack)}" y1="${tall / 2}" x2="${x.get(id)}" y2="${tall}" stroke-width="${thick(id === mid ? 0 : of.get(id) || 0)}"/>`)}<text x="${middle.get(rack) + 6}" y="${tall / 2 - 4}">${rack}</text>`)}
${shown.map((id) => html`<circle class="weight" cx="${x.get(id)}" cy="${tall}" r="${radius(id)}"/>${step > 44 ? html`<text x="${x.get(id)}" y="${height - 2}" text-anchor="middle">${h.nodes.get(id).name}</text>` : ""}`)}
${now >= a.start ? html`<rect class="taken" x="${x.get(a.node) - 13}" y="${tall - 13}" width="26" height="26"/>` : ""}${x.has(mid) ? html`<circle class="mid" cx="${x.get(mid)}" cy="${tall}" r="22"/>` : ""}</svg>`;
}
