// HFSP's virtual cluster: who would finish when if all jobs shared the slots at once, and the work
// that each has left there. And the queues of the capacity scheduler.

import { html, table } from "./markup.mjs";
import { axes, frame, hues, path, picture } from "./chart.mjs";
import { time, pair, why } from "./words.mjs";

const height = 240, maxJobs = 8;

/** The jobs with a place in the virtual cluster, in the order of their projected ends. */
export function projected(s) {
  return [...s.jobs.values()].filter((j) => j.finished < 0 && j.virtual)
    .map((j) => ({ job: j, finish: Math.max(...j.virtual.map((v) => v.finish || 0)), left: j.virtual.reduce((sum, v) => sum + (v.left || 0), 0) }))
    .sort((a, b) => a.finish - b.finish || a.job.id - b.job.id);
}

/** The screen. */
export function virtualMarkup(s, h, width = 960) {
  const told = [...h.jobs.values()].filter((j) => j.virtuals.length);
  if (!told.length) return html`<p class="empty">Only the scheduler hfsp has a virtual cluster; this run had ${s.name || "another"}.</p>`;
  const shown = [...told].sort((a, b) => b.virtuals.length - a.virtuals.length).slice(0, maxJobs).sort((a, b) => a.id - b.id);
  const left = (v) => v.of.reduce((sum, k) => sum + (k.left || 0), 0);
  const most = Math.max(1, ...shown.map((j) => Math.max(...j.virtuals.map(left)))) / 1e9;
  const f = frame(width, height, h.from, Math.max(h.from + 1, h.end), most);
  const list = projected(s);
  return html`${picture(width, height, `serialized work left in the virtual cluster of ${shown.map((j) => `job ${j.id}`).join(", ")}`, html`${axes(f, "s of work")}
${shown.map((j, n) => html`<path class="line" stroke="${hues[n]}" d="${path(j.virtuals.map((v) => [f.x(Math.max(h.from, v.at)), f.y(left(v) / 1e9)]))}"><title>job ${j.id} ${j.name}</title></path><text x="${f.x(Math.max(h.from, j.virtuals[0].at)) + 3}" y="${Math.max(12, f.y(left(j.virtuals[0]) / 1e9) - 3)}">${j.id}</text>`)}
<line class="cursor" x1="${f.x(s.now)}" x2="${f.x(s.now)}" y1="20" y2="${height - 24}"/>`)}
${table("Who would finish first if all shared: the order in which slots are given", ["job", "name", "virtual slots, map + reduce", "virtual work left", "projected end", "really running"], list.map((x) => html`<tr><th scope="row"><button class="job" data-job="${x.job.id}">job ${x.job.id}</button></th><td>${x.job.name}</td><td>${pair(x.job.virtual.map((v) => (v.slots || 0).toFixed(1)))}</td><td>${time(x.left)}</td><td>${time(x.finish)}</td><td>${pair(x.job.running)}</td></tr>`))}`;
}

/** The queues of the capacity scheduler: what each may have, has, and waits for. */
export function queuesMarkup(s) {
  const queues = (s.policy && s.policy.Order === "capacity" && s.policy.Queues) || [];
  if (!queues.length && !(s.policy && s.policy.Order === "capacity")) return html`<p class="empty">Only the scheduler capacity has queues; this run had ${s.name || "another"}.</p>`;
  const names = queues.length ? queues : [{ Name: "default", Parent: "" }];
  const depth = (q) => { let n = 0; for (let p = q; p && p.Parent; p = names.find((o) => o.Name === p.Parent)) n++; return n; };
  const below = (name) => [name, ...names.filter((q) => q.Parent === name).flatMap((q) => below(q.Name))];
  const held = (name, k) => [...s.jobs.values()].filter((j) => below(name).includes(j.pool)).reduce((sum, j) => sum + j.running[k], 0);
  const bar = (g, name, k) => {
    const all = [...s.nodes.values()].reduce((sum, n) => sum + (n.live ? n.slots[k] : 0), 0) || 1;
    const x = (v) => (200 * Math.min(1, v / all)).toFixed(1);
    const h = held(name, k);
    return html`<svg class="usage" viewBox="0 0 200 14" role="img" aria-label="${h} of ${g.shares[k]} slots, ${all} in the cluster"><rect class="room" width="200" height="14"/><rect class="used" width="${x(h)}" height="14"/><line class="fair" x1="${x(g.shares[k])}" x2="${x(g.shares[k])}" y1="0" y2="14"/></svg> ${h} of ${g.shares[k].toFixed(0)}${g.max[k] > 0 ? `, at most ${g.max[k]}` : ""}`;
  };
  return table("Queues: what they hold, their capacity (the line), and the cluster (the bar)", ["Queue", "Map slots", "Reduce slots", "Jobs", "Held back"], names.map((q) => {
    const g = s.groups.get(q.Name) || { shares: [0, 0], max: [0, 0], jobs: 0 };
    const held = (w) => w && /queue|user limit/.test(w.reason.cause || "");
    const waiting = [...s.jobs.values()].filter((j) => j.pool === q.Name && j.finished < 0 && j.skips.some(held));
    return html`<tr><th scope="row"><span class="depth-${Math.min(4, depth(q))}">${q.Name}</span></th><td>${bar(g, q.Name, 0)}</td><td>${bar(g, q.Name, 1)}</td><td>${g.jobs}</td><td>${waiting.map((j) => html`<button class="job" data-job="${j.id}" title="${why(j.skips.find(held).reason)}">job ${j.id}</button> `)}</td></tr>`;
  }));
}
