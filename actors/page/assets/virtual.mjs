// HFSP's virtual cluster: who would finish when if all jobs shared the slots at once, and the work
// that each has left there. And the queues of the capacity scheduler.

import { html, jobLink, table } from "./markup.mjs";
import { cursor, hues, path, plot } from "./chart.mjs";
import { openJobs } from "./entities.mjs";
import { pair, time, why } from "./words.mjs";

const maxJobs = 8;
/** Returns the work that a job has left in the virtual cluster, maps and reduces together. */
const workLeft = (virtual) => virtual.reduce((sum, v) => sum + (v.left || 0), 0);

/** Returns when a job would end in the virtual cluster. */
const finish = (j) => Math.max(...j.virtual.map((v) => v.finish || 0));
/** Says that only another scheduler has what this screen shows. */
const elsewhere = (s, has) => html`<p class="empty">Only the scheduler ${has}; this run had ${s.name || "another"}.
  </p>`;

export function virtualMarkup(s, h, width = 960) {
  const told = [...h.jobs.values()].filter((j) => j.virtuals.length);
  if (!told.length) return elsewhere(s, "hfsp has a virtual cluster");
  const lead = told.sort((a, b) => b.virtuals.length - a.virtuals.length).slice(0, maxJobs);
  const shown = lead.sort((a, b) => a.id - b.id);
  const work = (v) => workLeft(v.of) / 1e9, most = Math.max(1e-9, ...shown.flatMap((j) => j.virtuals.map(work)));
  const label = `serialized work left in the virtual cluster of ${shown.map((j) => `job ${j.id}`).join(", ")}`;
  const line = (f) => (j, n) => {
    const points = j.virtuals.map((v) => [f.x(Math.max(h.from, v.at)), f.y(work(v))]), [[x, y]] = points;
    return html`<path class="line" stroke="${hues[n]}" d="${path(points)}"><title>job ${j.id} ${j.name}</title></path>
      <text x="${x + 3}" y="${Math.max(12, y - 3)}">${j.id}</text>`;
  };
  return html`${plot({ width, from: h.from, to: h.end, most, unit: "s of work", label }, (f) => (
    html`${shown.map(line(f))}${cursor(f, s.now)}`))}
    ${table("Who would finish first if all shared: the order in which slots are given", [
      ["job", (j) => jobLink(j.id)],
      ["name", (j) => j.name],
      ["virtual slots, map + reduce", (j) => pair(j.virtual.map((v) => (v.slots || 0).toFixed(1)))],
      ["virtual work left", (j) => time(workLeft(j.virtual))],
      ["projected end", (j) => time(finish(j))],
      ["really running", (j) => pair(j.running)],
    ], openJobs(s).filter((j) => j.virtual).sort((a, b) => finish(a) - finish(b) || a.id - b.id))}`;
}

/** Draws the slots of a kind that a queue holds, as a part of the cluster, with a line at its capacity. */
function usage(s, g, held, k) {
  const all = [...s.nodes.values()].reduce((sum, n) => sum + (n.live ? n.slots[k] : 0), 0) || 1;
  const x = (v) => (200 * Math.min(1, v / all)).toFixed(1), share = g.shares[k];
  return html`<svg class="usage" viewBox="0 0 200 14" role="img"
    aria-label="${held} of ${share} slots, ${all} in the cluster"><rect class="room" width="200" height="14"/>
    <rect class="used" width="${x(held)}" height="14"/>
    <line class="fair" x1="${x(share)}" x2="${x(share)}" y1="0" y2="14"/></svg> ${held} of ${share.toFixed(0)}${
    g.max[k] > 0 && `, at most ${g.max[k]}`}`;
}

/** Draws the queues of the capacity scheduler: capacity, slots held, and what waits. */
export function queuesMarkup(s) {
  if (s.policy?.Order !== "capacity") return elsewhere(s, "capacity has queues");
  const queues = s.policy.Queues?.length ? s.policy.Queues : [{ Name: "default", Parent: "" }];
  const depth = (q) => (q?.Parent ? 1 + depth(queues.find((o) => o.Name === q.Parent)) : 0);
  const below = (name) => [name, ...queues.filter((q) => q.Parent === name).flatMap((q) => below(q.Name))];
  const running = (q, k) => below(q.Name).reduce((sum, name) => sum + (s.groups.get(name)?.running[k] ?? 0), 0);
  const group = (q) => s.groups.get(q.Name) || { shares: [0, 0], max: [0, 0], jobs: 0 };
  const back = (w) => w && /queue|user limit/.test(w.reason.cause || "");
  const waiting = (q) => openJobs(s).filter((j) => j.pool === q.Name && j.skips.some(back));
  return table("Queues: what they hold, their capacity (the line), and the cluster (the bar)", [
    ["Queue", (q) => `${"\u2003".repeat(depth(q))}${q.Name}`],
    ["Map slots", (q) => usage(s, group(q), running(q, 0), 0)],
    ["Reduce slots", (q) => usage(s, group(q), running(q, 1), 1)],
    ["Jobs", (q) => group(q).jobs],
    ["Held back", (q) => waiting(q).map((j) => html`${jobLink(j.id, why(j.skips.find(back).reason))} `)],
  ], queues);
}
